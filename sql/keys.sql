-- All keys of a schema by one call
\set ECHO none \i sql/include/migration.sql \set ECHO all
CREATE SCHEMA shop;
SET search_path = shop, public;
CREATE FUNCTION at(n int) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$ SELECT timestamptz '2020-01-01 00:00:00+00' + n * interval '1 hour' $$;

-- Each row has a number, and beside each reference is the number of its row. Teams and people reference each other.
CREATE TABLE customers (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int, created_at timestamptz, updates int DEFAULT 0);
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int, created_at timestamptz, updates int DEFAULT 0,
    customer_id uuid NOT NULL REFERENCES customers, customer_n int, UNIQUE (customer_id, id));
CREATE TABLE lines (n int, updates int DEFAULT 0, order_id uuid, customer_id uuid, customer_n int, order_n int,
    FOREIGN KEY (customer_id, order_id) REFERENCES orders (customer_id, id), UNIQUE (order_id, n));
CREATE TABLE codes (code uuid PRIMARY KEY, n int, updates int DEFAULT 0, parent uuid REFERENCES codes, parent_n int);
CREATE TABLE people (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int, created_at timestamptz, updates int DEFAULT 0, team_id uuid, team_n int);
CREATE TABLE teams (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int, created_at timestamptz, updates int DEFAULT 0, lead_id uuid REFERENCES people, lead_n int,
    code uuid REFERENCES codes, code_n int);
ALTER TABLE people ADD FOREIGN KEY (team_id) REFERENCES teams;
CREATE TABLE likes (n int, updates int DEFAULT 0, subject uuid, subject_type text, subject_n int);
INSERT INTO customers SELECT gen_random_uuid(), n, at(n) FROM generate_series(1, 50) AS n;
INSERT INTO orders SELECT gen_random_uuid(), n, at(n), 0, c.id, c.n FROM generate_series(1, 100) AS n JOIN customers AS c USING (n);
INSERT INTO lines SELECT o.n, 0, o.id, o.customer_id, o.customer_n, o.n FROM orders AS o;
INSERT INTO codes SELECT gen_random_uuid(), n FROM generate_series(1, 20) AS n;
UPDATE codes AS c SET parent = p.code, parent_n = p.n FROM codes AS p WHERE p.n = c.n / 2;
INSERT INTO people SELECT gen_random_uuid(), n, at(n) FROM generate_series(1, 40) AS n;
INSERT INTO teams SELECT gen_random_uuid(), n, at(n), 0, p.id, p.n, c.code, c.n FROM generate_series(1, 20) AS n JOIN people AS p USING (n) JOIN codes AS c USING (n);
UPDATE people AS p SET team_id = t.id, team_n = t.n FROM teams AS t WHERE t.n = p.n % 10 + 1;
INSERT INTO likes SELECT n, 0, CASE WHEN n % 2 = 0 THEN c.id ELSE p.id END, CASE WHEN n % 2 = 0 THEN 'customer' ELSE 'person' END, n
FROM generate_series(1, 40) AS n JOIN customers AS c USING (n) JOIN people AS p USING (n);
CREATE VIEW sales AS SELECT c.id AS customer, o.id AS "order", o.n FROM customers AS c JOIN orders AS o ON o.customer_id = c.id;
CREATE MATERIALIZED VIEW leads AS SELECT t.id AS team, p.id AS person, t.n FROM teams AS t JOIN people AS p ON p.id = t.lead_id;
CREATE INDEX ON orders (customer_id, created_at) WHERE id IS NOT NULL;
ALTER TABLE teams ADD CONSTRAINT no_code CHECK (code <> id);
ANALYZE;

