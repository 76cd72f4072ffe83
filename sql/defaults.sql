-- Defaults from one generator to another
\set VERBOSITY default
\pset format wrapped
\pset columns 200
\set ECHO none \i sql/include/errors.sql \set ECHO all
CREATE SCHEMA shop;
CREATE SCHEMA "an other";
CREATE FUNCTION shop.make_key() RETURNS uuid LANGUAGE sql VOLATILE RETURN gen_random_uuid();
CREATE DOMAIN shop.key AS uuid DEFAULT shop.make_key();
CREATE TABLE shop.orders (
    id uuid PRIMARY KEY DEFAULT shop.make_key(),
    token text DEFAULT 'shop.make_key() ' || replace(CAST(shop.make_key() AS text), '-', '') || coalesce(shop.make_key()::text, ''),
    replaces uuid DEFAULT uuid_max(),
    other uuid
);
CREATE TABLE "an other"."Table" ("Id" uuid DEFAULT shop.make_key(), key shop.key) PARTITION BY HASH ("Id");
CREATE TABLE "an other".one PARTITION OF "an other"."Table" FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE "an other".two PARTITION OF "an other"."Table" FOR VALUES WITH (MODULUS 2, REMAINDER 1);
ALTER TABLE "an other".two ALTER "Id" SET DEFAULT uuid_generate_v6();
CREATE TEMP TABLE passing (id uuid DEFAULT shop.make_key());
CREATE VIEW shop.open_orders AS SELECT id, token, shop.make_key() AS fresh FROM shop.orders;
ALTER VIEW shop.open_orders ALTER id SET DEFAULT shop.make_key();

-- What is to change, and what is not a default
SELECT object, old_default FROM uuidx_migrate.default_plan('shop.make_key()', 'uuid_generate_v7()');
SELECT object, new_default FROM uuidx_migrate.default_plan('shop.make_key()', 'uuid_generate_v7()') WHERE obstacle IS NULL;
SELECT coalesce(statement, obstacle) AS what FROM uuidx_migrate.default_plan('shop.make_key()', 'uuid_generate_v7()');

-- A default means the same, whatever style a session writes values in.
CREATE TABLE shop.dated (id uuid DEFAULT CASE WHEN now() > timestamptz '2020-01-02 00:00 Asia/Kolkata' THEN shop.make_key() END);
SET datestyle = 'SQL, DMY';
SET timezone = 'Asia/Kolkata';
SELECT new_default FROM uuidx_migrate.default_plan('shop.make_key()', 'uuid_generate_v7()') WHERE relation = 'shop.dated'::regclass;
RESET datestyle;
RESET timezone;
DROP TABLE shop.dated;
CREATE FUNCTION shop.make_tag() RETURNS uuid LANGUAGE sql VOLATILE RETURN uuid_generate_v7();
CREATE TABLE shop.tagged (tags text[] DEFAULT '{tea,NULL}'::text[] || shop.make_tag()::text);
SET array_nulls = off;
SELECT count(*) FROM uuidx_migrate.change_defaults('shop.make_tag()', 'uuid_max()');
SHOW array_nulls;
RESET array_nulls;
INSERT INTO shop.tagged DEFAULT VALUES RETURNING tags, tags[2] IS NULL AS is_null;
DROP TABLE shop.tagged;
DROP FUNCTION shop.make_tag();

-- A role changes what belongs to it.
CREATE ROLE regress_uuidx_owner;
ALTER TABLE "an other"."Table" OWNER TO regress_uuidx_owner;
GRANT USAGE ON SCHEMA "an other", shop TO regress_uuidx_owner;
SET ROLE regress_uuidx_owner;
SELECT object, statement IS NULL AS skipped, replace(obstacle, session_user, 'superuser') AS obstacle
FROM uuidx_migrate.default_plan('shop.make_key()', 'uuid_generate_v7()') WHERE new_default IS NOT NULL;
SELECT * FROM uuidx_migrate.change_defaults('shop.make_key()', 'uuid_generate_v7()');
RESET ROLE;
SELECT count(*) FROM uuidx_migrate.default_plan('shop.make_key()', 'uuid_generate_v7()');

