-- What the default of a column is.

CREATE OR REPLACE FUNCTION default_of(relation oid, attnum smallint) RETURNS column_default
AS 'MODULE_PATHNAME', 'uuidx_default_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp;
