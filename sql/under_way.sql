-- What happens to the tables of an online migration while it is under way
\set ECHO none \i sql/include/migration.sql \set ECHO all
\set VERBOSITY terse
CREATE SCHEMA under_way;
SET search_path = under_way, public;

-- Runs what a script that is written now does in some phases.
\set script 'SELECT sql FROM uuidx_migrate.script(:call, ''online'', :conversion, created => :created, trust_owners => true) WHERE phase ~ :phases ORDER BY step \\gexec'
\set to_shadow '''^(check|shadow|fill|validate|key)$'''
\set to_index '''^(check|shadow|fill|validate|key|index|proof)$'''
\set all '''.'''

-- A table that takes part gets a second reference: the next script gives that its shadow.
CREATE TABLE k (id uuid PRIMARY KEY, created timestamptz DEFAULT '2026-01-01 00:00:00+00');
CREATE TABLE r (a uuid REFERENCES k, b uuid);
INSERT INTO k SELECT overlay('00000000-0000-4000-8000-000000000000' PLACING n::text FROM 36)::uuid FROM generate_series(1, 5) AS n;
INSERT INTO r SELECT id, id FROM k;
\set call '''k'', ''id'''
\set conversion '''to_v7'''
\set created '''created'''
\set phases :to_shadow
\set ECHO none \o /dev/null
:script
\o \set ECHO all
ALTER TABLE r ADD FOREIGN KEY (b) REFERENCES k;
INSERT INTO k VALUES ('00000000-0000-4000-8000-000000000006');
INSERT INTO r VALUES ('00000000-0000-4000-8000-000000000006', '00000000-0000-4000-8000-000000000006');
\set phases :all
\set ECHO none \o /dev/null
:script
\o \set ECHO all
SELECT count(*), count(*) FILTER (WHERE a = b AND uuid_is_v7(a)), (SELECT count(*) FROM k JOIN r ON r.b = k.id) AS joined FROM r;

-- Partitions that are made while the twins are built: the server names their indexes.
CREATE TABLE ev (id uuid NOT NULL, k uuid REFERENCES k, day int, n int, UNIQUE (id, day)) PARTITION BY RANGE (day);
CREATE INDEX ev_k_n ON ev (k, n);
CREATE INDEX ON ev ((id::text)) WHERE n > 0;
CREATE TABLE ev_1 PARTITION OF ev FOR VALUES FROM (1) TO (2);
CREATE TABLE ev_2 PARTITION OF ev FOR VALUES FROM (2) TO (3) PARTITION BY RANGE (day);
CREATE TABLE ev_2_0 PARTITION OF ev_2 DEFAULT;
INSERT INTO ev SELECT uuid_v6_to_v1(uuid_generate_v6()), NULL, 1 + n % 2, n FROM generate_series(1, 10) AS n;
\set call '''ev'', ''id'''
\set conversion '''v1_to_v6'''
\set created NULL
\set phases :to_index
\set ECHO none \o /dev/null
:script
\o \set ECHO all
CREATE TABLE ev_3 PARTITION OF ev FOR VALUES FROM (3) TO (4) PARTITION BY RANGE (day);
CREATE TABLE ev_3_0 PARTITION OF ev_3 DEFAULT;
INSERT INTO ev SELECT uuid_v6_to_v1(uuid_generate_v6()), NULL, 3, n FROM generate_series(11, 15) AS n;
\set phases :all
\set ECHO none \o /dev/null
:script
\o \set ECHO all
SELECT uuid_version(id) AS version, count(*) FROM ev GROUP BY 1;
SELECT indexrelid::regclass AS index, pg_get_indexdef(indexrelid, 1, true) AS first_column FROM pg_index
WHERE indrelid IN (SELECT relid FROM pg_partition_tree('ev')) ORDER BY indexrelid::regclass::text COLLATE "C";

-- What references the key since the cutover has no former keys.
SELECT relation, o, h FROM uuidx_migrate.plan('k', 'id', 'online', 'from_v7', trust_owners => true) AS p, unnest(p.obstacles, p.hints) AS u (o, h);

