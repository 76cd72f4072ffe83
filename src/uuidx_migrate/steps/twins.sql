-- What is built over the shadow columns, and takes the place of what is over the columns.

-- A statement of a script.
CREATE OR REPLACE FUNCTION step(phase text, locks text, sql text) RETURNS statement
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ROW(phase, locks, sql)::statement;

-- --- Indexes ---

-- Steps that build an index by CREATE INDEX CONCURRENTLY. An interrupted build leaves an invalid index.
CREATE OR REPLACE FUNCTION build_index(
    m migration, relation regclass, phase text, index text, command text, before text DEFAULT NULL
) RETURNS statement[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ARRAY[step(phase, format('ACCESS EXCLUSIVE on %s, briefly, if a build was interrupted', relation),
                  call_locked(m, ARRAY[relation],
                              format('EXISTS (SELECT FROM pg_catalog.pg_index WHERE indexrelid = pg_catalog.to_regclass(%s) AND NOT indisvalid)', typed(index, 'text')),
                              ARRAY[format('DROP INDEX %s', index)]))]
    || ARRAY(SELECT step(phase, 'none', before) WHERE before IS NOT NULL)
    || step(phase, format('SHARE UPDATE EXCLUSIVE on %s', relation), command);

-- Name of the twin of an index. Where the twin of a partitioned table's index has one already in a partition, that is it:
-- the server names those of partitions that are created later.
CREATE OR REPLACE FUNCTION index_twin(index regclass) RETURNS name
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN coalesce(
        (SELECT t.relname
         FROM pg_index AS i JOIN pg_inherits AS h ON h.inhrelid = i.indexrelid
         JOIN pg_class AS parent ON parent.oid = h.inhparent
         JOIN pg_class AS twin ON (twin.relnamespace, twin.relname) = (parent.relnamespace, uuidx_migrate_steps.index_twin(parent.oid::regclass))
         JOIN pg_inherits AS n ON n.inhparent = twin.oid
         JOIN pg_index AS x ON x.indexrelid = n.inhrelid AND x.indrelid = i.indrelid
         JOIN pg_class AS t ON t.oid = x.indexrelid
         WHERE i.indexrelid = index),
        (SELECT uuidx_migrate_steps.shadow_name(c.relname) FROM pg_class AS c WHERE c.oid = index));
END
$$;

-- Part of index_twins: what builds a twin. The index of a partitioned table attaches those of its partitions. A
-- constraint that is added later could not attach them then: leave them for it.
CREATE OR REPLACE FUNCTION index_build(m migration, i migrated_index, twin name) RETURNS statement[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN NOT (i).is_partitioned
                THEN build_index(m, (i).member, 'index', n.qualified,
                                 index_definition((i).index, 'CONCURRENTLY IF NOT EXISTS ', twin, (i).member::text, (m).columns), n.before)
                     || ARRAY(SELECT step('index', format('SHARE UPDATE EXCLUSIVE on %s', (i).member), p) FROM index_properties((i).index, n.qualified) AS p)
                WHEN (i).key IS NULL
                THEN ARRAY[step('index', format('SHARE on %s, briefly', (i).member),
                                call_locked(m, ARRAY[(i).member], format('%s AND pg_catalog.to_regclass(%s) IS NULL', is_before_exchange(m), typed(n.qualified, 'text')),
                                            index_definition((i).index, '', twin, (i).member::text, (m).columns)
                                            || ARRAY(SELECT p FROM index_properties((i).index, n.qualified) AS p),
                                            n.before, 'SHARE'))]
                ELSE '{}' END
    FROM (SELECT format('%s.%I', (i).schema, twin), CASE WHEN has_expression((i).index) THEN call_check_again(m) END)
         AS n (qualified, before);
END;

-- Part of index_twins: what has a twin take the place of its original. The constraint of a partitioned table attaches
-- those of its partitions, and the index of one renames the columns of theirs.
CREATE OR REPLACE FUNCTION index_adopt(i migrated_index, twin name) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT array_remove(
        ARRAY[CASE WHEN (i).key IS NULL THEN format('ALTER INDEX %s.%I RENAME TO %I', (i).schema, twin, (i).name)
                   WHEN (i).is_partitioned THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s', (i).member, (i).name, pg_get_constraintdef((i).key))
                   ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I', (i).member, (i).name,
                               CASE (i).constraint_type WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, twin) END,
              format('COMMENT ON CONSTRAINT %I ON %s IS ', (i).name, (i).member) || quote_literal(obj_description((i).key, 'pg_constraint'))]
        || ARRAY(SELECT p FROM index_properties((i).index, (i).index::text) AS p WHERE (i).is_partitioned AND (i).key IS NOT NULL)
        || ARRAY[CASE WHEN x.indisclustered THEN format('ALTER TABLE %s CLUSTER ON %I', (i).member, (i).name) END,
                 CASE WHEN x.indisreplident THEN format('ALTER TABLE ONLY %s REPLICA IDENTITY USING INDEX %I', (i).member, (i).name) END,
                 CASE WHEN (i).key IS NOT NULL OR NOT is_attached((i).index)
                      THEN format('SELECT uuidx_migrate_steps.rename_index_columns(%s)', typed((i).index::text, 'regclass')) END], NULL)
    FROM pg_index AS x WHERE x.indexrelid = (i).index;
END;

-- Part of twins: indexes, and the constraints that they belong to. Those of partitions come first.
CREATE OR REPLACE FUNCTION index_twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'index', (i.i).member, (i.i).schema, i.twin, index_definition((i.i).index, '', i.twin, (i.i).member::text, (m).columns), true,
           index_build(m, i.i, i.twin),
           array_remove(ARRAY[
               -- The columns of a replica identity must be NOT NULL.
               CASE WHEN x.indisreplident THEN format('ALTER TABLE ONLY %s REPLICA IDENTITY NOTHING', (i.i).member) END,
               CASE WHEN (i.i).key IS NULL AND NOT is_attached((i.i).index) THEN format('DROP INDEX %s', (i.i).index)
                    WHEN (i.i).constraint_parent = 0 THEN format('ALTER TABLE %s DROP CONSTRAINT %I', (i.i).member, (i.i).name) END], NULL),
           index_adopt(i.i, i.twin)
    FROM (SELECT u, index_twin(u.index) FROM unnest((m).indexes) AS u) AS i (i, twin), pg_index AS x
    WHERE x.indexrelid = (i.i).index
    ORDER BY (i.i).is_partitioned, CASE WHEN (i.i).is_partitioned THEN -(i.i).level END, format('%s.%I', (i.i).schema, i.twin) COLLATE "C";
END;

-- Part of twins: extended statistics.
CREATE OR REPLACE FUNCTION statistics_twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'statistics object', s.member, s.schema, shadow_name(s.name),
           (SELECT d FROM statistics_definition(s.statistics, '', shadow_name(s.name), s.member::text, (m).columns) AS d WHERE starts_with(d, 'CREATE')), true,
           ARRAY(SELECT step('index', 'none', call_check_again(m))
                 FROM pg_statistic_ext AS x WHERE x.oid = s.statistics AND x.stxexprs IS NOT NULL)
           || ARRAY(SELECT step('index', format('SHARE UPDATE EXCLUSIVE on %s', s.member), d)
                 FROM statistics_definition(s.statistics, 'IF NOT EXISTS ', shadow_name(s.name), s.member::text, (m).columns) AS d),
           ARRAY[format('DROP STATISTICS %s.%I', s.schema, s.name)],
           ARRAY[format('ALTER STATISTICS %s.%I RENAME TO %I', s.schema, shadow_name(s.name), s.name)]
    FROM unnest((m).statistics) AS s;
END;

-- --- Constraints ---

-- Step that adds a constraint to the first of some relations, unless it is there. Others write to the table that is
-- referenced first, so it is locked first: who waits for it holds no lock on the other.
CREATE OR REPLACE FUNCTION add_constraint(
    m migration, phase text, relations regclass[], mode text, name name, definition text, before text DEFAULT NULL
) RETURNS statement
LANGUAGE sql STABLE PARALLEL SAFE
RETURN step(phase, format('%s on %s, briefly', mode, array_to_string(relations, ', ')),
            call_locked(m, ARRAY(SELECT r FROM unnest(relations) WITH ORDINALITY AS r (r, n) ORDER BY n DESC),
                        format('%s AND NOT uuidx_migrate_steps.has_constraint(%s, %s)', is_before_exchange(m), typed(relations[1]::text, 'regclass'), typed(name, 'name')),
                        ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s', relations[1], name, definition)], before, mode));

-- Step that validates a foreign key of the first of two relations, which references the other.
CREATE OR REPLACE FUNCTION validate_foreign_key(m migration, phase text, relations regclass[], name name) RETURNS statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN step(phase, concat('SHARE UPDATE EXCLUSIVE on ', relations[1], ', ROW SHARE on ' || relations[2]), call_validate(m, relations[1], name));

-- Part of twins: CHECK constraints.
CREATE OR REPLACE FUNCTION check_twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'constraint', k.member, k.member, shadow_name(k.name), k.definition, k.validated,
           add_constraint(m, 'index', ARRAY[k.member], 'ACCESS EXCLUSIVE', shadow_name(k.name), k.definition || ' NOT VALID',
                          call_check_again(m))
           || ARRAY(SELECT step('index', format('SHARE UPDATE EXCLUSIVE on %s', k.member), call_validate(m, k.member, shadow_name(k.name))) WHERE k.validated),
           ARRAY[format('ALTER TABLE %s DROP CONSTRAINT %I', k.member, k.name)],
           array_remove(ARRAY[format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', k.member, shadow_name(k.name), k.name),
                              format('COMMENT ON CONSTRAINT %I ON %s IS ', k.name, k.member) || quote_literal(k.comment)], NULL)
    FROM unnest((m).checks) AS k;
END;

-- Part of twins: foreign keys, those of partitions too. Before PostgreSQL 18, a partitioned table cannot have a
-- foreign key that is NOT VALID: its partitions get it, and then it attaches them. The index of a partitioned
-- table's key comes with the exchange, so a foreign key to it comes then, and is validated afterwards.
CREATE OR REPLACE FUNCTION foreign_key_twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'constraint', k.member, k.member, k.twin, regexp_replace(f.shadow_definition, ' NOT VALID$', ''), f.validated,
           CASE WHEN k.is_late OR k.is_partitioned AND NOT k.is_root THEN '{}'
                WHEN k.is_partitioned THEN ARRAY[add_constraint(m, 'index', k.relations, 'SHARE ROW EXCLUSIVE', k.twin, f.shadow_definition)]
                ELSE add_constraint(m, 'index', k.relations, 'SHARE ROW EXCLUSIVE', k.twin, concat(f.shadow_definition, CASE WHEN f.validated THEN ' NOT VALID' END))
                     || ARRAY(SELECT validate_foreign_key(m, 'index', k.relations, k.twin) WHERE f.validated) END,
           ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.member, k.name) WHERE k.is_root),
           array_remove(ARRAY[CASE WHEN NOT k.is_late THEN format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', k.member, k.twin, k.name)
                                   WHEN k.is_root THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', k.member, k.name, f.definition, CASE WHEN f.validated THEN ' NOT VALID' END) END,
                              CASE WHEN k.is_root THEN format('COMMENT ON CONSTRAINT %I ON %s IS ', k.name, k.member) || quote_literal(f.comment) END], NULL)
    FROM unnest((m).foreign_keys) WITH ORDINALITY AS f,
         LATERAL (SELECT u.*, u.member = f.referencing, is_partitioned(f.referenced), key_relations(u.member, f.referenced),
                         shadow_name(CASE WHEN u.is_partitioned THEN f.name ELSE u.name END)
                  FROM foreign_key_members(f.key) AS u)
         AS k (member, name, is_partitioned, is_root, is_late, relations, twin)
    ORDER BY f.ordinality, k.is_partitioned, k.member::text COLLATE "C";
END;

-- --- Materialized views ---

-- Statements that exchange the names of all columns that are migrated with those of their shadows.
CREATE OR REPLACE FUNCTION exchange_names(m migration) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT format('ALTER TABLE %s RENAME COLUMN %I TO %I', c.root, n.old, n.new)
             FROM unnest((m).columns) WITH ORDINALITY AS c,
                  LATERAL (SELECT 'exchange_' || md5(c.name)) AS t (between),
                  LATERAL (VALUES (1, c.name, t.between), (2, c.shadow, c.name), (3, t.between, c.shadow)) AS n (part, old, new)
             WHERE c.member = c.root
             ORDER BY c.ordinality, n.part);

