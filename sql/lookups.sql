-- Look-ups know no type: a conversion of numbers, which only this test has
\set SHOW_CONTEXT never
\set ECHO none \i sql/include/errors.sql \set ECHO all
SET client_min_messages = error;
CREATE SCHEMA numbers;
SET search_path = numbers;

-- Values of any type are looked up, also by a value of another type of the same operator family.
CREATE TABLE map (i int UNIQUE, b bigint UNIQUE, t text COLLATE "C" UNIQUE, v varchar(9) UNIQUE, c char(9) UNIQUE, n numeric UNIQUE, d date, long text);
INSERT INTO map VALUES (1, 10000000000, 'one', 'eins', 'un', 1.50, '2020-01-01', repeat('long', 100000)), (2, 2, 'two', 'zwei', 'deux', 2, NULL, NULL);
SELECT uuidx_migrate_steps.lookup('map', 'i', 'b', 1, 0::bigint) AS b, uuidx_migrate_steps.lookup('map', 'b', 'i', 10000000000, 0) AS i,
       uuidx_migrate_steps.lookup('map', 'b', 'i', 2::smallint, 0) AS cross_type, uuidx_migrate_steps.lookup('map', 't', 'n', 'two'::text, 0.0) AS n,
       uuidx_migrate_steps.lookup('map', 'v', 't', 'eins'::varchar, ''::text) AS t, uuidx_migrate_steps.lookup('map', 'c', 'i', 'un'::char(3), 0) AS padded,
       uuidx_migrate_steps.lookup('map', 'n', 'd', 1.5, NULL::date) AS d, md5(uuidx_migrate_steps.lookup('map', 'i', 'long', 1, ''::text)) = md5(repeat('long', 100000)) AS long;
SELECT uuidx_migrate_steps.lookup('map', 'i', 't', 3, 'none'::text) AS missing, uuidx_migrate_steps.lookup('map', 'i', 'd', 3, NULL::date) IS NULL AS null_,
       uuidx_migrate_steps.lookup('map', 'i', 't', NULL::int, 'none'::text) IS NULL AS no_key;
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate_steps.lookup('map', 'i', 'd', 2, NULL::date)$$,
    $$SELECT uuidx_migrate_steps.lookup('map', 'i', 't', 1, 0)$$,
    $$SELECT uuidx_migrate_steps.lookup('map', 'i', 't', 'one'::text, ''::text)$$,
    $$SELECT uuidx_migrate_steps.lookup('map', 'd', 't', '2020-01-01'::date, ''::text)$$);
DROP TABLE map;

-- A trigger may have more arguments than it knows, from a later version's script.
CREATE TABLE filled (id uuid, id_shadow uuid, CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0));
CREATE TRIGGER filled BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'keep', 'more');
INSERT INTO filled VALUES ('c232ab00-9414-11ec-b3c8-9f6bdeced846') RETURNING *;
DROP TABLE filled;

-- The conversion: a node's number becomes another one, made of both of its columns; and back.
CREATE FUNCTION renumber() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    written int := NEW.id;
    is_cut_over boolean := (SELECT c.attnum > s.attnum FROM pg_attribute AS c, pg_attribute AS s
                             WHERE c.attrelid = TG_RELID AND s.attrelid = TG_RELID AND c.attname = 'id' AND s.attname = 'id_shadow');
    number int := CASE WHEN written >= 1000 THEN (written - 1000) / 10 ELSE written END;
    new_number int := CASE WHEN written >= 1000 THEN written WHEN TG_OP = 'UPDATE' AND NOT is_cut_over AND OLD.id = NEW.id THEN OLD.id_shadow END;
BEGIN
    new_number := coalesce(new_number, 1000 + 10 * written + NEW.kind);
    NEW.id := CASE WHEN is_cut_over THEN new_number ELSE number END;
    NEW.id_shadow := CASE WHEN is_cut_over THEN number ELSE new_number END;
    RETURN NEW;
