-- A superuser runs the script of a trusted extension, and others may have made functions and operators in the schema
-- that the extension is for. A call would be bound for ever to one of those if it matched better than PostgreSQL's own,
-- whatever search_path says. So the script works in a schema where nobody else can make anything, and which
-- nobody can have made before, as its name is random.
DO $$
DECLARE
    private pg_catalog.text := pg_catalog.concat('uuidx_', pg_catalog.replace(pg_catalog.gen_random_uuid()::pg_catalog.text, '-', ''));
BEGIN
    EXECUTE pg_catalog.concat('CREATE SCHEMA ', private);
    PERFORM pg_catalog.set_config('search_path', pg_catalog.concat(private, ', pg_catalog, pg_temp'), true);
END
$$;
-- For what is parsed while the script runs. The script itself is parsed before, so none of its literals has a backslash
-- but those that begin with E.
SET LOCAL standard_conforming_strings = on;