-- Part of twins: materialized views, with their indexes and statistics. A definition is bound to the numbers of
-- columns. While the names are exchanged, for a moment, its own text makes it one on the shadow columns.
CREATE OR REPLACE FUNCTION matview_twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH views AS MATERIALIZED (
        SELECT d.relation, d.detach, c.relnamespace, c.relname, c.relispopulated, format('%s.%I', c.relnamespace::regnamespace, shadow_name(c.relname)) AS twin
        FROM unnest((m).dependents) AS d, pg_class AS c WHERE c.oid = d.relation AND d.kind = 'materialized view'
    )
    SELECT 'materialized view', v.relation, v.relnamespace, shadow_name(v.relname), NULL, v.relispopulated,
           step('index', 'ACCESS EXCLUSIVE on all tables, briefly',
                call_locked(m, tables(m), is_before_exchange(m),
                            format('DROP MATERIALIZED VIEW IF EXISTS %s', v.twin) || exchange_names(m)
                            || ARRAY(SELECT s FROM view_statements(v.relation, true) WITH ORDINALITY AS s (s, n) ORDER BY n)
                            || exchange_names(m), call_check_again(m)))
           || ARRAY(SELECT step('index', format('ACCESS EXCLUSIVE on %s', v.twin),
                                call_locked(m, '{}', is_before_exchange(m), ARRAY[format('REFRESH MATERIALIZED VIEW %s', v.twin)],
                                            call_check_again(m)))
                    WHERE v.relispopulated),
           v.detach, ARRAY[format('ALTER MATERIALIZED VIEW %s RENAME TO %I', v.twin, v.relname)]
    FROM views AS v
    UNION ALL
    SELECT 'index', v.relation, x.relnamespace, shadow_name(x.relname), NULL, true, '{}', '{}',
           ARRAY[format('ALTER INDEX %s.%I RENAME TO %I', x.relnamespace::regnamespace, shadow_name(x.relname), x.relname)]
    FROM views AS v, pg_index AS i, pg_class AS x WHERE i.indrelid = v.relation AND x.oid = i.indexrelid
    UNION ALL
    SELECT 'statistics object', v.relation, s.stxnamespace, shadow_name(s.stxname), NULL, true, '{}', '{}',
           ARRAY[format('ALTER STATISTICS %s.%I RENAME TO %I', s.stxnamespace::regnamespace, shadow_name(s.stxname), s.stxname)]
    FROM views AS v, pg_statistic_ext AS s WHERE s.stxrelid = v.relation
    ORDER BY 1 DESC, 4;
