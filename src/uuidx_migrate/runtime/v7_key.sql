-- A key that becomes one of version 7.

CREATE OR REPLACE FUNCTION v7_key(key uuid, created timestamptz, without_time text, future text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_key'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION v7_key(uuid, timestamptz, text, text) IS
'version 7 key for another key and the time at which its row was created; a version 7 key itself';

CREATE OR REPLACE FUNCTION pending_key(key uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_pending_key'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pending_key(uuid) IS
'what the shadow of a reference holds while there is no such key: the key itself; '
'NULL for a version 7 key, which is its own shadow';

CREATE OR REPLACE FUNCTION fill_key() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill_key'
LANGUAGE C;
COMMENT ON FUNCTION fill_key() IS
'trigger before INSERT or UPDATE that fills the shadow of a key that becomes one of version 7';
