-- Columns of UUIDs become columns of texts; and texts become keys of version 7
\set ECHO none \i sql/include/spelled.sql \set ECHO all

-- UUIDs become texts online, too.
CREATE TABLE uuids (id uuid PRIMARY KEY DEFAULT of_uuid(), parent uuid REFERENCES uuids);
INSERT INTO uuids VALUES (key(1), NULL), (key(2), key(1));
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('uuids', 'id', 'online', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
INSERT INTO uuids (id, parent) VALUES (upper(key(3)::text), key(2)::text), (uuid_encode(key(4), 'ulid'), upper(key(3)::text));
SELECT id, pg_typeof(id), parent, id_shadow, parent_shadow FROM uuids ORDER BY id_shadow;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'uuids'::regclass AND contype = 'c' ORDER BY 1;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('uuids', 'id', 'online', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('uuids', 'id', 'finish', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM uuids ORDER BY id;
DROP TABLE uuids;

-- Texts that are random UUIDs become keys of version 7 in one script.
CREATE TABLE authors (id varchar(36) PRIMARY KEY DEFAULT gen_random_uuid(), n int, created timestamptz);
CREATE TABLE books (author varchar(36) REFERENCES authors, n int);
INSERT INTO authors SELECT CASE WHEN n % 2 = 0 THEN key(n)::text ELSE upper(key(n)::text) END, n, timestamptz '2020-01-01 00:00:00+00' + n * interval '1 day' FROM generate_series(1, 9) AS n;
INSERT INTO books SELECT id, n FROM authors;
CREATE TABLE tags AS SELECT spelled(n) AS author, n FROM generate_series(5, 12) AS n;
CREATE INDEX tags_hash ON tags USING hash (author);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'online', 'text_to_uuid', also => '{tags.author}', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'finish', 'text_to_uuid', also => '{tags.author}', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'online', 'to_v7', created => 'created', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'finish', 'to_v7', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) AS right FROM authors AS a JOIN books AS b ON b.author = a.id AND b.n = a.n WHERE a.id = uuid_v7_of(a.created, key(a.n));
SELECT count(*) AS tags FROM tags WHERE author = key(n);
SELECT pg_get_indexdef('tags_hash'::regclass);
SELECT attname, format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid) FROM pg_attribute LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
WHERE attrelid = 'authors'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY 1;

RESET ROLE;
DROP OWNED BY regress_uuidx_owner;
DROP ROLE regress_uuidx_owner;
