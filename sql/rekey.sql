-- Version 7 keys in the place of random ones
\set SHOW_CONTEXT never
SET client_min_messages = error;
SET TimeZone = 'UTC';
CREATE ROLE regress_uuidx_owner;
CREATE ROLE regress_uuidx_writer;
GRANT CREATE, USAGE ON SCHEMA public TO regress_uuidx_owner, regress_uuidx_writer;
SET ROLE regress_uuidx_owner;
SET client_min_messages = warning;
CREATE FUNCTION v4(n int) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN format('%s-0000-4000-8000-%s', lpad(to_hex(n), 8, '0'), lpad(to_hex(n), 12, '0'))::uuid;

-- What a key becomes
SELECT uuidx_migrate_steps.v7_key(k, t, 'error', 'error') AS key, uuid_v7_of(t, k) AS same
FROM (VALUES (v4(1), timestamptz '2020-02-02 02:02:02.123456+00'), ('919108f7-52d1-4320-9bac-f847db4148a8', '1970-01-01 00:00:00+00'),
             ('c232ab00-9414-11ec-b3c8-9f6bdeced846', '2022-02-22 19:22:22+00')) AS v (k, t);
SELECT uuidx_migrate_steps.v7_key('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', NULL, 'error', 'error') AS stays, uuidx_migrate_steps.v7_key(NULL, now(), 'error', 'error');
SELECT t, uuidx_migrate_steps.v7_key(v4(1), t, 'epoch', 'epoch') AS key
FROM (VALUES (NULL::timestamptz), ('-infinity'), ('1969-12-31 23:59:59.999999+00'), ('2999-01-01 00:00:00+00'), ('infinity')) AS v (t);
SELECT uuidx_migrate_steps.v7_key(v4(1), '2999-01-01 00:00:00+00', 'error', 'keep') AS key;
SELECT uuidx_migrate_steps.v7_key(v4(1), NULL, 'error', 'error');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.v7_key(v4(1), '1969-12-31 23:59:59.999999+00', 'error', 'epoch');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.v7_key(v4(1), '2999-01-01 00:00:00+00', 'epoch', 'error');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.v7_key(v4(1), 'infinity', 'epoch', 'keep');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.v7_key(v4(1), now(), 'keep', 'error');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.v7_key(v4(1), now(), NULL, 'error');
\echo :LAST_ERROR_SQLSTATE

-- The expression for the creation time
CREATE TABLE rows (id uuid PRIMARY KEY, created timestamptz, "Local" timestamp, n bigint, day date, r text, twice bigint GENERATED ALWAYS AS (n * 2) STORED);
SELECT uuidx_migrate_steps.created_expression('rows', e) AS expression
FROM (VALUES ('created'), ('coalesce(created, to_timestamp(n / 1000.0))'), ($$"Local" AT TIME ZONE 'Europe/Berlin'$$), ('r.created'),
             ($$CASE WHEN r.r = 'r' THEN r.created ELSE timestamptz '2020-01-01 00:00:00+00' END$$)) AS v (e);
SELECT uuidx_migrate_steps.created_expression('rows', '"Local"');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', 'day');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', 'n');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', 'to_timestamp(twice)');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', $$r.tableoid::int * interval '1 s' + '2020-01-01 00:00:00+00'::timestamptz$$);
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', '(SELECT created)');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', 'max(created)');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', 'now()');
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY sqlstate
SELECT uuidx_migrate_steps.created_expression('rows', 'public.of_nobody(created)');
\set VERBOSITY default
SELECT uuidx_migrate_steps.created_expression('rows', e) FROM (VALUES ('created FROM rows'), ('created; DROP TABLE rows'), ('created AS c'), ('created, created'), ('*'), ('')) AS v (e) LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', 'created; DROP TABLE rows');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', 'created, created');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', 'created UNION SELECT now()');
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.created_expression('rows', '');
\echo :LAST_ERROR_SQLSTATE
INSERT INTO rows VALUES (v4(1), '2020-01-01 00:00:00+00'), (v4(2), NULL), (v4(3), '1969-01-01 00:00:00+00'), (v4(4), '2999-01-01 00:00:00+00'),
    ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', NULL), ('c232ab00-9414-11ec-b3c8-9f6bdeced846', '2020-01-01 00:00:00+00');
