-- What cannot be taken along, and what to do about each.

-- What stands in the way of a migration in either mode, and what to do about it.
CREATE OR REPLACE FUNCTION obstacles(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM obstacles_of_owner(m) AS o WHERE NOT ((m).choices).trust_owners
    UNION ALL
    SELECT o.* FROM obstacles_of_rights(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_tables(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_columns(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_migrations(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_replication(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_key(m) AS o WHERE is_looked_up((m).conversion)
    UNION ALL
    SELECT o.* FROM obstacles_of_type(m) AS o WHERE changes_type((m).conversion);
END;

-- An error that lists what stands in the way of a migration, if anything does.
CREATE OR REPLACE FUNCTION check_obstacles(m migration, mode text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    list text;
BEGIN
    SELECT string_agg(DISTINCT format(E'%s: %s', o.what, o.hint) COLLATE "C", E'\n') INTO list
    FROM (SELECT u.what, u.hint FROM uuidx_migrate_steps.obstacles_of_migrations(m) AS u WHERE mode = 'finish'
          UNION ALL
          SELECT u.what, u.hint FROM uuidx_migrate_steps.obstacles(m) AS u WHERE mode <> 'finish'
          UNION ALL
          SELECT u.what, u.hint FROM uuidx_migrate_steps.obstacles_offline(m) AS u WHERE mode = 'offline'
          UNION ALL
          SELECT u.what, u.hint FROM uuidx_migrate_steps.obstacles_online(m) AS u WHERE mode = 'online') AS o;
    IF list IS NOT NULL THEN
        PERFORM uuidx_migrate_steps.raise('55000', format('column "%s" of table %s cannot be migrated as it stands', m.column_name, m.relation),
            E'In the way are:\n' || list, 'The lines of the detail say what to do about each.');
    END IF;
END
$$;