END;

-- --- Proofs ---

-- Part of twins: the indexes by which keys are looked up. Building an index concurrently also waits for all older
-- snapshots. From then on, each snapshot sees one new key for each row, and it is always the same: values can be
-- looked up by the pair index, which the foreign keys reference that prove them. After the exchange, the other index
-- keeps the former key unique, and finds it. A foreign key references no partial index.
CREATE OR REPLACE FUNCTION key_twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'index', (m).relation, k.relnamespace, key_object_name(m, i.suffix), NULL, true,
           build_index(m, (m).relation, i.phase, key_object(m, i.suffix),
                       format('CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS %I ON %s ', key_object_name(m, i.suffix), (m).relation)
                       || format(i.columns, (m).column_name, shadow_name((m).column_name))),
           ARRAY(SELECT format('DROP INDEX %s', key_object(m, i.suffix)) WHERE i.phase = 'key'), '{}'::text[]
    FROM pg_class AS k, (VALUES ('key', 'pair', '(%I, %I)'), ('proof', ((m).conversion).name, '(%1$I) INCLUDE (%2$I) WHERE %1$I IS NOT NULL')) AS i (phase, suffix, columns)
    WHERE k.oid = (m).relation
    ORDER BY i.phase;
END;

-- Part of twins: the foreign keys that prove that each reference has the shadow of its key.
CREATE OR REPLACE FUNCTION proof_twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'constraint', r.relations[1], r.relations[1], proof_name(c.name), NULL, true,
           add_constraint(m, 'proof', r.relations, 'SHARE ROW EXCLUSIVE', proof_name(c.name), f.definition || CASE WHEN t.is_leaf THEN ' NOT VALID' ELSE '' END)
           || ARRAY(SELECT validate_foreign_key(m, 'proof', r.relations, proof_name(c.name)) WHERE t.is_leaf),
           ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', c.root, proof_name(c.name)) WHERE t.relation = c.root), '{}'::text[]
    FROM proved_columns(m) WITH ORDINALITY AS c,
         LATERAL (SELECT u, true FROM unnest(tables_of(c.root)) AS u UNION ALL SELECT c.root, false WHERE is_partitioned(c.root)) AS t (relation, is_leaf),
         LATERAL key_relations(t.relation, (m).relation) AS r (relations),
         LATERAL format('FOREIGN KEY (%I, %I) REFERENCES %s (%I, %I)%s DEFERRABLE INITIALLY DEFERRED',
                        c.name, c.shadow, (m).relation, (m).column_name, shadow_name((m).column_name), CASE WHEN keeps_former((m).conversion) THEN ' MATCH FULL' END) AS f (definition)
    ORDER BY c.ordinality, t.is_leaf DESC, t.relation::text COLLATE "C";
