-- Functions that take the columns of a table by their positions, or whole rows of it, with their bodies in strings.
-- PostgreSQL knows what others read (positional_readers).

-- Part of positional_functions: whether a text takes whole rows of a relation, by its name. Comments may stand between
-- any two words. With a character in place of the name, the patterns are the same for all relations, and the server
-- compiles them once. No repetition can begin inside of another one, so that the time grows with the length of the text
-- alone, which anybody may have written.
CREATE OR REPLACE FUNCTION takes_rows(text text, name text) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT t ~* concat(E'\\minsert\\s+into\\s+', n, E'(\\s+as\\s+\\S+)?\\s*\\(?\\s*',
                           E'(values|select|table|with|overriding)\\M',
                           E'|\\mcopy\\s+', n, E'\\s+(from|to)\\M|\x01\\s*%\\s*rowtype\\M|::\\s*', n,
                           E'|\\mas\\s+', n, E'\\s*\\)|(?<!\\m(lock|truncate|alter|create|drop)\\s+)\\mtable\\s+', n,
                           E'|(\\mdeclare|;)\\s*[^[:space:];]+\\s+(constant\\s+)?', n,
                           E'(\\[\\])?\\s*(;|:?=|(default|not)\\M)|\\(\\s*\x01\\s*[,)]')
               OR t ~* concat(E'(\\m(from|join|into|update|using|only)\\s+|,\\s*)', n)
                  AND t ~* concat(E'([.,]|\\m(select|all|distinct|returning)\\M',
                                  E'|\\)(?=\\s*\\*\\s*(,|(from|into)\\M)))\\s*\\*')
               OR t ~* concat(E'\\mmerge\\s+into\\s+(only\\s+)?', n) AND t ~* E'\\minsert\\s+(values|overriding)\\M'
        FROM regexp_replace(text, concat(E'(\'(?:[^\']|\'\')*\'|"(?:[^"]|"")*")|--[^\n]*',
                                         E'|/\\*(?:[^*]|\\*+[^*/])*(?:\\*+/|\\**$)'), E'\\1 ', 'g') AS s,
             regexp_replace(s, format('"?%s"?', word_pattern(name)), E'\x01', 'gi') AS t,
             (VALUES (E'(("[^"]*"|[^[:space:]"(,;:]+)\\s*\\.\\s*)?\x01')) AS r (n));

-- Part of position_remarks: the functions. The catalogs know those that have the table's row type as an argument or a
-- result; those of its triggers, and any function that names the table, only their texts can tell. What a trigger
-- returns is its row, whatever columns that has.
CREATE OR REPLACE FUNCTION positional_functions(relation regclass) RETURNS SETOF regprocedure
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH members AS MATERIALIZED (SELECT m.relid FROM uuidx_migrate_steps.members(ARRAY[relation]) AS m),
        triggers AS MATERIALIZED (
            SELECT t.tgfoid, t.tgoldtable, t.tgnewtable
            FROM members AS m, pg_trigger AS t WHERE t.tgrelid = m.relid AND NOT t.tgisinternal
        ),
        named (oid, name) AS (
            -- The patterns take ten times as long as strpos, and extension_of longer than that.
            SELECT f.oid, f.name
            FROM (SELECT p.oid, n.name
                  FROM pg_class AS c, LATERAL replace(c.relname, '"', '""') AS n (name), pg_proc AS p
                  WHERE c.oid = relation AND p.oid >= 16384 -- PostgreSQL's own have other OIDs.
                    AND p.pronamespace <> ALL ('{uuidx_migrate,uuidx_migrate_steps}'::regnamespace[])
                    AND strpos(lower(p.prosrc), lower(n.name)) > 0
                  OFFSET 0) AS f
            WHERE uuidx_migrate_steps.extension_of('pg_proc'::regclass::oid, f.oid) IS NULL
            UNION
            SELECT t.tgfoid, n FROM triggers AS t, unnest(ARRAY[t.tgoldtable, t.tgnewtable]) AS n WHERE n IS NOT NULL
        ),
        texts AS MATERIALIZED (
            SELECT n.*, p.prosrc, sum(length(p.prosrc)) OVER (ORDER BY length(p.prosrc), n.oid, n.name) AS length
            FROM named AS n, pg_proc AS p WHERE p.oid = n.oid
        ),
        found AS (
            SELECT d.objid
            FROM members AS m, LATERAL uuidx_migrate_steps.dependents_of_rows(m.relid::regclass) AS d
            WHERE d.classid = 'pg_proc'::regclass
            UNION
            -- Anybody may have written any number of texts. The shortest are read, and the others may take rows.
            SELECT t.oid FROM texts AS t WHERE t.length > 1000000 OR uuidx_migrate_steps.takes_rows(t.prosrc, t.name)
            UNION
            SELECT g.tgfoid
            FROM triggers AS g, pg_proc AS p
            WHERE p.oid = g.tgfoid
              AND regexp_replace(p.prosrc, E'\\mreturn\\M[^;]*', '', 'gi')
                  ~* E'\\m(old|new)\\M\\s*(\\.\\s*\\*|[,);]|::|is\\M|[<>=])'
        )
        SELECT p.oid::regprocedure
        FROM found AS f, pg_proc AS p WHERE p.oid = f.objid AND p.prosqlbody IS NULL;
