-- Columns of texts become columns of UUIDs
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE ROLE regress_uuidx_owner;
GRANT CREATE, USAGE ON SCHEMA public TO regress_uuidx_owner;
SET ROLE regress_uuidx_owner;
SET client_min_messages = warning;
-- From PostgreSQL 18 on, NOT NULL is a constraint with a name.
\set no_fingerprint 'regexp_replace(regexp_replace(sql, $$^ALTER TABLE [^;]* (ADD CONSTRAINT \\S+ NOT NULL |ALTER COLUMN \\S+ SET NOT NULL)[^;]*;\\n$$, $$$$, $$gn$$), $$''([0-9a-f]{32}|[{][0-9,]+[}](?=''::pg_catalog.oid))''$$, $$''fingerprint''$$, $$g$$)'

-- What a text stands for: whatever the type uuid reads, or a ULID
SELECT t, uuidx_migrate_steps.text_to_uuid(t) AS uuid, uuidx_migrate.is_uuid(t), uuidx_migrate_steps.text_to_uuid(t) = t::uuid AS same
FROM (VALUES ('919108f7-52d1-4320-9bac-f847db4148a8'), ('919108F7-52D1-4320-9BAC-F847DB4148A8'), ('919108f752d143209bacf847db4148a8'),
             ('{919108f7-52d143209bacf847-db4148a8}'), ('9191-08f7-52d1-4320-9bac-f847-db41-48a8')) AS v (t);
