-- Online, the next step: on the shadow columns, build what the columns have: indexes, constraints, statistics, foreign
-- keys and materialized views.

-- Others write to the table that is referenced first, so it is locked first: who waits for it holds no lock on the other.
CREATE OR REPLACE FUNCTION add_constraint(m migration, relations regclass[], mode text, name name, definition text) RETURNS statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'index', format('%s on %s, briefly', mode, array_to_string(relations, ', ')),
           call_locked(m, ARRAY(SELECT r FROM unnest(relations) WITH ORDINALITY AS r (r, n) ORDER BY n DESC), format('%s AND NOT uuidx_migrate_steps.has_constraint(%s, %s)', is_before_exchange(m), typed(relations[1]::text, 'regclass'),
                                         typed(name, 'name')),
                       ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s', relations[1], name, definition)], mode => mode);
END;
COMMENT ON FUNCTION add_constraint(migration, regclass[], text, name, text) IS
'step that adds a constraint to the first of some relations, unless it is there';

-- Before PostgreSQL 18, a partitioned table cannot have a foreign key that is NOT VALID: its partitions get it, and then it
-- attaches them.
CREATE OR REPLACE FUNCTION foreign_key_steps(m migration, f migrated_foreign_key) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT a.*
    FROM foreign_key_members(f) AS k,
         LATERAL add_constraint(m, key_relations(k.member, (f).referenced), 'SHARE ROW EXCLUSIVE', shadow_name(k.name),
                                concat((f).shadow_definition, CASE WHEN (f).validated THEN ' NOT VALID' END)) AS a
    WHERE NOT k.is_partitioned
    UNION ALL
    SELECT 'index', validation_locks(k.member, (f).referenced),
           call_validate(m, k.member, shadow_name(k.name))
    FROM foreign_key_members(f) AS k WHERE NOT k.is_partitioned AND (f).validated
    UNION ALL
    SELECT a.*
    FROM add_constraint(m, key_relations((f).referencing, (f).referenced), 'SHARE ROW EXCLUSIVE', shadow_name((f).name), (f).shadow_definition) AS a
    WHERE is_partitioned((f).referencing);
END;
COMMENT ON FUNCTION foreign_key_steps(migration, migrated_foreign_key) IS
'steps that add a foreign key on the shadow columns and validate it';

-- An interrupted build leaves an invalid index.
CREATE OR REPLACE FUNCTION index_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT i.*, shadow_name(i.name) AS shadow, format('%s.%I', i.schema, shadow_name(i.name)) AS shadow_index
        FROM migrated_indexes((m).columns) AS i
    )
    SELECT s.phase, s.locks, s.sql
    FROM indexes AS i
    CROSS JOIN LATERAL (
        SELECT 1, 'index', format('ACCESS EXCLUSIVE on %s, briefly, if a build was interrupted', i.member),
               call_locked(m, ARRAY[i.member],
                   format('EXISTS (SELECT FROM pg_catalog.pg_index WHERE indexrelid = %s AND NOT indisvalid)', format('pg_catalog.to_regclass(%s)', typed(i.shadow_index, 'text'))),
                   ARRAY[format('DROP INDEX %s', i.shadow_index)])
        WHERE NOT i.is_partitioned
        UNION ALL
        SELECT 2, 'index', format('SHARE UPDATE EXCLUSIVE on %s', i.member),
               index_definition(i.index, 'CONCURRENTLY IF NOT EXISTS ', i.shadow, i.member::text, (m).columns)
        WHERE NOT i.is_partitioned
        UNION ALL
        SELECT 3, 'index', format('SHARE UPDATE EXCLUSIVE on %s', i.member), p FROM index_properties(i.index, i.shadow_index) AS p
        WHERE NOT i.is_partitioned
        -- The index of a partitioned table attaches those of its partitions. A constraint that is added later could not
        -- attach them then: leave them for it.
        UNION ALL
        SELECT 4, 'index', format('SHARE on %s, briefly', i.member),
               call_locked(m, ARRAY[i.member], format('%s AND pg_catalog.to_regclass(%s) IS NULL', is_before_exchange(m), typed(i.shadow_index, 'text')),
                           index_definition(i.index, '', i.shadow, i.member::text, (m).columns)
                           || ARRAY(SELECT p FROM index_properties(i.index, i.shadow_index) AS p), mode => 'SHARE')
        WHERE i.is_partitioned AND i.key IS NULL
    ) AS s (n, phase, locks, sql)
    ORDER BY s.n = 4, CASE s.n WHEN 4 THEN -i.level END, i.shadow_index COLLATE "C", s.n;
END;
COMMENT ON FUNCTION index_steps(migration) IS
'steps that build the indexes of the shadow columns';

