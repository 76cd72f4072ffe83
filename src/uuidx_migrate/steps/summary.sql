-- The head of a script.

-- Part of keys_script: the columns that belong to several of some migrations. Online, a column has one shadow at a
-- time.
CREATE OR REPLACE FUNCTION shared_columns(ms migration[]) RETURNS TABLE (root regclass, name name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name
    FROM unnest(ms) AS m, unnest(m.columns) AS c
    WHERE c.member = c.root
    GROUP BY c.root, c.name HAVING count(*) > 1;
END;

-- Part of summary: how fast this server is now, as the seconds that it takes to make and sort a UUID. The other
-- estimates count in these.
CREATE OR REPLACE FUNCTION sort_time() RETURNS float8
LANGUAGE plpgsql VOLATILE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    sample CONSTANT integer := 20000;
    began CONSTANT timestamptz := clock_timestamp();
BEGIN
    PERFORM md5(n::text)::uuid FROM generate_series(1, sample) AS n ORDER BY 1;
    RETURN extract(epoch FROM clock_timestamp() - began) / sample;
END
$$;

-- The tables that a script changes. The size of the heap is without indexes, each of which has an entry for each row;
-- and the new keys that a rewrite looks up take so much memory.
CREATE OR REPLACE FUNCTION changed_tables(ms migration[])
RETURNS TABLE (root regclass, columns text, column_count bigint, rows numeric, bytes numeric, heap numeric,
               entries numeric, memory numeric)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.columns, c.column_count, t.*,
           46 * former_keys(ARRAY(SELECT m FROM unnest(ms) AS m
                                  WHERE c.root IN (SELECT u.root FROM unnest(m.columns) AS u)))
    FROM (SELECT u.root, string_agg(DISTINCT quote_ident(u.name), ', '), count(DISTINCT u.name)
          FROM unnest(ms) AS m, unnest(m.columns) AS u WHERE u.member = u.root GROUP BY u.root)
         AS c (root, columns, column_count),
         LATERAL (SELECT sum(r.rows)::bigint, sum(pg_total_relation_size(k.oid)), sum(pg_table_size(k.oid)),
                         sum(r.rows * (SELECT count(*) FROM pg_index AS i WHERE i.indrelid = k.oid))::numeric
                  FROM unnest(tables_of(c.root)) AS t, pg_class AS k,
                       LATERAL (SELECT greatest(k.reltuples, 0)) AS r (rows)
                  WHERE k.oid = t) AS t;
END;

-- Part of summary: for how many times sort_time a script holds exclusive locks at a time; NULL if it needs none.
-- Offline, it grows with the rows: with what is written of them, with the entries of their indexes, which are sorted,
-- with their keys, which are converted, or looked up in memory as far as that reaches, and with the sample of ANALYZE.
-- The factors, here and below, are those of bench/estimates.
-- Online, it does not grow: what runs under the locks of a cutover, or of the end of a table, changes the catalogs
-- alone.
CREATE OR REPLACE FUNCTION locked_for(ms migration[], mode text) RETURNS numeric
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE mode
    WHEN 'offline' THEN (
        SELECT 1.5 * former_keys(ms)
               + sum(0.15 * t.rows + t.heap / 310 + 0.3 * t.entries + 0.45 * least(t.rows, 30000)
                     + 15000 * t.column_count
                     + t.rows * t.column_count
                       * (c.convert + 2.5 * greatest(0, 1 - pg_size_bytes(current_setting('maintenance_work_mem'))
                                                            / nullif(t.memory, 0))))
        FROM changed_tables(ms) AS t, costs((ms[1]).conversion) AS c)
    WHEN 'online' THEN (
        SELECT 220 * max(4 * (SELECT count(*) FROM unnest(m.columns))
                         + (SELECT coalesce(sum(cardinality(c.take_down) + cardinality(c.put_up)), 0)
                            FROM unnest(m.changes) AS c))
        FROM unnest(ms) AS m WHERE NOT is_cut_over(m))
    ELSE 220 * (SELECT max(4 * t.column_count + 2) FROM changed_tables(ms) AS t) END;

-- Part of summary: how many times sort_time an online script takes: each row is updated and has new entries in all
-- indexes, and triggers convert its keys, or look them up by the index.
CREATE OR REPLACE FUNCTION online_for(ms migration[]) RETURNS numeric
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT sum(23000 * t.column_count + 3.5 * t.rows + t.heap / 106 + 0.8 * t.entries
               + t.rows * t.column_count * c.fill)
    FROM changed_tables(ms) AS t, costs((ms[1]).conversion) AS c;
END;

-- Part of summary: seconds for a reader.
CREATE OR REPLACE FUNCTION duration(seconds numeric) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN seconds < 1 THEN ceil(seconds * 1000) || ' ms'
            WHEN seconds < 10 THEN round(seconds, 1) || ' s'
            WHEN seconds < 100 THEN ceil(seconds) || ' s'
            WHEN seconds < 6000 THEN ceil(seconds / 60) || ' min'
            ELSE ceil(seconds / 3600) || ' h' END;

-- Part of keys_script and script: a comment that says which tables the script changes, when and for how long it locks
-- them, what it takes, and what to do afterwards.
CREATE OR REPLACE FUNCTION summary(ms migration[], mode text, left_out text[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (SELECT t.* FROM changed_tables(ms) AS t),
    speed (unit) AS MATERIALIZED (SELECT sort_time()::numeric),
    lines (part, line) AS (
        SELECT 1, format('Keys that it migrates: %s. '
                         'These tables have about %s rows, and with their indexes %s:',
                         cardinality(ms), sum(t.rows), pg_size_pretty(sum(t.bytes)))
        FROM tables AS t
        UNION ALL
        SELECT 2, format('  %s (%s): %s rows, %s', t.root, t.columns, t.rows, pg_size_pretty(t.bytes))
        FROM tables AS t
        UNION ALL
        SELECT 3, format(CASE WHEN l.duration IS NULL THEN 'Others read and write all the time.'
                              WHEN mode = 'offline'
                              THEN 'Nobody else can read or write them until it commits, after about %s.'
                              WHEN mode = 'online'
                              THEN 'Others read and write all the time, but for moments: '
                                   'the longest cutover locks the tables of its key for about %s.'
                              ELSE 'It locks one table after the other, each for about %s.' END, l.duration)
        FROM speed, LATERAL duration(locked_for(ms, mode) * unit) AS l (duration)
        UNION ALL
        SELECT 4, format('Until then, it takes about %s more of disk, and it writes about %s of WAL.',
                         pg_size_pretty(w.bytes + 113 * former_keys(ms)),
                         pg_size_pretty(w.bytes + 24 * w.rows + 133 * former_keys(ms)))
        FROM (SELECT sum(t.bytes + t.rows * t.column_count * c.growth), sum(t.rows)
              FROM tables AS t, costs((ms[1]).conversion) AS c) AS w (bytes, rows)
        WHERE mode = 'offline'
        UNION ALL
        SELECT 4, format('All of it takes about %s if nothing is done yet, up to about %s more of disk, '
                         'and about %s of WAL, or more if checkpoints come often.',
                         (SELECT duration(online_for(ms) * unit) FROM speed),
                         pg_size_pretty(sum(t.bytes - t.heap / 2 + t.rows * t.column_count * c.pairs)),
                         pg_size_pretty(sum(1.45 * t.bytes + 105 * t.rows * (1 + t.column_count))))
        FROM tables AS t, costs((ms[1]).conversion) AS c HAVING mode = 'online'
        UNION ALL
        SELECT 5, format('To look all keys up in memory, it needs maintenance_work_mem = ''%sMB''.',
                         ceil(n.memory / 1048576))
        FROM (SELECT max(t.memory) FROM tables AS t) AS n (memory)
        WHERE mode = 'offline' AND n.memory > 0
        UNION ALL
        SELECT 6, 'Left out: ' || l FROM unnest(left_out) AS l
        UNION ALL
        SELECT 7, format('Afterwards, add CHECK (uuid_is_%1$s(%2$s)) to %3$s: '
                         'conditions on uuid_time(%2$s) then use the index.', v.version, k.name, k.tables)
        FROM substring(((ms[1]).conversion).new_generator, 'v[67]$') AS v (version),
             (VALUES (1, quote_ident((ms[1]).column_name), (ms[1]).relation::text),
                     (2, 'KEY', 'the tables of keys')) AS k (count, name, tables)
        WHERE mode <> 'finish' AND v.version IS NOT NULL AND k.count = least(2, cardinality(ms))
        UNION ALL
        SELECT 8, 'Look whether these functions, which name columns, go on with another type: '
                  || string_agg(DISTINCT f::text COLLATE "C", ', ' ORDER BY f::text COLLATE "C")
        FROM unnest(ms) AS m, unnest(m.columns) AS c, LATERAL naming_functions(c.root, c.name) AS f
        WHERE mode <> 'finish' AND c.member = c.root AND (m.conversion).changes_type HAVING count(*) > 0
    )
    SELECT string_agg(format(E'-- %s\n', regexp_replace(l.line, E'[\r\n]+', '; ', 'g')), ''
                      ORDER BY l.part, l.line COLLATE "C")
    FROM lines AS l;
END;
