-- Fill a shadow column, which will replace another column.

CREATE OR REPLACE FUNCTION fill() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill'
LANGUAGE C;
COMMENT ON FUNCTION fill() IS
'trigger before INSERT or UPDATE that fills a shadow column; its arguments are the column, the shadow column, the direction, and what to do with UUIDs of another version';

CREATE OR REPLACE FUNCTION shadow_name(name name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN octet_length(name::text) <= 52 THEN name || '_shadow' ELSE 'shadow_' || md5(name) END;
COMMENT ON FUNCTION shadow_name(name) IS
'name of the shadow of a column, an index or a constraint';

-- This trigger sorts last by name, so that it converts the value that is stored.
CREATE OR REPLACE FUNCTION trigger_name(column_name name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN 'zzz_' || shadow_name(column_name);
COMMENT ON FUNCTION trigger_name(name) IS
'name of the trigger that keeps the shadow of a column';

CREATE OR REPLACE FUNCTION filling(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT substring(encode(t.tgargs, 'escape') FROM E'(v1_to_v6|v6_to_v1)\\\\000[a-z]+\\\\000$')
    FROM pg_trigger AS t
    WHERE t.tgrelid = relation AND t.tgname = trigger_name(column_name) AND t.tgfoid = 'fill()'::regprocedure
);
COMMENT ON FUNCTION filling(regclass, name) IS
'direction in which a trigger keeps the shadow of a column; NULL if there is none';

CREATE OR REPLACE VIEW progress WITH (security_barrier) AS
SELECT b.relation, b.from_column, b.to_column, b.filled AS rows_filled,
       CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END AS estimated_rows,
       round(CASE WHEN b.finished IS NOT NULL THEN 100
                  ELSE 100.0 * b.next_block / greatest(b.blocks, 1) END, 1) AS percent,
       round((b.filled - b.resumed_filled) / nullif(extract(epoch FROM b.updated - b.resumed), 0)::numeric) AS rows_per_second,
       CASE WHEN b.finished IS NOT NULL THEN interval '0'
            ELSE date_trunc('second', (b.updated - b.resumed)
                     * ((b.blocks - b.next_block)::float8 / nullif(b.next_block - b.resumed_block, 0))) END AS time_left,
       b.resumed, b.updated, b.finished
FROM backfills AS b JOIN pg_class AS c ON c.oid = b.relation
WHERE pg_has_role(c.relowner, 'USAGE');
COMMENT ON VIEW progress IS
'progress, speed and remaining time of the backfills of your own tables';
GRANT SELECT ON progress TO PUBLIC;

-- Only the table's owner may fill it, or record its progress.
CREATE OR REPLACE FUNCTION backfill_begin(relation regclass, from_column name, to_column name, batch_rows integer) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF batch_rows < 1 THEN
        RAISE EXCEPTION 'batch_rows must be positive' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = relation AND relkind = 'r') THEN
        RAISE EXCEPTION '% is no table', relation USING ERRCODE = 'wrong_object_type';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = relation AND pg_has_role(relowner, 'USAGE')) THEN
        RAISE EXCEPTION 'must be owner of table %', relation USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF row_security_active(relation) THEN
        RAISE EXCEPTION 'row security of table % is active for you', relation
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE
        'INSERT INTO uuidx_migrate.backfills AS b (relation, from_column, to_column, blocks, resumed, updated)
         VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())
         ON CONFLICT (relation, from_column, to_column) DO UPDATE
         SET blocks = excluded.blocks, resumed = excluded.resumed, resumed_block = b.next_block,
             resumed_filled = b.filled, updated = excluded.updated, finished = NULL'
    USING relation, from_column, to_column, pg_relation_size(relation) / current_setting('block_size')::bigint;
END
$$;
COMMENT ON FUNCTION backfill_begin(regclass, name, name, integer) IS
'part of backfill: notes that it begins or resumes';

