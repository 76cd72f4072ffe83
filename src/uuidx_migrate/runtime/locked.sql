-- Run statements under locks that nobody waits long for.

CREATE OR REPLACE FUNCTION lock_relation(relation oid, mode text, waits boolean) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_lock_relation'
LANGUAGE C VOLATILE STRICT;

-- Part of run_locked: locks relations and their partitions, but not what views read, if this is a session of their
-- owner. A query locks a view before the tables that it reads, so views come first. A lock that must be granted at once
-- does not queue, so nobody else waits for a lock that is not granted.
CREATE OR REPLACE FUNCTION lock_relations(relations regclass[], mode text, max_wait interval, trust_owners boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- A deadlock ends before the server chooses a victim.
    deadline timestamptz := clock_timestamp() + least(max_wait, current_setting('deadlock_timeout')::interval * 0.8);
    member oid;
BEGIN
    IF relations IS NULL OR mode IS NULL OR trust_owners IS NULL THEN
        RAISE EXCEPTION 'relations, mode and trust_owners must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    FOR member IN
        SELECT m.relid
        FROM unnest(relations) WITH ORDINALITY AS r (root, n)
        CROSS JOIN LATERAL uuidx_migrate_steps.members(ARRAY[r.root]) AS m
        JOIN pg_class AS c ON c.oid = m.relid
        ORDER BY c.relkind NOT IN ('v', 'm'), CASE WHEN c.relkind IN ('v', 'm') THEN -c.oid::bigint END,
                 n, m.relid <> r.root, m.relid
    LOOP
        IF max_wait IS NOT NULL THEN
            PERFORM set_config('lock_timeout',
                               greatest(ceil(1000 * extract(epoch FROM deadline - clock_timestamp())), 1)::text, true);
        END IF;
        PERFORM uuidx_migrate_steps.lock_relation(member, mode, coalesce(max_wait > interval '0', true));
        IF mode <> 'ACCESS SHARE' THEN
            PERFORM uuidx_migrate_steps.check_triggers(member, trust_owners);
        END IF;
    END LOOP;
    PERFORM uuidx_migrate_steps.check_owner(relations, trust_owners);
END
$$;

-- Part of locked: ends the autovacuum of a table, as the server does, unless that prevents wraparound, for whoever
-- waits for longer than deadlock_timeout. To wait for this lock keeps nobody from reading and writing, as to wait for a
-- stronger one would. It waits for one table, in a transaction of its own: if it is CREATE INDEX CONCURRENTLY that has
-- the lock and waits for this transaction, it is this one that finds the deadlock.
CREATE OR REPLACE FUNCTION end_autovacuum(relations regclass[]) RETURNS void
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    SELECT set_config('lock_timeout', ceil(1000 * extract(epoch FROM d.timeout * 1.5))::text, true)
    FROM (SELECT current_setting('deadlock_timeout')::interval) AS d (timeout);
    SELECT lock_relation(l.relation, 'SHARE UPDATE EXCLUSIVE', true)
    FROM (SELECT l.relation
          FROM members(relations) AS m, pg_locks AS l
          WHERE l.relation = m.relid AND l.locktype = 'relation' AND l.granted AND l.mode = 'ShareUpdateExclusiveLock'
            AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
          ORDER BY l.relation LIMIT 1) AS l;
END;

-- Part of locked: says which sessions use relations or their partitions. A prepared transaction has no process ID; its
-- lock of itself says which one it is.
CREATE OR REPLACE FUNCTION lockers(relations regclass[]) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT coalesce('sessions that use the tables: '
                    || string_agg(DISTINCT coalesce('process ' || l.pid, format('prepared transaction %L', p.gid)),
                                  ', '),
                    'no session uses the tables any more')
    FROM pg_locks AS l LEFT JOIN (pg_locks AS x JOIN pg_prepared_xacts AS p ON p.transaction = x.transactionid)
         ON l.pid IS NULL AND x.pid IS NULL AND x.virtualtransaction = l.virtualtransaction
    WHERE l.locktype = 'relation' AND l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
      AND l.relation IN (SELECT m.relid FROM members(relations) AS m)
      AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
);