END;

-- Part of twins: the constraints by which an undo knows that no number is missing where none may be.
CREATE OR REPLACE FUNCTION number_twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'constraint', c.member, c.member, n.name, n.definition, true,
           ARRAY[add_constraint(m, 'proof', ARRAY[c.member], 'ACCESS EXCLUSIVE', n.name, n.definition || ' NOT VALID'),
                 step('proof', format('SHARE UPDATE EXCLUSIVE on %s', c.member), call_validate(m, c.member, n.name))],
           '{}'::text[], ARRAY[format('ALTER TABLE %s DROP CONSTRAINT %I', c.member, n.name)]
    FROM unnest((m).columns) AS c, pg_attribute AS a,
         LATERAL (SELECT ('nn_' || c.shadow)::name, format('CHECK ((%I IS NOT NULL))', c.shadow)) AS n (name, definition)
    WHERE a.attrelid = c.member AND a.attnum = c.attnum AND a.attnotnull AND has_proof(c) AND may_lack_number(m, c)
    ORDER BY c.member::text COLLATE "C", c.name;
END;

-- --- All of them ---

-- What is built over the shadow columns, in the order in which it is built.
CREATE OR REPLACE FUNCTION twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.* FROM index_twins(m) AS t
    UNION ALL
    SELECT t.* FROM statistics_twins(m) AS t
    UNION ALL
    SELECT t.* FROM check_twins(m) AS t
    UNION ALL
    SELECT t.* FROM foreign_key_twins(m) AS t
    UNION ALL
    SELECT t.* FROM matview_twins(m) AS t
    UNION ALL
    SELECT t.* FROM key_twins(m) AS t WHERE is_looked_up((m).conversion)
    UNION ALL
    SELECT t.* FROM proof_twins(m) AS t WHERE is_looked_up((m).conversion)
    UNION ALL
    SELECT t.* FROM number_twins(m) AS t WHERE keeps_former((m).conversion) AND ((m).conversion).only_undoes;