-- References to another row than that of their number
CREATE VIEW wrong AS
SELECT 'order' AS reference, count(*) FROM orders AS o LEFT JOIN customers AS c ON c.id = o.customer_id WHERE c.n IS DISTINCT FROM o.customer_n
UNION ALL
SELECT 'line', count(*) FROM lines AS l LEFT JOIN orders AS o ON (o.customer_id, o.id) = (l.customer_id, l.order_id) WHERE (o.n, o.customer_n) IS DISTINCT FROM (l.order_n, l.customer_n)
UNION ALL
SELECT 'code', count(*) FROM codes AS c LEFT JOIN codes AS p ON p.code = c.parent WHERE p.n IS DISTINCT FROM c.parent_n
UNION ALL
SELECT 'person', count(*) FROM people AS p LEFT JOIN teams AS t ON t.id = p.team_id WHERE t.n IS DISTINCT FROM p.team_n
UNION ALL
SELECT 'team', count(*) FROM teams AS t LEFT JOIN people AS p ON p.id = t.lead_id LEFT JOIN codes AS c ON c.code = t.code WHERE (p.n, c.n) IS DISTINCT FROM (t.lead_n, t.code_n)
UNION ALL
SELECT 'like', count(*) FROM likes AS l LEFT JOIN customers AS c ON c.id = l.subject LEFT JOIN people AS p ON p.id = l.subject
WHERE CASE l.subject_type WHEN 'customer' THEN c.n ELSE p.n END IS DISTINCT FROM l.subject_n
UNION ALL
SELECT 'sale', count(*) FROM sales AS s LEFT JOIN orders AS o ON o.id = s."order" WHERE o.n IS DISTINCT FROM s.n
UNION ALL
SELECT 'lead', count(*) FROM leads AS l LEFT JOIN teams AS t ON t.id = l.team WHERE t.n IS DISTINCT FROM l.n;
CREATE VIEW keys AS
SELECT 'customers' AS "table", uuid_version(id) AS version, bool_and(uuid_version(id) <> 7 OR uuid_time(id) = created_at) AS has_time, count(*) FROM customers GROUP BY 1, 2
UNION ALL SELECT 'orders', uuid_version(id), bool_and(uuid_version(id) <> 7 OR uuid_time(id) = created_at), count(*) FROM orders GROUP BY 1, 2
UNION ALL SELECT 'people', uuid_version(id), bool_and(uuid_version(id) <> 7 OR uuid_time(id) = created_at), count(*) FROM people GROUP BY 1, 2
UNION ALL SELECT 'teams', uuid_version(id), bool_and(uuid_version(id) <> 7 OR uuid_time(id) = created_at), count(*) FROM teams GROUP BY 1, 2
UNION ALL SELECT 'codes', uuid_version(code), bool_and(uuid_version(code) <> 7 OR uuid_time(code) = '2020-01-01 00:00:00+00'), count(*) FROM codes GROUP BY 1, 2;
CREATE TABLE before AS SELECT 'customers' AS "table", n, id FROM customers UNION ALL SELECT 'orders', n, id FROM orders UNION ALL SELECT 'people', n, id FROM people
UNION ALL SELECT 'teams', n, id FROM teams UNION ALL SELECT 'codes', n, code FROM codes;
CREATE SCHEMA former;
ALTER TABLE before SET SCHEMA former;

