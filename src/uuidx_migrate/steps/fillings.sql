-- Online: in which order the tables are filled. Each is filled once, whatever its columns reference, because the
-- triggers fill all shadows of a row that is updated.

-- Part of online_script: the columns of migrations, in the order in which they are filled. Where a value is looked up
-- in the row of its key, the key is filled before it. If the table of that key needs this table in turn, however many
-- steps away, the value is filled after the key of its own table.
CREATE OR REPLACE FUNCTION fillings(ms migration[]) RETURNS SETOF filling
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE columns AS MATERIALIZED (
        SELECT m.number, c, (c).root, (m.m).relation AS key_table,
               ((m.m).conversion).is_looked_up AND NOT is_key(m.m, c) AS needs_key
        FROM (SELECT u, row_number() OVER () FROM unnest(ms) AS u) AS m (m, number), unnest((m.m).columns) AS c
    ),
    needs (root, key_table) AS (
        SELECT c.root, c.key_table FROM columns AS c WHERE c.needs_key
        UNION
        SELECT n.root, c.key_table FROM needs AS n, columns AS c WHERE c.root = n.key_table AND c.needs_key
    ),
    parts AS MATERIALIZED (
        -- They are numbered here, because a window keeps its rows, and above each has the migration.
        SELECT c.*, row_number() OVER () AS n, c.needs_key AND (c.root = c.key_table OR (c.key_table, c.root) IN (
                        SELECT n.root, n.key_table FROM needs AS n)) AS is_second
        FROM columns AS c
    ),
    leveled (root, is_second, level) AS (
        SELECT p.root, p.is_second, 0 FROM parts AS p
        UNION
        SELECT p.root, p.is_second, l.level + 1
        FROM leveled AS l, parts AS p WHERE p.key_table = l.root AND p.needs_key AND NOT l.is_second
    )
    SELECT l.level, p.root, array_agg(p.c ORDER BY p.n), array_agg(p.number::integer ORDER BY p.n)
    FROM parts AS p,
         (SELECT v.root, v.is_second, max(v.level) FROM leveled AS v GROUP BY v.root, v.is_second)
         AS l (root, is_second, level)
    WHERE (l.root, l.is_second) = (p.root, p.is_second)
    GROUP BY l.level, p.root
    ORDER BY l.level, p.root::text COLLATE "C";
END;