END;

-- The object that has the name of a twin, and whether it is valid, validated or populated. What has the name of a
-- twin need not be the twin.
CREATE OR REPLACE FUNCTION named_object(t twin, OUT classid oid, OUT objid oid, OUT is_complete boolean) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'pg_class'::regclass, c.oid, coalesce(i.indisvalid AND i.indrelid = (t).relation, c.relispopulated AND c.relkind = 'm')
    FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
    WHERE (t).kind IN ('index', 'materialized view') AND (c.relnamespace, c.relname) = ((t).place, (t).name)
    UNION ALL
    SELECT 'pg_constraint'::regclass, k.oid, k.convalidated FROM pg_constraint AS k WHERE (t).kind = 'constraint' AND (k.conrelid, k.conname) = ((t).place, (t).name)
    UNION ALL
    SELECT 'pg_statistic_ext'::regclass, s.oid, true FROM pg_statistic_ext AS s WHERE (t).kind = 'statistics object' AND (s.stxnamespace, s.stxname) = ((t).place, (t).name);
END;

-- The shadow columns that there are, in the place of their columns.
CREATE OR REPLACE FUNCTION shadow_columns(columns migrated_column[]) RETURNS SETOF migrated_column
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.member, c.level, a.attnum, c.name, c.shadow, c.is_connected, c.type
    FROM unnest(columns) AS c, pg_attribute AS a
    WHERE a.attrelid = c.member AND a.attname = c.shadow AND shadow_conversion(c.member, c.name) IS NOT NULL;
END;

-- What there is over the shadow columns.
CREATE OR REPLACE FUNCTION built_objects(columns migrated_column[]) RETURNS TABLE (classid oid, objid oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE built (classid, objid) AS (
        SELECT CASE WHEN w.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END, coalesce(w.ev_class, d.objid)
        FROM shadow_columns(columns) AS c,
             pg_depend AS d LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
        WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = c.member AND d.refobjsubid = c.attnum
        UNION
        SELECT d.classid, d.objid
        FROM built AS b, pg_class AS v, pg_depend AS d
        WHERE b.classid = 'pg_class'::regclass AND v.oid = b.objid AND v.relkind = 'm' AND d.refclassid = b.classid
          AND d.refobjid = b.objid
    )
    SELECT b.classid, b.objid FROM built AS b;
END;
