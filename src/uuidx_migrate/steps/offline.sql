-- The offline mode: one transaction rewrites the tables.

-- Part of rewritten_columns: beginning of a call, as text, that looks up the new value of a column in the table of the
-- former keys. Its last argument is the value of what is not there.
CREATE OR REPLACE FUNCTION map_look_up(m migration, c migrated_column) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format(CASE WHEN ((m).conversion).makes_keys
                   THEN 'uuidx_migrate_steps.lookup(%s, ''former_key''::pg_catalog.name, ''key''::pg_catalog.name, %s, '
                   ELSE 'uuidx_migrate_steps.lookup(%s, ''key''::pg_catalog.name, ''former_key''::pg_catalog.name, %s, '
                   END,
              typed(key_object(m, 'former'), 'regclass'), key_in(quote_ident((c).name), is_text(m, c)));

-- The table of the former keys, if there is one that belongs to the owner of the key or a superuser.
CREATE OR REPLACE FUNCTION map_of(m migration) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT c.oid::regclass
        FROM pg_class AS k, pg_class AS c, pg_roles AS o
        WHERE c.relnamespace = k.relnamespace AND o.oid = c.relowner AND (o.oid = k.relowner OR o.rolsuper)
          AND k.oid = (m).relation AND c.relkind = 'r' AND c.relname = key_object_name(m, 'former')
          AND ((m).conversion).is_looked_up AND NOT ((m).conversion).keeps_former);

-- Whether an offline script has left the former keys, in that table or beside the new ones.
CREATE OR REPLACE FUNCTION has_map(m migration) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN has_numbers(m) OR map_of(m) IS NOT NULL;

-- --- Which columns have the new keys ---
--
-- An undo that leaves one out would drop what says whose keys it has. So each is recorded with the former keys, where
-- only their owner can write: the name of a constraint has that of the column, and its condition, which always holds,
-- the table.

-- Name of such a constraint.
CREATE OR REPLACE FUNCTION record_name(number text, column_name name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(n) <= 63 THEN n ELSE concat(number, ' ', md5(column_name)) END
        FROM concat(number, ' ', column_name) AS n);

-- Clauses of ALTER TABLE, for the table that has the former keys in a column, that record the other columns. A dump
-- creates the table with them: they do not name it.
CREATE OR REPLACE FUNCTION record_clauses(m migration, former name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ADD CONSTRAINT %I CHECK (%I IS NULL OR %s IS NOT NULL)', record_name(c.n::text, c.name), former,
                  CASE WHEN c.root = (m).relation THEN quote_ident(former) ELSE typed(c.root::text, 'regclass') END)
    FROM (SELECT u.root, u.name, row_number() OVER ()
          FROM unnest((m).columns) AS u WHERE u.member = u.root AND NOT is_key(m, u)) AS c (root, name, n);
END;

