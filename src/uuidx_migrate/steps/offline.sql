-- The offline mode: one transaction rewrites the tables.

-- Part of rewrite_statements: the columns that are rewritten, with the clauses of ALTER TABLE for their new values. A
-- column may hold the keys of several tables: what is not among those of one is looked up among those of the next.
CREATE OR REPLACE FUNCTION rewritten_columns(ms migration[]) RETURNS TABLE (root regclass, clause text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT u.root, format('ALTER COLUMN %I TYPE %s USING %s', u.name, u.type,
                          with_key(quote_ident(u.name), u.is_text,
                                   concat(string_agg(u.look_up, '' ORDER BY u.n), u.otherwise,
                                          repeat(')', count(u.look_up)::integer), u.cast_)))
    FROM (SELECT c.root, c.name, row_number() OVER () AS n, is_text(m, c) AS is_text, v.*
          FROM unnest(ms) AS m, unnest(m.columns) AS c, LATERAL new_value(m, c) AS v WHERE c.member = c.root) AS u
    GROUP BY u.root, u.name, u.type, u.is_text, u.otherwise, u.cast_
    UNION ALL
    SELECT m.relation, b FROM unnest(ms) AS m, LATERAL number_clauses(m) AS b;
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
    maps CONSTANT text[] := ARRAY(
        SELECT s FROM unnest(ms) AS k, LATERAL uuidx_migrate_steps.map_statements(k) AS s);
    changes CONSTANT uuidx_migrate_steps.change[] := ARRAY(SELECT c FROM uuidx_migrate_steps.changes_offline(m) AS c);
    stale CONSTANT regclass[] := ARRAY(SELECT v.matview FROM uuidx_migrate_steps.refreshed_matviews(m) AS v);
BEGIN
    -- Whoever looks at a dropped foreign key or a view in between waits for the COMMIT.
    RETURN QUERY
        SELECT CASE WHEN maps <> '{}' THEN 'map' ELSE 'detach' END, 'SET LOCAL check_function_bodies = off'
        WHERE cardinality(m.dependents) > 0 OR maps <> '{}';
    RETURN QUERY SELECT 'map', s FROM unnest(maps) AS s;
    RETURN QUERY SELECT 'detach', s FROM unnest(uuidx_migrate_steps.taken_down(changes)) AS s;
    RETURN QUERY
        SELECT 'rewrite', s FROM unnest(ms) AS k, LATERAL uuidx_migrate_steps.statements_before_rewrite(k) AS s;
    RETURN QUERY SELECT 'rewrite', r FROM uuidx_migrate_steps.rewrite_statements(ms, m) AS r;
    RETURN QUERY
        SELECT 'rewrite', s FROM unnest(ms) AS k, LATERAL uuidx_migrate_steps.statements_after_rewrite(k) AS s;
    RETURN QUERY SELECT 'rewrite', s FROM uuidx_migrate_steps.indexes_named(m) AS s;
    RETURN QUERY
        SELECT 'rewrite', d FROM unnest(ms) AS k, LATERAL uuidx_migrate_steps.constant_defaults(k, 'offline') AS d;
    RETURN QUERY SELECT 'rewrite', s FROM uuidx_migrate_steps.defaults_put_up(m) AS s;
    RETURN QUERY SELECT 'restore', s FROM unnest(uuidx_migrate_steps.put_up(changes)) AS s;
    RETURN QUERY SELECT 'restore', d FROM unnest(ms) AS k, LATERAL uuidx_migrate_steps.drop_map(k) AS d;
    -- They are refreshed when it is known that their queries mean what they meant.
    RETURN QUERY
        SELECT 'restore', s
        FROM unnest(format('SELECT uuidx_migrate_steps.check_dependencies(%s)',
                           uuidx_migrate_steps.relation_list(uuidx_migrate_steps.affected_relations(m)))
                    || uuidx_migrate_steps.refresh_statements(stale::text[])) AS s
        WHERE cardinality(stale) > 0;
    RETURN QUERY SELECT 'restore', format('ANALYZE %s', t) FROM unnest(uuidx_migrate_steps.tables(m)) AS t;
END
$$;
