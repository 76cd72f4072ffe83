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

-- Part of keys_script: a list of what stands in the way of one of several migrations; empty if nothing does. With
-- reads_rows, so does what it finds in the rows. Online, a column has one shadow at a time. Two keys may make one
-- name, as a.b_c and a_b.c do.
CREATE OR REPLACE FUNCTION obstacles_among_keys(m migration, ms migration[], mode text, reads_rows boolean)
RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN concat_ws(E'\n', uuidx_migrate_steps.obstacle_list(m, mode), (
        SELECT string_agg(format('%s: %s', o.what, o.hint), E'\n')
        FROM (SELECT t.what, t.hint
              FROM uuidx_migrate_steps.found_in_rows(m) AS t
              WHERE reads_rows AND mode <> 'finish' AND t.hint IS NOT NULL
              UNION ALL
              SELECT format('column %I of table %s is connected with one of the keys, and in also of another', s.name,
                            s.root),
                     'Leave it out of also if foreign keys connect it with the right one. '
                     'Otherwise, leave out the key with which they do.'
              FROM uuidx_migrate_steps.shared_columns(ms) AS s
              WHERE s.is_lost AND mode <> 'finish'
                AND (s.root, s.name) IN (SELECT u.root, u.name FROM unnest(m.columns) AS u)
              UNION ALL
              SELECT format('column %I of table %s belongs to several of the keys', s.name, s.root),
                     'Migrate and finish one after the other.'
              FROM uuidx_migrate_steps.shared_columns(ms) AS s
              WHERE mode = 'online' AND (s.root, s.name) IN (SELECT u.root, u.name FROM unnest(m.columns) AS u)
              UNION ALL
              SELECT format('key %I of table %s needs objects of the same names', u.column_name, u.relation),
                     'Migrate and finish one after the other.'
              FROM unnest(ms) AS u
              WHERE mode <> 'finish' AND (u.conversion).is_looked_up
                AND (u.relation, u.column_name) <> (m.relation, m.column_name)
                AND uuidx_migrate_steps.key_object(u, '') = uuidx_migrate_steps.key_object(m, '')) AS o));
END
$$;