-- A partition that is detached keeps its shadow column, which no trigger keeps any more.
CREATE TABLE keys (id uuid PRIMARY KEY, created timestamptz DEFAULT '2026-01-01 00:00:00+00');
INSERT INTO keys SELECT overlay('00000000-0000-4000-8000-000000000000' PLACING n::text FROM 36)::uuid FROM generate_series(1, 5) AS n;
\set created '''created'''
CREATE TABLE p (k uuid REFERENCES keys, day int) PARTITION BY LIST (day);
CREATE INDEX ON p (k);
CREATE TABLE p_1 PARTITION OF p FOR VALUES IN (1);
CREATE TABLE p_2 PARTITION OF p FOR VALUES IN (2);
CREATE TABLE without_partitions (k uuid REFERENCES keys, day int) PARTITION BY LIST (day);
\set call '''keys'', ''id'''
\set conversion '''to_v7'''
INSERT INTO p SELECT id, 1 + n % 2 FROM keys, generate_series(1, 2) AS n;
\set phases :to_index
\set ECHO none \o /dev/null
:script
\o \set ECHO all
-- One that is attached gets the trigger, and the next script fills the rows that it had before.
CREATE TABLE p_3 (LIKE p INCLUDING INDEXES);
INSERT INTO p_3 SELECT id, 3 FROM keys LIMIT 3;
ALTER TABLE p ATTACH PARTITION p_3 FOR VALUES IN (3);
INSERT INTO p SELECT id, 3 FROM keys EXCEPT SELECT k, 3 FROM p_3;
SELECT count(*) FILTER (WHERE k_shadow = id_shadow) AS looked_up FROM p_3 JOIN keys ON id = k;
-- The columns of a partition may be in another order, and there may have been none before. A constraint of its own may have
-- the name of ours.
CREATE TABLE p_8 (day int, k_shadow uuid, k uuid, CONSTRAINT zzz_k_shadow CHECK (day = 8));
ALTER TABLE p ATTACH PARTITION p_8 FOR VALUES IN (8);
INSERT INTO p SELECT id, 8 FROM keys;
-- What was written while the trigger was disabled is in its state.
ALTER TABLE p_1 DISABLE TRIGGER zzz_k_shadow;
ALTER TABLE p_1 ENABLE TRIGGER zzz_k_shadow;
CREATE TABLE its_first PARTITION OF without_partitions FOR VALUES IN (1);
INSERT INTO without_partitions SELECT id, 1 FROM keys;
SELECT day, count(*) FROM (SELECT * FROM p UNION ALL SELECT * FROM without_partitions) AS p JOIN keys ON id = k AND id_shadow = k_shadow WHERE day IN (1, 8) GROUP BY day;
-- A table that was made before the cutover.
CREATE TABLE p_4 (LIKE p);
INSERT INTO p_4 SELECT id, 4 FROM keys;
ALTER TABLE p DETACH PARTITION p_2;
SELECT o, h FROM uuidx_migrate.plan(:call, 'online', :conversion, created => :created, trust_owners => true) AS p, unnest(p.obstacles, p.hints) AS u (o, h);
ALTER TABLE p_2 DROP COLUMN k_shadow;
ALTER TABLE p_8 RENAME CONSTRAINT zzz_k_shadow TO day_8;
ALTER TABLE p_1 ENABLE ALWAYS TRIGGER zzz_k_shadow;
\set phases :all
\set ECHO none \o /dev/null
:script
\o \set ECHO all
SELECT day, count(*), count(DISTINCT k), count(*) FILTER (WHERE uuid_is_v7(k)) AS version_7
FROM (SELECT day, k FROM p UNION ALL SELECT day, k FROM p_2) AS p GROUP BY day ORDER BY day;
SELECT pg_get_indexdef(indexrelid) AS index FROM pg_index WHERE indrelid = 'p_2'::regclass ORDER BY 1;
SELECT conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
WHERE conrelid = 'p_2'::regclass AND contype NOT IN ('n', 't') ORDER BY conname COLLATE "C";
SELECT tgname, tgenabled, substring(pg_get_triggerdef(oid), '(?:AFTER|BEFORE).*') AS definition FROM pg_trigger
WHERE tgrelid = 'p_2'::regclass AND tgfoid::regproc::text LIKE 'uuidx_migrate_steps.%' ORDER BY tgname COLLATE "C";

