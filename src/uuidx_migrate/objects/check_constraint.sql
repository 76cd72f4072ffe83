-- CHECK constraints.

-- The CHECK constraints that read migrated columns, and what they are on the shadow columns.
CREATE OR REPLACE FUNCTION migrated_checks(columns migrated_column[]) RETURNS SETOF migrated_check
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.oid, k.conrelid::regclass, k.conname,
           format('CHECK (%s)%s%s', (on_shadows(k.conbin, k.conrelid, array_agg(c.attnum), array_agg(c.shadow)))[1],
                  CASE WHEN k.connoinherit THEN ' NO INHERIT' END,
                  CASE WHEN to_jsonb(k) ->> 'conenforced' = 'false' THEN ' NOT ENFORCED' END), -- from PostgreSQL 18 on
           k.convalidated, obj_description(k.oid, 'pg_constraint')
    FROM unnest(columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND k.contype = 'c' AND k.coninhcount = 0
      AND EXISTS (SELECT FROM unnest(columns) AS m WHERE m.member = k.conrelid AND m.attnum = ANY (k.conkey))
      AND NOT EXISTS (SELECT FROM unnest(columns) AS m WHERE m.member = k.conrelid AND k.conname = trigger_name(m.name))
      AND NOT reads_other_shadow('pg_constraint'::regclass, k.oid, columns)
    GROUP BY k.oid
    ORDER BY k.conrelid::regclass::text COLLATE "C", k.conname;
END;

-- Part of twins: CHECK constraints.
CREATE OR REPLACE FUNCTION check_twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'constraint', k.member, k.member, shadow_name(k.name), k.definition, k.validated,
           add_constraint(m, 'index', ARRAY[k.member], 'ACCESS EXCLUSIVE', shadow_name(k.name),
                          k.definition || ' NOT VALID',
                          CASE WHEN names_more('pg_constraint'::regclass, k.oid) THEN call_check_again(m) END)
           || ARRAY(SELECT step('index', format('SHARE UPDATE EXCLUSIVE on %s', k.member),
                                call_validate(m, k.member, shadow_name(k.name)))
                    WHERE k.validated),
           ARRAY[format('ALTER TABLE %s DROP CONSTRAINT %I', k.member, k.name)],
           array_remove(ARRAY[format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I',
                                     k.member, shadow_name(k.name), k.name),
                              format('COMMENT ON CONSTRAINT %I ON %s IS ', k.name, k.member)
                              || quote_literal(k.comment)], NULL)
    FROM unnest((m).checks) AS k;
END;

-- Part of obstacles_of_type.
CREATE OR REPLACE FUNCTION check_obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('constraint %I of table %s reads the values of column %I', k.conname, c.member, c.name),
           CASE WHEN reads_texts((m).conversion) AND k.conkey = ARRAY[c.attnum]
                THEN 'Drop it if it proves how a UUID is written: the type uuid does.'
                ELSE hint_of_reader() END
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND k.contype = 'c' AND k.coninhcount = 0
      AND reads_value('pg_constraint'::regclass, k.oid, c.attnum)
      AND NOT EXISTS (SELECT FROM unnest((m).columns) AS o
                      WHERE o.member = c.member AND k.conname = trigger_name(o.name));
END;
