-- What the planner makes of predicates on the creation time, beside the bounds in query.sql and time_order.sql.

-- Casts raise an error where a comparison does not: for 5874897-12-31.

CREATE OR REPLACE FUNCTION uuid_timestamptz(date) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_timestamptz_of_date'
LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_timestamptz(date) IS
'start of a day; infinity if it is too late for a timestamptz';

CREATE OR REPLACE FUNCTION uuid_timestamptz(timestamp) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_timestamptz_of_timestamp'
LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_timestamptz(timestamp) IS
'moment of a timestamp; infinity if it is too late for a timestamptz';

CREATE OR REPLACE FUNCTION uuid_time_bound(regoperator, VARIADIC "any") RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_time_bound'
LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_bound(regoperator, VARIADIC "any") IS
'first or last moment at which a function of the time can compare so with a value';

CREATE OR REPLACE FUNCTION uuid_time_bounds_are_exact(regoperator, VARIADIC "any") RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_bounds_are_exact'
LANGUAGE C STABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_bounds_are_exact(regoperator, VARIADIC "any") IS
'whether the function of the time compares so with a value at all moments within these bounds';

CREATE OR REPLACE FUNCTION uuid_v1_or_v7_recheck(uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_v1_or_v7_recheck'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT uuid_is_version_support;
COMMENT ON FUNCTION uuid_v1_or_v7_recheck(uuid) IS
'whether PostgreSQL''s own uuid_extract_timestamp reads a UUID that has a time';

-- Carries a predicate on a partitioned table or a UNION ALL to each partition or branch, for which the planner decides
-- anew what serves it. No plan calls it.

CREATE OR REPLACE FUNCTION uuid_time_predicate_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'uuidx_time_predicate_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_predicate_support(internal) IS
'planner support for uuid_time_predicate: the predicate, or comparisons that an index can serve';

CREATE OR REPLACE FUNCTION uuid_time_predicate(boolean) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_predicate'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT uuid_time_predicate_support;
COMMENT ON FUNCTION uuid_time_predicate(boolean) IS
'its argument: a predicate on the creation time, while a query is planned';

CREATE OR REPLACE FUNCTION uuid_explain(
    relation regclass, OUT column_name text, OUT versions text, OUT proven_by text, OUT conditions text, OUT sorts text,
    OUT joins text, OUT hint text
) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'uuidx_explain'
LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 5;
COMMENT ON FUNCTION uuid_explain(regclass) IS
'what the planner knows of the creation times in a table: for each uuid column, its versions and what proves them, '
'the indexes that serve conditions, sorts and joins by period, and what is missing';
