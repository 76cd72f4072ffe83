-- What a conversion has checked of the values in the columns.

-- Part of check_statements: statements that check whether the values in tables can be converted.
CREATE OR REPLACE FUNCTION value_checks(m migration, of_tables regclass[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate_steps.check_values(%s, %s, %s, %s)',
                  typed(c.root::text, 'regclass'), typed(c.name, 'name'), typed(((m).conversion).name, 'text'),
                  ((m).choices).trust_owners::text)
    FROM unnest((m).columns) AS c
    WHERE c.member = c.root AND c.root = ANY (of_tables)
      AND ((m).choices).other_values = 'error' AND ((m).conversion).version IS NOT NULL
    UNION ALL
    SELECT format('SELECT uuidx_migrate_steps.check_texts(%s, %s, %s)',
                  typed(c.root::text, 'regclass'), typed(c.name, 'name'), ((m).choices).trust_owners::text)
    FROM unnest((m).columns) AS c
    WHERE c.member = c.root AND c.root = ANY (of_tables) AND ((m).conversion).reads_texts
    UNION ALL
    SELECT format('SELECT uuidx_migrate_steps.check_times(%s, %s, %s, %s, %s, %s)',
                  typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'),
                  typed(((m).choices).created, 'text'), typed(((m).choices).rows_without_time, 'text'),
                  typed(((m).choices).future_rows, 'text'), ((m).choices).trust_owners::text)
    WHERE (m).relation = ANY (of_tables) AND ((m).conversion).reads_times
    UNION ALL
    SELECT format('SELECT uuidx_migrate_steps.check_numbers(%s, %s, %s)',
                  typed(c.root::text, 'regclass'), typed(c.name, 'name'), ((m).choices).trust_owners::text)
    FROM unnest((m).columns) AS c
    WHERE c.member = c.root AND c.root = ANY (of_tables)
      AND ((m).conversion).keeps_former AND ((m).conversion).only_undoes AND (is_key(m, c) OR NOT has_numbers(m));
END;

-- Statements that check whether the values of columns that no foreign key connects with the key are keys.
CREATE OR REPLACE FUNCTION key_checks(m migration, of_tables regclass[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT call_for_reference('check_keys', m, n.root, n.column_name)
    FROM unnest(((m).choices).also) AS a, LATERAL named_column(a, (m).relation) AS n
    WHERE n.root = ANY (of_tables) AND ((m).choices).other_values = 'error'
      AND (((m).conversion).keeps_former OR NOT ((m).conversion).changes_type);
END;

-- Statements that check again what was written since, before numbers are dropped.
CREATE OR REPLACE FUNCTION finish_checks(m migration, of_tables regclass[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k FROM key_checks(m, of_tables) AS k WHERE ((m).conversion).keeps_former;
END;

-- What is checked before the numbers or the shadow columns of a table are dropped, also if psql goes on after an error;
-- NULL if nothing is. Offline, the numbers of all columns are those of the key.
CREATE OR REPLACE FUNCTION check_before_drop(m migration, table_ regclass) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT string_agg(s, E';\n' ORDER BY n)
    FROM (SELECT 1, k
          FROM finish_checks(m, CASE WHEN has_numbers(m) AND table_ = (m).relation THEN tables(m)
                                     ELSE ARRAY[table_] END) AS k
          UNION ALL
          SELECT 2, call_for_reference('check_looked_up', m, c.root, c.name)
          FROM columns_without_foreign_key(m) AS c WHERE c.root = table_ AND NOT ((m).conversion).only_undoes
          UNION ALL
          SELECT 3, format('SELECT uuidx_migrate_steps.check_references_finished(%s, %s)',
                           typed(table_::text, 'regclass'), typed((m).column_name, 'name'))
          WHERE table_ = (m).relation AND ((m).conversion).is_looked_up AND NOT has_numbers(m)) AS c (n, s));
