-- Fill a shadow column.

-- Part of backfill: how many blocks hold about this many rows. If the table was never analyzed, assume blocks full of
-- the narrowest possible rows.
CREATE OR REPLACE FUNCTION batch_blocks(relation regclass, batch_rows integer) RETURNS bigint
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT greatest(1, least(batch_rows, batch_rows / CASE WHEN reltuples > 0 AND relpages > 0 THEN reltuples::float8 / relpages
                                                           ELSE current_setting('block_size')::float8 / 44 END))::bigint
    FROM pg_class WHERE oid = relation
);

-- Part of backfill: blocks of a table.
CREATE OR REPLACE FUNCTION blocks(relation regclass) RETURNS bigint
LANGUAGE sql VOLATILE STRICT
RETURN pg_relation_size(relation) / current_setting('block_size')::bigint;

-- Part of backfill: number of a column.
CREATE OR REPLACE FUNCTION column_number(relation regclass, column_name name) RETURNS smallint
LANGUAGE sql STABLE STRICT
RETURN (SELECT a.attnum FROM pg_attribute AS a WHERE a.attrelid = relation AND a.attname = column_name);

-- Part of backfill: whether a constraint proves that the shadow of a column is filled.
CREATE OR REPLACE FUNCTION is_filled(member regclass, from_column name) RETURNS boolean
LANGUAGE sql STABLE STRICT
RETURN EXISTS (SELECT FROM pg_constraint AS c
               WHERE c.conrelid = member AND c.conname = trigger_name(from_column) AND c.contype = 'c' AND c.convalidated);
CREATE OR REPLACE FUNCTION check_fire_triggers() RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM set_config('session_replication_role', current_setting('session_replication_role'), true);
EXCEPTION WHEN insufficient_privilege THEN
    PERFORM uuidx_migrate_steps.raise('42501', 'fire_triggers => false needs the right to set session_replication_role',
        hint => 'A superuser has it, and from PostgreSQL 15 on whoever a superuser grants it with GRANT SET ON PARAMETER.');
END
$$;
COMMENT ON FUNCTION check_fire_triggers() IS
'an error unless the user can keep triggers from firing';

-- Part of backfill: notes that it begins or resumes.
CREATE OR REPLACE FUNCTION backfill_begin(member regclass, from_column name, to_column name, batch_rows integer, conversion text, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp SET row_security = on
AS $$
BEGIN
    IF batch_rows < 1 THEN
        RAISE EXCEPTION 'batch_rows must be positive' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = member AND c.relkind = 'r') THEN
        RAISE EXCEPTION '% is not a table', member USING ERRCODE = 'wrong_object_type';
    END IF;
    PERFORM uuidx_migrate_steps.check_owner(ARRAY[member], trust_owners), uuidx_migrate_steps.check_row_security(member);
    IF uuidx_migrate_steps.is_looked_up(uuidx_migrate_steps.conversion_named(conversion)) AND uuidx_migrate_steps.shadow_conversion(member, from_column) IS DISTINCT FROM conversion THEN
        RAISE EXCEPTION 'no trigger fills the shadow of column "%" of table %', from_column, member USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    INSERT INTO uuidx_migrate.progress (relation, attnum, blocks) VALUES (member, uuidx_migrate_steps.column_number(member, to_column), uuidx_migrate_steps.blocks(member))
    ON CONFLICT ON CONSTRAINT progress_pkey DO UPDATE SET blocks = excluded.blocks, updated = excluded.updated;
END
$$;

-- Part of backfill: the statement that fills the next batch of rows, and what comes after it. The procedure runs it,
-- because the triggers that it fires must find the search_path of the session. Rows that another session has locked are
-- left for the next pass: waiting for them could deadlock with that session. If the shadow column is a key already, a
-- reference to the row is such a lock. In the order of the keys, one row after the other is in the same part of the
-- indexes.
--
-- A row that grows leaves its page if that is full, and then each index gets a new entry. So a batch takes one row of
-- eight, of eight times as many blocks: in their pages the next batch finds the space of the rows that have left and of
-- the older versions of those that have not, and two updates of three need neither another page nor an entry in an index
-- (they are HOT).
CREATE OR REPLACE FUNCTION backfill_batch(
    member regclass, from_column name, to_column name, batch_rows integer, conversion text, other_values text, part integer,
    OUT statement text, OUT next_block bigint, OUT next_part integer
)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp SET row_security = on
AS $$
DECLARE
    parts CONSTANT integer := 8; -- a power of 2
    first_block bigint;
    end_block bigint;
    lock text;
    c uuidx_migrate_steps.conversion := uuidx_migrate_steps.conversion_named(conversion);
    type regtype := (SELECT a.atttypid FROM pg_attribute AS a WHERE a.attrelid = member AND a.attname = from_column);
