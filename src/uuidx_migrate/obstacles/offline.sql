-- The offline mode alone.

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
