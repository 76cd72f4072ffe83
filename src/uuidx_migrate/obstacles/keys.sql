-- What stands in the way of several keys in one script.

-- Part of obstacles_among_keys: the columns that belong to several of some migrations; and whether foreign keys connect
-- one with the key of one, and another has it in also: it would take its new value from one of the two keys, and lose
-- it by the other.
CREATE OR REPLACE FUNCTION shared_columns(ms migration[]) RETURNS TABLE (root regclass, name name, is_lost boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, bool_or(c.is_connected) AND NOT bool_and(c.is_connected)
    FROM unnest(ms) AS m, unnest(m.columns) AS c
    WHERE c.member = c.root
    GROUP BY c.root, c.name HAVING count(*) > 1
    ORDER BY c.root::text COLLATE "C", c.name;
END;

-- Part of keys_script: what stands in the way of each of several migrations because of the others. Online, a column has
-- one shadow at a time. Two keys may make one name, as a.b_c and a_b.c do.
CREATE OR REPLACE FUNCTION obstacles_among_keys(ms migration[], mode text) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH shared AS MATERIALIZED (
        SELECT DISTINCT m.relation, m.column_name, s.root, s.name, s.is_lost
        FROM shared_columns(ms) AS s, unnest(ms) AS m, unnest(m.columns) AS u
        WHERE (u.root, u.name) = (s.root, s.name)
    ),
    named AS MATERIALIZED (
        SELECT m.relation, m.column_name, key_object(m, '') AS object
        FROM unnest(ms) AS m WHERE (m.conversion).is_looked_up
    )
    SELECT s.relation, s.column_name,
           format('column %I of table %s is connected with one of the keys, and in also of another', s.name, s.root),
           'Leave it out of also if foreign keys connect it with the right one. '
           'Otherwise, leave out the key with which they do.'
    FROM shared AS s WHERE s.is_lost AND mode <> 'finish'
    UNION ALL
    SELECT s.relation, s.column_name, format('column %I of table %s belongs to several of the keys', s.name, s.root),
           'Migrate and finish one after the other.'
    FROM shared AS s WHERE mode = 'online'
    UNION ALL
    SELECT n.relation, n.column_name,
           format('key %I of table %s needs objects of the same names', o.column_name, o.relation),
           'Migrate and finish one after the other.'
    FROM named AS n JOIN named AS o USING (object)
    WHERE mode <> 'finish' AND (n.relation, n.column_name) <> (o.relation, o.column_name);
END;

-- Part of keys_script: a list of what stands in the way of one of several migrations; empty if nothing does. With
-- reads_rows, so does what it finds in the rows.
CREATE OR REPLACE FUNCTION obstacles_in_keys(m migration, among_keys obstacle[], mode text, reads_rows boolean)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN concat_ws(E'\n', uuidx_migrate_steps.obstacle_list(m, mode), (
        SELECT string_agg(format('%s: %s', o.what, o.hint), E'\n' ORDER BY o.what COLLATE "C")
        FROM (SELECT t.what, t.hint
              FROM uuidx_migrate_steps.found_in_rows(m) AS t
              WHERE reads_rows AND mode <> 'finish' AND t.hint IS NOT NULL
              UNION ALL
              SELECT a.what, a.hint
              FROM unnest(among_keys) AS a WHERE (a.root, a.column_name) = (m.relation, m.column_name)) AS o));
END
$$;
