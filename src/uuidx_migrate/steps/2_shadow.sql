-- Online, step by step: add shadow columns, with the properties of the columns whose place they take.

-- Statements that give a table its shadow columns, which a trigger fills from then on.
CREATE OR REPLACE FUNCTION shadow_statements(m migration, columns migrated_column[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    table_ regclass := (columns[1]).root;
BEGIN
    RETURN QUERY
        SELECT format('ALTER TABLE %s %s', table_,
                      string_agg(format('ADD COLUMN %I %s', c.shadow, uuidx_migrate_steps.shadow_type(m, c)), ', '))
        FROM unnest(columns) AS c WHERE c.member = table_;
    RETURN QUERY
        SELECT p FROM unnest(columns) AS c,
                      LATERAL uuidx_migrate_steps.column_properties(
                          c.member, c.attnum, format('ALTER TABLE ONLY %s', c.member), c.member::text, c.shadow) AS p
        UNION ALL
        SELECT p FROM unnest(columns) AS c,
                      LATERAL uuidx_migrate_steps.column_storage(
                          c.member, c.attnum, format('ALTER TABLE ONLY %s', c.member), c.shadow) AS p
        WHERE uuidx_migrate_steps.is_text(m, c);
    -- The constraint makes PostgreSQL compare each value with the conversion. With it, SET NOT NULL does not read the
    -- table.
    RETURN QUERY
        SELECT format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s) NOT VALID',
                      c.member, uuidx_migrate_steps.shadow_check_name(c.name), uuidx_migrate_steps.shadow_check(m, c))
        FROM unnest(columns) AS c WHERE uuidx_migrate_steps.has_shadow_check(c);
    RETURN QUERY
        SELECT s.sql
        FROM unnest(columns) AS c,
             unnest(uuidx_migrate_steps.fill_trigger_statements(m, c, uuidx_migrate_steps.trigger_name(c.name)))
             WITH ORDINALITY AS s (sql, n)
        WHERE c.member = table_ ORDER BY c.name, s.n;
    RETURN QUERY SELECT s FROM uuidx_migrate_steps.companion_statements(m, columns) AS s;
END
$$;

