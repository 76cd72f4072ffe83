-- Columns that hold keys of a table although no foreign key ties them to it.

-- A caller must not run another role's code by reading its tables, beyond what SELECT on a plain table runs. So skip views,
-- foreign tables, virtual generated columns and tables whose row security is active for the caller.
CREATE OR REPLACE FUNCTION suspect_candidates(keys_table regclass, key_column name)
RETURNS TABLE (source regclass, descendants text, name name, type_name text, uuids text)
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT c.oid::regclass, CASE c.relkind WHEN 'r' THEN 'ONLY' END, a.attname, format_type(a.atttypid, a.atttypmod), k.uuids
    FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type AS t ON t.oid = a.atttypid
    CROSS JOIN (SELECT '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}') AS u (uuid)
    JOIN LATERAL (VALUES ('{uuid}'::regtype[], 'ARRAY[v]'),
                         ('{uuid[]}', 'v'),
                         ('{text,varchar,bpchar}', format('CASE WHEN v::text COLLATE "C" ~* ''^%s$'' THEN ARRAY[v::text::uuid] END', u.uuid)),
                         ('{jsonb}', format('ARRAY(SELECT m[1]::uuid FROM regexp_matches(v::text COLLATE "C", %L, ''gi'') AS m)', format(E'(?<!\\\\)"(%s)"', u.uuid))))
         AS k (types, uuids) ON coalesce(nullif(t.typbasetype, 0), t.oid) = ANY (k.types)
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attgenerated <> 'v'
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND NOT pg_is_other_temp_schema(n.oid)
      AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
      AND NOT row_security_active(c.oid)
      AND (c.oid, a.attname) NOT IN (SELECT m.relation, m.column_name FROM tied_columns(keys_table, key_column) AS m)
    ORDER BY c.oid::regclass::text COLLATE "C", a.attnum;
END;
COMMENT ON FUNCTION suspect_candidates(regclass, name) IS
'part of suspects: the columns that can be sampled, and the expression for the UUIDs in a value v';

-- To plan a query runs the functions in a table's indexes and statistics. So a superuser reads each table as its owner.
CREATE OR REPLACE FUNCTION sampled(relation regclass, query text) RETURNS jsonb
AS 'MODULE_PATHNAME', 'uuidx_sampled'
LANGUAGE C STABLE STRICT
SET search_path = pg_catalog, pg_temp;
COMMENT ON FUNCTION sampled(regclass, text) IS
'part of suspects: rows that a query returns, as an array; a superuser reads them with the rights of the owner of a relation';

-- In case a view or a foreign table takes a table's name meanwhile. Servers have this setting since August 2024.
CREATE OR REPLACE FUNCTION restrict_to_tables() RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM set_config('restrict_nonsystem_relation_kind', 'view, foreign-table', true)
    WHERE current_setting('restrict_nonsystem_relation_kind', true) IS NOT NULL;
END
$$;
COMMENT ON FUNCTION restrict_to_tables() IS
'part of suspects: keeps the transaction from reading views and foreign tables';

-- The inner blocks always end with an error, which rolls back that setting and releases the locks: a database may have
-- more tables than a transaction can lock.
CREATE OR REPLACE FUNCTION suspects(relation regclass, column_name name)
RETURNS TABLE (suspect regclass, suspect_column name, type text, sampled bigint, keys bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET jit = off
AS $$
DECLARE
    sampled_bytes CONSTANT numeric := 100 * current_setting('block_size')::integer;
    keys_table CONSTANT regclass := uuidx_migrate.root(relation);
    candidate record;
    bytes numeric;
    uuids jsonb;
    is_foreign boolean;
BEGIN
    PERFORM uuidx_migrate.check_column(relation, column_name);
    IF (SELECT c.relkind NOT IN ('r', 'p') FROM pg_class AS c WHERE c.oid = relation) THEN
        PERFORM uuidx_migrate.raise('42809', format('%s is not a table', relation));
    END IF;
    IF NOT has_column_privilege(keys_table, column_name, 'SELECT') OR row_security_active(keys_table) THEN
        PERFORM uuidx_migrate.raise('42501', format('you may not read all values in column "%s" of table %s', column_name, keys_table));
    END IF;
    FOR candidate IN
        SELECT c.* FROM uuidx_migrate.suspect_candidates(keys_table, column_name) AS c
    LOOP
        BEGIN
            PERFORM uuidx_migrate.restrict_to_tables();
            SELECT sum(pg_relation_size(c.oid)), bool_or(c.relkind = 'f') INTO bytes, is_foreign
            FROM (SELECT candidate.source UNION SELECT p.relid FROM pg_partition_tree(candidate.source) AS p) AS m (relid)
            JOIN pg_class AS c ON c.oid = m.relid;
            IF is_foreign THEN
                RAISE EXCEPTION 'one of its partitions is a foreign table';
            END IF;
            uuids := uuidx_migrate.sampled(candidate.source, format(
                'SELECT %s AS uuids
                 FROM (SELECT t.%I AS v FROM %s AS t TABLESAMPLE SYSTEM (%s) WHERE t.%2$I IS NOT NULL ORDER BY random() LIMIT 1000) AS r',
                candidate.uuids, candidate.name, concat_ws(' ', candidate.descendants, candidate.source),
                least(100, 100 * sampled_bytes / nullif(bytes, 0))));
            SELECT r.sampled, r.keys INTO sampled, keys
            FROM jsonb_to_recordset(uuidx_migrate.sampled(keys_table, format(
                'SELECT count(*) AS sampled, count(*) FILTER (WHERE EXISTS (SELECT FROM %s AS k WHERE k.%I = ANY (s.uuids))) AS keys
                 FROM jsonb_to_recordset(%L) AS s (uuids uuid[])', keys_table, column_name, uuids))) AS r (sampled bigint, keys bigint);
            RAISE EXCEPTION USING ERRCODE = 'UUIDX';
        EXCEPTION
            WHEN SQLSTATE 'UUIDX' THEN
                IF keys > 0 THEN
                    suspect := candidate.source;
                    suspect_column := candidate.name;
                    type := candidate.type_name;
                    RETURN NEXT;
                END IF;
            WHEN OTHERS THEN
                RAISE WARNING 'could not sample column "%" of table %: %', candidate.name, candidate.source, SQLERRM;
        END;
    END LOOP;
END
$$;
COMMENT ON FUNCTION suspects(regclass, name) IS
'the columns of this database that hold keys of a table without a foreign key: how many of the sampled values are or contain one';
