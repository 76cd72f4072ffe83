-- Tables of Citus, which need not be installed.

-- The tables that Citus manages: distributed, reference and local ones.
CREATE OR REPLACE FUNCTION citus_tables() RETURNS regclass[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tables regclass[];
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT array_agg(logicalrelid) FROM pg_catalog.pg_dist_partition' INTO tables;
    END IF;
    RETURN coalesce(tables, '{}');
END
$$;

-- Those of some tables that Citus manages, and what to do about each.
CREATE OR REPLACE FUNCTION obstacles_of_citus(tables regclass[]) RETURNS TABLE (member regclass, what text, hint text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT t, format('Citus manages table %s', t),
           'On the coordinator, run undistribute_table, migrate, and distribute the table again.'
    FROM unnest(tables) AS t WHERE t = ANY (citus_tables());
END;

-- Part of default_obstacle: the column by whose values Citus distributes one of its tables; NULL if it does not
-- distribute it.
CREATE OR REPLACE FUNCTION citus_distribution_column(relation regclass) RETURNS name
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    name name;
BEGIN
    IF relation = ANY (uuidx_migrate_steps.citus_tables()) THEN
        EXECUTE 'SELECT pg_catalog.column_to_column_name(logicalrelid, partkey) '
                'FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1'
        INTO name USING relation;
    END IF;
    RETURN name;
END
$$;

-- Whether a relation is a shard of a table of Citus. Queries of pg_class do not find shards.
CREATE OR REPLACE FUNCTION is_shard(relation regclass) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_shard boolean := false;
BEGIN
    IF to_regprocedure('pg_catalog.relation_is_a_known_shard(regclass)') IS NOT NULL THEN
        EXECUTE 'SELECT pg_catalog.relation_is_a_known_shard($1)' INTO is_shard USING relation;
    END IF;
    RETURN is_shard;
END
$$;

-- An error if a relation is a shard.
CREATE OR REPLACE FUNCTION check_no_shard(relation regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF uuidx_migrate_steps.is_shard(relation) THEN
        PERFORM uuidx_migrate_steps.raise('55000', format('%s is a shard of a table that Citus manages', relation),
            hint => 'Name the table itself, on the coordinator.');
    END IF;
END
$$;
