-- Online, the exchange: in one short transaction, the shadow columns take the names and the place of the columns.

CREATE OR REPLACE FUNCTION constant_defaults(m migration, mode text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate_steps.convert_default(%s, %s, %s, %s, %s)', typed(c.member::text, 'regclass'), typed(c.name, 'name'), typed(k.keys, 'regclass'),
                  typed(k.from_column, 'name'), typed(k.to_column, 'name'))
    FROM unnest((m).columns) AS c JOIN pg_attrdef AS d ON d.adrelid = c.member AND d.adnum = c.attnum,
         (VALUES ('online', NULL, (m).relation::text, shadow_name((m).column_name), (m).column_name),
                 ('offline', false, key_object(m, 'former'), 'former_key', 'key'),
                 ('offline', true, key_object(m, 'former'), 'key', 'former_key')) AS k (mode, undoes, keys, from_column, to_column)
    WHERE constant_key(pg_get_expr(d.adbin, d.adrelid)) IS NOT NULL AND k.mode = constant_defaults.mode
      AND coalesce(k.undoes, ((m).conversion).only_undoes) = ((m).conversion).only_undoes
    ORDER BY c.member::text COLLATE "C", c.name;
END;
COMMENT ON FUNCTION constant_defaults(migration, text) IS
'statements that convert the keys that are defaults';

-- The former default stays on the old column, in a form that is never evaluated. From PostgreSQL 18 on, NOT NULL is a
-- constraint with a name.
CREATE OR REPLACE FUNCTION exchange_properties(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    (SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s, ALTER COLUMN %I %s', d.member, d.name, coalesce(d.new_default, d.old_default), d.shadow,
                  CASE WHEN d.new_default IS NULL OR changes_type((m).conversion) AND NOT is_kept_default(d.old_default) THEN 'DROP DEFAULT'
                       ELSE 'SET DEFAULT ' || unused_default(d.old_default) END)
    FROM new_defaults(m) AS d ORDER BY d.member::text COLLATE "C", d.name)
    UNION ALL
    -- A partition may have NOT NULL of its own. From PostgreSQL 18 on, its primary key makes NOT NULL its own.
    (SELECT format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', c.member, c.shadow)
     FROM unnest((m).columns) AS c JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum
     JOIN pg_attribute AS r ON r.attrelid = c.root AND r.attname = c.name
     LEFT JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum]
     WHERE a.attnotnull AND (c.member = c.root OR NOT r.attnotnull OR n.conislocal) ORDER BY c.level, c.member::text COLLATE "C", c.name)
    UNION ALL
    (SELECT CASE WHEN n.conname IS NULL THEN format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', c.member, c.name)
                ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.member, n.conname, pg_get_constraintdef(n.oid)) END
    FROM unnest((m).columns) AS c
    JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum
    JOIN pg_attribute AS r ON r.attrelid = c.root AND r.attname = c.name
    LEFT JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum]
    WHERE a.attnotnull AND NOT (r.attnotnull AND c.member <> c.root) ORDER BY c.level, c.member::text COLLATE "C", c.name)
    UNION ALL
    SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', n.conname, c.member, obj_description(n.oid, 'pg_constraint'))
    FROM unnest((m).columns) AS c JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum]
    WHERE c.member = c.root AND obj_description(n.oid, 'pg_constraint') IS NOT NULL;
END;
COMMENT ON FUNCTION exchange_properties(migration) IS
'statements that give shadow columns the defaults and NOT NULL of the columns';

-- The constraint of a partitioned table attaches those of its partitions, so theirs are first.
CREATE OR REPLACE FUNCTION exchange_indexes(m migration) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    i record;
BEGIN
    FOR i IN
        SELECT u.*, x.indisclustered, x.indisreplident, obj_description(u.key, 'pg_constraint') AS key_comment, pg_get_constraintdef(u.key) AS definition,
               uuidx_migrate_steps.shadow_name(u.name) AS shadow
        FROM uuidx_migrate_steps.migrated_indexes(m.columns) AS u JOIN pg_index AS x ON x.indexrelid = u.index
        ORDER BY u.level DESC
    LOOP
        IF i.key IS NULL THEN
            RETURN NEXT format('ALTER INDEX %s.%I RENAME TO %I', i.schema, i.shadow, i.name);
        ELSIF i.is_partitioned THEN
            RETURN NEXT format('ALTER TABLE %s ADD CONSTRAINT %I %s', i.member, i.name, i.definition);
        ELSE
            RETURN NEXT format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I', i.member, i.name,
                               CASE i.constraint_type WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, i.shadow);
        END IF;
        RETURN QUERY
            SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', i.name, i.member, i.key_comment) WHERE i.key_comment IS NOT NULL;
        RETURN QUERY
            SELECT p FROM uuidx_migrate_steps.index_properties(i.index, i.index::text) AS p WHERE i.is_partitioned AND i.key IS NOT NULL;
        RETURN QUERY SELECT format('ALTER TABLE %s CLUSTER ON %I', i.member, i.name) WHERE i.indisclustered;
        RETURN QUERY SELECT format('ALTER TABLE ONLY %s REPLICA IDENTITY USING INDEX %I', i.member, i.name) WHERE i.indisreplident;
    END LOOP;
    -- This renames the columns of the partitions' indexes too, but not those of a key: theirs are new.
    RETURN QUERY
        SELECT format('SELECT uuidx_migrate_steps.rename_index_columns(%s)', uuidx_migrate_steps.typed(u.index::text, 'regclass'))
        FROM uuidx_migrate_steps.migrated_indexes(m.columns) AS u
        WHERE u.key IS NOT NULL OR NOT EXISTS (SELECT FROM pg_inherits AS h WHERE h.inhrelid = u.index)
        ORDER BY u.level;