-- Part of locked and run_locked: another text as soon as something in the catalogs changes that belongs to relations or
-- reads them. What has changed has another xmin. Nobody can change a table that is locked, nor what reads it without a
-- new entry in pg_depend or a lock on the relation that is read. Of a foreign key of another table, that entry is all:
-- there may be one for each partition that references the key. Readers wait meanwhile, so each catalog is read by an
-- index, and each row is hashed as it is.
CREATE OR REPLACE FUNCTION catalog_state(relations regclass[]) RETURNS text
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
DECLARE
    members oid[] := ARRAY(SELECT m.relid FROM uuidx_migrate_steps.members(relations) AS m);
BEGIN
    RETURN (
        WITH dependents AS MATERIALIZED (
            SELECT d.classid, d.objid, d.xmin
            FROM pg_depend AS d
            JOIN pg_class AS c ON c.oid = d.refobjid
            LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
            LEFT JOIN pg_class AS v ON v.oid = w.ev_class
            LEFT JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
            WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (members)
              -- What belongs to others is not made again, and they could change it for ever.
              AND (v.oid = ANY (members) OR coalesce(v.relowner, p.proowner, c.relowner) = c.relowner)
        ),
        entries (entry) AS (
            SELECT ROW(c.oid, c.xmin, (SELECT n.xmin FROM pg_namespace AS n WHERE n.oid = c.relnamespace))
            FROM pg_class AS c WHERE c.oid = ANY (members)
            UNION ALL SELECT ROW(a.attrelid, a.attnum, a.xmin)
                      FROM pg_attribute AS a WHERE a.attrelid = ANY (members) AND a.attnum > 0
            UNION ALL SELECT ROW(i.indexrelid, i.xmin, x.xmin)
                      FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid WHERE i.indrelid = ANY (members)
            UNION ALL SELECT ROW(t.oid, t.xmin) FROM pg_trigger AS t WHERE t.tgrelid = ANY (members)
            UNION ALL SELECT ROW(k.oid, k.xmin) FROM pg_constraint AS k WHERE k.conrelid = ANY (members)
            UNION ALL SELECT ROW(d.classid, d.objid, d.xmin) FROM dependents AS d
            UNION ALL SELECT ROW(p.oid, p.xmin)
                      FROM dependents AS d
                      JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
            UNION ALL SELECT ROW(p.oid, p.xmin)
                      FROM dependents AS d
                      JOIN pg_policy AS p ON d.classid = 'pg_policy'::regclass AND p.oid = d.objid
            UNION ALL SELECT ROW(e.oid, e.xmin)
                      FROM dependents AS d
                      JOIN pg_attrdef AS e ON d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
            UNION ALL SELECT ROW(s.oid, s.xmin)
                      FROM dependents AS d
                      JOIN pg_statistic_ext AS s ON d.classid = 'pg_statistic_ext'::regclass AND s.oid = d.objid
            UNION ALL SELECT ROW(w.oid, w.xmin, v.oid, v.xmin)
                      FROM dependents AS d
                      JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
                      JOIN pg_class AS v ON v.oid = w.ev_class
            UNION ALL SELECT ROW(x.classoid, x.objoid, x.objsubid, x.xmin)
                      FROM (SELECT 'pg_class'::regclass, unnest(members)
                            UNION ALL SELECT 'pg_class'::regclass, i.indexrelid
                                      FROM pg_index AS i WHERE i.indrelid = ANY (members)
                            UNION ALL SELECT d.classid, d.objid FROM dependents AS d) AS o (classid, objid)
                      JOIN pg_description AS x ON (x.objoid, x.classoid) = (o.objid, o.classid)
            -- Only a superuser can publish all tables, or those of a schema.
            UNION ALL SELECT ROW(p.oid, p.xmin) FROM pg_publication AS p
                      WHERE EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = p.pubowner AND r.rolsuper) OR p.puballtables
                         OR EXISTS (SELECT FROM pg_publication_rel AS l
                                    WHERE l.prpubid = p.oid AND l.prrelid = ANY (members))
            UNION ALL SELECT ROW(s.srsubid, s.srrelid, s.xmin)
                      FROM pg_subscription_rel AS s WHERE s.srrelid = ANY (members)
        )
        SELECT coalesce(sum(hash_record_extended(e.entry, 0)), 0) FROM entries AS e);
