-- The head of a script of several keys.

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

-- Part of locked_for and summary: the tables that a script changes.
CREATE OR REPLACE FUNCTION changed_tables(ms migration[])
RETURNS TABLE (root regclass, columns text, column_count bigint, rows numeric, bytes numeric)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, string_agg(DISTINCT quote_ident(c.name), ', '), count(DISTINCT c.name),
           (SELECT sum(greatest(k.reltuples, 0))::bigint FROM unnest(tables_of(c.root)) AS t, pg_class AS k
            WHERE k.oid = t),
           (SELECT sum(pg_total_relation_size(t)) FROM unnest(tables_of(c.root)) AS t)
    FROM unnest(ms) AS m, unnest(m.columns) AS c WHERE c.member = c.root GROUP BY c.root;
END;

-- Part of summary: for how many times sort_time a script holds exclusive locks at a time; NULL if it needs none.
-- bench/keys compares it with the time that the scripts take. Offline, it grows with the rows. Online, it does not:
-- what runs under the locks of an exchange, or of the end of a table, changes the catalogs alone.
CREATE OR REPLACE FUNCTION locked_for(ms migration[], mode text) RETURNS numeric
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE mode
    WHEN 'offline' THEN (
        SELECT sum(t.rows * (2 + t.column_count * CASE WHEN ((ms[1]).conversion).is_looked_up THEN 2.75 ELSE 0.25 END)
                   + t.bytes / 400)
        FROM changed_tables(ms) AS t)
    WHEN 'online' THEN (
        SELECT 220 * max(4 * (SELECT count(*) FROM unnest(m.columns))
                         + (SELECT coalesce(sum(cardinality(c.take_down) + cardinality(c.put_up)), 0)
                            FROM unnest(m.changes) AS c))
        FROM unnest(ms) AS m WHERE NOT is_exchanged(m))
    ELSE 220 * (SELECT max(4 * t.column_count + 2) FROM changed_tables(ms) AS t) END;

-- Part of summary: seconds for a reader.
CREATE OR REPLACE FUNCTION duration(seconds numeric) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN seconds < 1 THEN ceil(seconds * 1000) || ' ms'
            WHEN seconds < 100 THEN ceil(seconds) || ' s'
            ELSE ceil(seconds / 60) || ' min' END;

-- Part of keys_script: a comment that says which tables the script changes, and when and for how long it locks them.
CREATE OR REPLACE FUNCTION summary(ms migration[], mode text, left_out text[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (SELECT t.* FROM changed_tables(ms) AS t),
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
                                   'the longest exchange locks the tables of its key for about %s.'
                              ELSE 'It locks one table after the other, each for about %s.' END, l.duration)
        FROM duration(locked_for(ms, mode) * sort_time()::numeric) AS l (duration)
        UNION ALL
        SELECT 4, 'Left out: ' || l FROM unnest(left_out) AS l
    )
    SELECT string_agg(format(E'-- %s\n', regexp_replace(l.line, E'[\r\n]+', '; ', 'g')), ''
                      ORDER BY l.part, l.line COLLATE "C")
    FROM lines AS l;
END;
