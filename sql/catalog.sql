-- The SQL interface: names, types, volatility, strictness and parallel safety of all functions.
SELECT format('%s(%s)', proname, oidvectortypes(proargtypes)) AS function,
       pg_get_function_result(p.oid) AS returns,
       CASE provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END AS volatility,
       proisstrict AS strict,
       proparallel = 's' AS parallel_safe,
       obj_description(p.oid, 'pg_proc') IS NOT NULL AS has_comment
FROM pg_proc AS p
JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'uuidx'
ORDER BY proname COLLATE "C", oidvectortypes(proargtypes) COLLATE "C";

-- NULL in, NULL out
SELECT uuid_version(NULL), uuid_variant(NULL), public.uuid_extract_timestamp(NULL), uuid_time(NULL),
       uuid_v7_timestamp_us(NULL), uuid_extract_clock_seq(NULL), uuid_extract_node(NULL),
       uuid_v1_to_v6(NULL), uuid_v6_to_v1(NULL), uuid_generate_v8(NULL::bytea),
       uuid_generate_v8(NULL, 'name'), uuid_generate_v8(uuid_max(), NULL),
       uuid_generate_v7(NULL), uuid_generate_v7_at(NULL), uuid_generate_v6_at(NULL);
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
