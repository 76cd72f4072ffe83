-- The hints of obstacles, followed to the letter: nothing is lost.
\set SHOW_CONTEXT never
\pset format unaligned
SET client_min_messages = warning;
CREATE SCHEMA hints;
SET search_path = hints, public;
CREATE FUNCTION obstacles(key regclass, conversion text, also text[] DEFAULT '{}') RETURNS SETOF text LANGUAGE sql
RETURN (SELECT string_agg(format(E'%s:\n  %s', o.what, o.hint), E'\n')
        FROM uuidx_migrate.plan(key, 'id', 'offline', conversion, also => also, rows_without_time => 'epoch') AS p,
             unnest(p.obstacles, p.hints) AS o (what, hint));

-- A view compares the key with a number that no foreign key connects with it.
CREATE TABLE products (id int PRIMARY KEY, n int);
CREATE TABLE prices (product int, n int);
CREATE VIEW priced AS SELECT p.id, p.n, q.n AS price FROM products AS p JOIN prices AS q ON q.product = p.id;
INSERT INTO products SELECT n, n FROM generate_series(1, 3) AS n;
INSERT INTO prices TABLE products;
SELECT obstacles('products', 'bigint_to_v7');
SELECT obstacles('products', 'bigint_to_v7', '{prices.product}');
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('products', 'id', 'offline', 'bigint_to_v7', also => '{prices.product}',
    rows_without_time => 'epoch')
ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('products', 'id', 'finish', 'bigint_to_v7', also => '{prices.product}')
ORDER BY step \gexec
\o \set ECHO all
SELECT uuid_is_v7(id) AS is_v7, n, price FROM priced ORDER BY n;

-- One that compares it with another number: to name that is no way to lose rows.
CREATE TABLE stock (id int PRIMARY KEY, count int);
CREATE VIEW few AS SELECT id FROM stock WHERE id > count;
INSERT INTO stock VALUES (1, 0), (2, 17);
SELECT obstacles('stock', 'bigint_to_v7');
SELECT sql AS check_
FROM uuidx_migrate.script('stock', 'id', 'offline', 'bigint_to_v7', also => '{stock.count}',
    rows_without_time => 'epoch')
WHERE sql LIKE '%check_keys%' \gset
:check_;
DROP VIEW few;
CREATE INDEX of_integers ON stock USING brin (id int4_bloom_ops);
SELECT obstacles('stock', 'bigint_to_v7');
DROP INDEX of_integers;

-- Constraints, indexes and triggers that only compare keys with one another, by = and <>, get the new type with them.
CREATE TABLE staff (
    id int PRIMARY KEY, manager int REFERENCES staff, deputy int, n int,
    CONSTRAINT not_own CHECK (manager <> id), CONSTRAINT another CHECK (deputy <> manager),
    CONSTRAINT later CHECK (id > manager)
);
CREATE INDEX heads ON staff (n) WHERE manager = id;
CREATE INDEX deputies ON staff ((deputy = manager));
CREATE TRIGGER moved BEFORE UPDATE ON staff FOR EACH ROW WHEN (OLD.manager <> NEW.manager)
    EXECUTE FUNCTION suppress_redundant_updates_trigger();