BEGIN
    SELECT p.next_block INTO first_block FROM uuidx_migrate.progress AS p WHERE p.relation = member AND p.attnum = uuidx_migrate_steps.column_number(member, to_column);
    -- Without a row, somebody else has emptied the table progress.
    first_block := coalesce(first_block, 0);
    end_block := least(first_block + uuidx_migrate_steps.batch_blocks(member, batch_rows) * parts, 4294967294);
    next_part := (part + 1) % parts;
    next_block := CASE WHEN next_part = 0 THEN end_block ELSE first_block END;
    SELECT CASE WHEN bool_or(i.indisunique) THEN 'UPDATE' ELSE 'NO KEY UPDATE' END INTO lock
    FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = member AND a.attname = to_column;
    -- The batch gives the column the name of the shadow: its own is that of the table's column in the UPDATE.
    statement := format('WITH batch (ctid, %4$I) AS (
                             SELECT ctid, %5$I FROM ONLY %1$s
                             WHERE ctid OPERATOR(pg_catalog.>=) ''(%2$s,0)'' AND ctid OPERATOR(pg_catalog.<) ''(%3$s,0)''
                               AND (pg_catalog.hashtid(ctid) OPERATOR(pg_catalog.&) %8$s) OPERATOR(pg_catalog.=) %9$s
                               AND %4$I IS NULL AND %5$I IS NOT NULL
                             ORDER BY %5$I
                             FOR %7$s SKIP LOCKED),
                         filled AS (
                             UPDATE ONLY %1$s AS t SET %4$I = %6$s FROM batch
                             WHERE t.ctid OPERATOR(pg_catalog.=) batch.ctid
                               AND t.ctid OPERATOR(pg_catalog.>=) ''(%2$s,0)'' AND t.ctid OPERATOR(pg_catalog.<) ''(%3$s,0)''
                             RETURNING batch.%4$I)
                         SELECT f.rows, CASE WHEN f.rows OPERATOR(pg_catalog.<) (SELECT pg_catalog.count(*) FROM batch) THEN
                                            (SELECT pg_catalog.min(b.key::pg_catalog.text)
                                             FROM (SELECT %4$I FROM batch EXCEPT ALL TABLE filled) AS b (key)) END
                         FROM (SELECT pg_catalog.count(*) AS rows FROM filled) AS f',
                        member, first_block, end_block, to_column, from_column,
                        uuidx_migrate_steps.new_value(from_column, c, other_values, uuidx_migrate_steps.holds_texts(c, type)), lock, parts - 1, part);
END
$$;

-- Part of backfill: an error that names a row that a trigger keeps from being updated, unless there is none.
CREATE OR REPLACE FUNCTION backfill_check_kept(member regclass, from_column name, kept_key text) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF kept_key IS NOT NULL THEN
        RAISE EXCEPTION 'a trigger of table % keeps rows from being updated', member
        USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('One of them has %s "%s".', from_column, kept_key),
              HINT = 'Change or disable the trigger, or use fire_triggers => false, and run the script again.';
    END IF;
END
$$;

-- Part of backfill: notes that a batch is filled.
CREATE OR REPLACE FUNCTION backfill_end_batch(
    member regclass, to_column name, next_block bigint, rows bigint, began timestamptz,
    OUT pass_ended boolean, OUT report text
)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp SET row_security = on
AS $$
BEGIN
    INSERT INTO uuidx_migrate.progress AS p (relation, attnum, blocks, next_block, rows_filled, seconds)
    VALUES (member, uuidx_migrate_steps.column_number(member, to_column), uuidx_migrate_steps.blocks(member), next_block, rows,
            extract(epoch FROM clock_timestamp() - began)::numeric)
    ON CONFLICT ON CONSTRAINT progress_pkey DO UPDATE
    SET next_block = excluded.next_block, rows_filled = p.rows_filled + excluded.rows_filled, seconds = p.seconds + excluded.seconds, updated = clock_timestamp()
    RETURNING p.blocks <= p.next_block, format('%s: %s rows, %s %%, %s rows/s, %s left', p.relation, p.rows_filled, p.percent, p.rows_per_second, p.time_left)
    INTO pass_ended, report;
END
$$;

-- Part of backfill: notes that a pass over the table has ended, and whether nothing is left. The last pass leaves no
-- row.
CREATE OR REPLACE FUNCTION backfill_end_pass(member regclass, from_column name, to_column name, trust_owners boolean) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp SET row_security = on
AS $$
DECLARE
    is_filled boolean;
BEGIN
    PERFORM uuidx_migrate_steps.lock_table(member, 'ACCESS SHARE', trust_owners);
    EXECUTE format('SELECT NOT EXISTS (SELECT FROM ONLY %s WHERE %I IS NULL AND %I IS NOT NULL)', member, to_column, from_column) INTO is_filled;
    IF is_filled THEN
        DELETE FROM uuidx_migrate.progress AS p WHERE p.relation = member AND p.attnum = uuidx_migrate_steps.column_number(member, to_column);
    ELSE
        UPDATE uuidx_migrate.progress AS p SET next_block = 0, blocks = uuidx_migrate_steps.blocks(member), updated = clock_timestamp()
        WHERE p.relation = member AND p.attnum = uuidx_migrate_steps.column_number(member, to_column);
    END IF;
    RETURN is_filled;
END
$$;

