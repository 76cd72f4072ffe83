-- The settings with which definitions are read, so that they mean what they meant.

-- Those on which the meaning of a text depends. Definitions are written with the same ones; see script. They name what
-- is in pg_catalog without its schema.
CREATE OR REPLACE FUNCTION definition_settings() RETURNS TABLE (name text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 7
BEGIN ATOMIC
    VALUES ('search_path', 'pg_catalog, pg_temp'), ('standard_conforming_strings', 'on'), ('array_nulls', 'on'),
           ('transform_null_equals', 'off'), ('xmloption', 'content'), ('IntervalStyle', 'postgres'),
           ('lc_monetary', 'C');
END;
COMMENT ON FUNCTION definition_settings() IS
'the settings with which a script reads definitions';

-- Sets them, for a transaction or a session, and keeps the former ones, also if it is called twice: as = and the value,
-- because a setting that is not there has the value ''.
CREATE OR REPLACE FUNCTION set_definition_settings(for_transaction boolean) RETURNS void
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    SELECT set_config('uuidx_migrate.' || s.name,
                      coalesce(nullif(current_setting('uuidx_migrate.' || s.name, true), ''),
                               '=' || current_setting(s.name)), for_transaction),
           set_config(s.name, s.value, for_transaction)
    FROM definition_settings() AS s;
END;
COMMENT ON FUNCTION set_definition_settings(boolean) IS
'sets, for the transaction or else the session, the settings with which definitions are read, '
'and keeps the former ones';

-- Sets those that set_definition_settings has kept: none, in a session with which a script goes on.
CREATE OR REPLACE FUNCTION reset_definition_settings(for_transaction boolean) RETURNS void
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    SELECT set_config(s.name, substr(current_setting('uuidx_migrate.' || s.name), 2), for_transaction),
           set_config('uuidx_migrate.' || s.name, '', for_transaction)
    FROM definition_settings() AS s
    WHERE current_setting('uuidx_migrate.' || s.name, true) <> '';
END;
COMMENT ON FUNCTION reset_definition_settings(boolean) IS
'sets again what set_definition_settings has kept';
