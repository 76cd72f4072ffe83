-- Numbers become version 7
\set ECHO none \i sql/include/migration.sql \set ECHO all
CREATE ROLE regress_uuidx_reader;
CREATE SCHEMA numbers;
SET search_path = numbers, public;

-- The new key: a time and random bits, or those of a name; and what is pending
SELECT uuid_is_v7(k) AS is_v7, uuid_time(k), k <> uuidx_migrate_steps.v7_key_of_number(1, '2020-01-01', 'error', 'error', NULL) AS random
FROM uuidx_migrate_steps.v7_key_of_number(1, '2020-01-01', 'error', 'error', NULL) AS k;
SELECT n, uuidx_migrate_steps.v7_key_of_number(n, '2020-01-01', 'error', 'error', 'shop:') = uuid_v7_of_name('2020-01-01', 'shop:' || n) AS same
FROM unnest('{0,1,-1,9223372036854775807,-9223372036854775808}'::bigint[]) AS n;
SELECT uuidx_migrate_steps.v7_key_of_number(NULL, '2020-01-01', 'error', 'error', NULL) IS NULL AS null_, uuid_time(uuidx_migrate_steps.v7_key_of_number(1, NULL, 'epoch', 'error', NULL));
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate_steps.v7_key_of_number(42, NULL, 'error', 'error', NULL)$$,
    $$SELECT uuidx_migrate_steps.v7_key_of_number(42, '2020-01-01', NULL, 'error', NULL)$$);
SELECT n, p, uuid_variant(p) FROM unnest('{0,42,-1,9223372036854775807}'::bigint[]) AS n, uuidx_migrate_steps.pending_number(n) AS p;
SELECT uuidx_migrate_steps.pending_number(-7::smallint) = uuidx_migrate_steps.pending_number(-7) AS same,
       uuidx_migrate_steps.pending_number(-7) = uuidx_migrate_steps.pending_number(-7::bigint) AS same;

-- Identity with odd options, references of three types, a composite one with a UUID, a column without a foreign key, a number
-- beside the type of what it is of
CREATE TABLE users (id bigint GENERATED ALWAYS AS IDENTITY (START 5 INCREMENT 3 MINVALUE -100 MAXVALUE 5000 CACHE 7 CYCLE) PRIMARY KEY, tenant uuid NOT NULL, name text UNIQUE,
                    created timestamptz DEFAULT '2020-05-05', boss bigint REFERENCES users DEFERRABLE INITIALLY DEFERRED, UNIQUE (id, tenant));
