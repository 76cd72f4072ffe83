-- The conversions: what a key and the columns that reference it become, what proves that they are right, and what undoes
-- it. Everything else knows nothing of versions.

CREATE OR REPLACE FUNCTION check_conversion(conversion text, others text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.check_choice('conversion', conversion, ARRAY['v1_to_v6', 'v6_to_v1']),
            uuidx_migrate.check_choice('others', others, ARRAY['error', 'keep']);
END
$$;
COMMENT ON FUNCTION check_conversion(text, text) IS
'an error unless there is a conversion with this name, and this way to treat other UUIDs';

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

-- A conversion that computes a value from another column fills that one first.
CREATE OR REPLACE FUNCTION stages(m migration) RETURNS TABLE (columns moved_column[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).columns;
END;
COMMENT ON FUNCTION stages(migration) IS
'the columns that move, in the order in which they are filled: together, or some after others';

CREATE OR REPLACE FUNCTION fill() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill'
LANGUAGE C;
COMMENT ON FUNCTION fill() IS
'trigger before INSERT or UPDATE that fills a shadow column; its arguments are the column, the shadow column, the conversion, and what to do with UUIDs of another version';

-- Online, a trigger keeps the shadow column, and a CHECK constraint makes PostgreSQL compare every row with the conversion.
-- The exchange changes only the names of the columns, so that both hold before and after that.
CREATE OR REPLACE FUNCTION fill_trigger(m migration, c moved_column) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format('uuidx_migrate.fill(%L, %L, %L, %L)', (c).name, (c).shadow, (m).conversion, (m).others);
COMMENT ON FUNCTION fill_trigger(migration, moved_column) IS
'call of the trigger function that fills a shadow column';

CREATE OR REPLACE FUNCTION is_fill(function oid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN function = 'fill()'::regprocedure;
COMMENT ON FUNCTION is_fill(oid) IS
'whether a function fills shadow columns';

CREATE OR REPLACE FUNCTION proof(m migration, c moved_column, not_null boolean) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format(CASE WHEN not_null THEN '%1$I IS NOT NULL AND %1$I OPERATOR(pg_catalog.=) (%2$s)'
                                 ELSE '(%1$I IS NULL) OPERATOR(pg_catalog.=) (%3$I IS NULL) AND %1$I OPERATOR(pg_catalog.=) (%2$s)' END,
              (c).shadow, new_value((c).name, (m).conversion, (m).others), (c).name);
COMMENT ON FUNCTION proof(migration, moved_column, boolean) IS
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