-- --- What is chosen ---
SELECT key, relation, column_name, obstacles, hints FROM uuidx_migrate.keys_plan('{shop}', conversion => 'to_v7', created => 'created_at', trust_owners => true);
\set options '{"shop.codes.code": {"created": "timestamptz ''2020-01-01 00:00:00+00''"}}'
SELECT DISTINCT key, obstacles FROM uuidx_migrate.keys_plan('{shop.teams.id,shop.codes.code}', 'online', 'to_v7', created => 'created_at', trust_owners => true, options => :'options');
SELECT uuidx_migrate.keys_script('{shop}', conversion => 'to_v7', created => 'created_at', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
SELECT regexp_replace(substring(sql, '^(.*)\nCALL'), 'about [\d.]+ (ms|s|min)', 'about ...') AS sql, sql ~ 'commits, after about \d' AS says_how_long
FROM uuidx_migrate.keys_script('{shop}', conversion => 'to_v7', created => 'created_at', trust_owners => true, leave_out => true) WHERE step = 1;
-- For ten million customers
BEGIN;
UPDATE pg_class SET reltuples = 1e7 WHERE oid = 'shop.customers'::regclass;
SELECT m.mode, regexp_replace(l.line, 'about [\d.]+ (ms|s|min)', 'about ...') AS line
FROM unnest('{offline,online}'::text[]) AS m (mode),
     LATERAL uuidx_migrate.keys_script('{shop}', m.mode, 'to_v7', created => 'created_at', trust_owners => true, leave_out => true) AS s,
     LATERAL regexp_split_to_table(s.sql, '\n') AS l (line)
WHERE s.step = 1 AND l.line ~ '^-- (Nobody|Others|Until|All|To look)';
ROLLBACK;
SELECT uuidx_migrate.keys_script('{shop.codes.code}', conversion => 'to_v7', created => 'created_at', trust_owners => true, leave_out => true);
\echo :LAST_ERROR_SQLSTATE
-- Of several expressions for the creation time, each table takes the first that fits. What fits none, and patterns, are left out.
SELECT key COLLATE "C" AS key, obstacles, hints
FROM uuidx_migrate.keys_plan('{shop}', 'offline', 'to_v7', created => '{inserted_at,n,"n + created_at","coalesce(created_at, ''2020-01-01 00:00:00+00'')",created_at}', trust_owners => true)
WHERE key LIKE format('%%.%s.%s', relation, column_name) ORDER BY 1;
SELECT DISTINCT substring(sql, 'r\.[a-z_]+') AS created
FROM uuidx_migrate.keys_script('{shop.teams.id}', 'offline', 'to_v7', created => '{inserted_at,created_at}', trust_owners => true);
SELECT count(*) AS steps, bool_or(sql LIKE '%codes_code_created%') AS has_function
FROM uuidx_migrate.keys_script('{shop.codes.code}', 'offline', 'to_v7', created => '{inserted_at,created_at}', trust_owners => true,
                               options => '{"shop.codes.code": {"rows_without_time": "epoch"}}');
SELECT uuidx_migrate.keys_script('{shop}', 'offline', 'to_v7', created => '{creatd_at,createdat}', rows_without_time => 'epoch', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
SELECT k AS keys, array_agg(DISTINCT key COLLATE "C") AS plans
FROM unnest(ARRAY['{shop,!codes}', '{shop,!shop.co*,!*.people.id}', '{"!shop.*s.id",shop}']) AS k,
     LATERAL uuidx_migrate.keys_plan(k::text[], 'offline', 'to_v7', created => 'created_at', trust_owners => true) AS p
GROUP BY k ORDER BY k COLLATE "C";
-- A pattern is for names with and without quotes.
CREATE SCHEMA quoted;
CREATE TABLE quoted."user" (id uuid PRIMARY KEY, created_at timestamptz);
CREATE TABLE quoted."user_%_Old" (LIKE quoted."user" INCLUDING ALL);
CREATE TABLE quoted.users (LIKE quoted."user" INCLUDING ALL);
CREATE TABLE quoted.a (LIKE quoted."user" INCLUDING ALL);
SET quote_all_identifiers = on;
SELECT k AS left_out, array_agg(DISTINCT replace(key, '"', '') COLLATE "C") AS plans
FROM unnest(ARRAY['!user', '!user*', '!quoted."user".id', '!*_%_*']) AS k,
     LATERAL uuidx_migrate.keys_plan(ARRAY['quoted', k], 'offline', 'to_v7', created => '{NULL,created_at}', trust_owners => true) AS p
GROUP BY k ORDER BY k COLLATE "C";
RESET quote_all_identifiers;
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate.keys_script('{quoted.a.id}')$$);
DROP SCHEMA quoted CASCADE;
-- Of connected columns, one is enough.
SELECT count(*) FROM uuidx_migrate.keys_script('{shop.lines.order_id,shop.orders.id}', conversion => 'to_v7', created => 'created_at',
    trust_owners => true), regexp_matches(sql, E'\nCREATE TABLE', 'g');
-- --- Mistakes in a call ---
CREATE FUNCTION mistake(arguments text, verb text DEFAULT 'keys_script') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT count(*) FROM uuidx_migrate.%s(conversion => ''to_v7'', trust_owners => true, %s)', verb, arguments);
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s: %s', SQLSTATE, SQLERRM);
END
$$;
SELECT k AS keys, mistake(format('keys => %L', k))
FROM unnest(ARRAY['{}', NULL, '{shop,NULL}', '{""}', '{nowhere}', '{shop.customers}', '{shop.customers.id.x}', '{shop,!shop.cod_s}',
                  '{shop,!*}', '{!shop}', '{shop.nothing.id}', '{shop.customers.nothing}', '{shop.customers.n}',
                  '{{shop.customers.id},{shop.orders.id}}']) AS k;
SELECT a AS arguments, mistake('keys => ''{shop.customers.id}'', ' || a)
FROM unnest(ARRAY['mode => NULL', 'mode => ''never''', 'published_tables => NULL', 'fire_triggers => NULL', 'leave_out => NULL',
                  'rows_without_time => ''never''', 'created => ''nothing''', 'created => ''{nothing''',
                  'created => ''(SELECT now())''']) AS a;
SELECT o AS options, mistake(format('keys => ''{shop.customers.id}'', created => ''created_at'', options => %L', o))
FROM unnest(ARRAY[NULL, 'null', '[]', '{"shop.orders.id": {}}', '{"shop": {}}', '{"customers.id": {}}',
                  '{"shop.customers.id": "created_at"}', '{"shop.customers.id": {}, "SHOP.customers.id": {}}']) AS o;
SELECT o AS option, mistake(format('keys => ''{shop.customers.id}'', created => ''created_at'', options => ''{"shop.customers.id": {%s}}''', o))
FROM unnest(ARRAY['"time": "created_at"', '"trust_owners": true', '"created": 5', '"created": null', '"also": "shop.likes.subject"',
                  '"also": null', '"also": [null]', '"also": [["shop.likes.subject"]]',
                  '"other_values": null', '"other_values": "all"', '"future_rows": true', '"new_default": 5', '"new_default": "now()"']) AS o;
SELECT v AS verb, a AS arguments, mistake(a, v)
FROM (VALUES ('keys_plan', 'keys => ''{}'''), ('keys_plan', 'keys => ''{shop.customers.id}'', mode => ''never''')) AS c (v, a);
SELECT mistake('relation => ''shop.customers'', column_name => ''id'', fire_triggers => NULL', 'script');
SELECT obstacles, hints FROM uuidx_migrate.keys_plan('{shop.orders.id}', 'offline', 'to_v7', created => 'created_at', trust_owners => true,
    options => '{"shop.orders.id": {"namespace": "n"}}');
-- A key may be named several times, and by what references it, but has one set of options.
SELECT mistake('keys => ''{shop.orders.id,SHOP.orders.id,shop.lines.order_id,shop.customers.id,shop.orders.customer_id}'', created => ''created_at''');
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate.keys_script('{shop.orders.id,shop.lines.order_id}', conversion => 'to_v7', created => 'created_at',
                                       trust_owners => true, options => '{"shop.orders.id": {"also": ["shop.likes.subject"]}}')$$,
    $$SELECT uuidx_migrate.keys_script('{shop.orders}', conversion => 'to_v7')$$);

