-- Online, the conversion to version 7: the indexes by which keys are looked up, and the foreign keys that prove the
-- references.

CREATE OR REPLACE FUNCTION key_index(m migration, phase text, suffix text, columns text) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT phase, format('ACCESS EXCLUSIVE on %s, briefly, if a build was interrupted', (m).relation),
           call_locked(m, ARRAY[(m).relation], format('EXISTS (SELECT FROM pg_catalog.pg_index WHERE indexrelid = pg_catalog.to_regclass(%s) AND NOT indisvalid)',
                                                   typed(key_object(m, suffix), 'text')),
                       ARRAY[format('DROP INDEX %s', key_object(m, suffix))])
    UNION ALL
    SELECT phase, format('SHARE UPDATE EXCLUSIVE on %s', (m).relation),
           format('CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS %I ON %s %s', key_object_name(m, suffix), (m).relation,
                  format(columns, (m).column_name, shadow_name((m).column_name)));
END;
COMMENT ON FUNCTION key_index(migration, text, text, text) IS
'steps that build an index of a key and its shadow';

-- Building an index concurrently also waits for all older snapshots. From then on, each snapshot sees one new key for each
-- row, and it is always the same. The proof references this index.
CREATE OR REPLACE FUNCTION pair_index(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT i.* FROM key_index(m, 'key', 'pair', '(%I, %I)') AS i;
END;
COMMENT ON FUNCTION pair_index(migration) IS
'steps that build the index from which the new keys are unchanging';

-- After the exchange, this index keeps the former key unique, and finds it. A foreign key references no partial index.
CREATE OR REPLACE FUNCTION alias_index(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT i.* FROM key_index(m, 'proof', ((m).conversion).name, '(%1$I) INCLUDE (%2$I) WHERE %1$I IS NOT NULL') AS i;
END;
COMMENT ON FUNCTION alias_index(migration) IS
'steps that build the index of the key as it is before the exchange';

-- As sound as any foreign key. Before PostgreSQL 18, a partitioned table cannot have one that is NOT VALID: its partitions
-- get it, and then it attaches them.
CREATE OR REPLACE FUNCTION proof_steps(m migration) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    c uuidx_migrate.moved_column;
    member regclass;
    definition text;
BEGIN
    FOR c IN SELECT p.* FROM uuidx_migrate.proved_columns(m) AS p LOOP
        definition := format('FOREIGN KEY (%I, %I) REFERENCES %s (%I, %I) DEFERRABLE INITIALLY DEFERRED',
                             c.name, c.shadow, m.relation, m.column_name, uuidx_migrate.shadow_name(m.column_name));
        FOREACH member IN ARRAY uuidx_migrate.tables_of(c.root) LOOP
            RETURN QUERY
                SELECT 'proof', a.locks, a.sql
                FROM uuidx_migrate.add_constraint(m, uuidx_migrate.key_relations(member, m.relation), 'SHARE ROW EXCLUSIVE', uuidx_migrate.proof_name(c.name), definition || ' NOT VALID') AS a;
            RETURN QUERY
                SELECT 'proof', uuidx_migrate.validation_locks(member, m.relation),
                       uuidx_migrate.call_validate(m, member, uuidx_migrate.proof_name(c.name));
        END LOOP;
        RETURN QUERY
            SELECT 'proof', a.locks, a.sql
            FROM uuidx_migrate.add_constraint(m, uuidx_migrate.key_relations(c.root, m.relation), 'SHARE ROW EXCLUSIVE', uuidx_migrate.proof_name(c.name), definition) AS a
            WHERE uuidx_migrate.is_partitioned(c.root);
    END LOOP;
END
$$;
COMMENT ON FUNCTION proof_steps(migration) IS
'steps that prove by foreign keys that each reference has the shadow of its key';

CREATE OR REPLACE FUNCTION check_proof(relation regclass, column_name name) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conrelid = relation AND k.conname = uuidx_migrate.proof_name(column_name) AND k.contype = 'f' AND k.convalidated) THEN
        RAISE EXCEPTION 'the shadow of column "%" of table % is not proved', column_name, relation USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_proof(regclass, name) IS
'an error unless a foreign key proves the shadow of a referencing column';

-- Whoever may create relations in the schema may have taken the name, and then IF NOT EXISTS builds no index.
CREATE OR REPLACE FUNCTION check_index(relation regclass, index name) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid = relation AND c.relname = index AND i.indisvalid) THEN
        RAISE EXCEPTION 'table % has no valid index "%"', relation, index USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Rename any other relation that has this name, and run the script from the top.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_index(regclass, name) IS
'an error unless a table has a valid index with this name';

CREATE OR REPLACE FUNCTION proof_checks(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate.check_proof(%s, %s)', typed(c.root::text, 'regclass'), typed(c.name, 'name'))
    FROM proved_columns(m) AS c
    UNION ALL
    SELECT format('SELECT uuidx_migrate.check_index(%s, %s)', typed((m).relation::text, 'regclass'), typed(key_object_name(m, ((m).conversion).name), 'name'));
END;
COMMENT ON FUNCTION proof_checks(migration) IS
'statements that check what proof_steps has done';

CREATE OR REPLACE FUNCTION drop_proof(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', c.root, proof_name(c.name)) FROM proved_columns(m) AS c
    UNION ALL
    SELECT format('DROP INDEX %s', key_object(m, 'pair'));
END;
COMMENT ON FUNCTION drop_proof(migration) IS
'statements of the exchange that drop what proof_steps has made';
