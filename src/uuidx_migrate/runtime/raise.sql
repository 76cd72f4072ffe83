-- Mistakes in a call.

-- RAISE would show where in these functions the mistake was found.
CREATE OR REPLACE FUNCTION raise(sqlstate text, message text, detail text DEFAULT NULL, hint text DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_raise'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION raise(text, text, text, text) IS
'an error without context, for a mistake of the user';

-- Part of backfill_table and locked: an error when the user, or a timeout, ends a statement that they run, whose text
-- would be the context of the server's own.
CREATE OR REPLACE FUNCTION raise_canceled(message text) RETURNS void
LANGUAGE sql VOLATILE STRICT
RETURN raise('57014', message, hint => 'Nothing is lost: run the script again from the top. It skips what is done.');

-- An error unless a value is one of those to choose from.
CREATE OR REPLACE FUNCTION check_choice(argument text, value text, choices text[]) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF value = ANY (choices) IS NOT TRUE THEN
        PERFORM uuidx_migrate_steps.raise('22023', format('%s "%s" is none of: %s', argument,
                                                          coalesce(value, '<NULL>'), array_to_string(choices, ', ')));
    END IF;
END
$$;

-- An error unless a mode is one of those to choose from.
CREATE OR REPLACE FUNCTION check_mode(mode text, conversion text, choices text[]) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF mode = 'undo' THEN
        PERFORM uuidx_migrate_steps.raise('22023', 'an undo is no mode', NULL::text, coalesce(
            'Use conversion => '
            || quote_literal((uuidx_migrate_steps.conversion_named(conversion)).undo) || ', offline or online.',
            'Each conversion is undone by another one, such as v1_to_v6 by v6_to_v1.'));
    END IF;
    PERFORM uuidx_migrate_steps.check_choice('mode', mode, choices);
END
$$;
