-- Which conversion fits a column, as its statistics show.

-- Part of fitting: how many of the values in the statistics of a column have each version: of the statistics that the
-- view pg_stats shows the user. MATERIALIZED: the planner could join later what says that a value is of this column,
-- and of type uuid.
CREATE OR REPLACE FUNCTION shown_versions(relation regclass, column_name name)
RETURNS TABLE (version smallint, count bigint)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH shown (common, bounds) AS MATERIALIZED (
            SELECT s.most_common_vals::text, s.histogram_bounds::text
            FROM uuidx_migrate_steps.members(ARRAY[relation]) AS m, pg_class AS c, pg_namespace AS n, pg_attribute AS a,
                 LATERAL (SELECT p.most_common_vals, p.histogram_bounds FROM pg_stats AS p
                          WHERE (p.schemaname, p.tablename, p.attname) = (n.nspname, c.relname, a.attname)
                          OFFSET 0) AS s
            WHERE c.oid = m.relid AND n.oid = c.relnamespace AND a.attrelid = c.oid
              AND a.attname = shown_versions.column_name AND a.atttypid = 'uuid'::regtype)
        SELECT uuidx_migrate_steps.uuid_version(v), count(*)
        FROM shown AS s, unnest(s.common::uuid[] || s.bounds::uuid[]) AS v GROUP BY 1;
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
BEGIN
    IF conversion IS NULL THEN
        PERFORM uuidx_migrate_steps.check_column(relation, column_name, uuidx_migrate_steps.migratable_types());
        SELECT o.* INTO f FROM uuidx_migrate_steps.fitting(relation, column_name) AS o;
        PERFORM uuidx_migrate_steps.raise('22023',
            format('no conversion is given for column "%s" of table %s', column_name, relation),
            CASE WHEN f.shown IS NOT NULL THEN format('Of the UUIDs in its statistics, these have: %s.', f.shown)
                 WHEN f.type = 'uuid'::regtype THEN 'You see no statistics of the column.'
                 ELSE format('Its type is %s.', f.type) END,
            CASE WHEN f.conversion IS NOT NULL THEN format('Use conversion => %L.', f.conversion)
                 WHEN f.shown IS NOT NULL THEN 'These keys are in order already, and need no conversion.'
                 ELSE format('Run ANALYZE %s, and call this again: it then says which conversion fits.', relation) END);
    END IF;
END
$$;
