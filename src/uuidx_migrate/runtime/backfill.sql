-- Fill a shadow column.

-- Part of backfill_batch: how many blocks hold about this many rows. If the table was never analyzed, assume blocks
-- full of the narrowest possible rows.
CREATE OR REPLACE FUNCTION batch_blocks(relation regclass, batch_rows integer) RETURNS bigint
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT greatest(1, least(batch_rows, batch_rows / CASE WHEN reltuples > 0 AND relpages > 0
                                                           THEN reltuples::float8 / relpages
                                                           ELSE current_setting('block_size')::float8 / 44 END))::bigint
    FROM pg_class WHERE oid = relation
);

-- Blocks of a table.
CREATE OR REPLACE FUNCTION blocks(relation regclass) RETURNS bigint
LANGUAGE sql VOLATILE STRICT
RETURN pg_relation_size(relation) / current_setting('block_size')::bigint;

-- Part of backfill_batch and first_unfilled: condition on a row, as text, that a shadow is not filled.
CREATE OR REPLACE FUNCTION is_unfilled(columns name[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT
RETURN (SELECT format('(%s)', string_agg(format('%I IS NULL AND %I IS NOT NULL', shadow_name(c), c), ' OR '))
        FROM unnest(columns) AS c);

-- Part of backfill and finds_keys: whether constraints prove that the shadows of columns are filled.
CREATE OR REPLACE FUNCTION is_filled(member regclass, columns name[]) RETURNS boolean
LANGUAGE sql STABLE STRICT
RETURN NOT EXISTS (SELECT FROM unnest(columns) AS c
                   WHERE NOT EXISTS (SELECT FROM pg_constraint AS k
                                     WHERE k.oid = shadow_check_of(member, c) AND k.convalidated));

CREATE OR REPLACE FUNCTION check_fire_triggers() RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM set_config('session_replication_role', current_setting('session_replication_role'), true);
EXCEPTION WHEN insufficient_privilege THEN
    PERFORM uuidx_migrate_steps.raise('42501',
        'fire_triggers => false needs the right to set session_replication_role',
        hint => 'A superuser has it, and from PostgreSQL 15 on whoever a superuser grants it '
                'with GRANT SET ON PARAMETER.');
END
$$;
COMMENT ON FUNCTION check_fire_triggers() IS
'an error unless the user can keep triggers from firing';

CREATE OR REPLACE FUNCTION expect_backfills(tables bigint, blocks bigint) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_expect_backfills'
LANGUAGE C VOLATILE STRICT;

-- Part of backfill and backfill_table: shows how far it has come, after a batch unless a pass over the table begins.
CREATE OR REPLACE FUNCTION show_backfill(
    relation regclass, blocks bigint, next_block bigint, rows bigint, began timestamptz
) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_show_backfill'
LANGUAGE C VOLATILE;

CREATE OR REPLACE FUNCTION end_backfill() RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_end_backfill'
LANGUAGE C VOLATILE;

-- Part of progress: the backfills under way, of tables of the current user.
CREATE OR REPLACE FUNCTION backfills(
    OUT pid integer, OUT relation regclass, OUT blocks bigint, OUT next_block bigint, OUT rows_filled bigint,
    OUT microseconds bigint, OUT blocks_done bigint, OUT tables_left bigint, OUT blocks_left bigint
) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'uuidx_backfills'
LANGUAGE C VOLATILE;

-- Part of progress: time for blocks, at the speed of those that are done.
CREATE OR REPLACE FUNCTION time_for(blocks bigint, blocks_done bigint, microseconds bigint) RETURNS interval
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN make_interval(
    secs => CASE WHEN blocks_done <> 0
                 THEN least(abs(round(microseconds * 1e-6 * greatest(blocks, 0) / blocks_done)), 1e9)::float8 END);

CREATE OR REPLACE FUNCTION note_tables(relations regclass[]) RETURNS void
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    SELECT expect_backfills(count(*), coalesce(sum(blocks(t)), 0)::bigint)
    FROM unnest(relations) AS r, unnest(tables_of(r)) AS t;
END;
COMMENT ON FUNCTION note_tables(regclass[]) IS
'has the progress of backfills in this session say how long those of the other tables will take';

-- Part of backfill: an error unless it can begin.
CREATE OR REPLACE FUNCTION check_backfill(member regclass, columns name[], batch_rows integer, trust_owners boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    unkept name;
BEGIN
    IF batch_rows < 1 THEN
        RAISE EXCEPTION 'batch_rows must be positive' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM uuidx_migrate_steps.raise('55000', o.what, hint => o.hint)
    FROM uuidx_migrate_steps.obstacles_of_citus(ARRAY[member]) AS o;
    PERFORM uuidx_migrate_steps.check_owner(ARRAY[member], trust_owners),
            uuidx_migrate_steps.check_row_security(member);
    SELECT c INTO unkept FROM unnest(columns) AS c
    WHERE NOT EXISTS (SELECT FROM pg_trigger AS t
                      WHERE t.tgrelid = member AND t.tgname = uuidx_migrate_steps.trigger_name(c)
                        AND t.tgenabled = 'A')
       OR uuidx_migrate_steps.shadow_conversion(member, c) IS NULL;
    IF FOUND THEN
        RAISE EXCEPTION 'no trigger fills the shadow of column "%" of table %', unkept, member
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END
$$;

-- Part of backfill_table: the block of the first row that is not filled; NULL if there is none. Nothing else says where
-- an earlier backfill has stopped: to read the rows that it has filled takes a fraction of the time in which it filled
-- them. The settings have the server read the table from its beginning.
CREATE OR REPLACE FUNCTION first_unfilled(member regclass, columns name[], trust_owners boolean) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
SET synchronize_seqscans = off SET max_parallel_workers_per_gather = 0
SET enable_indexscan = off SET enable_bitmapscan = off
AS $$
DECLARE
    first tid;
BEGIN
    PERFORM uuidx_migrate_steps.lock_table(member, 'ACCESS SHARE', trust_owners);
    EXECUTE format('SELECT ctid FROM ONLY %s WHERE %s LIMIT 1', member, uuidx_migrate_steps.is_unfilled(columns))
    INTO first;
    RETURN (first::text::point)[0];
END
$$;

-- Part of backfill_table: the statement that fills the next batch of rows, and what comes after it. The triggers fill
-- all shadows of a row that is updated. The procedure runs the statement, because they must find the search_path of the
-- session. Rows that another session has locked are left for the next pass: waiting for them could deadlock with that
-- session. If the shadow column is a key already, a reference to the row is such a lock. In the order of the keys, one
-- row after the other is in the same part of the indexes.
--
-- A row that grows leaves its page if that is full, and then each index gets a new entry. So a batch takes one row of
-- eight, of eight times as many blocks: in their pages the next batch finds the space of the rows that have left and of
-- the older versions of those that have not, and two updates of three need neither another page nor an entry in an
-- index (they are HOT).
CREATE OR REPLACE FUNCTION backfill_batch(
    member regclass, columns name[], batch_rows integer, first_block bigint, part integer,
    OUT statement text, OUT next_block bigint, OUT next_part integer
)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    parts CONSTANT integer := 8; -- a power of 2
    name CONSTANT text := quote_ident(columns[1]);
    shadow CONSTANT text := quote_ident(uuidx_migrate_steps.shadow_name(columns[1]));
    end_block bigint;
    blocks text;
    lock text;
BEGIN
    end_block := least(first_block + uuidx_migrate_steps.batch_blocks(member, batch_rows) * parts, 4294967294);
    next_part := (part + 1) % parts;
    next_block := CASE WHEN next_part = 0 THEN end_block ELSE first_block END;
    SELECT CASE WHEN bool_or(i.indisunique) THEN 'UPDATE' ELSE 'NO KEY UPDATE' END INTO lock
    FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = member AND a.attname IN (SELECT uuidx_migrate_steps.shadow_name(c) FROM unnest(columns) AS c);
    blocks := format('t.ctid OPERATOR(pg_catalog.>=) ''(%s,0)'' AND t.ctid OPERATOR(pg_catalog.<) ''(%s,0)''',
                     first_block, end_block);
    -- The batch gives the first column the name of its shadow: its own is that of the table's column in the UPDATE.
    statement := concat(
        'WITH batch (ctid, ', shadow, ') AS (SELECT t.ctid, t.', name, ' FROM ONLY ', member, ' AS t WHERE ', blocks,
        ' AND (pg_catalog.hashtid(t.ctid) OPERATOR(pg_catalog.&) ', parts - 1, ') OPERATOR(pg_catalog.=) ', part,
        ' AND ', uuidx_migrate_steps.is_unfilled(columns), ' ORDER BY t.', name, ' FOR ', lock, ' SKIP LOCKED), ',
        'filled AS (UPDATE ONLY ', member, ' AS t SET ',
        (SELECT string_agg(format('%1$I = t.%1$I', uuidx_migrate_steps.shadow_name(c)), ', ')
         FROM unnest(columns) AS c),
        ' FROM batch WHERE t.ctid OPERATOR(pg_catalog.=) batch.ctid AND ', blocks, ' RETURNING batch.', shadow, ') ',
        'SELECT f.rows, CASE WHEN f.rows OPERATOR(pg_catalog.<) (SELECT pg_catalog.count(*) FROM batch) THEN '
        '(SELECT pg_catalog.min(b.key::pg_catalog.text) FROM (SELECT ', shadow,
        ' FROM batch EXCEPT ALL TABLE filled) AS b (key)) END '
        'FROM (SELECT pg_catalog.count(*) AS rows FROM filled) AS f');
END
$$;

-- Part of backfill_table: an error that names a row that a trigger keeps from being updated, unless there is none.
CREATE OR REPLACE FUNCTION backfill_check_kept(member regclass, column_name name, kept_value text) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF kept_value IS NOT NULL THEN
        RAISE EXCEPTION 'a trigger of table % keeps rows from being updated', member
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = format('One of them has %s "%s".', column_name, kept_value),
              HINT = 'Change or disable the trigger, or use fire_triggers => false, and run the script again.';
    END IF;
END
$$;

-- Part of backfill_table: tells the client how far it has come. The server does not know it if it does not track
-- activities.
CREATE OR REPLACE FUNCTION report_backfill() RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    p record;
BEGIN
    SELECT o.* INTO p FROM uuidx_migrate.progress AS o WHERE o.pid = pg_backend_pid() AND o.seconds > 0;
    IF FOUND THEN
        -- What is not known yet, as when no block is done, is left out.
        RAISE NOTICE '%', concat(format('%s: %s rows', p.relation, p.rows_filled), ', ' || p.percent || ' %',
                                 ', ' || p.rows_per_second || ' rows/s', ', ' || p.time_left || ' left',
                                 CASE WHEN p.tables_left > 0
                                      THEN format('; of %s more tables', p.tables_left)
                                           || coalesce(' ' || p.time_left_of_tables, '') END);
    END IF;
END
$$;

-- Part of backfill: fills the shadow columns of a table, or of one partition. A procedure that commits cannot set
-- search_path for itself, so everything in it is qualified. Unless the isolation level is READ COMMITTED, a row that
-- another session has changed would be an error.
CREATE OR REPLACE PROCEDURE backfill_table(
    member regclass, columns name[], batch_rows integer, pause interval, fire_triggers boolean, trust_owners boolean
)
LANGUAGE plpgsql
AS $$
DECLARE
    reported pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    began pg_catalog.timestamptz;
    blocks pg_catalog.int8;
    next_block pg_catalog.int8;
    batch pg_catalog.record;
    part pg_catalog.int4 := 0;
    rows pg_catalog.int8;
    kept_value pg_catalog.text;
BEGIN
    LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        next_block := uuidx_migrate_steps.first_unfilled(member, columns, trust_owners);
        -- The rows that a pass leaves are locked: give them time.
        IF next_block IS NOT NULL AND blocks IS NOT NULL THEN
            COMMIT;
            PERFORM pg_catalog.pg_sleep_for('0.1 s'::pg_catalog.interval);
        END IF;
        blocks := uuidx_migrate_steps.blocks(member);
        PERFORM uuidx_migrate_steps.show_backfill(
                    member, blocks, COALESCE(next_block, blocks), NULL::pg_catalog.int8, NULL::pg_catalog.timestamptz);
        WHILE next_block OPERATOR(pg_catalog.<) blocks LOOP
            COMMIT;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            began := pg_catalog.clock_timestamp();
            IF NOT fire_triggers THEN
                PERFORM uuidx_migrate_steps.check_fire_triggers();
                SET LOCAL session_replication_role = replica;
            END IF;
            PERFORM uuidx_migrate_steps.lock_table(member, 'ROW EXCLUSIVE'::pg_catalog.text, trust_owners);
            SELECT b.statement, b.next_block, b.next_part INTO batch
            FROM uuidx_migrate_steps.backfill_batch(member, columns, batch_rows, next_block, part) AS b;
            BEGIN
                EXECUTE batch.statement INTO rows, kept_value;
            EXCEPTION
                WHEN serialization_failure THEN
                    CONTINUE; -- Another session has moved a row to another partition.
                WHEN query_canceled THEN
                    PERFORM uuidx_migrate_steps.raise_canceled(SQLERRM);
            END;
            PERFORM uuidx_migrate_steps.backfill_check_kept(member, columns[1], kept_value);
            next_block := batch.next_block;
            part := batch.next_part;
            PERFORM uuidx_migrate_steps.show_backfill(member, blocks, next_block, rows, began);
            COMMIT;
            IF pg_catalog.clock_timestamp()
               OPERATOR(pg_catalog.>) (reported OPERATOR(pg_catalog.+) '5 s'::pg_catalog.interval) THEN
                PERFORM uuidx_migrate_steps.report_backfill();
                reported := pg_catalog.clock_timestamp();
            END IF;
            COMMIT;
            IF rows OPERATOR(pg_catalog.>) 0 THEN
                PERFORM pg_catalog.pg_sleep_for(pause);
            END IF;
        END LOOP;
        EXIT WHEN next_block IS NULL;
    END LOOP;
    PERFORM uuidx_migrate_steps.report_backfill(), uuidx_migrate_steps.end_backfill();
    COMMIT;
END
$$;

CREATE OR REPLACE PROCEDURE backfill(
    relation regclass,
    columns name[],
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
            uuidx_migrate_steps.check_no_shard(relation);
    IF pg_catalog.num_nulls(relation, columns, batch_rows, pause, fire_triggers, trust_owners)
       OPERATOR(pg_catalog.>) 0 THEN
        RAISE EXCEPTION 'the arguments of backfill must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    members := uuidx_migrate_steps.tables_of(relation);
    FOREACH member IN ARRAY members LOOP
        IF uuidx_migrate_steps.is_filled(member, columns) THEN
            PERFORM uuidx_migrate_steps.show_backfill(
                        member, uuidx_migrate_steps.blocks(member),
                        0::pg_catalog.int8, NULL::pg_catalog.int8, NULL::pg_catalog.timestamptz),
                    uuidx_migrate_steps.end_backfill();
        ELSE
            PERFORM uuidx_migrate_steps.check_backfill(member, columns, batch_rows, trust_owners);
            CALL uuidx_migrate_steps.backfill_table(member, columns, batch_rows, pause, fire_triggers, trust_owners);
        END IF;
    END LOOP;
END
$$;
COMMENT ON PROCEDURE backfill(regclass, name[], integer, interval, boolean, boolean) IS
'has triggers fill the shadows of columns in batches, each in a transaction of its own, and resumes where it stopped';
