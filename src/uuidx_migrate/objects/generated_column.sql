-- Stored and virtual generated columns.

-- Clause of ALTER TABLE that adds a generated column.
CREATE OR REPLACE FUNCTION generated_column_clause(default_ oid) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('ADD COLUMN %I %s%s GENERATED ALWAYS AS (%s) %s%s', a.attname,
                      format_type(a.atttypid, a.atttypmod),
                      ' COLLATE ' || nullif(nullif(a.attcollation, 0), t.typcollation)::regcollation,
                      pg_get_expr(d.adbin, d.adrelid),
                      CASE a.attgenerated WHEN 's' THEN 'STORED' ELSE 'VIRTUAL' END,
                      CASE WHEN a.attnotnull
                           THEN concat((SELECT format(' CONSTRAINT %I', n.conname) FROM pg_constraint AS n
                                        WHERE n.conrelid = a.attrelid AND n.contype = 'n'
                                          AND n.conkey = ARRAY[a.attnum]), ' NOT NULL') END)
        FROM pg_attrdef AS d, pg_attribute AS a, pg_type AS t
        WHERE (a.attrelid, a.attnum) = (d.adrelid, d.adnum) AND t.oid = a.atttypid AND d.oid = default_);

-- What stands over a generated column and is made again with it: the indexes, statistics and constraints of a table
-- that is not partitioned, but for foreign keys.
CREATE OR REPLACE FUNCTION over_generated_column(default_ oid) RETURNS TABLE (classid oid, objid oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT x.classid, x.objid
    FROM pg_attrdef AS d, LATERAL dependents_of('pg_class'::regclass, d.adrelid, d.adnum) AS x
         LEFT JOIN pg_constraint AS k ON x.classid = 'pg_constraint'::regclass AND k.oid = x.objid
    WHERE d.oid = default_ AND x.deptype = 'a' AND k.contype IS DISTINCT FROM 'f' AND NOT is_partitioned(d.adrelid)
      AND x.classid IN ('pg_class'::regclass, 'pg_constraint'::regclass, 'pg_statistic_ext'::regclass);
END;

-- Part of generated_column_change: statements that make what stands over a generated column, but not what also stands
-- over one of others. NOT NULL comes with the column, and the index of a constraint with that.
CREATE OR REPLACE FUNCTION made_over_generated_column(default_ oid, others oid[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH over AS MATERIALIZED (
        SELECT x.classid, x.objid FROM over_generated_column(default_) AS x
        EXCEPT
        SELECT x.classid, x.objid FROM unnest(others) AS o, LATERAL over_generated_column(o) AS x
    ),
    made (part, name, index, statements) AS (
        SELECT 1, c.relname, c.oid,
               ARRAY[index_definition(c.oid, c.relname, i.indrelid::regclass::text, '{}')]
        FROM over AS o, pg_index AS i, pg_class AS c
        WHERE o.classid = 'pg_class'::regclass AND i.indexrelid = o.objid AND c.oid = o.objid
          AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = c.oid AND k.contype <> 'f')
        UNION ALL
        SELECT 2, k.conname, k.conindid,
               ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I ', k.conrelid::regclass, k.conname)
                     || CASE WHEN k.contype <> 'n' THEN constraint_definition(k.oid) END,
                     constraint_comment(k.conrelid, k.conname, k.oid)]
        FROM over AS o, pg_constraint AS k WHERE o.classid = 'pg_constraint'::regclass AND k.oid = o.objid
        UNION ALL
        SELECT 3, e.stxname, NULL,
               statistics_definition(e.oid, '', e.stxname, e.stxrelid::regclass::text, '{}')
               || ARRAY(SELECT statistics_properties(e.oid, format('%s.%I', e.stxnamespace::regnamespace, e.stxname)))
        FROM over AS o, pg_statistic_ext AS e WHERE o.classid = 'pg_statistic_ext'::regclass AND e.oid = o.objid
    )
    SELECT s.sql
    FROM made AS m,
         unnest(m.statements || ARRAY(SELECT index_properties(m.index, m.index::regclass::text))
                             || ARRAY(SELECT index_marks(m.index))) WITH ORDINALITY AS s (sql, n)
    WHERE s.sql IS NOT NULL
    ORDER BY m.part, m.name, s.n;
END;

-- What becomes of a generated column. It is dropped, with its indexes and constraints, and added again by
-- generated_column_clause, at the end of its table. Partitions may have given it other properties.
CREATE OR REPLACE FUNCTION generated_column_change(m migration, o object) RETURNS change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT recreated(
               o, ARRAY[format('ALTER TABLE %s DROP COLUMN %I', (o).relation, a.attname)],
               ARRAY(SELECT p.sql
                     FROM members(ARRAY[(o).relation]) AS t, pg_attribute AS k,
                          LATERAL (SELECT t.relid::regclass, format('ALTER TABLE ONLY %s', t.relid::regclass))
                          AS n (name, command),
                          LATERAL (SELECT column_storage(t.relid, k.attnum, n.command, k.attname)
                                   UNION ALL
                                   SELECT column_properties(t.relid, k.attnum, n.command, n.name::text, k.attname))
                          AS p (sql)
                     WHERE k.attrelid = t.relid AND k.attname = a.attname
                     ORDER BY t.relid <> (o).relation, n.name::text COLLATE "C")
               || ARRAY(SELECT made_over_generated_column(
                                   (o).objid,
                                   ARRAY(SELECT l.objid
                                         FROM unnest(((m).dependents)[array_position((m).dependents, o) + 1:]) AS l
                                         WHERE l.kind = 'generated column'))))
    FROM pg_attrdef AS d, pg_attribute AS a
    WHERE (a.attrelid, a.attnum) = (d.adrelid, d.adnum) AND d.oid = (o).objid;
END;

-- Part of obstacles: a partition's own expression or NOT NULL for a generated column.
CREATE OR REPLACE FUNCTION generated_column_obstacles(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH generated AS MATERIALIZED (
        SELECT DISTINCT c.root, c.name, a.attname
        FROM unnest((m).columns) AS c, LATERAL dependents_of('pg_class'::regclass, c.member, c.attnum) AS d,
             pg_attrdef AS e, pg_attribute AS a
        WHERE d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid AND (a.attrelid, a.attnum) = (e.adrelid, e.adnum)
          AND a.attgenerated <> '' AND is_partitioned(c.root)
    ),
    members AS MATERIALIZED (
        SELECT g.*, a.attrelid, a.attnotnull, pg_get_expr(e.adbin, e.adrelid) AS expression
        FROM generated AS g, members(ARRAY[g.root]) AS t, pg_attribute AS a, pg_attrdef AS e
        WHERE (a.attrelid, a.attname) = (t.relid, g.attname) AND (e.adrelid, e.adnum) = (a.attrelid, a.attnum)
    )
    SELECT p.root, p.name,
           format('column %I of partition %s has an expression or NOT NULL of its own, which would be lost',
                  p.attname, p.attrelid::regclass),
           format('Run ALTER TABLE %s DROP COLUMN %I, and add it again afterwards.', p.root, p.attname)
    FROM members AS p, members AS r
    WHERE (r.attrelid, r.root, r.attname) = (p.root, p.root, p.attname)
      AND (p.attnotnull, p.expression) IS DISTINCT FROM (r.attnotnull, r.expression);
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