-- Changed, and then nothing is left to change.
SELECT * FROM uuidx_migrate.change_defaults('shop.make_key()', 'uuid_generate_v7()');
SELECT * FROM uuidx_migrate.change_defaults('shop.make_key()', 'uuid_generate_v7()');
SELECT object, obstacle FROM uuidx_migrate.default_plan('shop.make_key()', 'uuid_generate_v7()');
SELECT attrelid::regclass, attname, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON (attrelid, attnum) = (adrelid, adnum)
WHERE attrelid IN ('shop.orders'::regclass, 'shop.open_orders'::regclass, 'passing'::regclass, '"an other"."Table"'::regclass,
                   '"an other".one'::regclass, '"an other".two'::regclass) ORDER BY attrelid::regclass::text COLLATE "C", attnum;
INSERT INTO shop.orders (other) VALUES (NULL) RETURNING uuid_version(id), token ~ '^shop.make_key\(\) [0-9a-f]{12}7[0-9a-f]{19}' AS token;
INSERT INTO "an other"."Table" DEFAULT VALUES RETURNING uuid_version("Id"), uuid_version(key);

-- Back, by the statements themselves
SELECT statement FROM uuidx_migrate.default_plan('uuid_generate_v7()', 'gen_random_uuid()') \gexec
SELECT object, new_default FROM uuidx_migrate.default_plan('gen_random_uuid()', 'public.uuid_generate_v7()') WHERE obstacle IS NULL;

-- Functions that do not fit
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.default_plan('gen_random_uuid()', 'uuid_generate_v7(interval)')$$,
    $$SELECT * FROM uuidx_migrate.change_defaults('gen_random_uuid()', 'uuid_variant(uuid)')$$,
    $$SELECT * FROM uuidx_migrate.default_plan('gen_random_uuid()', 'uuid_generate_v7_batch(integer)')$$,
    $$SELECT * FROM uuidx_migrate.default_plan('gen_random_uuid()', 'uuid_generate_v5()')$$);
SELECT count(*) FROM uuidx_migrate.default_plan('gen_random_uuid()', NULL);

SELECT * FROM uuidx_migrate.default_plan('gen_random_uuid()', 999999::regprocedure);
CREATE FUNCTION shop.several() RETURNS SETOF uuid LANGUAGE sql RETURN uuid_max();
CREATE FUNCTION shop.of_texts(text[]) RETURNS uuid LANGUAGE sql RETURN uuid_max();
CREATE FUNCTION shop.of_many_texts(VARIADIC text[]) RETURNS uuid LANGUAGE sql RETURN uuid_max();
CREATE AGGREGATE shop.of_rows(int) (SFUNC = int4pl, STYPE = int);
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.default_plan('gen_random_uuid()', 'shop.several()')$$,
    $$SELECT * FROM uuidx_migrate.default_plan('shop.of_many_texts(text[])', 'shop.of_texts(text[])')$$,
    $$SELECT * FROM uuidx_migrate.default_plan('abs(int)', 'shop.of_rows(int)')$$);

-- A cast that is a function
CREATE TYPE shop.number AS (n int);
CREATE FUNCTION shop.number(int) RETURNS shop.number LANGUAGE sql IMMUTABLE RETURN ROW($1)::shop.number;
CREATE FUNCTION shop.other_number(int) RETURNS shop.number LANGUAGE sql IMMUTABLE RETURN ROW(-$1)::shop.number;
CREATE CAST (int AS shop.number) WITH FUNCTION shop.number(int) AS ASSIGNMENT;
CREATE TABLE shop.numbers (n shop.number DEFAULT 5);
SELECT uuidx_migrate.change_defaults('shop.number(int)', 'shop.other_number(int)');
INSERT INTO shop.numbers DEFAULT VALUES RETURNING n;

