-- What the head of a script checks: who runs it, and what is in the columns.

-- Objects of a table that run code when its rows are written. Functions of PostgreSQL that change nothing cannot run
-- other code, except those that read tables: their names have "_to_xml".
CREATE OR REPLACE FUNCTION foreign_code(tables regclass[]) RETURNS TABLE (description text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
-- A backfill asks in every batch: plan it once, and read the catalogs by their indexes.
SET plan_cache_mode = force_generic_plan
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
BEGIN
    RETURN QUERY
    WITH RECURSIVE members AS MATERIALIZED (
        SELECT DISTINCT m.relid FROM unnest(tables) AS r, LATERAL (SELECT r::oid UNION SELECT p.relid FROM pg_partition_tree(r) AS p) AS m (relid)
    ),
    -- Views and materialized views that read them, however many steps away
    readers (relid) AS (
        SELECT m.relid::oid FROM members AS m
        UNION
        SELECT w.ev_class
        FROM readers AS r JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relid AND d.classid = 'pg_rewrite'::regclass
        JOIN pg_rewrite AS w ON w.oid = d.objid
    ),
    code (classid, objid, expression) AS (
        SELECT 'pg_constraint'::regclass, k.oid, k.conbin::text FROM members AS m JOIN pg_constraint AS k ON k.conrelid = m.relid AND k.contype IN ('c', 'x')
        UNION ALL
        SELECT 'pg_attrdef'::regclass, d.oid, d.adbin::text
        FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.relid AND a.attgenerated <> '' JOIN pg_attrdef AS d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
        UNION ALL
        SELECT 'pg_class'::regclass, i.indexrelid, concat(i.indexprs::text, i.indpred::text) FROM members AS m JOIN pg_index AS i ON i.indrelid = m.relid
        UNION ALL
        -- The functions in its partition key, and up to PostgreSQL 14 those in its generated columns
        SELECT 'pg_class'::regclass, m.relid, p.partexprs::text FROM members AS m LEFT JOIN pg_partitioned_table AS p ON p.partrelid = m.relid
        UNION ALL
        SELECT 'pg_statistic_ext'::regclass, s.oid, s.stxexprs::text FROM members AS m JOIN pg_statistic_ext AS s ON s.stxrelid = m.relid
        UNION ALL
        SELECT 'pg_trigger'::regclass, t.oid, t.tgqual::text FROM members AS m JOIN pg_trigger AS t ON t.tgrelid = m.relid
        WHERE NOT t.tgisinternal AND t.tgenabled <> 'D'
        UNION ALL
        SELECT 'pg_type'::regclass, y.oid, NULL FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.relid JOIN pg_type AS y ON y.oid = a.atttypid
        WHERE y.typtype = 'd'
        UNION ALL
        SELECT 'pg_constraint'::regclass, k.oid, k.conbin::text
        FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.relid JOIN pg_constraint AS k ON k.contypid = a.atttypid AND k.contypid <> 0
        UNION ALL
        -- PostgreSQL evaluates the constants in a definition when it reads it. As soon as a table has shadow columns, they say
        -- which columns move; the definition of a function that reads others, as that of the creation time does, is not read.
        SELECT d.classid, d.objid, NULL FROM readers AS r JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relid
        WHERE d.classid IN ('pg_rewrite'::regclass, 'pg_policy'::regclass)
           OR d.classid = 'pg_proc'::regclass
              AND (d.refobjsubid = 0 OR NOT EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = r.relid AND uuidx_migrate.is_fill(t.tgfoid))
                   OR EXISTS (SELECT FROM pg_trigger AS t JOIN pg_attribute AS a ON a.attrelid = t.tgrelid
                              WHERE t.tgrelid = r.relid AND uuidx_migrate.is_fill(t.tgfoid) AND t.tgname = uuidx_migrate.trigger_name(a.attname) AND a.attnum = d.refobjsubid))
    ),
    used (classid, objid, used_classid, used_oid, owner) AS (
        SELECT c.classid, c.objid, d.refclassid, d.refobjid, coalesce(p.proowner, o.oprowner, y.typowner)
        FROM code AS c
        JOIN pg_depend AS d ON (d.classid, d.objid) = (c.classid, c.objid)
                           AND (c.classid NOT IN ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_policy'::regclass) OR d.refclassid = 'pg_type'::regclass)
                           AND (c.objid NOT IN (SELECT m.relid FROM members AS m) OR d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
                                OR EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = d.objid AND a.attnum = d.objsubid AND a.attgenerated <> ''))
        LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
        LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
        LEFT JOIN pg_type AS y ON d.refclassid = 'pg_type'::regclass AND y.oid = d.refobjid
                              AND (y.typtype IN ('d', 'c', 'r', 'm') OR y.typtype = 'b' AND y.typcategory = 'A')
        UNION ALL
        SELECT c.classid, c.objid, 'pg_proc'::regclass, p.oid, p.proowner
        FROM code AS c, LATERAL regexp_matches(c.expression, ':(?:funcid|opfuncid) ([0-9]+)', 'g') AS f (ids)
        JOIN pg_proc AS p ON p.oid = f.ids[1]::oid
        WHERE p.provolatile = 'v' OR p.proname LIKE E'%\\_to\\_xml%'
        UNION ALL
        -- A foreign key casts its columns to the types of those that it references. The cast may come later.
        SELECT 'pg_constraint'::regclass, k.oid, 'pg_type'::regclass, b.oid, b.typowner
        FROM members AS m JOIN pg_constraint AS k ON k.conrelid = m.relid AND k.contype = 'f'
        JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
        JOIN pg_type AS t ON t.oid = a.atttypid JOIN pg_type AS b ON b.oid IN (t.oid, t.typbasetype)
        UNION ALL
        -- A GiST index of ranges calls what the range type names.
        SELECT 'pg_class'::regclass, m.relid, 'pg_proc'::regclass, p.oid, p.proowner
        FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.relid JOIN pg_type AS t ON t.oid = a.atttypid
        JOIN pg_range AS r ON r.rngtypid IN (t.oid, t.typbasetype) OR r.rngmultitypid IN (t.oid, t.typbasetype)
        JOIN pg_proc AS p ON p.oid IN (r.rngsubdiff, r.rngcanonical)
        UNION ALL
        -- A view may have taken the name of a table, and a rule the place of an UPDATE.
        SELECT 'pg_rewrite'::regclass, w.oid, 'pg_class'::regclass, c.oid, c.relowner
        FROM members AS m JOIN pg_rewrite AS w ON w.ev_class = m.relid AND w.ev_type IN ('1', '2') AND w.ev_enabled <> 'D'
        JOIN pg_class AS c ON c.oid = w.ev_class
    )
    SELECT DISTINCT format('%s: %s', pg_describe_object(u.classid, u.objid, 0), pg_describe_object(u.used_classid, u.used_oid, 0))
    FROM used AS u LEFT JOIN pg_roles AS r ON r.oid = u.owner
    WHERE NOT r.rolsuper OR u.used_classid = 'pg_proc'::regclass AND u.used_oid < 16384 AND u.classid <> 'pg_trigger'::regclass;
