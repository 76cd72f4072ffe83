-- Version 7 keys in the place of random ones, online: given up, done, undone, done again and finished
\set ECHO none \i sql/include/rekey.sql \i sql/include/shop.sql \set ECHO all
\set to_v7 'script(''settings'', ''profile'', ''online'', ''to_v7'', also => ''{tags.account}'', created => $$created AT TIME ZONE ''UTC''$$, trust_owners => true)'
\set from_v7 'script(''settings'', ''profile'', ''online'', ''from_v7'', also => ''{tags.account}'', trust_owners => true)'
SELECT * FROM pg_temp.faults(:'to_v7');
SELECT phase, count(*), array_agg(DISTINCT regexp_replace(locks, ' on .*', '')) AS locks
FROM examined GROUP BY phase ORDER BY min(step);
-- It can be given up.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:to_v7 WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM defaults;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('settings', 'profile', 'finish', 'from_v7', also => '{tags.account}', trust_owners => true)
ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM defaults;
SELECT * FROM wrong;
SELECT attrelid::regclass, attname FROM pg_attribute WHERE attname LIKE '%\_shadow' AND attnum > 0 AND NOT attisdropped;
SELECT tgrelid::regclass, tgname FROM pg_trigger
WHERE NOT tgisinternal AND tgrelid IN ('accounts'::regclass, 'notes'::regclass);
-- It is done.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:to_v7 ORDER BY step \gexec
\i sql/include/shadow_pairs.sql
\o \set ECHO all
SELECT count(*) AS steps FROM uuidx_migrate.:to_v7;
SELECT * FROM unequal();
SELECT * FROM wrong;
SELECT uuid_version(id) AS version, count(*) FROM pairs() GROUP BY version;
SELECT * FROM defaults;
SELECT id FROM accounts WHERE id = v4(5) OR id_shadow = v4(5);
-- Former keys that clients still write are aliases.
INSERT INTO notes (n, account) VALUES (5, v4(5)) RETURNING account = (SELECT id FROM accounts WHERE n = 5) AS translated;
INSERT INTO accounts (id, n) VALUES (v4(5), 5) ON CONFLICT (id) DO UPDATE SET created = '2023-01-01'
RETURNING uuid_version(id), id_shadow = v4(5) AS same;
INSERT INTO accounts (id, n, created) VALUES (v4(15), 15, '2021-01-01')
RETURNING id = uuid_v7_of(timestamptz '2021-01-01 00:00:00+00', v4(15)) AS converted, id_shadow = v4(15) AS kept;
INSERT INTO notes (n, account) VALUES (15, v4(15));
WITH p AS (INSERT INTO profiles (id, n) VALUES (v4(16), 16))
INSERT INTO accounts (id, n, created) VALUES (v4(16), 16, '2021-01-01');
DELETE FROM accounts WHERE n = 15;
SELECT n, uuid_version(account), account_shadow = v4(1) AS default FROM notes WHERE n = 15;
UPDATE notes SET n = 1 WHERE n = 15;
SELECT * FROM unequal();
SELECT * FROM wrong WHERE n <= 9;
-- It is undone.
SELECT * FROM pg_temp.faults(:'from_v7');
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:from_v7 ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM unequal();
SELECT * FROM wrong WHERE n <= 9;
SELECT * FROM defaults;
SELECT n FROM accounts LEFT JOIN original USING (id, n) WHERE original.id IS NULL AND n <= 9;
-- The new keys are aliases now.
INSERT INTO notes (n, account) SELECT 5, id_shadow FROM accounts WHERE n = 5 RETURNING account = v4(5) AS translated;
-- It is done again, and finished. The key loses its old column last.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:to_v7 ORDER BY step \gexec
\o \set ECHO all
SELECT locks FROM uuidx_migrate.script('settings', 'profile', 'finish', 'to_v7', also => '{tags.account}', trust_owners => true)
ORDER BY step;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('settings', 'profile', 'finish', 'to_v7', also => '{tags.account}', trust_owners => true)
ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM wrong WHERE n <= 9;
\d accounts
\d notes
\d events
SELECT to_regprocedure('accounts_id_created(accounts)');
-- A default that calls a function of one's own is there again if the migration is given up, and stays after an undo.
CREATE FUNCTION own_key() RETURNS uuid LANGUAGE sql AS 'SELECT v4(1)';
CREATE TABLE own (id uuid PRIMARY KEY DEFAULT own_key());
\set own 'script(''own'', ''id'', ''online'', ''to_v7'', rows_without_time => ''epoch'', new_default => ''uuid_generate_v7()'', trust_owners => true)'
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:own WHERE phase <> 'cutover' ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('own', 'id', 'finish', 'from_v7', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'own'::regclass;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:own ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('own', 'id', 'online', 'from_v7', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('own', 'id', 'finish', 'from_v7', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'own'::regclass;
SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner, regress_uuidx_writer CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_writer;
