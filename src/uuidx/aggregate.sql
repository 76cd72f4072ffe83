-- The aggregates min(uuid) and max(uuid), which PostgreSQL has from version 20 on. With a sort operator, an index can
-- answer them.

CREATE OR REPLACE FUNCTION uuid_smaller(uuid, uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_smaller'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_smaller(uuid, uuid) IS
'smaller of two';

CREATE OR REPLACE FUNCTION uuid_larger(uuid, uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_larger'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_larger(uuid, uuid) IS
'larger of two';

CREATE OR REPLACE AGGREGATE min(uuid) (
    SFUNC = uuid_smaller, STYPE = uuid, COMBINEFUNC = uuid_smaller, SORTOP = <, PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(uuid) IS
'smallest of all non-null input values';

CREATE OR REPLACE AGGREGATE max(uuid) (
    SFUNC = uuid_larger, STYPE = uuid, COMBINEFUNC = uuid_larger, SORTOP = >, PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(uuid) IS
'largest of all non-null input values';
