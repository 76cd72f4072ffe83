-- Version 7 keys in the place of random ones, offline, and back
\set ECHO none \i sql/include/rekey.sql \i sql/include/shop.sql \set ECHO all
\set to_v7 'script(''settings'', ''profile'', ''offline'', ''to_v7'', also => ''{tags.account}'', created => $$created AT TIME ZONE ''UTC''$$, trust_owners => true)'
\set from_v7 'script(''settings'', ''profile'', ''offline'', ''from_v7'', also => ''{tags.account}'', new_default => ''gen_random_uuid()'', trust_owners => true)'
SELECT relation, column_name, role, default_afterwards, obstacles
FROM uuidx_migrate.plan('settings', 'profile', conversion => 'to_v7', also => '{tags.account}',
                        created => $$created AT TIME ZONE 'UTC'$$, trust_owners => true);
SELECT * FROM pg_temp.faults(:'to_v7');
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:to_v7 ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM wrong;
SELECT n, a.id, a.id = uuid_v7_of(o.created AT TIME ZONE 'UTC', o.id) AS is_right
FROM accounts AS a JOIN original AS o USING (n) ORDER BY n LIMIT 3;
SELECT count(*) AS former_keys, count(*) FILTER (WHERE former_key = v4(n)) AS same
FROM accounts_id_former JOIN accounts ON id = key;
SELECT * FROM defaults;
SELECT unnest(obstacles) AS obstacle
FROM uuidx_migrate.plan('accounts', 'id', conversion => 'to_v7', trust_owners => true);
-- An undo needs all columns that were migrated with the key, whatever their names are by now.
ALTER TABLE tags RENAME account TO owner;
SELECT * FROM pg_temp.obstacles($$plan('accounts', 'id', 'offline', 'from_v7', also => '{tags.owner}', trust_owners => true)$$);
ALTER TABLE tags RENAME owner TO account;
INSERT INTO accounts (n) VALUES (10);
SELECT regexp_replace(sql, '^(--[^\n]*\n)+', '') AS sql FROM uuidx_migrate.script('accounts', 'id', 'finish', 'to_v7', also => '{tags.account}', trust_owners => true);
-- It is undone.
SELECT * FROM pg_temp.faults(:'from_v7');
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:from_v7 ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM wrong WHERE n <= 9;
SELECT count(*) AS same FROM accounts JOIN original USING (id, n);
SELECT uuid_version(id) FROM accounts WHERE n = 10;
SELECT * FROM defaults;
SELECT unnest(obstacles) AS obstacle
FROM uuidx_migrate.plan('accounts', 'id', conversion => 'from_v7', trust_owners => true);
SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner, regress_uuidx_writer CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_writer;
