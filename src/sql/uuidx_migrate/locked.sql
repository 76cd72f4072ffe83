-- Run statements under locks that nobody waits long for.

-- Locks the tables one by one, all within max_wait, so that no session waits longer behind this one. A deadlock ends
-- before the server chooses a victim.
CREATE OR REPLACE FUNCTION lock_tables(tables regclass[], max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    deadline timestamptz := clock_timestamp() + least(max_wait, current_setting('deadlock_timeout')::interval * 0.8);
    member regclass;
BEGIN
    FOR member IN
        SELECT m.relid
        FROM unnest(tables) WITH ORDINALITY AS t (root, n)
        CROSS JOIN LATERAL (SELECT root AS relid UNION SELECT relid FROM pg_partition_tree(root)) AS m
        ORDER BY n, m.relid <> root, m.relid
    LOOP
        PERFORM set_config('lock_timeout',
                           greatest(ceil(1000 * extract(epoch FROM deadline - clock_timestamp())), 1)::text, true);
        EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', member);
    END LOOP;
END
$$;
COMMENT ON FUNCTION lock_tables(regclass[], interval) IS
'part of locked: locks tables and their partitions, or ends in an error within a time';

CREATE OR REPLACE FUNCTION lockers(tables regclass[]) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT string_agg(DISTINCT l.pid::text, ', ')
    FROM pg_locks AS l
    WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid()
      AND root(l.relation) = ANY (tables)
      AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
);
COMMENT ON FUNCTION lockers(regclass[]) IS
'part of locked: process IDs of the sessions that use tables or their partitions';

-- A procedure that commits cannot set search_path for itself: it sets it in each transaction.
CREATE OR REPLACE PROCEDURE locked(
    tables regclass[],
    condition text,
    statements text,
    max_wait interval DEFAULT '300 ms',
    pause interval DEFAULT '1 s',
    before text DEFAULT NULL
)
LANGUAGE plpgsql
AS $$
DECLARE
    due pg_catalog.bool;
    lockers pg_catalog.text;
BEGIN
    LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
        EXECUTE 'SELECT ' || condition INTO STRICT due;
        EXIT WHEN due IS NOT TRUE;
        IF before IS NOT NULL THEN
            EXECUTE before;
            before := NULL;
        END IF;
        BEGIN
            EXECUTE 'SELECT uuidx_migrate.lock_tables($1, $2)' USING tables, max_wait;
            EXECUTE 'SELECT ' || condition INTO STRICT due;
            IF due THEN
                EXECUTE statements;
            END IF;
            EXIT;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            EXECUTE 'SELECT uuidx_migrate.lockers($1)' INTO lockers USING tables;
            RAISE NOTICE 'not all locks were got within %; the tables are used by %; to be tried again',
                max_wait, coalesce('the sessions ' || lockers, 'no session any more');
        END;
        COMMIT;
        PERFORM pg_catalog.pg_sleep_for(pause);
    END LOOP;
    COMMIT;
END
$$;
COMMENT ON PROCEDURE locked(regclass[], text, text, interval, interval, text) IS
'if a condition holds, runs statements in one transaction that locks tables and their partitions; tries again until it gets all locks within max_wait';

-- Quotes a text with dollar signs, which is easy to read, unless it contains the closing tag.
CREATE OR REPLACE FUNCTION quote(text text, tag text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN strpos(text, format('$%s$', tag)) = 0 THEN format('$%1$s$%2$s$%1$s$', tag, text)
            ELSE quote_literal(text) END;
COMMENT ON FUNCTION quote(text, text) IS
'a text as a literal, between dollar signs if possible';

CREATE OR REPLACE FUNCTION call_locked(tables regclass[], condition text, statements text[], before text DEFAULT NULL)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN format(E'CALL %s(ARRAY[%s]::pg_catalog.regclass[],\n%s, %s%s)',
              'locked(regclass[],text,text,interval,interval,text)'::regprocedure::regproc,
              (SELECT string_agg(quote_literal(t), ', ' ORDER BY n) FROM unnest(tables) WITH ORDINALITY AS u (t, n)),
              quote(condition, 'if'),
              quote(E'\n' || array_to_string(statements, E';\n') || E'\n', 'do'),
              E',\nbefore => ' || quote(before, 'before'));
COMMENT ON FUNCTION call_locked(regclass[], text, text[], text) IS
'call of locked, as text';
