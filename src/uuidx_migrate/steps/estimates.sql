-- How long a script takes, and how much disk and WAL.

-- Part of summary: how fast this server is now, as the seconds that it takes to make and sort each of 20,000 UUIDs, for
-- which the factors of estimates are. The time of each grows with the logarithm of their number. It is in memory,
-- whatever the session allows for temporary files. Of several tries, the shortest has waited least for the processor.
CREATE OR REPLACE FUNCTION sort_time() RETURNS float8
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
SET work_mem = '4MB'
AS $$
DECLARE
    sample CONSTANT integer := 4000;
    began timestamptz;
    shortest interval;
BEGIN
    FOR try IN 1 .. 5 LOOP
        began := clock_timestamp();
        PERFORM md5(n::text)::uuid FROM generate_series(1, sample) AS n ORDER BY 1;
        shortest := least(shortest, clock_timestamp() - began);
    END LOOP;
    RETURN extract(epoch FROM shortest) / sample * ln(20000) / ln(sample);
END
$$;

-- The tables that a script changes. The size of the heap is without indexes, each of which has an entry for each row;
-- and the new keys that a rewrite looks up take so much memory.
CREATE OR REPLACE FUNCTION changed_tables(ms migration[])
RETURNS TABLE (root regclass, columns text, column_count bigint, partitions integer, rows numeric, bytes numeric,
               heap numeric, entries numeric, memory numeric)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT c.root, c.columns, c.column_count, cardinality(c.members) - 1,
               t.rows, t.bytes, t.heap, t.entries, 46 * f.keys
        FROM (SELECT u.root, string_agg(DISTINCT quote_ident(u.name), ', '), count(DISTINCT u.name),
                     array_agg(DISTINCT u.member)
              FROM unnest(ms) AS m, unnest(m.columns) AS u GROUP BY u.root) AS c (root, columns, column_count, members),
             (SELECT r.root, sum(r.keys)
              FROM unnest(ms) AS m,
                   LATERAL (SELECT DISTINCT u.root, uuidx_migrate_steps.former_key_count(m)
                            FROM unnest(m.columns) AS u) AS r (root, keys) GROUP BY r.root) AS f (root, keys),
             LATERAL (SELECT coalesce(sum(r.rows)::bigint, 0)::numeric, coalesce(sum(pg_total_relation_size(k.oid)), 0),
                             coalesce(sum(pg_table_size(k.oid)), 0),
                             coalesce(sum(r.rows * (SELECT count(*) FROM pg_index AS i
                                                    WHERE i.indrelid = k.oid))::numeric, 0)
                      FROM pg_class AS k, LATERAL (SELECT greatest(k.reltuples, 0)) AS r (rows)
                      WHERE k.oid = ANY (c.members) AND k.relkind <> 'p') AS t (rows, bytes, heap, entries)
        WHERE f.root = c.root;
END
$$;

-- For how many times sort_time a script of each mode locks tables at a time, NULL if it need not, and how many it takes
-- as a whole; and how many octets of disk, beside those of the tables, and of WAL. The factors are those of
-- bench/estimates.
--
-- Offline, the time grows with the rows: with what is written of them, with the entries of their indexes, which are
-- sorted, with their keys, which are converted, or looked up in memory as far as that reaches, and with the sample of
-- ANALYZE; and with the columns and partitions, of each of which the catalogs change. Until the end, tables and
-- indexes are there twice, and the former keys beside them.
-- Online, each row is updated and has new entries in all indexes, and triggers convert its keys, or look them up by the
-- index. Each column takes about nine statements. Each partition is filled and validated by itself, and its indexes and
-- foreign keys are built in steps of their own. The locks do not grow with the rows: what runs under those of a
-- cutover, or of the end of a table, changes the catalogs alone.
CREATE OR REPLACE FUNCTION estimates(ms migration[])
RETURNS TABLE (mode text, locked numeric, whole numeric, disk bigint, wal bigint)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    former_keys CONSTANT numeric := (SELECT sum(uuidx_migrate_steps.former_key_count(m)) FROM unnest(ms) AS m);
    available CONSTANT bigint := pg_size_bytes(current_setting('maintenance_work_mem'));
BEGIN
    RETURN QUERY
        WITH tables AS MATERIALIZED (
            SELECT t.*, t.rows * t.column_count AS keys, c.*
            FROM uuidx_migrate_steps.changed_tables(ms) AS t, uuidx_migrate_steps.costs((ms[1]).conversion) AS c
        )
        SELECT 'offline',
               60000 + 1.5 * former_keys
               + sum(0.15 * t.rows + t.heap / 310 + 0.3 * t.entries + 0.45 * least(t.rows, 30000)
                     + (9000 + 1700 * t.partitions) * t.column_count
                     + t.keys * (t.convert + 2.5 * greatest(0, 1 - available / nullif(t.memory, 0)))),
               NULL,
               (sum(t.bytes + t.keys * t.growth) + 113 * former_keys)::bigint,
               (sum(t.bytes + t.keys * t.growth + 24 * t.rows) + 133 * former_keys)::bigint
        FROM tables AS t
        UNION ALL
        SELECT 'online',
               (SELECT 90 * max(4 * (SELECT count(*) FROM unnest(m.columns))
                                 + (SELECT coalesce(sum(cardinality(c.take_down) + cardinality(c.put_up)), 0)
                                    FROM unnest(m.changes) AS c))
                FROM unnest(ms) AS m WHERE NOT uuidx_migrate_steps.is_cut_over(m)),
               sum((85000 + 12000 * t.partitions) * t.column_count
                   + 3.5 * t.rows + t.heap / 106 + 0.8 * t.entries + t.keys * t.fill),
               sum(t.bytes - t.heap / 2 + t.keys * t.pairs)::bigint,
               sum(1.45 * t.bytes + 105 * (t.rows + t.keys))::bigint
        FROM tables AS t
        UNION ALL
        SELECT 'finish', 220 * max(4 * t.column_count + 2 + t.partitions), NULL, NULL, NULL FROM tables AS t;
END
$$;
