-- Tables that many sessions insert into, each with another key, and for how long a session waits for what.
CREATE TABLE tables AS
SELECT 'bigint identity' AS key, 'bigint GENERATED ALWAYS AS IDENTITY' AS type, '' AS partitioned
UNION ALL
SELECT call, 'uuid DEFAULT ' || call, ''
FROM unnest(ARRAY['uuid_generate_v7()', 'uuidv7()', 'gen_random_uuid()']) AS call
WHERE to_regprocedure(call) IS NOT NULL
UNION ALL
SELECT 'uuid_generate_v7(), hash partitions', 'uuid DEFAULT uuid_generate_v7()', 'PARTITION BY HASH (id)';

SELECT format('CREATE TABLE %I (id %s PRIMARY KEY, n int) %s', key, type, partitioned) FROM tables \gexec
SELECT format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)', key || ' ' || part, key, part)
FROM tables, generate_series(0, 15) AS part WHERE partitioned <> '' \gexec

INSERT INTO cases (what, statement, units, topic)
SELECT key || ', ' || per_transaction,
       format(E'\\set n random(1, 1000000)\nINSERT INTO %I (n) SELECT :n FROM generate_series(1, %s);', key, per_transaction),
       per_transaction, key
FROM unnest(ARRAY[1, 100]) AS per_transaction, tables;

INSERT INTO comparisons (what, peer, at_most) VALUES
    ('uuid_generate_v7(), 100', 'bigint identity, 100', 1.1);

CREATE TABLE sizes (what text, wal_bytes float, index_bytes float);
CREATE TABLE waits (what text, event text);

-- What the sessions of pgbench are doing, ten times a second.
CREATE PROCEDURE watch(what text, seconds int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..seconds * 10 LOOP
        PERFORM pg_sleep(0.1);
        PERFORM pg_stat_clear_snapshot();
        INSERT INTO waits
        SELECT watch.what, coalesce(wait_event, 'running') FROM pg_stat_activity
        WHERE application_name = 'pgbench' AND wait_event IS DISTINCT FROM 'ClientRead';
        COMMIT;
    END LOOP;
END
$$;