-- The columns that are recorded; the name is NULL if the table has no such column any more.
CREATE OR REPLACE FUNCTION recorded_columns(m migration)
RETURNS TABLE (former regclass, record name, relation regclass, name name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.conrelid::regclass, k.conname, t.relation,
           (SELECT a.attname FROM pg_attribute AS a
            WHERE a.attrelid = t.relation AND a.attnum > 0
              AND record_name(split_part(k.conname, ' ', 1), a.attname) = k.conname)
    FROM (SELECT (m).relation, shadow_name((m).column_name) WHERE has_numbers(m)
          UNION ALL
          SELECT map_of(m), 'former_key') AS f (relation, name), pg_attribute AS c,
         pg_constraint AS k LEFT JOIN LATERAL references_of('pg_constraint'::regclass, k.oid, NULL) AS d
                            ON d.refclassid = 'pg_class'::regclass AND d.refobjsubid = 0,
         LATERAL (SELECT coalesce(d.refobjid::regclass, (m).relation)) AS t (relation)
    WHERE c.attrelid = f.relation AND c.attname = f.name AND k.conrelid = c.attrelid AND k.conkey = ARRAY[c.attnum]
      AND k.contype = 'c' AND k.conname ~ '^[0-9]+ ';
END;

-- Part of rewrite_statements: the columns that are rewritten, with the clauses of ALTER TABLE for their new values. A
-- column may hold the keys of several tables: what is not among those of one is looked up among those of the next.
CREATE OR REPLACE FUNCTION rewritten_columns(ms migration[]) RETURNS TABLE (root regclass, clause text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT u.root, format('ALTER COLUMN %I TYPE %s USING %s', u.name, u.type,
                          CASE WHEN u.is_looked_up
                               THEN with_key(quote_ident(u.name), u.is_text,
                                             concat(string_agg(u.look_up, '' ORDER BY u.n), u.otherwise,
                                                    repeat(')', count(*)::integer), u.cast_))
                               ELSE u.value END)
    FROM (SELECT c.root, c.name, row_number() OVER () AS n, shadow_type(m, c) AS type,
                 (m.conversion).is_looked_up AS is_looked_up, is_text(m, c) AS is_text,
                 map_look_up(m, c) AS look_up, CASE WHEN n.is_number THEN '::' || number_type(m, c) END AS cast_,
                 CASE WHEN n.is_number
                      THEN 'NULL::' || (SELECT number_type(m, k) FROM unnest(m.columns) AS k WHERE is_key(m, k))
                      WHEN (m.conversion).changes_type OR is_text(m, c) THEN 'NULL::' || new_type(m.conversion)
                      ELSE quote_ident(c.name) END AS otherwise,
                 with_key(quote_ident(c.name), is_text(m, c), new_key(key_in(quote_ident(c.name), is_text(m, c)),
                                                                      m.conversion, (m.choices).other_values)) AS value
          FROM unnest(ms) AS m, unnest(m.columns) AS c,
               LATERAL (SELECT (m.conversion).keeps_former AND (m.conversion).only_undoes) AS n (is_number)
          WHERE c.member = c.root) AS u
    GROUP BY u.root, u.name, u.type, u.is_looked_up, u.is_text, u.otherwise, u.cast_, u.value
    UNION ALL
    SELECT m.relation, format('ALTER COLUMN %I TYPE %s USING %I',
                              shadow_name(m.column_name), format_type(a.atttypid, NULL), m.column_name)
    FROM unnest(ms) AS m, pg_attribute AS a
    WHERE a.attrelid = m.relation AND a.attname = m.column_name AND (m.conversion).keeps_former
      AND NOT (m.conversion).only_undoes
    UNION ALL
    SELECT m.relation, r FROM unnest(ms) AS m, LATERAL record_clauses(m, shadow_name(m.column_name)) AS r
    WHERE (m.conversion).keeps_former AND NOT (m.conversion).only_undoes;
END;

-- Part of offline_steps: statements that make the table of the former keys, or make it ready for an undo.
CREATE OR REPLACE FUNCTION map_statements(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s
    FROM (SELECT key_object(m, 'former')) AS n (map),
         unnest(created_function(m)
                || ARRAY[format('CREATE TABLE %s AS SELECT k.former_key, k.key '
                                'FROM (SELECT r.%I AS former_key, %s AS key FROM %s AS r) AS k%s',
                                n.map, (m).column_name, key_value(m), (m).relation,
                                CASE WHEN NOT ((m).conversion).changes_type
                                     THEN ' WHERE k.key OPERATOR(pg_catalog.<>) k.former_key' END),
                         give_to_owner(m, 'TABLE ' || n.map),
                         format('CREATE UNIQUE INDEX ON %s (former_key) INCLUDE (key)', n.map),
                         (SELECT format('ALTER TABLE %s %s', n.map, string_agg(r || ' NOT VALID', ', '))
                          FROM record_clauses(m, 'former_key') AS r
                          WHERE NOT ((m).conversion).keeps_former HAVING count(*) > 0)]
                || ARRAY(SELECT drop_created_function(m) WHERE ((m).choices).created IS NOT NULL)) AS s
    WHERE s IS NOT NULL AND ((m).conversion).makes_keys
    UNION ALL
    SELECT s
    FROM (SELECT key_object(m, 'former')) AS n (map),
         unnest(ARRAY(SELECT format('CREATE TABLE %s AS SELECT r.%I AS former_key, r.%I AS key FROM %s AS r',
                                    n.map, shadow_name((m).column_name), (m).column_name, (m).relation)
                      WHERE ((m).conversion).keeps_former)
                || ARRAY[give_to_owner(m, 'TABLE ' || n.map),
                         format('CREATE UNIQUE INDEX ON %s (key) INCLUDE (former_key)', n.map)]) AS s
    WHERE s IS NOT NULL AND ((m).conversion).is_looked_up AND ((m).conversion).only_undoes;
END;

-- Part of offline_steps: the statements that rewrite the tables. Each table is rewritten once, however many of its
-- columns are migrated.
CREATE OR REPLACE FUNCTION rewrite_statements(ms migration[], together migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s %s', t.relation, string_agg(t.clause, ', ' ORDER BY t.part, t.clause COLLATE "C"))
    FROM (SELECT c.root, 1, c.clause FROM rewritten_columns(ms) AS c
          UNION ALL
          SELECT c.root, 1, format('ALTER COLUMN %I DROP DEFAULT', c.name)
          FROM unnest((together).columns) AS c
          WHERE c.member = c.root AND ((together).conversion).changes_type
            AND EXISTS (SELECT FROM unnest((together).defaults) AS n WHERE (n.root, n.name) = (c.root, c.name))
          UNION ALL
          SELECT d.relation, 2, generated_column_clause(d.objid)
          FROM unnest((together).dependents) AS d WHERE d.kind = 'generated column') AS t (relation, part, clause)
    GROUP BY t.relation
    ORDER BY t.relation::text COLLATE "C";
END;

-- Part of check_script and offline_script: the statements that rewrite the tables, with their phases, for migrations
-- and all of them together.
CREATE OR REPLACE FUNCTION offline_steps(ms migration[], m migration) RETURNS TABLE (phase text, sql text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_looked_up CONSTANT boolean := (m.conversion).is_looked_up;
    changes CONSTANT uuidx_migrate_steps.change[] := ARRAY(SELECT c FROM uuidx_migrate_steps.changes_offline(m) AS c);
    stale CONSTANT regclass[] := ARRAY(SELECT v.matview FROM uuidx_migrate_steps.refreshed_matviews(m) AS v);
BEGIN
    -- Whoever looks at a dropped foreign key or a view in between waits for the COMMIT.
    RETURN QUERY
        SELECT CASE WHEN is_looked_up THEN 'map' ELSE 'detach' END, 'SET LOCAL check_function_bodies = off'
        WHERE cardinality(m.dependents) > 0 OR is_looked_up;
    RETURN QUERY
        SELECT 'map', s FROM unnest(ms) AS k, LATERAL uuidx_migrate_steps.map_statements(k) AS s WHERE is_looked_up;
    RETURN QUERY SELECT 'detach', s FROM unnest(uuidx_migrate_steps.taken_down(changes)) AS s;
    RETURN QUERY
        SELECT 'rewrite', s FROM unnest(ms) AS k, LATERAL uuidx_migrate_steps.statements_before_rewrite(k) AS s;
    RETURN QUERY SELECT 'rewrite', r FROM uuidx_migrate_steps.rewrite_statements(ms, m) AS r;
    RETURN QUERY
        SELECT 'rewrite', s FROM unnest(ms) AS k, LATERAL uuidx_migrate_steps.statements_after_rewrite(k) AS s;
    RETURN QUERY SELECT 'rewrite', s FROM uuidx_migrate_steps.indexes_named(m) AS s;
    RETURN QUERY
        SELECT 'rewrite', d FROM unnest(ms) AS k, LATERAL uuidx_migrate_steps.constant_defaults(k, 'offline') AS d
        WHERE is_looked_up;
    RETURN QUERY SELECT 'rewrite', s FROM uuidx_migrate_steps.defaults_put_up(m) AS s;
    RETURN QUERY SELECT 'restore', s FROM unnest(uuidx_migrate_steps.put_up(changes)) AS s;
    RETURN QUERY
        SELECT 'restore', format('DROP TABLE %s', uuidx_migrate_steps.key_object(k, 'former')) FROM unnest(ms) AS k
        WHERE is_looked_up AND ((m.conversion).only_undoes OR (m.conversion).keeps_former);
    -- What a query of a view calls finds its names as in the session, but not before it is known to be the same.
    RETURN QUERY
        SELECT 'restore', s
        FROM unnest(format('SELECT uuidx_migrate_steps.check_dependencies(%s)',
                           uuidx_migrate_steps.relation_list(uuidx_migrate_steps.affected_relations(m)))
                    || ARRAY['SELECT uuidx_migrate_steps.reset_definition_settings(true)']
                    || ARRAY(SELECT format('REFRESH MATERIALIZED VIEW %s', v) FROM unnest(stale) AS v)
                    || ARRAY['SELECT uuidx_migrate_steps.set_definition_settings(true)']) AS s
        WHERE cardinality(stale) > 0;
    RETURN QUERY SELECT 'restore', format('ANALYZE %s', t) FROM unnest(uuidx_migrate_steps.tables(m)) AS t;
END
$$;
