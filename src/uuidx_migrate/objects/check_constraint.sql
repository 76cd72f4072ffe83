-- CHECK constraints.

-- Part of objects: the CHECK constraints that read migrated columns, and what they are on the shadow columns.
CREATE OR REPLACE FUNCTION check_constraints(columns migrated_column[]) RETURNS SETOF object
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'check constraint', format('constraint %I of table %s', k.conname, k.conrelid::regclass),
           'pg_constraint'::regclass, k.oid, k.conrelid, NULL::oid, NULL::integer, k.conrelid, k.conname,
           NULL::smallint[], NULL::oid,
           format('CHECK (%s)%s%s', (on_shadows(k.conbin, k.conrelid, array_agg(c.attnum), array_agg(c.shadow)))[1],
                  CASE WHEN k.connoinherit THEN ' NO INHERIT' END,
                  CASE WHEN to_jsonb(k) ->> 'conenforced' = 'false' THEN ' NOT ENFORCED' END), -- from PostgreSQL 18 on
           k.convalidated, NULL::boolean, NULL::boolean
    FROM unnest(columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND k.contype = 'c' AND k.coninhcount = 0
      AND EXISTS (SELECT FROM unnest(columns) AS m WHERE m.member = k.conrelid AND m.attnum = ANY (k.conkey))
      AND NOT EXISTS (SELECT FROM unnest(columns) AS m
                      WHERE m.member = k.conrelid AND k.conname = shadow_check_name(m.name))
    GROUP BY k.oid
    ORDER BY k.conrelid::regclass::text COLLATE "C", k.conname;
END;

-- Part of changes_online.
CREATE OR REPLACE FUNCTION check_constraint_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.kind, o.relation, o.place, shadow_name(o.name), o.definition, o.is_complete,
           add_constraint(m, 'index', ARRAY[o.relation], 'ACCESS EXCLUSIVE', shadow_name(o.name),
                          o.definition || ' NOT VALID',
                          CASE WHEN names_more(o.classid, o.objid) THEN call_check_again(m) END)
           || ARRAY(SELECT step('index', format('SHARE UPDATE EXCLUSIVE on %s', o.relation),
                                call_validate(m, 'index', o.relation, shadow_name(o.name)))
                    WHERE o.is_complete),
           ARRAY[format('ALTER TABLE %s DROP CONSTRAINT %I', o.relation, o.name)],
           format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', o.relation, shadow_name(o.name), o.name)
           || ARRAY(SELECT constraint_comments(o.relation, o.name))
    FROM unnest((m).objects) AS o WHERE o.kind = 'check constraint';
END;

-- Part of changes_offline: the comments in partitions, which a rewrite loses.
CREATE OR REPLACE FUNCTION check_constraint_changes_offline(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT recreated(o, '{}', ARRAY(SELECT constraint_comments(o.relation, o.name)))
    FROM unnest((m).objects) AS o WHERE o.kind = 'check constraint' AND is_partitioned(o.relation);
END;

-- Part of obstacles_online.
CREATE OR REPLACE FUNCTION check_constraint_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('constraint %I of table %s uses the row as a whole', k.conname, c.member),
           'Name the columns there, or use the offline mode.'
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND uses_row('pg_constraint'::regclass, k.oid);
END;

-- Part of obstacles_of_type.
CREATE OR REPLACE FUNCTION check_constraint_obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('constraint %I of table %s reads the values of column %I', k.conname, c.member, c.name),
           CASE WHEN ((m).conversion).reads_texts AND k.conkey = ARRAY[c.attnum]
                THEN 'Drop it if it proves how a UUID is written: the type uuid does.'
                ELSE hint_of_reader(m, 'pg_constraint'::regclass, k.oid) END
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND k.contype = 'c' AND k.coninhcount = 0
      AND needs_type(m, 'pg_constraint'::regclass, k.oid, c.attnum)
      AND NOT EXISTS (SELECT FROM unnest((m).columns) AS o
                      WHERE o.member = c.member AND k.conname = shadow_check_name(o.name));
END;

-- Part of remarks.
CREATE OR REPLACE FUNCTION check_constraint_remarks(m migration)
RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('constraint %I of table %s, which may mean something else for the new values: %s',
                  k.conname, k.conrelid::regclass, pg_get_constraintdef(k.oid))
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND c.attnum = ANY (k.conkey) AND NOT ((m).conversion).changes_type
      AND k.contype = 'c' AND k.coninhcount = 0 AND k.conname <> shadow_check_name(c.name)
      AND EXISTS (SELECT FROM expression_facts('pg_constraint'::regclass, k.oid) AS f
                  WHERE f.fact IN ('uuid', 'function')
                     OR f.fact = 'operator'
                        AND f.object = ANY ('{"<(uuid,uuid)",">(uuid,uuid)","<=(uuid,uuid)",">=(uuid,uuid)"}'
                                            ::regoperator[]))
    UNION ALL
    SELECT c.root, c.name,
           format('online: the backfill stops at a row that violates constraint %I of table %s, which is not validated',
                  k.conname, k.conrelid::regclass)
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member
      AND k.contype IN ('c', 'n') AND NOT k.convalidated AND k.coninhcount = 0
      AND k.conname <> shadow_check_name(c.name)
      AND to_jsonb(k) ->> 'conenforced' IS DISTINCT FROM 'false'; -- from PostgreSQL 18 on
END;
