-- The head of a script of several keys.

-- The columns that belong to several of some migrations. Online, a column has one shadow at a time.
CREATE OR REPLACE FUNCTION shared_columns(ms migration[]) RETURNS TABLE (root regclass, name name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name FROM unnest(ms) AS m, unnest(m.columns) AS c WHERE c.member = c.root GROUP BY c.root, c.name HAVING count(*) > 1;
END;

-- Part of keys_script: a comment that says which tables the script changes, and when it locks them.
CREATE OR REPLACE FUNCTION summary(ms migration[], mode text, left_out text[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT c.root, string_agg(DISTINCT quote_ident(c.name), ', ') AS columns,
               (SELECT sum(pg_total_relation_size(t)) FROM unnest(tables_of(c.root)) AS t) AS bytes,
               (SELECT sum(greatest(k.reltuples, 0)) FROM unnest(tables_of(c.root)) AS t JOIN pg_class AS k ON k.oid = t)::bigint AS rows
        FROM unnest(ms) AS m, unnest(m.columns) AS c WHERE c.member = c.root GROUP BY c.root
    ),
    lines (part, line) AS (
        SELECT 1, format('It migrates %s keys. These tables have about %s rows, and with their indexes %s:', cardinality(ms), sum(t.rows), pg_size_pretty(sum(t.bytes))) FROM tables AS t
        UNION ALL
        SELECT 2, format('  %s (%s): %s rows, %s', t.root, t.columns, t.rows, pg_size_pretty(t.bytes)) FROM tables AS t
        UNION ALL
        SELECT 3, CASE mode WHEN 'offline' THEN 'Nobody else can read or write them until it commits.'
                            WHEN 'online' THEN 'Others read and write all the time; an exchange locks the tables of one key for a moment.'
                            ELSE 'It locks one table after the other for a moment.' END
        UNION ALL
        SELECT 4, 'Left out: ' || l FROM unnest(left_out) AS l
    )
    SELECT string_agg(format(E'-- %s\n', regexp_replace(l.line, E'[\r\n]+', '; ', 'g')), '' ORDER BY l.part, l.line COLLATE "C") FROM lines AS l;
END;
