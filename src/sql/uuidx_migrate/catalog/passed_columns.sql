-- What a view does with keys whose type changes.

-- The columns of a view that are columns of relations: those of `relations`, each with its number in `columns`. NULL if
-- the view does more with one of them than return it, compare it with another of them, count it, test it for NULL, and
-- group or sort by it: then it cannot have another type.
CREATE OR REPLACE FUNCTION passed_columns(view regclass, relations oid[], columns smallint[]) RETURNS smallint[]
AS 'MODULE_PATHNAME', 'uuidx_passed_columns'
LANGUAGE C STABLE STRICT;
