-- Random keys become keys of version 7, also in a column that holds keys of several tables
\set ECHO none \i sql/include/migration.sql \i sql/include/functions.sql \set ECHO all
CREATE TABLE posts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int, created timestamptz DEFAULT '2020-01-01 00:00:00+00');
CREATE TABLE likes (subject uuid, n int) PARTITION BY LIST (n);
CREATE TABLE likes_5 PARTITION OF likes FOR VALUES IN (5);
CREATE TABLE likes_default PARTITION OF likes DEFAULT;
INSERT INTO posts (id, n) SELECT v4(n), n FROM generate_series(1, 3) AS n;
INSERT INTO likes SELECT v4(n), n FROM generate_series(1, 6) AS n;
INSERT INTO likes VALUES (NULL, 0);
-- What a value is: the key of its row, or its former key
CREATE VIEW state AS
SELECT l.n, CASE WHEN l.subject = p.id THEN 'key' WHEN l.subject IS NULL THEN 'null' WHEN l.subject = v4(l.n) THEN 'former key' ELSE 'key of no row' END AS is, p.n IS NOT NULL AS of_a_post
FROM likes AS l LEFT JOIN posts AS p USING (n);

-- Unless it is allowed, a value that is no key is an error.
SELECT unnest(obstacles) FROM uuidx_migrate.plan('posts', 'id', conversion => 'to_v7', also => '{likes.subject}', created => 'created', trust_owners => true);
SELECT sql FROM uuidx_migrate.script('posts', 'id', 'online', 'to_v7', also => '{likes.subject}', created => 'created', trust_owners => true) WHERE sql ~ 'check_keys' AND phase = 'check' \gexec

\set call '''posts'', ''id'', conversion => ''to_v7'', other_values => ''keep'', also => ''{likes.subject}'', created => ''created'''
\set undo '''posts'', ''id'', conversion => ''from_v7'', other_values => ''keep'', also => ''{likes.subject}'''
SELECT phase, locks, sql FROM uuidx_migrate.script(:call, mode => 'online', trust_owners => true) WHERE phase IN ('proof', 'after') AND locks ~ 'likes';
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online', trust_owners => true) WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
-- A key is inserted after what has its value, changes, or goes and comes again.
INSERT INTO posts (id, n) VALUES (v4(4), 4);
INSERT INTO likes VALUES (v4(7), 7), (v4(8), 8);
INSERT INTO posts (id, n) VALUES (v4(7), 7);
UPDATE posts SET id = v4(1002) WHERE n = 2;
BEGIN;
DELETE FROM posts WHERE n = 3;
INSERT INTO posts (id, n, created) VALUES (v4(3), 3, '2021-01-01 00:00:00+00');
COMMIT;
SELECT l.n, p.id_shadow = l.subject_shadow AS is_its_key, l.subject_shadow = l.subject AS stays FROM likes AS l LEFT JOIN posts AS p USING (n) ORDER BY l.n;
-- Two transactions did not see each other.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online', trust_owners => true) WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
ALTER TABLE posts DISABLE TRIGGER "0_id_shadow";
INSERT INTO posts (id, n) VALUES (v4(5), 5);
ALTER TABLE posts ENABLE ALWAYS TRIGGER "0_id_shadow";
SELECT subject_shadow = subject AS stays FROM likes WHERE n = 5;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online', trust_owners => true) WHERE phase = 'cutover' ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM state ORDER BY n;
-- Row security could hide such a value.
CREATE ROLE regress_uuidx_owner;
GRANT USAGE, CREATE ON SCHEMA public TO regress_uuidx_owner;
ALTER TABLE posts OWNER TO regress_uuidx_owner;
ALTER TABLE likes OWNER TO regress_uuidx_owner;
ALTER TABLE likes_5 OWNER TO regress_uuidx_owner;
ALTER TABLE likes_default OWNER TO regress_uuidx_owner;
ALTER TABLE posts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE regress_uuidx_owner;
SELECT regexp_replace(sql, '^(--[^\n]*\n)+', '') FROM uuidx_migrate.script(:call, mode => 'online', trust_owners => true) ORDER BY step \gexec
RESET ROLE;
ALTER TABLE posts DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY, OWNER TO CURRENT_USER;
ALTER TABLE likes OWNER TO CURRENT_USER;
ALTER TABLE likes_5 OWNER TO CURRENT_USER;
ALTER TABLE likes_default OWNER TO CURRENT_USER;
DROP OWNED BY regress_uuidx_owner;
DROP ROLE regress_uuidx_owner;
\set ECHO none
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online', trust_owners => true) ORDER BY step \gexec
\set ECHO all
SELECT * FROM state ORDER BY n;
-- A value for the shadow column alone is not lost in silence.
INSERT INTO likes VALUES (v4(1), 1);
\echo :LAST_ERROR_SQLSTATE
-- Clients go on to write former keys, also before the row has that key.
INSERT INTO likes (subject, n) VALUES (v4(1), 1), (v4(9), 9), (v4(10), 10);
INSERT INTO posts (id, n) VALUES (v4(9), 9), (v4(1010), 10);
UPDATE posts SET id = v4(10) WHERE n = 10;
SELECT n, id, id_shadow FROM posts WHERE n >= 9;
SELECT * FROM state WHERE n IN (1, 9, 10) ORDER BY n;
-- A script that leaves the column out is refused.
SELECT * FROM pg_temp.errors(
    $$SELECT count(*) FROM uuidx_migrate.script('posts', 'id', 'online', 'from_v7', trust_owners => true)$$,
    $$SELECT count(*) FROM uuidx_migrate.script('posts', 'id', 'finish', 'to_v7', trust_owners => true)$$);