SELECT * FROM uuidx_migrate.creation_times('rows', 'id', 'created', trust_owners => true);
SELECT * FROM uuidx_migrate.creation_times('rows', 'id', NULL, trust_owners => true);

SELECT remarks[1] FROM uuidx_migrate.plan('rows', 'id', conversion => 'to_v7', created => 'created', trust_owners => true);
-- Tables that have no rows need no disk.
CREATE TABLE nothing (id uuid PRIMARY KEY);
ANALYZE nothing;
SELECT d.offline = pg_total_relation_size('nothing') AS offline, d.online = d.offline + pg_relation_size('nothing_pkey') AS online
FROM uuidx_migrate_steps.disk_needed(uuidx_migrate_steps.migration(('nothing', 'id', 'to_v7', 'error', '{}', 'refuse', true, NULL, false, NULL, 'error', 'error', NULL, NULL)::uuidx_migrate_steps.choices, false)) AS d;
-- Functions that may mean columns by their positions
CREATE FUNCTION inserts() RETURNS void LANGUAGE sql AS $$INSERT INTO public.nothing VALUES (NULL)$$;
CREATE FUNCTION names() RETURNS void LANGUAGE sql AS $$INSERT INTO nothing (id) VALUES (NULL)$$;
CREATE FUNCTION reads() RETURNS SETOF nothing LANGUAGE plpgsql AS $$BEGIN RETURN QUERY SELECT n.* FROM "nothing" AS n; END$$;
CREATE FUNCTION others() RETURNS SETOF text LANGUAGE plpgsql AS $$BEGIN RETURN QUERY SELECT * FROM nothings; END$$;
SELECT f FROM uuidx_migrate_steps.positional_functions('nothing') AS f ORDER BY f::text;
DROP FUNCTION inserts, names, reads, others;
DROP TABLE nothing;

-- A shop: a key, and columns that reference it in every way
CREATE TABLE accounts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int UNIQUE, created timestamp, parent uuid REFERENCES accounts ON UPDATE CASCADE);
CREATE TABLE profiles (id uuid PRIMARY KEY DEFAULT gen_random_uuid() REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE, n int);
CREATE TABLE settings (profile uuid REFERENCES profiles ON DELETE SET NULL ON UPDATE CASCADE, n int);
CREATE TABLE notes (n int, account uuid DEFAULT '00000001-0000-4000-8000-000000000001' REFERENCES accounts ON DELETE SET DEFAULT DEFERRABLE INITIALLY DEFERRED);
CREATE INDEX ON notes (account);
CREATE TABLE replies (n int, account uuid REFERENCES accounts ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED);
CREATE INDEX ON replies (account);
CREATE TABLE events (account uuid REFERENCES accounts ON UPDATE CASCADE, day int, n int) PARTITION BY LIST (day);
CREATE TABLE events_1 PARTITION OF events FOR VALUES IN (1);
CREATE TABLE tags (account uuid, n int);
CREATE TABLE original AS SELECT v4(n) AS id, n, timestamp '2020-01-01' + n * interval '1 day' AS created FROM generate_series(1, 9) AS n;
INSERT INTO accounts SELECT id, n, created, CASE WHEN n > 1 THEN v4(n / 2) END FROM original;
INSERT INTO profiles SELECT id, n FROM accounts WHERE n < 5;
INSERT INTO settings SELECT id, n FROM profiles;
INSERT INTO notes SELECT n, id FROM accounts WHERE n NOT IN (3, 9);
INSERT INTO replies SELECT n, id FROM accounts WHERE n = 9;
INSERT INTO events SELECT id, 1, n FROM accounts WHERE n < 9;
INSERT INTO tags SELECT id, n FROM accounts WHERE n <> 3;
CREATE VIEW wrong AS
SELECT 'accounts' AS relation, c.n FROM accounts AS c LEFT JOIN accounts AS p ON p.id = c.parent WHERE c.n > 1 AND p.n IS DISTINCT FROM c.n / 2
UNION ALL SELECT 'profiles', c.n FROM profiles AS c LEFT JOIN accounts AS p USING (id) WHERE p.n IS DISTINCT FROM c.n
UNION ALL SELECT 'settings', c.n FROM settings AS c LEFT JOIN profiles AS p ON p.id = c.profile WHERE p.n IS DISTINCT FROM c.n
UNION ALL SELECT 'notes', c.n FROM notes AS c LEFT JOIN accounts AS p ON p.id = c.account WHERE p.n IS DISTINCT FROM c.n
UNION ALL SELECT 'replies', c.n FROM replies AS c LEFT JOIN accounts AS p ON p.id = c.account WHERE p.n IS DISTINCT FROM c.n
UNION ALL SELECT 'events', c.n FROM events AS c LEFT JOIN accounts AS p ON p.id = c.account WHERE p.n IS DISTINCT FROM c.n
UNION ALL SELECT 'tags', c.n FROM tags AS c LEFT JOIN accounts AS p ON p.id = c.account WHERE p.n IS DISTINCT FROM c.n;
CREATE VIEW defaults AS SELECT adrelid::regclass AS relation, adnum, pg_get_expr(adbin, adrelid) AS expression FROM pg_attrdef
WHERE adrelid IN ('accounts'::regclass, 'profiles'::regclass, 'notes'::regclass) ORDER BY adrelid::regclass::text, adnum;