END
$$;

-- Part of check_no_transaction: whether the session has begun a transaction with BEGIN.
CREATE OR REPLACE FUNCTION in_transaction_block() RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_in_transaction_block'
LANGUAGE C VOLATILE PARALLEL SAFE;

-- An error if the session has begun a transaction.
CREATE OR REPLACE FUNCTION check_no_transaction(what text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF uuidx_migrate_steps.in_transaction_block() THEN
        RAISE EXCEPTION '% cannot run inside a transaction block', what
        USING ERRCODE = 'active_sql_transaction',
              HINT = 'It begins and commits transactions itself: send one statement at a time, in autocommit mode '
                     'and outside of BEGIN, and with psql without --single-transaction.';
    END IF;
END
$$;

-- Part of locked: locks relations, and runs statements unless the state of the catalogs is another than this or,
-- if none is given, a condition is false. Returns whether it has run them.
CREATE OR REPLACE FUNCTION run_locked(
    relations regclass[], condition text, statements text, seen text, mode text, max_wait interval, trust_owners boolean
) RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    names text[];
    due boolean;
BEGIN
    PERFORM uuidx_migrate_steps.lock_relations(relations, mode, max_wait, trust_owners);
    IF seen IS NULL THEN
        EXECUTE 'SELECT ' || condition INTO STRICT due;
    ELSE
        due := uuidx_migrate_steps.catalog_state(relations) = seen;
    END IF;
    IF due THEN
        names := relations;
        PERFORM uuidx_migrate_steps.note_dependencies(relations);
        EXECUTE statements;
        PERFORM uuidx_migrate_steps.check_dependencies(
            ARRAY(SELECT r FROM unnest(names) AS n, to_regclass(n) AS r WHERE r IS NOT NULL));
    END IF;
    RETURN due;
END
$$;

-- Transactions that write to one table and then wait for another one keep the second of two locks from whoever has the
-- first. So an attempt that waits for the locks is followed by many that do not wait, until the next one that waits
-- asks for them in the opposite order.
--
-- A procedure that commits cannot set search_path for itself: it sets it in each transaction. What is to be checked is
-- checked before the locks, and again if the catalogs have changed since, or after ten times as long as that took:
-- others write rows meanwhile.
CREATE OR REPLACE PROCEDURE locked(
    relations regclass[],
    condition text,
    statements text,
    before text DEFAULT NULL,
    mode text DEFAULT 'ACCESS EXCLUSIVE',
    max_wait interval DEFAULT '100 ms',
    pause interval DEFAULT '1 s',
    trust_owners boolean DEFAULT false
)
LANGUAGE plpgsql
AS $$
DECLARE
    due pg_catalog.bool;
    checked pg_catalog.text := '';
    began pg_catalog.timestamptz;
    next_check pg_catalog.timestamptz;
    seen pg_catalog.text;
    next_wait pg_catalog.timestamptz := '-infinity';
    waits pg_catalog.bool;
    is_blocked pg_catalog.bool := false;
    problem pg_catalog.text;
BEGIN
    PERFORM uuidx_migrate_steps.check_no_transaction('uuidx_migrate_steps.locked'::pg_catalog.text);
    LOOP
        IF is_blocked AND pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>=) next_wait THEN
            BEGIN
                PERFORM uuidx_migrate_steps.end_autovacuum(relations);
            EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
                NULL; -- The next attempt says which session has the lock.
            END;
        END IF;
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        PERFORM uuidx_migrate_steps.set_definition_settings(true);
        problem := NULL;
        waits := clock_timestamp() >= next_wait;
        IF waits THEN
            -- What is planned now is not planned under the locks.
            PERFORM uuidx_migrate_steps.note_dependencies(relations);
            IF before IS NOT NULL THEN
                seen := uuidx_migrate_steps.catalog_state(relations);
            END IF;
            -- What has changed since then shows under the locks.
            EXECUTE 'SELECT ' || condition INTO STRICT due;
            EXIT WHEN due IS NOT TRUE;
            IF seen <> checked OR clock_timestamp() >= next_check THEN
                began := clock_timestamp();
                EXECUTE before;
                checked := seen;
                next_check := clock_timestamp() + 10 * (clock_timestamp() - began);
            END IF;
        END IF;
        BEGIN
            EXIT WHEN uuidx_migrate_steps.run_locked(relations, condition, statements, seen, mode,
                                                     CASE WHEN waits THEN max_wait ELSE '0' END, trust_owners);
            problem := 'the catalogs have changed';
            next_wait := '-infinity';
        EXCEPTION
        WHEN query_canceled THEN
            PERFORM uuidx_migrate_steps.raise_canceled(SQLERRM);
        WHEN lock_not_available OR deadlock_detected THEN
            IF waits THEN
                IF max_wait IS NULL AND SQLSTATE = '55P03' THEN
                    RAISE; -- lock_timeout of the session
                END IF;
                problem := format('not all locks were granted%s; %s',
                                  coalesce(' within ' || max_wait, ' because of a deadlock'),
                                  uuidx_migrate_steps.lockers(relations));
                relations := ARRAY(SELECT r FROM unnest(relations) WITH ORDINALITY AS r (r, n) ORDER BY n DESC);
                next_wait := clock_timestamp() + pause;
                is_blocked := max_wait IS NOT NULL AND mode <> 'ACCESS SHARE';
            END IF;
        END;
        IF problem IS NOT NULL THEN
            RAISE NOTICE '%; retrying', problem;
        END IF;
        ROLLBACK;
        PERFORM pg_catalog.pg_sleep_for(least(pause, '5 ms'::pg_catalog.interval));
    END LOOP;
    COMMIT;
