-- Defaults.

-- Part of migrated_defaults: the default that calls a function; NULL without one.
CREATE OR REPLACE FUNCTION default_call(function regprocedure) RETURNS column_default
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ROW(call_of(function), false, function, NULL, false)::column_default;

-- Part of migration: defaults of the columns that are migrated, and what they become; NULL if they stay. After the
-- cutover, the old column has the former default in a form that is never evaluated. The key may have its new default
-- before that, and its shadow keeps the old one.
CREATE OR REPLACE FUNCTION migrated_defaults(m migration) RETURNS SETOF migrated_default
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.member, c.name, c.shadow, e.old,
           CASE WHEN ((m).conversion).keeps_former
                THEN CASE WHEN NOT n.is_key THEN e.kept
                          WHEN NOT ((m).conversion).only_undoes THEN default_call(key_default(m)) END
                WHEN ((m).conversion).changes_type THEN converted_default(m, n.is_key, e.old, e.kept)
                WHEN is_old_generator((e.old).function, (m).conversion)
                THEN coalesce(default_call(((m).choices).new_default), e.kept,
                              default_call(generator_of((m).conversion)))
                WHEN (e.old).function IS NOT NULL
                THEN coalesce(CASE WHEN n.is_key
                                        OR (e.old).function = generator_of(conversion_named(((m).conversion).undo))
                                   THEN default_call(((m).choices).new_default) END, e.kept) END
    FROM unnest((m).columns) AS c LEFT JOIN pg_attribute AS s ON s.attrelid = c.member AND s.attname = c.shadow,
         pg_attribute AS a, LATERAL (SELECT (c.root, c.name) = ((m).relation, (m).column_name)) AS n (is_key),
         LATERAL (SELECT default_of(c.member, c.attnum), default_of(c.member, s.attnum)) AS d (own, shadow),
         LATERAL (SELECT CASE WHEN (d.shadow).is_unused THEN d.shadow END,
                         CASE WHEN (d.own).expression IS NOT NULL THEN d.own END) AS k (kept, own),
         LATERAL (SELECT CASE WHEN is_old_generator((k.kept).function, (m).conversion) THEN k.kept ELSE d.own END,
                         CASE WHEN is_old_generator((k.kept).function, (m).conversion) THEN k.own ELSE k.kept END)
         AS e (old, kept)
    WHERE a.attrelid = c.member AND a.attnum = c.attnum AND a.attgenerated = ''
      AND (a.atthasdef OR is_key(m, c) AND key_default(m) IS NOT NULL)
    ORDER BY c.member::text COLLATE "C", c.name;
END;

-- Statements that convert the keys that are defaults.
CREATE OR REPLACE FUNCTION constant_defaults(m migration, mode text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate_steps.convert_default(%s, %s, %s, %s, %s%s)',
                  typed(c.member::text, 'regclass'), typed(c.name, 'name'), typed(k.keys, 'regclass'),
                  typed(k.from_column, 'name'), typed(k.to_column, 'name'),
                  CASE WHEN ((m).conversion).keeps_former THEN ', ' || typed(d.constant, 'text') END)
    FROM unnest((m).columns) AS c, LATERAL default_of(c.member, c.attnum) AS d,
         (VALUES ('online', NULL, (m).relation::text, shadow_name((m).column_name), (m).column_name),
                 ('offline', false, key_object(m, 'former'), 'former_key', 'key'),
                 ('offline', true, key_object(m, 'former'), 'key', 'former_key'))
         AS k (mode, undoes, keys, from_column, to_column)
    WHERE d.constant IS NOT NULL
      AND NOT (((m).conversion).keeps_former AND ((m).conversion).only_undoes AND constant_defaults.mode = 'online')
      AND k.mode = constant_defaults.mode
      AND coalesce(k.undoes, ((m).conversion).only_undoes) = ((m).conversion).only_undoes
    ORDER BY c.member::text COLLATE "C", c.name;
END;

-- Part of cutover_statements: statements that give the shadow columns the defaults of the columns. The former ones
-- stay on the old columns: in a form that is never evaluated, unless numbers go on being given.
CREATE OR REPLACE FUNCTION cutover_defaults(m migration) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE ONLY %s %s', d.member, s.clauses)
    FROM (SELECT ((m).conversion).keeps_former, ((m).conversion).only_undoes) AS k (keeps_former, undoes),
         unnest((m).defaults) AS d,
         LATERAL concat_ws(', ',
             format('ALTER COLUMN %I SET DEFAULT ', d.name)
             || coalesce((d.new).expression, CASE WHEN NOT k.keeps_former THEN (d.old).expression END),
             format('ALTER COLUMN %I ', d.shadow)
             || CASE WHEN k.keeps_former AND k.undoes OR NOT k.keeps_former AND (d.new).expression IS NULL
                          OR ((m).conversion).changes_type AND (d.old).is_null
                     THEN 'DROP DEFAULT'
                     WHEN NOT (k.keeps_former AND (d.root, d.name) = ((m).relation, (m).column_name))
                     THEN 'SET DEFAULT ' || unused_default((d.old).expression) END) AS s (clauses)
    WHERE s.clauses <> '';
END;

-- Part of offline_steps.
CREATE OR REPLACE FUNCTION defaults_put_up(m migration) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT concat(E'-- The former default is ' || regexp_replace((d.old).expression, E'[\r\n]', ' ', 'g') || E'\n',
                  format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', d.member, d.name, (d.new).expression))
    FROM unnest((m).defaults) AS d WHERE (d.new).expression IS NOT NULL;
END;
