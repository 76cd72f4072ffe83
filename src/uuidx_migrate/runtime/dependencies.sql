-- What is created again depends on the same objects as before. A statement finds a function or an operator by its name
-- and the types of its arguments, and whoever may create objects in its schema can add one that takes the call.

CREATE OR REPLACE FUNCTION note(dependencies dependency[]) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_note'
LANGUAGE C VOLATILE STRICT;

CREATE OR REPLACE FUNCTION noted() RETURNS dependency[]
AS 'MODULE_PATHNAME', 'uuidx_noted'
LANGUAGE C VOLATILE;

-- What objects depend on that belong to relations or read them, and that a statement of text can create again: without
-- what belongs to the relations themselves, which are locked, without defaults, which a migration replaces, and without
-- objects of other roles, who may change them meanwhile. The twin of a materialized view has no name here: an earlier
-- script may have made one of another definition. Readers wait meanwhile, so the plan is kept, and each catalog is read
-- by an index.
--
-- A statement changes what belongs to the tables that it locks. So the constraints of other tables are not looked at,
-- and a foreign key is one of the table that references: a step for a partition costs what the partition has, however
-- many others reference the same key. Constraints and indexes that name only columns and tables need no comparison, as
-- the tables are locked: PostgreSQL finds the operators of a foreign key by the index of its key, and those of a plain
-- index by the type of the column.
CREATE OR REPLACE FUNCTION dependencies(relations regclass[]) RETURNS SETOF dependency
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
DECLARE
    members oid[] := ARRAY(SELECT m.relid FROM uuidx_migrate_steps.members(relations) AS m);
BEGIN
    RETURN QUERY
    WITH readers AS MATERIALIZED (
        SELECT DISTINCT d.classid, d.objid, c.oid AS relation, c.relowner
        FROM pg_class AS c, pg_depend AS d
        WHERE c.oid = ANY (members) AND (d.refclassid, d.refobjid) = ('pg_class'::regclass, c.oid)
          AND d.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass)
    ),
    objects AS MATERIALIZED (
        SELECT 'pg_constraint'::regclass::oid AS classid, k.oid AS objid, 0 AS objsubid, NULL::oid AS view,
               false AS is_twin
        FROM pg_constraint AS k WHERE k.conrelid = ANY (members) AND k.contype IN ('c', 'x')
        UNION
        SELECT 'pg_class'::regclass, i.indexrelid, 0, NULL, false
        FROM pg_index AS i
        WHERE i.indrelid = ANY (members)
          AND (num_nonnulls(i.indexprs, i.indpred) > 0
               -- Objects of PostgreSQL itself have smaller OIDs.
               OR EXISTS (SELECT FROM unnest(i.indclass::oid[] || i.indcollation::oid[]) AS o WHERE o >= 16384))
        UNION
        SELECT 'pg_statistic_ext'::regclass, s.oid, 0, NULL, false
        FROM pg_statistic_ext AS s WHERE s.stxrelid = ANY (members) AND s.stxexprs IS NOT NULL
        UNION
        SELECT d.classid, d.objid, 0, NULL, false FROM readers AS d WHERE d.classid = 'pg_policy'::regclass
        UNION
        SELECT d.classid, d.objid, 0, v.oid,
               v.relkind = 'm'
               AND EXISTS (SELECT FROM pg_class AS s WHERE (s.relkind, s.relnamespace) = ('m', v.relnamespace)
                                                       AND uuidx_migrate_steps.shadow_name(s.relname) = v.relname)
        FROM readers AS d JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
        JOIN pg_class AS v ON v.oid = w.ev_class WHERE v.oid = d.relation OR v.relowner = d.relowner
        UNION
        SELECT d.classid, d.objid, 0, NULL, false
        FROM readers AS d JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
        WHERE p.proowner = d.relowner
        UNION
        SELECT d.classid, d.objid, 0, NULL, false
        FROM readers AS d JOIN pg_trigger AS t ON d.classid = 'pg_trigger'::regclass AND t.oid = d.objid
        WHERE NOT uuidx_migrate_steps.is_own_trigger(t.tgfoid)
          AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.oid = t.tgconstraint AND k.contype = 'f')
        UNION
        -- Up to PostgreSQL 14, it is the generated column that depends on others, and not its pg_attrdef.
        SELECT o.classid, o.objid, o.objsubid, NULL, false
        FROM pg_attrdef AS e
        JOIN pg_attribute AS g ON (g.attrelid, g.attnum) = (e.adrelid, e.adnum),
             LATERAL (VALUES ('pg_attrdef'::regclass::oid, e.oid, 0), ('pg_class'::regclass, e.adrelid, e.adnum))
             AS o (classid, objid, objsubid)
        WHERE e.adrelid = ANY (members) AND g.attgenerated <> ''
    ),
    described AS MATERIALIZED (
        SELECT o.*,
               CASE WHEN o.classid IN ('pg_rewrite'::regclass, 'pg_attrdef'::regclass)
                    THEN uuidx_migrate_steps.reader_description(o.classid, o.objid, o.objsubid)
                    ELSE pg_describe_object(o.classid, o.objid, o.objsubid) END AS description
        FROM objects AS o
    )
    SELECT o.classid, CASE WHEN NOT o.is_twin THEN o.description END, d.refclassid, d.refobjid, d.refobjsubid
    FROM described AS o
    CROSS JOIN LATERAL uuidx_migrate_steps.references_of(o.classid, o.objid, nullif(o.objsubid, 0)) AS d
    LEFT JOIN pg_class AS c ON d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid
    WHERE d.deptype <> 'i' AND (c.oid = o.view) IS NOT TRUE
      AND d.refclassid NOT IN ('pg_constraint'::regclass, 'pg_policy'::regclass, 'pg_rewrite'::regclass,
                               'pg_trigger'::regclass, 'pg_attrdef'::regclass)
      AND (c.oid IS NULL OR c.relkind NOT IN ('i', 'I') AND c.oid NOT IN (SELECT unnest(members)))
      AND NOT EXISTS (SELECT FROM uuidx_migrate_steps.references_of(d.refclassid, d.refobjid, NULL::integer) AS e,
                                  pg_extension AS x
                      WHERE e.deptype = 'e' AND x.oid = e.refobjid AND x.extname = 'uuidx_migrate')
    UNION ALL
    -- That it is there
    SELECT o.classid, o.description, NULL, NULL, NULL FROM described AS o;
