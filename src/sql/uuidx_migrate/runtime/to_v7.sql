-- A key that becomes one of version 7.

CREATE OR REPLACE FUNCTION v7_key(key uuid, created timestamptz, without_time text, future text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_key'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION v7_key(uuid, timestamptz, text, text) IS
'version 7 key for another key and the time at which its row was created; a version 7 key itself';

CREATE OR REPLACE FUNCTION fill_key() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill_key'
LANGUAGE C;
COMMENT ON FUNCTION fill_key() IS
'trigger before INSERT or UPDATE that fills the shadow of a key that becomes one of version 7';