END
$$;

-- Part of position_remarks: what changes the positions of columns, or their types, in each mode.
CREATE OR REPLACE FUNCTION position_changes(m migration)
RETURNS TABLE (root regclass, name name, mode text, change text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, v.mode, v.change
    FROM unnest((m).columns) AS c, pg_attribute AS k, LATERAL (VALUES
        ('online', format(CASE WHEN shadow_conversion(c.root, c.name) IS NULL
                               THEN 'the phase shadow adds %1$I, the cutover swaps its name with %2$I'
                               ELSE 'the cutover swaps the names of %1$I and %2$I' END || ', and finish drops %1$I',
                          c.shadow, c.name)),
        ('offline', CASE WHEN ((m).conversion).changes_type AND NOT is_text(m, c)
                         THEN format('%I changes its type', c.name) END),
        ('offline', CASE WHEN NOT ((m).conversion).keeps_former THEN NULL
                         WHEN ((m).conversion).only_undoes THEN format('%I is dropped', c.shadow)
                         WHEN is_key(m, c) OR c.type <> k.atttypid
                         THEN format('%I is added, and finish drops it', c.shadow) END)) AS v (mode, change)
    WHERE k.attrelid = (m).relation AND k.attname = (m).column_name AND v.change IS NOT NULL
    UNION ALL
    SELECT c.root, c.name, 'offline', format('%I is dropped, and added again as the last one', a.attname)
    FROM unnest((m).dependents) AS d, pg_attrdef AS e, pg_attribute AS a, unnest((m).columns) AS c
    WHERE d.kind = 'generated column' AND e.oid = d.objid AND (a.attrelid, a.attnum) = (e.adrelid, e.adnum)
      AND c.member = d.relation;
END;

-- Part of remarks.
CREATE OR REPLACE FUNCTION position_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH changes AS MATERIALIZED (
        SELECT p.root, p.mode, min(p.name) AS name, string_agg(DISTINCT p.change, '; ' ORDER BY p.change) AS changes
        FROM position_changes(m) AS p GROUP BY p.root, p.mode
    ),
    functions AS MATERIALIZED (
        SELECT r.root, string_agg(f::text, ', ' ORDER BY f::text COLLATE "C") AS names
        FROM (SELECT DISTINCT c.root FROM changes AS c) AS r, LATERAL positional_functions(r.root) AS f GROUP BY r.root
    )
    SELECT c.root, c.name, format('%s: %s; functions that may take whole rows of table %s, or columns by position: %s',
                                  c.mode, c.changes, c.root, f.names)
    FROM changes AS c, functions AS f WHERE f.root = c.root;
END;
