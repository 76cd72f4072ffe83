-- The statements that move a column and all columns tied to it.

CREATE OR REPLACE FUNCTION from_version(direction text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE direction WHEN 'v1_to_v6' THEN 1 WHEN 'v6_to_v1' THEN 6 END;
COMMENT ON FUNCTION from_version(text) IS
'version that a direction converts from';

CREATE OR REPLACE FUNCTION reverse_direction(direction text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE direction WHEN 'v1_to_v6' THEN 'v6_to_v1' WHEN 'v6_to_v1' THEN 'v1_to_v6' END;
COMMENT ON FUNCTION reverse_direction(text) IS
'direction that undoes another';

CREATE OR REPLACE FUNCTION check_version(relation regclass, column_name name, version integer) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    others bigint;
    example text;
BEGIN
    EXECUTE format('SELECT count(*), min(%1$I::text) FROM %2$s WHERE uuidx_migrate.uuid_version(%1$I) IS DISTINCT FROM $1
                    AND %1$I IS NOT NULL', column_name, relation)
    INTO others, example USING version;
    IF others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has UUIDs that are not of version %', column_name, relation, version
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = format('Their number is %s; one of them is "%s".', others, example),
              HINT = 'uuidx_migrate.version_histogram shows what is in the column. With others => ''keep'' such values stay as they are.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_version(regclass, name, integer) IS
'an error unless all UUIDs in a column are of a version';

CREATE OR REPLACE FUNCTION foreign_keys(
    relation regclass, column_name name,
    OUT foreign_key oid, OUT referencing regclass, OUT name name, OUT definition text, OUT comment text, OUT validated boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT f.oid, f.conrelid::regclass, f.conname, pg_get_constraintdef(f.oid), obj_description(f.oid, 'pg_constraint'),
                    f.convalidated
    FROM tied_columns(relation, column_name) AS c
    CROSS JOIN LATERAL member_tables(c.relation, c.column_name) AS m
    JOIN pg_constraint AS f ON f.conrelid = m.member AND m.attnum = ANY (f.conkey)
    WHERE f.contype = 'f' AND f.conparentid = 0;
END;
COMMENT ON FUNCTION foreign_keys(regclass, name) IS
'the foreign keys that tie the columns of tied_columns';

CREATE OR REPLACE FUNCTION conversion(column_name name, direction text, others text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT CASE WHEN others IN ('keep', 'kept') THEN format('CASE WHEN %s(%I) OPERATOR(pg_catalog.=) %s THEN %s(%2$I) ELSE %2$I END',
                                               uuidx_function('uuid_version'), column_name, version, conversion)
                       ELSE format('%s(%I)', conversion, column_name) END
    FROM (SELECT from_version(direction) AS version,
                 CASE direction WHEN 'v1_to_v6' THEN uuidx_function('uuid_v1_to_v6')
                                ELSE uuidx_function('uuid_v6_to_v1') END AS conversion) AS c
);
COMMENT ON FUNCTION conversion(name, text, text) IS
'expression that converts a column''s value';

CREATE OR REPLACE FUNCTION note_default(relation regclass, column_name name, direction text, expression text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE direction
    WHEN 'v1_to_v6' THEN
        format('INSERT INTO %s VALUES (%L, %L, %L) ON CONFLICT (relation, column_name) DO UPDATE SET expression = excluded.expression',
               'former_defaults'::regclass, relation, column_name, expression)
    ELSE
        format('DELETE FROM %s WHERE relation = %L::pg_catalog.regclass AND column_name = %L',
               'former_defaults'::regclass, relation, column_name)
END;
COMMENT ON FUNCTION note_default(regclass, name, text, text) IS
'statement that keeps the default of a column for the way back, or forgets it there';

CREATE OR REPLACE FUNCTION offline(relation regclass, column_name name, direction text, others text)
RETURNS TABLE (step integer, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM tied_columns(relation, column_name)),
    tables AS (
        SELECT c.relation, string_agg(format('ALTER COLUMN %I TYPE pg_catalog.uuid USING %s', c.column_name,
                                             conversion(c.column_name, direction, others)),
                                      ', ' ORDER BY c.column_name) AS conversions
        FROM columns AS c GROUP BY c.relation
    ),
    defaults AS (
        SELECT c.column_name, d.*
        FROM columns AS c, LATERAL defaults(c.relation, c.column_name, direction) AS d
    ),
    foreign_keys AS MATERIALIZED (SELECT * FROM foreign_keys(relation, column_name)),
    statements (part, sql) AS (
        VALUES (1, 'BEGIN'), (11, 'COMMIT')
        UNION ALL
        SELECT 2, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', string_agg(t.relation::text, ', ' ORDER BY t.relation::text COLLATE "C"))
        FROM tables AS t
        UNION ALL
        SELECT 3, format('SELECT %s(%L, %L, %s)', 'check_version(regclass,name,integer)'::regprocedure::regproc, c.relation, c.column_name,
                         from_version(direction))
        FROM columns AS c WHERE others = 'error'
        UNION ALL
        SELECT 4, format('ALTER TABLE %s DROP CONSTRAINT %I', f.referencing, f.name) FROM foreign_keys AS f
        UNION ALL
        SELECT 5, format('ALTER TABLE %s %s', t.relation, t.conversions) FROM tables AS t
        UNION ALL
        SELECT 6, note_default(d.member, d.column_name, direction, d.old_default)
        FROM defaults AS d
        UNION ALL
        SELECT 7, format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', d.member, d.column_name, d.new_default)
        FROM defaults AS d
        UNION ALL
        SELECT 8, format('ALTER TABLE %s ADD CONSTRAINT %I %s', f.referencing, f.name, f.definition) FROM foreign_keys AS f
        UNION ALL
        SELECT 9, format('COMMENT ON CONSTRAINT %I ON %s IS %L', f.name, f.referencing, f.comment)
        FROM foreign_keys AS f WHERE f.comment IS NOT NULL
        UNION ALL
        SELECT 9, format('ALTER STATISTICS %s.%I SET STATISTICS %s', s.stxnamespace::regnamespace, s.stxname, s.stxstattarget)
        FROM columns AS c, LATERAL member_tables(c.relation, c.column_name) AS m
        JOIN pg_statistic_ext AS s ON s.stxrelid = m.member AND m.attnum = ANY (s.stxkeys)
        WHERE s.stxstattarget >= 0
        UNION ALL
        SELECT 10, format('ANALYZE %s', t.relation) FROM tables AS t
    )
    SELECT row_number() OVER (ORDER BY s.part, s.sql COLLATE "C")::integer, s.sql FROM statements AS s;
END;
COMMENT ON FUNCTION offline(regclass, name, text, text) IS
'part of script: one transaction that rewrites the tables';

CREATE OR REPLACE FUNCTION check_arguments(relation regclass, column_name name, direction text, others text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF direction NOT IN ('v1_to_v6', 'v6_to_v1') THEN
        RAISE EXCEPTION 'direction "%" is none of: v1_to_v6, v6_to_v1', direction USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF others NOT IN ('error', 'keep') THEN
        RAISE EXCEPTION 'others "%" is none of: error, keep', others USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation AND attname = column_name AND attnum > 0
                                              AND NOT attisdropped) THEN
        RAISE EXCEPTION 'column "%" of relation % does not exist', column_name, relation USING ERRCODE = 'undefined_column';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation AND attname = column_name AND atttypid = 'uuid'::regtype) THEN
        RAISE EXCEPTION 'column "%" of relation % is not of type uuid', column_name, relation USING ERRCODE = 'datatype_mismatch';
    END IF;
END
$$;
COMMENT ON FUNCTION check_arguments(regclass, name, text, text) IS
'raises an error for an unknown column, direction or value of others';

CREATE OR REPLACE FUNCTION check_obstacles(relation regclass, column_name name, mode text, direction text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
DECLARE
    obstacles text;
BEGIN
    EXECUTE format('SELECT string_agg(DISTINCT o COLLATE "C", E''\n'')
                    FROM uuidx_migrate.tied_columns($1, $2) AS c
                    CROSS JOIN LATERAL (
                        SELECT uuidx_migrate.obstacles(c.relation, c.column_name)
                        UNION ALL
                        SELECT uuidx_migrate.obstacles_%s(c.relation, c.column_name)
                        UNION ALL
                        SELECT format(''default %%s of table %%s before: there is no such function any more'', d.new_default, d.member)
                        FROM uuidx_migrate.defaults(c.relation, c.column_name, $3) AS d
                        WHERE to_regprocedure(d.new_default) IS NULL) AS u (o)', mode)
    INTO obstacles USING relation, column_name, direction;
    IF obstacles IS NOT NULL THEN
        RAISE EXCEPTION 'column "%" of table % cannot be moved as it stands', column_name, relation
        USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'In the way are:' || E'\n' || obstacles,
              HINT = 'Drop what is in the way, and create it again afterwards.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_obstacles(regclass, name, text, text) IS
'an error that lists what stands in the way of a migration, if anything does';

CREATE OR REPLACE FUNCTION script(
    relation regclass,
    column_name name,
    mode text DEFAULT 'offline',
    direction text DEFAULT 'v1_to_v6',
    others text DEFAULT 'error'
) RETURNS TABLE (step integer, sql text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
BEGIN
    IF mode NOT IN ('offline', 'online') THEN
        RAISE EXCEPTION 'mode "%" is none of: offline, online', mode USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE 'SELECT uuidx_migrate.check_arguments($1, $2, $3, $4)'
    USING relation, column_name, direction, others;
    EXECUTE 'SELECT uuidx_migrate.check_obstacles($1, $2, $3, $4)' USING relation, column_name, mode, direction;
    RETURN QUERY EXECUTE format('SELECT * FROM uuidx_migrate.%s($1, $2, $3, $4) AS s ORDER BY s.step', mode)
    USING relation, column_name, direction, others;
END
$$;
COMMENT ON FUNCTION script(regclass, name, text, text, text) IS
'the statements, in order, that move a column and all columns tied to it from version 1 to version 6, or back';
