-- The text that a key gets after the cutover, until the migration is finished or undone
\set ECHO none \i sql/include/spelled.sql \set ECHO all
-- Texts that are too short for the canonical form are written in another one.
CREATE TABLE sizes (hex char(32) PRIMARY KEY, ulid char(26) UNIQUE, longer varchar(35), short varchar(27), n int);
INSERT INTO sizes SELECT replace(key(n)::text, '-', ''), uuid_encode(key(n), 'ulid'), replace(key(n)::text, '-', ''), NULL, n FROM generate_series(1, 3) AS n;
\set ECHO none \o /dev/null
SELECT sql FROM unnest('{hex,ulid,longer,short}'::name[]) AS c, uuidx_migrate.script('sizes', c, 'online', 'text_to_uuid', trust_owners => true) ORDER BY c, step \gexec
\o \set ECHO all
INSERT INTO sizes (hex, ulid, longer, n) VALUES (key(4), key(4), key(4), 4);
INSERT INTO sizes (hex, ulid, short, n) VALUES (key(5), key(5), key(5), 5);
SELECT n, hex_shadow, ulid_shadow, longer_shadow, short_shadow, (hex, ulid) = (key(n), key(n)) AS right
FROM sizes ORDER BY n;
DROP TABLE sizes;
-- In one that fits into all columns, whichever is written first
CREATE TABLE keys (id varchar(36) PRIMARY KEY, parent text REFERENCES keys DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE notes (id char(32) REFERENCES keys DEFERRABLE INITIALLY DEFERRED, n int);
CREATE FUNCTION add_ten() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.n := new.n + 10; RETURN new; END';
CREATE TRIGGER changed BEFORE UPDATE ON notes FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION add_ten();
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('notes', 'id', 'online', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
BEGIN;
INSERT INTO notes (id, n) VALUES (key(1), 1);
INSERT INTO keys (id, parent) VALUES (key(1), key(2));
INSERT INTO keys (id) VALUES (key(2));
COMMIT;
INSERT INTO notes (id, n) VALUES (key(2), 2);
-- A trigger whose condition compares rows goes on.
UPDATE notes SET n = 3 WHERE n = 2;
UPDATE notes SET n = n;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('notes', 'id', 'online', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT k.id, p.id AS parent, n.n FROM keys AS k JOIN notes AS n ON n.id = k.id LEFT JOIN keys AS p ON p.id = k.parent ORDER BY n.n;
DROP TABLE keys, notes;
DROP FUNCTION add_ten;

-- A key that is deleted and inserted again has another text than what references it, until that is written again.
CREATE TABLE keys (id text PRIMARY KEY);
CREATE TABLE notes (id text REFERENCES keys DEFERRABLE INITIALLY DEFERRED);
INSERT INTO keys VALUES (upper(key(10)::text));
INSERT INTO notes SELECT id FROM keys;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'online', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
BEGIN;
DELETE FROM keys;
INSERT INTO keys (id) VALUES (key(10));
COMMIT;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'online', 'uuid_to_text', trust_owners => true) WHERE phase = 'index' ORDER BY step \gexec
\o \set ECHO all
UPDATE notes SET id_shadow = NULL RETURNING id_shadow;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'online', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT k.id, n.id FROM keys AS k JOIN notes AS n ON n.id = k.id;
DROP TABLE keys, notes;

-- With two keys in a table, one finds the texts of its own although the other has another name by now, or is gone.
CREATE TABLE keys (a text UNIQUE, b text UNIQUE);
CREATE TABLE notes (n int, a text REFERENCES keys (a), b text REFERENCES keys (b));
INSERT INTO keys SELECT upper(key(n)::text), upper(key(n)::text) FROM generate_series(20, 22) AS n;
\set ECHO none \o /dev/null
SELECT sql FROM unnest('{a,b}'::name[]) AS c, uuidx_migrate.script('keys', c, 'online', 'text_to_uuid', trust_owners => true) ORDER BY c, step \gexec
\o \set ECHO all
ALTER TABLE keys RENAME b TO renamed;
INSERT INTO notes (n, a, b) VALUES (1, key(20), key(20));
ALTER TABLE keys DROP renamed CASCADE;
INSERT INTO notes (n, a, b) VALUES (2, key(21), key(20));
ALTER TABLE keys RENAME a TO other;
INSERT INTO notes (n, a, b) VALUES (3, key(22), key(20));
SELECT n, a_shadow, b_shadow FROM notes ORDER BY n;
DROP TABLE keys, notes;

RESET ROLE;
DROP OWNED BY regress_uuidx_owner;
DROP ROLE regress_uuidx_owner;