INSERT INTO staff SELECT n, nullif(n - 1, 0), n, n FROM generate_series(1, 4) AS n;
SELECT obstacles('staff', 'bigint_to_v7');
ALTER TABLE staff DROP CONSTRAINT later;
SELECT obstacles('staff', 'bigint_to_v7', '{hints.staff.deputy}');
CREATE VIEW definitions AS
SELECT pg_get_constraintdef(k.oid) AS definition FROM pg_constraint AS k
WHERE k.conrelid = 'staff'::regclass AND k.contype = 'c'
UNION ALL
SELECT pg_get_indexdef(i.indexrelid) FROM pg_index AS i WHERE i.indrelid = 'staff'::regclass
UNION ALL
SELECT pg_get_triggerdef(t.oid) FROM pg_trigger AS t WHERE t.tgrelid = 'staff'::regclass AND NOT t.tgisinternal
UNION ALL
SELECT format('%s %s', a.attname, a.atttypid::regtype) FROM pg_attribute AS a
WHERE a.attrelid = 'staff'::regclass AND a.attnum > 0 AND NOT a.attisdropped;
CREATE TEMP TABLE before AS TABLE definitions;
\set call '''staff'', ''id'', :mode, :conversion, also => ''{hints.staff.deputy}'', rows_without_time => ''epoch'''
\set script 'SELECT sql FROM uuidx_migrate.script(:call) ORDER BY step \\gexec'
\set ECHO none
\o /dev/null
\set mode '''online'''
\set conversion '''bigint_to_v7'''
:script
\set conversion '''v7_to_bigint'''
:script
\set mode '''finish'''
:script
\o
\set ECHO all
TABLE definitions EXCEPT TABLE before;
\set ECHO none
\o /dev/null
\set mode '''offline'''
\set conversion '''bigint_to_v7'''
:script
\set mode '''finish'''
:script
\o
\set ECHO all
TABLE definitions EXCEPT TABLE before;
SELECT uuid_is_v7(s.id) AS is_v7, s.n, m.n AS manager, s.id = s.deputy AS is_deputy
FROM staff AS s LEFT JOIN staff AS m ON m.id = s.manager ORDER BY s.n;

-- Two keys that the same column references
CREATE TABLE people (id uuid PRIMARY KEY, n int);
CREATE TABLE members (id uuid PRIMARY KEY, n int);
CREATE TABLE votes (id uuid REFERENCES people CONSTRAINT votes_of_members REFERENCES members, n int);
INSERT INTO people SELECT gen_random_uuid(), n FROM generate_series(1, 3) AS n;
INSERT INTO members SELECT * FROM people WHERE n > 1;
INSERT INTO votes SELECT * FROM people WHERE n > 2;
SELECT obstacles('people', 'to_v7');
ALTER TABLE votes DROP CONSTRAINT votes_of_members;
SELECT obstacles('people', 'to_v7', '{members.id}');
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('people', 'id', 'offline', 'to_v7', also => '{members.id}',
    rows_without_time => 'epoch')
ORDER BY step \gexec
\o \set ECHO all
ALTER TABLE votes ADD FOREIGN KEY (id) REFERENCES members;
SELECT uuid_is_v7(id) AS is_v7, p.n, m.n, v.n
FROM people AS p LEFT JOIN members AS m USING (id) LEFT JOIN votes AS v USING (id) ORDER BY p.n;
SELECT obstacles('people', 'to_v7', '{members.id}');
-- Views over views: the first hint names all columns, also one that only a view of a view is compared with.
CREATE TABLE repo (id int PRIMARY KEY, n int);
CREATE TABLE uploads (id int PRIMARY KEY, repository_id int, state text);
CREATE TABLE audits (upload_repository int);
CREATE VIEW dumps AS SELECT u.id, u.repository_id FROM uploads AS u WHERE u.state = 'done';
CREATE VIEW dumps_with_repo AS SELECT d.id, r.n FROM dumps AS d JOIN repo AS r ON r.id = d.repository_id;
CREATE VIEW uploads_with_repo AS SELECT u.id, r.n FROM uploads AS u JOIN repo AS r ON r.id = u.repository_id;
CREATE VIEW audited AS SELECT FROM uploads AS u WHERE u.repository_id IN (SELECT upload_repository FROM audits);
INSERT INTO repo SELECT n, n FROM generate_series(1, 3) AS n;
INSERT INTO uploads SELECT n, n, 'done' FROM repo;
INSERT INTO audits SELECT n FROM repo;
SELECT obstacles('repo', 'bigint_to_v7');
SELECT obstacles('repo', 'bigint_to_v7', '{hints.audits.upload_repository,hints.uploads.repository_id}');

