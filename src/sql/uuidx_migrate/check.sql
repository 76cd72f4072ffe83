-- What the head of a script checks: who runs it, and what is in the columns.

CREATE OR REPLACE FUNCTION validate_constraint(relation regclass, name name, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.lock_table(relation, 'SHARE UPDATE EXCLUSIVE', trust_owners);
    -- After the exchange, the constraint has its own name.
    IF uuidx_migrate.has_constraint(relation, name) THEN
        EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', relation, name);
    END IF;
END
$$;
COMMENT ON FUNCTION validate_constraint(regclass, name, boolean) IS
'ALTER TABLE ... VALIDATE CONSTRAINT if there is the constraint';

-- After the exchange, the column has the new values.
CREATE OR REPLACE FUNCTION check_values(relation regclass, column_name name, conversion text, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    version integer := (uuidx_migrate.conversion_named(conversion)).version;
    others bigint;
    example text;
BEGIN
    PERFORM uuidx_migrate.lock_table(relation, 'ACCESS SHARE', trust_owners);
    IF uuidx_migrate.filling(relation, column_name) IS DISTINCT FROM uuidx_migrate.undoing(conversion) THEN
        EXECUTE format('SELECT count(*), min(%1$I::text) FROM %2$s WHERE uuidx_migrate.uuid_version(%1$I) IS DISTINCT FROM %3$L AND %1$I IS NOT NULL',
                       column_name, relation, version)
        INTO others, example;
    END IF;
    IF others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has UUIDs that are not of version %', column_name, relation, version
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = format('Their number is %s; one of them is "%s".', others, example),
              HINT = 'uuidx_migrate.version_histogram shows what is in the column. With others => ''keep'' such values stay as they are.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_values(regclass, name, text, boolean) IS
'an error unless all UUIDs in a column can be converted, or the exchange has taken place';

-- A column that no foreign key ties to the key may have values that are not keys.
CREATE OR REPLACE FUNCTION check_keys(relation regclass, column_name name, keys regclass, key_column name, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    others bigint;
    example text;
BEGIN
    PERFORM uuidx_migrate.lock_table(t, 'ACCESS SHARE', trust_owners) FROM unnest(ARRAY[relation, keys]) AS t;
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

-- A statement names functions and operators, and whoever owns their schema can give their names to others meanwhile.
CREATE OR REPLACE FUNCTION called(relations regclass[]) RETURNS SETOF oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH objects (classid, objid) AS (
        SELECT 'pg_class'::regclass, m.relid FROM members(relations) AS m
        UNION
        SELECT d.classid, d.objid
        FROM members(relations) AS m JOIN pg_class AS c ON c.oid = m.relid
        JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = m.relid
        LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
        LEFT JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
        WHERE coalesce(w.ev_class = m.relid, true) AND coalesce(p.proowner = c.relowner, true)
    )
    SELECT DISTINCT d.refobjid
    FROM objects AS o JOIN pg_depend AS d ON (d.classid, d.objid) = (o.classid, o.objid)
    WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
      AND NOT EXISTS (SELECT FROM pg_depend AS e JOIN pg_extension AS x ON x.oid = e.refobjid
                      WHERE (e.classid, e.objid) = (d.refclassid, d.refobjid) AND e.deptype = 'e' AND x.extname = 'uuidx_migrate');
END;
COMMENT ON FUNCTION called(regclass[]) IS
'the functions and operators that defaults, constraints, triggers and the like of relations call, without those of PostgreSQL and of this extension';

CREATE OR REPLACE FUNCTION note_called(relations regclass[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
BEGIN
    PERFORM set_config('uuidx_migrate.called', ARRAY(SELECT uuidx_migrate.called(relations))::text, true);
END
$$;
COMMENT ON FUNCTION note_called(regclass[]) IS
'notes for check_called, until the transaction ends, which functions and operators relations call';

CREATE OR REPLACE FUNCTION check_called(relations regclass[], new_functions oid[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    other oid;
BEGIN
    SELECT c INTO other FROM uuidx_migrate.called(relations) AS c WHERE c <> ALL (current_setting('uuidx_migrate.called')::oid[] || new_functions);
    IF FOUND THEN
        RAISE EXCEPTION 'the tables call %, which has taken the name of another one', other::regprocedure
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Write the script anew with uuidx_migrate.script, and run that.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_called(regclass[], oid[]) IS
'an error if relations call functions or operators that note_called has not noted, other than those of their new defaults';

CREATE OR REPLACE FUNCTION call_note_called(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate.note_called(%s)', relation_list(affected_relations(m)));
COMMENT ON FUNCTION call_note_called(migration) IS
'call of note_called, as text';

-- Nothing depends on functions of PostgreSQL.
CREATE OR REPLACE FUNCTION call_check_called(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate.check_called(%s, %L::pg_catalog.oid[])', relation_list(affected_relations(m)),
              ARRAY(SELECT DISTINCT p::oid
                    FROM new_defaults(m) AS d, LATERAL to_regprocedure(substring(d.new_default FROM E'[^()]+\\(\\)')) AS p (p) WHERE p >= 16384
                    ORDER BY 1));
COMMENT ON FUNCTION call_check_called(migration) IS
'call of check_called, as text';

CREATE OR REPLACE FUNCTION script_fingerprint(m migration, mode text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Whoever runs the script, and how, it is the same one.
    m.trust_owners := false;
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
    created text, without_time text, future text, trust_owners boolean
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
    m := uuidx_migrate.migration(relation, column_name, conversion, others, also, published, true, trust_owners, new_default, created, without_time, future);
    PERFORM uuidx_migrate.check_obstacles(m, mode);
    IF uuidx_migrate.script_fingerprint(m, mode) IS DISTINCT FROM written THEN
        RAISE EXCEPTION 'the script to move column "%" of table % is not the one that is needed', column_name, relation
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'The tables, or what reads them, have changed since the script was written.',
              HINT = 'Write the script anew with uuidx_migrate.script, and run that.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_script(regclass, name, text, text, text, text[], text, regprocedure, text, text, text, text, boolean) IS
'an error if a script would have other statements, or obstacles, than when it was written; unless the exchange has taken place';