END
$$;
COMMENT ON PROCEDURE locked(regclass[], text, text, text, text, interval, interval, boolean) IS
'if a condition holds, runs statements in one transaction that locks relations and their partitions; '
'waits for the locks for max_wait at most (for as long as lock_timeout allows if that is null), '
'and then takes them when all are free at once, until the next attempt to wait for them after a pause';

-- An interrupted CREATE INDEX CONCURRENTLY leaves an invalid index. One that is about to end has no lock on the table
-- any more, and its transaction makes the index valid.
CREATE OR REPLACE FUNCTION is_interrupted(index text) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_index AS i
               WHERE i.indexrelid = to_regclass(index) AND NOT i.indisvalid
                 AND NOT EXISTS (SELECT FROM pg_locks AS l WHERE l.transactionid = i.xmax));
COMMENT ON FUNCTION is_interrupted(text) IS
'whether an interrupted CREATE INDEX CONCURRENTLY has left an index of this name invalid';

-- Of thousands of indexes, no table is locked but that of an index that has to go.
CREATE OR REPLACE PROCEDURE drop_interrupted(indexes text[], trust_owners boolean)
LANGUAGE plpgsql
AS $$
DECLARE
    index pg_catalog.text;
    relation pg_catalog.regclass;
BEGIN
    PERFORM uuidx_migrate_steps.check_no_transaction('uuidx_migrate_steps.drop_interrupted'::pg_catalog.text);
    FOREACH index IN ARRAY indexes LOOP
        SELECT i.indrelid INTO relation FROM pg_catalog.pg_index AS i
        WHERE i.indexrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(index)
          AND uuidx_migrate_steps.is_interrupted(index);
        IF FOUND THEN
            CALL uuidx_migrate_steps.locked(
                ARRAY[relation],
                pg_catalog.format('uuidx_migrate_steps.is_interrupted(%L::pg_catalog.text)', index),
                pg_catalog.format('DROP INDEX %s', index), trust_owners => trust_owners);
        END IF;
    END LOOP;
END
$$;
COMMENT ON PROCEDURE drop_interrupted(text[], boolean) IS
'drops those of some indexes that an interrupted CREATE INDEX CONCURRENTLY has left invalid';
