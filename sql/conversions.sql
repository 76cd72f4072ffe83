-- The conversions: what one function says of each is complete, and what undoes what
SELECT name, undo, only_undoes, old_types, new_types, version, value, new_generator FROM uuidx_migrate_steps.conversions();
SELECT name, is_looked_up, makes_keys, reads_times, keeps_former, changes_type, reads_texts FROM uuidx_migrate_steps.conversions();

-- Each is undone by one that it undoes, and that has its types the other way round.
SELECT c.name, (u.undo, u.old_types, u.new_types) = (c.name, c.new_types, c.old_types) AS is_undone
FROM uuidx_migrate_steps.conversions() AS c LEFT JOIN uuidx_migrate_steps.conversions() AS u ON u.name = c.undo;

-- What they call is there.
SELECT c.name, call
FROM uuidx_migrate_steps.conversions() AS c, unnest(ARRAY[c.value, c.key_trigger[1], c.reference_trigger[1], c.key_value, 'uuidx_migrate_steps.' || c.pending,
                                                                'public.' || c.new_generator]) AS call,
     LATERAL parse_ident(substring(call FROM E'^[\\w.]+')) AS n (names)
WHERE call IS NOT NULL AND NOT EXISTS (SELECT FROM pg_proc AS p WHERE p.pronamespace = to_regnamespace(n.names[1]) AND p.proname = n.names[2]);

-- fill() in C knows the conversions that it is called with by their names, and no other.
CREATE TABLE filled (id uuid, id_shadow uuid);
CREATE FUNCTION is_known(trigger_call text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'CREATE OR REPLACE TRIGGER filled BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION ' || trigger_call;
    INSERT INTO filled (id) VALUES ('1ec9414c-232a-6b00-b3c8-9f6bdeced846');
    RETURN true;
EXCEPTION
    WHEN invalid_parameter_value THEN RETURN false;
    WHEN object_not_in_prerequisite_state THEN RETURN true; -- Nothing confirms the arguments.
END $$;
SELECT n.name, is_known(format('%s(id, id_shadow, %L, keep, id)', c.key_trigger[1], n.name))
FROM uuidx_migrate_steps.conversions() AS c, unnest(ARRAY[c.name, 'none']) AS n (name)
WHERE c.key_trigger[1] = 'uuidx_migrate_steps.fill' ORDER BY c.name, n.name;

DROP TABLE filled;
DROP FUNCTION is_known(text);
