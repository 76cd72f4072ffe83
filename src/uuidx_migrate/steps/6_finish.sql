-- Online, after the cutover: validate what could not be validated before, refresh materialized views, and at last drop
-- the old columns.

-- Part of finish_script and online_script: the steps after the cutover.
CREATE OR REPLACE FUNCTION after_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.* FROM foreign_key_steps_after(m) AS s
    UNION ALL
    SELECT l.* FROM columns_without_foreign_key(m) AS c, LATERAL look_up_step(m, 'after', c) AS l
    UNION ALL
    SELECT s.* FROM matview_steps_after(m) AS s;
END;

-- Columns whose shadow is still there that a script is to drop. An earlier one may have dropped those of others, the
-- key among them: it comes first if it is there.
CREATE OR REPLACE FUNCTION unfinished_columns(m migration) RETURNS SETOF migrated_column
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.* FROM unnest((m).columns) AS c
    WHERE c.member = c.root AND shadow_conversion(c.root, c.name) = ((m).conversion).undo
    ORDER BY NOT is_key(m, c), c.root::text COLLATE "C", c.name;
END;

-- Part of finish_steps: drops twins that would keep the shadow columns from being dropped: a migration that was given
-- up before the cutover may have left foreign keys and materialized views, and its undo foreign keys. What else reads
-- the shadow columns is not the migration's, and they are not dropped until it is gone.
CREATE OR REPLACE FUNCTION give_up_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'finish', g.locks,
           call_locked(m, g.relations,
                       format('%s AND %s', has_conversion(u.root, u.name, ((m).conversion).undo), g.condition),
                       ARRAY[g.sql], NULL, g.mode)
    FROM (SELECT c.root, c.name, c.shadow FROM unfinished_columns(m) AS c LIMIT 1) AS u,
         pg_attribute AS k, pg_attribute AS s, changes_online(m) AS c, LATERAL named_object(c) AS o,
         LATERAL (
             SELECT format('ACCESS EXCLUSIVE on %s, briefly', array_to_string(r.relations, ' and ')), r.relations,
                    format('uuidx_migrate_steps.has_constraint(%s, %s)',
                           typed(c.relation::text, 'regclass'), typed(c.name, 'name')),
                    format('ALTER TABLE %s DROP CONSTRAINT %I', c.relation, c.name), 'ACCESS EXCLUSIVE'
             FROM pg_constraint AS f, LATERAL foreign_key_relations(c.relation, f.confrelid) AS r (relations)
             WHERE f.oid = o.objid AND f.contype = 'f' AND f.conparentid = 0
             UNION ALL
             SELECT format('ACCESS SHARE on %s, ACCESS EXCLUSIVE on %s, briefly', (m).relation, o.objid::regclass),
                    ARRAY[(m).relation],
                    format('pg_catalog.to_regclass(%s) IS NOT NULL', typed(o.objid::regclass::text, 'text')),
                    format('DROP MATERIALIZED VIEW %s', o.objid::regclass), 'ACCESS SHARE'
             WHERE c.kind = 'materialized view') AS g (locks, relations, condition, sql, mode)
    WHERE (k.attrelid, k.attname) = (u.root, u.name) AND (s.attrelid, s.attname) = (u.root, u.shadow)
      AND (k.attnum < s.attnum OR c.kind = 'foreign key')
      AND (o.classid, o.objid) IN (SELECT b.classid, b.objid FROM built_objects((m).columns) AS b)
    ORDER BY g.sql COLLATE "C";
END;

-- Statements that give the column of the numbers a name of its own for good, and a constraint in place of the index.
CREATE OR REPLACE FUNCTION keep_number_statements(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s
    FROM unnest(ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', r.former, r.record)
                      FROM recorded_columns(m) AS r ORDER BY r.record)
                || ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', (m).relation,
                                       shadow_check_name((m).column_name)) WHERE NOT has_numbers(m))
                || ARRAY[format('DROP INDEX %s', index_of_numbers(m)),
                         format('ALTER TABLE %s RENAME COLUMN %I TO %s',
                                (m).relation, shadow_name((m).column_name), quote_ident(((m).choices).keep_number)),
                         format('ALTER TABLE %s ADD CONSTRAINT %I UNIQUE USING INDEX %2$I',
                                (m).relation, number_constraint(m))]) AS s
    WHERE ((m).choices).keep_number IS NOT NULL;
END;