END
$$;
COMMENT ON FUNCTION foreign_code(regclass[]) IS
'constraints, domains, generated columns, indexes and triggers of tables with the code that they run, as far as it is not a superuser''s';

CREATE OR REPLACE FUNCTION is_superuser() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user);
COMMENT ON FUNCTION is_superuser() IS
'whether the current user is a superuser';

CREATE OR REPLACE FUNCTION check_role(tables regclass[], allow_superuser boolean) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    list text;
BEGIN
    IF NOT allow_superuser AND uuidx_migrate.is_superuser() THEN
        SELECT string_agg(f.description, E'\n' ORDER BY f.description COLLATE "C") INTO list FROM uuidx_migrate.foreign_code(tables) AS f;
    END IF;
    IF list IS NOT NULL THEN
        RAISE EXCEPTION 'as a superuser, you would run code of other roles' USING ERRCODE = 'insufficient_privilege',
            DETAIL = E'These would run it:\n' || list,
            HINT = 'Connect as the owner of the tables and run the script, or write it with allow_superuser => true if you trust the code.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_role(regclass[], boolean) IS
'an error if a superuser would run code of other roles by writing to tables';

-- A table's indexes and statistics may have functions, which the planner calls.
CREATE OR REPLACE FUNCTION read_as_owner(relation regclass, query text) RETURNS jsonb
AS 'MODULE_PATHNAME', 'uuidx_read_as_owner'
LANGUAGE C STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp;
COMMENT ON FUNCTION read_as_owner(regclass, text) IS
'rows that a query returns, as an array; a superuser reads them with the rights of the owner of a relation';