END
$$;

-- Part of locked and run_locked: notes for check_dependencies what objects that belong to relations or read them depend
-- on, until the transaction ends.
CREATE OR REPLACE FUNCTION note_dependencies(relations regclass[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
BEGIN
    PERFORM uuidx_migrate_steps.note(ARRAY(SELECT d FROM uuidx_migrate_steps.dependencies(relations) AS d));
END
$$;

-- A twin calls what one of the others calls. A function is no twin: the one that reads the creation time is new.
CREATE OR REPLACE FUNCTION check_dependencies(relations regclass[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
DECLARE
    other record;
BEGIN
    WITH noted AS MATERIALIZED (SELECT n.* FROM unnest(uuidx_migrate_steps.noted()) AS n),
    present AS MATERIALIZED (SELECT d.* FROM uuidx_migrate_steps.dependencies(relations) AS d),
    new AS (SELECT p.* FROM present AS p EXCEPT SELECT n.* FROM noted AS n),
    gone AS (SELECT n.* FROM noted AS n EXCEPT SELECT p.* FROM present AS p)
    SELECT c.name, pg_describe_object(c.classid, c.objid, c.objsubid) AS object, c.means INTO other
    FROM (SELECT coalesce(n.object, 'the twin of a materialized view') AS name, n.classid, n.objid, n.objsubid,
                 'depend on %s, as it did not before'
          FROM new AS n
          WHERE n.classid IS NOT NULL
            AND (n.object IN (SELECT o.object FROM noted AS o)
                 OR n.object_classid <> 'pg_proc'::regclass
                    AND n.classid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
                    AND (n.classid, n.objid) NOT IN (
                        SELECT o.classid, o.objid FROM noted AS o WHERE o.classid IS NOT NULL))
          UNION ALL
          SELECT g.object, g.classid, g.objid, g.objsubid, 'no longer depend on %s'
          FROM gone AS g
          WHERE g.classid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_extension'::regclass)
            AND g.object IN (SELECT p.object FROM present AS p)) AS c (name, classid, objid, objsubid, means)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '%', format('%s would ' || other.means, other.name, other.object)
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'Its definition means another object than the one that it was made with.',
              HINT = 'Have its definition name the object that it means, or drop or rename the other, '
                     'and run the script again from the top.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_dependencies(regclass[]) IS
'an error if objects that belong to relations or read them depend on other objects than locked has noted';