-- The names of columns, exchanged with those of their shadows.
CREATE OR REPLACE FUNCTION exchange_names(relation regclass, name name, shadow name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s RENAME COLUMN %I TO %I', relation, n.old, n.new)
    FROM (SELECT 'exchange_' || md5(name)) AS t (between),
         LATERAL (VALUES (1, name, t.between), (2, shadow, name), (3, t.between, shadow)) AS n (part, old, new)
    ORDER BY n.part;
END;
COMMENT ON FUNCTION exchange_names(regclass, name, name) IS
'three statements that give a column the name of its shadow, and the shadow that of the column';

CREATE OR REPLACE FUNCTION exchange_all_names(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT e.sql FROM unnest((m).columns) WITH ORDINALITY AS c, LATERAL exchange_names(c.root, c.name, c.shadow) WITH ORDINALITY AS e (sql, n)
    WHERE c.member = c.root ORDER BY c.ordinality, e.n;
END;
COMMENT ON FUNCTION exchange_all_names(migration) IS
'statements that exchange the names of all columns that move with those of their shadows';

-- A definition is bound to the numbers of columns. While the names are exchanged, for a moment, its own text makes it one
-- on the shadow columns.
CREATE OR REPLACE FUNCTION matview_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH views AS MATERIALIZED (
        SELECT d.relation, format('%s.%I', c.relnamespace::regnamespace, shadow_name(c.relname)) AS shadow, c.relispopulated
        FROM unnest((m).dependents) AS d JOIN pg_class AS c ON c.oid = d.relation WHERE d.kind = 'materialized view'
    )
    SELECT 'index', 'ACCESS EXCLUSIVE on all tables, briefly',
           call_locked(m, tables(m), is_before_exchange(m),
                       format('DROP MATERIALIZED VIEW IF EXISTS %s', v.shadow) || ARRAY(SELECT exchange_all_names(m))
                       || ARRAY(SELECT s FROM matview_statements(v.relation, true) WITH ORDINALITY AS s (s, n) ORDER BY n)
                       || ARRAY(SELECT exchange_all_names(m)))
    FROM views AS v
    UNION ALL
    SELECT 'index', format('ACCESS EXCLUSIVE on %s', v.shadow),
           call_locked(m, '{}', format('pg_catalog.to_regclass(%s) IS NOT NULL', typed(v.shadow, 'text')), ARRAY[format('REFRESH MATERIALIZED VIEW %s', v.shadow)])
    FROM views AS v WHERE v.relispopulated;
END;
COMMENT ON FUNCTION matview_steps(migration) IS
'steps that build materialized views on the shadow columns';

CREATE OR REPLACE FUNCTION build_steps(m migration) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    has_expressions boolean := EXISTS (SELECT FROM uuidx_migrate_steps.migrated_indexes(m.columns) AS i JOIN pg_index AS x ON x.indexrelid = i.index
                                       WHERE x.indexprs IS NOT NULL OR x.indpred IS NOT NULL)
                               OR EXISTS (SELECT FROM uuidx_migrate_steps.migrated_statistics(m.columns) AS o JOIN pg_statistic_ext AS s ON s.oid = o.statistics
                                          WHERE s.stxexprs IS NOT NULL);
BEGIN
    -- Only an expression names functions and operators without their schema, pg_catalog. CREATE INDEX CONCURRENTLY can be in no
    -- transaction, for which this could be set.
    RETURN QUERY SELECT 'index', 'none', uuidx_migrate_steps.set_search_path(false) WHERE has_expressions;
    RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.index_steps(m) AS s;
    RETURN QUERY
        SELECT 'index', format('SHARE UPDATE EXCLUSIVE on %s', o.member), d
        FROM uuidx_migrate_steps.migrated_statistics(m.columns) AS o,
             LATERAL uuidx_migrate_steps.statistics_definition(o.statistics, 'IF NOT EXISTS ', uuidx_migrate_steps.shadow_name(o.name), o.member::text, m.columns) AS d;
    RETURN QUERY SELECT 'index', 'none', uuidx_migrate_steps.reset_search_path(false) WHERE has_expressions;
    RETURN QUERY
        SELECT a.* FROM uuidx_migrate_steps.migrated_checks(m.columns) AS k,
                        LATERAL uuidx_migrate_steps.add_constraint(m, ARRAY[k.member], 'ACCESS EXCLUSIVE', k.shadow, k.definition || ' NOT VALID') AS a;
    RETURN QUERY
        SELECT 'index', format('SHARE UPDATE EXCLUSIVE on %s', k.member), uuidx_migrate_steps.call_validate(m, k.member, k.shadow)
        FROM uuidx_migrate_steps.migrated_checks(m.columns) AS k WHERE k.validated;
    RETURN QUERY
        SELECT s.* FROM unnest(m.foreign_keys) AS f, LATERAL uuidx_migrate_steps.foreign_key_steps(m, f) AS s
        WHERE NOT uuidx_migrate_steps.is_partitioned(f.referenced);
    RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.matview_steps(m) AS s;
    RETURN QUERY SELECT 'index', format('SHARE UPDATE EXCLUSIVE on %s', t), format('ANALYZE %s', t) FROM unnest(uuidx_migrate_steps.tables(m)) AS t;
END
$$;
COMMENT ON FUNCTION build_steps(migration) IS
'part of script: builds on the shadow columns what the columns have';
