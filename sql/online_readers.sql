-- Moving columns online: what reads them is made anew, and is as before when it is undone. A script that ends before the
-- cutover can be given up.
\set ECHO none \i sql/include/online.sql \i sql/include/users.sql \set ECHO all
-- A materialized view that reads another view is refreshed as PostgreSQL does it.
SELECT * FROM pg_temp.faults($$script('users', 'id', 'online', 'v1_to_v6', trust_owners => true)$$);
SELECT phase, count(*) FROM examined GROUP BY phase ORDER BY min(step);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
SELECT object FROM changes();
SELECT * FROM shadows;
SELECT * FROM pg_temp.faults($$script('users', 'id', 'finish', 'v6_to_v1', trust_owners => true)$$);
SELECT phase, locks FROM examined ORDER BY step;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('users', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM changes();
SELECT version, same, count(*) FROM contents GROUP BY version, same;
INSERT INTO users (name) VALUES ('new') RETURNING uuid_version(id), uuid_version(id_shadow);
-- If anything still read an old column, the cutover would have failed.
SELECT uuidx_migrate_steps.check_unread('{users}', '{id}');
CREATE VIEW reader AS SELECT id_shadow FROM users;
SELECT uuidx_migrate_steps.check_unread('{users}', '{id}');
\echo :LAST_ERROR_SQLSTATE
DROP VIEW reader;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', 'online', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM changes();
SELECT version, same, count(*) FROM contents GROUP BY version, same;
INSERT INTO users (name) VALUES ('newer') RETURNING uuid_version(id), uuid_version(id_shadow);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM changes();
SELECT * FROM shadows;

SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner CASCADE;
DROP ROLE regress_uuidx_owner;
