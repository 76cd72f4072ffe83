-- Foreign keys.

-- Part of foreign_keys: definition of a foreign key on the shadow columns; NULL for one with a period. A foreign key's
-- columns are at the beginning of its definition; ON DELETE SET NULL can name some of them again. Clients do not know
-- its name until the cutover: if they may defer the foreign key by SET CONSTRAINTS, it is deferred until then.
CREATE OR REPLACE FUNCTION shadow_foreign_key(foreign_key oid, columns migrated_column[]) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN (
        WITH pairs AS (
            SELECT format('FOREIGN KEY (%s) REFERENCES %s(%s)',
                          string_agg(quote_ident(a.attname), ', ' ORDER BY k.n), f.confrelid::regclass,
                          string_agg(quote_ident(b.attname), ', ' ORDER BY k.n)) AS own,
                   format('FOREIGN KEY (%s) REFERENCES %s(%s)',
                          string_agg(quote_ident(coalesce(c.shadow, a.attname)), ', ' ORDER BY k.n),
                          f.confrelid::regclass,
                          string_agg(quote_ident(coalesce(d.shadow, b.attname)), ', ' ORDER BY k.n)) AS shadow,
                   regexp_replace(regexp_replace(pg_get_constraintdef(f.oid), ' NOT VALID$', ''),
                                  ' DEFERRABLE( NOT ENFORCED)?$', E' DEFERRABLE INITIALLY DEFERRED\\1') AS definition,
                   to_jsonb(f) -> 'confdelsetcols' AS set_columns,
                   jsonb_object_agg(a.attnum, quote_ident(a.attname)) AS names,
                   jsonb_object_agg(a.attnum, quote_ident(coalesce(c.shadow, a.attname))) AS shadow_names
            FROM pg_constraint AS f,
                 LATERAL ROWS FROM (unnest(f.conkey), unnest(f.confkey))
                 WITH ORDINALITY AS k (referencing, referenced, n),
                 pg_attribute AS a LEFT JOIN unnest(columns) AS c ON (c.member, c.attnum) = (a.attrelid, a.attnum),
                 pg_attribute AS b LEFT JOIN unnest(columns) AS d ON (d.member, d.attnum) = (b.attrelid, b.attnum)
            WHERE f.oid = foreign_key AND a.attrelid = f.conrelid AND a.attnum = k.referencing
              AND b.attrelid = f.confrelid AND b.attnum = k.referenced
            GROUP BY f.oid
        ),
        lists AS (
            SELECT string_agg(k.names ->> e, ', ' ORDER BY n) AS own,
                   string_agg(k.shadow_names ->> e, ', ' ORDER BY n) AS shadow
            FROM pairs AS k,
                 LATERAL jsonb_array_elements_text(nullif(k.set_columns, 'null')) WITH ORDINALITY AS s (e, n)
        )
        SELECT k.shadow || CASE WHEN l.own IS NULL THEN substr(k.definition, length(k.own) + 1)
                                ELSE replace(substr(k.definition, length(k.own) + 1),
                                             format('(%s)', l.own), format('(%s)', l.shadow)) END
        FROM pairs AS k, lists AS l
        WHERE starts_with(k.definition, k.own));
END
$$;

-- Part of objects: the foreign keys of the columns that are migrated. One of a partitioned table consists of its own
-- constraint and those of its partitions, which come before those of partitioned tables.
CREATE OR REPLACE FUNCTION foreign_keys(columns migrated_column[]) RETURNS SETOF object
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH RECURSIVE members (oid, conrelid, confrelid, root, root_relation, root_name, definition) AS (
            SELECT f.oid, f.conrelid, f.confrelid, f.oid, f.conrelid, f.conname,
                   uuidx_migrate_steps.shadow_foreign_key(f.oid, columns)
            FROM (SELECT DISTINCT c.member FROM unnest(columns) AS c) AS t, pg_constraint AS f
            WHERE f.conrelid = t.member AND f.contype = 'f' AND f.conparentid = 0
              AND EXISTS (SELECT FROM unnest(columns) AS c WHERE c.member = f.conrelid AND c.attnum = ANY (f.conkey))
              AND NOT EXISTS (SELECT FROM unnest(columns) AS c
                              WHERE c.member = f.conrelid AND uuidx_migrate_steps.has_pair(c.member, c.name, f.conkey))
            UNION ALL
            SELECT f.oid, f.conrelid, f.confrelid, m.root, m.root_relation, m.root_name, m.definition
            FROM members AS m, pg_constraint AS f
            WHERE f.conparentid = m.oid AND f.confrelid = m.confrelid AND f.conrelid <> m.conrelid
        )
        SELECT 'foreign key', format('constraint %I of table %s', f.conname, f.conrelid::regclass),
               'pg_constraint'::regclass::oid, f.oid, f.conrelid::regclass, NULL::oid, NULL::integer, f.conrelid,
               f.conname,
               NULL::smallint[], CASE WHEN m.root <> f.oid THEN m.root END, m.definition, f.convalidated, NULL::boolean,
               NULL::boolean
        FROM members AS m,
             LATERAL (SELECT c.oid, c.conname, c.conrelid, c.convalidated, t.relkind
                      FROM pg_constraint AS c, pg_class AS t
                      WHERE c.oid = m.oid AND t.oid = c.conrelid OFFSET 0) AS f
        ORDER BY m.root_relation::regclass::text COLLATE "C", m.root_name, f.relkind = 'p',
                 f.conrelid::regclass::text COLLATE "C";
