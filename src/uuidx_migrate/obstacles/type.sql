-- What stands in the way of another type of a column: whatever reads its values.

-- Part of obstacles_of_type: the columns.
CREATE OR REPLACE FUNCTION column_obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('column %I of table %s is of type %s, which is too short for a UUID',
                  c.name, c.member, format_type(a.atttypid, a.atttypmod)),
           'Make it longer.'
    FROM unnest((m).columns) AS c, pg_attribute AS a
    -- A ULID has 26 characters. The server adds 4 to the length.
    WHERE a.attrelid = c.member AND a.attnum = c.attnum AND a.atttypmod BETWEEN 4 AND 29;
END;

-- Part of obstacles_of_conversion: what a conversion that changes the type of columns needs.
CREATE OR REPLACE FUNCTION obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM column_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM index_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM statistics_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM check_constraint_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM reader_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM trigger_obstacles_of_type(m) AS o;
END;
