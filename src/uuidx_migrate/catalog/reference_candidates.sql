-- The columns that may hold keys of a table.

-- Part of reference_candidates: whether a column is named after the key of a table: for customers.id, as customer_id,
-- customerId, customer or billing_customer_id; for customers.code, also as code.
CREATE OR REPLACE FUNCTION is_named_after(column_name name, keys_table regclass, key_column name) RETURNS boolean
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    WITH endings (ending) AS (
        SELECT regexp_replace(c.relname, p.plural, p.singular) || s
        FROM pg_class AS c, (VALUES ('$', ''), ('s$', ''), ('es$', ''), ('ies$', 'y')) AS p (plural, singular),
             unnest(ARRAY[key_column, '']) AS s
        WHERE c.oid = keys_table
        UNION ALL
        SELECT key_column WHERE key_column <> 'id'
    )
    SELECT bool_or(right(n.name, length(n.ending)) = n.ending)
    FROM endings AS e, LATERAL (SELECT lower(replace(is_named_after.column_name, '_', '')),
                                       lower(replace(e.ending, '_', ''))) AS n (name, ending);
END;

-- Part of find_references: the columns that can be sampled, and the expression for the possible keys in a value v, as
-- an array. A UUID may be written in upper case; other keys are compared as they are. Any number looks like a key: only
-- the name of a column tells, and that it references nothing else. A caller must not run another
-- role's code by reading its tables, beyond what SELECT on a plain table runs. So skip views, foreign tables, virtual
-- generated columns and tables whose row security is active for the caller.
CREATE OR REPLACE FUNCTION reference_candidates(keys_table regclass, key_column name)
RETURNS TABLE (source regclass, descendants text, name name, type_name text, found text)
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT c.oid::regclass, CASE c.relkind WHEN 'r' THEN 'ONLY' END, a.attname,
           format_type(a.atttypid, a.atttypmod), k.found
    FROM pg_class AS c, pg_namespace AS n, pg_attribute AS a, pg_type AS t,
         (SELECT '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}') AS u (uuid), pg_attribute AS key,
         LATERAL (VALUES ('U', '{uuid}'::regtype[], 'ARRAY[v]'),
                         ('U', '{uuid[]}', 'v'),
                         ('U', '{text,varchar,bpchar}',
                          format('CASE WHEN v::text COLLATE "C" ~* ''^%s$'' THEN ARRAY[v::text::uuid] END', u.uuid)),
                         ('U', '{jsonb}',
                          format('ARRAY(SELECT m[1]::uuid FROM regexp_matches(v::text COLLATE "C", %L, ''gi'') AS m)',
                                 format(E'(?<!\\\\)"(%s)"', u.uuid))),
                         ('S', '{uuid}', 'ARRAY[v::text]'),
                         ('S', '{uuid[],text[],varchar[]}', 'v::text[]'),
                         ('S', '{text,varchar,bpchar}',
                          'CASE WHEN octet_length(v::text) <= 100 THEN ARRAY[v::text] END'),
                         ('S', '{jsonb}',
                          format('ARRAY(SELECT m[1] FROM regexp_matches(v::text, %L, ''g'') AS m)',
                                 '"([^"]{1,100})"')),
                         ('N', '{smallint,integer,bigint}', 'ARRAY[v::bigint]'))
         AS k (category, types, found)
    WHERE n.oid = c.relnamespace AND a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      AND t.oid = a.atttypid AND key.attrelid = keys_table AND key.attname = key_column
      AND k.category = (SELECT y.typcategory FROM pg_type AS y WHERE y.oid = key.atttypid)
      AND (k.category <> 'N'
           OR is_named_after(a.attname, keys_table, key_column) AND a.attidentity = ''
              AND NOT EXISTS (SELECT FROM pg_constraint AS f
                              WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey)))
      AND coalesce(nullif(t.typbasetype, 0), t.oid) = ANY (k.types) AND c.relkind IN ('r', 'p')
      AND NOT c.relispartition AND a.attgenerated <> 'v' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
      AND NOT pg_is_other_temp_schema(n.oid) AND has_schema_privilege(n.oid, 'USAGE')
      AND has_column_privilege(c.oid, a.attnum, 'SELECT') AND NOT row_security_active(c.oid)
      AND (c.oid, a.attname) NOT IN (SELECT m.relation, m.column_name
                                     FROM connected_columns(keys_table, key_column) AS m)
    ORDER BY c.oid::regclass::text COLLATE "C", a.attnum;
END;

-- Part of find_references: rows that a query returns, as an array; a superuser reads them with the rights of the
-- owner of a relation. To plan a query runs the functions in a table's indexes and statistics. So a superuser reads
-- each table as its owner.
CREATE OR REPLACE FUNCTION sampled(relation regclass, query text) RETURNS jsonb
AS 'MODULE_PATHNAME', 'uuidx_sampled'
LANGUAGE C STABLE STRICT
SET search_path = pg_catalog, pg_temp;

-- Part of find_references: keeps the transaction from reading views and foreign tables, in case one of them takes a
-- table's name meanwhile. Servers have this setting since August 2024.
CREATE OR REPLACE FUNCTION restrict_to_tables() RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM set_config('restrict_nonsystem_relation_kind', 'view, foreign-table', true)
    WHERE current_setting('restrict_nonsystem_relation_kind', true) IS NOT NULL;
END
$$;