END
$$;
COMMENT ON FUNCTION exchange_indexes(migration) IS
'statements that put the indexes of the shadow columns in the place of those of the columns';

CREATE OR REPLACE FUNCTION exchange_matviews(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT r.sql
    FROM unnest((m).dependents) AS d
    JOIN pg_class AS c ON c.oid = d.relation,
    LATERAL (SELECT format('ALTER MATERIALIZED VIEW %s.%I RENAME TO %I', c.relnamespace::regnamespace, shadow_name(c.relname), c.relname)
             UNION ALL
             SELECT format('ALTER INDEX %s.%I RENAME TO %I', x.relnamespace::regnamespace, shadow_name(x.relname), x.relname)
             FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid WHERE i.indrelid = c.oid
             UNION ALL
             SELECT format('ALTER STATISTICS %s.%I RENAME TO %I', s.stxnamespace::regnamespace, shadow_name(s.stxname), s.stxname)
             FROM pg_statistic_ext AS s WHERE s.stxrelid = c.oid) AS r (sql)
    WHERE d.kind = 'materialized view';
END;
COMMENT ON FUNCTION exchange_matviews(migration) IS
'statements that give the materialized views on the shadow columns the names of the others, which are dropped by then';

-- The index of a partitioned table's key comes with the exchange, so a foreign key to it comes then, and is validated
-- afterwards.
CREATE OR REPLACE FUNCTION exchange_foreign_key(f migrated_foreign_key) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN is_partitioned((f).referenced)
                THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', (f).referencing, (f).name, (f).definition, CASE WHEN (f).validated THEN ' NOT VALID' END)
                ELSE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', k.member,
                            shadow_name(CASE WHEN k.is_partitioned THEN (f).name ELSE k.name END), k.name) END
    FROM foreign_key_members(f) AS k
    WHERE NOT is_partitioned((f).referenced) OR k.member = (f).referencing
    UNION ALL
    SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', (f).name, (f).referencing, (f).comment) WHERE (f).comment IS NOT NULL;
END;
COMMENT ON FUNCTION exchange_foreign_key(migrated_foreign_key) IS
'statements that put a foreign key of the shadow columns in the place of that of the columns';

