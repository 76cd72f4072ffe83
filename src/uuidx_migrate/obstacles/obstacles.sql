-- What cannot be taken along, and what to do about each.

-- What stands in the way of a migration in either mode, and what to do about it.
CREATE OR REPLACE FUNCTION obstacles(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM obstacles_of_owner(m) AS o WHERE NOT ((m).choices).trust_owners
    UNION ALL
    SELECT o.* FROM obstacles_of_rights(m) AS o
    UNION ALL
    SELECT o.* FROM reader_obstacles(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_operators(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_tables(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_row_types(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_columns(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_versions(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_migrations(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_replication(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_dropped(m, false) AS o WHERE NOT EXISTS (SELECT FROM renamed_columns(m))
    UNION ALL
    SELECT o.* FROM generated_column_obstacles(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_extensions(m) AS o
    UNION ALL
    SELECT o.* FROM view_obstacles(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_conversion(m) AS o;
END;

-- A list of what stands in the way of a script of a mode, or of any; NULL if nothing does. These queries take longer to
-- plan than to run, so only those that the mode needs are planned.
CREATE OR REPLACE FUNCTION obstacle_list(m migration, mode text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found uuidx_migrate_steps.obstacle[];
    -- After the cutover too, the values in these are looked up again.
    looked_up CONSTANT uuidx_migrate_steps.migrated_column[] := ARRAY(
        SELECT c FROM uuidx_migrate_steps.columns_without_foreign_key(m) AS w, unnest(m.columns) AS c
        WHERE (c.root, c.name) = (w.root, w.name) AND uuidx_migrate_steps.is_cut_over(m));
BEGIN
    IF mode = 'finish' THEN
        found := ARRAY(SELECT o FROM uuidx_migrate_steps.obstacles_of_migrations(m) AS o
                       UNION ALL
                       SELECT o FROM uuidx_migrate_steps.keep_number_obstacles(m) AS o
                       UNION ALL
                       SELECT o FROM uuidx_migrate_steps.obstacles_of_default_given_back(m) AS o
                       UNION ALL
                       SELECT o FROM uuidx_migrate_steps.obstacles_of_updates(m, looked_up) AS o);
    ELSIF mode = 'online' AND uuidx_migrate_steps.is_cut_over(m) THEN
        found := ARRAY(SELECT o FROM uuidx_migrate_steps.obstacles_of_migrations(m) AS o
                       UNION ALL
                       SELECT o FROM uuidx_migrate_steps.obstacles_of_updates(m, looked_up) AS o);
    ELSE
        found := ARRAY(SELECT o FROM uuidx_migrate_steps.obstacles(m) AS o);
        IF mode = 'offline' THEN
            found := found || ARRAY(SELECT o FROM uuidx_migrate_steps.obstacles_offline(m) AS o);
        ELSIF mode = 'online' THEN
            found := found || ARRAY(SELECT o FROM uuidx_migrate_steps.obstacles_online(m) AS o);
        END IF;
    END IF;
    RETURN (SELECT string_agg(DISTINCT format(E'%s: %s', o.what, o.hint) COLLATE "C", E'\n') FROM unnest(found) AS o);
END
$$;

-- An error that lists what stands in the way of migrations, if anything does.
CREATE OR REPLACE FUNCTION check_obstacles(ms migration[], mode text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    m uuidx_migrate_steps.migration;
    list text;
BEGIN
    FOREACH m IN ARRAY ms LOOP
        list := uuidx_migrate_steps.obstacle_list(m, mode);
        IF list IS NOT NULL THEN
            PERFORM uuidx_migrate_steps.raise('55000',
                format('column "%s" of table %s cannot be migrated as it stands', m.column_name, m.relation),
                E'In the way are:\n' || list, 'The lines of the detail say what to do about each.');
        END IF;
    END LOOP;
END
$$;
