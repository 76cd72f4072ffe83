-- Mistakes in a call.

-- RAISE would show where in these functions the mistake was found.
CREATE OR REPLACE FUNCTION raise(sqlstate text, message text, detail text DEFAULT NULL, hint text DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_raise'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION raise(text, text, text, text) IS
'an error without context, for a mistake of the user';
