-- Version 7 keys in the place of random ones, online: rows that are written before the cutover
\set ECHO none \i sql/include/rekey.sql \i sql/include/shop.sql \set ECHO all
\set to_v7 'script(''settings'', ''profile'', ''online'', ''to_v7'', also => ''{tags.account}'', created => $$created AT TIME ZONE ''UTC''$$, trust_owners => true)'
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:to_v7 WHERE phase NOT IN ('proof', 'cutover', 'after') ORDER BY step \gexec
\i sql/include/shadow_pairs.sql
\o \set ECHO all
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
-- A row is written again before its key is; and it gets its reference from a trigger of the table, whatever the UPDATE sets.
BEGIN;
INSERT INTO notes (n, account) VALUES (21, v4(21));
UPDATE notes SET n = n WHERE n = 21;
INSERT INTO accounts (id, n, created) VALUES (v4(21), 21, '2021-01-03');
COMMIT;
CREATE FUNCTION to_22() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.account := v4(22); RETURN NEW; END';
CREATE TRIGGER to_22 BEFORE UPDATE ON notes FOR EACH ROW WHEN (NEW.n = 22) EXECUTE FUNCTION to_22();
BEGIN;
UPDATE notes SET n = 22 WHERE n = 21;
INSERT INTO accounts (id, n, created) VALUES (v4(22), 22, '2021-01-04');
COMMIT;
DROP TRIGGER to_22 ON notes;
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
-- A new row needs no time: its key has version 7.
INSERT INTO accounts (n) VALUES (13) RETURNING id = id_shadow AS same, uuid_version(id);
-- The shadow is nobody else's.
UPDATE notes SET account_shadow = v4(8) WHERE n = 8;
UPDATE accounts SET id_shadow = v4(8) WHERE n = 8;
SELECT * FROM unequal();
-- What is refused: a former key without a time, and with one to come; a value of one's own for a shadow
SELECT * FROM pg_temp.errors(
    $$INSERT INTO accounts (id, n) VALUES (v4(14), 14)$$,
    $$INSERT INTO accounts (id, n, created) VALUES (v4(14), 14, 'infinity')$$,
    $$INSERT INTO accounts VALUES (v4(14), 14, '2021-01-01', NULL, v4(15))$$,
    $$INSERT INTO notes VALUES (14, v4(1), v4(15))$$);
-- Like the check of a foreign key, a look-up needs neither a privilege of who writes nor a row that row security shows.
GRANT INSERT ON notes TO regress_uuidx_writer;
ALTER TABLE accounts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE regress_uuidx_writer;
INSERT INTO notes (n, account) VALUES (1, v4(1));
SET ROLE regress_uuidx_owner;
ALTER TABLE accounts NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
SELECT * FROM unequal();
REVOKE SELECT ON accounts FROM regress_uuidx_owner;
SELECT * FROM pg_temp.errors($$INSERT INTO notes (n, account) VALUES (1, v4(1))$$);
GRANT SELECT ON accounts TO regress_uuidx_owner;
REVOKE INSERT ON notes FROM regress_uuidx_writer;
-- The cutover waits for the proof.
SELECT sql AS cutover FROM uuidx_migrate.:to_v7 WHERE phase = 'cutover' \gset
\set VERBOSITY terse
\set ECHO none
:cutover;
\set ECHO all
\set VERBOSITY default
\echo :LAST_ERROR_SQLSTATE
-- What is wrong is looked up again before it is compared.
ALTER TABLE notes DISABLE TRIGGER zzz_account_shadow;
UPDATE notes SET account_shadow = (SELECT id_shadow FROM accounts WHERE n = 7) WHERE n = 8;
ALTER TABLE notes ENABLE ALWAYS TRIGGER zzz_account_shadow;
SELECT * FROM unequal();
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:to_v7 WHERE phase = 'proof' ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM unequal();
-- The cutover also waits for the index of the aliases, whose name another relation may have.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.:to_v7 WHERE phase = 'proof' ORDER BY step \gexec
\o \set ECHO all
ALTER INDEX accounts_id_to_v7 RENAME TO aliases;
CREATE TABLE accounts_id_to_v7 ();
\set VERBOSITY terse
\set ECHO none
:cutover;
\set ECHO all
\set VERBOSITY default
SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner, regress_uuidx_writer CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_writer;