-- --- Offline: each table is rewritten once, and a column may hold the keys of several tables ---
\set both '{"also": ["shop.likes.subject"], "other_values": "keep"}'
\set codes '{"created": "timestamptz ''2020-01-01 00:00:00+00''"}'
SELECT format('{"shop.codes.code": %s, "shop.customers.id": %s, "shop.people.id": %2$s}', :'codes', :'both') AS options \gset
CREATE TEMP TABLE script AS SELECT * FROM uuidx_migrate.keys_script('{shop}', 'offline', 'to_v7', created => 'created_at', trust_owners => true, options => :'options');
CREATE TEMP VIEW statements AS SELECT l.sql FROM script, regexp_split_to_table(script.sql, ';\n') AS l (sql);
SELECT substring(sql, 'ALTER TABLE ([^ ]+)') COLLATE "C" AS "table", (SELECT count(*) FROM regexp_matches(sql, 'ALTER COLUMN', 'g')) AS columns
FROM statements WHERE sql ~ 'ALTER COLUMN .*lookup' ORDER BY 1;
SELECT sql FROM statements WHERE sql LIKE '%likes ALTER COLUMN%';
\set ECHO none \o /dev/null
SELECT sql FROM script ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM keys ORDER BY 1;
SELECT * FROM wrong WHERE count > 0;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{shop}', 'offline', 'from_v7', trust_owners => true, options => '{
    "shop.customers.id": {"also": ["shop.likes.subject"], "other_values": "keep"},
    "shop.people.id": {"also": ["shop.likes.subject"], "other_values": "keep"}}') ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM keys ORDER BY 1;
