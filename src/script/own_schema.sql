-- Create the schemas of uuidx_migrate: one for a user's verbs, and one for what scripts and the verbs call. They belong
-- to the superuser who runs this script, and DROP EXTENSION drops them. An existing schema may belong to somebody who
-- could create functions beside these; default privileges may let others do so in a new one.
DO $$
DECLARE
    schema name;
    grantee text;
BEGIN
    FOREACH schema IN ARRAY '{uuidx_migrate,uuidx_migrate_steps}'::name[] LOOP
        IF EXISTS (SELECT FROM pg_namespace WHERE nspname = schema) THEN
            PERFORM uuidx_raise('42P06', format('schema "%s" already exists', schema),
                'The extension "uuidx_migrate" creates this schema itself.',
                'Drop the schema, or rename it, and create the extension again.');
        END IF;
        EXECUTE format('CREATE SCHEMA %I', schema);
        FOR grantee IN
            SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
            FROM pg_namespace AS n, aclexplode(n.nspacl) AS a WHERE n.nspname = schema AND a.grantee <> n.nspowner
        LOOP
            EXECUTE format('REVOKE ALL ON SCHEMA %I FROM %s', schema, grantee);
        END LOOP;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO PUBLIC', schema);
    END LOOP;
END
$$;
