-- The SQL interface: names, types, volatility, strictness and parallel safety of all functions.
SELECT format('%s(%s)', proname, oidvectortypes(proargtypes)) AS function,
       pg_get_function_result(p.oid) AS returns,
       CASE provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END AS volatility,
       proisstrict AS strict,
       proparallel = 's' AS parallel_safe,
       proleakproof AS leakproof,
       nullif(prosupport, 0)::regproc AS support,
       obj_description(p.oid, 'pg_proc') IS NOT NULL AS has_comment
FROM pg_proc AS p
JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'uuidx'
ORDER BY proname COLLATE "C", oidvectortypes(proargtypes) COLLATE "C";

-- The operators, each with its commutator and negator
SELECT o.oid::regoperator AS operator, oprresult::regtype AS returns, oprcom::regoperator AS commutator,
       oprnegate::regoperator AS negator, oprrest AS restrict, oprjoin AS join,
       obj_description(o.oid, 'pg_operator') IS NOT NULL AS has_comment
FROM pg_operator AS o
JOIN pg_depend AS d ON d.classid = 'pg_operator'::regclass AND d.objid = o.oid AND d.deptype = 'e'
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'uuidx'
ORDER BY oprname COLLATE "C", oprleft::regtype::text COLLATE "C" DESC, oprright::regtype::text COLLATE "C" DESC;

-- The operator class
SELECT amopstrategy AS strategy, amopopr::regoperator AS operator
FROM pg_amop JOIN pg_opfamily AS f ON f.oid = amopfamily WHERE opfname = 'uuid_time_ops' ORDER BY 1;
SELECT amprocnum AS number, amproc::regprocedure AS function
FROM pg_amproc JOIN pg_opfamily AS f ON f.oid = amprocfamily WHERE opfname = 'uuid_time_ops' ORDER BY 1;

-- NULL in, NULL out
SELECT uuid_version(NULL), uuid_variant(NULL), public.uuid_extract_timestamp(NULL), uuid_time(NULL),
       uuid_v7_timestamp_us(NULL), uuid_extract_clock_seq(NULL), uuid_extract_node(NULL),
       uuid_v1_to_v6(NULL), uuid_v6_to_v1(NULL), uuid_generate_v8(NULL::bytea),
       uuid_generate_v8(NULL, 'name'), uuid_generate_v8(uuid_max(), NULL),
       uuid_generate_v7(NULL), uuid_generate_v7_at(NULL), uuid_generate_v6_at(NULL);
SELECT uuid_v7_floor(NULL::timestamptz), uuid_v7_ceil(NULL::timestamptz), uuid_v6_floor(NULL::timestamptz),
       uuid_v6_ceil(NULL::timestamptz), uuid_v7_floor(NULL::tstzrange), uuid_v7_ceil(NULL::tstzrange),
       uuid_v6_floor(NULL::tstzrange), uuid_v6_ceil(NULL::tstzrange), uuid_v7_in(NULL, NULL), uuid_v6_in(NULL, NULL),
       uuid_time_from(NULL), uuid_time_after(NULL), uuid_time_cmp(NULL, uuid_max()),
       uuid_max() <~ NULL::uuid AS lt, NULL::timestamptz <~ uuid_max() AS lt_moment;
SELECT * FROM uuid_inspect(NULL);

-- A role that is no superuser and may create in the database installs it, wherever it likes; the
-- functions do not depend on search_path.
BEGIN;
DROP EXTENSION uuidx;
CREATE ROLE regress_uuidx_owner;
CREATE SCHEMA regress_uuidx AUTHORIZATION regress_uuidx_owner;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_uuidx_owner', current_database()) \gexec
SET ROLE regress_uuidx_owner;
CREATE EXTENSION uuidx SCHEMA regress_uuidx;
SET search_path = '';
SELECT regress_uuidx.uuid_time(regress_uuidx.uuid_v1_to_v6('c232ab00-9414-11ec-b3c8-9f6bdeced846'))
     = '2022-02-22 19:22:22+00' AS works;
SELECT version, created = '2022-02-22 19:22:22+00' AS created_matches
FROM regress_uuidx.uuid_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
SELECT regress_uuidx.uuid_v7_in('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '[2022-02-22,2022-02-23)') AS v7_in,
       regress_uuidx.uuid_v6_in('1ec9414c-232a-6b00-b3c8-9f6bdeced846', '[2022-02-22,2022-02-23)') AS v6_in,
       regress_uuidx.uuid_v7_floor('2022-02-22 19:22:22+00') AS v7_floor,
       timestamptz '2022-02-22' OPERATOR(regress_uuidx.<~) uuid 'c232ab00-9414-11ec-b3c8-9f6bdeced846' AS before;
SELECT regress_uuidx.uuid_version(regress_uuidx.uuid_generate_v7());
ROLLBACK;

-- It moves to another schema.
BEGIN;
CREATE SCHEMA regress_uuidx;
CREATE TABLE regress_uuidx.t (id uuid DEFAULT uuid_generate_v7(), n int);
ALTER EXTENSION uuidx SET SCHEMA regress_uuidx;
SET search_path = pg_catalog;
INSERT INTO regress_uuidx.t (n) VALUES (1);
SELECT regress_uuidx.uuid_version(id), n FROM regress_uuidx.t;
ROLLBACK;
