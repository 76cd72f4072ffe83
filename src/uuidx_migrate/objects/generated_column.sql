-- Stored and virtual generated columns.

-- Clause of ALTER TABLE that adds a generated column.
CREATE OR REPLACE FUNCTION generated_column_clause(default_ oid) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('ADD COLUMN %I %s%s GENERATED ALWAYS AS (%s) %s%s', a.attname,
                      format_type(a.atttypid, a.atttypmod),
                      ' COLLATE ' || nullif(nullif(a.attcollation, 0), t.typcollation)::regcollation,
                      pg_get_expr(d.adbin, d.adrelid),
                      CASE a.attgenerated WHEN 's' THEN 'STORED' ELSE 'VIRTUAL' END,
                      CASE WHEN a.attnotnull THEN ' NOT NULL' END)
        FROM pg_attrdef AS d, pg_attribute AS a, pg_type AS t
        WHERE (a.attrelid, a.attnum) = (d.adrelid, d.adnum) AND t.oid = a.atttypid AND d.oid = default_);

-- Part of generated_column_change: what stands over a generated column, without what stands over a later one of these,
-- too.
CREATE OR REPLACE FUNCTION over_generated_column(default_ oid, later oid[]) RETURNS TABLE (classid oid, objid oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT x.classid, x.objid
    FROM pg_attrdef AS d, LATERAL dependents_of('pg_class'::regclass, d.adrelid, d.adnum) AS x
    WHERE d.oid = default_
      AND NOT EXISTS (SELECT FROM pg_attrdef AS l, LATERAL references_of(x.classid, x.objid, NULL) AS y
                      WHERE l.oid = ANY (later) AND (y.refclassid, y.refobjid, y.refobjsubid)
                                                    = ('pg_class'::regclass, l.adrelid, l.adnum));
END;

-- Part of dependent_change: a generated column. It is dropped, with its indexes and constraints, and added again by
-- generated_column_clause, at the end of its table.
CREATE OR REPLACE FUNCTION generated_column_change(m migration, o object) RETURNS change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH over AS MATERIALIZED (
        SELECT x.classid, x.objid
        FROM over_generated_column((o).objid, ARRAY(
                 SELECT l.objid FROM unnest(((m).dependents)[array_position((m).dependents, o) + 1:]) AS l
                 WHERE l.kind = 'generated column')) AS x
    )
    SELECT recreated(
               o, ARRAY[format('%s DROP COLUMN %I', n.command, a.attname)],
               ARRAY(SELECT column_storage(a.attrelid, a.attnum, n.command, a.attname))
               || ARRAY(SELECT column_properties(a.attrelid, a.attnum, n.command, (o).relation::text, a.attname))
               || ARRAY(SELECT s.sql
                        FROM pg_index AS i,
                             unnest(rtrim(pg_get_indexdef(i.indexrelid))
                                    || ARRAY(SELECT index_properties(i.indexrelid, i.indexrelid::regclass::text)))
                             WITH ORDINALITY AS s (sql, n)
                        WHERE i.indexrelid IN (SELECT x.objid FROM over AS x WHERE x.classid = 'pg_class'::regclass)
                        ORDER BY i.indexrelid::regclass::text COLLATE "C", s.n)
               || ARRAY(SELECT s.sql
                        FROM pg_constraint AS k,
                             unnest(ARRAY[format('%s ADD CONSTRAINT %I %s',
                                                 n.command, k.conname, pg_get_constraintdef(k.oid)),
                                          constraint_comment((o).relation, k.conname, k.oid)])
                             WITH ORDINALITY AS s (sql, n)
                        WHERE s.sql IS NOT NULL AND k.contype <> 'n'
                          AND k.oid IN (SELECT x.objid FROM over AS x WHERE x.classid = 'pg_constraint'::regclass)
                        ORDER BY k.conname, s.n)
               || ARRAY(SELECT s.sql
                        FROM pg_statistic_ext AS e,
                             unnest(statistics_definition(e.oid, '', e.stxname, (o).relation::text, '{}')
                                    || ARRAY(SELECT statistics_properties(
                                                 e.oid, format('%s.%I', e.stxnamespace::regnamespace, e.stxname))))
                             WITH ORDINALITY AS s (sql, n)
                        WHERE e.oid IN (SELECT x.objid FROM over AS x WHERE x.classid = 'pg_statistic_ext'::regclass)
                        ORDER BY e.stxnamespace::regnamespace::text COLLATE "C", e.stxname, s.n))
    FROM pg_attrdef AS d, pg_attribute AS a, LATERAL format('ALTER TABLE %s', (o).relation) AS n (command)
    WHERE (a.attrelid, a.attnum) = (d.adrelid, d.adnum) AND d.oid = (o).objid;
END;

-- Part of obstacles_online.
CREATE OR REPLACE FUNCTION generated_column_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name, d.description || ' is generated and stored',
           'Drop the column, and add it again afterwards, with its indexes, constraints, comment and privileges; '
           'or use the offline mode.'
    FROM unnest((m).dependents) AS d, pg_attrdef AS e, pg_attribute AS g
    WHERE d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid AND (g.attrelid, g.attnum) = (e.adrelid, e.adnum)
      AND g.attgenerated = 's'
    UNION ALL
    -- What is built on the shadow columns would go with the generated column.
    SELECT c.root, c.name,
           format('%s reads generated column %I, too',
                  coalesce(pg_describe_object('pg_class'::regclass, d.view, 0),
                           pg_describe_object('pg_constraint'::regclass, k.oid, 0)), g.attname),
           'Drop it, and create it again afterwards, or use the offline mode.'
    FROM unnest((m).columns) AS c, pg_attribute AS g,
         LATERAL dependents_of('pg_class'::regclass, g.attrelid, g.attnum) AS d
         LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
    WHERE g.attrelid = c.member AND g.attgenerated = 'v'
      AND (c.attnum = ANY (k.conkey)
           OR d.view IN (SELECT v.relation FROM unnest((m).dependents) AS v WHERE v.kind = 'materialized view'));
END;
