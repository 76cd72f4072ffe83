-- What an expression or a query in the catalogs reads.

-- What the expressions of an object read. It is named as in pg_depend: an index as a relation. A fact is one of these:
--   column     a column, or the row as a whole with attnum 0; `transition` is old or new in a trigger, a rule or
--              RETURNING
--   null test  the same if it is asked only whether the column is null
--   position   a row whose columns have no names but are in the table's order, with attnum 0
--   function, operator   what is called; not by GROUP BY and ORDER BY
--   unnamed    one of these operators that the text does not name, as IS DISTINCT FROM does not
--   uuid       a constant, or a text that is one
CREATE OR REPLACE FUNCTION expression_facts(
    classid oid, objid oid,
    OUT fact text, OUT relation regclass, OUT attnum smallint, OUT transition text, OUT object oid, OUT value uuid
) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'uuidx_expression_facts'
LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 10;

-- Part of obstacles_of_versions: the versions for which a CHECK constraint is false, if a column has such a UUID.
CREATE OR REPLACE FUNCTION excluded_versions("constraint" oid, attnum smallint) RETURNS integer[]
AS 'MODULE_PATHNAME', 'uuidx_excluded_versions'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
