-- The offline mode alone.

-- Views, functions and the like that name columns by position, or return rows of a table. PostgreSQL writes such
-- definitions by the position of columns, and a column changes its place.
CREATE OR REPLACE FUNCTION positional_readers(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT DISTINCT t.oid, t.reltype FROM unnest((m).columns) AS c, pg_class AS t WHERE t.oid = c.member
    ),
    readers (classid, objid) AS (
        SELECT r.classid, r.objid FROM readers((m).columns, false) AS r
        UNION
        -- Up to PostgreSQL 14, what reads the rows that a function returns depends on the function alone.
        SELECT d.classid, d.objid
        FROM tables AS t, pg_proc AS p, pg_depend AS d
        WHERE p.prorettype = t.reltype AND d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
    )
    SELECT reader_description(r.classid, r.objid)
    FROM readers AS r, LATERAL expression_facts(r.classid, r.objid) AS f, tables AS t
    WHERE t.oid = f.relation AND f.fact = 'position'
      AND r.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_policy'::regclass)
    UNION
    SELECT pg_describe_object('pg_proc'::regclass, p.oid, 0)
    FROM tables AS t, pg_proc AS p WHERE p.prorettype = t.reltype AND p.prosqlbody IS NOT NULL;
END;

-- What stands in the way of the offline mode alone.
CREATE OR REPLACE FUNCTION obstacles_offline(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('column %I of table %s, the shadow of an online migration', c.shadow, c.member),
           'Finish the online migration, or undo it, with mode => ''finish''.'
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND shadow_conversion(c.member, c.name) IS NOT NULL
    UNION ALL
    SELECT (m).relation, (m).column_name, p || ' uses columns by position, or has ON CONFLICT DO UPDATE, and a generated column changes its place',
           'Drop it, and create it again afterwards.'
    FROM positional_readers(m) AS p WHERE EXISTS (SELECT FROM unnest((m).dependents) AS d WHERE d.kind = 'generated column')
    UNION ALL
    -- A rewrite recreates the indexes of partitions like their table's index, without such properties.
    SELECT c.root, c.name, format('index %s of a partition has %s, which would be lost', i.indexrelid::regclass, p.property),
           'Use the online mode, or set it again afterwards.'
    FROM unnest((m).columns) AS c, pg_index AS i, pg_class AS x, pg_inherits AS h, pg_class AS parent, LATERAL (
        SELECT 'a replica identity' WHERE i.indisreplident
        UNION ALL
        SELECT 'a mark of CLUSTER' WHERE i.indisclustered
        UNION ALL
        SELECT 'storage parameters of its own' WHERE x.reloptions IS DISTINCT FROM parent.reloptions
    ) AS p (property)
    WHERE i.indrelid = c.member AND c.attnum = ANY (i.indkey) AND x.oid = i.indexrelid AND h.inhrelid = i.indexrelid
      AND parent.oid = h.inhparent
    UNION ALL
    SELECT c.root, c.name, format('foreign key %I of partition %s has a name or a comment of its own, which would be lost', f.conname, f.conrelid::regclass),
           'Use the online mode, or give it the name of its table''s foreign key.'
    FROM unnest((m).columns) AS c, pg_constraint AS f, pg_constraint AS parent
    WHERE f.conrelid = c.member AND c.attnum = ANY (f.conkey) AND f.contype = 'f' AND parent.oid = f.conparentid
      AND parent.conrelid <> f.conrelid
      AND (f.conname <> parent.conname OR obj_description(f.oid, 'pg_constraint') IS NOT NULL);
END;
