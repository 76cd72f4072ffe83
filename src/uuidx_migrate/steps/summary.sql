-- The head of a script.

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
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (SELECT t.* FROM changed_tables(ms) AS t),
    estimate AS MATERIALIZED (
        SELECT duration(e.locked * s.unit::numeric) AS locked, duration(e.whole * s.unit::numeric) AS whole,
               pg_size_pretty(e.disk) AS disk, pg_size_pretty(e.wal) AS wal
        FROM estimates(ms) AS e, sort_time() AS s (unit) WHERE e.mode = summary.mode
    ),
    lines (part, line) AS (
        SELECT 1, format('Keys that it migrates: %s. '
                         'These tables have about %s rows, and with their indexes %s:',
                         cardinality(ms), sum(t.rows), pg_size_pretty(sum(t.bytes)))
        FROM tables AS t
        UNION ALL
        SELECT 2, format('  %s (%s): %s rows, %s', t.root, t.columns, t.rows, pg_size_pretty(t.bytes))
        FROM tables AS t
        UNION ALL
        SELECT 3, format(CASE WHEN e.locked IS NULL THEN 'Others read and write all the time.'
                              WHEN mode = 'offline'
                              THEN 'Nobody else can read or write them until it commits, after about %s.'
                              WHEN mode = 'online'
                              THEN 'Others read and write all the time, but for moments: '
                                   'the longest cutover locks the tables of its key for about %s.'
                              ELSE 'It locks one table after the other, each for about %s.' END, e.locked)
        FROM estimate AS e
        UNION ALL
        SELECT 4, format(CASE mode WHEN 'offline'
                                   THEN 'Until then, it takes about %2$s more of disk, and it writes about %3$s of WAL.'
                                   ELSE 'All of it takes about %s if nothing is done yet, up to about %s more of disk, '
                                        'and about %s of WAL, or more if checkpoints come often.' END,
                         e.whole, e.disk, e.wal)
        FROM estimate AS e WHERE mode <> 'finish'
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
        SELECT 8, overlay(f PLACING 'L' FROM 1 FOR 1) FROM functions_to_look_at(ms) AS f
        WHERE mode <> 'finish' AND f IS NOT NULL
    )
    SELECT string_agg(format(E'-- %s\n', regexp_replace(l.line, E'[\r\n]+', '; ', 'g')), ''
                      ORDER BY l.part, l.line COLLATE "C")
    FROM lines AS l;
END;