SELECT * FROM wrong WHERE count > 0;

-- --- Online: each row is updated once, and twice where tables reference each other in a circle ---
SELECT uuidx_migrate.keys_script('{shop}', 'online', 'to_v7', created => 'created_at', trust_owners => true, options => :'options');
\echo :LAST_ERROR_SQLSTATE
\set options '{"shop.codes.code": {"created": "timestamptz ''2020-01-01 00:00:00+00''"}, "shop.customers.id": {"also": ["shop.likes.subject"], "other_values": "keep"}}'
CREATE FUNCTION count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.updates := new.updates + 1; RETURN new; END $$;
SELECT format('CREATE TRIGGER count_update BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION count_update()', t) FROM unnest('{customers,orders,lines,codes,people,teams,likes}'::text[]) AS t \gexec
SELECT step, phase, regexp_replace(left(regexp_replace(sql, '^(--[^\n]*\n)+', ''), 110), '\s+', ' ', 'g') AS sql
FROM uuidx_migrate.keys_script('{shop}', 'online', 'to_v7', created => 'created_at', trust_owners => true, options => :'options')
WHERE phase IN ('shadow', 'fill', 'key', 'cutover') ORDER BY step;
-- Written anew after each cutover, it goes on.
\set ECHO none \o /dev/null
WITH s AS MATERIALIZED (SELECT * FROM uuidx_migrate.keys_script('{shop}', 'online', 'to_v7', created => 'created_at', trust_owners => true, options => :'options'))
SELECT sql FROM s WHERE step <= (SELECT min(step) FROM s WHERE phase = 'cutover') ORDER BY step \gexec
WITH s AS MATERIALIZED (SELECT * FROM uuidx_migrate.keys_script('{shop}', 'online', 'to_v7', created => 'created_at', trust_owners => true, options => :'options'))
SELECT sql FROM s WHERE step <= (SELECT min(step) FROM s WHERE phase = 'proof') ORDER BY step \gexec
\o \set ECHO all
SELECT "table", version, count FROM keys ORDER BY 1, 2;
SELECT sql FROM uuidx_migrate.keys_script('{shop}', 'online', 'to_v7', created => 'created_at', trust_owners => true, options => :'options') WHERE phase = 'fill' ORDER BY step LIMIT 1;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{shop}', 'online', 'to_v7', created => 'created_at', trust_owners => true, options => :'options') ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM keys ORDER BY 1;
SELECT * FROM wrong WHERE count > 0 AND reference <> 'like';
SELECT reference, count FROM wrong WHERE reference = 'like';
SELECT 'customers' AS "table", updates, count(*) FROM customers GROUP BY 2 UNION ALL SELECT 'orders', updates, count(*) FROM orders GROUP BY 2
UNION ALL SELECT 'lines', updates, count(*) FROM lines GROUP BY 2 UNION ALL SELECT 'codes', updates, count(*) FROM codes GROUP BY 2
UNION ALL SELECT 'people', updates, count(*) FROM people GROUP BY 2 UNION ALL SELECT 'teams', updates, count(*) FROM teams GROUP BY 2
UNION ALL SELECT 'likes', updates, count(*) FROM likes GROUP BY 2 ORDER BY 1, 2;