-- A number beside a column that says of which table it is stays as it is. A remark says what also does to it.
CREATE TABLE tags (object_id int, content_type_id int);
CREATE VIEW stock_tags AS SELECT FROM stock AS s JOIN tags AS t ON t.object_id = s.id WHERE t.content_type_id = 7;
SELECT obstacles('stock', 'bigint_to_v7');
DROP TABLE tags CASCADE;
CREATE TABLE comments (of_id int, of_type text, "ownerId" int, "ownerType" text);
CREATE VIEW stock_comments AS SELECT c.of_id FROM stock AS s JOIN comments AS c ON c.of_id = s.id WHERE c.of_type = 'stock';
SELECT obstacles('stock', 'bigint_to_v7');
SELECT r
FROM uuidx_migrate.plan('stock', 'id', 'offline', 'bigint_to_v7', also => '{comments.of_id}', rows_without_time => 'epoch'),
     unnest(remarks) AS r
WHERE r LIKE '%several tables%';
-- Only where the other column may name the table: it is no number, and its statistics have the name, if you see any.
CREATE TABLE tasks (owner_id bigint, owner_type smallint, about_id bigint, about_type text, of_id bigint, of_type text);
INSERT INTO tasks (about_id, about_type, of_id, of_type) SELECT n, 'App\Other', n, 'App\Book' FROM generate_series(1, 50) AS n;
ANALYZE tasks;
CREATE TABLE books (id bigint PRIMARY KEY);
SELECT substring(r, 'column .* of table tasks') AS remark
FROM uuidx_migrate.plan('books', 'id', 'offline', 'bigint_to_v7', rows_without_time => 'epoch', trust_owners => true) AS p, unnest(p.remarks) AS r WHERE r ~ 'tasks';
DROP TABLE tasks, books;
DROP VIEW stock_comments;

-- Nobody can migrate a column of a schema that is hidden from them, nor of temporary tables of others.
CREATE ROLE regress_uuidx_hints;
CREATE SCHEMA hidden;
CREATE TABLE hidden.numbers (n int);
CREATE VIEW compares AS SELECT FROM stock AS s JOIN hidden.numbers AS n ON n.n = s.id;
GRANT USAGE ON SCHEMA hints TO regress_uuidx_hints;
SET ROLE regress_uuidx_hints;
SELECT o FROM obstacles('stock', 'bigint_to_v7') AS r, string_to_table(r, E'\n') AS o WHERE o LIKE '%does more%';
RESET ROLE;
DROP SCHEMA hidden CASCADE;
DROP OWNED BY regress_uuidx_hints;
DROP ROLE regress_uuidx_hints;

-- Views that read each other in a circle, which nobody can read
CREATE TABLE texts (id text PRIMARY KEY);
CREATE VIEW first AS SELECT id FROM texts;
CREATE VIEW second AS SELECT id FROM first;
CREATE OR REPLACE VIEW first AS SELECT s.id FROM texts AS t JOIN second AS s ON s.id = t.id;
CREATE MATERIALIZED VIEW copied AS SELECT id FROM texts;
SELECT obstacles('texts', 'text_to_uuid');
SELECT * FROM uuidx_migrate.find_references('texts', 'id');

-- UUIDs keep their type, so that such a view is not in the way: a remark names the column.
CREATE TABLE guests (id uuid PRIMARY KEY, n int);
CREATE TABLE stays (guest uuid, n int);
CREATE VIEW guest_stays AS SELECT g.n, s.n AS stay FROM guests AS g JOIN stays AS s ON s.guest = g.id;
INSERT INTO guests SELECT md5('guest ' || n)::uuid, n FROM generate_series(1, 3) AS n;
INSERT INTO stays SELECT id, n FROM guests;
SELECT unnest(remarks) FROM uuidx_migrate.plan('guests', 'id', 'offline', 'to_v7', rows_without_time => 'epoch');
SELECT unnest(remarks)
FROM uuidx_migrate.plan('guests', 'id', 'offline', 'to_v7', rows_without_time => 'epoch',
                        also => '{hints.stays.guest}') WHERE column_name = 'id';
DROP SCHEMA hints CASCADE;
