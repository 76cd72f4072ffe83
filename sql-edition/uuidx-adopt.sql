-- Makes the functions of the SQL edition (uuidx.sql) those of the extension uuidx, on a server that has the library. A
-- superuser runs it once in the database:
--
--     psql -v schema=uuidx -v owner=tenant -f uuidx-adopt.sql
--
-- schema is where the edition is, and owner is the role that has loaded it. The functions keep their OIDs and
-- privileges, so all that uses them stays and works: defaults, constraints, indexes, views, triggers.
--
-- That role may have put anything into the schema. Nothing that it wrote is called, or is part of the extension
-- afterwards: of each function, only the name, the types and the privileges stay. It is all one transaction: whatever
-- is not as it should be ends it.

\set ON_ERROR_STOP 1
\if :{?schema} \else \set schema '' \endif
\if :{?owner} \else \set owner '' \endif
BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE FUNCTION pg_temp.adopt(schema_name text, owner_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    schema  text;
    owner   oid;
    -- Nobody else can have put anything into a schema of a random name.
    private text := 'uuidx_' || replace(gen_random_uuid()::text, '-', '');
    ours    regprocedure[];
    theirs  regprocedure[];
    found   text;
    others  text;
BEGIN
    IF '' IN (schema_name, owner_name) THEN
        RAISE 'the schema of the SQL edition, or the role that has loaded it, is not given'
            USING HINT = 'Run: psql -v schema=uuidx -v owner=ROLE -f uuidx-adopt.sql';
    ELSIF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RAISE insufficient_privilege USING MESSAGE = 'must be superuser to make the SQL edition the library';
    END IF;
    schema := quote_ident(schema_name)::regnamespace;
    owner := quote_ident(owner_name)::regrole;
    -- Until the end, nobody renames the schema.
    PERFORM FROM pg_namespace WHERE nspname = schema_name FOR UPDATE;
    EXECUTE format('CREATE SCHEMA %s', private);
    EXECUTE format('CREATE EXTENSION uuidx SCHEMA %s', private);
    -- Until the end, nobody changes or renames these functions. Those whose privileges the extension sets are for
    -- superusers, and have none in their place. Others may have privileges by default.
    SELECT array_agg(o), array_agg(t),
           string_agg(format('%s in %s, of role %s', t, language, role), '; ') FILTER (WHERE wrong),
           CASE WHEN bool_and(role <> owner) THEN string_agg(DISTINCT role::text, ', ') END
    INTO ours, theirs, found, others
    FROM (SELECT o.oid::regprocedure AS o, t.oid::regprocedure AS t, l.lanname AS language, t.proowner::regrole AS role,
                 t.proowner <> owner OR l.lanname NOT IN ('sql', 'plpgsql') AND t.prokind <> 'a' AS wrong
          FROM pg_proc AS o JOIN pg_proc AS t USING (proname, proargtypes) JOIN pg_language AS l ON l.oid = t.prolang
          WHERE o.pronamespace = private::regnamespace AND t.pronamespace = schema::regnamespace
            AND NOT EXISTS (SELECT FROM pg_init_privs WHERE (objoid, classoid) = (o.oid, 'pg_proc'::regclass))
          FOR UPDATE OF t) AS f;
    IF found IS NOT NULL OR ours IS NULL THEN
        RAISE 'schema % does not have the SQL edition of role %', schema, owner::regrole USING DETAIL = coalesce(
            'Its functions belong to ' || others || '. Give that role as the owner if it has loaded the edition.',
            found, 'It has none of its functions.');
    END IF;

    FOR i IN 1 .. cardinality(ours) LOOP
        EXECUTE format('ALTER EXTENSION uuidx DROP ROUTINE %s', ours[i]);
    END LOOP;
    EXECUTE format('ALTER EXTENSION uuidx SET SCHEMA %s', schema);
    FOR i IN 1 .. cardinality(ours) LOOP
        EXECUTE format('ALTER ROUTINE %s OWNER TO CURRENT_USER', theirs[i]);
        EXECUTE coalesce(
            (SELECT format('CREATE OR REPLACE AGGREGATE %1$s.%2$I(uuid) (SFUNC = %1$s.%3$I, STYPE = uuid, '
                           'COMBINEFUNC = %1$s.%3$I, SORTOP = OPERATOR(pg_catalog.%4$s), PARALLEL = SAFE)',
                           schema, p.proname, f.proname, o.oprname)
             FROM pg_aggregate AS a JOIN pg_proc AS p ON p.oid = a.aggfnoid JOIN pg_proc AS f ON f.oid = a.aggtransfn
             JOIN pg_operator AS o ON o.oid = a.aggsortop
             WHERE a.aggfnoid = ours[i]),
            replace(pg_get_functiondef(ours[i]), private || '.', schema || '.'));
        EXECUTE format('COMMENT ON ROUTINE %s IS %L', theirs[i], obj_description(ours[i], 'pg_proc'));
        EXECUTE format('ALTER EXTENSION uuidx ADD ROUTINE %s', theirs[i]);
    END LOOP;
    EXECUTE 'DROP ROUTINE ' || array_to_string(ours, ', ');
    EXECUTE format('DROP SCHEMA %s', private);

    -- What only the edition needs
    SELECT string_agg(oid::regprocedure::text, ', ') INTO found
    FROM pg_proc WHERE pronamespace = schema::regnamespace AND proname ^@ 'edition_' AND proowner = owner;
    BEGIN
        EXECUTE 'DROP ROUTINE ' || found;
    EXCEPTION WHEN dependent_objects_still_exist THEN
        RAISE NOTICE 'functions of the SQL edition stay, because other objects depend on them: %', found;
    END;

    -- The library needs no index on the expression uuid_time(id) where that on the key serves the same queries.
    SELECT string_agg(DISTINCT i.indexrelid::regclass::text, ', ') INTO found
    FROM pg_index AS i
    JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid
    JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid AND p.prosrc = 'uuidx_time'
    WHERE 0 = ANY (i.indkey) AND p.oid = ANY (theirs);
    IF found IS NOT NULL THEN
        RAISE NOTICE 'indexes on creation times: %', found
            USING HINT = 'Drop each where the index on the key serves the queries: uuid_explain(table) shows which do.';
    END IF;
END
$$;
SELECT pg_temp.adopt(:'schema', :'owner') \g /dev/null
DROP FUNCTION pg_temp.adopt;
COMMIT;
