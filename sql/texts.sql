-- Texts that hold a key move with it, and keep their form
\set ECHO none \i sql/include/migration.sql \set ECHO all
-- Which texts another UUID can take the place of
SELECT t, k, uuidx_migrate_steps.text_with_key(t, '0000abcd-0000-7000-8000-00000000000f') FROM (VALUES
    ('919108f7-52d1-4320-9bac-f847db4148a8'), ('919108F7-52D1-4320-9BAC-F847DB4148A8'), ('919108f752d143209bacf847db4148a8'),
    ('{919108F752D143209BACF847DB4148A8}'), ('{919108f7-52d1-4320-9bac-f847db4148a8}'), ('urn:uuid:919108f7-52d1-4320-9bac-f847db4148a8'),
    ('URN:UUID:919108F7-52D1-4320-9BAC-F847DB4148A8'), ('4HJ44FEMPH8CG9QB7R8ZDM2J58'), ('4hj44femph8cg9qb7r8zdm2j58'), ('11111111-1111-4111-8111-111111111111'),
    ('919108F7-52d1-4320-9bac-f847db4148a8'), ('9191-08f7-52d1-4320-9bac-f847-db41-48a8'), ('4HJ44FEMPH8CG9QB7R8ZDM2JSb'), ('OHJ44FEMPH8CG9QB7R8ZDM2J58'),
    (' 919108f7-52d1-4320-9bac-f847db4148a8'), ('{919108f7-52d1-4320-9bac-f847db4148a8'), ('{}'), ('{'), ('urn:uuid:'), ('')) AS v (t), uuidx_migrate_steps.key_of_text(t) AS k;
SELECT uuidx_migrate_steps.text_with_key(NULL, '0000abcd-0000-7000-8000-00000000000f'), uuidx_migrate_steps.text_with_key('a', NULL);
SELECT a, b, uuidx_migrate_steps.is_spelled_like(a, b), uuidx_migrate_steps.is_spelled_like(b, a) = uuidx_migrate_steps.is_spelled_like(a, b) AS symmetric FROM (VALUES
    ('a', 'a'), ('a', 'b'), ('919108F7-52D1-4320-9BAC-F847DB4148A8', '11111111-1111-4111-8111-111111111111'),
    ('919108F7-52D1-4320-9BAC-F847DB4148A8', '919108f7-52d1-4320-9bac-f847db4148a8'), ('919108f7-52d1-4320-9bac-f847db4148a8', '919108f752d143209bacf847db4148a8'),
    ('{919108f7-52d1-4320-9bac-f847db4148a8}', '919108f7-52d1-4320-9bac-f847db4148a8'), ('urn:uuid:919108f7-52d1-4320-9bac-f847db4148a8', 'URN:uuid:11111111-1111-4111-8111-111111111111')) AS v (a, b);

CREATE FUNCTION v4(n int) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN format('%s-000a-400b-800c-%s', lpad(to_hex(n), 8, 'a'), lpad(to_hex(n), 12, 'd'))::uuid;
CREATE TABLE items (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int, created timestamptz DEFAULT '2020-01-01 00:00:00+00');
CREATE TABLE history (n int, item text NOT NULL COLLATE "C", code varchar(36) DEFAULT 'none', padded char(40) DEFAULT 'aaaaaaa1-000a-400b-800c-ddddddddddd1') PARTITION BY LIST (n);
CREATE TABLE history_1 PARTITION OF history FOR VALUES IN (1, 2, 3);
CREATE TABLE history_default PARTITION OF history DEFAULT;
CREATE UNIQUE INDEX ON history_1 (item);
CREATE INDEX ON history (code varchar_pattern_ops);
ALTER TABLE history ALTER item SET STORAGE EXTERNAL, ADD CHECK (item <> '');
INSERT INTO items (id, n) SELECT v4(n), n FROM generate_series(1, 6) AS n;
INSERT INTO history
SELECT n, CASE n % 3 WHEN 0 THEN upper(id::text) WHEN 1 THEN '{' || id || '}' ELSE replace(id::text, '-', '') END, uuid_encode(id, 'ulid'), id FROM items WHERE n < 6;
CREATE TABLE before AS SELECT n, item, code, padded FROM history;
-- Which of the texts have the key of their row
CREATE VIEW state AS
SELECT h.n, concat_ws(' ', CASE WHEN uuidx_migrate_steps.key_of_text(h.item) = i.id THEN 'item' END, CASE WHEN uuidx_migrate_steps.key_of_text(h.code) = i.id THEN 'code' END,
                      CASE WHEN uuidx_migrate_steps.key_of_text(h.padded) = i.id THEN 'padded' END) AS keys, h.item, h.code, h.padded
