-- What cannot be taken along in one of the modes, and what to do about each.

-- What stands in the way of the offline mode alone.
CREATE OR REPLACE FUNCTION obstacles_offline(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('column %I of table %s, the shadow of an online migration', c.shadow, c.member),
           'Finish the online migration, or undo it, with mode => ''finish''.'
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND shadow_conversion(c.member, c.name) IS NOT NULL
    UNION ALL
    SELECT (m).relation, (m).column_name,
           p || ' uses columns by position, or has ON CONFLICT DO UPDATE, and a generated column changes its place',
           'Drop it, and create it again afterwards.'
    FROM positional_readers(m) AS p
    WHERE EXISTS (SELECT FROM unnest((m).dependents) AS d WHERE d.kind = 'generated column')
    UNION ALL
    SELECT o.* FROM index_obstacles_offline(m) AS o
    UNION ALL
    SELECT o.* FROM foreign_key_obstacles_of_partitions(m, false) AS o
    UNION ALL
    SELECT o.* FROM number_obstacles_offline(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_dropped(m, true) AS o;
END;

-- What stands in the way of the online mode alone.
CREATE OR REPLACE FUNCTION obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM look_up_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM index_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM not_null_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM foreign_key_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM statistics_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM check_constraint_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM rule_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM trigger_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM generated_column_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM matview_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM reader_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_twins(m) AS o WHERE NOT EXISTS (SELECT FROM renamed_columns(m))
    UNION ALL
    SELECT o.* FROM map_obstacles_online(m) AS o;
END;
