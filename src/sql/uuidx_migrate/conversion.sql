-- The conversions: what a key becomes, what proves that it is right, and what undoes it. Everything else knows nothing
-- of versions.

CREATE OR REPLACE FUNCTION from_version(conversion text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE conversion WHEN 'v1_to_v6' THEN 1 WHEN 'v6_to_v1' THEN 6 END;
COMMENT ON FUNCTION from_version(text) IS
'version that a conversion converts';

CREATE OR REPLACE FUNCTION undoing(conversion text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE conversion WHEN 'v1_to_v6' THEN 'v6_to_v1' WHEN 'v6_to_v1' THEN 'v1_to_v6' END;
COMMENT ON FUNCTION undoing(text) IS
'conversion that undoes another';

CREATE OR REPLACE FUNCTION new_value(column_name name, conversion text, others text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format(CASE others WHEN 'keep'
                  THEN 'CASE WHEN uuidx_migrate.uuid_version(%1$I) OPERATOR(pg_catalog.=) %3$s THEN uuidx_migrate.%2$I(%1$I) ELSE %1$I END'
                  ELSE 'uuidx_migrate.%2$I(%1$I)' END,
              column_name, 'uuid_' || conversion, from_version(conversion));
COMMENT ON FUNCTION new_value(name, text, text) IS
'expression for the new value of a column';

-- PostgreSQL compares every row with it. The exchange changes only the names of the columns, so that it holds before
-- and after that.
CREATE OR REPLACE FUNCTION proof(column_name name, shadow name, not_null boolean, conversion text, others text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format(CASE WHEN not_null THEN '%1$I IS NOT NULL AND %1$I OPERATOR(pg_catalog.=) (%2$s)'
                                 ELSE '(%1$I IS NULL) OPERATOR(pg_catalog.=) (%3$I IS NULL) AND %1$I OPERATOR(pg_catalog.=) (%2$s)' END,
              shadow, new_value(column_name, conversion, others), column_name);
COMMENT ON FUNCTION proof(name, name, boolean, text, text) IS
'condition that a shadow column has the new value';

-- A default that generates keys of the old version is replaced.
CREATE OR REPLACE FUNCTION is_call(expression text, function_names text DEFAULT NULL) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN expression ~ format(E'^(("([^"]|"")+"|[a-z_][a-z0-9_$]*)\\.)?(%s)\\(\\)$',
                           coalesce(function_names, '("([^"]|"")+"|[a-z_][a-z0-9_$]*)'));
COMMENT ON FUNCTION is_call(text, text) IS
'whether an expression is the call, without arguments, of a function, or of one that has one of these names';

CREATE OR REPLACE FUNCTION is_old_generator(expression text, conversion text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN is_call(expression, CASE conversion WHEN 'v1_to_v6' THEN 'uuid_generate_v1|uuid_generate_v1mc' ELSE 'uuid_generate_v6' END);
COMMENT ON FUNCTION is_old_generator(text, text) IS
'whether a default generates keys of the version that a conversion converts';

CREATE OR REPLACE FUNCTION version_histogram(
    relation regclass,
    column_name name,
    OUT version smallint,
    OUT variant text,
    OUT count bigint,
    OUT first timestamptz,
    OUT last timestamptz
) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.check_column(relation, column_name);
    RETURN QUERY EXECUTE format(
        'SELECT v.version, v.variant, count(*), min(v.time), max(v.time)
         FROM (SELECT uuidx_migrate.uuid_version(%1$I) AS version, uuidx_migrate.uuid_variant(%1$I) AS variant,
                      uuidx_migrate.uuid_time(%1$I) AS time
               FROM %2$s) AS v
         GROUP BY v.version, v.variant ORDER BY v.version, v.variant',
        column_name, relation);
END
$$;
COMMENT ON FUNCTION version_histogram(regclass, name) IS
'number of UUIDs of each version and variant in a column, and their first and last time';