-- So is the migration of another key with this column.
CREATE TABLE others (id uuid PRIMARY KEY, created timestamptz);
SELECT relation, column_name, obstacles FROM uuidx_migrate.plan('others', 'id', conversion => 'to_v7', also => '{likes.subject}', created => 'created', trust_owners => true);
SELECT count(*) FROM uuidx_migrate.script('others', 'id', 'online', 'to_v7', also => '{likes.subject}', created => 'created', trust_owners => true);
SELECT relation, column_name, obstacles[1]
FROM uuidx_migrate.plan('others', 'id', conversion => 'to_v7', also => '{posts.id}', created => 'created', trust_owners => true)
WHERE relation = 'posts'::regclass;
-- Its table may take part in both.
ALTER TABLE likes ADD other uuid;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('others', 'id', 'online', 'to_v7', also => '{likes.other}', other_values => 'keep', created => 'created', trust_owners => true)
WHERE phase ~ '^(check|shadow|fill|validate|key)$' ORDER BY step \gexec
\o \set ECHO all
SELECT relation, column_name, o
FROM uuidx_migrate.plan('posts', 'id', conversion => 'from_v7', other_values => 'keep', also => '{likes.subject,likes.other}', trust_owners => true), unnest(obstacles) AS o
WHERE o ~ 'another migration';
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('others', 'id', 'finish', 'from_v7', also => '{likes.other}', other_values => 'keep', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
ALTER TABLE likes DROP other;
DROP TABLE others;
ALTER TABLE posts ADD other uuid UNIQUE;
SELECT relation, column_name, obstacles[1] FROM uuidx_migrate.plan('posts', 'other', conversion => 'to_v7', also => '{likes.subject}', created => 'created', trust_owners => true);
SELECT relation, column_name, obstacles[1] FROM uuidx_migrate.plan('posts', 'other', conversion => 'v1_to_v6', also => '{likes.subject}', trust_owners => true);
-- Another key of the table has a migration of its own.
SELECT count(*) > 0 AS is_written FROM uuidx_migrate.script('posts', 'other', 'online', 'to_v7', created => 'created', trust_owners => true);
ALTER TABLE posts DROP other;

\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:undo, mode => 'online', trust_owners => true) ORDER BY step \gexec
CREATE TABLE finish AS SELECT step, sql FROM uuidx_migrate.script(:undo, mode => 'finish', trust_owners => true);
SELECT sql FROM finish ORDER BY step \gexec
-- A script that is saved can run again.
SELECT sql FROM finish ORDER BY step \gexec
\o \set ECHO all
DROP TABLE finish;
SELECT l.n, l.subject = v4(l.n) AS former, p.id = l.subject AS is_key FROM likes AS l LEFT JOIN posts AS p USING (n) ORDER BY l.n;

-- Offline
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM state ORDER BY n;
SELECT count(*) FROM uuidx_migrate.script(:undo, mode => 'online', trust_owners => true);
SELECT regexp_replace(sql, '^(--[^\n]*\n)+', '') FROM uuidx_migrate.script('posts', 'id', 'finish', 'to_v7', other_values => 'keep', also => '{likes.subject}', trust_owners => true) \gexec
SELECT to_regclass('posts_id_former');
DROP TABLE posts, likes CASCADE;
DROP FUNCTION v1, v4, v6, nothing;
