-- The text of an expression over a row of a table.

-- Part of checks_shadow: whether a CHECK constraint has a condition.
CREATE OR REPLACE FUNCTION has_condition("constraint" oid, condition text) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_has_condition'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
