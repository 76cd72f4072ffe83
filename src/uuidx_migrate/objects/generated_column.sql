-- Stored and virtual generated columns.

-- Part of dependents: a generated column. It is dropped, with its indexes and constraints, and added again, at the
-- end of its table.
CREATE OR REPLACE FUNCTION recreated_generated_column(default_ oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_class'::regclass, c.oid, a.attnum), 'generated column',
           c.oid::regclass, c.relowner, depth,
           ARRAY[format('ALTER TABLE %s DROP COLUMN %I', c.oid::regclass, a.attname)],
           format('ADD COLUMN %I %s%s GENERATED ALWAYS AS (%s) %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                  ' COLLATE ' || nullif(nullif(a.attcollation, 0), t.typcollation)::regcollation,
                  pg_get_expr(d.adbin, d.adrelid),
                  CASE a.attgenerated WHEN 's' THEN 'STORED' ELSE 'VIRTUAL' END,
                  CASE WHEN a.attnotnull THEN ' NOT NULL' END),
           ARRAY(SELECT column_storage(c.oid, a.attnum, n.command, a.attname))
           || ARRAY(SELECT column_properties(c.oid, a.attnum, n.command, c.oid::regclass::text, a.attname))
           || ARRAY(SELECT s.sql
                    FROM pg_index AS i,
                         unnest(rtrim(pg_get_indexdef(i.indexrelid))
                                || ARRAY(SELECT index_properties(i.indexrelid, i.indexrelid::regclass::text)))
                         WITH ORDINALITY AS s (sql, n)
                    WHERE i.indexrelid IN (SELECT x.objid FROM pg_depend AS x
                                           WHERE (x.classid, x.refclassid, x.refobjid, x.refobjsubid)
                                               = ('pg_class'::regclass, 'pg_class'::regclass, c.oid, a.attnum))
                    ORDER BY i.indexrelid::regclass::text COLLATE "C", s.n)
           || ARRAY(SELECT s.sql
                    FROM pg_constraint AS k,
                         unnest(ARRAY[format('%s ADD CONSTRAINT %I %s',
                                             n.command, k.conname, pg_get_constraintdef(k.oid)),
                                      format('COMMENT ON CONSTRAINT %I ON %s IS ', k.conname, c.oid::regclass)
                                      || quote_literal(obj_description(k.oid, 'pg_constraint'))])
                         WITH ORDINALITY AS s (sql, n)
                    WHERE s.sql IS NOT NULL AND k.contype <> 'n'
                      AND k.oid IN (SELECT x.objid FROM pg_depend AS x
                                    WHERE (x.classid, x.refclassid, x.refobjid, x.refobjsubid)
                                        = ('pg_constraint'::regclass, 'pg_class'::regclass, c.oid, a.attnum))
                    ORDER BY k.conname, s.n)
           || ARRAY(SELECT s
                    FROM pg_statistic_ext AS e,
                         LATERAL statistics_definition(e.oid, '', e.stxname, c.oid::regclass::text, '{}')
                         WITH ORDINALITY AS s (s, n)
                    WHERE e.oid IN (SELECT x.objid FROM pg_depend AS x
                                    WHERE (x.classid, x.refclassid, x.refobjid, x.refobjsubid)
                                        = ('pg_statistic_ext'::regclass, 'pg_class'::regclass, c.oid, a.attnum))
                    ORDER BY e.stxnamespace::regnamespace::text COLLATE "C", e.stxname, s.n),
           NULL::boolean, 'pg_attrdef'::regclass, default_
    FROM pg_attrdef AS d, pg_attribute AS a, pg_type AS t, pg_class AS c,
         LATERAL (SELECT format('ALTER TABLE %s', c.oid::regclass)) AS n (command)
    WHERE a.attrelid = d.adrelid AND a.attnum = d.adnum AND t.oid = a.atttypid AND c.oid = d.adrelid
      AND d.oid = default_;
END;

-- Part of obstacles_online.
CREATE OR REPLACE FUNCTION generated_column_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name, d.description || ' is generated and stored',
           'Drop the column, and add it again afterwards, or use the offline mode.'
    FROM unnest((m).dependents) AS d, pg_attrdef AS e, pg_attribute AS g
    WHERE d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid AND (g.attrelid, g.attnum) = (e.adrelid, e.adnum)
      AND g.attgenerated = 's'
    UNION ALL
    -- What is built on the shadow columns would go with the generated column.
    SELECT c.root, c.name,
           format('%s reads generated column %I, too',
                  coalesce(pg_describe_object('pg_class'::regclass, w.ev_class, 0),
                           pg_describe_object('pg_constraint'::regclass, k.oid, 0)), g.attname),
           'Drop it, and create it again afterwards, or use the offline mode.'
    FROM unnest((m).columns) AS c, pg_attribute AS g,
         pg_depend AS d
         LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
         LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
    WHERE g.attrelid = c.member AND g.attgenerated = 'v' AND d.refclassid = 'pg_class'::regclass
      AND (d.refobjid, d.refobjsubid) = (g.attrelid, g.attnum)
      AND (c.attnum = ANY (k.conkey)
           OR w.ev_class IN (SELECT v.relation FROM unnest((m).dependents) AS v WHERE v.kind = 'materialized view'));
END;