END $$;
CREATE FUNCTION uuidx_migrate_steps.pending_node(number int) RETURNS int LANGUAGE sql IMMUTABLE STRICT RETURN number;
\set ECHO none
SELECT pg_get_functiondef('uuidx_migrate_steps.conversions()'::regprocedure) AS original \gset
SELECT replace(:'original', ') AS p (', $$, ('renumber', 'number', true, false, false, false, '{integer}', '{integer}', NULL, NULL, NULL, NULL, NULL, NULL,
    '{numbers.renumber,column,shadow}', fill_reference, NULL,
    '1000 + 10 * %1$s + r.kind', 'pending_node', NULL, NULL, NULL)) AS p ($$) \gexec
\set ECHO all
-- Functions that are marked IMMUTABLE have not been called in this session.
\c -
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET search_path = numbers;

CREATE TABLE nodes (id int PRIMARY KEY, kind int, parent int REFERENCES nodes ON UPDATE CASCADE, up int, UNIQUE (id, kind));
CREATE TABLE notes (n int, node int REFERENCES nodes ON UPDATE CASCADE);
CREATE TABLE uses (n int, node int, kind int, FOREIGN KEY (node, kind) REFERENCES nodes (id, kind) ON UPDATE CASCADE);
CREATE TABLE later (n int, node int UNIQUE REFERENCES nodes DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE tags (n int, node int);
INSERT INTO nodes SELECT n, n, CASE WHEN n > 1 THEN n / 2 END, n / 2 FROM generate_series(1, 9) AS n;
INSERT INTO notes SELECT id, id FROM nodes;
INSERT INTO uses SELECT id, id, kind FROM nodes;
INSERT INTO later SELECT id, id FROM nodes WHERE id < 9;
INSERT INTO tags SELECT id, id FROM nodes UNION ALL SELECT 99, 99;
-- n and up say of which kind the node is that a row references.
CREATE VIEW wrong AS
SELECT 'nodes' AS relation, c.kind AS n FROM nodes AS c LEFT JOIN nodes AS p ON p.id = c.parent WHERE c.parent IS NOT NULL AND p.kind IS DISTINCT FROM c.up
UNION ALL SELECT 'notes', r.n FROM notes AS r LEFT JOIN nodes AS k ON k.id = r.node WHERE k.kind IS DISTINCT FROM r.n % 10
UNION ALL SELECT 'uses', r.n FROM uses AS r LEFT JOIN nodes AS k ON k.id = r.node WHERE k.kind IS DISTINCT FROM r.n % 10
UNION ALL SELECT 'later', r.n FROM later AS r LEFT JOIN nodes AS k ON k.id = r.node WHERE k.kind IS DISTINCT FROM r.n % 10
UNION ALL SELECT 'tags', r.n FROM tags AS r LEFT JOIN nodes AS k ON k.id = r.node WHERE k.kind IS DISTINCT FROM r.n % 10 AND r.n <> 99;
SELECT relation, column_name, obstacles FROM uuidx_migrate.plan('nodes', 'id', conversion => 'renumber', other_values => 'keep', also => '{tags.node}');

-- Offline, and back
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('nodes', 'id', 'offline', conversion => 'renumber', other_values => 'keep', also => '{tags.node}') ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM wrong;
SELECT array_agg(id ORDER BY id) AS ids, array_agg(parent ORDER BY id) AS parents FROM nodes;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('nodes', 'id', 'offline', conversion => 'number', other_values => 'keep', also => '{tags.node}') ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM wrong;
SELECT array_agg(id ORDER BY id) AS ids, array_agg(parent ORDER BY id) AS parents FROM nodes;

-- Online, with rows that are written between the phases
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('nodes', 'id', 'online', conversion => 'renumber', other_values => 'keep', also => '{tags.node}')
WHERE phase NOT IN ('proof', 'cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
CREATE FUNCTION unequal() RETURNS SETOF text LANGUAGE sql AS $$
SELECT format('%s %s', relation, n) FROM
(SELECT 'nodes', id, parent AS node, parent_shadow AS node_shadow FROM nodes WHERE parent IS NOT NULL UNION ALL SELECT 'notes', n, node, node_shadow FROM notes
 UNION ALL SELECT 'uses', n, node, node_shadow FROM uses UNION ALL SELECT 'later', n, node, node_shadow FROM later UNION ALL SELECT 'tags', n, node, node_shadow FROM tags) AS r (relation, n)
WHERE NOT EXISTS (SELECT FROM nodes AS k WHERE (k.id, k.id_shadow) = (r.node, r.node_shadow)) ORDER BY 1 $$;
SELECT * FROM unequal();
-- References come before the key, in one statement and in one transaction.
WITH r AS (INSERT INTO notes VALUES (11, 11)), u AS (INSERT INTO uses VALUES (11, 11, 1)) INSERT INTO nodes (id, kind, parent, up) VALUES (10, 0, 11, 1), (11, 1, 11, 1);
BEGIN;
INSERT INTO later VALUES (12, 12);
SELECT node = node_shadow AS pending FROM later WHERE n = 12;
INSERT INTO tags VALUES (12, 12);
INSERT INTO nodes VALUES (12, 2);
COMMIT;
UPDATE nodes SET parent = 12, up = 2 WHERE id = 10;
SELECT * FROM unequal();
-- The new number of a node means the node already. One that changes is followed.
INSERT INTO notes VALUES (3, 1033) RETURNING *;
DELETE FROM later WHERE n = 3;
UPDATE nodes SET id = 23 WHERE id = 3;
UPDATE tags SET node = 23 WHERE n = 3;
SELECT * FROM unequal();
BEGIN;
UPDATE later SET n = 18 WHERE n = 8;
DELETE FROM uses WHERE n = 8;
DELETE FROM notes WHERE n = 8;
DELETE FROM nodes WHERE id = 8;
INSERT INTO nodes VALUES (8, 8, 4, 4);
COMMIT;
SELECT * FROM unequal();
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('nodes', 'id', 'online', conversion => 'renumber', other_values => 'keep', also => '{tags.node}') ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM unequal();
SELECT array_agg(id ORDER BY id) AS ids FROM nodes;
SELECT * FROM wrong;
-- A client that still writes the former number means the node that had it. A key may come late here, too.
INSERT INTO notes (n, node) VALUES (1, 1) RETURNING n, node, node_shadow;
WITH r AS (INSERT INTO notes (n, node) VALUES (14, 1144)) INSERT INTO nodes (id, kind, parent, up) VALUES (1144, 4, 1011, 1);
BEGIN;
INSERT INTO later (n, node) VALUES (15, 1155);
INSERT INTO tags (n, node) VALUES (15, 1155);
INSERT INTO nodes (id, kind) VALUES (1155, 5);
COMMIT;
SELECT * FROM unequal();
SELECT * FROM wrong;

-- Back, and to the end
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('nodes', 'id', 'online', conversion => 'number', other_values => 'keep', also => '{tags.node}') ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM wrong;
SELECT array_agg(id ORDER BY id) AS ids FROM nodes;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('nodes', 'id', 'online', conversion => 'renumber', other_values => 'keep', also => '{tags.node}') ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('nodes', 'id', 'finish', conversion => 'renumber', other_values => 'keep', also => '{tags.node}') ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM wrong;
SELECT attrelid::regclass, attname FROM pg_attribute WHERE attname LIKE '%\_shadow' AND attrelid = 'nodes'::regclass AND NOT attisdropped;

SET client_min_messages = error;
:original;
DROP FUNCTION uuidx_migrate_steps.pending_node(int);
DROP SCHEMA numbers CASCADE;