-- A statement finds a table by its name, which another relation may get while LOCK TABLE waits. Up to PostgreSQL 15, an
-- empty table can become a view.
CREATE OR REPLACE FUNCTION lock_table(relation regclass, lock text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    name text := relation;
BEGIN
    EXECUTE format('LOCK TABLE ONLY %s IN %s MODE', name, lock);
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND c.oid = to_regclass(name) AND c.relkind IN ('r', 'p')) THEN
        RAISE EXCEPTION '% is not a table, or not the one that it was', name USING ERRCODE = 'wrong_object_type';
    END IF;
END
$$;
COMMENT ON FUNCTION lock_table(regclass, text) IS
'part of check_values and the like: locks a table, and fails if another relation has its name by then';

-- A locked table keeps its name, but the owner of its schema could give the schema's name to another one, with other tables.
-- Only a superuser may lock a schema, and only a superuser runs code of others then.
CREATE OR REPLACE FUNCTION lock_schemas(relations regclass[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF uuidx_migrate.is_superuser() THEN
        PERFORM FROM pg_namespace AS n
        WHERE n.oid IN (SELECT c.relnamespace
                        FROM unnest(relations) AS r, LATERAL (SELECT r::oid UNION SELECT p.relid FROM pg_partition_tree(r) AS p) AS m (relid)
                        JOIN pg_class AS c ON c.oid = m.relid)
        FOR KEY SHARE;
    END IF;
END
$$;
COMMENT ON FUNCTION lock_schemas(regclass[]) IS
'keeps the schemas of relations from getting other names, if the user is a superuser';

-- What the head of a script has checked may have changed since. The lock keeps others from changing it now. The planner also
-- calls what is in indexes and statistics of a table and its partitions, which the lock of a writer lets their owners
-- create. The stronger lock comes first: a session that has it may wait for writers.
CREATE OR REPLACE FUNCTION lock_and_check(relation regclass, lock text, allow_superuser boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.lock_schemas(ARRAY[relation]);
    PERFORM uuidx_migrate.lock_table(c.oid, 'SHARE UPDATE EXCLUSIVE')
    FROM (SELECT relation::oid UNION SELECT p.relid FROM pg_partition_tree(relation) AS p) AS m (relid)
    JOIN pg_class AS c ON c.oid = m.relid JOIN pg_roles AS o ON o.oid = c.relowner
    WHERE NOT o.rolsuper AND uuidx_migrate.is_superuser() AND NOT allow_superuser;
    PERFORM uuidx_migrate.lock_table(relation, lock), uuidx_migrate.check_role(ARRAY[relation], allow_superuser);
END
$$;
COMMENT ON FUNCTION lock_and_check(regclass, text, boolean) IS
'part of backfill and validate_constraint: locks a table, and checks who writes to it';

CREATE OR REPLACE FUNCTION validate_constraint(relation regclass, name name, allow_superuser boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.lock_and_check(relation, 'SHARE UPDATE EXCLUSIVE', allow_superuser);
    -- After the exchange, the constraint has its own name.
    IF NOT uuidx_migrate.has_constraint(relation, name) THEN
        RETURN;
    END IF;
    -- A foreign key is validated by a query of both tables.
    PERFORM uuidx_migrate.lock_and_check(f.confrelid, 'SHARE UPDATE EXCLUSIVE', allow_superuser)
    FROM pg_constraint AS f
    WHERE uuidx_migrate.is_superuser() AND f.conrelid = relation AND f.conname = validate_constraint.name AND f.contype = 'f' AND f.confrelid <> relation;
    EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', relation, name);
END
$$;
COMMENT ON FUNCTION validate_constraint(regclass, name, boolean) IS
'ALTER TABLE ... VALIDATE CONSTRAINT if there is the constraint; a superuser runs it only if that runs no code of other roles';

-- After the exchange, the column has the new values.
CREATE OR REPLACE FUNCTION check_values(relation regclass, column_name name, conversion text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    version integer := uuidx_migrate.from_version(conversion);
    others bigint;
    example text;
BEGIN
    PERFORM uuidx_migrate.lock_table(relation, 'ACCESS SHARE');
    IF uuidx_migrate.filling(relation, column_name) IS DISTINCT FROM uuidx_migrate.undoing(conversion) THEN
        SELECT r.others, r.example INTO others, example
        FROM jsonb_to_recordset(uuidx_migrate.read_as_owner(relation, format(
            'SELECT count(*) AS others, min(%1$I::text) AS example FROM %2$s WHERE uuidx_migrate.uuid_version(%1$I) IS DISTINCT FROM %3$L AND %1$I IS NOT NULL',
            column_name, relation, version))) AS r (others bigint, example text);
    END IF;
    IF others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has UUIDs that are not of version %', column_name, relation, version
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = format('Their number is %s; one of them is "%s".', others, example),
              HINT = 'uuidx_migrate.version_histogram shows what is in the column. With others => ''keep'' such values stay as they are.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_values(regclass, name, text) IS
'an error unless all UUIDs in a column can be converted, or the exchange has taken place';

-- A column that no foreign key ties to the key may have values that are not keys.
CREATE OR REPLACE FUNCTION check_keys(relation regclass, column_name name, keys regclass, key_column name, allow_superuser boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    others bigint;
    example text;
BEGIN
    -- The tables may have different owners.
    PERFORM uuidx_migrate.lock_and_check(t, 'ACCESS SHARE', allow_superuser) FROM unnest(ARRAY[relation, keys]) AS t;
    EXECUTE format('SELECT count(*), min(t.%1$I::text) FROM %2$s AS t
                    WHERE t.%1$I IS NOT NULL AND NOT EXISTS (SELECT FROM %3$s AS k WHERE k.%4$I = t.%1$I)', column_name, relation, keys, key_column)
    INTO others, example;
    IF others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has UUIDs that are not in column "%" of table %', column_name, relation, key_column, keys
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = format('Their number is %s; one of them is "%s".', others, example),
              HINT = 'With others => ''keep'' they are no error. What is not converted stays as it is.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_keys(regclass, name, regclass, name, boolean) IS
'an error unless all UUIDs in a column are in another column too';

CREATE OR REPLACE FUNCTION script_fingerprint(m migration, mode text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Whoever runs the script, and how, it is the same one.
    m.allow_superuser := false;
    m.fire_triggers := true;
    RETURN CASE mode WHEN 'offline' THEN (SELECT md5(string_agg(o.sql, ';' ORDER BY n)) FROM uuidx_migrate.offline(m) WITH ORDINALITY AS o (phase, locks, sql, n))
                     -- Also with the definitions of what is built on the shadow columns.
                     ELSE (SELECT md5(string_agg(s.sql, ';' ORDER BY s.part, s.n))
                           FROM (SELECT 1, n, s FROM uuidx_migrate.by_table(m.columns) AS t, LATERAL uuidx_migrate.shadow_statements(m, t.columns) WITH ORDINALITY AS s (s, n)
                                 UNION ALL
                                 SELECT 2, n, i.sql FROM uuidx_migrate.index(m) WITH ORDINALITY AS i (phase, locks, sql, n)
                                 UNION ALL
                                 SELECT 3, n, e FROM uuidx_migrate.exchange_statements(m) WITH ORDINALITY AS e (e, n)) AS s (part, n, sql)) END;
END
$$;
COMMENT ON FUNCTION script_fingerprint(migration, text) IS
'another text as soon as other statements are needed';

-- A list of statements is the same as when a script was written. It is compared, never run.
CREATE OR REPLACE FUNCTION check_script(
    relation regclass, column_name name, mode text, conversion text, others text, also text[], published text, new_default regprocedure, written text,
    created text, without_time text, future text
) RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET jit = off
AS $$
DECLARE
    m uuidx_migrate.migration;
BEGIN
    IF uuidx_migrate.filling(relation, column_name) IS NOT DISTINCT FROM uuidx_migrate.undoing(conversion) THEN
        RETURN;
    END IF;
    m := uuidx_migrate.migration(relation, column_name, conversion, others, also, published, true, false, new_default, created, without_time, future);
    PERFORM uuidx_migrate.check_obstacles(m, mode);
    IF uuidx_migrate.script_fingerprint(m, mode) IS DISTINCT FROM written THEN
        RAISE EXCEPTION 'the script to move column "%" of table % is not the one that is needed', column_name, relation
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'The tables, or what reads them, have changed since the script was written.',
              HINT = 'Write the script anew with uuidx_migrate.script, and run that.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_script(regclass, name, text, text, text, text[], text, regprocedure, text, text, text, text) IS
'an error if a script would have other statements, or obstacles, than when it was written; unless the exchange has taken place';