-- Part of backfill: the types of its columns. Texts for keys are of the same type in both columns.
CREATE OR REPLACE FUNCTION backfill_types(relation regclass, from_column name, to_column name, conversion text) RETURNS regtype[]
LANGUAGE sql STABLE STRICT
RETURN (SELECT column_types(conversion_named(conversion)) || CASE WHEN count(DISTINCT a.atttypid) = 1 THEN text_types() ELSE '{}' END
        FROM pg_attribute AS a WHERE a.attrelid = relation AND a.attname IN (from_column, to_column));

-- Part of backfill: fills a shadow column of a table, or of one partition. A procedure that commits cannot set
-- search_path for itself, so everything in it is qualified. Unless the isolation level is READ COMMITTED, a row that
-- another session has changed would be an error.
CREATE OR REPLACE PROCEDURE backfill_table(
    member regclass,
    from_column name,
    to_column name,
    conversion text,
    other_values text,
    batch_rows integer,
    pause interval,
    fire_triggers boolean,
    trust_owners boolean
)
LANGUAGE plpgsql
AS $$
DECLARE
    reported pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    began pg_catalog.timestamptz;
    batch pg_catalog.record;
    part pg_catalog.int4 := 0;
    rows pg_catalog.int8;
    kept_key pg_catalog.text;
    finished pg_catalog.bool := false;
    report pg_catalog.text;
BEGIN
    WHILE NOT finished LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        began := pg_catalog.clock_timestamp();
        IF NOT fire_triggers THEN
            PERFORM uuidx_migrate_steps.check_fire_triggers();
            SET LOCAL session_replication_role = replica;
        END IF;
        PERFORM uuidx_migrate_steps.lock_table(member, 'ROW EXCLUSIVE'::pg_catalog.text, trust_owners);
        SELECT b.statement, b.next_block, b.next_part INTO batch
        FROM uuidx_migrate_steps.backfill_batch(member, from_column, to_column, batch_rows, conversion, other_values, part) AS b;
        BEGIN
            EXECUTE batch.statement INTO rows, kept_key;
        EXCEPTION WHEN serialization_failure THEN
            -- Another session has moved a row to another partition.
            rows := NULL;
        END;
        PERFORM uuidx_migrate_steps.backfill_check_kept(member, from_column, kept_key);
        IF rows IS NOT NULL THEN
            SELECT e.pass_ended, e.report INTO finished, report
            FROM uuidx_migrate_steps.backfill_end_batch(member, to_column, batch.next_block, rows, began) AS e;
            part := batch.next_part;
        END IF;
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        IF finished THEN
            finished := uuidx_migrate_steps.backfill_end_pass(member, from_column, to_column, trust_owners);
            -- The rows that a pass leaves are locked: give them time.
            IF NOT finished THEN
                COMMIT;
                PERFORM pg_catalog.pg_sleep_for('0.1 s'::pg_catalog.interval);
            END IF;
        END IF;
        IF finished OR pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>)
                       (reported OPERATOR(pg_catalog.+) '5 s'::pg_catalog.interval) THEN
            RAISE NOTICE '%', report;
            reported := pg_catalog.clock_timestamp();
        END IF;
        COMMIT;
        IF rows OPERATOR(pg_catalog.>) 0 THEN
            PERFORM pg_catalog.pg_sleep_for(pause);
        END IF;
    END LOOP;
END
$$;

CREATE OR REPLACE PROCEDURE backfill(
    relation regclass,
    from_column name,
    to_column name,
    conversion text DEFAULT 'v1_to_v6',
    other_values text DEFAULT 'error',
    batch_rows integer DEFAULT 10000,
    pause interval DEFAULT '0',
    fire_triggers boolean DEFAULT true,
    trust_owners boolean DEFAULT false
)
LANGUAGE plpgsql
AS $$
DECLARE
    members pg_catalog.regclass[];
    member pg_catalog.regclass;
BEGIN
    PERFORM uuidx_migrate_steps.check_no_transaction('uuidx_migrate_steps.backfill'::pg_catalog.text),
            uuidx_migrate_steps.check_conversion(conversion, other_values),
            uuidx_migrate_steps.check_column(relation, c, uuidx_migrate_steps.backfill_types(relation, from_column, to_column, conversion))
    FROM pg_catalog.unnest(ARRAY[from_column, to_column]) AS c;
    members := ARRAY(SELECT t FROM pg_catalog.unnest(uuidx_migrate_steps.tables_of(relation)) AS t
                     WHERE NOT uuidx_migrate_steps.is_filled(t, from_column));
    FOREACH member IN ARRAY members LOOP
        PERFORM uuidx_migrate_steps.backfill_begin(member, from_column, to_column, batch_rows, conversion, trust_owners);
        CALL uuidx_migrate_steps.backfill_table(member, from_column, to_column, conversion, other_values, batch_rows, pause, fire_triggers, trust_owners);
    END LOOP;
END
$$;
COMMENT ON PROCEDURE backfill(regclass, name, name, text, text, integer, interval, boolean, boolean) IS
'fills a shadow column in batches, each in a transaction of its own, and resumes where it stopped';
