-- What to know of a conversion before it is run.

-- Part of conversion_remarks: keys that are looked up.
CREATE OR REPLACE FUNCTION look_up_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name, format('the key; columns that take its new value: %s', count(*))
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND NOT is_key(m, c)
    UNION ALL
    SELECT c.root, c.name,
           'online: from the phase proof to the cutover, clients can write only keys into it, and cannot delete a key '
           'that it has; with other_values => ''keep'', they can'
    FROM unnest((m).columns) AS c
    WHERE c.member = c.root AND NOT is_key(m, c) AND NOT c.is_connected AND NOT lacks_foreign_key(m, c)
    UNION ALL
    SELECT c.root, c.name,
           format('online: if a row is written before its key, an UPDATE fills the shadow later, '
                  'which fires trigger %I (%s)', t.name, t.does)
    FROM unnest((m).columns) AS c, LATERAL fired_triggers(c.root, true) AS t
    WHERE c.member = c.root AND NOT is_key(m, c)
      AND NOT EXISTS (SELECT FROM pg_constraint AS f
                      WHERE f.conrelid = c.member AND f.contype = 'f' AND c.attnum = ANY (f.conkey)
                        AND NOT f.condeferrable)
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('no expression in created fits table %s: all its keys get the time 1970-01-01', (m).relation)
    WHERE ((m).conversion).reads_times AND ((m).choices).created IS NULL AND (m).created_columns IS NOT NULL
      AND ((m).choices).rows_without_time = 'epoch'
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('rows without a creation time of 1970 or later: %s; with one to come: %s; '
                  'one of them has the key "%s"',
                  t.without_time, t.future, t.example)
    FROM creation_times((m).relation, (m).column_name, ((m).choices).created, ((m).choices).trust_owners) AS t
    WHERE ((m).conversion).reads_times AND shadow_conversion((m).relation, (m).column_name) IS NULL
      AND may_read((m).columns, ((m).choices).trust_owners)
      AND has_table_privilege((m).relation, 'SELECT') AND t.without_time + t.future > 0
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('takes up to about %s more of disk offline, %s online',
                  pg_size_pretty(min(e.disk) FILTER (WHERE e.mode = 'offline')),
                  pg_size_pretty(min(e.disk) FILTER (WHERE e.mode = 'online')))
    FROM estimates(ARRAY[m]) AS e;
END;

-- Part of functions_to_look_at: functions whose texts have the names of a table and of a column. A function with its
-- body in a string says nothing of the types that it needs.
CREATE OR REPLACE FUNCTION naming_functions(relation regclass, column_name name) RETURNS SETOF regprocedure
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.oid::regprocedure
    FROM pg_class AS c, pg_proc AS p, pg_language AS l,
         LATERAL (SELECT format(E'(?<![[:alnum:]_$])%s(?![[:alnum:]_$])',
                                regexp_replace(n, E'([^[:alnum:]_])', E'\\\\\\1', 'g'))
                  FROM unnest(ARRAY[c.relname, column_name]) AS n) AS t (pattern)
    WHERE l.oid = p.prolang AND c.oid = relation AND l.lanname NOT IN ('c', 'internal') AND p.prosqlbody IS NULL
      AND NOT EXISTS (SELECT FROM references_of('pg_proc'::regclass, p.oid, NULL) AS d WHERE d.deptype = 'e')
    GROUP BY p.oid HAVING bool_and(left(p.prosrc, 100000) ~* t.pattern)
    ORDER BY p.oid::regprocedure::text COLLATE "C";
END;

-- Part of conversion_remarks and summary: a sentence with the functions that may need columns to be of their type; NULL
-- if there are none.
CREATE OR REPLACE FUNCTION functions_to_look_at(ms migration[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT 'look whether these functions, which name columns, go on with another type: '
               || string_agg(DISTINCT f::text COLLATE "C", ', ' ORDER BY f::text COLLATE "C")
        FROM unnest(ms) AS m, unnest(m.columns) AS c, LATERAL naming_functions(c.root, c.name) AS f
        WHERE c.member = c.root AND (m.conversion).changes_type);

-- Part of remarks.
CREATE OR REPLACE FUNCTION conversion_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT k.root, k.column_name, k.remark FROM look_up_remarks(m) AS k WHERE ((m).conversion).is_looked_up
    UNION ALL
    SELECT (m).relation, (m).column_name, f FROM functions_to_look_at(ARRAY[m]) AS f WHERE f IS NOT NULL
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('column %I of table %s may hold numbers of several tables, as column %I says; %s',
                  a.attname, a.attrelid::regclass, t.attname,
                  CASE WHEN (c.oid, a.attname) IN (SELECT o.root, o.name FROM unnest((m).columns) AS o)
                       THEN 'each gets the key that the number has in this one' ELSE 'it stays as it is' END)
    FROM pg_attribute AS a, pg_attribute AS t, pg_class AS c
    WHERE t.attrelid = a.attrelid AND t.attnum > 0 AND is_type_column(t.attname, a.attname)
      AND c.oid = a.attrelid AND ((m).conversion).keeps_former
      AND a.atttypid = ANY (((m).conversion).old_types) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace);
END;
