-- What stands in the way of another type of a column: whatever reads its values.

-- Part of obstacles_of_type: the columns and their defaults.
CREATE OR REPLACE FUNCTION column_obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('column %I of table %s is of type %s, which is too short for a UUID',
                  c.name, c.member, format_type(a.atttypid, a.atttypmod)),
           'Make it longer.'
    FROM unnest((m).columns) AS c, pg_attribute AS a
    -- A ULID has 26 characters. The server adds 4 to the length.
    WHERE a.attrelid = c.member AND a.attnum = c.attnum AND a.atttypid = ANY (text_types())
      AND a.atttypmod BETWEEN 4 AND 29
    UNION ALL
    SELECT c.root, c.name,
           format('default %s of column %I of table %s, which is not the call of a function that returns uuid, '
                  'nor a UUID', (d.old).expression, c.name, c.member),
           CASE WHEN (c.root, c.name) = ((m).relation, (m).column_name)
                THEN 'Name a function for the new default with new_default.'
                ELSE 'Drop the default, and set another one afterwards.' END
    FROM unnest((m).defaults) AS d, unnest((m).columns) AS c
    WHERE c.member = d.member AND c.name = d.name AND (d.new).expression IS NULL
      AND NOT (((m).conversion).keeps_former AND (is_key(m, c) OR (d.old).constant IS NOT NULL OR (d.old).is_null));
END;

-- Part of obstacles: what a conversion that changes the type of columns needs.
CREATE OR REPLACE FUNCTION obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM column_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM index_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM statistics_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM check_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM reader_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM view_obstacles_of_type(m) AS o
    UNION ALL
    SELECT o.* FROM trigger_obstacles_of_type(m) AS o;
END;

-- What would stop the script once it reads the rows.
CREATE OR REPLACE FUNCTION obstacles_of_texts(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (
        SELECT c.root, c.name
        FROM unnest((m).columns) AS c, pg_class AS t
        WHERE t.oid = c.member AND c.member = c.root AND t.relkind IN ('r', 'p') AND c.type = ANY (text_types())
          AND (((m).conversion).reads_texts OR holds_texts((m).conversion, c.type))
          AND has_table_privilege(c.root, 'SELECT') AND may_read((m).columns, ((m).choices).trust_owners)
          AND shadow_conversion(c.root, c.name) IS NULL
    )
    SELECT c.root, c.name,
           format('texts that stand for no UUID: %s; one of them is "%s"', t.others, t.example),
           'Correct or delete these rows.'
    FROM columns AS c, LATERAL uuid_texts(c.root, c.name, ((m).choices).trust_owners) AS t
    WHERE t.others > 0 AND ((m).conversion).reads_texts
    UNION ALL
    SELECT c.root, c.name,
           format('texts that stand for no UUID in one case: %s; one of them is "%s"', t.others, t.example),
           'Correct or delete these rows, or have such texts stay as they are with other_values => ''keep''.'
    FROM columns AS c,
         LATERAL other_values(c.root, c.name, NULL::integer, NULL::regclass, NULL::name, ((m).choices).trust_owners)
         AS t
    WHERE t.others > 0 AND NOT ((m).conversion).reads_texts AND ((m).choices).other_values = 'error'
    UNION ALL
    SELECT c.root, c.name,
           format('different texts for the same UUID, which index %s must not have: %s; for one of them there are %s',
                  s.index, s.groups, s.example),
           'Decide which of the rows stays, and have what references the others reference that one.'
    FROM columns AS c, LATERAL same_uuids(c.root, c.name, ((m).choices).trust_owners) AS s
    WHERE s.groups > 0 AND ((m).conversion).reads_texts;
END;
