-- The offline mode: one transaction rewrites the tables.

-- A query locks a view before the tables that it reads. LOCK TABLE would lock all tables that the view reads; ALTER ... OWNER
-- to its owner locks the view alone.
CREATE OR REPLACE FUNCTION lock_statements(m migration) RETURNS TABLE (what text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    (SELECT c.oid::regclass::text, format(E'-- This locks the view, and changes nothing.\nALTER TABLE %s OWNER TO %s', c.oid::regclass, c.relowner::regrole)
     FROM unnest(affected_relations(m)) AS r JOIN pg_class AS c ON c.oid = r WHERE c.relkind IN ('v', 'm') ORDER BY c.oid DESC)
    UNION ALL
    SELECT 'all tables', format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', string_agg(c.oid::regclass::text, ', ' ORDER BY c.oid::regclass::text COLLATE "C"))
    FROM unnest(affected_relations(m)) AS r JOIN pg_class AS c ON c.oid = r WHERE c.relkind NOT IN ('v', 'm');
END;
COMMENT ON FUNCTION lock_statements(migration) IS
'part of script: the statements that lock all that the offline mode changes';

-- Each table is rewritten once, however many of its columns move.
CREATE OR REPLACE FUNCTION rewrite_statements(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s %s', t.relation, string_agg(t.clause, ', ' ORDER BY t.part, t.clause COLLATE "C"))
    FROM (SELECT c.root, 1, format('ALTER COLUMN %I TYPE %s USING %s', c.name, new_type((m).conversion), rewritten_value(m, c.name))
          FROM unnest((m).columns) AS c WHERE c.member = c.root
          UNION ALL
          SELECT c.root, 1, format('ALTER COLUMN %I DROP DEFAULT', c.name)
          FROM unnest((m).columns) AS c
          WHERE c.member = c.root AND changes_type((m).conversion) AND EXISTS (SELECT FROM new_defaults(m) AS n WHERE (n.root, n.name) = (c.root, c.name))
          UNION ALL
          SELECT d.relation, 2, d.clause FROM unnest((m).dependents) AS d WHERE d.clause IS NOT NULL) AS t (relation, part, clause)
    GROUP BY t.relation
    ORDER BY t.relation::text COLLATE "C";
END;
COMMENT ON FUNCTION rewrite_statements(migration) IS
'part of offline: the statements that rewrite the tables';

CREATE OR REPLACE FUNCTION offline(m migration) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    all_tables text := 'ACCESS EXCLUSIVE on all tables';
    is_looked_up boolean := uuidx_migrate.is_looked_up(m.conversion);
BEGIN
    RETURN QUERY SELECT 'check', 'none', uuidx_migrate.call_note_called(m);
    -- Whoever looks at a dropped foreign key or a view in between waits for the COMMIT.
    RETURN QUERY SELECT CASE WHEN is_looked_up THEN 'map' ELSE 'detach' END, 'none', s FROM unnest(ARRAY[uuidx_migrate.set_search_path(true), 'SET LOCAL check_function_bodies = off']) AS s
        WHERE cardinality(m.dependents) > 0 OR is_looked_up;
    RETURN QUERY SELECT 'map', 'none', s FROM uuidx_migrate.map_statements(m) AS s WHERE is_looked_up;
    RETURN QUERY
        SELECT 'detach', 'ACCESS EXCLUSIVE on ' || coalesce(d.relation::text, d.description), s
        FROM unnest(m.dependents) WITH ORDINALITY AS d, unnest(d.detach) AS s ORDER BY d.ordinality DESC;
    RETURN QUERY
        SELECT 'detach', all_tables, format('ALTER TABLE %s DROP CONSTRAINT %I', f.referencing, f.name) FROM unnest(m.foreign_keys) AS f;
    RETURN QUERY SELECT 'rewrite', all_tables, r FROM uuidx_migrate.rewrite_statements(m) AS r;
    RETURN QUERY SELECT 'rewrite', all_tables, d FROM uuidx_migrate.constant_defaults(m, 'offline') AS d WHERE is_looked_up;
    RETURN QUERY
        SELECT 'rewrite', all_tables, format(E'-- The former default is %s\nALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s',
                                             regexp_replace(d.old_default, E'[\r\n]', ' ', 'g'), d.member, d.name, d.new_default)
        FROM uuidx_migrate.new_defaults(m) AS d WHERE d.new_default IS NOT NULL;
    RETURN QUERY
        SELECT 'restore', all_tables, format('ALTER TABLE %s ADD CONSTRAINT %I %s', f.referencing, f.name, f.definition) FROM unnest(m.foreign_keys) AS f;
    RETURN QUERY
        SELECT 'restore', all_tables, format('COMMENT ON CONSTRAINT %I ON %s IS %L', f.name, f.referencing, f.comment)
        FROM unnest(m.foreign_keys) AS f WHERE f.comment IS NOT NULL;
    RETURN QUERY
        SELECT 'restore', all_tables, format('ALTER STATISTICS %s.%I SET STATISTICS %s', o.schema, o.name, s.stxstattarget)
        FROM uuidx_migrate.moved_statistics(m.columns) AS o JOIN pg_statistic_ext AS s ON s.oid = o.statistics
        WHERE s.stxstattarget >= 0;
    RETURN QUERY
        SELECT 'restore', 'ACCESS EXCLUSIVE on ' || coalesce(d.relation::text, d.description), s
        FROM unnest(m.dependents) WITH ORDINALITY AS d, unnest(d.restore) WITH ORDINALITY AS s (s, n) ORDER BY d.ordinality, s.n;
    RETURN QUERY SELECT 'restore', 'none', uuidx_migrate.call_check_called(m);
    RETURN QUERY SELECT 'restore', 'none', uuidx_migrate.reset_search_path(true) WHERE cardinality(m.dependents) > 0 OR is_looked_up;
    RETURN QUERY SELECT 'restore', 'none', format('DROP TABLE %s', uuidx_migrate.key_object(m, 'former')) WHERE is_looked_up AND (m.conversion).only_undoes;
    RETURN QUERY
        SELECT 'restore', format('ACCESS EXCLUSIVE on %s', v.matview), format('REFRESH MATERIALIZED VIEW %s', v.matview)
        FROM uuidx_migrate.stale_matviews(m.columns) AS v WHERE v.populated;
    RETURN QUERY SELECT 'restore', all_tables, format('ANALYZE %s', t) FROM unnest(uuidx_migrate.tables(m)) AS t;
END
$$;
COMMENT ON FUNCTION offline(migration) IS
'part of script: the statements between BEGIN and COMMIT that rewrite the tables';
