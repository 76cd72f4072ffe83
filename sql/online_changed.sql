-- Moving columns online: what has changed since a script was written, or since a shadow was built
\set ECHO none \i sql/include/online.sql \i sql/include/users.sql \set ECHO all
-- The cutover is refused before the shadow columns are known to be filled, and all that is on them is built.
CREATE TEMP TABLE script AS SELECT * FROM uuidx_migrate.script('users', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
SELECT sql AS cutover FROM script WHERE phase = 'cutover' \gset
\set ECHO none \o /dev/null
SELECT sql FROM script WHERE phase = 'shadow' ORDER BY step \gexec
\o \set ECHO all
\set ECHO none
\echo not filled
:cutover;
SELECT relation, o, h FROM uuidx_migrate.plan('users', 'id', 'online', 'v1_to_v6', other_values => 'keep', trust_owners => true) AS p, unnest(p.obstacles, p.hints) AS u (o, h);
\set VERBOSITY terse
\o /dev/null
SELECT sql FROM script WHERE phase IN ('fill', 'validate') ORDER BY step \gexec
\o
\echo nothing built
:cutover;
\o /dev/null
SELECT sql FROM script WHERE phase = 'index' AND sql !~ 'validate_constraint|REFRESH' ORDER BY step \gexec
\o
\echo not validated
:cutover;
\o /dev/null
SELECT sql FROM script WHERE phase = 'index' AND sql !~ 'REFRESH' ORDER BY step \gexec
\o
\echo a materialized view not filled
:cutover;
\o /dev/null
SELECT sql FROM script WHERE sql ~ 'REFRESH' AND phase = 'index' \gexec
\o
RESET ROLE;
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'by_text_shadow'::regclass;
SET ROLE regress_uuidx_owner;
\echo an index that is not valid
:cutover;
RESET ROLE;
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'by_text_shadow'::regclass;
SET ROLE regress_uuidx_owner;
-- What has changed since a script was written is neither lost nor left behind: the script refuses.
\echo a new index
CREATE INDEX newer ON users (name, id);
:cutover;
DROP INDEX newer;
\echo a new view
CREATE VIEW newer AS SELECT id FROM users;
:cutover;
DROP VIEW newer;
\echo another definition of an index
DROP INDEX by_text;
CREATE INDEX by_text ON users (name, (id::text));
:cutover;
DROP INDEX by_text;
CREATE INDEX by_text ON users ((id::text), name) WHERE id IS NOT NULL;
\echo another constraint
ALTER TABLE users DROP CONSTRAINT version, ADD CONSTRAINT version CHECK (uuid_variant(id) = 'rfc9562' AND id <> uuid_max());
:cutover;
ALTER TABLE users DROP CONSTRAINT version, ADD CONSTRAINT version CHECK (uuid_variant(id) = 'rfc9562');
COMMENT ON CONSTRAINT version ON users IS 'a constraint';
\echo a privilege
GRANT UPDATE (id) ON users TO PUBLIC;
:cutover;
REVOKE UPDATE (id) ON users FROM PUBLIC;
\echo a privilege of a shadow
GRANT UPDATE (id_shadow) ON users TO PUBLIC;
:cutover;
REVOKE UPDATE (id_shadow) ON users FROM PUBLIC;
\echo another comment in a materialized view
COMMENT ON COLUMN counts.id IS 'another';
:cutover;
COMMENT ON COLUMN counts.id IS 'a column';
\echo a function
CREATE OR REPLACE FUNCTION author(n int) RETURNS uuid LANGUAGE sql STABLE BEGIN ATOMIC SELECT u.id FROM users AS u JOIN posts AS p ON p.author = u.id WHERE p.n = author.n LIMIT 1; END;
:cutover;
CREATE OR REPLACE FUNCTION author(n int) RETURNS uuid LANGUAGE sql STABLE BEGIN ATOMIC SELECT u.id FROM users AS u JOIN posts AS p ON p.author = u.id WHERE p.n = author.n; END;
\echo nothing
:cutover;
\set ECHO all
\set VERBOSITY default
SELECT * FROM changes();
SELECT * FROM shadows;
DROP TABLE script, users, posts CASCADE;

-- What has changed after its shadow was built is not lost either: the shadow must go, and the next script builds it anew.
CREATE FUNCTION outdated(relation regclass) RETURNS SETOF text LANGUAGE sql AS $$
SELECT o || ': ' || h FROM uuidx_migrate.plan(relation, 'id', conversion => 'v1_to_v6', trust_owners => true) AS p, unnest(p.obstacles, p.hints) AS u (o, h) ORDER BY 1
$$;
CREATE TABLE changed (id uuid PRIMARY KEY, parent uuid CONSTRAINT of REFERENCES changed, n int, CONSTRAINT is_it CHECK (id <> v1(7)), CONSTRAINT gone CHECK (id <> v1(8)));
CREATE INDEX changed_n ON changed (n, id);
CREATE INDEX changed_where ON changed (n) WHERE id > v1(1);
CREATE INDEX changed_gone ON changed (parent);
CREATE STATISTICS changed_stat ON n, id FROM changed;
CREATE MATERIALIZED VIEW changed_view AS SELECT id FROM changed;
CREATE MATERIALIZED VIEW changed_gone_view AS SELECT id FROM changed;
INSERT INTO changed VALUES (v1(1), NULL, 1), (v1(2), v1(1), 2);
GRANT SELECT (id), UPDATE (id) ON changed TO pg_monitor;
COMMENT ON COLUMN changed.parent IS 'a parent';
ALTER TABLE changed ALTER id SET STATISTICS 10, ALTER id SET (n_distinct = -1, n_distinct_inherited = 5), ALTER parent SET STATISTICS 20;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('changed', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM outdated('changed');
DROP INDEX changed_n, changed_where, changed_gone;
CREATE INDEX changed_n ON changed (n, id DESC);
CREATE INDEX changed_where ON changed (n) WHERE id > v1(2);
ALTER TABLE changed DROP CONSTRAINT gone, DROP CONSTRAINT is_it, DROP CONSTRAINT of,
    ADD CONSTRAINT is_it CHECK (id <> v1(9)), ADD CONSTRAINT of FOREIGN KEY (parent) REFERENCES changed ON DELETE CASCADE;
DROP STATISTICS changed_stat;
CREATE STATISTICS changed_stat (ndistinct) ON n, id FROM changed;
DROP MATERIALIZED VIEW changed_view, changed_gone_view;
CREATE MATERIALIZED VIEW changed_view AS SELECT id, n FROM changed;
SELECT * FROM outdated('changed');
DROP INDEX changed_n_shadow, changed_where_shadow, changed_gone_shadow;
ALTER TABLE changed DROP CONSTRAINT of_shadow, DROP CONSTRAINT is_it_shadow, DROP CONSTRAINT gone_shadow;
DROP STATISTICS changed_stat_shadow;
DROP MATERIALIZED VIEW changed_gone_view_shadow;
-- Privileges and other properties of a column: the next script gives them to the shadow, or takes them away.
REVOKE SELECT (id) ON changed FROM pg_monitor;
GRANT SELECT (id) ON changed TO PUBLIC;
GRANT UPDATE (id) ON changed TO pg_monitor WITH GRANT OPTION;
COMMENT ON COLUMN changed.id IS 'another key';
COMMENT ON COLUMN changed.parent IS NULL;
ALTER TABLE changed ALTER id SET STATISTICS 30, ALTER id RESET (n_distinct), ALTER parent SET STATISTICS -1;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('changed', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
\d changed
SELECT attname, nullif(attstattarget, -1) AS target, o AS options, col_description(attrelid, attnum) AS comment, attacl
FROM pg_attribute, LATERAL uuidx_migrate_steps.option_list(attoptions) AS o WHERE attrelid = 'changed'::regclass AND attname ~ '^(id|parent)' ORDER BY attname;
SELECT n, uuid_version(id) FROM changed_view ORDER BY n;
DROP TABLE changed CASCADE;
DROP FUNCTION outdated;

-- NOT NULL, the length of a text, and the comment of a partitioned index
CREATE TABLE deployed (id uuid PRIMARY KEY);
CREATE TABLE uses (a uuid NOT NULL REFERENCES deployed, b uuid REFERENCES deployed, t varchar(36), n int) PARTITION BY LIST (n);
CREATE TABLE uses_1 PARTITION OF uses FOR VALUES IN (1);
CREATE INDEX uses_a ON uses (a);
COMMENT ON INDEX uses_a IS 'an index';
INSERT INTO deployed VALUES (v1(1));
INSERT INTO uses SELECT id, id, id, 1 FROM deployed;
\set script 'script(''deployed'', ''id'', ''online'', ''v1_to_v6'', also => ''{uses.t}'', other_values => ''keep'', trust_owners => true)'
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:script WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
ALTER TABLE uses ALTER a DROP NOT NULL, ALTER b SET NOT NULL, ALTER t TYPE varchar(60);
COMMENT ON INDEX uses_a IS 'another';
CREATE TEMP TABLE to_do AS
SELECT o, h FROM uuidx_migrate.plan('deployed', 'id', 'online', 'v1_to_v6', also => '{uses.t}', other_values => 'keep', trust_owners => true) AS p,
                 unnest(p.obstacles, p.hints) AS u (o, h);
TABLE to_do;
\set ECHO none \o /dev/null
SELECT DISTINCT substring(h, 'Run (.*)[.]$') FROM to_do \gexec
SELECT sql FROM uuidx_migrate.:script WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
INSERT INTO uses (b, t, n) SELECT id, repeat('-', 50), 1 FROM deployed;
SELECT sql FROM uuidx_migrate.:script ORDER BY step \gexec
\o \set ECHO all
SELECT uuid_version(a) AS a, uuid_version(b) AS b, length(t) FROM uses ORDER BY 1;
SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute WHERE attrelid = 'uses_1'::regclass AND attname IN ('a', 'b', 't') ORDER BY 1;
SELECT obj_description('uses_a'::regclass);
DROP TABLE uses, deployed, to_do;

-- Parallel workers would write the statements in any order.
CREATE TABLE ordered (id text PRIMARY KEY DEFAULT gen_random_uuid()::text);
CREATE TABLE referencing_ordered (id text REFERENCES ordered);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('ordered', 'id', 'online', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
SELECT attrelid::regclass AS relation, format_type(atttypid, atttypmod) AS type FROM pg_attribute
WHERE attrelid IN ('ordered'::regclass, 'referencing_ordered'::regclass) AND attname = 'id' ORDER BY attrelid::regclass::text;
DROP TABLE ordered, referencing_ordered;

SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner CASCADE;
DROP ROLE regress_uuidx_owner;