COMMENT ON SEQUENCE users_id_seq IS 'the numbers';
GRANT USAGE, SELECT ON SEQUENCE users_id_seq TO regress_uuidx_reader;
COMMENT ON COLUMN users.id IS 'a number';
CREATE TABLE posts (n serial PRIMARY KEY, author int NOT NULL DEFAULT 5 REFERENCES users ON DELETE CASCADE ON UPDATE CASCADE, editor bigint REFERENCES users DEFERRABLE INITIALLY DEFERRED,
                    small smallint UNIQUE REFERENCES users DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE members (number int, tenant uuid, FOREIGN KEY (number, tenant) REFERENCES users (id, tenant));
CREATE TABLE tags (u int);
CREATE TABLE audit (subject_type text, subject_id bigint, item_type text, item_id text);
INSERT INTO users (tenant, name, created) SELECT gen_random_uuid(), 'u' || n, timestamptz '2020-01-01' + n * interval '1 day' FROM generate_series(1, 6) AS n;
INSERT INTO users (id, tenant, name, created) OVERRIDING SYSTEM VALUE VALUES (0, gen_random_uuid(), 'zero', '2020-02-01'), (-7, gen_random_uuid(), 'negative', '2020-02-02');
UPDATE users SET boss = 5 WHERE id > 5;
INSERT INTO posts (author, editor, small) SELECT id, id, id FROM users ORDER BY id;
INSERT INTO members SELECT id, tenant FROM users;
INSERT INTO tags SELECT id FROM users;
INSERT INTO audit VALUES ('user', 5);
CREATE TABLE oracle AS
SELECT p.n, u.name, b.name AS boss FROM posts AS p JOIN users AS u ON u.id = p.author AND u.id = p.editor AND u.id = p.small LEFT JOIN users AS b ON b.id = u.boss;
CREATE FUNCTION wrong() RETURNS SETOF text LANGUAGE plpgsql AS $$BEGIN RETURN QUERY
    SELECT format('%s %s %s', o.n, o.name, o.boss) FROM oracle AS o WHERE NOT EXISTS (
        SELECT FROM posts AS p JOIN users AS u ON u.id = p.author AND u.id = p.editor AND u.id = p.small LEFT JOIN users AS b ON b.id = u.boss
        JOIN members AS m ON m.number = u.id AND m.tenant = u.tenant JOIN tags AS t ON t.u = u.id
        WHERE p.n = o.n AND u.name = o.name AND b.name IS NOT DISTINCT FROM o.boss); END$$;
CREATE VIEW state AS
SELECT format('%s.%s', attrelid::regclass, attname) AS object, format_type(atttypid, atttypmod) AS type, attnotnull AS not_null, attidentity AS identity, attacl::text AS acl,
       regexp_replace(pg_get_expr(adbin, adrelid), '\s+', ' ', 'g') AS definition, col_description(attrelid, attnum) AS comment
FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attrelid = ANY ('{users,posts,members,tags}'::regclass[]) AND attnum > 0 AND NOT attisdropped
UNION ALL
SELECT conrelid::regclass || ' ' || conname, contype::text, convalidated, '', NULL, pg_get_constraintdef(oid), obj_description(oid)
FROM pg_constraint WHERE conrelid = ANY ('{users,posts,members,tags}'::regclass[]) AND contype <> 'n'
UNION ALL
SELECT s.seqrelid::regclass::text, pg_get_serial_sequence('users', a.attname) || ' of ' || a.attname, seqcycle, '',
       replace(relacl::text, current_user, 'owner'), concat_ws(' ', seqstart, seqincrement, seqmin, seqmax, seqcache), obj_description(s.seqrelid, 'pg_class')
FROM pg_sequence AS s JOIN pg_class AS c ON c.oid = seqrelid
JOIN pg_depend AS d ON d.objid = c.oid AND d.refobjid = 'users'::regclass
JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
WHERE s.seqrelid::regclass::text = 'users_id_seq';
CREATE TABLE before AS SELECT * FROM state;
CREATE FUNCTION changes() RETURNS SETOF state LANGUAGE sql AS $$
SELECT '- ' || object, type, not_null, identity, acl, definition, comment FROM (TABLE before EXCEPT TABLE state) AS b
UNION ALL SELECT '+ ' || object, type, not_null, identity, acl, definition, comment FROM (TABLE state EXCEPT TABLE before) AS s ORDER BY 1 $$;
CREATE FUNCTION numbers(mode text, conversion text, phases text DEFAULT '.*', keep_number name DEFAULT NULL) RETURNS TABLE (sql text) LANGUAGE sql AS $$
SELECT s.sql FROM uuidx_migrate.script('users', 'id', mode, conversion, also => '{tags.u}', created => CASE conversion WHEN 'bigint_to_v7' THEN 'created' END,
                                       namespace => 'shop:', keep_number => keep_number) AS s WHERE s.phase ~ phases ORDER BY s.step $$;
SELECT relation, column_name, default_afterwards, ARRAY(SELECT r FROM unnest(remarks) AS r WHERE r !~ 'disk|function') AS remarks, obstacles
FROM uuidx_migrate.plan('users', 'id', conversion => 'bigint_to_v7', created => 'created', also => '{tags.u}');

-- Offline. The sequence of the identity is made again, without what default privileges add.
ALTER DEFAULT PRIVILEGES IN SCHEMA numbers GRANT ALL ON SEQUENCES TO regress_uuidx_reader;
\set ECHO none \o /dev/null
SELECT sql FROM numbers('offline', 'bigint_to_v7') \gexec
\o \set ECHO all
SELECT wrong();
SELECT * FROM changes();
SELECT replace(g, current_user::regrole::text, 'OWNER') AS grants FROM uuidx_migrate_steps.grant_all('SEQUENCE new', 'posts_n_seq') AS g;
ALTER DEFAULT PRIVILEGES IN SCHEMA numbers REVOKE ALL ON SEQUENCES FROM regress_uuidx_reader;
SELECT id = uuid_v7_of_name(created, 'shop:' || id_shadow) AS repeatable, count(*), min(id_shadow), max(id_shadow) FROM users GROUP BY 1;
INSERT INTO users (tenant, name) VALUES (gen_random_uuid(), 'new') RETURNING uuid_is_v7(id), id_shadow;
INSERT INTO posts DEFAULT VALUES RETURNING author = (SELECT id FROM users WHERE name = 'u1') AS default_is_converted;
-- ... and back: new rows have the numbers that they got.
\set ECHO none \o /dev/null
SELECT sql FROM numbers('offline', 'v7_to_bigint') \gexec
\o \set ECHO all
SELECT wrong();
SELECT * FROM changes();
SELECT id, name, boss FROM users ORDER BY id;
SELECT n, author FROM posts ORDER BY n DESC LIMIT 1;
INSERT INTO users (tenant, name) VALUES (gen_random_uuid(), 'after') RETURNING id;

-- Online, up to the cutover: references that come before their keys
\set ECHO none \o /dev/null
SELECT sql FROM numbers('online', 'bigint_to_v7', '^(check|shadow|fill|validate|key|index|proof)$') \gexec
\o \set ECHO all
SELECT count(*) AS keys, count(*) FILTER (WHERE uuid_is_v7(id_shadow)) AS filled FROM users;
BEGIN;
INSERT INTO posts (author, editor, small) VALUES (5, 500, 500) RETURNING editor_shadow = uuidx_migrate_steps.pending_number(500) AS pending, small_shadow;
INSERT INTO users (id, tenant, name, created) OVERRIDING SYSTEM VALUE VALUES (500, gen_random_uuid(), 'late', '2020-03-01');
COMMIT;
\set VERBOSITY sqlstate
INSERT INTO posts (author, editor) VALUES (5, 501);
\set VERBOSITY default
\echo :LAST_ERROR_SQLSTATE
SELECT p.editor_shadow = u.id_shadow AS same, p.small_shadow = u.id_shadow AS same FROM posts AS p JOIN users AS u ON u.id = p.editor WHERE u.name = 'late';
-- The key of a row stays as it is. A client may choose that of a new row.
UPDATE users SET name = 'renamed' WHERE id = 500 RETURNING id_shadow = uuid_v7_of_name(created, 'shop:500') AS same;
INSERT INTO users (id, tenant, name, id_shadow) OVERRIDING SYSTEM VALUE VALUES (600, gen_random_uuid(), 'chosen', '01a20912-fbf8-7e37-9335-f7995706e31e') RETURNING id_shadow;
INSERT INTO users (id, tenant, name, id_shadow) OVERRIDING SYSTEM VALUE VALUES (601, gen_random_uuid(), 'wrong', gen_random_uuid());
\echo :LAST_ERROR_SQLSTATE
DELETE FROM users WHERE id = 600;
INSERT INTO users (id, tenant, name, created) OVERRIDING SYSTEM VALUE VALUES (602, gen_random_uuid(), 'no time', NULL);
\echo :LAST_ERROR_SQLSTATE
-- The cutover
\set ECHO none \o /dev/null
SELECT sql FROM numbers('online', 'bigint_to_v7') \gexec
\o \set ECHO all
SELECT wrong();
SELECT object, type, not_null, identity, definition FROM changes() WHERE object NOT LIKE '%CHECK%' AND object NOT LIKE '% zzz%';
INSERT INTO users (tenant, name) VALUES (gen_random_uuid(), 'third') RETURNING uuid_is_v7(id), id_shadow;
SELECT pg_get_serial_sequence('users', 'id'), pg_get_serial_sequence('users', 'id_shadow'), lastval() = (SELECT id_shadow FROM users WHERE name = 'third') AS last;
BEGIN;
INSERT INTO posts (editor, small) VALUES ('018c2e65-4b7d-7000-8000-000000000000', '018c2e65-4b7d-7000-8000-000000000000') RETURNING author_shadow, editor_shadow, small_shadow;
INSERT INTO users (id, tenant, name) VALUES ('018c2e65-4b7d-7000-8000-000000000000', gen_random_uuid(), 'fourth');
COMMIT;
SELECT p.editor_shadow = u.id_shadow AS same, p.small_shadow = u.id_shadow AS same FROM posts AS p JOIN users AS u ON u.id = p.editor WHERE u.name = 'fourth';
UPDATE posts SET editor = (SELECT id FROM users WHERE name = 'u2') WHERE editor_shadow = 5 RETURNING editor_shadow;
UPDATE posts SET editor = author WHERE author_shadow = 5 AND editor_shadow = 8 RETURNING editor_shadow;
-- A reference to no key, in a column without a foreign key, has no number: neither an undo nor the end leaves it behind.
INSERT INTO tags (u) VALUES ('018c2e65-4b7d-7000-8000-00000000ffff') RETURNING u_shadow;
SELECT sql AS check_ FROM numbers('online', 'v7_to_bigint', '^check$') WHERE sql LIKE '%check_numbers%tags%' \gset
:check_;
\echo :LAST_ERROR_SQLSTATE
SELECT regexp_replace(sql, '--.*\n', '', 'g') AS check_ FROM numbers('finish', 'bigint_to_v7') WHERE sql LIKE '%check_keys%' AND sql NOT LIKE '%CALL%' \gset
:check_;
\echo :LAST_ERROR_SQLSTATE
DELETE FROM tags WHERE u_shadow IS NULL;
-- Undone: constraints show that no number is missing where none may be and nothing generates them.
SELECT DISTINCT m FROM numbers('online', 'v7_to_bigint', '^proof$'), regexp_matches(sql, E'ALTER TABLE (\\S+) ADD CONSTRAINT (nn_\\w+)') AS m ORDER BY m;
\set ECHO none \o /dev/null
SELECT sql FROM numbers('online', 'v7_to_bigint') \gexec
\o \set ECHO all
SELECT wrong();
INSERT INTO users (tenant, name, created) VALUES (gen_random_uuid(), 'fifth', '2020-04-01') RETURNING id > 50 AS has_number, uuid_is_v7(id_shadow);
INSERT INTO posts (author, editor) SELECT id, id FROM users WHERE name = 'fifth' RETURNING editor_shadow IS NOT NULL AS has_key;
\set ECHO none \o /dev/null
SELECT sql FROM numbers('finish', 'v7_to_bigint') \gexec
\o \set ECHO all
SELECT wrong();
SELECT * FROM changes();

-- Once more, offline, and to the end: the number gets a name of its own.
SELECT * FROM uuidx_migrate.script('posts', 'author', 'finish', 'bigint_to_v7', also => '{tags.u}', keep_number => 'name');
\echo :LAST_ERROR_SQLSTATE
\set ECHO none \o /dev/null
SELECT sql FROM numbers('offline', 'bigint_to_v7') \gexec
\o \set ECHO all
ALTER TABLE users ADD CONSTRAINT users_number_key CHECK (name <> '');
SELECT * FROM uuidx_migrate.script('users', 'id', 'finish', 'bigint_to_v7', also => '{tags.u}', keep_number => 'number');
ALTER TABLE users DROP CONSTRAINT users_number_key;
\set ECHO none \o /dev/null
SELECT sql FROM numbers('finish', 'bigint_to_v7', keep_number => 'number') \gexec
\o \set ECHO all
SELECT wrong();
SELECT * FROM changes();
INSERT INTO users (tenant, name) VALUES (gen_random_uuid(), 'sixth') RETURNING uuid_is_v7(id), number > 50 AS has_number;
DROP TABLE users, posts, members, tags, audit, oracle, before CASCADE;

SET client_min_messages = error;
DROP SCHEMA numbers CASCADE;
DROP ROLE regress_uuidx_reader;
