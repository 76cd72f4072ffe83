-- What holds for all functions of all five extensions
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE SCHEMA ossp;
CREATE EXTENSION uuidx_ossp SCHEMA ossp;
CREATE EXTENSION uuidx_pg_uuidv7;
CREATE SCHEMA pg18;
CREATE EXTENSION uuidx_pg18 SCHEMA pg18;
RESET client_min_messages;
CREATE VIEW members AS
SELECT e.extname AS extension, p.oid::regprocedure AS function, p.*
FROM pg_proc AS p
JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid;
SELECT function AS without_comment FROM members
WHERE extension LIKE 'uuidx%' AND pronamespace <> to_regnamespace('uuidx_migrate_steps') AND obj_description(oid, 'pg_proc') IS NULL;
SELECT function AS not_strict FROM members
WHERE extension LIKE 'uuidx%' AND extension <> 'uuidx_migrate' AND NOT proisstrict AND prokind <> 'a'
ORDER BY function::text COLLATE "C";
SELECT function AS not_parallel_safe FROM members
WHERE extension LIKE 'uuidx%' AND extension <> 'uuidx_migrate' AND proparallel <> 's'
ORDER BY function::text COLLATE "C";
-- A VOLATILE function in SQL or PL/pgSQL begins new commands, which a parallel query may not.
SELECT function AS begins_commands FROM members
WHERE extension LIKE 'uuidx%' AND provolatile = 'v' AND proparallel <> 'u'
  AND prolang IN (SELECT oid FROM pg_language WHERE lanname IN ('sql', 'plpgsql'))
ORDER BY function::text COLLATE "C";
SELECT extension, CASE provolatile WHEN 's' THEN 'stable' ELSE 'volatile' END AS volatility, function FROM members
WHERE extension LIKE 'uuidx%' AND extension <> 'uuidx_migrate' AND provolatile <> 'i'
ORDER BY extension, function::text COLLATE "C";
SELECT replace(function::text, 'public.', '') AS leakproof FROM members WHERE extension LIKE 'uuidx%' AND proleakproof ORDER BY function::text COLLATE "C";
SELECT function AS verb FROM members WHERE extension = 'uuidx_migrate' AND pronamespace <> 'uuidx_migrate_steps'::regnamespace
ORDER BY function::text COLLATE "C";
SELECT replace(function::text, 'public.', '') AS function, prosupport FROM members WHERE extension LIKE 'uuidx%' AND prosupport <> 0 ORDER BY function::text COLLATE "C";

-- uuidx has no table but the marks of the order, and no function of a migration; uuid_guard is its only trigger function.
SELECT pg_describe_object(classid, objid, 0) AS member
FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'uuidx' AND d.deptype = 'e'
WHERE classid NOT IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass, 'pg_opfamily'::regclass)
ORDER BY objid;
SELECT function FROM members WHERE extension = 'uuidx' AND (prorettype = 'trigger'::regtype OR proname ~ 'migrat|default|extension');
SELECT uuid_guard();
\echo :LAST_ERROR_SQLSTATE

-- What PostgreSQL 18 has is declared as there.
SELECT function, prorettype::regtype AS returns, provolatile AS volatility, proargnames AS arguments FROM members
WHERE extension = 'uuidx_pg18' ORDER BY function::text COLLATE "C";
SELECT uuid_version(pg18.uuidv4()) AS v4, uuid_version(pg18.uuidv7()) AS v7,
       uuid_time(pg18.uuidv7('-1 day')) BETWEEN now() - interval '25 hours' AND now() - interval '23 hours' AS shifted,
       pg18.uuid_extract_version('1ec9414c-232a-6b00-b3c8-9f6bdeced846') AS version,
       pg18.uuid_extract_version('ffffffff-ffff-ffff-ffff-ffffffffffff') IS NULL AS no_version;
DROP VIEW members;
DROP EXTENSION uuidx_ossp, uuidx_pg_uuidv7, uuidx_pg18;
DROP SCHEMA ossp, pg18;

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
SELECT num_nonnulls(uuid_version(NULL), uuid_is_v6(NULL), uuid_is_v7(NULL), uuid_variant(NULL), public.uuid_extract_timestamp(NULL), uuid_time(NULL),
       uuid_v7_time_us(NULL), uuid_extract_clock_seq(NULL), uuid_extract_node(NULL), uuid_v7_node_id(NULL),
       uuid_v1_to_v6(NULL), uuid_v6_to_v1(NULL), uuid_generate_v8(NULL::bytea),
       uuid_generate_v8(NULL, 'name'), uuid_generate_v8(uuid_max(), NULL),
       uuid_generate_v7(NULL), uuid_generate_v7_at(NULL), uuid_generate_v6_at(NULL)) AS not_null;
SELECT num_nonnulls(uuid_v7_from(NULL), uuid_v7_after(NULL), uuid_v6_from(NULL), uuid_v6_after(NULL), uuid_v7_lower(NULL),
       uuid_v7_upper(NULL), uuid_v6_lower(NULL), uuid_v6_upper(NULL), uuid_v7_in(NULL, NULL), uuid_v6_in(NULL, NULL),
       uuid_v7_of(NULL, uuid_max()), uuid_v7_of(now(), NULL), uuid_v7_of_name(now(), NULL),
       uuid_time_from(NULL), uuid_time_after(NULL), uuid_time_cmp(NULL, uuid_max()),
       uuid_max() <~ NULL) AS not_null;
SELECT * FROM uuid_inspect(NULL);

-- A role that is no superuser and may create in the database installs it, wherever it likes; the
-- functions do not depend on search_path.
BEGIN;
DROP EXTENSION uuidx_migrate, uuidx;
CREATE ROLE regress_uuidx_owner;
CREATE SCHEMA regress_uuidx AUTHORIZATION regress_uuidx_owner;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_uuidx_owner', current_database()) \gexec
SET ROLE regress_uuidx_owner;
CREATE EXTENSION uuidx SCHEMA regress_uuidx;
CREATE EXTENSION uuidx_migrate;
SET search_path = '';
SELECT regress_uuidx.uuid_time(regress_uuidx.uuid_v1_to_v6('c232ab00-9414-11ec-b3c8-9f6bdeced846'))
     = '2022-02-22 19:22:22+00' AS works;
SELECT version, created = '2022-02-22 19:22:22+00' AS created_matches
FROM regress_uuidx.uuid_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
SELECT regress_uuidx.uuid_v7_in('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '[2022-02-22,2022-02-23)') AS v7_in,
       regress_uuidx.uuid_v6_in('1ec9414c-232a-6b00-b3c8-9f6bdeced846', '[2022-02-22,2022-02-23)') AS v6_in,
       regress_uuidx.uuid_v7_from('2022-02-22 19:22:22+00') AS v7_from,
       regress_uuidx.uuid_time_from('2022-02-22') OPERATOR(regress_uuidx.<~) 'c232ab00-9414-11ec-b3c8-9f6bdeced846' AS before;
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
