-- Columns that hold keys of a table although no foreign key connects them with it.

CREATE OR REPLACE FUNCTION find_references(relation regclass, column_name name)
RETURNS TABLE (referencing regclass, referencing_column name, type text, sampled bigint, keys bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    enough_keys CONSTANT integer := 10;  -- for a name that may mean another table
    key_table CONSTANT regclass := uuidx_migrate_steps.root(relation);
    candidate uuidx_migrate_steps.reference_candidate;
    different bigint;
BEGIN
    PERFORM uuidx_migrate_steps.check_column(relation, column_name, uuidx_migrate_steps.migratable_types());
    IF (SELECT c.relkind NOT IN ('r', 'p') FROM pg_class AS c WHERE c.oid = relation) THEN
        PERFORM uuidx_migrate_steps.raise('42809', format('%s is not a table', relation));
    END IF;
    IF NOT has_column_privilege(key_table, column_name, 'SELECT') OR row_security_active(key_table) THEN
        PERFORM uuidx_migrate_steps.raise('42501',
            format('you may not read all values in column "%s" of table %s', column_name, key_table));
    END IF;
    FOR candidate IN
        SELECT c.* FROM uuidx_migrate_steps.reference_candidates(key_table, column_name) AS c
    LOOP
        BEGIN
            SELECT s.sampled, s.keys, s.different INTO sampled, keys, different
            FROM uuidx_migrate_steps.sampled_keys(key_table, column_name, candidate) AS s;
        EXCEPTION WHEN wrong_object_type OR undefined_table OR lock_not_available THEN
            RAISE WARNING 'could not sample column "%" of table %: %', candidate.name, candidate.source, SQLERRM;
            CONTINUE;
        END;
        -- Without a foreign key, some rows may be left of keys that are gone.
        IF keys > 0 AND (NOT candidate.is_guess OR keys >= 0.9 * sampled AND different >= enough_keys) THEN
            referencing := candidate.source;
            referencing_column := candidate.name;
            type := candidate.type_name;
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION find_references(regclass, name) IS
'the columns of this database that hold keys of a table without a foreign key: '
'how many of the sampled values are or contain one';
