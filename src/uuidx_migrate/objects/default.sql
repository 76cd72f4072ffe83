-- Defaults.

-- Part of migration: defaults of the columns that are migrated, and what they become; NULL if they stay. After the
-- cutover, the old column has the former default in a form that is never evaluated, also where the column has none any
-- more. The key may have its new default before that, and its shadow keeps the old one.
CREATE OR REPLACE FUNCTION migrated_defaults(m migration) RETURNS SETOF migrated_default
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT c.root, c.member, c.name, c.shadow, e.old,
               uuidx_migrate_steps.new_default(m, uuidx_migrate_steps.is_key(m, c), e.old, e.kept)
        FROM unnest(m.columns) AS c LEFT JOIN pg_attribute AS s ON s.attrelid = c.member AND s.attname = c.shadow,
             pg_attribute AS a,
             LATERAL (SELECT uuidx_migrate_steps.default_of(c.member::oid, c.attnum),
                             uuidx_migrate_steps.default_of(c.member::oid, s.attnum)) AS d (own, shadow),
             LATERAL (SELECT CASE WHEN (d.shadow).is_unused THEN d.shadow END,
                             CASE WHEN (d.own).expression IS NOT NULL THEN d.own END) AS k (kept, own),
             LATERAL (SELECT uuidx_migrate_steps.is_old_generator((k.kept).function::oid, m.conversion)
                             OR (m.conversion).makes_keys AND NOT (m.conversion).changes_type
                                AND (k.kept).expression IS NOT NULL
                                AND (k.own).function = coalesce((m.choices).new_default,
                                                                uuidx_migrate_steps.generator_of(m.conversion)))
             AS g (is_old),
             LATERAL (SELECT CASE WHEN g.is_old THEN k.kept ELSE d.own END,
                             CASE WHEN g.is_old THEN k.own ELSE k.kept END) AS e (old, kept)
        WHERE a.attrelid = c.member AND a.attnum = c.attnum AND a.attgenerated = ''
          AND (a.atthasdef OR (d.shadow).is_unused
               OR uuidx_migrate_steps.is_key(m, c) AND uuidx_migrate_steps.key_default(m) IS NOT NULL)
        ORDER BY c.member::text COLLATE "C", c.name;
END
$$;

-- Statements that convert the keys that are defaults.
CREATE OR REPLACE FUNCTION constant_defaults(m migration, mode text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate_steps.convert_default(%s, %s, %s, %s, %s%s)',
                  typed(c.member::text, 'regclass'), typed(c.name, 'name'), typed(k.key_table, 'regclass'),
                  typed(k.from_column, 'name'), typed(k.to_column, 'name'),
                  CASE WHEN k.are_numbers THEN ', ' || typed(d.constant, 'text') END)
    FROM unnest((m).columns) AS c, LATERAL default_of(c.member, c.attnum) AS d,
         LATERAL key_map(m, constant_defaults.mode) AS k
    WHERE d.constant IS NOT NULL
    ORDER BY c.member::text COLLATE "C", c.name;
END;

-- Part of cutover_statements: statements that give the shadow columns the defaults of the columns.
CREATE OR REPLACE FUNCTION cutover_defaults(m migration) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE ONLY %s %s', d.member, s.clauses)
    FROM unnest((m).defaults) AS d, LATERAL default_clauses(m, d) AS s (clauses) WHERE s.clauses <> '';
END;

-- Part of offline_steps.
CREATE OR REPLACE FUNCTION defaults_put_up(m migration) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT concat(E'-- The former default is ' || one_line((d.old).expression) || E'\n',
                  format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', d.member, d.name, (d.new).expression))
    FROM unnest((m).defaults) AS d WHERE (d.new).expression IS NOT NULL;
END;

-- Part of remarks.
CREATE OR REPLACE FUNCTION default_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           format('%s keeps the default %s of column %I', d.description, e.expression, a.attname)
    FROM unnest((m).dependents) AS d, pg_attribute AS a, LATERAL default_of(a.attrelid, a.attnum) AS e
    WHERE a.attrelid = d.relation AND d.kind = 'view' AND is_old_generator(e.function, (m).conversion)
    UNION ALL
    -- An undo, too, has nothing to put in its place unless the former default is on a shadow.
    SELECT d.root, d.name, format('column %I of table %s keeps the default %s', d.name, d.member, (d.old).expression)
    FROM unnest((m).defaults) AS d, LATERAL conversion_named(((m).conversion).undo) AS undone
    WHERE (d.new).expression IS NULL AND (d.old).function = generator_of(undone)
    UNION ALL
    SELECT c.root, c.name,
           format('default %s of column %I of table %s becomes the new key of that row; if there is none, the column '
                  'has no default afterwards, and an undo offline does not give it back', d.constant, c.name, c.member)
    FROM unnest((m).columns) AS c, LATERAL default_of(c.member, c.attnum) AS d
    WHERE d.constant IS NOT NULL AND ((m).conversion).keeps_former AND NOT ((m).conversion).only_undoes
    UNION ALL
    SELECT (m).relation, (m).column_name,
           'the key has no default: the clients make the keys, and have to make the new ones too'
    FROM pg_attribute AS a
    WHERE a.attrelid = (m).relation AND a.attname = (m).column_name AND NOT a.atthasdef AND a.attidentity = '';
END;
