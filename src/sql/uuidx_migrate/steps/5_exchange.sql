-- Online, the exchange: in one short transaction, the shadow columns take the names and the place of the columns.

-- Statements that convert the keys that are defaults.
CREATE OR REPLACE FUNCTION constant_defaults(m migration, mode text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate_steps.convert_default(%s, %s, %s, %s, %s)', typed(c.member::text, 'regclass'), typed(c.name, 'name'), typed(k.keys, 'regclass'),
                  typed(k.from_column, 'name'), typed(k.to_column, 'name'))
    FROM unnest((m).columns) AS c, LATERAL default_of(c.member, c.attnum) AS d,
         (VALUES ('online', NULL, (m).relation::text, shadow_name((m).column_name), (m).column_name),
                 ('offline', false, key_object(m, 'former'), 'former_key', 'key'),
                 ('offline', true, key_object(m, 'former'), 'key', 'former_key')) AS k (mode, undoes, keys, from_column, to_column)
    WHERE d.constant IS NOT NULL AND k.mode = constant_defaults.mode
      AND coalesce(k.undoes, ((m).conversion).only_undoes) = ((m).conversion).only_undoes
    ORDER BY c.member::text COLLATE "C", c.name;
END;

-- Statements that give shadow columns the defaults and NOT NULL of the columns. The former default stays on the old
-- column, in a form that is never evaluated. From PostgreSQL 18 on, NOT NULL is a constraint with a name.
CREATE OR REPLACE FUNCTION exchange_properties(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    (SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s, ALTER COLUMN %I %s', d.member, d.name, coalesce(d.new_default, (d.old).expression), d.shadow,
                  CASE WHEN d.new_default IS NULL OR changes_type((m).conversion) AND (d.old).is_null THEN 'DROP DEFAULT'
                       ELSE 'SET DEFAULT ' || unused_default((d.old).expression) END)
    FROM unnest((m).defaults) AS d)
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
    SELECT format('ALTER TABLE %s ' || CASE WHEN s.attnum < c.attnum THEN 'DROP COLUMN IF EXISTS %I' ELSE 'ADD COLUMN %I boolean' END, c.root, trigger_name(c.name))
    FROM unnest((m).columns) AS c LEFT JOIN pg_attribute AS s ON s.attrelid = c.member AND s.attname = c.shadow
    WHERE marks_exchange(m, c)
    UNION ALL
    SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', n.conname, c.member, obj_description(n.oid, 'pg_constraint'))
    FROM unnest((m).columns) AS c JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum]
    WHERE c.member = c.root AND obj_description(n.oid, 'pg_constraint') IS NOT NULL;
END;

-- The statements, in order, that put the shadow columns in the place of the columns. The names and numbers of columns
-- change under most of what reads them: that only gets its definition again.
CREATE OR REPLACE FUNCTION exchange_statements(m migration) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY[call_note_called(m)]
    || ARRAY(SELECT 'SET LOCAL check_function_bodies = off' WHERE cardinality((m).dependents) > 0)
    || ARRAY(SELECT s FROM unnest((m).dependents) WITH ORDINALITY AS d, unnest(d.detach) AS s
             WHERE d.kind <> 'materialized view'
               AND (d.kind IN ('trigger', 'generated column') OR d.depth > 0 OR d.keeps_key
                    OR EXISTS (SELECT FROM unnest((m).dependents) AS g WHERE g.kind = 'generated column'))
             ORDER BY d.ordinality DESC)
    || ARRAY(SELECT s FROM unnest((m).twins) WITH ORDINALITY AS t, unnest(t.detach) WITH ORDINALITY AS s (s, n) ORDER BY t.ordinality DESC, s.n)
    || exchange_names(m)
    || ARRAY(SELECT e FROM exchange_properties(m) WITH ORDINALITY AS e (e, n) ORDER BY n)
    || ARRAY(SELECT d FROM constant_defaults(m, 'online') WITH ORDINALITY AS d (d, n) WHERE is_looked_up((m).conversion) ORDER BY n)
    || ARRAY(SELECT s FROM unnest((m).twins) WITH ORDINALITY AS t, unnest(t.adopt) WITH ORDINALITY AS s (s, n) ORDER BY t.ordinality, s.n)
    || ARRAY(SELECT s
             FROM unnest((m).dependents) WITH ORDINALITY AS d,
                  unnest(CASE WHEN d.clause IS NOT NULL THEN ARRAY[format('ALTER TABLE %s %s', d.relation, d.clause)] END || d.restore) WITH ORDINALITY AS s (s, n)
             WHERE d.kind <> 'materialized view' ORDER BY d.ordinality, s.n)
    || call_check_called(m)
    || (SELECT format('SELECT uuidx_migrate_steps.check_unread(%s, %s::pg_catalog.name[])', relation_list(array_agg(c.root)), quote_literal(array_agg(c.name)))
        FROM unnest((m).columns) AS c WHERE c.member = c.root);

-- Part of script: the exchange.
CREATE OR REPLACE FUNCTION exchange_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'exchange', 'ACCESS EXCLUSIVE on all tables and on what reads the columns, briefly',
           -- Also where the key has another name by now: that is an error.
           call_locked(m, affected_relations(m), format('%s IS DISTINCT FROM %s', call_shadow_conversion((m).relation, (m).column_name), typed(((m).conversion).undo, 'text')),
                       exchange_statements(m), call_check_script(ARRAY[m], 'exchange'));
END;
