-- Which conversion fits a column, as its statistics show.

-- Part of other_texts and shown_versions: the values in the statistics of a column, of those that the view pg_stats
-- shows the user.
CREATE OR REPLACE FUNCTION shown_values(relation regclass, column_name name) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT v
        FROM uuidx_migrate_steps.members(ARRAY[relation]) AS m, pg_class AS c, pg_namespace AS n,
             LATERAL (SELECT p.most_common_vals::text::text[], p.histogram_bounds::text::text[]
                      FROM pg_stats AS p
                      WHERE (p.schemaname, p.tablename, p.attname) = (n.nspname, c.relname, shown_values.column_name)
                      OFFSET 0) AS s (common, bounds),
             unnest(s.common || s.bounds) AS v
        WHERE c.oid = m.relid AND n.oid = c.relnamespace;
END
$$;

-- Part of fitting: how many of them have each version.
CREATE OR REPLACE FUNCTION shown_versions(relation regclass, column_name name)
RETURNS TABLE (version smallint, count bigint)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT uuid_version(v::uuid), count(*)
    FROM pg_attribute AS a, LATERAL shown_values(relation, a.attname) AS v
    WHERE a.attrelid = relation AND a.attname = shown_versions.column_name AND a.atttypid = 'uuid'::regtype
    GROUP BY 1;
END;

-- One of the texts in the statistics of a column that stand for no UUID, if most of them do not; or else NULL. Some
-- texts of other kinds pass for ULIDs.
CREATE OR REPLACE FUNCTION other_texts(relation regclass, column_name name) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT CASE WHEN 2 * count(*) FILTER (WHERE u.is_uuid) < count(*)
                        THEN min(v COLLATE "C") FILTER (WHERE NOT u.is_uuid) END
            FROM uuidx_migrate_steps.shown_values(relation, column_name) AS v, uuidx_migrate.is_uuid(v) AS u (is_uuid));
END
$$;

-- What the statistics of a column show, NULL without any; and the conversion that fits, NULL if none is known or
-- needed.
CREATE OR REPLACE FUNCTION fitting(
    relation regclass, column_name name,
    OUT type regtype, OUT shown text, OUT conversion text, OUT versions smallint[], OUT counts bigint[]
)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT a.atttypid::regtype, v.shown, fitting_conversion(a.atttypid::regtype, v.versions), v.versions, v.counts
    FROM pg_attribute AS a,
         LATERAL (SELECT string_agg(format('%s of %s', s.count, coalesce('version ' || s.version, 'no version')), ', '
                                    ORDER BY s.count DESC, s.version),
                         array_agg(s.version), array_agg(s.count)
                  FROM shown_versions(fitting.relation, fitting.column_name) AS s) AS v (shown, versions, counts)
    WHERE a.attrelid = fitting.relation AND a.attname = fitting.column_name;
END;

-- Part of check_key_type and obstacles_of_columns: the argument for the conversion that fits a column, where another
-- one does not; NULL if none does.
CREATE OR REPLACE FUNCTION other_conversion(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN f.conversion IS NOT NULL THEN format('conversion => %L', f.conversion)
                    WHEN f.shown IS NULL AND f.type = 'uuid'::regtype
                    THEN 'conversion => ''v1_to_v6'' or ''to_v7''' END
        FROM fitting(relation, column_name) AS f);

-- Part of check_choices: an error for a call that names no conversion of a column.
CREATE OR REPLACE FUNCTION check_conversion_is_given(conversion text, relation regclass, column_name name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    f record;
    other text;
BEGIN
    IF conversion IS NULL THEN
        PERFORM uuidx_migrate_steps.check_column(relation, column_name, uuidx_migrate_steps.migratable_types());
        SELECT o.* INTO f FROM uuidx_migrate_steps.fitting(relation, column_name) AS o;
        other := CASE WHEN f.type = ANY (uuidx_migrate_steps.text_types())
                      THEN uuidx_migrate_steps.other_texts(relation, column_name) END;
        PERFORM uuidx_migrate_steps.raise('22023',
            format('no conversion is given for column "%s" of table %s', column_name, relation),
            CASE WHEN f.shown IS NOT NULL THEN format('Of the UUIDs in its statistics, these have: %s.', f.shown)
                 WHEN other IS NOT NULL
                 THEN format('Most texts in its statistics stand for no UUID, such as "%s".', other)
                 WHEN f.type = 'uuid'::regtype THEN 'You see no statistics of the column.'
                 ELSE format('Its type is %s.', f.type) END,
            CASE WHEN other IS NOT NULL THEN 'No conversion is for such keys: leave the key out.'
                 WHEN f.conversion IS NOT NULL THEN format('Use conversion => %L.', f.conversion)
                 WHEN f.shown IS NOT NULL THEN 'These keys are in order already, and need no conversion.'
                 ELSE format('Run ANALYZE %s, and call this again: it then says which conversion fits.', relation) END);
    END IF;
END
$$;