-- After the cutover, its columns have the same names and types, and hold the other keys.
ALTER TABLE p ATTACH PARTITION p_4 FOR VALUES IN (4);
CREATE TABLE p_5 (LIKE p INCLUDING INDEXES);
INSERT INTO p_5 (k, day) SELECT id, 5 FROM keys LIMIT 3;
ALTER TABLE p ATTACH PARTITION p_5 FOR VALUES IN (5);
INSERT INTO p (k, day) SELECT id, 5 FROM keys EXCEPT SELECT k, 5 FROM p_5;
ALTER TABLE p DETACH PARTITION p_8;
SELECT u FROM uuidx_migrate.plan('keys', 'id', 'online', 'from_v7', trust_owners => true) AS p, unnest(p.obstacles || p.hints) AS u;
DROP TABLE p_8;
CREATE TABLE p_6 (LIKE p);
\set conversion '''from_v7'''
\set ECHO none \o /dev/null
:script
\o \set ECHO all
-- So it is after an undo.
ALTER TABLE p ATTACH PARTITION p_6 FOR VALUES IN (6);
ALTER TABLE p ATTACH PARTITION p_4 FOR VALUES IN (4);
SELECT day, count(*), count(*) FILTER (WHERE k = id) AS former, count(*) FILTER (WHERE k_shadow = id_shadow) AS looked_up
FROM (SELECT day, k, k_shadow FROM p UNION ALL SELECT 0, k, k_shadow FROM without_partitions) AS p JOIN keys ON k = id GROUP BY day ORDER BY day;
SELECT count(*) FROM p;

-- The cutover of a script that was written before the key got another name.
CREATE TABLE renamed (id uuid PRIMARY KEY);
\set call '''renamed'', ''id'''
\set conversion '''v1_to_v6'''
\set created NULL
\set phases :to_index
\set ECHO none \o /dev/null
:script
\o \set ECHO all
SELECT sql AS cutover FROM uuidx_migrate.script('renamed', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) WHERE phase = 'cutover' \gset
ALTER TABLE renamed RENAME id TO name;
:cutover;
\echo :LAST_ERROR_SQLSTATE
-- A script that is written anew names every column that has begun, whether or not a foreign key still connects it.
CREATE TABLE own (id uuid PRIMARY KEY, parent uuid, other uuid UNIQUE, FOREIGN KEY (parent) REFERENCES own);
CREATE TABLE loose (a uuid, b uuid REFERENCES own, o uuid REFERENCES own (other));
\set call '''own'', ''id'''
\set conversion '''v1_to_v6'', also => ''{loose.a}'''
\set created NULL
\set phases :to_shadow
\set ECHO none \o /dev/null
:script
\set call '''own'', ''other'''
\set conversion '''v1_to_v6'''
:script
\o \set ECHO all
SELECT name, key_column FROM uuidx_migrate_steps.columns_under_way('own') ORDER BY 1;
ALTER TABLE loose DROP CONSTRAINT loose_b_fkey;
ALTER TABLE own DROP CONSTRAINT own_parent_fkey;
SELECT o, h FROM uuidx_migrate.plan('own', 'id', 'online', conversion => 'v1_to_v6') AS p, unnest(p.obstacles, p.hints) AS u (o, h) WHERE o NOT LIKE '%default%' AND h NOT LIKE 'Connect%';
SELECT unnest(obstacles) FROM uuidx_migrate.plan('own', 'id', 'online', conversion => 'v1_to_v6', also => '{loose.a,loose.b,own.parent}', trust_owners => true);
SELECT unnest(obstacles) FROM uuidx_migrate.plan('own', 'other', 'online', conversion => 'v1_to_v6', trust_owners => true);