FROM history AS h LEFT JOIN items AS i USING (n);

-- Texts that no key can take the place of, or that are no keys, are errors, unless they are to stay.
\set call '''items'', ''id'', conversion => ''to_v7'', created => ''created'', trust_owners => true, also => ''{history.item,history.code,history.padded}'''
\set undo '''items'', ''id'', conversion => ''from_v7'', trust_owners => true, also => ''{history.item,history.code,history.padded}'''
INSERT INTO history VALUES (7, 'no key', NULL, NULL), (8, 'AAAAAAA1-000a-400b-800c-ddddddddddd1', NULL, NULL);
SELECT * FROM pg_temp.obstacles('plan(' || :'call' || ')');
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') WHERE sql ~ 'check_keys.*''item''' AND phase = 'check' \gexec
SELECT unnest(obstacles) FROM uuidx_migrate.plan(:call, other_values => 'keep');
DELETE FROM history WHERE n > 6;
CREATE TABLE other_types (b bytea);
SELECT count(*) FROM uuidx_migrate.plan('items', 'id', conversion => 'to_v7', created => 'created', also => '{other_types.b}', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
DROP TABLE other_types;

-- Offline, and back
SELECT l AS sql FROM uuidx_migrate.script(:call), regexp_split_to_table(substring(sql, '-- 4 of 5(.*)-- 5 of 5'), ';?\n') AS l WHERE l ~ 'history';
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM state ORDER BY n;
\d history
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:undo, new_default => 'gen_random_uuid()') ORDER BY step \gexec
\o \set ECHO all
SELECT n, item, code, padded FROM history EXCEPT TABLE before;
\d history

-- Online: a text is looked up when it is written.
SELECT phase, locks, sql FROM uuidx_migrate.script(:call, mode => 'online') WHERE phase IN ('proof', 'after') AND locks ~ 'history';
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') WHERE phase NOT IN ('proof', 'cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
SELECT pg_get_indexdef(indexrelid) AS index FROM pg_index WHERE indrelid = 'history_1'::regclass ORDER BY 1;
SELECT conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
WHERE conrelid = 'history_1'::regclass AND contype NOT IN ('n', 't') ORDER BY conname COLLATE "C";
SELECT tgname, tgenabled, substring(pg_get_triggerdef(oid), '(?:AFTER|BEFORE).*') AS definition FROM pg_trigger
WHERE tgrelid = 'history_1'::regclass AND tgfoid::regproc::text LIKE 'uuidx_migrate_steps.%' ORDER BY tgname COLLATE "C";
INSERT INTO history VALUES (6, upper(v4(6)::text), v4(6), v4(6));
UPDATE history SET code = lower(code) WHERE n = 4;
-- One that comes before its key stays as it is, until the transaction ends or the script looks it up.
BEGIN;
INSERT INTO history VALUES (9, v4(9), v4(9), v4(9));
SELECT item = item_shadow AS is_pending FROM history WHERE n = 9;
INSERT INTO items (id, n) VALUES (v4(9), 9);
COMMIT;
INSERT INTO history VALUES (10, v4(10), v4(10), v4(10)), (11, v4(1), NULL, NULL);
INSERT INTO items (id, n) VALUES (v4(10), 10);
-- A key comes again, with another time.
DELETE FROM items WHERE n = 2;
INSERT INTO items (id, n, created) VALUES (v4(2), 2, '2021-01-01 00:00:00+00');
PREPARE shadows AS
SELECT h.n, uuidx_migrate_steps.key_of_text(h.item_shadow) = i.id_shadow AS item, uuidx_migrate_steps.key_of_text(h.code_shadow) = i.id_shadow AS code,
       uuidx_migrate_steps.key_of_text(h.padded_shadow) = i.id_shadow AS padded, h.item_shadow
FROM history AS h LEFT JOIN items AS i USING (n) ORDER BY n;
EXECUTE shadows;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') WHERE phase = 'proof' ORDER BY step \gexec
\o \set ECHO all
EXECUTE shadows;
DEALLOCATE shadows;
-- The constraint says how a shadow is written.
BEGIN;
ALTER TABLE history_1 DISABLE TRIGGER zzz_item_shadow;
SELECT code FROM pg_temp.errors('UPDATE history SET item_shadow = lower(item_shadow) WHERE n = 3');
ROLLBACK;
-- Between the proof and the cutover
INSERT INTO history VALUES (12, v4(12), v4(12), v4(12));
INSERT INTO items (id, n) VALUES (v4(12), 12);
DELETE FROM items WHERE n = 1;
INSERT INTO items (id, n, created) VALUES (v4(1), 1, '2021-01-01 00:00:00+00');
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') WHERE phase NOT IN ('proof', 'after') ORDER BY step \gexec
\o \set ECHO all
SELECT n, keys FROM state WHERE n IN (1, 12) ORDER BY n;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM state ORDER BY n;
-- Clients write former keys and new ones.
INSERT INTO history VALUES (13, v4(1), v4(1), v4(1));
\echo :LAST_ERROR_SQLSTATE
INSERT INTO history (n, item, code) VALUES (13, upper(v4(1)::text), (SELECT id FROM items WHERE n = 1)), (14, v4(14), v4(14));
SELECT n, item, code, rtrim(padded) AS padded, item_shadow, code_shadow FROM history WHERE n >= 13 ORDER BY n;
INSERT INTO items (id, n) VALUES (v4(14), 14);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') ORDER BY step \gexec
\o \set ECHO all
SELECT n, keys FROM state WHERE n = 14;
-- Back
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:undo, mode => 'online') ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script(:undo, mode => 'finish') ORDER BY step \gexec
\o \set ECHO all
SELECT n, item, code, padded FROM history EXCEPT TABLE before ORDER BY n;
\d history
-- Given up
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script(:undo, mode => 'finish') ORDER BY step \gexec
\o \set ECHO all
\d history
-- Other texts stay, and what comes last is looked up by finish.
INSERT INTO history VALUES (20, 'no key', '', 'AAAAAAA1-000a-400b-800c-ddddddddddd1'), (21, v4(21), v4(22), NULL);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online', other_values => 'keep') ORDER BY step \gexec
INSERT INTO items (id, n) VALUES (v4(21), 21);
SELECT sql FROM uuidx_migrate.script(:call, mode => 'finish', other_values => 'keep') ORDER BY step \gexec
\o \set ECHO all
SELECT n, keys, CASE WHEN n >= 20 THEN item END AS item, CASE WHEN n >= 20 THEN code END AS code, CASE WHEN n >= 20 THEN padded END AS padded FROM state ORDER BY n;
DROP TABLE items, history, before CASCADE;

-- Keys of version 1 say themselves what they become.
CREATE TABLE keys (id uuid PRIMARY KEY, n int);
CREATE TABLE notes (n int, key varchar(45) UNIQUE);
INSERT INTO keys SELECT format('%s-9dc0-11d1-b245-5ffdce74fad2', lpad(to_hex(n), 8, 'a'))::uuid, n FROM generate_series(1, 4) AS n;
INSERT INTO notes SELECT n, CASE n WHEN 1 THEN id::text WHEN 2 THEN upper(id::text) WHEN 3 THEN uuid_encode(id, 'urn') ELSE uuid_encode(id, 'ulid') END FROM keys;
CREATE TABLE before AS TABLE notes;
\set call '''keys'', ''id'', conversion => ''v1_to_v6'', also => ''{notes.key}'', trust_owners => true'
\set undo '''keys'', ''id'', conversion => ''v6_to_v1'', also => ''{notes.key}'', trust_owners => true'
INSERT INTO notes VALUES (5, 'AAAAAAA1-9dc0-11d1-b245-5ffdce74fad2'), (6, 'aaaaaaa1-000a-400b-800c-ddddddddddd1');
SELECT relation, unnest(obstacles) FROM uuidx_migrate.plan(:call);
SELECT substring(sql, '[^\n]*check_values[^\n]*notes[^\n]*') FROM uuidx_migrate.script(:call) \gexec
DELETE FROM notes WHERE n >= 5;
SELECT l AS sql FROM uuidx_migrate.script(:call), regexp_split_to_table(sql, ';?\n') AS l WHERE l ~ 'notes ALTER COLUMN';
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call) ORDER BY step \gexec
\o \set ECHO all
SELECT n, key, uuidx_migrate_steps.key_of_text(key) = id AS is_key FROM notes JOIN keys USING (n) ORDER BY n;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:undo) ORDER BY step \gexec
\o \set ECHO all
TABLE notes EXCEPT TABLE before;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
SELECT conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
WHERE conrelid = 'notes'::regclass AND contype <> 'n' ORDER BY conname COLLATE "C";
SELECT tgname, tgenabled, substring(pg_get_triggerdef(oid), '(?:AFTER|BEFORE).*') AS definition FROM pg_trigger
WHERE tgrelid = 'notes'::regclass AND tgfoid::regproc::text LIKE 'uuidx_migrate_steps.%' ORDER BY tgname COLLATE "C";
INSERT INTO notes VALUES (7, '{AAAAAAA7-9DC0-11D1-B245-5FFDCE74FAD2}');
SELECT * FROM pg_temp.errors(
    $$INSERT INTO notes VALUES (8, 'no key')$$,
    $$INSERT INTO notes VALUES (8, 'Aaaaaaa8-9dc0-11d1-b245-5ffdce74fad2')$$);
DELETE FROM notes WHERE n = 7;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') ORDER BY step \gexec
\o \set ECHO all
INSERT INTO notes (n, key) VALUES (8, 'AAAAAAA89DC011D1B2455FFDCE74FAD2'), (9, '1d19dc0a-aaaa-6aa9-b245-5ffdce74fad2');
SELECT n, key, key_shadow FROM notes ORDER BY n;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:undo, mode => 'online') WHERE phase <> 'check' ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script(:undo, mode => 'finish') ORDER BY step \gexec
\o \set ECHO all
SELECT n, key FROM notes EXCEPT TABLE before ORDER BY n;
INSERT INTO notes VALUES (10, 'no key'), (11, 'Aaaaaaa8-9dc0-11d1-b245-5ffdce74fad2'), (12, 'aaaaaaa1-000a-400b-800c-ddddddddddd1');
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online', other_values => 'keep') ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script(:call, mode => 'finish', other_values => 'keep') ORDER BY step \gexec
\o \set ECHO all
SELECT n, key FROM notes ORDER BY n;
\d notes
-- Where PostgreSQL has ICU, different texts may be equal.
DO $$
BEGIN
    CREATE COLLATION pg_temp.any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    ALTER TABLE notes ALTER key TYPE text COLLATE pg_temp.any_case;
    ASSERT (SELECT count(*) FROM pg_temp.obstacles(
                $c$plan('keys', 'id', NULL, 'v1_to_v6', also => '{notes.key}', trust_owners => true)$c$) AS o
            WHERE o LIKE 'column key of table notes has a collation in which different texts are equal%Change its collation.') = 1;
EXCEPTION WHEN feature_not_supported THEN
END
$$;
DROP TABLE keys, notes, before CASCADE;
DROP FUNCTION v4;
