-- Rename the private schema to uuidx_migrate. It belongs to the superuser who runs this script, and DROP EXTENSION
-- drops it. An existing schema may belong to somebody who could create functions beside these.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'uuidx_migrate') THEN
        RAISE EXCEPTION 'schema "uuidx_migrate" already exists'
            USING ERRCODE = 'duplicate_schema', DETAIL = 'The extension "uuidx_migrate" creates this schema itself.',
                  HINT = 'Drop the schema, or rename it, and create the extension again.';
    END IF;
    EXECUTE format('ALTER SCHEMA %s RENAME TO uuidx_migrate', current_schema()::regnamespace);
    GRANT USAGE ON SCHEMA uuidx_migrate TO PUBLIC;
END
$$;
