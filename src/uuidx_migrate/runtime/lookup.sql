-- Values that are looked up by a key.

CREATE OR REPLACE FUNCTION lookup(
    map regclass, from_column name, to_column name, key anycompatible, missing anyelement
) RETURNS anyelement
AS 'MODULE_PATHNAME', 'uuidx_lookup'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION lookup(regclass, name, name, anycompatible, anyelement) IS
'value of a column in the row of a table in which another column is a key; the last argument if there is no such row';
