-- What cannot be taken along in one of the modes, and what to do about each.

-- What stands in the way of the offline mode alone.
CREATE OR REPLACE FUNCTION obstacles_offline(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('column %I of table %s, the shadow of an online migration', c.shadow, c.member),
           'Finish the online migration, or undo it, with mode => ''finish''.'
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND shadow_conversion(c.member, c.name) IS NOT NULL
    UNION ALL
    SELECT (m).relation, (m).column_name,
           p || ' uses columns by position, or has ON CONFLICT DO UPDATE, and a generated column changes its place',
           'Drop it, and create it again afterwards.'
    FROM positional_readers(m) AS p
    WHERE EXISTS (SELECT FROM unnest((m).dependents) AS d WHERE d.kind = 'generated column')
    UNION ALL
    SELECT o.* FROM index_obstacles_offline(m) AS o
    UNION ALL
    SELECT o.* FROM foreign_key_obstacles_of_partitions(m, false) AS o
    UNION ALL
    SELECT o.* FROM number_obstacles_offline(m) AS o
    UNION ALL
    SELECT o.* FROM not_null_obstacles_offline(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_dropped(m, true) AS o;
END;

-- Part of update_error.
CREATE OR REPLACE FUNCTION check_published(relation oid) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_check_published'
LANGUAGE C STABLE STRICT;

-- Part of obstacles_of_updates: why the server refuses each UPDATE of a table that is published; NULL if it does not.
CREATE OR REPLACE FUNCTION update_error(relation regclass) RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    detail text;
BEGIN
    PERFORM uuidx_migrate_steps.check_published(relation);
    RETURN NULL;
EXCEPTION
    WHEN object_not_in_prerequisite_state THEN
        RETURN 'it has no replica identity';
    WHEN invalid_column_reference THEN -- in a row filter or a column list
        GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
        RETURN rtrim(detail, '.');
END
$$;

-- Updates of tables by a script or its triggers: the server refuses those of a table that publishes updates without the
-- replica identity that they need. Clients may only ever insert into it. With the identity FULL, only a column list
-- can be in the way. To ask takes a lock of the table, so only a database with such a publication is asked.
CREATE OR REPLACE FUNCTION obstacles_of_updates(m migration, columns migrated_column[]) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('table %s is published and cannot be updated: %s', c.member, u.error),
           CASE WHEN EXISTS (SELECT FROM pg_class AS t WHERE t.oid = c.member AND t.relreplident <> 'f')
                     AND NOT EXISTS (SELECT FROM pg_publication_rel AS p
                                     WHERE p.prrelid IN (c.member, c.root) AND to_jsonb(p) ->> 'prattrs' IS NOT NULL)
                THEN format('Run ALTER TABLE %s REPLICA IDENTITY FULL.', c.member)
                ELSE 'Drop the table from the publication, and add it again afterwards.' END
    FROM unnest(columns) AS c, pg_class AS t,
         LATERAL (SELECT CASE WHEN EXISTS (SELECT FROM pg_publication AS p WHERE p.pubupdate)
                              THEN update_error(c.member) END) AS u (error)
    WHERE t.oid = c.member AND t.relkind = 'r' AND u.error IS NOT NULL;
END;

-- What stands in the way of the online mode alone.
CREATE OR REPLACE FUNCTION obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM obstacles_of_updates(m, (m).columns) AS o
    UNION ALL
    SELECT o.* FROM look_up_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM index_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM not_null_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM foreign_key_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM statistics_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM check_constraint_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM rule_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM trigger_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM generated_column_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM matview_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM reader_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_twins(m) AS o WHERE NOT EXISTS (SELECT FROM renamed_columns(m))
    UNION ALL
    SELECT o.* FROM map_obstacles_online(m) AS o;
END;