-- SET DEFAULT runs the CHECK constraints of domains in the types of constants.
CREATE ROLE regress_uuidx_mallory;
CREATE ROLE regress_uuidx_helper IN ROLE regress_uuidx_mallory;
CREATE SCHEMA planted AUTHORIZATION regress_uuidx_mallory;
SET ROLE regress_uuidx_mallory;
CREATE FUNCTION planted.heard(text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'regress_uuidx_mallory' THEN RAISE NOTICE 'a superuser or helper has run code of mallory'; END IF;
    RETURN true;
END $$;
CREATE DOMAIN planted.word AS text CHECK (planted.heard(value));
CREATE TYPE planted.pair AS (word planted.word);
CREATE TYPE planted.span AS RANGE (subtype = planted.word);
CREATE DOMAIN planted.pairs AS planted.pair[];
CREATE DOMAIN planted.label AS text DEFAULT ('(x)'::planted.pair)::text || gen_random_uuid();
CREATE DOMAIN planted.id AS uuid;
CREATE TABLE planted.orders (
    id uuid DEFAULT gen_random_uuid(),
    composite text DEFAULT ('(x)'::planted.pair)::text || gen_random_uuid(),
    of_array text DEFAULT ('{x}'::planted.word[])::text || gen_random_uuid(),
    of_range text DEFAULT ('[x,y]'::planted.span)::text || gen_random_uuid(),
    of_domain text DEFAULT ('{(x)}'::planted.pairs)::text || gen_random_uuid(),
    of_pg_catalog text DEFAULT ('{1}'::int[])::text || gen_random_uuid(),
    of_mine planted.id DEFAULT gen_random_uuid()
);
CREATE TYPE planted.twin AS (word planted.word);
RESET ROLE;
SET client_min_messages = warning;
CREATE TABLE shop.labels (
    label text DEFAULT ('(x)'::planted.twin)::text || gen_random_uuid(),
    by_superuser text DEFAULT ('(1)'::shop.number)::text || gen_random_uuid()
);
RESET client_min_messages;
-- Not as a superuser, nor as a role that has the rights of the owner
SELECT object, coalesce(statement, 'no: ' || obstacle) AS what FROM uuidx_migrate.default_plan('gen_random_uuid()', 'uuid_generate_v7()') WHERE object ~ 'planted|labels';
SELECT * FROM uuidx_migrate.change_defaults('gen_random_uuid()', 'uuid_generate_v7()') AS c WHERE c ~ 'planted|labels';
SET ROLE regress_uuidx_helper;
SELECT * FROM uuidx_migrate.change_defaults('uuid_generate_v7()', 'gen_random_uuid()') AS c WHERE c ~ 'planted|labels';
SELECT * FROM uuidx_migrate.change_defaults('gen_random_uuid()', 'uuid_generate_v7()') AS c WHERE c ~ 'planted|labels';
-- The owner changes all of it.
SET ROLE regress_uuidx_mallory;
SELECT object, replace(obstacle, session_user, 'superuser') AS obstacle
FROM uuidx_migrate.default_plan('gen_random_uuid()', 'uuid_generate_v7()') WHERE obstacle IS NOT NULL;
SELECT * FROM uuidx_migrate.change_defaults('gen_random_uuid()', 'uuid_generate_v7()');
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA planted CASCADE;
RESET client_min_messages;

-- Nor what another role could have a default call in the place of what its text names
CREATE ROLE regress_uuidx_lender;
CREATE SCHEMA lent AUTHORIZATION regress_uuidx_lender;
CREATE SCHEMA shared;
CREATE FUNCTION lent.make() RETURNS uuid LANGUAGE sql RETURN uuid_max();
CREATE FUNCTION shared.make() RETURNS uuid LANGUAGE sql RETURN uuid_max();
CREATE FUNCTION shared.same(anyelement) RETURNS anyelement LANGUAGE sql AS 'SELECT $1';
CREATE TABLE shop.same (id uuid DEFAULT shared.same(shop.make_key()));
CREATE TABLE lent.same (id uuid DEFAULT shop.make_key());
ALTER TABLE lent.same OWNER TO regress_uuidx_lender;
SELECT relation, new_default, obstacle FROM uuidx_migrate.default_plan('shop.make_key()', 'shared.make()') WHERE relation::text ~ 'same';
GRANT CREATE ON SCHEMA shared TO regress_uuidx_lender;
SELECT relation, new_default, obstacle FROM uuidx_migrate.default_plan('shop.make_key()', 'shared.make()') WHERE relation::text ~ 'same';
SELECT relation, new_default, obstacle FROM uuidx_migrate.default_plan('shop.make_key()', 'lent.make()') WHERE relation::text ~ 'same';
-- Nobody needs to fear himself: a role changes the default of another, of which it is a member, to a function of its own.
CREATE ROLE regress_uuidx_borrower;
GRANT regress_uuidx_borrower TO regress_uuidx_lender;
GRANT USAGE ON SCHEMA shop, lent TO regress_uuidx_borrower;
ALTER TABLE shop.same ALTER id SET DEFAULT shop.make_key();
ALTER TABLE shop.same OWNER TO regress_uuidx_borrower;
SET ROLE regress_uuidx_lender;
SELECT relation, new_default, obstacle FROM uuidx_migrate.default_plan('shop.make_key()', 'lent.make()') WHERE relation::text ~ 'same';
RESET ROLE;
DROP TABLE shop.same;
DROP SCHEMA lent, shared CASCADE;
REVOKE USAGE ON SCHEMA shop FROM regress_uuidx_borrower;
DROP ROLE regress_uuidx_lender, regress_uuidx_borrower;

-- Tables that Citus manages
BEGIN;
SET LOCAL allow_system_table_mods = on;
CREATE TABLE shop.distributed (n shop.number DEFAULT shop.other_number(5));
CREATE TABLE shop.distributed_102008 (n shop.number DEFAULT shop.other_number(5));
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass, partkey text);
INSERT INTO pg_catalog.pg_dist_partition VALUES ('shop.numbers', NULL), ('shop.distributed', 'n');
CREATE FUNCTION pg_catalog.column_to_column_name(regclass, text) RETURNS text STRICT LANGUAGE sql RETURN $2;
CREATE FUNCTION pg_catalog.relation_is_a_known_shard(regclass) RETURNS boolean STRICT LANGUAGE sql RETURN $1::text ~ '_102008$';
SELECT object, new_default, statement, obstacle FROM uuidx_migrate.default_plan('shop.other_number(int)', 'shop.number(int)');
SELECT count(*) FROM uuidx_migrate.change_defaults('shop.other_number(int)', 'shop.number(int)');
SELECT uuidx_migrate.find_references('shop.distributed_102008', 'n');
ROLLBACK;

