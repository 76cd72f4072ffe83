-- What an object does with keys whose type changes.

-- Of an object that only passes on columns of relations (those of `relations`, each with its number in `columns`): the
-- columns of a view that they are, and none for other objects. NULL if it does more with one of them than return it, as
-- a view may, compare it with another of them, count it, test it for NULL, and group or sort by it: then it cannot have
-- another type. Only a view, policy or function may compare them by their order.
CREATE OR REPLACE FUNCTION passed_columns(classid oid, objid oid, relations oid[], columns smallint[])
RETURNS smallint[]
AS 'MODULE_PATHNAME', 'uuidx_passed_columns'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- The columns of tables that an object compares with these by = or <>, also through views, and that are none of them.
CREATE OR REPLACE FUNCTION compared_columns(
    classid oid, objid oid, relations oid[], columns smallint[], OUT relation regclass, OUT attnum smallint
) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'uuidx_compared_columns'
LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 2;
