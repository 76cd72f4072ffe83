-- Create the schema uuidx_migrate. It belongs to the superuser who runs this script, and DROP EXTENSION drops it. An
-- existing schema may belong to somebody who could create functions beside these; default privileges may let others do
-- so in a new one.
DO $$
DECLARE
    grantee text;
BEGIN
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'uuidx_migrate') THEN
        PERFORM uuidx_raise('42P06', 'schema "uuidx_migrate" already exists', 'The extension "uuidx_migrate" creates this schema itself.',
            'Drop the schema, or rename it, and create the extension again.');
    END IF;
    CREATE SCHEMA uuidx_migrate;
    FOR grantee IN
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
        FROM pg_namespace AS n, aclexplode(n.nspacl) AS a WHERE n.nspname = 'uuidx_migrate' AND a.grantee <> n.nspowner
    LOOP
        EXECUTE format('REVOKE ALL ON SCHEMA uuidx_migrate FROM %s', grantee);
    END LOOP;
    GRANT USAGE ON SCHEMA uuidx_migrate TO PUBLIC;
END
$$;