END
$$;

-- The table or the two tables of a foreign key. A foreign key may reference its own table.
CREATE OR REPLACE FUNCTION foreign_key_relations(referencing regclass, referenced regclass) RETURNS regclass[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN referencing || array_remove(ARRAY[referenced], referencing);

-- Step that validates a foreign key of the first of two relations, which references the other.
CREATE OR REPLACE FUNCTION validate_foreign_key(m migration, phase text, relations regclass[], name name)
RETURNS statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN step(phase, concat('SHARE UPDATE EXCLUSIVE on ', relations[1], ', ROW SHARE on ' || relations[2]),
            call_validate(m, phase, relations[1], name));

-- Why the twin of a foreign key comes with the cutover, and is validated afterwards; NULL if it does not. The index of
-- a partitioned table's key comes then. And the names of their triggers, which have an OID in them, decide whether the
-- foreign key or its twin acts first. If the twin did, SET DEFAULT would find the shadow as it was, which the trigger
-- has put back; and if an action changed other columns too, the foreign key would not find the row any more. ON UPDATE
-- CASCADE changes others only where the key of a row does, which then is an error; before PostgreSQL 18, a partitioned
-- table, whose foreign keys are never NOT VALID, has a twin nevertheless.
CREATE OR REPLACE FUNCTION late_reason(foreign_key oid) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN is_partitioned(f.confrelid) THEN 'references a partitioned table'
                    WHEN 'd' IN (f.confdeltype, f.confupdtype)
                         OR cardinality(f.conkey) > 1
                            AND ('n' IN (f.confdeltype, f.confupdtype)
                                 OR f.confupdtype = 'c' AND NOT (is_partitioned(f.conrelid) AND is_before_18))
                    THEN 'has an action that changes several columns, or sets them to their defaults' END
        FROM pg_constraint AS f, (SELECT current_setting('server_version_num')::integer < 180000) AS v (is_before_18)
        WHERE f.oid = foreign_key);

