-- NOT NULL. From PostgreSQL 18 on, it is a constraint with a name.

-- Part of not_null_obstacles_offline and not_null_remarks: those of partitions that have another name than that of
-- their table. A new one comes from the table, with its name.
CREATE OR REPLACE FUNCTION not_null_names(m migration)
RETURNS TABLE (root regclass, column_name name, member regclass, name name, name_of_root name, is_local boolean)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, c.member, n.conname, r.conname, n.conislocal
    FROM unnest((m).columns) AS c, pg_constraint AS n, pg_constraint AS r, pg_attribute AS a
    WHERE (n.conrelid, n.contype) = (c.member, 'n') AND n.conkey = ARRAY[c.attnum]
      AND (a.attrelid, a.attname) = (c.root, c.name)
      AND (r.conrelid, r.contype) = (c.root, 'n') AND r.conkey = ARRAY[a.attnum] AND r.conname <> n.conname;
END;

-- Part of obstacles_offline: PostgreSQL cannot rewrite such a column if the constraint is also the partition's own.
CREATE OR REPLACE FUNCTION not_null_obstacles_offline(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT n.root, n.column_name,
           format('NOT NULL constraint %I of partition %s is its own, and that of table %s has another name, %I',
                  n.name, n.member, n.root, n.name_of_root),
           'Use the online mode: ALTER COLUMN TYPE fails.'
    FROM not_null_names(m) AS n WHERE n.is_local;
END;

-- Part of remarks.
CREATE OR REPLACE FUNCTION not_null_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT n.root, n.column_name,
           format('NOT NULL constraint %I of partition %s gets the name of that of table %s, %I, and loses its comment',
                  n.name, n.member, n.root, n.name_of_root)
    FROM not_null_names(m) AS n;
END;

-- Part of obstacles_online.
CREATE OR REPLACE FUNCTION not_null_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('table %s alone has column %I as NOT NULL', c.member, c.name),
           'Make it NOT NULL in the partitioned table too.'
    FROM unnest((m).columns) AS c, pg_attribute AS a, pg_attribute AS r
    WHERE a.attrelid = c.member AND a.attnum = c.attnum AND r.attrelid = c.root AND r.attname = c.name
      AND a.attnotnull AND NOT r.attnotnull
    UNION ALL
    SELECT c.root, c.name, pg_describe_object('pg_constraint'::regclass, k.oid, 0) || ', which is not validated',
           'Validate it.'
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND k.conkey = ARRAY[c.attnum] AND k.contype = 'n' AND NOT k.convalidated;
END;

-- Part of cutover_statements: takes NOT NULL from the columns, and gives it to the shadow columns.
CREATE OR REPLACE FUNCTION cutover_not_null(m migration) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    -- A partition may have NOT NULL of its own. From PostgreSQL 18 on, its primary key makes NOT NULL its own.
    (SELECT CASE WHEN k.keeps_not_null
                 THEN format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', c.member, n.conname, shadow_name(n.conname))
                 ELSE format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', c.member, c.shadow) END
     FROM unnest((m).columns) AS c
          LEFT JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum],
          pg_attribute AS a, pg_attribute AS r,
          LATERAL (SELECT not_null_of_number(m, c) IS NOT DISTINCT FROM 'keep') AS k (keeps_not_null)
     WHERE a.attrelid = c.member AND a.attnum = c.attnum AND r.attrelid = c.root AND r.attname = c.name
       AND a.attnotnull AND (c.member = c.root OR NOT r.attnotnull OR n.conislocal)
       AND NOT (k.keeps_not_null AND n.conname IS NULL)
     ORDER BY c.level, c.member::text COLLATE "C", c.name)
    UNION ALL
    (SELECT CASE WHEN n.conname IS NULL THEN format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', c.member, c.name)
                 WHEN not_null_of_number(m, c) = 'take back'
                 THEN format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', c.member, shadow_name(n.conname), n.conname)
                 ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s',
                             c.member, n.conname, pg_get_constraintdef(n.oid)) END
     FROM unnest((m).columns) AS c
          LEFT JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum],
          pg_attribute AS a, pg_attribute AS r
     WHERE a.attrelid = c.member AND a.attnum = c.attnum AND r.attrelid = c.root AND r.attname = c.name
       AND a.attnotnull AND NOT (r.attnotnull AND c.member <> c.root)
     ORDER BY c.level, c.member::text COLLATE "C", c.name)
    UNION ALL
    SELECT constraint_comment(c.member, n.conname, n.oid)
    FROM unnest((m).columns) AS c, pg_constraint AS n
    WHERE n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum] AND c.member = c.root
      AND obj_description(n.oid, 'pg_constraint') IS NOT NULL;
END;