-- Columns that get other names meanwhile: the triggers go on, and the next script says which names it needs.
CREATE TABLE tasks (id uuid PRIMARY KEY, created timestamptz DEFAULT '2026-01-01 00:00:00+00');
CREATE TABLE parts (
    task uuid REFERENCES tasks ON UPDATE CASCADE, other uuid REFERENCES tasks ON UPDATE CASCADE,
    gone uuid REFERENCES tasks
);
INSERT INTO tasks SELECT overlay('00000000-0000-4000-8000-000000000000' PLACING n::text FROM 36)::uuid FROM generate_series(1, 5) AS n;
INSERT INTO parts SELECT id, id FROM tasks;
\set call '''tasks'', ''id'''
\set conversion '''to_v7'''
\set created '''created'''
\set phases :to_index
\set ECHO none
\o /dev/null
:script
\o
\set ECHO all
ALTER TABLE parts RENAME task TO of_task;
ALTER TABLE parts RENAME other_shadow TO another;
ALTER TABLE tasks RENAME id TO task_id;
INSERT INTO tasks VALUES ('00000000-0000-4000-8000-000000000006');
INSERT INTO parts VALUES ('00000000-0000-4000-8000-000000000006', '00000000-0000-4000-8000-000000000006');
UPDATE tasks SET task_id = '00000000-0000-4000-8000-000000000007' WHERE task_id = '00000000-0000-4000-8000-000000000001';
SELECT p.of_task, p.task_shadow = t.id_shadow AS task, p.another = t.id_shadow AS other, uuid_version(t.id_shadow)
FROM parts AS p LEFT JOIN tasks AS t ON t.task_id = p.of_task ORDER BY 1;
CREATE TEMP TABLE hints AS
SELECT o, h
FROM uuidx_migrate.plan('tasks', 'task_id', 'online', 'to_v7', created => 'created', trust_owners => true) AS p,
     unnest(p.obstacles, p.hints) AS u (o, h);
TABLE hints;
-- A column that is dropped leaves its trigger.
ALTER TABLE parts DROP gone CASCADE;
\set VERBOSITY default
INSERT INTO parts DEFAULT VALUES;
\set VERBOSITY terse
DROP TRIGGER zzz_gone_shadow ON parts;
ALTER TABLE parts DROP gone_shadow;
-- The hints, followed to the letter
\set phases :all
\set ECHO none
\o /dev/null
SELECT substring(h, 'Run (.*), and') FROM hints \gexec
:script
\o
\set ECHO all
SELECT count(*), count(*) FILTER (WHERE p.task = p.other AND uuid_is_v7(p.task))
FROM parts AS p JOIN tasks AS t ON t.id = p.task;

-- A row that references itself, where a constraint asks whether it does
CREATE TABLE threads (
    id uuid PRIMARY KEY, created timestamptz DEFAULT '2026-01-01 00:00:00+00', root uuid REFERENCES threads,
    reply boolean DEFAULT false,
    CHECK (id = root OR reply)
);
\set call '''threads'', ''id'''
\set phases :to_index
\set ECHO none
\o /dev/null
:script
\o
\set ECHO all
INSERT INTO threads VALUES ('00000000-0000-4000-8000-000000000001', DEFAULT, '00000000-0000-4000-8000-000000000001');
INSERT INTO threads VALUES ('00000000-0000-4000-8000-000000000002', DEFAULT, '00000000-0000-4000-8000-000000000001', true);
UPDATE threads SET id = '00000000-0000-4000-8000-000000000003', root = '00000000-0000-4000-8000-000000000003' WHERE reply;
SELECT id, root = id AS first, root_shadow = id_shadow AS first_shadow, uuid_version(id_shadow) FROM threads ORDER BY id;
\set phases :all
\set ECHO none
\o /dev/null
:script
\o
\set ECHO all
INSERT INTO threads (id, root) VALUES ('00000000-0000-4000-8000-000000000004', '00000000-0000-4000-8000-000000000004');
SELECT id_shadow, root = id AS first, root_shadow = id_shadow AS first_shadow, uuid_version(id) FROM threads ORDER BY 1;
-- What was written while a trigger was disabled may have former keys, which nobody knows after the end.
ALTER TABLE threads DISABLE TRIGGER zzz_root_shadow;
SELECT error FROM pg_temp.errors($$SELECT uuidx_migrate.script('threads', 'id', 'finish', 'to_v7', trust_owners => true)$$);

