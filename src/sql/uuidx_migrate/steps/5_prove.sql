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

CREATE OR REPLACE FUNCTION stage_steps(m migration, stage migrated_column[]) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.* FROM pair_index(m) AS s
    WHERE is_looked_up((m).conversion) AND EXISTS (SELECT FROM unnest(stage) AS c WHERE is_key(m, (c.root, c.member, c.level, c.attnum, c.name, c.shadow)));
END;
COMMENT ON FUNCTION stage_steps(migration, migrated_column[]) IS
'part of script: the steps before the next stage';

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
    c uuidx_migrate_steps.migrated_column;
    member regclass;
    definition text;
BEGIN
    FOR c IN SELECT p.* FROM uuidx_migrate_steps.proved_columns(m) AS p LOOP
        definition := format('FOREIGN KEY (%I, %I) REFERENCES %s (%I, %I) DEFERRABLE INITIALLY DEFERRED',
                             c.name, c.shadow, m.relation, m.column_name, uuidx_migrate_steps.shadow_name(m.column_name));
        FOREACH member IN ARRAY uuidx_migrate_steps.tables_of(c.root) LOOP
            RETURN QUERY
                SELECT 'proof', a.locks, a.sql
                FROM uuidx_migrate_steps.add_constraint(m, uuidx_migrate_steps.key_relations(member, m.relation), 'SHARE ROW EXCLUSIVE', uuidx_migrate_steps.proof_name(c.name), definition || ' NOT VALID') AS a;
            RETURN QUERY
                SELECT 'proof', uuidx_migrate_steps.validation_locks(member, m.relation),
                       uuidx_migrate_steps.call_validate(m, member, uuidx_migrate_steps.proof_name(c.name));
        END LOOP;
        RETURN QUERY
            SELECT 'proof', a.locks, a.sql
            FROM uuidx_migrate_steps.add_constraint(m, uuidx_migrate_steps.key_relations(c.root, m.relation), 'SHARE ROW EXCLUSIVE', uuidx_migrate_steps.proof_name(c.name), definition) AS a
            WHERE uuidx_migrate_steps.is_partitioned(c.root);
    END LOOP;
END
$$;
COMMENT ON FUNCTION proof_steps(migration) IS
'steps that prove by foreign keys that each reference has the shadow of its key';

CREATE OR REPLACE FUNCTION proof_checks(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate_steps.check_proof(%s, %s)', typed(c.root::text, 'regclass'), typed(c.name, 'name'))
    FROM proved_columns(m) AS c
    UNION ALL
    SELECT format('SELECT uuidx_migrate_steps.check_index(%s, %s)', typed((m).relation::text, 'regclass'), typed(key_object_name(m, ((m).conversion).name), 'name'));
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

CREATE OR REPLACE FUNCTION prove_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.* FROM proof_steps(m) AS s WHERE is_looked_up((m).conversion)
    UNION ALL
    SELECT s.* FROM alias_index(m) AS s WHERE is_looked_up((m).conversion);
END;
COMMENT ON FUNCTION prove_steps(migration) IS
'part of script: has PostgreSQL prove what no single row shows';
