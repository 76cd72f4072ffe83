-- What a random key becomes, and the expression for its creation time
\set ECHO none \i sql/include/rekey.sql \set ECHO all
SELECT uuidx_migrate_steps.v7_key(k, t, 'error', 'error') AS key, uuid_v7_of(t, k) AS same
FROM (VALUES (v4(1), timestamptz '2020-02-02 02:02:02.123456+00'),
             ('919108f7-52d1-4320-9bac-f847db4148a8', '1970-01-01 00:00:00+00'),
             ('c232ab00-9414-11ec-b3c8-9f6bdeced846', '2022-02-22 19:22:22+00')) AS v (k, t);
SELECT uuidx_migrate_steps.v7_key('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', NULL, 'error', 'error') AS stays,
       uuidx_migrate_steps.v7_key(NULL, now(), 'error', 'error');
SELECT t, uuidx_migrate_steps.v7_key(v4(1), t, 'epoch', 'epoch') AS key
FROM (VALUES (NULL::timestamptz), ('-infinity'), ('1969-12-31 23:59:59.999999+00'),
             ('2999-01-01 00:00:00+00'), ('infinity')) AS v (t);
SELECT uuidx_migrate_steps.v7_key(v4(1), '2999-01-01 00:00:00+00', 'error', 'keep') AS key;
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate_steps.v7_key(v4(1), NULL, 'error', 'error')$$,
    $$SELECT uuidx_migrate_steps.v7_key(v4(1), '1969-12-31 23:59:59.999999+00', 'error', 'epoch')$$,
    $$SELECT uuidx_migrate_steps.v7_key(v4(1), '2999-01-01 00:00:00+00', 'epoch', 'error')$$,
    $$SELECT uuidx_migrate_steps.v7_key(v4(1), 'infinity', 'epoch', 'keep')$$,
    $$SELECT uuidx_migrate_steps.v7_key(v4(1), now(), 'keep', 'error')$$,
    $$SELECT uuidx_migrate_steps.v7_key(v4(1), now(), NULL, 'error')$$);

-- The expression for the creation time
CREATE TABLE rows (id uuid PRIMARY KEY, created timestamptz, "Local" timestamp, n bigint, day date, r text,
                   twice bigint GENERATED ALWAYS AS (n * 2) STORED);
SELECT uuidx_migrate_steps.created_expression('rows', e) AS expression
FROM (VALUES ('created'), ('coalesce(created, to_timestamp(n / 1000.0))'),
             ($$"Local" AT TIME ZONE 'Europe/Berlin'$$), ('r.created'),
             ($$CASE WHEN r.r = 'r' THEN r.created ELSE timestamptz '2020-01-01 00:00:00+00' END$$)) AS v (e);
SELECT e.expression, r.*
FROM unnest(ARRAY['"Local"', 'day', 'n', 'to_timestamp(twice)', 'timestamptz ''epoch'' + r.tableoid::int * interval ''1 s''',
                  '(SELECT created)', 'max(created)', 'now()', 'created FROM rows', 'created; DROP TABLE rows', 'created AS c',
                  'created, created', '*', 'r.*', 'created UNION SELECT now()', '']) WITH ORDINALITY AS e (expression, n),
     LATERAL pg_temp.errors(format('SELECT uuidx_migrate_steps.created_expression(''rows'', %L)', e.expression)) AS r
ORDER BY e.n;
\set VERBOSITY sqlstate
SELECT uuidx_migrate_steps.created_expression('rows', 'public.of_nobody(created)');
\set VERBOSITY default

-- It is read, and the table locked, for a user with a privilege on it.
CREATE TABLE guarded (n int CONSTRAINT positive CHECK (n > 0));
SET ROLE regress_uuidx_writer;
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate_steps.created_expression('rows', 'created')$$,
    $$SELECT uuidx_migrate_steps.created_columns('rows', 'created')$$,
    $$SELECT * FROM uuidx_migrate_steps.created_objects('rows', 'created')$$,
    $$SELECT uuidx_migrate_steps.has_condition(oid, 'n > 0') FROM pg_constraint WHERE conname = 'positive'$$);
SELECT obstacles[1] FROM uuidx_migrate.plan('rows', 'id', conversion => 'to_v7', created => 'created', trust_owners => true);
SET ROLE regress_uuidx_owner;
GRANT SELECT (n) ON rows TO regress_uuidx_writer;
GRANT INSERT ON guarded TO regress_uuidx_writer;
SET ROLE regress_uuidx_writer;
SELECT uuidx_migrate_steps.created_expression('rows', 'created');
SELECT uuidx_migrate_steps.has_condition(oid, 'n > 0') FROM pg_constraint WHERE conname = 'positive';
SET ROLE regress_uuidx_owner;
DROP TABLE guarded;
REVOKE SELECT (n) ON rows FROM regress_uuidx_writer;

-- The times that it gives
INSERT INTO rows VALUES (v4(1), '2020-01-01 00:00:00+00'), (v4(2), NULL), (v4(3), '1969-01-01 00:00:00+00'),
    (v4(4), '2999-01-01 00:00:00+00'), ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', NULL),
    ('c232ab00-9414-11ec-b3c8-9f6bdeced846', '2020-01-01 00:00:00+00');
SELECT * FROM uuidx_migrate.creation_times('rows', 'id', 'created', trust_owners => true);
SELECT * FROM uuidx_migrate.creation_times('rows', 'id', NULL, trust_owners => true);
SELECT * FROM pg_temp.obstacles($$plan('rows', 'id', conversion => 'to_v7', created => 'created', trust_owners => true)$$);
SELECT sql FROM uuidx_migrate.script('rows', 'id', 'online', 'to_v7', created => 'created', trust_owners => true)
WHERE sql ~ 'check_times' LIMIT 1 \gexec
SELECT sql FROM uuidx_migrate.script('rows', 'id', 'online', 'to_v7', created => 'created', rows_without_time => 'epoch',
                                     future_rows => 'keep', trust_owners => true)
WHERE sql ~ 'check_times' LIMIT 1 \gexec
-- The table may have a column r, as the script calls its rows.
BEGIN;
\set ECHO none \o /dev/null
SELECT substring(sql, E'-- 2 of .*\n(?=-- 3 of )')
FROM uuidx_migrate.script('rows', 'id', 'offline', 'to_v7', created => 'created', rows_without_time => 'epoch',
                          future_rows => 'keep', trust_owners => true) \gexec
\o \set ECHO all
SELECT count(*) FROM public.rows_id_former;
ROLLBACK;
SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner, regress_uuidx_writer CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_writer;
