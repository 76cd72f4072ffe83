-- Guard the keys of a table.

CREATE OR REPLACE FUNCTION uuid_guard() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_guard'
LANGUAGE C STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_guard() IS
'trigger before INSERT or UPDATE that refuses keys that are not of version 7 or are too far in the future; '
'its arguments are the column and an interval';
