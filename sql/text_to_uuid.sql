-- Columns of texts become columns of UUIDs
\set ECHO none \i sql/include/spelled.sql \set ECHO all
-- A library: texts of three types, spelled in every way, and everything that goes along
CREATE TABLE authors (id varchar(38) COLLATE "C" PRIMARY KEY DEFAULT gen_random_uuid(), n int UNIQUE, mentor varchar(38) REFERENCES authors DEFERRABLE,
                      editor text, CHECK (num_nonnulls(mentor, editor) <= 1));
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
SELECT * FROM pg_temp.faults($$script('authors', 'id', 'offline', 'text_to_uuid', trust_owners => true)$$);
SELECT * FROM pg_temp.faults($$script('books', 'id', 'offline', 'text_to_uuid', trust_owners => true)$$);
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
\set ECHO none \o /dev/null
SELECT :statements FROM uuidx_migrate.script('authors', 'id', conversion => 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
SELECT :statements FROM uuidx_migrate.script('books', 'id', conversion => 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT wrong();
SELECT * FROM shown;
SELECT * FROM definitions;
\set ECHO none \o /dev/null
SELECT :statements FROM uuidx_migrate.script('authors', 'id', conversion => 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
SELECT :statements FROM uuidx_migrate.script('books', 'id', conversion => 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT wrong();
SELECT * FROM shown;
SELECT count(*) AS authors, count(*) FILTER (WHERE id <> key(n)::text) AS not_canonical FROM authors;
ROLLBACK;

-- Online
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'online', 'text_to_uuid', trust_owners => true) WHERE phase IN ('check', 'shadow') ORDER BY step \gexec
\o \set ECHO all
-- Before the cutover, the shadow has the UUID.
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'authors'::regclass AND attname LIKE '%\_shadow';
INSERT INTO authors (id, n, mentor) VALUES (upper(key(30)::text), 30, spelled(1)), (public.uuid_encode(key(31), 'ulid'), 31, upper(key(30)::text)) RETURNING n, id_shadow, mentor_shadow;
INSERT INTO authors (n) VALUES (132);
UPDATE authors SET id = spelled(31) WHERE n = 31 RETURNING id, id_shadow;
UPDATE authors SET mentor = NULL, id_shadow = NULL WHERE n = 31 RETURNING id = spelled(31) AS same, id_shadow, mentor_shadow;
UPDATE authors SET id_shadow = NULL WHERE n = 31 RETURNING id_shadow;
INSERT INTO books (id, author, n) VALUES (key(130)::text, upper(key(30)::text), 30);
INSERT INTO books (id, author, n, author_shadow) VALUES (key(131)::text, upper(key(30)::text), 31, key(30)) RETURNING author_shadow;
SELECT * FROM pg_temp.errors(
    $$INSERT INTO books (id, author, n, author_shadow) VALUES (key(132)::text, upper(key(30)::text), 30, key(1))$$,
    $$INSERT INTO authors (id, n) VALUES ('n/a', 33)$$);
DELETE FROM authors WHERE n > 100;
SELECT wrong();
-- A migration is given up.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'finish', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) FROM pg_attribute WHERE attrelid = ANY ('{authors,books,loans}'::regclass[]) AND attname LIKE '%\_shadow';
SELECT uuidx_migrate_steps.shadow_conversion('authors', 'id');
-- Another one goes on.
CREATE TABLE spellings AS
SELECT 'author' AS what, n, id FROM authors WHERE n < 30 UNION ALL SELECT 'mentor', n, mentor FROM authors UNION ALL SELECT 'book', n, id FROM books
UNION ALL SELECT 'its author', n, author FROM books UNION ALL SELECT 'loan', n, book FROM loans;
SELECT * FROM pg_temp.faults($$script('books', 'id', 'online', 'text_to_uuid', new_default => 'gen_random_uuid()',
                                      trust_owners => true)$$);
SELECT phase, count(*), array_agg(DISTINCT regexp_replace(locks, ' on .*', '')) AS locks
FROM examined GROUP BY phase ORDER BY min(step);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'online', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('books', 'id', 'online', 'text_to_uuid', new_default => 'gen_random_uuid()', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
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
SELECT * FROM pg_temp.errors($$INSERT INTO authors (id, n, id_shadow) VALUES (key(51), 51, key(52)::text)$$);
INSERT INTO books (id, author, n) VALUES (key(250), key(50), 50) RETURNING author_shadow;
SELECT wrong();
-- Undone, the texts that were there are what they were.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'online', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('books', 'id', 'online', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT wrong();
SELECT * FROM shown;
SELECT definition FROM definitions EXCEPT SELECT definition FROM first_definitions;
CREATE VIEW spelled_now AS
SELECT 'author' AS what, n, id FROM authors UNION ALL SELECT 'mentor', n, mentor FROM authors UNION ALL SELECT 'book', n, id FROM books
UNION ALL SELECT 'its author', n, author FROM books UNION ALL SELECT 'loan', n, book FROM loans;
SELECT * FROM spellings EXCEPT SELECT what, n, id FROM spelled_now;
SELECT n, id, mentor FROM authors WHERE n = 40 OR n = 41 ORDER BY n;
DROP VIEW spelled_now;

\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('books', 'id', 'finish', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('authors', 'id', 'finish', 'uuid_to_text', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT definition FROM first_definitions EXCEPT SELECT definition FROM definitions;
SELECT definition FROM definitions EXCEPT SELECT definition FROM first_definitions;
SELECT wrong();
DROP TABLE authors, books, loans, before_authors, before_books, before_loans, spellings, first_definitions CASCADE;

RESET ROLE;
DROP OWNED BY regress_uuidx_owner;
DROP ROLE regress_uuidx_owner;
