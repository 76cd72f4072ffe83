-- What clients may write beside an online migration
\set ECHO none \i sql/include/migration.sql \set ECHO all
\set VERBOSITY terse
CREATE SCHEMA writers;
SET search_path = writers, public;
\set ECHO none \i sql/include/functions.sql \set ECHO all
\set script 'SELECT sql FROM uuidx_migrate.script(:call, trust_owners => true) WHERE phase ~ :phases ORDER BY step \\gexec'
\set to_index '''^(check|shadow|fill|validate|key|index|proof)$'''
\set all '''.'''

-- A foreign key and its twin act in the order of the names of their triggers, which have OIDs in them. What becomes of
-- a row is the same in both orders: if those of the foreign keys are the first, and the last.
CREATE TABLE k (t int, id uuid PRIMARY KEY, UNIQUE (t, id));
CREATE TABLE r1 (n int, k uuid REFERENCES k ON DELETE SET NULL ON UPDATE CASCADE);
CREATE TABLE r2 (n int, k uuid DEFAULT v1() REFERENCES k ON DELETE SET DEFAULT ON UPDATE CASCADE);
CREATE TABLE r3 (n int, t int, k uuid, FOREIGN KEY (t, k) REFERENCES k (t, id) ON DELETE SET NULL ON UPDATE CASCADE);
CREATE TABLE r4 (n int, t int DEFAULT 0, k uuid DEFAULT v1(), FOREIGN KEY (t, k) REFERENCES k (t, id) MATCH FULL ON DELETE SET DEFAULT ON UPDATE SET NULL);
INSERT INTO k SELECT n, v1(n) FROM generate_series(0, 3) AS n;
INSERT INTO r1 SELECT t, id FROM k WHERE t > 0;
INSERT INTO r2 SELECT t, id FROM k WHERE t > 0;
INSERT INTO r3 SELECT t, t, id FROM k WHERE t > 0;
INSERT INTO r4 SELECT t, t, id FROM k WHERE t > 0;
-- Clients do not know the name by which they would defer a twin.
CREATE TABLE r5 (n int, k uuid CONSTRAINT r5_k REFERENCES k DEFERRABLE);
CREATE TABLE r6 (n int, k uuid CONSTRAINT r6_k REFERENCES k DEFERRABLE) PARTITION BY LIST (n);
CREATE TABLE r6_1 PARTITION OF r6 DEFAULT;
\set call '''k'', ''id'', ''online'', ''v1_to_v6'''
\set phases :to_index
\set ECHO none \o /dev/null
:script
\o \set ECHO all
CREATE FUNCTION rename_triggers(prefix text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    renaming text;
BEGIN
    FOR renaming IN SELECT format('ALTER TRIGGER %I ON k RENAME TO %I', t.tgname, concat(prefix, f.oid, t.tgtype))
                    FROM pg_trigger AS t JOIN pg_constraint AS f ON f.oid = t.tgconstraint
                    WHERE t.tgrelid = 'k'::regclass AND f.confrelid = 'k'::regclass AND f.conname !~ 'shadow' LOOP
        EXECUTE renaming;
    END LOOP;
END
$$;
CREATE VIEW result AS
SELECT r.r, r.n, r.t, k.t AS t_of_key, r.k IS NULL AS is_null
FROM (SELECT 'r1' AS r, n, NULL::int AS t, k FROM r1 UNION ALL SELECT 'r2', n, NULL, k FROM r2
      UNION ALL SELECT 'r3', n, t, k FROM r3 UNION ALL SELECT 'r4', n, t, k FROM r4) AS r LEFT JOIN k ON k.id = r.k
WHERE r.n < 3 ORDER BY r.r, r.n;
BEGIN;
SELECT rename_triggers('A');
DELETE FROM k WHERE t = 1;
UPDATE k SET t = 20, id = v1(20) WHERE t = 2;
TABLE result;
ROLLBACK;
BEGIN;
SELECT rename_triggers('Z');
DELETE FROM k WHERE t = 1;
UPDATE k SET t = 20, id = v1(20) WHERE t = 2;
TABLE result;
COMMIT;
BEGIN;
SET CONSTRAINTS r5_k, r6_k DEFERRED;
INSERT INTO r5 VALUES (4, v1(4));
INSERT INTO r6 VALUES (4, v1(4));
INSERT INTO k VALUES (4, v1(4));
COMMIT;
DROP VIEW result;
\set phases :all
\set ECHO none \o /dev/null
:script
\o \set ECHO all
SELECT conrelid::regclass AS relation, conname, convalidated AS valid, pg_get_constraintdef(oid) AS definition FROM pg_constraint
WHERE confrelid = 'k'::regclass ORDER BY conrelid::regclass::text COLLATE "C";
SELECT * FROM pg_temp.errors('INSERT INTO r5 (k) VALUES (writers.v1(5))', 'INSERT INTO r6 (k) VALUES (writers.v1(5))');
-- Before PostgreSQL 18, a partitioned table cannot have a foreign key that is validated later.
CREATE TABLE parted (n int, t int, k uuid, FOREIGN KEY (t, k) REFERENCES k (t, id) ON DELETE SET NULL) PARTITION BY LIST (n);
SELECT count(*) = (current_setting('server_version_num')::int < 180000)::int AS as_expected
FROM pg_temp.obstacles('k', 'id', 'online') AS o WHERE o LIKE '%of the partitioned table parted has an action%';

-- A row that references itself under a CHECK constraint, whichever of its triggers comes first
CREATE TABLE tree (id uuid PRIMARY KEY, above uuid REFERENCES tree, under uuid REFERENCES tree, created timestamptz DEFAULT '2026-01-01 00:00:00+00', CHECK (id = above AND id = under));
CREATE TABLE numbers (id bigint PRIMARY KEY, above int REFERENCES numbers, under smallint REFERENCES numbers, created timestamptz DEFAULT '2026-01-01 00:00:00+00', CHECK (id = above AND id = under));
INSERT INTO tree SELECT v4(n), v4(n), v4(n) FROM generate_series(1, 2) AS n;
INSERT INTO numbers SELECT n, n, n FROM generate_series(1, 2) AS n;
\set tree '''tree'', ''id'', ''online'', ''to_v7'', created => ''created'''
\set numbers '''numbers'', ''id'', ''online'', ''bigint_to_v7'', created => ''created'''
\set phases :to_index
\set ECHO none \o /dev/null
\set call :tree
:script
\set call :numbers
:script
\o \set ECHO all
INSERT INTO tree SELECT v4(n), v4(n), v4(n) FROM generate_series(3, 4) AS n;
UPDATE tree SET id = v4(5), above = v4(5), under = v4(5) WHERE id = v4(1);
INSERT INTO numbers SELECT n, n, n FROM generate_series(3, 4) AS n;
UPDATE numbers SET id = 5, above = 5, under = 5 WHERE id = 1;
\set phases :all
\set ECHO none \o /dev/null
:script
\set call :tree
:script
\o \set ECHO all
INSERT INTO tree (id, above, under) SELECT v4(n), v4(n), v4(n) FROM generate_series(6, 7) AS n;
UPDATE tree SET id = v4(8), above = v4(8), under = v4(8) WHERE id_shadow = v4(5);
INSERT INTO numbers (id, above, under) SELECT n, n, n FROM uuid_generate_v7() AS n;
UPDATE numbers SET id = n, above = n, under = n FROM uuid_generate_v7() AS n WHERE id_shadow = 5;
SELECT count(*), count(*) FILTER (WHERE id_shadow = above_shadow AND uuid_is_v7(id)) AS with_version_7 FROM tree;
SELECT count(*), count(id_shadow = above_shadow) AS with_number, count(*) FILTER (WHERE uuid_is_v7(id)) AS with_version_7 FROM numbers;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('tree', 'id', 'finish', 'to_v7', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'tree'::regclass AND NOT tgisinternal;

-- A key that is deleted and inserted again in one transaction, with another shadow, where a CHECK constraint compares two
-- references to it
CREATE TABLE p (id uuid PRIMARY KEY, created timestamptz DEFAULT '2026-01-01 00:00:00+00');
CREATE TABLE pairs (a uuid REFERENCES p DEFERRABLE INITIALLY DEFERRED, b uuid REFERENCES p DEFERRABLE INITIALLY DEFERRED, CHECK (a = b));
INSERT INTO p SELECT v4(n) FROM generate_series(1, 2) AS n;
INSERT INTO pairs SELECT id, id FROM p;
\set call '''p'', ''id'', ''online'', ''to_v7'', created => ''created'''
\set phases :to_index
\set ECHO none \o /dev/null
:script
\o \set ECHO all
BEGIN;
DELETE FROM p WHERE id = v4(1);
INSERT INTO p VALUES (v4(1), '2025-01-01 00:00:00+00');
COMMIT;
SELECT id_shadow = a_shadow AND id_shadow = b_shadow AS has_both, uuid_time(id_shadow) FROM pairs JOIN p ON a = id ORDER BY id;

-- Two keys of one table, of different types, and each deleted and inserted again
CREATE TABLE two (id uuid PRIMARY KEY, number bigint UNIQUE, created timestamptz DEFAULT '2026-01-01 00:00:00+00');
CREATE TABLE of_two (id uuid REFERENCES two DEFERRABLE INITIALLY DEFERRED, number bigint REFERENCES two (number) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO two VALUES (v4(1), 1);
INSERT INTO of_two SELECT id, number FROM two;
\set ECHO none \o /dev/null
\set call '''two'', ''id'', ''online'', ''to_v7'', created => ''created'''
:script
\set call '''two'', ''number'', ''online'', ''bigint_to_v7'', created => ''created'''
:script
\o \set ECHO all
BEGIN;
DELETE FROM two;
INSERT INTO two VALUES (v4(1), 1, '2025-01-01 00:00:00+00');
COMMIT;
SELECT o.id_shadow = t.id_shadow AND o.number_shadow = t.number_shadow AS has_both, uuid_time(t.id_shadow), uuid_time(t.number_shadow)
FROM of_two AS o, two AS t;

-- A shadow is given no value but that of the key, also while there is no key: the row would come to be one of another key.
-- So a row whose key was deleted cannot move to another partition.
CREATE TABLE s (id uuid PRIMARY KEY, created timestamptz DEFAULT '2026-01-01 00:00:00+00');
CREATE TABLE log (n int, s uuid) PARTITION BY LIST (n);
CREATE TABLE log_1 PARTITION OF log FOR VALUES IN (1);
CREATE TABLE log_2 PARTITION OF log FOR VALUES IN (2);
INSERT INTO s SELECT v4(n) FROM generate_series(1, 2) AS n;
INSERT INTO log SELECT 1, v4(n) FROM generate_series(1, 3) AS n;
\set call '''s'', ''id'', ''online'', ''to_v7'', created => ''created'', also => ''{log.s}'', other_values => ''keep'''
\set phases :to_index
\set ECHO none \o /dev/null
:script
\o \set ECHO all
DELETE FROM s WHERE id = v4(1);
UPDATE log SET n = 2 WHERE s <> v4(1);
SELECT n, s, uuid_version(s_shadow) FROM log ORDER BY s;
SELECT * FROM pg_temp.errors(
    'UPDATE writers.log SET n = 2',
    'INSERT INTO writers.log (n, s, s_shadow) SELECT 1, writers.v4(4), id_shadow FROM writers.s');

-- An upsert of a row that is there needs no creation time, before its shadow is filled and after that.
CREATE TABLE u (id uuid PRIMARY KEY, n int, created timestamptz);
CREATE TABLE un (id int PRIMARY KEY, n int, created timestamptz);
INSERT INTO u SELECT v4(n), 0, '2026-01-01 00:00:00+00' FROM generate_series(1, 2) AS n;
INSERT INTO un SELECT n, 0, '2026-01-01 00:00:00+00' FROM generate_series(1, 2) AS n;
\set phases '''^(check|shadow)$'''
\set u '''u'', ''id'', ''online'', ''to_v7'', created => ''created'''
\set un '''un'', ''id'', ''online'', ''bigint_to_v7'', created => ''created'''
\set ECHO none \o /dev/null
\set call :u
:script
\set call :un
:script
\o \set ECHO all
INSERT INTO u VALUES (v4(1), 1) ON CONFLICT (id) DO UPDATE SET n = excluded.n;
INSERT INTO un VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET n = excluded.n;
\set phases :to_index
\set ECHO none \o /dev/null
:script
\set call :u
:script
\o \set ECHO all
INSERT INTO u VALUES (v4(2), 2) ON CONFLICT (id) DO UPDATE SET n = excluded.n;
INSERT INTO un VALUES (2, 2) ON CONFLICT (id) DO UPDATE SET n = excluded.n;
SELECT id, n, created, id_shadow = uuid_v7_of(created, id) AS as_backfilled FROM u ORDER BY n;
SELECT id, n, created, uuid_time(id_shadow) = created AS as_backfilled FROM un ORDER BY n;
SELECT * FROM pg_temp.errors(
    $$INSERT INTO u VALUES (writers.v4(3), 3) ON CONFLICT (id) DO NOTHING$$,
    $$INSERT INTO un VALUES (3, 3) ON CONFLICT (id) DO NOTHING$$);

-- What a plan says of writers
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'append-only'; END $$;
CREATE TABLE appended (u uuid REFERENCES u DEFERRABLE, n int);
CREATE TABLE at_once (u uuid REFERENCES u, n int);
CREATE TABLE notes (about uuid);
CREATE TRIGGER refuse BEFORE UPDATE OR DELETE ON appended FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER refuse BEFORE UPDATE OR DELETE ON at_once FOR EACH ROW EXECUTE FUNCTION refuse();
SELECT relation, remarks FROM uuidx_migrate.plan('u', 'id', 'online', 'to_v7', also => '{notes.about}', created => 'created', fire_triggers => false)
WHERE relation <> 'u'::regclass;
SELECT relation, remarks FROM uuidx_migrate.plan('u', 'id', 'online', 'to_v7', also => '{notes.about}', created => 'created', other_values => 'keep')
WHERE relation <> 'u'::regclass;
SET client_min_messages = error;
DROP SCHEMA writers CASCADE;