CREATE OR REPLACE FUNCTION exchange_statements(m migration) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT uuidx_migrate_steps.call_note_called(m);
    RETURN QUERY SELECT 'SET LOCAL check_function_bodies = off' WHERE cardinality(m.dependents) > 0;
    RETURN QUERY SELECT d FROM uuidx_migrate_steps.drop_proof(m) AS d WHERE uuidx_migrate_steps.is_looked_up(m.conversion);
    -- The names and numbers of columns change under the others: they only get their definitions again.
    RETURN QUERY
        SELECT s FROM unnest(m.dependents) WITH ORDINALITY AS d, unnest(d.detach) AS s
        WHERE d.kind IN ('materialized view', 'trigger', 'generated column') OR d.depth > 0 OR d.keeps_key
           OR EXISTS (SELECT FROM unnest(m.dependents) AS g WHERE g.kind = 'generated column') ORDER BY d.ordinality DESC;
    RETURN QUERY SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', f.referencing, f.name) FROM unnest(m.foreign_keys) AS f;
    -- The columns of a replica identity must be NOT NULL.
    RETURN QUERY
        SELECT format('ALTER TABLE ONLY %s REPLICA IDENTITY NOTHING', i.member)
        FROM uuidx_migrate_steps.migrated_indexes(m.columns) AS i JOIN pg_index AS x ON x.indexrelid = i.index WHERE x.indisreplident;
    RETURN QUERY
        SELECT CASE WHEN i.key IS NULL THEN format('DROP INDEX %s', i.index) ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', i.member, i.name) END
        FROM uuidx_migrate_steps.migrated_indexes(m.columns) AS i
        WHERE CASE WHEN i.key IS NULL THEN NOT EXISTS (SELECT FROM pg_inherits AS h WHERE h.inhrelid = i.index) ELSE i.constraint_parent = 0 END;
    RETURN QUERY SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.member, k.name) FROM uuidx_migrate_steps.migrated_checks(m.columns) AS k;
    RETURN QUERY SELECT format('DROP STATISTICS %s.%I', o.schema, o.name) FROM uuidx_migrate_steps.migrated_statistics(m.columns) AS o;
    RETURN QUERY SELECT e FROM uuidx_migrate_steps.exchange_all_names(m) AS e;
    RETURN QUERY SELECT e FROM uuidx_migrate_steps.exchange_properties(m) AS e;
    RETURN QUERY SELECT d FROM uuidx_migrate_steps.constant_defaults(m, 'online') AS d WHERE uuidx_migrate_steps.is_looked_up(m.conversion);
    RETURN QUERY SELECT e FROM uuidx_migrate_steps.exchange_indexes(m) AS e;
    RETURN QUERY
        SELECT s FROM uuidx_migrate_steps.migrated_checks(m.columns) AS k,
             LATERAL (SELECT format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', k.member, k.shadow, k.name)
                      UNION ALL
                      SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', k.name, k.member, k.comment) WHERE k.comment IS NOT NULL) AS s (s);
    RETURN QUERY
        SELECT format('ALTER STATISTICS %s.%I RENAME TO %I', o.schema, uuidx_migrate_steps.shadow_name(o.name), o.name)
        FROM uuidx_migrate_steps.migrated_statistics(m.columns) AS o;
    RETURN QUERY SELECT e FROM unnest(m.foreign_keys) AS f, LATERAL uuidx_migrate_steps.exchange_foreign_key(f) AS e;
    RETURN QUERY SELECT e FROM uuidx_migrate_steps.exchange_matviews(m) AS e;
    RETURN QUERY
        SELECT s
        FROM unnest(m.dependents) WITH ORDINALITY AS d,
             LATERAL unnest(CASE WHEN d.clause IS NOT NULL THEN ARRAY[format('ALTER TABLE %s %s', d.relation, d.clause)] END || d.restore) WITH ORDINALITY AS s (s, n)
        WHERE d.kind <> 'materialized view' ORDER BY d.ordinality, s.n;
    RETURN QUERY SELECT uuidx_migrate_steps.call_check_called(m);
    RETURN QUERY
        SELECT format('SELECT uuidx_migrate_steps.check_unread(%s, %s::pg_catalog.name[])',
                      uuidx_migrate_steps.relation_list(array_agg(c.root)), quote_literal(array_agg(c.name)))
        FROM unnest(m.columns) AS c WHERE c.member = c.root;
END
$$;
COMMENT ON FUNCTION exchange_statements(migration) IS
'the statements, in order, that put the shadow columns in the place of the columns';

CREATE OR REPLACE FUNCTION exchange_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'exchange', 'ACCESS EXCLUSIVE on all tables and on what reads the columns, briefly',
           call_locked(m, affected_relations(m), is_before_exchange(m),
                       ARRAY(SELECT e FROM exchange_statements(m) WITH ORDINALITY AS e (e, n) ORDER BY n),
                       concat_ws(E';\n', call_check_script(m, 'online', script_fingerprint(m, 'online')),
                                 (SELECT string_agg(p, E';\n') FROM proof_checks(m) AS p WHERE is_looked_up((m).conversion)),
                                 (SELECT string_agg(format('SELECT uuidx_migrate_steps.check_shadows(%s, %s, %s)', typed(c.root::text, 'regclass'),
                                                           typed(c.name, 'name'), typed(c.shadow, 'name')), E';\n')
                                  FROM unnest((m).columns) AS c WHERE c.member = c.root),
                                 (SELECT string_agg(format('SELECT uuidx_migrate_steps.check_validated(%s, %s, %s)', typed(v.relation::text, 'regclass'),
                                                           typed(v.name, 'name'), typed(v.shadow, 'name')), E';\n')
                                  FROM (SELECT f.referencing AS relation, f.name, shadow_name(f.name) AS shadow FROM unnest((m).foreign_keys) AS f
                                        WHERE NOT is_partitioned(f.referenced)
                                        UNION ALL
                                        SELECT k.member, k.name, k.shadow FROM migrated_checks((m).columns) AS k) AS v),
                                 (SELECT string_agg(format('SELECT uuidx_migrate_steps.check_populated(%s, %s)', typed(d.relation::text, 'regclass'),
                                                           typed(format('%s.%I', c.relnamespace::regnamespace, shadow_name(c.relname)), 'regclass')), E';\n')
                                  FROM unnest((m).dependents) AS d JOIN pg_class AS c ON c.oid = d.relation WHERE d.kind = 'materialized view')));
END;
COMMENT ON FUNCTION exchange_steps(migration) IS
'part of script: the exchange';