SELECT uuidx_migrate_steps.text_to_uuid(t) = uuid_decode(t, 'ulid') AS same, uuidx_migrate_steps.uuid_to_text(uuidx_migrate_steps.text_to_uuid(t))
FROM (VALUES ('01ARZ3NDEKTSV4RRFFQ69G5FAV'), ('01arz3ndektsv4rrffq69g5fav'), ('7ZZZZZZZZZZZZZZZZZZZZZZZZZ')) AS v (t);
CREATE FUNCTION is_read(text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN PERFORM $1::uuid; RETURN true; EXCEPTION WHEN invalid_text_representation THEN RETURN false; END$$;
SELECT t, uuidx_migrate.is_uuid(t), is_read(t)
FROM (VALUES (''), ('{}'), ('{'), ('n/a'), (' 919108f7-52d1-4320-9bac-f847db4148a8'), ('919108f7-52d1-4320-9bac-f847db4148a8 '), ('{919108f7-52d1-4320-9bac-f847db4148a8'),
             ('919108f7-52d1-4320-9bac-f847db4148a8}'), ('{{919108f7-52d1-4320-9bac-f847db4148a8}}'), ('91-9108f752d143209bacf847db4148a8'), ('919108f752d143209bacf847db41-48a'),
             ('919108f7--52d143209bacf847db4148a8'), ('-919108f752d143209bacf847db4148a8'), ('919108f752d143209bacf847db4148a8-'), ('919108f752d143209bacf847db4148ag'),
             ('919108f752d143209bacf847db4148a8a8'), ('8ZZZZZZZZZZZZZZZZZZZZZZZZZ'), ('01ARZ3NDEKTSV4RRFFQ69G5FAU')) AS v (t);
SELECT uuidx_migrate_steps.text_to_uuid('n/a');
\echo :LAST_ERROR_SQLSTATE
-- Any text of these characters is one if the type uuid reads it.
SELECT setseed(0.5);
SELECT count(*) AS texts, count(*) FILTER (WHERE uuidx_migrate.is_uuid(t) <> is_read(t)) AS wrong, count(*) FILTER (WHERE is_read(t)) > 100 AS many_are_read
FROM (SELECT CASE WHEN random() < 0.2 THEN overlay(t PLACING substr('-{}g', 1 + floor(random() * 4)::int, 1) FROM 1 + floor(random() * length(t))::int FOR round(random())::int) ELSE t END AS t
      FROM (SELECT concat(CASE WHEN braces THEN '{' END, regexp_replace(md5(n::text), '(.{4})', CASE WHEN n % 3 = 0 THEN E'\\1-' ELSE E'\\1' END, CASE WHEN n % 2 = 0 THEN 'g' ELSE '' END),
                          CASE WHEN braces THEN '}' END) AS t
            FROM (SELECT n, random() < 0.3 AS braces FROM generate_series(1, 3000) AS n) AS n) AS t) AS t;
DROP FUNCTION is_read;

-- A library: texts of three types, spelled in every way, and everything that goes along
CREATE FUNCTION of_uuid() RETURNS uuid LANGUAGE sql AS 'SELECT gen_random_uuid()';
CREATE FUNCTION key(n int) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN format('%s-0000-4000-8000-%s', lpad(to_hex(n), 8, '0'), lpad(to_hex(n + 10), 12, 'a'))::uuid;
CREATE FUNCTION spelled(n int) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE n % 4 WHEN 0 THEN upper(key(n)::text) WHEN 1 THEN key(n)::text WHEN 2 THEN replace(key(n)::text, '-', '') ELSE public.uuid_encode(key(n), 'ulid') END;
CREATE TABLE authors (id varchar(38) COLLATE "C" PRIMARY KEY DEFAULT gen_random_uuid(), n int UNIQUE, mentor varchar(38) REFERENCES authors DEFERRABLE, editor text, CHECK (num_nonnulls(mentor, editor) <= 1));
CREATE TABLE books (id char(36) DEFAULT of_uuid()::text, author text NOT NULL DEFAULT '00000001-0000-4000-8000-aaaaaaaaaa0b' REFERENCES authors ON DELETE CASCADE ON UPDATE CASCADE, n int,
                    note varchar(32), PRIMARY KEY (author, id));
CREATE INDEX books_note ON books USING hash (note) WHERE note IS NOT NULL;
COMMENT ON COLUMN books.id IS 'a key';
ALTER TABLE books ALTER id SET STATISTICS 77, ALTER author SET STORAGE EXTERNAL, ALTER id SET (n_distinct = -1);
CREATE STATISTICS books_statistics ON id, author FROM books;
ALTER TABLE books REPLICA IDENTITY USING INDEX books_pkey;
CREATE TABLE loans (author text, book varchar, day int, n int, FOREIGN KEY (author, book) REFERENCES books (author, id) MATCH FULL) PARTITION BY LIST (day);
CREATE TABLE loans_1 PARTITION OF loans FOR VALUES IN (1);
CREATE TABLE loans_2 PARTITION OF loans FOR VALUES IN (2);
CREATE INDEX ON loans (book, n) INCLUDE (author);
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER changed BEFORE UPDATE OF author ON books FOR EACH ROW EXECUTE FUNCTION nothing();
INSERT INTO authors SELECT spelled(n), n, CASE WHEN n > 1 THEN spelled(n / 2) END FROM generate_series(1, 20) AS n;
INSERT INTO books SELECT spelled(100 + n), spelled(n), n FROM generate_series(1, 20) AS n WHERE n % 4 <> 0;
INSERT INTO books SELECT key(100 + n), spelled(n), n, replace(key(n)::text, '-', '') FROM generate_series(1, 20) AS n WHERE n % 4 = 0;
INSERT INTO loans SELECT author, id, 1 + n % 2, n FROM books;
CREATE TABLE before_authors AS SELECT * FROM authors;
CREATE TABLE before_books AS SELECT * FROM books;
CREATE TABLE before_loans AS SELECT * FROM loans;
-- What is wrong for the integers beside the keys
CREATE FUNCTION wrong() RETURNS SETOF text LANGUAGE plpgsql AS $$BEGIN RETURN QUERY
    SELECT 'author ' || a.n FROM authors AS a WHERE a.n < 100 AND uuidx_migrate_steps.text_to_uuid(a.id::text) <> key(a.n)
    UNION ALL SELECT 'mentor ' || a.n FROM authors AS a LEFT JOIN authors AS m ON m.id = a.mentor WHERE a.n BETWEEN 2 AND 20 AND m.n IS DISTINCT FROM a.n / 2
    UNION ALL SELECT 'book ' || b.n FROM books AS b LEFT JOIN authors AS a ON a.id = b.author WHERE a.n IS DISTINCT FROM b.n - (b.n = 31)::int
    UNION ALL SELECT 'loan ' || l.n FROM loans AS l LEFT JOIN books AS b ON b.author = l.author AND b.id = l.book WHERE b.n IS DISTINCT FROM l.n;
END$$;
\x on
SELECT relation, column_name, role, indexes, default_afterwards, remarks, obstacles, hints FROM uuidx_migrate.plan('books', 'author', conversion => 'text_to_uuid', trust_owners => true);
SELECT relation, column_name, role, indexes, default_afterwards, remarks, obstacles, hints FROM uuidx_migrate.plan('loans', 'book', conversion => 'text_to_uuid', trust_owners => true);
\x off

-- Offline, and undone: then all texts are canonical.
\set statements 'substring(sql, $$[$]do[$](.*)[$]do[$]$$)'
\pset format unaligned
\pset fieldsep ' | '
SELECT :no_fingerprint AS sql FROM uuidx_migrate.script('authors', 'id', conversion => 'text_to_uuid', trust_owners => true) ORDER BY step;
\pset format aligned
CREATE VIEW shown AS
SELECT attrelid::regclass AS relation, attname, format_type(atttypid, atttypmod) AS type, attcollation::regcollation, attnotnull AS not_null, nullif(attstattarget, -1) AS target,
       coalesce(array_to_string(attoptions, ',') LIKE '%n_distinct%', false) AS options, attstorage AS storage, regexp_replace(pg_get_expr(adbin, adrelid), '\s+', ' ', 'g') AS default_
FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attnum > 0 AND attrelid IN ('authors'::regclass, 'books'::regclass, 'loans'::regclass, 'loans_1'::regclass) AND NOT attisdropped AND attname NOT IN ('n', 'day')
ORDER BY 1, 2;
CREATE VIEW definitions AS
SELECT indexdef AS definition FROM pg_indexes WHERE tablename IN ('authors', 'books', 'loans', 'loans_1')
UNION ALL
SELECT conrelid::regclass || ': ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid IN ('authors'::regclass, 'books'::regclass, 'loans'::regclass) AND contype <> 'n'
UNION ALL
SELECT 'replica identity ' || indexrelid::regclass FROM pg_index WHERE indisreplident
UNION ALL
SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxname = 'books_statistics'
ORDER BY 1;
CREATE TABLE first_definitions AS SELECT definition FROM definitions;
SELECT * FROM shown;
BEGIN;
\set ECHO none
\o /dev/null
SELECT :statements FROM uuidx_migrate.script('authors', 'id', conversion => 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
SELECT :statements FROM uuidx_migrate.script('books', 'id', conversion => 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT wrong();
SELECT * FROM shown;
SELECT * FROM definitions;
\set ECHO none
\o /dev/null
SELECT :statements FROM uuidx_migrate.script('authors', 'id', conversion => 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
SELECT :statements FROM uuidx_migrate.script('books', 'id', conversion => 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT wrong();
SELECT * FROM shown;
SELECT count(*) AS authors, count(*) FILTER (WHERE id <> key(n)::text) AS not_canonical FROM authors;
ROLLBACK;

-- Online
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'online', 'text_to_uuid', trust_owners => true) WHERE phase IN ('check', 'shadow') ORDER BY step \gexec
\o
\set ECHO all
-- Before the cutover, the shadow has the UUID.
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'authors'::regclass AND attname LIKE '%\_shadow';
INSERT INTO authors (id, n, mentor) VALUES (upper(key(30)::text), 30, spelled(1)), (public.uuid_encode(key(31), 'ulid'), 31, upper(key(30)::text)) RETURNING n, id_shadow, mentor_shadow;
INSERT INTO authors (n) VALUES (132);
UPDATE authors SET id = spelled(31) WHERE n = 31 RETURNING id, id_shadow;
UPDATE authors SET mentor = NULL, id_shadow = NULL WHERE n = 31 RETURNING id = spelled(31) AS same, id_shadow, mentor_shadow;
UPDATE authors SET id_shadow = NULL WHERE n = 31 RETURNING id_shadow;
INSERT INTO books (id, author, n) VALUES (key(130)::text, upper(key(30)::text), 30);
INSERT INTO books (id, author, n, author_shadow) VALUES (key(131)::text, upper(key(30)::text), 31, key(30)) RETURNING author_shadow;
INSERT INTO books (id, author, n, author_shadow) VALUES (key(132)::text, upper(key(30)::text), 30, key(1));
\echo :LAST_ERROR_SQLSTATE
INSERT INTO authors (id, n) VALUES ('n/a', 33);
\echo :LAST_ERROR_SQLSTATE
DELETE FROM authors WHERE n > 100;
SELECT wrong();
-- A migration is given up.
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'finish', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT count(*) FROM pg_attribute WHERE attrelid = ANY ('{authors,books,loans}'::regclass[]) AND attname LIKE '%\_shadow';
SELECT uuidx_migrate_steps.shadow_conversion('authors', 'id');
-- Another one goes on.
CREATE TABLE spellings AS
SELECT 'author' AS what, n, id FROM authors WHERE n < 30 UNION ALL SELECT 'mentor', n, mentor FROM authors UNION ALL SELECT 'book', n, id FROM books
UNION ALL SELECT 'its author', n, author FROM books UNION ALL SELECT 'loan', n, book FROM loans;
\pset format unaligned
SELECT phase, :no_fingerprint AS sql FROM uuidx_migrate.script('books', 'id', 'online', 'text_to_uuid', new_default => 'gen_random_uuid()', trust_owners => true) ORDER BY step;
\pset format aligned
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'online', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('books', 'id', 'online', 'text_to_uuid', new_default => 'gen_random_uuid()', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT wrong();
SELECT * FROM shown;
SELECT * FROM definitions;
-- After the cutover, the shadow has a text: the former one, the one of the key, or one that fits.
SELECT uuidx_migrate_steps.shadow_conversion('authors', 'id');
INSERT INTO authors (n, mentor) VALUES (140, key(3)) RETURNING id = id_shadow::uuid AS canonical, mentor_shadow = spelled(3) AS same;
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO authors (id, n, mentor) VALUES (key(41), 41, key(40)), (key(40), 40, NULL) RETURNING n, id_shadow, mentor_shadow;
COMMIT;
INSERT INTO books (id, author, n) VALUES (key(203), key(3), 3), (key(204), upper(key(4)::text)::uuid, 4), (key(240), key(40), 40) RETURNING n, author_shadow;
INSERT INTO loans (author, book, day, n) VALUES (key(3), key(203), 1, 3), (key(2), key(102), 2, 2) RETURNING n, author_shadow;
UPDATE books SET note = 'x', author_shadow = 'y' WHERE n = 5 RETURNING author_shadow;
UPDATE books SET author = key(6) WHERE id = key(240) RETURNING author_shadow;
UPDATE books SET author = key(40) WHERE id = key(240) RETURNING author_shadow;
UPDATE loans SET day = 3 - day WHERE n = 7 RETURNING author_shadow;
UPDATE authors SET id = key(1000) WHERE n = 31 RETURNING id_shadow;
UPDATE authors SET id = key(31) WHERE n = 31 RETURNING id_shadow;
UPDATE authors SET id_shadow = NULL WHERE n = 30 RETURNING id_shadow;
UPDATE books SET author_shadow = NULL WHERE n = 30 RETURNING author_shadow;
-- A row that is written as a dump has it is as it was.
INSERT INTO authors (id, n, id_shadow) VALUES (key(50), 50, '{' || upper(key(50)::text) || '}') RETURNING id_shadow;
INSERT INTO authors (id, n, id_shadow) VALUES (key(51), 51, key(52)::text);
\echo :LAST_ERROR_SQLSTATE
INSERT INTO books (id, author, n) VALUES (key(250), key(50), 50) RETURNING author_shadow;
SELECT wrong();
-- Undone, the texts that were there are what they were.
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'online', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('books', 'id', 'online', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT wrong();
SELECT * FROM shown;
SELECT definition FROM definitions EXCEPT SELECT definition FROM first_definitions;
CREATE VIEW spelled_now AS
SELECT 'author' AS what, n, id FROM authors UNION ALL SELECT 'mentor', n, mentor FROM authors UNION ALL SELECT 'book', n, id FROM books
UNION ALL SELECT 'its author', n, author FROM books UNION ALL SELECT 'loan', n, book FROM loans;
SELECT * FROM spellings EXCEPT SELECT what, n, id FROM spelled_now;
SELECT n, id, mentor FROM authors WHERE n = 40 OR n = 41 ORDER BY n;
DROP VIEW spelled_now;

\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('books', 'id', 'finish', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'finish', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT definition FROM first_definitions EXCEPT SELECT definition FROM definitions;
SELECT definition FROM definitions EXCEPT SELECT definition FROM first_definitions;
SELECT wrong();
DROP TABLE authors, books, loans, before_authors, before_books, before_loans, spellings, first_definitions CASCADE;

-- Texts that are too short for the canonical form are written in another one.
CREATE TABLE sizes (hex char(32) PRIMARY KEY, ulid char(26) UNIQUE, longer varchar(35), short varchar(27), n int);
INSERT INTO sizes SELECT replace(key(n)::text, '-', ''), uuid_encode(key(n), 'ulid'), replace(key(n)::text, '-', ''), NULL, n FROM generate_series(1, 3) AS n;
\set ECHO none
\o /dev/null
SELECT sql FROM unnest('{hex,ulid,longer,short}'::name[]) AS c, uuidx_migrate.script('sizes', c, 'online', 'text_to_uuid', trust_owners => true) ORDER BY c, step \gexec
\o
\set ECHO all
INSERT INTO sizes (hex, ulid, longer, n) VALUES (key(4), key(4), key(4), 4);
INSERT INTO sizes (hex, ulid, short, n) VALUES (key(5), key(5), key(5), 5);
SELECT * FROM sizes ORDER BY n;
DROP TABLE sizes;
-- In one that fits into all columns, whichever is written first
CREATE TABLE keys (id varchar(36) PRIMARY KEY, parent text REFERENCES keys DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE notes (id char(32) REFERENCES keys DEFERRABLE INITIALLY DEFERRED, n int);
CREATE FUNCTION add_ten() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.n := new.n + 10; RETURN new; END';
CREATE TRIGGER changed BEFORE UPDATE ON notes FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION add_ten();
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('notes', 'id', 'online', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
BEGIN;
INSERT INTO notes (id, n) VALUES (key(1), 1);
INSERT INTO keys (id, parent) VALUES (key(1), key(2));
INSERT INTO keys (id) VALUES (key(2));
COMMIT;
INSERT INTO notes (id, n) VALUES (key(2), 2);
-- A trigger whose condition compares rows goes on.
UPDATE notes SET n = 3 WHERE n = 2;
UPDATE notes SET n = n;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('notes', 'id', 'online', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT k.id, p.id AS parent, n.n FROM keys AS k JOIN notes AS n ON n.id = k.id LEFT JOIN keys AS p ON p.id = k.parent ORDER BY n.n;
DROP TABLE keys, notes;
DROP FUNCTION add_ten;

-- A key that is deleted and inserted again has another text than what references it, until that is written again.
CREATE TABLE keys (id text PRIMARY KEY);
CREATE TABLE notes (id text REFERENCES keys DEFERRABLE INITIALLY DEFERRED);
INSERT INTO keys VALUES (upper(key(10)::text));
INSERT INTO notes SELECT id FROM keys;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'online', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
BEGIN;
DELETE FROM keys;
INSERT INTO keys (id) VALUES (key(10));
COMMIT;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'online', 'uuid_to_text', trust_owners => true) WHERE phase = 'index' ORDER BY step \gexec
\o
\set ECHO all
UPDATE notes SET id_shadow = NULL RETURNING id_shadow;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'online', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT k.id, n.id FROM keys AS k JOIN notes AS n ON n.id = k.id;
DROP TABLE keys, notes;

-- What stands for no UUID, and what stands for one twice
CREATE TABLE keys (tenant text, id text PRIMARY KEY, UNIQUE (tenant, id));
INSERT INTO keys VALUES ('a', spelled(1)), ('b', 'n/a'), ('b', ''), ('c', spelled(2)), ('c', upper(key(2)::text)), ('c', spelled(3)), ('c', key(3)::text);
SELECT * FROM uuidx_migrate.uuid_texts('keys', 'id', trust_owners => true);
SELECT * FROM uuidx_migrate.same_uuids('keys', 'id', trust_owners => true);
SELECT unnest(obstacles) AS obstacle, unnest(hints) AS hint FROM uuidx_migrate.plan('keys', 'id', conversion => 'text_to_uuid', trust_owners => true);
SELECT uuidx_migrate_steps.check_texts('keys', 'id', true);
\echo :LAST_ERROR_SQLSTATE
DELETE FROM keys WHERE tenant = 'b';
SELECT uuidx_migrate_steps.check_texts('keys', 'id', true);
\echo :LAST_ERROR_SQLSTATE
-- From PostgreSQL 15 on, a unique index can have nulls that are not distinct.
CREATE TABLE of_tenants (tenant text, id text);
INSERT INTO of_tenants VALUES (NULL, spelled(2)), (NULL, key(2)::text);
CREATE UNIQUE INDEX of_tenants_index ON of_tenants (tenant, id);
SELECT groups FROM uuidx_migrate.same_uuids('of_tenants', 'id', trust_owners => true);
SELECT current_setting('server_version_num')::int >= 150000 AS has_nulls_not_distinct \gset
\if :has_nulls_not_distinct
DROP INDEX of_tenants_index;
CREATE UNIQUE INDEX ON of_tenants (tenant, id) NULLS NOT DISTINCT;
\endif
SELECT groups = :'has_nulls_not_distinct'::boolean::int AS found FROM uuidx_migrate.same_uuids('of_tenants', 'id', trust_owners => true);
DROP TABLE of_tenants;
DELETE FROM keys WHERE id IN (upper(key(2)::text), key(3)::text);
SELECT uuidx_migrate_steps.check_texts('keys', 'id', true);
DROP TABLE keys;
CREATE TABLE keys (tenant text, n int, UNIQUE (tenant, n));
INSERT INTO keys VALUES (spelled(3), 1), (key(3)::text, 2), (NULL, 1), (spelled(3), NULL), (key(3)::text, NULL);
SELECT uuidx_migrate_steps.check_texts('keys', 'tenant', true);
INSERT INTO keys VALUES (key(3)::text, 1);
SELECT uuidx_migrate_steps.check_texts('keys', 'tenant', true);
DROP TABLE keys;

-- Obstacles
CREATE FUNCTION of_text() RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE TABLE traps (id varchar(36) PRIMARY KEY DEFAULT replace(gen_random_uuid()::text, '-', ''), parent varchar(25), other varchar(36) DEFAULT of_text() REFERENCES traps, n int,
    CONSTRAINT spelled CHECK (id ~ '^[0-9a-f-]{36}$'), CONSTRAINT not_own CHECK (other <> id), CONSTRAINT is_there CHECK (id IS NOT NULL AND (other IS NULL OR n > 0)));
CREATE INDEX traps_like ON traps (id varchar_pattern_ops);
CREATE INDEX traps_collate ON traps (id COLLATE "POSIX");
CREATE INDEX traps_spgist ON traps USING spgist (other);
CREATE INDEX traps_lower ON traps (lower(id));
CREATE INDEX traps_partial ON traps (n) WHERE other <> '';
CREATE INDEX traps_kept ON traps (other) WHERE other IS NOT NULL;
CREATE STATISTICS traps_statistics ON lower(id), n FROM traps;
CREATE VIEW traps_view AS SELECT id FROM traps;
CREATE MATERIALIZED VIEW traps_matview AS SELECT id FROM traps;
CREATE FUNCTION traps_function() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM traps WHERE id > 'a'; END;
CREATE FUNCTION traps_text(text) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM traps WHERE id = $1';
CREATE FUNCTION traps_other(text) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM pg_class, (VALUES ($$traps_of$$, $$ids$$)) AS t';
ALTER TABLE traps ADD generated text GENERATED ALWAYS AS ('/' || id) STORED;
CREATE POLICY traps_policy ON traps USING (id <> '');
CREATE RULE traps_rule AS ON DELETE TO traps WHERE old.id = 'x' DO INSTEAD NOTHING;
CREATE TRIGGER traps_of BEFORE UPDATE OF id ON traps FOR EACH ROW WHEN (new.n > 1) EXECUTE FUNCTION nothing();
CREATE TRIGGER traps_when BEFORE UPDATE ON traps FOR EACH ROW WHEN (new.id > 'x') EXECUTE FUNCTION nothing();
SELECT p.column_name, o.what, o.hint
FROM uuidx_migrate.plan('traps', 'id', conversion => 'text_to_uuid', also => '{traps.parent}', trust_owners => true) AS p, ROWS FROM (unnest(p.obstacles), unnest(p.hints)) AS o (what, hint);
SELECT unnest(remarks) AS remark FROM uuidx_migrate.plan('traps', 'id', conversion => 'text_to_uuid', trust_owners => true);
SELECT uuidx_migrate.script('traps', 'id', conversion => 'text_to_uuid', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
DROP TABLE traps CASCADE;
DROP FUNCTION traps_text, traps_other;

-- Defaults
CREATE TABLE defaults (n int, a text DEFAULT of_uuid(), b varchar(36) DEFAULT of_uuid()::varchar(36), c char(36) DEFAULT of_uuid()::text::char(36), d text DEFAULT '00000001-0000-4000-8000-aaaaaaaaaa0b',
    e char(26) DEFAULT '01ARZ3NDEKTSV4RRFFQ69G5FAV', f varchar(40) DEFAULT NULL::varchar(40), g text DEFAULT '00000001-0000-4000-8000-aaaaaaaaaa0b'::uuid, h text DEFAULT 'x', i text DEFAULT upper(of_uuid()::text), j text DEFAULT of_text());
SELECT a.attname, pg_get_expr(d.adbin, d.adrelid) AS default_, uuidx_migrate_steps.uuid_default(uuidx_migrate_steps.default_of(d.adrelid, d.adnum))
FROM pg_attrdef AS d JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum) WHERE d.adrelid = 'defaults'::regclass ORDER BY 1;
ALTER TABLE defaults ALTER d DROP DEFAULT, ALTER e DROP DEFAULT, ALTER g DROP DEFAULT, ALTER h DROP DEFAULT, ALTER j DROP DEFAULT;
SELECT hints FROM uuidx_migrate.plan('defaults', 'i', conversion => 'text_to_uuid', trust_owners => true);
\set ECHO none
\o /dev/null
SELECT sql FROM unnest('{a,b,c,f}'::name[]) AS c, uuidx_migrate.script('defaults', c, 'online', 'text_to_uuid', trust_owners => true) ORDER BY c, step \gexec
SELECT sql FROM uuidx_migrate.script('defaults', 'i', 'online', 'text_to_uuid', new_default => 'of_uuid()', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
CREATE VIEW shown AS
SELECT a.attname, format_type(a.atttypid, a.atttypmod), regexp_replace(pg_get_expr(d.adbin, d.adrelid), '\s+', ' ', 'g') AS default_
FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
WHERE a.attrelid = 'defaults'::regclass AND a.attname ~ '^[abcfi](_|$)' ORDER BY 1;
SELECT * FROM shown;
SELECT obstacles, hints FROM uuidx_migrate.plan('defaults', 'i', conversion => 'uuid_to_text', trust_owners => true);
INSERT INTO defaults (n) VALUES (1);
SELECT a = a_shadow::uuid AS a, b = b_shadow::uuid AS b, c = c_shadow::uuid AS c, f, f_shadow, i = i_shadow::uuid AS i FROM defaults;
\set ECHO none
\o /dev/null
SELECT sql FROM unnest('{a,b,c,f}'::name[]) AS c, uuidx_migrate.script('defaults', c, 'online', 'uuid_to_text', trust_owners => true) ORDER BY c, step \gexec
SELECT sql FROM uuidx_migrate.script('defaults', 'i', 'online', 'uuid_to_text', new_default => 'of_uuid()', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM shown;
INSERT INTO defaults (n) VALUES (2);
SELECT a::uuid = a_shadow AS a, b::uuid = b_shadow AS b, c::uuid = c_shadow AS c, f, f_shadow, i::uuid = i_shadow AS i FROM defaults;
DROP TABLE defaults CASCADE;

-- UUIDs become texts online, too.
CREATE TABLE uuids (id uuid PRIMARY KEY DEFAULT of_uuid(), parent uuid REFERENCES uuids);
INSERT INTO uuids VALUES (key(1), NULL), (key(2), key(1));
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('uuids', 'id', 'online', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
INSERT INTO uuids (id, parent) VALUES (upper(key(3)::text), key(2)::text), (uuid_encode(key(4), 'ulid'), upper(key(3)::text));
SELECT id, pg_typeof(id), parent, id_shadow, parent_shadow FROM uuids ORDER BY id_shadow;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'uuids'::regclass AND contype = 'c' ORDER BY 1;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('uuids', 'id', 'online', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('uuids', 'id', 'finish', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM uuids ORDER BY id;
DROP TABLE uuids;

-- The trigger
CREATE TABLE filled (a text, b uuid, c text);
CREATE TRIGGER filled AFTER INSERT ON filled FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_text('a', 'b', 'text_to_uuid', '36');
INSERT INTO filled VALUES (NULL);
\echo :LAST_ERROR_SQLSTATE
DROP TRIGGER filled ON filled;
CREATE TRIGGER filled BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_text('a', 'c', 'text_to_uuid', '36');
INSERT INTO filled VALUES (NULL);
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER filled BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_text('b', 'b', 'text_to_uuid', '36');
INSERT INTO filled VALUES (NULL);
CREATE OR REPLACE TRIGGER filled BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_text('a', 'nothing', 'text_to_uuid', '36');
INSERT INTO filled VALUES (NULL);
CREATE OR REPLACE TRIGGER filled BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_text('a', 'b');
INSERT INTO filled VALUES (NULL);
\echo :LAST_ERROR_SQLSTATE

-- Bad arguments
SELECT uuidx_migrate.script('filled', 'a', conversion => 'text_to_uuid', other_values => 'keep', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate.script('filled', 'a', conversion => 'v1_to_v6', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate.script('filled', 'b', conversion => 'text_to_uuid', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE filled ADD n int;
SELECT uuidx_migrate.script('filled', 'n', conversion => 'text_to_uuid', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate.script('filled', 'a', conversion => 'text_to_uuid', also => '{filled.n}', trust_owners => true);
CREATE DOMAIN id AS text;
ALTER TABLE filled ALTER a TYPE id;
SELECT uuidx_migrate.script('filled', 'a', conversion => 'text_to_uuid', trust_owners => true);
SELECT uuidx_migrate.uuid_texts('filled', 'b', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
DROP TABLE filled;
DROP DOMAIN id;

-- Texts that are random UUIDs become keys of version 7 in one script.
CREATE TABLE authors (id varchar(36) PRIMARY KEY DEFAULT gen_random_uuid(), n int, created timestamptz);
CREATE TABLE books (author varchar(36) REFERENCES authors, n int);
INSERT INTO authors SELECT CASE WHEN n % 2 = 0 THEN key(n)::text ELSE upper(key(n)::text) END, n, timestamptz '2020-01-01 00:00:00+00' + n * interval '1 day' FROM generate_series(1, 9) AS n;
INSERT INTO books SELECT id, n FROM authors;
CREATE TABLE tags AS SELECT spelled(n) AS author, n FROM generate_series(5, 12) AS n;
CREATE INDEX tags_hash ON tags USING hash (author);
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'online', 'text_to_uuid', also => '{tags.author}', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'finish', 'text_to_uuid', also => '{tags.author}', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'online', 'to_v7', created => 'created', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'finish', 'to_v7', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT count(*) AS right FROM authors AS a JOIN books AS b ON b.author = a.id AND b.n = a.n WHERE a.id = uuid_v7_of(a.created, key(a.n));
SELECT count(*) AS tags FROM tags WHERE author = key(n);
SELECT pg_get_indexdef('tags_hash'::regclass);
SELECT attname, format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid) FROM pg_attribute LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
WHERE attrelid = 'authors'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY 1;

RESET ROLE;
DROP OWNED BY regress_uuidx_owner;
DROP ROLE regress_uuidx_owner;
