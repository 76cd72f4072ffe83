-- Online, the exchange: in one short transaction, the shadow columns take the names and the place of the columns.

-- Statements that give shadow columns the defaults and NOT NULL of the columns. The former default stays on the old
-- column, in a form that is never evaluated. From PostgreSQL 18 on, NOT NULL is a constraint with a name.
CREATE OR REPLACE FUNCTION exchange_properties(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT e FROM unnest((m).defaults) AS d, LATERAL exchange_default(m, d) AS e WHERE e IS NOT NULL
    UNION ALL
    -- A partition may have NOT NULL of its own. From PostgreSQL 18 on, its primary key makes NOT NULL its own.
    (SELECT CASE WHEN k.keeps_not_null THEN format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', c.member, n.conname, shadow_name(n.conname))
                 ELSE format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', c.member, c.shadow) END
     FROM unnest((m).columns) AS c
          LEFT JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum],
          pg_attribute AS a, pg_attribute AS r,
          LATERAL (SELECT keeps_not_null(m, c) AND NOT ((m).conversion).only_undoes) AS k (keeps_not_null)
     WHERE a.attrelid = c.member AND a.attnum = c.attnum AND r.attrelid = c.root AND r.attname = c.name
       AND a.attnotnull AND (c.member = c.root OR NOT r.attnotnull OR n.conislocal)
       AND NOT (k.keeps_not_null AND n.conname IS NULL)
     ORDER BY c.level, c.member::text COLLATE "C", c.name)
    UNION ALL
    (SELECT CASE WHEN n.conname IS NULL THEN format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', c.member, c.name)
                 WHEN keeps_not_null(m, c) AND ((m).conversion).only_undoes THEN format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', c.member, shadow_name(n.conname), n.conname)
                ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.member, n.conname, pg_get_constraintdef(n.oid)) END
    FROM unnest((m).columns) AS c
         LEFT JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum],
         pg_attribute AS a, pg_attribute AS r
    WHERE a.attrelid = c.member AND a.attnum = c.attnum AND r.attrelid = c.root AND r.attname = c.name
      AND a.attnotnull AND NOT (r.attnotnull AND c.member <> c.root)
    ORDER BY c.level, c.member::text COLLATE "C", c.name)
    UNION ALL
    SELECT format('ALTER TABLE %s ' || CASE WHEN s.attnum < c.attnum THEN 'DROP COLUMN IF EXISTS %I' ELSE 'ADD COLUMN %I boolean' END, c.root, trigger_name(c.name))
    FROM unnest((m).columns) AS c LEFT JOIN pg_attribute AS s ON s.attrelid = c.member AND s.attname = c.shadow
    WHERE marks_exchange(m, c)
    UNION ALL
    SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', n.conname, c.member, obj_description(n.oid, 'pg_constraint'))
    FROM unnest((m).columns) AS c, pg_constraint AS n
    WHERE n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum] AND c.member = c.root
      AND obj_description(n.oid, 'pg_constraint') IS NOT NULL;
END;

-- The statements, in order, that put the shadow columns in the place of the columns. The names and numbers of columns
-- change under most of what reads them: that only gets its definition again.
CREATE OR REPLACE FUNCTION exchange_statements(m migration) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT 'SET LOCAL check_function_bodies = off' WHERE cardinality((m).dependents) > 0)
    || ARRAY(SELECT s FROM unnest((m).dependents) WITH ORDINALITY AS d, unnest(d.detach) AS s
             WHERE d.kind <> 'materialized view'
               AND (d.kind IN ('trigger', 'generated column') OR d.depth > 0 OR d.keeps_key OR changes_type((m).conversion)
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
    || (SELECT format('SELECT uuidx_migrate_steps.check_unread(%s, %s::pg_catalog.name[])', relation_list(array_agg(c.root)), quote_literal(array_agg(c.name)))
        FROM unnest((m).columns) AS c WHERE c.member = c.root);

-- Part of script: the exchange.
CREATE OR REPLACE FUNCTION exchange_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'exchange', 'ACCESS EXCLUSIVE on all tables and on what reads the columns, briefly',
           -- Also where the key has another name by now: that is an error.
           call_locked(m, affected_relations(m), format('%s IS DISTINCT FROM %s', call_shadow_conversion((m).relation, (m).column_name), typed(((m).conversion).undo, 'text')),
                       (m).exchange, call_check_script(ARRAY[m], 'exchange', online_fingerprint(ARRAY[m])));
END;