-- From one extension to another: all functions of the same names
CREATE EXTENSION "uuid-ossp" SCHEMA shop;
CREATE EXTENSION uuidx_ossp;
CREATE TABLE shop.visits (
    id uuid DEFAULT shop.uuid_generate_v1mc(),
    page uuid DEFAULT shop.uuid_generate_v5(shop.uuid_ns_url(), 'https://example.com/'),
    url text,
    url_id uuid GENERATED ALWAYS AS (shop.uuid_generate_v5(shop.uuid_ns_url(), url)) STORED,
    CHECK (id <> shop.uuid_nil())
);
CREATE INDEX visits_uuid_generate_v3_idx ON shop.visits (shop.uuid_generate_v3(shop.uuid_ns_dns(), url));
CREATE VIEW shop.fresh AS SELECT shop.uuid_generate_v4();
SELECT relation, column_name, old_default, new_default FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp')
WHERE obstacle IS NULL;
SELECT object, coalesce(statement, obstacle) AS what FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp');
SELECT object, new_default, obstacle FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx');
SELECT * FROM uuidx_migrate.change_extension('uuid-ossp', 'uuidx_ossp');
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'shop.visits'::regclass ORDER BY adnum;
SELECT * FROM uuidx_migrate.extension_plan('uuidx', 'uuid_ossp');
\echo :LAST_ERROR_SQLSTATE