-- How many blocks hold about this many rows. If the table was never analyzed, assume blocks full of the narrowest
-- possible rows.
CREATE OR REPLACE FUNCTION batch_blocks(relation regclass, batch_rows integer) RETURNS bigint
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT greatest(1, least(batch_rows, batch_rows / CASE WHEN reltuples > 0 AND relpages > 0 THEN reltuples::float8 / relpages
                                                           ELSE current_setting('block_size')::float8 / 44 END))::bigint
    FROM pg_class WHERE oid = relation
);
COMMENT ON FUNCTION batch_blocks(regclass, integer) IS
'part of backfill: blocks of a batch';

-- The procedure runs the statement of a batch, because the triggers that it fires must find the search_path of the
-- session. Rows that another session has locked are left for the next pass: waiting for them could deadlock with that
-- session. If the shadow column is a key already, a reference to the row is such a lock.
CREATE OR REPLACE FUNCTION backfill_batch(
    relation regclass, from_column name, to_column name, batch_rows integer, direction text, others text,
    OUT statement text, OUT end_block bigint
)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    next_block bigint;
    conversion text;
    lock text;
BEGIN
    EXECUTE 'SELECT b.next_block, least(b.next_block + uuidx_migrate.batch_blocks($1, $6), 4294967294),
                           uuidx_migrate.conversion($2, $4, $5)
                    FROM uuidx_migrate.backfills AS b
                    WHERE (b.relation, b.from_column, b.to_column) = ($1, $2, $3) FOR UPDATE'
    INTO STRICT next_block, end_block, conversion USING relation, from_column, to_column, direction, others, batch_rows;
    SELECT CASE WHEN bool_or(i.indisunique) THEN 'UPDATE' ELSE 'NO KEY UPDATE' END INTO lock
    FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = relation AND a.attname = to_column;
    statement := format('WITH batch AS (
                             SELECT ctid FROM ONLY %1$s
                             WHERE ctid OPERATOR(pg_catalog.>=) ''(%2$s,0)'' AND ctid OPERATOR(pg_catalog.<) ''(%3$s,0)''
                               AND %4$I IS NULL AND %5$I IS NOT NULL
                             FOR %7$s SKIP LOCKED)
                         UPDATE ONLY %1$s AS t SET %4$I = %6$s FROM batch
                         WHERE t.ctid OPERATOR(pg_catalog.=) batch.ctid
                           AND t.ctid OPERATOR(pg_catalog.>=) ''(%2$s,0)'' AND t.ctid OPERATOR(pg_catalog.<) ''(%3$s,0)''',
                        relation, next_block, end_block, to_column, from_column, conversion, lock);
END
$$;
COMMENT ON FUNCTION backfill_batch(regclass, name, name, integer, text, text) IS
'part of backfill: the statement that fills the next batch of rows, and where that ends';

CREATE OR REPLACE FUNCTION backfill_end_batch(
    relation regclass, from_column name, to_column name, end_block bigint, rows bigint,
    OUT pass_ended boolean
)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    EXECUTE 'UPDATE uuidx_migrate.backfills AS b
                    SET next_block = $4, filled = b.filled + $5, updated = clock_timestamp()
                    WHERE (b.relation, b.from_column, b.to_column) = ($1, $2, $3)
                    RETURNING b.blocks <= $4'
    INTO STRICT pass_ended USING relation, from_column, to_column, end_block, rows;
END
$$;
COMMENT ON FUNCTION backfill_end_batch(regclass, name, name, bigint, bigint) IS
'part of backfill: notes that a batch is filled';

-- The last pass leaves no row.
CREATE OR REPLACE FUNCTION backfill_end_pass(relation regclass, from_column name, to_column name) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_filled boolean;
BEGIN
    EXECUTE format('SELECT NOT EXISTS (SELECT FROM ONLY %s WHERE %I IS NULL AND %I IS NOT NULL)',
                   relation, to_column, from_column) INTO is_filled;
    EXECUTE 'UPDATE uuidx_migrate.backfills AS b
                    SET next_block = 0, blocks = $4, updated = clock_timestamp(), finished = CASE WHEN $5 THEN clock_timestamp() END
                    WHERE (b.relation, b.from_column, b.to_column) = ($1, $2, $3)'
    USING relation, from_column, to_column, pg_relation_size(relation) / current_setting('block_size')::bigint, is_filled;
    RETURN is_filled;
END
$$;
COMMENT ON FUNCTION backfill_end_pass(regclass, name, name) IS
'part of backfill: notes that a pass over the table has ended, and whether nothing is left';

CREATE OR REPLACE FUNCTION backfill_report(relation regclass, from_column name, to_column name) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%s: %s rows, %s %%, %s rows/s, %s left', p.relation, p.rows_filled, p.percent,
                      p.rows_per_second, p.time_left)
        FROM progress AS p
        WHERE (p.relation, p.from_column, p.to_column) = ($1, $2, $3));
COMMENT ON FUNCTION backfill_report(regclass, name, name) IS
'part of backfill: a line of progress in words';

-- A procedure that commits cannot set search_path for itself, so everything in it is qualified. Unless the isolation
-- level is READ COMMITTED, a row that another session has changed would be an error.
CREATE OR REPLACE PROCEDURE backfill(
    relation regclass,
    from_column name,
    to_column name,
    batch_rows integer DEFAULT 10000,
    pause interval DEFAULT '0',
    direction text DEFAULT 'v1_to_v6',
    others text DEFAULT 'error'
)
LANGUAGE plpgsql
AS $$
DECLARE
    reported pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    members pg_catalog.regclass[];
    member pg_catalog.regclass;
    statement pg_catalog.text;
    end_block pg_catalog.int8;
    rows pg_catalog.int8;
    pass_ended pg_catalog.bool;
    finished pg_catalog.bool;
    report pg_catalog.text;
BEGIN
    EXECUTE 'SELECT uuidx_migrate.check_arguments($1, $2, $4, $5),
                                      uuidx_migrate.check_arguments($1, $3, $4, $5)'
    USING relation, from_column, to_column, direction, others;
    EXECUTE 'SELECT COALESCE(pg_catalog.array_agg(m.member), ''{}'') FROM uuidx_migrate.member_tables($1, $2) AS m
                               JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) m.member
                               WHERE c.relkind OPERATOR(pg_catalog.<>) ''p'''
    INTO members USING relation, from_column;
    FOREACH member IN ARRAY members LOOP
        EXECUTE 'SELECT uuidx_migrate.backfill_begin($1, $2, $3, $4)'
        USING member, from_column, to_column, batch_rows;
        finished := false;
        WHILE NOT finished LOOP
            COMMIT;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            EXECUTE 'SELECT * FROM uuidx_migrate.backfill_batch($1, $2, $3, $4, $5, $6)'
            INTO statement, end_block USING member, from_column, to_column, batch_rows, direction, others;
            EXECUTE statement;
            GET DIAGNOSTICS rows = ROW_COUNT;
            EXECUTE 'SELECT uuidx_migrate.backfill_end_batch($1, $2, $3, $4, $5)'
            INTO pass_ended USING member, from_column, to_column, end_block, rows;
            COMMIT;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            IF pass_ended THEN
                EXECUTE 'SELECT uuidx_migrate.backfill_end_pass($1, $2, $3)'
                INTO finished USING member, from_column, to_column;
            END IF;
            IF finished OR pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>)
                           (reported OPERATOR(pg_catalog.+) '5 s'::pg_catalog.interval) THEN
                EXECUTE 'SELECT uuidx_migrate.backfill_report($1, $2, $3)'
                INTO report USING member, from_column, to_column;
                RAISE NOTICE '%', report;
                reported := pg_catalog.clock_timestamp();
            END IF;
            COMMIT;
            -- The rows that a pass leaves are locked: give them time.
            PERFORM pg_catalog.pg_sleep_for(CASE WHEN finished THEN '0'
                                                 WHEN pass_ended THEN GREATEST(pause, '0.1 s'::pg_catalog.interval)
                                                 ELSE pause END);
        END LOOP;
    END LOOP;
END
$$;
COMMENT ON PROCEDURE backfill(regclass, name, name, integer, interval, text, text) IS
'fills a shadow column in batches, each in a transaction of its own, and resumes where it stopped';