-- Part of add_shadows: condition that values can be looked up, as text.
CREATE OR REPLACE FUNCTION can_look_up(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('%s AND uuidx_migrate_steps.finds_keys(%s, %s)', is_before_cutover(m),
              typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'));

-- Part of filling_steps: adds the shadow columns of a table that are not there yet, those of all keys together. The
-- trigger of a reference fails where the key that it looks up has no shadow.
CREATE OR REPLACE FUNCTION add_shadows(ms migration[], f filling) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    number integer;
    of_table uuidx_migrate_steps.migration[] := '{}';
    missing uuidx_migrate_steps.migrated_column[];
    first_column name;
    looks_up text := '';
    statements text[] := '{}';
BEGIN
    FOR number IN SELECT DISTINCT u FROM unnest(f.migrations) AS u ORDER BY u LOOP
        missing := ARRAY(SELECT f.columns[n] FROM generate_subscripts(f.columns, 1) AS n
                         WHERE f.migrations[n] = number
                           AND uuidx_migrate_steps.shadow_conversion(f.root, (f.columns[n]).name) IS NULL
                         ORDER BY n);
        CONTINUE WHEN cardinality(missing) = 0;
        of_table := of_table || ms[number];
        first_column := coalesce(first_column, (SELECT min(c.name) FROM unnest(missing) AS c));
        IF ((ms[number]).conversion).is_looked_up
           AND (SELECT bool_or(NOT uuidx_migrate_steps.is_key(ms[number], c)) FROM unnest(missing) AS c) THEN
            looks_up := looks_up || uuidx_migrate_steps.can_look_up(ms[number]) || ' AND ';
        END IF;
        statements := statements
                      || ARRAY(SELECT s FROM uuidx_migrate_steps.shadow_statements(ms[number], missing) AS s);
    END LOOP;
    RETURN QUERY
        SELECT 'shadow', format('ACCESS EXCLUSIVE on %s, briefly', f.root),
               uuidx_migrate_steps.call_locked(
                   of_table[1], ARRAY[f.root],
                   looks_up || format('%s IS NULL', uuidx_migrate_steps.call_shadow_conversion(f.root, first_column)),
                   statements,
                   -- psql may go on after an error. The expression for the times has to mean what it meant.
                   concat_ws(E';\n',
                       (SELECT uuidx_migrate_steps.call_check_script(
                                   of_table, 'online', uuidx_migrate_steps.online_fingerprint(of_table))
                        FROM unnest(of_table) AS m
                        WHERE m.relation = f.root AND (m.conversion).reads_times LIMIT 1),
                       (SELECT string_agg(s, E';\n')
                        FROM uuidx_migrate_steps.check_statements(of_table, ARRAY[f.root]) AS s)),
                   'ACCESS EXCLUSIVE'::text, '100 ms'::text)
        WHERE cardinality(of_table) > 0;
END
$$;

-- Statements that give a shadow column what its column has been given, or has lost, since.
CREATE OR REPLACE FUNCTION renewed_properties(c migrated_column) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s
    FROM pg_attribute AS a, LATERAL format('ALTER TABLE ONLY %s', (c).member) AS n (command),
         LATERAL (SELECT ARRAY(SELECT p
                               FROM column_properties((c).member, (c).attnum, n.command, (c).member::text, (c).shadow)
                                    AS p ORDER BY p COLLATE "C"),
                         ARRAY(SELECT p
                               FROM column_properties((c).member, a.attnum, n.command, (c).member::text, (c).shadow)
                                    AS p ORDER BY p COLLATE "C")) AS p (of_column, of_shadow),
         unnest(ARRAY(SELECT d FROM drop_column_properties((c).member, a.attnum, n.command) AS d) || p.of_column) AS s
    WHERE a.attrelid = (c).member AND a.attname = (c).shadow AND p.of_column <> p.of_shadow;
END;

-- Part of filling_steps: does so before the cutover, in the table of a filling.
CREATE OR REPLACE FUNCTION renew_properties(ms migration[], f filling) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT step('shadow', format('SHARE UPDATE EXCLUSIVE on %s, briefly', (f).root),
                call_locked(ms[r.number], ARRAY[(f).root], is_before_cutover(ms[r.number]), r.statements, NULL,
                            'SHARE UPDATE EXCLUSIVE'))
    FROM (SELECT ((f).migrations)[n], array_agg(s ORDER BY n, i)
          FROM generate_subscripts((f).columns, 1) AS n,
               LATERAL renewed_properties(((f).columns)[n]) WITH ORDINALITY AS s (s, i)
          GROUP BY 1) AS r (number, statements)
    ORDER BY r.number;
END;

-- Part of filling_steps: gives a table the CHECK constraint for a shadow column, if it has become a partition since, or
-- if its column has become NOT NULL since, or is so no longer. What it has in its place is its own from before that, or
-- that of another migration.
CREATE OR REPLACE FUNCTION add_shadow_check(m migration, c migrated_column) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT step('shadow', format('ACCESS EXCLUSIVE on %s, briefly', (c).member),
                call_locked(m, ARRAY[(c).member], format('%s AND NOT uuidx_migrate_steps.checks_shadow(%s, %s, %s)',
                                is_before_cutover(m), typed((c).member::text, 'regclass'), typed((c).name, 'name'),
                                typed(k.condition, 'text')),
                            ARRAY[format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I, '
                                         'ADD CONSTRAINT %2$I CHECK (%s) NOT VALID',
                                         (c).member, shadow_check_name((c).name), k.condition)]))
    FROM (SELECT shadow_check(m, c)) AS k (condition)
    WHERE has_shadow_check(c) AND shadow_conversion((c).root, (c).name) IS NOT NULL AND NOT is_checked(m, c);
END;