-- Privileges on the functions of the extension that goes
CREATE ROLE "regress_uuidx ""one""%s";
CREATE ROLE regress_uuidx_two;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
GRANT EXECUTE ON FUNCTION shop.uuid_generate_v1() TO "regress_uuidx ""one""%s", regress_uuidx_owner;
GRANT EXECUTE ON FUNCTION shop.uuid_generate_v5(uuid, text) TO regress_uuidx_owner WITH GRANT OPTION;
SET ROLE regress_uuidx_owner;
GRANT EXECUTE ON FUNCTION shop.uuid_generate_v5(uuid, text) TO regress_uuidx_two;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION shop.uuid_generate_v5(uuid, text), shop.uuid_nil() FROM PUBLIC;
SELECT object, coalesce(statement, 'no: ' || obstacle) AS what FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp') WHERE object LIKE 'function %';
CREATE SCHEMA lent AUTHORIZATION regress_uuidx_two;
ALTER EXTENSION uuidx_ossp SET SCHEMA lent;
SELECT DISTINCT obstacle FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp') WHERE object LIKE 'function %' ORDER BY 1;
ALTER EXTENSION uuidx_ossp SET SCHEMA public;
DROP SCHEMA lent;
-- Without a counterpart, what was granted is lost.
SELECT object, coalesce(statement, 'no: ' || obstacle) AS what FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx') WHERE object LIKE 'function %';
-- Only the owner of the counterpart can repeat it; a privilege of the owner is not repeated.
ALTER FUNCTION public.uuid_generate_v1() OWNER TO regress_uuidx_owner;
SET ROLE regress_uuidx_owner;
SELECT object, coalesce(statement, 'no: ' || obstacle) AS what FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp') WHERE object LIKE 'function %';
SELECT * FROM uuidx_migrate.change_extension('uuid-ossp', 'uuidx_ossp');
RESET ROLE;
SELECT * FROM uuidx_migrate.change_extension('uuid-ossp', 'uuidx_ossp');
SELECT object FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp') WHERE object LIKE 'function %';
SELECT p.oid::regprocedure, coalesce(r.rolname, 'PUBLIC') AS grantee, a.is_grantable
FROM pg_proc AS p, aclexplode(p.proacl) AS a LEFT JOIN pg_roles AS r ON r.oid = a.grantee
WHERE p.oid IN ('public.uuid_generate_v1()'::regprocedure, 'public.uuid_generate_v5(uuid,text)'::regprocedure, 'public.uuid_nil()'::regprocedure)
  AND a.grantee <> p.proowner
ORDER BY 1, 2;
-- What PUBLIC may do with the old function, it may do with the new one.
GRANT EXECUTE ON FUNCTION shop.uuid_nil() TO PUBLIC;
SELECT statement FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp') WHERE object LIKE 'function %';

-- Counterparts in more than one extension
SELECT object, coalesce(statement, 'no: ' || obstacle) AS what FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx', 'uuidx_ossp') WHERE object LIKE 'function %';
SELECT * FROM uuidx_migrate.change_extension('uuid-ossp', 'uuidx', 'uuidx_ossp');
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp', 'uuid_ossp')$$,
    $$SELECT * FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp', NULL)$$);
SELECT count(*) FROM uuidx_migrate.extension_plan(NULL, 'uuidx_ossp');

-- What an extension has for itself is no obstacle. Where a function has two counterparts, it has none.
SELECT count(*) FROM uuidx_migrate.extension_plan('uuidx', 'uuidx_ossp') WHERE object LIKE 'function public.%';
CREATE FUNCTION "an other".uuid_ns_url() RETURNS uuid LANGUAGE sql RETURN uuid_max();
ALTER EXTENSION uuidx_ossp ADD FUNCTION "an other".uuid_ns_url();
ALTER TABLE shop.visits ALTER page SET DEFAULT shop.uuid_ns_url();
ALTER TABLE shop.visits ALTER id SET DEFAULT shop.uuid_generate_v4();
SELECT object, new_default, obstacle FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp') WHERE object NOT LIKE 'index%';

-- The tables of an extension are its own.
ALTER TABLE shop.visits ALTER id SET DEFAULT shop.uuid_generate_v1();
ALTER EXTENSION uuidx_ossp ADD TABLE shop.visits;
SELECT object, coalesce(statement, 'no: ' || obstacle) AS what FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp') WHERE column_name = 'id';
ALTER EXTENSION uuidx_ossp DROP TABLE shop.visits;

SET client_min_messages = warning;
DROP EXTENSION uuidx_ossp;
DROP SCHEMA shop, "an other" CASCADE;
DROP TABLE passing;
DROP ROLE regress_uuidx_owner, regress_uuidx_mallory, regress_uuidx_helper, regress_uuidx_two, "regress_uuidx ""one""%s";
