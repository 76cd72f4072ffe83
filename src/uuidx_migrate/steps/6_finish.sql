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

-- Part of finish_steps: drops what would keep the shadow columns from being dropped. A migration that was given up
-- before the cutover may have left foreign keys and materialized views.
CREATE OR REPLACE FUNCTION give_up_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'finish', g.locks, g.sql
    FROM (SELECT format('ACCESS EXCLUSIVE on %s, briefly', array_to_string(r.relations, ' and ')),
                 call_locked(m, r.relations,
                             format('uuidx_migrate_steps.has_constraint(%s, %s)',
                                    typed(r.relations[1]::text, 'regclass'), typed(f.conname, 'name')),
                             ARRAY[format('ALTER TABLE %s DROP CONSTRAINT %I', r.relations[1], f.conname)])
          FROM built_objects((m).columns) AS b, pg_constraint AS f,
               LATERAL foreign_key_relations(f.conrelid, f.confrelid) AS r (relations)
          WHERE b.classid = 'pg_constraint'::regclass AND f.oid = b.objid AND f.contype = 'f' AND f.conparentid = 0
          UNION ALL
          SELECT format('ACCESS EXCLUSIVE on %s', v.oid::regclass),
                 format('DROP MATERIALIZED VIEW IF EXISTS %s', v.oid::regclass)
          FROM built_objects((m).columns) AS b, pg_class AS v
          WHERE b.classid = 'pg_class'::regclass AND v.oid = b.objid AND v.relkind = 'm') AS g (locks, sql)
    ORDER BY g.sql COLLATE "C";
END;

-- Statements that give the column of the numbers a name of its own for good, and a constraint in place of the index.
CREATE OR REPLACE FUNCTION keep_number_statements(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s
    FROM pg_class AS t,
         unnest(ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', r.former, r.record)
                      FROM recorded_columns(m) AS r ORDER BY r.record)
                || ARRAY[format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', (m).relation,
                                shadow_check_name((m).column_name)),
                      format('DROP INDEX %s.%I', t.relnamespace::regnamespace, number_index(m)),
                      format('ALTER TABLE %s RENAME COLUMN %I TO %s',
                             (m).relation, shadow_name((m).column_name), quote_ident(((m).choices).keep_number)),
                      format('ALTER TABLE %s ADD CONSTRAINT %I UNIQUE USING INDEX %2$I',
                             (m).relation, number_constraint(m))]) AS s
    WHERE t.oid = (m).relation AND ((m).choices).keep_number IS NOT NULL;
END;

-- Part of finish_script: steps that build the index of that constraint.
CREATE OR REPLACE FUNCTION keep_number_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.*
    FROM pg_class AS t,
         unnest(build_index(m, (m).relation, 'finish',
                            format('%s.%I', t.relnamespace::regnamespace, number_constraint(m)),
                            format('CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS %I ON %s (%I)',
                                   number_constraint(m), (m).relation, shadow_name((m).column_name)))) AS s
    WHERE t.oid = (m).relation AND ((m).choices).keep_number IS NOT NULL;
END;

-- Part of finish_script: drops the columns that an offline script has left.
CREATE OR REPLACE FUNCTION drop_numbers(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'finish', format('ACCESS EXCLUSIVE on %s, briefly', c.root),
           call_locked(m, ARRAY[c.root],
                       format('EXISTS (SELECT FROM pg_catalog.pg_attribute AS a WHERE '
                              'a.attrelid OPERATOR(pg_catalog.=) %s AND a.attname OPERATOR(pg_catalog.=) %s)',
                              typed(c.root::text, 'regclass'), typed(c.shadow, 'name')),
                       CASE WHEN is_key(m, c) AND ((m).choices).keep_number IS NOT NULL
                            THEN ARRAY(SELECT keep_number_statements(m))
                            ELSE ARRAY[format('ALTER TABLE %s DROP COLUMN %I', c.root, c.shadow)] END)
    FROM unnest((m).columns) AS c, pg_attribute AS a
    WHERE a.attrelid = c.root AND a.attname = c.shadow AND c.member = c.root
    ORDER BY c.root::text COLLATE "C", c.name;
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
                       format('%s OPERATOR(pg_catalog.=) %s', call_shadow_conversion(c.root, min(c.name)),
                              typed(((m).conversion).undo, 'text')),
                       array_agg(format('DROP TRIGGER %I ON %s', trigger_name(c.name), c.root))
                       || ARRAY(SELECT d FROM companion_drops(m, c.root) AS d)
                       || array_remove(ARRAY[format('ALTER TABLE %s ', c.root)
                                             || string_agg(
                                                    format(CASE WHEN marks_cutover(m, c)
                                                                THEN 'DROP COLUMN %I, DROP COLUMN IF EXISTS %I'
                                                                ELSE 'DROP COLUMN %I' END,
                                                           c.shadow, mark_name(c.name)), ', ')
                                                FILTER (WHERE NOT (is_key(m, c)
                                                                   AND ((m).choices).keep_number IS NOT NULL))], NULL)
                       || ARRAY(SELECT keep_number_statements(m) WHERE c.root = (m).relation))
    FROM unnest((m).columns) AS c
    WHERE c.member = c.root AND shadow_conversion(c.root, c.name) = ((m).conversion).undo
    GROUP BY c.root
    ORDER BY c.root = (m).relation, c.root::text COLLATE "C");
END;