SELECT relation, column_name, role, default_afterwards, regexp_replace(remarks::text, '[0-9]+ (bytes|kB)', 'some kB', 'g') AS remarks FROM uuidx_migrate.plan('settings', 'profile', conversion => 'to_v7', also => '{tags.account}', created => $$created AT TIME ZONE 'UTC'$$, trust_owners => true);
SELECT unnest(obstacles) FROM uuidx_migrate.plan('settings', 'profile', conversion => 'to_v7', also => '{tags.account}', created => $$created AT TIME ZONE 'UTC'$$, trust_owners => true);

-- Offline, and back
\set call '''settings'', ''profile'', conversion => ''to_v7'', also => ''{tags.account}'', created => $$created AT TIME ZONE ''UTC''$$'
\pset format unaligned
\pset tuples_only on
SELECT regexp_replace(sql, '''([0-9a-f]{32}|[{][0-9,]+[}](?=''::pg_catalog.oid))''', '''fingerprint''', 'g') FROM uuidx_migrate.script(:call, trust_owners => true) ORDER BY step;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, trust_owners => true) ORDER BY step \gexec
\o
\pset format aligned
\pset tuples_only off
\set ECHO all
SELECT * FROM wrong;
SELECT n, a.id, a.id = uuid_v7_of(o.created AT TIME ZONE 'UTC', o.id) AS is_right FROM accounts AS a JOIN original AS o USING (n) ORDER BY n LIMIT 3;
SELECT count(*) AS former_keys, count(*) FILTER (WHERE former_key = v4(n)) AS same FROM accounts_id_former JOIN accounts ON id = key;
SELECT * FROM defaults;
SELECT unnest(obstacles) AS obstacle FROM uuidx_migrate.plan('accounts', 'id', conversion => 'to_v7', trust_owners => true);
INSERT INTO accounts (n) VALUES (10);
SELECT sql FROM uuidx_migrate.script('accounts', 'id', 'finish', 'to_v7', also => '{tags.account}', trust_owners => true);
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('settings', 'profile', 'offline', 'from_v7', also => '{tags.account}', new_default => 'gen_random_uuid()', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM wrong WHERE n <= 9;
SELECT count(*) AS same FROM accounts JOIN original USING (id, n);
SELECT uuid_version(id) FROM accounts WHERE n = 10;
SELECT * FROM defaults;
SELECT unnest(obstacles) AS obstacle FROM uuidx_migrate.plan('accounts', 'id', conversion => 'from_v7', trust_owners => true);

-- Online
\set call '''settings'', ''profile'', ''online'', conversion => ''to_v7'', also => ''{tags.account}'', created => $$created AT TIME ZONE ''UTC''$$'
\set undo '''settings'', ''profile'', ''online'', conversion => ''from_v7'', also => ''{tags.account}'''
\pset format unaligned
\pset tuples_only on
SELECT '', '-- Locks: ' || locks, regexp_replace(sql, '''([0-9a-f]{32}|[{][0-9,]+[}](?=''::pg_catalog.oid))''', '''fingerprint''', 'g') FROM uuidx_migrate.script(:call, trust_owners => true)
WHERE phase IN ('key', 'proof') OR phase = 'shadow' AND locks ~ 'accounts|settings' ORDER BY step;
\pset format aligned
\pset tuples_only off
-- It can be given up.
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, trust_owners => true) WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM defaults;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('settings', 'profile', 'finish', 'from_v7', also => '{tags.account}', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM defaults;
SELECT * FROM wrong WHERE n <= 9;
SELECT attrelid::regclass, attname FROM pg_attribute WHERE attname LIKE '%\_shadow' AND attnum > 0 AND NOT attisdropped;
SELECT tgrelid::regclass, tgname FROM pg_trigger WHERE NOT tgisinternal AND tgrelid IN ('accounts'::regclass, 'notes'::regclass);
-- Rows that are written before the cutover
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, trust_owners => true) WHERE phase NOT IN ('proof', 'cutover', 'after') ORDER BY step \gexec
\o
\set ECHO all
CREATE FUNCTION pairs() RETURNS TABLE (relation text, n int, id uuid, id_shadow uuid) LANGUAGE sql AS $$
SELECT 'accounts', n, id, id_shadow FROM accounts UNION ALL SELECT 'parents', n, parent, parent_shadow FROM accounts WHERE parent IS NOT NULL
UNION ALL SELECT 'profiles', n, id, id_shadow FROM profiles UNION ALL SELECT 'settings', n, profile, profile_shadow FROM settings WHERE profile IS NOT NULL
UNION ALL SELECT 'notes', n, account, account_shadow FROM notes UNION ALL SELECT 'replies', n, account, account_shadow FROM replies
UNION ALL SELECT 'events', n, account, account_shadow FROM events UNION ALL SELECT 'tags', n, account, account_shadow FROM tags $$;
CREATE FUNCTION unequal() RETURNS SETOF text LANGUAGE sql AS
$$ SELECT format('%s %s', relation, n) FROM pairs() AS p WHERE NOT EXISTS (SELECT FROM accounts AS a WHERE (a.id, a.id_shadow) = (p.id, p.id_shadow)) ORDER BY 1 $$;
SELECT * FROM unequal();
-- In one statement, in one transaction with a deferred foreign key, and a row that references itself
WITH p AS (INSERT INTO profiles (id, n) VALUES (v4(11), 11)), s AS (INSERT INTO settings (profile, n) VALUES (v4(11), 11))
INSERT INTO accounts (id, n, created, parent) VALUES (v4(11), 11, '2021-01-01', v4(11));
BEGIN;
INSERT INTO notes (n, account) VALUES (12, v4(12));
SELECT account = account_shadow AS pending FROM notes WHERE n = 12;
INSERT INTO accounts (id, n, created) VALUES (v4(12), 12, '2021-01-02');
COMMIT;
SELECT * FROM unequal();
-- A time that changes changes no key; a key that changes does, and what references it follows.
UPDATE accounts SET created = created + interval '1 year' WHERE n = 2;
SELECT id_shadow = uuid_v7_of(timestamptz '2020-01-03 00:00:00+00', id) AS unchanged FROM accounts WHERE n = 2;
UPDATE accounts SET id = v4(1003) WHERE n = 3;
SELECT id_shadow = uuid_v7_of(created AT TIME ZONE 'UTC', v4(1003)) AS changed FROM accounts WHERE n = 3;
SELECT account = v4(1003) AS follows FROM events WHERE n = 3;
-- A row is deleted and inserted again, with another time.
BEGIN;
DELETE FROM accounts WHERE n = 9;
INSERT INTO accounts (id, n, created, parent) VALUES (v4(9), 9, '2022-02-02', v4(4));
COMMIT;
SELECT * FROM unequal();
SELECT account_shadow = uuid_v7_of(timestamptz '2022-02-02 00:00:00+00', v4(9)) AS changed FROM replies WHERE n = 9;
-- Without a time, with a time to come
INSERT INTO accounts (id, n) VALUES (v4(13), 13);
\echo :LAST_ERROR_SQLSTATE
INSERT INTO accounts (id, n, created) VALUES (v4(13), 13, 'infinity');
\echo :LAST_ERROR_SQLSTATE
-- A new row needs no time: its key has version 7.
INSERT INTO accounts (n) VALUES (13) RETURNING id = id_shadow AS same, uuid_version(id);
-- The shadow is nobody else's.
UPDATE notes SET account_shadow = v4(8) WHERE n = 8;
UPDATE accounts SET id_shadow = v4(8) WHERE n = 8;
SELECT * FROM unequal();
INSERT INTO accounts VALUES (v4(14), 14, '2021-01-01', NULL, v4(15));
\echo :LAST_ERROR_SQLSTATE
INSERT INTO notes VALUES (14, v4(1), v4(15));
\echo :LAST_ERROR_SQLSTATE
-- Like the check of a foreign key, a look-up needs neither a privilege of who writes nor a row that row security shows.
GRANT INSERT ON notes TO regress_uuidx_writer;
ALTER TABLE accounts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE regress_uuidx_writer;
INSERT INTO notes (n, account) VALUES (1, v4(1));
SET ROLE regress_uuidx_owner;
ALTER TABLE accounts NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
SELECT * FROM unequal();
REVOKE SELECT ON accounts FROM regress_uuidx_owner;
INSERT INTO notes (n, account) VALUES (1, v4(1));
\echo :LAST_ERROR_SQLSTATE
GRANT SELECT ON accounts TO regress_uuidx_owner;
REVOKE INSERT ON notes FROM regress_uuidx_writer;
-- The cutover waits for the proof.
SELECT sql AS cutover FROM uuidx_migrate.script(:call, trust_owners => true) WHERE phase = 'cutover' \gset
\set VERBOSITY terse
\set ECHO none
:cutover;
\set ECHO all
\set VERBOSITY default
\echo :LAST_ERROR_SQLSTATE
-- The proof finds what is wrong.
ALTER TABLE notes DISABLE TRIGGER zzz_account_shadow;
UPDATE notes SET account_shadow = (SELECT id_shadow FROM accounts WHERE n = 7) WHERE n = 8;
ALTER TABLE notes ENABLE ALWAYS TRIGGER zzz_account_shadow;
SELECT * FROM unequal();
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, trust_owners => true) WHERE phase = 'proof' ORDER BY step \gexec
\o
\set ECHO all
UPDATE notes SET account_shadow = NULL WHERE n = 8;
SELECT * FROM unequal();
-- The cutover also waits for the index of the aliases, whose name another relation may have.
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, trust_owners => true) WHERE phase = 'proof' ORDER BY step \gexec
\o
\set ECHO all
ALTER INDEX accounts_id_to_v7 RENAME TO aliases;
CREATE TABLE accounts_id_to_v7 ();
\set VERBOSITY terse
\set ECHO none
:cutover;
\set ECHO all
\set VERBOSITY default
DROP INDEX aliases;
DROP TABLE accounts_id_to_v7;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT count(*) AS steps FROM uuidx_migrate.script(:call, trust_owners => true);
SELECT * FROM unequal();
SELECT * FROM wrong WHERE n <= 9;
SELECT uuid_version(id) AS version, count(*) FROM pairs() GROUP BY version;
SELECT * FROM defaults;
SELECT id FROM accounts WHERE id = v4(5) OR id_shadow = v4(5);
-- Former keys that clients still write are aliases.
INSERT INTO notes (n, account) VALUES (5, v4(5)) RETURNING account = (SELECT id FROM accounts WHERE n = 5) AS translated;
INSERT INTO accounts (id, n) VALUES (v4(5), 5) ON CONFLICT (id) DO UPDATE SET created = '2023-01-01'
RETURNING uuid_version(id), id_shadow = v4(5) AS same;
INSERT INTO accounts (id, n, created) VALUES (v4(15), 15, '2021-01-01') RETURNING id = uuid_v7_of(timestamptz '2021-01-01 00:00:00+00', v4(15)) AS converted, id_shadow = v4(15) AS kept;
INSERT INTO notes (n, account) VALUES (15, v4(15));
WITH p AS (INSERT INTO profiles (id, n) VALUES (v4(16), 16))
INSERT INTO accounts (id, n, created) VALUES (v4(16), 16, '2021-01-01');
DELETE FROM accounts WHERE n = 15;
SELECT n, uuid_version(account), account_shadow = v4(1) AS default FROM notes WHERE n = 15;
UPDATE notes SET n = 1 WHERE n = 15;
SELECT * FROM unequal();
SELECT * FROM wrong WHERE n <= 9;
-- It is undone.
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script(:undo, trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM unequal();
SELECT * FROM wrong WHERE n <= 9;
SELECT * FROM defaults;
SELECT n FROM accounts LEFT JOIN original USING (id, n) WHERE original.id IS NULL AND n <= 9;
-- The new keys are aliases now.
INSERT INTO notes (n, account) SELECT 5, id_shadow FROM accounts WHERE n = 5 RETURNING account = v4(5) AS translated;
-- It is done again, and finished.
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
-- The key loses its old column last.
SELECT locks FROM uuidx_migrate.script('settings', 'profile', 'finish', 'to_v7', also => '{tags.account}', trust_owners => true) ORDER BY step;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('settings', 'profile', 'finish', 'to_v7', also => '{tags.account}', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM wrong WHERE n <= 9;
\d accounts
\d notes
\d events
SELECT to_regprocedure('accounts_id_created(accounts)');

-- Who writes runs the owner's expression as the owner, and nobody else's.
CREATE TABLE secrets (who text);
CREATE TABLE traps (id uuid PRIMARY KEY, created timestamptz, n int);
CREATE FUNCTION spring(t timestamptz) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'runs as %', current_user; RETURN t; END $$;
GRANT INSERT, UPDATE, SELECT ON traps TO regress_uuidx_writer;
SET client_min_messages = notice;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('traps', 'id', 'online', 'to_v7', created => 'public.spring(created)', trust_owners => true) WHERE phase = 'shadow' ORDER BY step \gexec
\o
\set ECHO all
SET ROLE regress_uuidx_writer;
INSERT INTO traps (id, created, n) VALUES (v4(1), '2020-01-01 00:00:00+00', 1);
RESET ROLE;
ALTER FUNCTION traps_id_created OWNER TO regress_uuidx_writer;
INSERT INTO traps (id, created, n) VALUES (v4(2), '2020-01-01 00:00:00+00', 1);
\echo :LAST_ERROR_SQLSTATE
ALTER FUNCTION traps_id_created OWNER TO regress_uuidx_owner;
-- It leaves no setting behind.
SET ROLE regress_uuidx_owner;
CREATE OR REPLACE FUNCTION spring(t timestamptz) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN PERFORM set_config('search_path', 'nowhere', false); RAISE NOTICE 'path is %', current_setting('search_path'); RETURN t; END $$;
SET ROLE regress_uuidx_writer;
INSERT INTO traps (id, created, n) VALUES (v4(2), '2020-01-01 00:00:00+00', 1);
SHOW search_path;
RESET ROLE;
SET ROLE regress_uuidx_owner;
SET client_min_messages = warning;
DROP TABLE traps CASCADE;
DROP FUNCTION spring(timestamptz) CASCADE;

-- Who may reference a table reads nothing there but the shadow of a key.
CREATE TABLE secret (id uuid PRIMARY KEY, word uuid);
INSERT INTO secret VALUES (v4(1), v4(2));
GRANT REFERENCES (id) ON secret TO regress_uuidx_writer;
SET ROLE regress_uuidx_writer;
CREATE TABLE spy (id uuid REFERENCES secret, word uuid, CONSTRAINT zzz_word CHECK (num_nulls(id, word) >= 0 AND 'secret'::regclass IS NOT NULL));
CREATE TRIGGER spy BEFORE INSERT ON spy FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_reference('id', 'word', 'id', 'word');
INSERT INTO spy (id) VALUES (v4(1)) RETURNING word;
\echo :LAST_ERROR_SQLSTATE
-- That, as long as the owner of the referencing table has both rights; those of the writer do not matter.
RESET ROLE;
ALTER TABLE secret ADD CONSTRAINT zzz_word CHECK (num_nulls(id, word) >= 0);
\set VERBOSITY sqlstate
INSERT INTO spy (id) VALUES (v4(1)) RETURNING word;
GRANT SELECT ON secret TO regress_uuidx_writer;
INSERT INTO spy (id) VALUES (v4(1)) RETURNING word;
GRANT REFERENCES ON secret TO regress_uuidx_writer;
INSERT INTO spy (id) VALUES (v4(1)) RETURNING word;
REVOKE SELECT ON secret FROM regress_uuidx_writer;
INSERT INTO spy (id) VALUES (v4(1)) RETURNING word;
\set VERBOSITY default
DROP TABLE spy;
SET ROLE regress_uuidx_owner;
DROP TABLE secret;

-- What a look-up needs
CREATE TABLE map (old uuid, new uuid, n int);
INSERT INTO map VALUES (v4(1), v4(2), 1), (v4(3), NULL, 3);
CREATE UNIQUE INDEX ON map (old, n);
CREATE UNIQUE INDEX ON map (old uuid_time_ops);
CREATE UNIQUE INDEX ON map (old) WHERE new IS NOT NULL;
CREATE INDEX ON map (old);
SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', v4(1), v4(1));
\echo :LAST_ERROR_SQLSTATE
CREATE UNIQUE INDEX ON map (old) WHERE old IS NOT NULL;
SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', v4(1), v4(1)) = v4(2) AS found, uuidx_migrate_steps.lookup('map', 'old', 'new', v4(4), v4(4)) = v4(4) AS same;
SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', v4(3), v4(3));
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.lookup('map', 'old', 'n', v4(1), v4(1));
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.lookup('map', 'old', 'none', v4(1), v4(1));
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE map ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', v4(1), v4(1));
\echo :LAST_ERROR_SQLSTATE
SET ROLE regress_uuidx_writer;
SELECT uuidx_migrate_steps.lookup('public.map', 'old', 'new', public.v4(1), public.v4(1));
\echo :LAST_ERROR_SQLSTATE
SET ROLE regress_uuidx_owner;
DROP TABLE map;
CREATE TABLE map (old uuid, new uuid) PARTITION BY LIST (old);
CREATE UNIQUE INDEX ON map (old);
SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', v4(1), v4(1));
\echo :LAST_ERROR_SQLSTATE
DROP TABLE map;

-- Obstacles
CREATE FUNCTION obstacles_of(relation regclass, column_name name, created text DEFAULT NULL) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT DISTINCT o || ': ' || h FROM uuidx_migrate.plan(relation, column_name, conversion => 'to_v7', created => created, trust_owners => true) AS p, unnest(p.obstacles, p.hints) AS u (o, h) ORDER BY 1 $$;
CREATE TABLE a (id uuid PRIMARY KEY);
CREATE TABLE b (id uuid PRIMARY KEY REFERENCES a);
ALTER TABLE a ADD FOREIGN KEY (id) REFERENCES b DEFERRABLE;
SELECT * FROM obstacles_of('a', 'id');
ALTER TABLE a DROP CONSTRAINT a_id_fkey;
CREATE TABLE c (id uuid PRIMARY KEY);
ALTER TABLE b ADD FOREIGN KEY (id) REFERENCES c;
SELECT * FROM obstacles_of('b', 'id');
ALTER TABLE b DROP CONSTRAINT b_id_fkey1;
ALTER TABLE b DROP CONSTRAINT b_id_fkey, ADD CONSTRAINT b_id_shadow FOREIGN KEY (id) REFERENCES a NOT VALID;
SELECT * FROM obstacles_of('b', 'id');
DROP TABLE a, b, c;
CREATE TABLE a (id uuid, day int, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
SELECT * FROM obstacles_of('a', 'id');
DROP TABLE a;
CREATE TABLE a (id uuid, day int, created timestamptz, PRIMARY KEY (id, day));
SELECT * FROM obstacles_of('a', 'id', $$CASE WHEN 'r.id ' <> '' THEN created END$$);
CREATE TABLE a_id_former ();
CREATE FUNCTION a_id_created(a) RETURNS timestamptz LANGUAGE sql RETURN now();
SELECT * FROM obstacles_of('a', 'id', 'coalesce(created, uuidx_migrate_steps.uuid_time(id))');
DROP TABLE a_id_former;
DROP TABLE a CASCADE;
SELECT * FROM uuidx_migrate.plan('accounts', 'id', conversion => 'to_v7', created => 'created', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM uuidx_migrate.plan('accounts', 'id', conversion => 'to_v7', rows_without_time => 'keep', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM uuidx_migrate.plan('accounts', 'id', conversion => 'to_v7', future_rows => 'none', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
SELECT sql FROM uuidx_migrate.script('rows', 'id', 'online', 'to_v7', created => 'created', trust_owners => true) WHERE sql ~ 'check_times' LIMIT 1 \gexec
SELECT sql FROM uuidx_migrate.script('rows', 'id', 'online', 'to_v7', created => 'created', rows_without_time => 'epoch', future_rows => 'keep', trust_owners => true) WHERE sql ~ 'check_times' LIMIT 1 \gexec
-- The table may have a column r, as the script calls its rows.
BEGIN;
\set ECHO none
\o /dev/null
SELECT substring(sql, E'-- 2 of .*\n(?=-- 3 of )') FROM uuidx_migrate.script('rows', 'id', 'offline', 'to_v7', created => 'created', rows_without_time => 'epoch', future_rows => 'keep', trust_owners => true) \gexec
\o
\set ECHO all
SELECT count(*) FROM public.rows_id_former;
ROLLBACK;

-- A foreign key to a partitioned table is validated after the cutover. PostgreSQL 17 and older do not mark those to the partitions so.
CREATE TABLE public.days (row_id uuid REFERENCES rows, day int, UNIQUE (row_id, day)) PARTITION BY LIST (day);
CREATE TABLE public.days_1 PARTITION OF days FOR VALUES IN (1);
CREATE TABLE public.hours (row_id uuid, day int, FOREIGN KEY (row_id, day) REFERENCES days (row_id, day));
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('rows', 'id', 'online', 'to_v7', created => 'created', rows_without_time => 'epoch', future_rows => 'keep', trust_owners => true)
ORDER BY step \gexec
\o
\set ECHO all
SELECT relation, obstacles FROM uuidx_migrate.plan('rows', 'id', 'online', 'from_v7', trust_owners => true);

-- The trigger functions, where they do not belong
SELECT uuidx_migrate_steps.fill_key();
CREATE TABLE bad (id uuid, id_shadow uuid, CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0));
CREATE TRIGGER bad AFTER INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_key('id', 'id_shadow', '', 'error', 'error');
INSERT INTO bad DEFAULT VALUES;
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_key('id', 'id_shadow', '', 'none', 'error');
INSERT INTO bad VALUES (v4(1));
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_key('id', 'id_shadow', 'nothing', 'error', 'error');
INSERT INTO bad VALUES (v4(1));
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_reference('id', 'id_shadow', 'id', 'id_shadow');
INSERT INTO bad VALUES (v4(1));
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.refill('id', 'id_shadow', 'id', 'id_shadow');
INSERT INTO bad DEFAULT VALUES;
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.reset('id', 'id_shadow');
INSERT INTO bad DEFAULT VALUES;
\echo :LAST_ERROR_SQLSTATE
SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner, regress_uuidx_writer CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_writer;
