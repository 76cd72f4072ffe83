-- A superuser runs the script of a trusted extension, and other users may have created functions and operators in the
-- extension's schema. Whatever search_path says, a call would be bound for ever to one that matches it better than
-- PostgreSQL's own. So the script works in a private schema with a random name, which nobody can have created before.
DO $$
DECLARE
    private pg_catalog.text := pg_catalog.concat(
        'uuidx_', pg_catalog.replace(pg_catalog.gen_random_uuid()::pg_catalog.text, '-', ''));
BEGIN
    EXECUTE pg_catalog.concat('CREATE SCHEMA ', private);
    PERFORM pg_catalog.set_config('search_path', pg_catalog.concat(private, ', pg_catalog, pg_temp'), true);
END
$$;
-- For what is parsed while the script runs. The server parsed the script itself before that, so a literal with a
-- backslash must begin with E.
SET LOCAL standard_conforming_strings = on;
-- RAISE would show lines of this script to the user. move_out.sql drops the function.
CREATE FUNCTION uuidx_raise(sqlstate text, message text, detail text, hint text) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_raise'
LANGUAGE C;
