-- Values that are looked up by a key.

CREATE OR REPLACE FUNCTION lookup(map regclass, from_column name, to_column name, key uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_lookup'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lookup(regclass, name, name, uuid) IS
'value of a column in the row of a table in which another column is a key; the key itself if there is no such row';