-- --- Undone and finished ---
\set options '{"shop.customers.id": {"also": ["shop.likes.subject"], "other_values": "keep"}}'
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{shop}', 'online', 'from_v7', trust_owners => true, options => :'options') ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.keys_script('{shop}', 'finish', 'from_v7', trust_owners => true, options => :'options') ORDER BY step \gexec
\o \set ECHO all
SELECT uuidx_migrate.keys_script('{shop}', 'finish', 'from_v7', trust_owners => true, options => :'options');
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM former.before AS b
JOIN (SELECT 'customers', n, id FROM customers UNION ALL SELECT 'orders', n, id FROM orders UNION ALL SELECT 'people', n, id FROM people
      UNION ALL SELECT 'teams', n, id FROM teams UNION ALL SELECT 'codes', n, code FROM codes) AS a ("table", n, id) USING ("table", n, id);
SELECT * FROM wrong WHERE count > 0;
SELECT attrelid::regclass, attname FROM pg_attribute WHERE attname LIKE '%\_shadow' AND NOT attisdropped;

-- --- The other conversions ---
CREATE SCHEMA v1;
CREATE TABLE v1.a (id uuid PRIMARY KEY);
CREATE TABLE v1.b (id uuid PRIMARY KEY, a uuid REFERENCES v1.a);
INSERT INTO v1.a SELECT uuid_v6_to_v1(uuid_generate_v6()) FROM generate_series(1, 20);
INSERT INTO v1.b SELECT uuid_v6_to_v1(uuid_generate_v6()), id FROM v1.a;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{v1}', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.keys_script('{v1}', 'finish', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT uuid_version(b.id), uuid_version(b.a), count(*) FROM v1.b AS b JOIN v1.a AS a ON a.id = b.a GROUP BY 1, 2;
CREATE SCHEMA texts;
CREATE TABLE texts.a (id text PRIMARY KEY);
CREATE TABLE texts.b (id text PRIMARY KEY, a text REFERENCES texts.a);
INSERT INTO texts.a SELECT upper(gen_random_uuid()::text) FROM generate_series(1, 20);
INSERT INTO texts.b SELECT gen_random_uuid(), id FROM texts.a;
-- What is written in a table is found before the script is, where it is to be left out.
CREATE TABLE texts.no_uuids (id text PRIMARY KEY);
INSERT INTO texts.no_uuids VALUES ('none');
CREATE FUNCTION texts.named() RETURNS text LANGUAGE sql AS 'SELECT max(id) FROM texts.a';
SELECT substring(sql, 'Left out: [^\n]*') AS left_out, substring(sql, 'Look whether [^\n]*') AS functions
FROM uuidx_migrate.keys_script('{texts}', 'online', 'text_to_uuid', trust_owners => true, leave_out => true) WHERE step = 1;
DROP TABLE texts.no_uuids;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{texts}', 'online', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.keys_script('{texts}', 'finish', 'text_to_uuid', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT pg_typeof(b.id), pg_typeof(b.a), count(*) FROM texts.b AS b JOIN texts.a AS a ON a.id = b.a GROUP BY 1, 2;
SET search_path = public;
-- A key that references itself is one.
CREATE SCHEMA alone;
CREATE TABLE alone.itself (id uuid PRIMARY KEY REFERENCES alone.itself);
SELECT DISTINCT key FROM uuidx_migrate.keys_plan('{alone}', conversion => 'v1_to_v6', trust_owners => true);
DROP SCHEMA shop, former, v1, texts, alone CASCADE;
