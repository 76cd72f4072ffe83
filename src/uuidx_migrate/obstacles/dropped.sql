-- What depends on an object that a script drops, and is not made again with it: PostgreSQL would refuse to drop the
-- object, or would drop both.

-- What a script drops and makes again, and whether offline alone: a stored generated column, and the sequence of an
-- identity. Views keep what depends on them, or have obstacles of their own.
CREATE OR REPLACE FUNCTION dropped_objects(m migration)
RETURNS TABLE (classid oid, objid oid, objsubid integer, only_offline boolean)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH generated AS MATERIALIZED (
            SELECT e.oid, e.adrelid, a.attname, a.attgenerated = 's' AS is_stored
            FROM unnest((m).dependents) AS d, pg_attrdef AS e, pg_attribute AS a
            WHERE d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
              AND (a.attrelid, a.attnum) = (e.adrelid, e.adnum)
        )
        SELECT v.classid, v.objid, NULL::integer, false
        FROM unnest((m).objects) AS o,
             LATERAL (VALUES (o.classid, o.objid), ('pg_constraint'::regclass, o.parent)) AS v (classid, objid)
        WHERE v.objid IS NOT NULL
        UNION
        SELECT v.*, g.is_stored
        FROM generated AS g, LATERAL uuidx_migrate_steps.members(ARRAY[g.adrelid::regclass]) AS t, pg_attribute AS a,
             pg_attrdef AS e,
             LATERAL (VALUES ('pg_class'::regclass, a.attrelid, a.attnum), ('pg_attrdef'::regclass, e.oid, NULL)) AS v
        WHERE a.attrelid = t.relid AND a.attname = g.attname AND (e.adrelid, e.adnum) = (a.attrelid, a.attnum)
        UNION
        SELECT o.classid, o.objid, NULL, g.is_stored
        FROM generated AS g, LATERAL uuidx_migrate_steps.over_generated_column(g.oid) AS o
        UNION
        SELECT 'pg_class'::regclass, s.sequence, NULL, true
        FROM uuidx_migrate_steps.sequences_of((m).relation, uuidx_migrate_steps.generating_column(m)) AS s
        WHERE s.is_identity AND ((m).conversion).keeps_former;
END
$$;

-- Part of obstacles and obstacles_offline. What belongs to another object as a part of it goes with that and comes with
-- it, as an index of a partition does, and so do NOT NULL and a constraint that a partition inherits. The query of a
-- view is the view itself.
CREATE OR REPLACE FUNCTION obstacles_of_dropped(m migration, only_offline boolean) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH dropped AS MATERIALIZED (SELECT d.* FROM dropped_objects(m) AS d),
    dependents AS MATERIALIZED (
        SELECT DISTINCT d.*, x.classid AS of_classid, x.objid AS of_objid, x.objsubid AS of_objsubid
        FROM dropped AS x, LATERAL dependents_of(x.classid, x.objid, x.objsubid) AS d
        WHERE x.only_offline = obstacles_of_dropped.only_offline
    )
    SELECT (m).relation, (m).column_name,
           format('%s depends on %s, which is made again',
                  coalesce(pg_describe_object('pg_class'::regclass, d.view, 0),
                           pg_describe_object(d.classid, d.objid, d.objsubid)),
                  pg_describe_object(d.of_classid, d.of_objid, coalesce(d.of_objsubid, 0))),
           'Drop it, and create it again afterwards.'
    FROM dependents AS d
    WHERE (d.classid, d.objid) NOT IN (SELECT x.classid, x.objid FROM dropped AS x WHERE x.objsubid IS NULL
                                       UNION ALL
                                       SELECT u.classid, u.objid FROM unnest((m).dependents) AS u)
      AND (d.view IS NOT NULL
           OR NOT EXISTS (SELECT FROM references_of(d.classid, d.objid, d.objsubid) AS r
                          WHERE r.deptype IN ('i', 'P', 'S')))
      AND NOT EXISTS (SELECT FROM pg_constraint AS k
                      WHERE d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
                        AND (k.coninhcount > 0 OR k.contype = 'n'));
END;

-- Part of obstacles: what goes with an extension, and would stay if it were made again.
CREATE OR REPLACE FUNCTION obstacles_of_extensions(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           format('%s, which depends on extension %I', pg_describe_object(o.classid, o.objid, 0), e.extname),
           format('Run ALTER ... NO DEPENDS ON EXTENSION %I, and DEPENDS ON EXTENSION %1$I again afterwards.',
                  e.extname)
    FROM (SELECT x.classid, x.objid FROM dropped_objects(m) AS x WHERE x.objsubid IS NULL
          UNION
          SELECT v.classid, v.objid
          FROM unnest((m).dependents) AS d,
               LATERAL (VALUES (d.classid, d.objid), ('pg_class'::regclass, d.relation)) AS v (classid, objid)
          WHERE d.kind <> 'generated column') AS o,
         LATERAL references_of(o.classid, o.objid, NULL) AS r, pg_extension AS e
    WHERE r.refclassid = 'pg_extension'::regclass AND r.deptype = 'x' AND e.oid = r.refobjid;
END;