-- Steps that give partitions a foreign key, which that of their table then attaches, and what comes between that and
-- the comparison of all rows. Each of these statements takes a moment, and there may be a thousand partitions: as many
-- share a step as leave it one of moments.
CREATE OR REPLACE FUNCTION foreign_key_of_partitions(
    m migration, phase text, partitions regclass[], referenced regclass, name name, definition text, is_valid boolean,
    before_validation statement[] DEFAULT '{}'
) RETURNS statement[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY(
    SELECT step(s.phase, s.locks, s.sql)
    FROM (SELECT a.phase, a.locks, a.sql, a.n, g.number
          FROM (SELECT (p.n - 1) / 20, array_agg(p.p ORDER BY p.n)
                FROM unnest(partitions) WITH ORDINALITY AS p (p, n) GROUP BY 1) AS g (number, members),
               LATERAL (SELECT some_of(g.members::text[]), relation_list(g.members)) AS l (names, list),
               unnest(ARRAY[
                   step(phase, format('SHARE ROW EXCLUSIVE on %s, %s, briefly', l.names, referenced),
                        call_locked(m, referenced || g.members,
                                    format('%s AND EXISTS (SELECT FROM pg_catalog.unnest(%s) AS r '
                                           'WHERE NOT uuidx_migrate_steps.has_constraint(r, %s))',
                                           is_before_cutover(m, referenced || g.members), l.list, typed(name, 'name')),
                                    ARRAY[format('SELECT uuidx_migrate_steps.add_missing_constraint(%s, %s, %s)',
                                                 l.list, typed(name, 'name'),
                                                 typed(definition || ' NOT VALID', 'text'))],
                                    NULL, 'SHARE ROW EXCLUSIVE')),
                   CASE WHEN is_valid
                        THEN step(phase, format('SHARE UPDATE EXCLUSIVE on %s, ROW SHARE on %s', l.names, referenced),
                                  format('SELECT uuidx_migrate_steps.validate_constraint(r, %s, %s) '
                                         'FROM pg_catalog.unnest(%s) AS r WHERE %s',
                                         typed(name, 'name'), ((m).choices).trust_owners::text, l.list,
                                         is_before_cutover(m))) END])
               WITH ORDINALITY AS a (phase, locks, sql, n)
          UNION ALL
          SELECT b.phase, b.locks, b.sql, 1, NULL FROM unnest(before_validation) AS b)
         AS s (phase, locks, sql, n, number)
    WHERE s.sql IS NOT NULL
    ORDER BY s.n, s.number);

-- Part of foreign_key_changes_online: the partitions of a table that has a foreign key, by the names of their twins.
CREATE OR REPLACE FUNCTION foreign_key_twins_of_partitions(m migration, foreign_key oid)
RETURNS TABLE (twin name, partitions regclass[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT shadow_name(u.name), array_agg(u.relation ORDER BY u.ordinality)
    FROM unnest((m).objects) WITH ORDINALITY AS u
    WHERE u.kind = 'foreign key' AND u.parent = foreign_key AND NOT is_partitioned(u.relation)
    GROUP BY 1;
END;

-- Part of changes_online: foreign keys, those of partitions too. Before PostgreSQL 18, a partitioned table cannot have
-- a foreign key that is NOT VALID: its partitions get it, and then it attaches them. So where it is there, theirs are.
CREATE OR REPLACE FUNCTION foreign_key_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.kind, o.relation, o.place, k.twin, o.definition, f.convalidated,
           CASE WHEN k.is_late OR NOT k.is_root THEN '{}'
                ELSE ARRAY(SELECT step(s.phase, s.locks, s.sql)
                           FROM foreign_key_twins_of_partitions(m, o.objid) AS p,
                                unnest(foreign_key_of_partitions(m, 'index', p.partitions, f.confrelid, p.twin,
                                                                 o.definition, f.convalidated, l.look_ups))
                                WITH ORDINALITY AS s (phase, locks, sql, n)
                           ORDER BY p.twin COLLATE "C", s.n)
                     || add_constraint(m, 'index', k.relations, 'SHARE ROW EXCLUSIVE', k.twin,
                                    concat(o.definition,
                                           CASE WHEN NOT (k.is_partitioned AND f.convalidated) THEN ' NOT VALID' END),
                                    condition => (SELECT string_agg(call_have_constraint(p.partitions, p.twin,
                                                                                         f.convalidated),
                                                                    ' AND ' ORDER BY p.twin COLLATE "C")
                                                  FROM foreign_key_twins_of_partitions(m, o.objid) AS p))
                     || CASE WHEN f.convalidated AND NOT k.is_partitioned
                             THEN l.look_ups || validate_foreign_key(m, 'index', k.relations, k.twin) END END,
           ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', o.relation, o.name) WHERE k.is_root),
           array_remove(ARRAY[CASE WHEN NOT k.is_late
                                   THEN format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', o.relation, k.twin, o.name)
                                   WHEN k.is_root
                                   THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', o.relation, o.name,
                                               pg_get_constraintdef(f.oid),
                                               CASE WHEN f.convalidated THEN ' NOT VALID' END) END,
                              CASE WHEN k.is_root AND NOT k.is_late AND f.condeferrable AND NOT f.condeferred
                                   THEN format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE INITIALLY IMMEDIATE',
                                               o.relation, o.name) END,
                              CASE WHEN k.is_root OR NOT k.is_late
                                   THEN constraint_comment(o.relation, o.name, o.objid) END], NULL)
    FROM unnest((m).objects) WITH ORDINALITY AS o, pg_constraint AS f, pg_class AS t,
         LATERAL (SELECT t.relkind = 'p', o.parent IS NULL, late_reason(f.oid) IS NOT NULL,
                         foreign_key_relations(o.relation, f.confrelid),
                         shadow_name(CASE WHEN t.relkind = 'p' THEN f.conname ELSE o.name END))
         AS k (is_partitioned, is_root, is_late, relations, twin),
         -- Once it is there, no reference can wait for its key any more.
         LATERAL (SELECT ARRAY(SELECT look_up_step(m, 'index', c) FROM unnest((m).columns) AS c
                               WHERE c.member = o.relation AND c.attnum = ANY (f.conkey) AND may_be_late(m, c)))
         AS l (look_ups)
    WHERE o.kind = 'foreign key' AND f.oid = coalesce(o.parent, o.objid) AND t.oid = o.relation
    ORDER BY o.ordinality;
END;

-- Part of after_steps: what could not be validated before.
CREATE OR REPLACE FUNCTION foreign_key_steps_after(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT v.*
    FROM unnest((m).objects) WITH ORDINALITY AS o, pg_constraint AS f,
         LATERAL validate_foreign_key(m, 'after', foreign_key_relations(o.relation, f.confrelid), o.name) AS v
    WHERE o.kind = 'foreign key' AND o.parent IS NULL AND f.oid = o.objid AND late_reason(f.oid) IS NOT NULL
      AND o.is_complete <> is_cut_over(m)
    ORDER BY o.ordinality;
END;

-- Part of foreign_key_obstacles_online and obstacles_offline: what is lost where the foreign key of a partitioned table
-- is dropped before it is made again: always offline, and online where it comes late.
CREATE OR REPLACE FUNCTION foreign_key_obstacles_of_partitions(m migration, only_late boolean) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('foreign key %I of partition %s has a name or a comment of its own, which would be lost',
                  f.conname, f.conrelid::regclass),
           CASE WHEN late_reason(f.oid) IS NULL THEN 'Use the online mode, or give' ELSE 'Give' END
           || ' it the name of its table''s foreign key, and no comment.'
    FROM unnest((m).columns) AS c, pg_constraint AS f, pg_constraint AS parent
    WHERE f.conrelid = c.member AND c.attnum = ANY (f.conkey) AND f.contype = 'f' AND parent.oid = f.conparentid
      AND parent.conrelid <> f.conrelid
      AND (f.conname <> parent.conname OR obj_description(f.oid, 'pg_constraint') IS NOT NULL)
      AND NOT (only_late AND late_reason(f.oid) IS NULL);
END;

-- Part of obstacles_online: the foreign keys that are to be made again.
CREATE OR REPLACE FUNCTION foreign_key_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('foreign key %I of %s', o.name, v.what), v.hint
    FROM unnest((m).objects) AS o, pg_constraint AS f, unnest((m).columns) AS c,
         LATERAL (SELECT late_reason(f.oid)) AS l (late_reason),
         LATERAL (VALUES
             (to_jsonb(f) ->> 'conperiod' = 'true', -- from PostgreSQL 18 on
              format('table %s, which has a period', o.relation), 'Use the offline mode.'),
             -- It would be made again by the cutover, and validated afterwards.
             (NOT f.convalidated AND l.late_reason IS NOT NULL AND NOT is_cut_over(m),
              format('table %s, which is not validated and %s', o.relation, l.late_reason),
              'Validate it, or use the offline mode; '
              'or drop it, name the column in also, and add it again afterwards.'),
             -- Before PostgreSQL 18, a partitioned table cannot have a foreign key that is NOT VALID.
             (current_setting('server_version_num')::integer < 180000 AND is_partitioned(o.relation)
              AND l.late_reason IS NOT NULL,
              format('the partitioned table %s %s', o.relation, l.late_reason),
              'Use the offline mode; or drop it, name the column in also, and add it again afterwards.'))
         AS v (is_obstacle, what, hint)
    WHERE o.kind = 'foreign key' AND o.parent IS NULL AND f.oid = o.objid
      AND c.member = o.relation AND c.attnum = ANY (f.conkey) AND v.is_obstacle
    UNION ALL
    SELECT o.* FROM foreign_key_obstacles_of_partitions(m, true) AS o;
END;

-- Part of obstacles_of_tables.
CREATE OR REPLACE FUNCTION foreign_key_obstacles(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('foreign key %I of table %s is disabled', f.conname, f.conrelid::regclass),
           'Run ALTER TABLE ... ENABLE TRIGGER ALL.'
    FROM unnest((m).columns) AS c, pg_trigger AS t, pg_constraint AS f
    WHERE t.tgrelid = c.member AND t.tgisinternal AND t.tgenabled <> 'O' AND f.oid = t.tgconstraint
      AND f.contype = 'f'
      AND (f.conrelid = c.member AND c.attnum = ANY (f.conkey)
           OR f.confrelid = c.member AND c.attnum = ANY (f.confkey));
END;

-- Part of changes_offline.
CREATE OR REPLACE FUNCTION foreign_key_changes_offline(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT recreated(o, ARRAY[format('ALTER TABLE %s DROP CONSTRAINT %I', o.relation, o.name)],
                     array_remove(ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s',
                                               o.relation, o.name, pg_get_constraintdef(o.objid)),
                                        constraint_comment(o.relation, o.name, o.objid)], NULL))
    FROM unnest((m).objects) AS o WHERE o.kind = 'foreign key' AND o.parent IS NULL;
END;
