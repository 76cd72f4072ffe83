-- A text that becomes the UUID that it stands for, and a UUID that becomes a text.

CREATE OR REPLACE FUNCTION text_to_uuid(value text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_text_to_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION text_to_uuid(text) IS
'UUID that a text stands for: hexadecimal digits in any way that the type uuid reads, or a ULID';

CREATE OR REPLACE FUNCTION uuid_to_text(id uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_uuid_to_text'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_to_text(uuid) IS
'canonical text of a UUID';

CREATE OR REPLACE FUNCTION key_of_text(value text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_key_of_text'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION key_of_text(text) IS
'UUID that a text stands for, if another one can be written in its place: hexadecimal digits or a ULID, in one case; '
'else NULL';

CREATE OR REPLACE FUNCTION text_with_key(value text, key uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_text_with_key'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION text_with_key(text, uuid) IS
'a text with a UUID in the place of its own; the text itself if either is missing';

CREATE OR REPLACE FUNCTION is_spelled_like(a text, b text) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_is_spelled_like'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION is_spelled_like(text, text) IS
'whether two texts are the same, or stand for UUIDs and are written in the same way';

CREATE OR REPLACE FUNCTION fill_text() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill_text'
LANGUAGE C;
COMMENT ON FUNCTION fill_text() IS
'trigger before INSERT or UPDATE that fills the shadow of a column of texts with their UUIDs, '
'and that of a column of UUIDs with texts; its arguments are the column, the shadow column, '
'the conversion, and the size of texts for new UUIDs';
