-- What to know of a conversion before it is run.

-- Part of conversion_remarks: keys that are looked up.
CREATE OR REPLACE FUNCTION look_up_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name, format('the key; columns that take its new value: %s', count(*))
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND NOT is_key(m, c)
    UNION ALL
    SELECT c.root, c.name,
           concat('online: from the phase proof to the cutover, clients can write only keys into it, and cannot delete '
                  'a key that it has', CASE WHEN NOT ((m).conversion).keeps_former
                                            THEN '; with other_values => ''keep'', they can' END)
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
    SELECT c.root, c.name,
           format('online: if %s writes a row before its key, and may not update all rows of the table, the row waits '
                  'for the script, and is an error (55000) once foreign keys of the shadow are there',
                  string_agg(DISTINCT grantee_name(w.grantee), ', '))
    FROM unnest((m).columns) AS c,
         LATERAL (SELECT o.grantee FROM writers((m).relation) AS o
                  UNION SELECT o.grantee FROM writers(c.root) AS o) AS w
    WHERE c.member = c.root AND may_be_late(m, c)
    GROUP BY c.root, c.name
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('no expression in created fits table %s: all its keys get the time 1970-01-01', (m).relation)
    WHERE ((m).conversion).reads_times AND ((m).choices).created IS NULL AND (m).created_columns IS NOT NULL
      AND ((m).choices).rows_without_time = 'epoch'
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('takes up to about %s more of disk offline, %s online',
                  pg_size_pretty(min(e.disk) FILTER (WHERE e.mode = 'offline')),
                  pg_size_pretty(min(e.disk) FILTER (WHERE e.mode = 'online')))
    FROM estimates(ARRAY[m]) AS e;
END;

-- Pattern of a name as a word.
CREATE OR REPLACE FUNCTION word_pattern(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format(E'(?<![[:alnum:]_$])%s(?![[:alnum:]_$])', regexp_replace(name, E'([^[:alnum:]_])', E'\\\\\\1', 'g'));

-- Functions with their bodies in strings, which say nothing of what they need, that have the name of a table in them or
-- that a trigger of the table calls: those whose texts have a pattern. Of many texts, few name the table.
CREATE OR REPLACE FUNCTION functions_about(relation regclass, pattern text) RETURNS SETOF regprocedure
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH named AS MATERIALIZED (
        SELECT p.oid, left(p.prosrc, 100000) AS text, word_pattern(c.relname) AS table_,
               p.oid IN (SELECT t.tgfoid FROM members(ARRAY[relation]) AS m, pg_trigger AS t
                         WHERE t.tgrelid = m.relid AND NOT t.tgisinternal) AS is_trigger
        FROM pg_class AS c, pg_proc AS p
        WHERE c.oid = relation AND p.prosqlbody IS NULL
          AND (strpos(lower(p.prosrc), lower(c.relname)) > 0 OR p.prorettype = 'trigger'::regtype)
    )
    SELECT n.oid::regprocedure
    FROM named AS n
    WHERE n.text ~* pattern AND (n.is_trigger OR n.text ~* n.table_)
      AND NOT EXISTS (SELECT FROM references_of('pg_proc'::regclass, n.oid, NULL) AS d WHERE d.deptype = 'e')
    ORDER BY n.oid::regprocedure::text COLLATE "C";
END;

-- Part of conversion_remarks and summary: a sentence with the functions that may need columns to be of their type; NULL
-- if there are none.
CREATE OR REPLACE FUNCTION functions_to_look_at(ms migration[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT 'look whether these functions, which name columns, go on with another type: '
               || string_agg(DISTINCT f::text COLLATE "C", ', ' ORDER BY f::text COLLATE "C")
        FROM unnest(ms) AS m, unnest(m.columns) AS c, LATERAL functions_about(c.root, word_pattern(c.name)) AS f
        WHERE c.member = c.root AND (m.conversion).changes_type);

-- Part of conversion_remarks: whether a column may name a table: it is of texts or an enum, and its statistics, as far
-- as the view pg_stats shows the user any, have a value that ends with the name of the table, as App\Post for posts.
CREATE OR REPLACE FUNCTION may_name_table(relation regclass, attnum smallint, named regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT t.typcategory IN ('S', 'E')
               AND coalesce((SELECT bool_or(right(lower(replace(v, '_', '')), length(e)) = e)
                             FROM pg_stats AS s, unnest(s.most_common_vals::text::text[]) AS v, pg_class AS k,
                                  LATERAL unnest(endings(k.relname, '')) AS e
                             WHERE (s.schemaname, s.tablename, s.attname) = (n.nspname, c.relname, a.attname)
                               AND k.oid = named), true)
        FROM pg_class AS c, pg_namespace AS n, pg_attribute AS a, pg_type AS t
        WHERE c.oid = relation AND n.oid = c.relnamespace AND a.attrelid = c.oid AND a.attnum = may_name_table.attnum
          AND t.oid = a.atttypid);

-- Part of remarks.
CREATE OR REPLACE FUNCTION conversion_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT k.root, k.column_name, k.remark FROM look_up_remarks(m) AS k WHERE ((m).conversion).is_looked_up
    UNION ALL
    SELECT (m).relation, (m).column_name, f FROM functions_to_look_at(ARRAY[m]) AS f WHERE f IS NOT NULL
    UNION ALL
    SELECT (m).relation, (m).column_name,
           'look whether these functions, which call generators of former keys, generate this one: '
           || string_agg(f::text, ', ' ORDER BY f::text COLLATE "C")
    FROM functions_about((m).relation, format(E'\\m(%s)\\M', ((m).conversion).old_generators)) AS f
    WHERE ((m).conversion).old_generators IS NOT NULL HAVING count(*) > 0
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('column %I of table %s may hold numbers of several tables, as column %I says; %s',
                  a.attname, a.attrelid::regclass, t.attname,
                  CASE WHEN (c.oid, a.attname) IN (SELECT o.root, o.name FROM unnest((m).columns) AS o)
                       THEN 'each gets the key that the number has in this one' ELSE 'it stays as it is' END)
    FROM pg_attribute AS a, pg_attribute AS t, pg_class AS c
    WHERE t.attrelid = a.attrelid AND t.attnum > 0 AND is_type_column(t.attname, a.attname)
      AND c.oid = a.attrelid AND ((m).conversion).keeps_former AND may_name_table(c.oid, t.attnum, (m).relation)
      AND a.atttypid = ANY (((m).conversion).old_types) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace);
END;