-- Part of finish_script: steps that build the index of that constraint.
CREATE OR REPLACE FUNCTION keep_number_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.*
    FROM pg_class AS t,
         unnest(drop_interrupted_step(m, 'finish', ARRAY[(m).relation],
                                      ARRAY[format('%s.%I', t.relnamespace::regnamespace, number_constraint(m))])
                || build_index((m).relation, 'finish',
                               format('CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS %I ON %s (%I)',
                                      number_constraint(m), (m).relation, shadow_name((m).column_name)))) AS s
    WHERE t.oid = (m).relation AND ((m).choices).keep_number IS NOT NULL;
END;

-- Part of finish_script: drops the table of the former keys that an offline script has left. Once it is gone, another
-- one with its name is not the script's.
CREATE OR REPLACE FUNCTION drop_former_keys(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'finish', format('ACCESS SHARE on %s, ACCESS EXCLUSIVE on %s, briefly', (m).relation, map_of(m)),
           call_locked(m, ARRAY[(m).relation],
                       format('uuidx_migrate_steps.has_constraint(pg_catalog.to_regclass(%s), %s)',
                              typed(map_of(m)::text, 'text'), typed(record_name('0', (m).column_name), 'name')),
                       ARRAY[format('DROP TABLE %s', map_of(m))], NULL, 'ACCESS SHARE')
    WHERE map_of(m) IS NOT NULL;
END;

-- Part of finish_script: drops the numbers that an offline script has left beside the key.
CREATE OR REPLACE FUNCTION drop_numbers(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'finish', format('ACCESS EXCLUSIVE on %s, briefly', (m).relation),
           call_locked(m, ARRAY[(m).relation],
                       format('pg_catalog.to_regclass(%s) IS NOT NULL', typed(index_of_numbers(m)::text, 'text')),
                       CASE WHEN ((m).choices).keep_number IS NOT NULL
                            THEN ARRAY(SELECT keep_number_statements(m))
                            ELSE ARRAY[format('ALTER TABLE %s DROP COLUMN %I',
                                              (m).relation, shadow_name((m).column_name))] END,
                       check_before_drop(m, (m).relation))
    WHERE has_numbers(m);
END;

-- Part of finish_steps: statements that drop the triggers of the migration: those that call its functions for a column
-- and its shadow.
CREATE OR REPLACE FUNCTION trigger_drops(m migration, table_ regclass) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('DROP TRIGGER %I ON %s', t.tgname, c.root)
    FROM unnest((m).columns) AS c, pg_trigger AS t, trigger_arguments(t.tgargs) AS a
    WHERE c.member = c.root AND c.root = table_ AND t.tgrelid = c.root AND is_own_trigger(t.tgfoid)
      AND a[1:2] = ARRAY[c.name, c.shadow]::text[]
    ORDER BY NOT is_fill(t.tgfoid), t.tgname;
END;

-- Part of finish_script: drops the old columns, with which the migration could be undone. The key comes last: until
-- then, the triggers of the columns that reference it look up its shadow, and the script can be written again.
CREATE OR REPLACE FUNCTION finish_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT g.phase, g.locks, g.sql FROM give_up_steps(m) AS g
    UNION ALL
    (SELECT 'finish', format('ACCESS EXCLUSIVE on %s, briefly', c.root),
           call_locked(m, ARRAY[c.root],
                       has_conversion(c.root, min(c.name), ((m).conversion).undo),
                       ARRAY(SELECT d FROM trigger_drops(m, c.root) AS d)
                       || ARRAY(SELECT d FROM companion_drops(m, c.root) AS d)
                       || array_remove(ARRAY[format('ALTER TABLE %s ', c.root)
                                             || string_agg(
                                                    format(CASE WHEN marks_cutover(m, c)
                                                                THEN 'DROP COLUMN %I, DROP COLUMN IF EXISTS %I'
                                                                ELSE 'DROP COLUMN %I' END,
                                                           c.shadow, mark_name(c.name)), ', ')
                                                FILTER (WHERE NOT (is_key(m, c)
                                                                   AND ((m).choices).keep_number IS NOT NULL))], NULL)
                       || ARRAY(SELECT keep_number_statements(m) WHERE c.root = (m).relation),
                       check_before_drop(m, c.root))
    FROM unfinished_columns(m) AS c
    GROUP BY c.root
    ORDER BY c.root = (m).relation, c.root::text COLLATE "C");
END;
