-- What cannot be taken along while the tables serve, and what to do about each.

-- What stands in the way of the online mode alone.
CREATE OR REPLACE FUNCTION obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM index_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM not_null_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM foreign_key_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM statistics_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM rule_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM trigger_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM generated_column_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM materialized_view_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM reader_obstacles_online(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_twins(m) AS o
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('the former keys are in table %s, not in a shadow column', key_object(m, 'former')),
           'Use the offline mode.'
    WHERE ((m).conversion).only_undoes AND has_map(m) AND shadow_conversion((m).relation, (m).column_name) IS NULL;
END;