-- No foreign key proves these references. A partition may come with the shadows of other keys, and with a constraint of
-- another migration.
CREATE TABLE subjects (id uuid PRIMARY KEY, created timestamptz DEFAULT '2026-01-01 00:00:00+00');
INSERT INTO subjects VALUES ('00000000-0000-4000-8000-000000000001'), ('00000000-0000-4000-8000-000000000002');
CREATE TABLE notes (about uuid, day int) PARTITION BY LIST (day);
CREATE TABLE notes_1 PARTITION OF notes FOR VALUES IN (1);
INSERT INTO notes SELECT id, 1 FROM subjects;
\set call '''subjects'', ''id'''
\set conversion '''to_v7'', also => ''{notes.about}'', other_values => ''keep'''
\set phases :to_index
\set ECHO none
\o /dev/null
:script
\o
\set ECHO all
-- A saved cutover does not take another condition for ours. A saved step replaces it once.
\set notes_script 'uuidx_migrate.script(:call, ''online'', :conversion, created => :created, trust_owners => true)'
SELECT sql AS cutover FROM :notes_script WHERE phase = 'cutover' \gset
ALTER TABLE notes_1 DROP CONSTRAINT zzz_about_shadow, ADD CONSTRAINT zzz_about_shadow CHECK (num_nulls(about, about_shadow) <> 1 AND 'subjects'::regclass IS NOT NULL);
:cutover;
\echo :LAST_ERROR_SQLSTATE
SELECT sql AS add_check FROM :notes_script WHERE phase = 'shadow' \gset
:add_check;
ALTER TABLE notes_1 VALIDATE CONSTRAINT zzz_about_shadow;
:add_check;
SELECT convalidated, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'notes_1'::regclass AND conname = 'zzz_about_shadow';
-- A condition is one expression over a row, which is read and not run.
SELECT t AS condition, e.code, split_part(e.error, E'\n', 1) AS error
FROM unnest(ARRAY['', '*', 'notes_1.*', 'true AS named', 'true, true', 'true FROM notes', 'true; DROP TABLE notes', 'true) OR (true', '(SELECT true)',
                  'count(*) > 0', 'generate_series(1, 2) > 1', '$1', 'nothing', 'subjects.id IS NULL', '1 / 0 > 1', 'about']) AS t,
     LATERAL pg_temp.errors(format('SELECT uuidx_migrate_steps.checks_shadow(''notes_1'', ''about'', %L)', t)) AS e;
CREATE TABLE notes_2 (LIKE notes_1 INCLUDING ALL);
INSERT INTO notes_2 SELECT a::uuid, 2, about_shadow
FROM notes_1, unnest('{00000000-0000-4000-8000-000000000002,00000000-0000-4000-8000-000000000009}'::text[]) AS a;
ALTER TABLE notes_2 DROP CONSTRAINT zzz_about_shadow, ADD CONSTRAINT zzz_about_shadow CHECK (num_nulls(about, about_shadow) <> 1);
ALTER TABLE notes ATTACH PARTITION notes_2 FOR VALUES IN (2);
SELECT o, h FROM uuidx_migrate.plan('subjects', 'id', 'online', 'to_v7', also => '{notes.about}', other_values => 'keep', created => 'created') AS p, unnest(p.obstacles, p.hints) AS u (o, h);
ALTER TABLE notes_2 DROP CONSTRAINT zzz_about_shadow, ADD CONSTRAINT zzz_about_shadow CHECK (num_nulls(about, about_shadow) <> 1 AND 'subjects'::regclass IS NOT NULL);
\set phases :all
\set ECHO none
\o /dev/null
:script
\o
\set ECHO all
SELECT day, about_shadow, uuid_version(about), about = id AS is_key, count(*)
FROM notes LEFT JOIN subjects ON id_shadow = about_shadow GROUP BY 1, 2, 3, 4 ORDER BY 1, 2;
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'zzz_about_shadow' ORDER BY conrelid::regclass::text;

-- A materialized view may read two keys of a table. The twin that the migration of one builds is not migrated with the other.
CREATE TABLE pairs (id uuid PRIMARY KEY, other uuid NOT NULL UNIQUE, created timestamptz);
CREATE MATERIALIZED VIEW both_keys AS SELECT id, other FROM pairs;
\set call '''pairs'', ''id'''
\set conversion '''to_v7'''
\set created '''created'''
\set phases :to_index
\set ECHO none
\o /dev/null
:script
\o
\set ECHO all
SELECT u FROM uuidx_migrate.plan('pairs', 'other', 'online', 'to_v7', created => 'created', trust_owners => true) AS p, unnest(p.obstacles || p.remarks) AS u
WHERE u ~ 'materialized';

\set VERBOSITY default
SET client_min_messages = error;
DROP SCHEMA under_way CASCADE;
