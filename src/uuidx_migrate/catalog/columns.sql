-- What is migrated: a key, the columns that the user names, and all columns that foreign keys connect with them.

-- Topmost partitioned table of a partition, and any other relation itself. The topmost partitioned table stands for
-- its partitions. Not STRICT, so that the planner inlines it.
CREATE OR REPLACE FUNCTION root(relation oid) RETURNS regclass
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(pg_partition_root(relation::regclass), relation::regclass);

-- Relations and their partitions.
CREATE OR REPLACE FUNCTION members(relations regclass[]) RETURNS TABLE (relid oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT DISTINCT m.relid
    FROM unnest(relations) AS r,
         LATERAL (SELECT r::oid UNION SELECT p.relid FROM pg_partition_tree(r) AS p) AS m (relid);
END;

-- Relations, each once, in the order of their names. A view that is made again has another OID.
CREATE OR REPLACE FUNCTION by_name(relations regclass[]) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT r FROM unnest(relations) AS r GROUP BY r ORDER BY r::text COLLATE "C");

-- A table, or the partitions of a partitioned table that hold its rows.
CREATE OR REPLACE FUNCTION tables_of(relation regclass) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN by_name(ARRAY(SELECT c.oid::regclass FROM members(ARRAY[relation]) AS m, pg_class AS c
                     WHERE c.oid = m.relid AND c.relkind <> 'p'));

-- Whether a relation is a partitioned table.
CREATE OR REPLACE FUNCTION is_partitioned(relation regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT c.relkind = 'p' FROM pg_class AS c WHERE c.oid = relation);

-- Whether the table that a column is in has the CHECK constraint for its shadow. Each partition has its own: one of the
-- partitioned table would keep a table without it, such as LIKE makes, from becoming a partition.
CREATE OR REPLACE FUNCTION has_shadow_check(c migrated_column) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN NOT is_partitioned((c).member) OR (c).member = (c).root AND cardinality(tables_of((c).root)) = 0;

-- Name of the shadow of a column, an index, a constraint or the like.
CREATE OR REPLACE FUNCTION shadow_name(name name) RETURNS name
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(name::text) <= 52 THEN name::text || '_shadow' ELSE 'shadow_' || md5(name::text) END;

-- Name of the trigger that fills the shadow of a column. It sorts last, so that the trigger converts the value that is
-- stored.
CREATE OR REPLACE FUNCTION trigger_name(column_name name) RETURNS name
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'zzz_' || shadow_name(column_name)::text;

-- Name of the CHECK constraint that compares a column with its shadow: the same.
CREATE OR REPLACE FUNCTION shadow_check_name(column_name name) RETURNS name
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN trigger_name(column_name);

-- Name of the column that marks a partitioned table whose column is cut over: the same.
CREATE OR REPLACE FUNCTION mark_name(column_name name) RETURNS name
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN trigger_name(column_name);

-- Part of check_column and check_key_type: the error for a column of another type than some.
CREATE OR REPLACE FUNCTION raise_type(relation regclass, column_name name, types regtype[], hint text) RETURNS void
LANGUAGE sql STABLE PARALLEL SAFE
RETURN raise('42804', format('column "%s" of relation %s is not of type %s',
                             column_name, relation, array_to_string(types, ' or ')), NULL, hint);

-- An error unless a relation has a column with this name of one of these types, and is no shard of Citus.
CREATE OR REPLACE FUNCTION check_column(relation regclass, column_name name, types regtype[] DEFAULT '{uuid}')
RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    type regtype;
BEGIN
    PERFORM uuidx_migrate_steps.check_no_shard(relation);
    SELECT a.atttypid INTO type FROM pg_attribute AS a
    WHERE a.attrelid = relation AND a.attname = column_name AND a.attnum > 0 AND NOT a.attisdropped;
    IF type IS NULL THEN
        PERFORM uuidx_migrate_steps.raise('42703',
            format('column "%s" of relation %s does not exist', column_name, relation));
    ELSIF type <> ALL (types) THEN
        PERFORM uuidx_migrate_steps.raise_type(relation, column_name, types,
            CASE WHEN type <> ALL (uuidx_migrate_steps.migratable_types())
                 THEN 'Give it such a type first, by ALTER TABLE.' END);
    END IF;
END
$$;

-- Part of check_choices and named_keys: an error unless a key is of one of the types of a conversion; if another one
-- converts it, a hint names that.
CREATE OR REPLACE FUNCTION check_key_type(relation regclass, column_name name, types regtype[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate_steps.raise_type(
                relation, column_name, types,
                'Use ' || uuidx_migrate_steps.other_conversion(relation, column_name) || '.')
    FROM pg_attribute AS a
    WHERE a.attrelid = relation AND a.attname = column_name AND a.attnum > 0
      AND a.atttypid = ANY (uuidx_migrate_steps.migratable_types()) AND a.atttypid <> ALL (types);
    PERFORM uuidx_migrate_steps.check_column(relation, column_name, types);
END
$$;

-- The column that a text such as schema.table.column names.
CREATE OR REPLACE FUNCTION named_column(text text, relation regclass, OUT root regclass, OUT column_name name)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    parts text[] := parse_ident(text);
    count integer := cardinality(parts);
    named text;
BEGIN
    IF count NOT IN (2, 3) THEN
        PERFORM uuidx_migrate_steps.raise('22023', format('"%s" does not name a column', text),
            hint => 'Write schema.table.column; without the schema, it is that of the table that you migrate.');
    END IF;
    SELECT format('%I.%I', CASE count WHEN 3 THEN parts[1] ELSE n.nspname END, parts[count - 1]) INTO named
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation;
    root := uuidx_migrate_steps.root(to_regclass(named));
    IF root IS NULL THEN
        PERFORM uuidx_migrate_steps.raise('42P01', format('relation "%s" does not exist', named));
    END IF;
    column_name := parts[count];
    PERFORM uuidx_migrate_steps.check_column(root, column_name, uuidx_migrate_steps.migratable_types());
END
$$;

-- Whether a column of this name says in which table each number in another one is a key: subject_type beside
-- subject_id, as Rails and Laravel name them, or content_type_id beside object_id, as Django does. Not STRICT, so that
-- the planner inlines it.
CREATE OR REPLACE FUNCTION is_type_column(type_column name, column_name name) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN type_column ~* 'type' AND column_name ~* '.id$' AND type_column <> column_name
       AND lower(type_column) IN (regexp_replace(lower(column_name), 'id$', 'type'),
                                  regexp_replace(lower(column_name), 'object_id$', 'content_type_id'));

-- Whether there is such a column beside another one.
CREATE OR REPLACE FUNCTION has_type_column(relation oid, column_name name) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_attribute AS a
               WHERE a.attrelid = relation AND a.attnum > 0 AND is_type_column(a.attname, column_name));

-- A column, the columns that the texts name, and all that foreign keys connect with them, in either direction and
-- however many steps away. The constraints of a column are found by indexes: those that reference it by pg_depend. With
-- OFFSET, each look-up is one by an index, however many rows the planner expects.
CREATE OR REPLACE FUNCTION connected_columns(first_relation regclass, first_column name, also text[] DEFAULT '{}')
RETURNS TABLE (relation regclass, column_name name)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH RECURSIVE connected (relation, column_name) AS (
            (SELECT uuidx_migrate_steps.root(first_relation::oid), first_column
             UNION
             SELECT n.root, n.column_name
             FROM unnest(also) AS a, LATERAL uuidx_migrate_steps.named_column(a, first_relation) AS n)
            UNION
            SELECT uuidx_migrate_steps.root(o.relation), o.column_name
            FROM connected AS t, LATERAL uuidx_migrate_steps.members(ARRAY[t.relation]) AS m, LATERAL (
                SELECT b.attrelid, b.attname
                FROM pg_attribute AS a, pg_constraint AS f,
                     LATERAL ROWS FROM (unnest(f.conkey), unnest(f.confkey)) AS k (referencing, referenced),
                     pg_attribute AS b
                WHERE a.attrelid = m.relid AND a.attname = t.column_name AND NOT a.attisdropped
                  AND f.conrelid = m.relid AND f.contype = 'f' AND f.conparentid = 0 AND k.referencing = a.attnum
                  AND b.attrelid = f.confrelid AND b.attnum = k.referenced
                  AND ARRAY[a.atttypid, b.atttypid]::regtype[] && uuidx_migrate_steps.migratable_types()
                UNION ALL
                SELECT b.attrelid, b.attname
                FROM pg_attribute AS a,
                     LATERAL uuidx_migrate_steps.dependents_of('pg_class'::regclass::oid, m.relid, a.attnum::integer)
                     AS d,
                     pg_constraint AS f,
                     LATERAL ROWS FROM (unnest(f.conkey), unnest(f.confkey)) AS k (referencing, referenced),
                     pg_attribute AS b
                WHERE a.attrelid = m.relid AND a.attname = t.column_name AND NOT a.attisdropped
                  AND d.classid = 'pg_constraint'::regclass AND f.oid = d.objid
                  AND f.confrelid = m.relid AND f.conparentid = 0 AND k.referenced = a.attnum
                  AND b.attrelid = f.conrelid AND b.attnum = k.referencing
                  AND ARRAY[a.atttypid, b.atttypid]::regtype[] && uuidx_migrate_steps.migratable_types()
                OFFSET 0
            ) AS o (relation, column_name)
        )
        SELECT t.relation, t.column_name FROM connected AS t;
END
$$;

-- The columns of connected_columns, in each table and partition.
CREATE OR REPLACE FUNCTION migrated_columns(first_relation regclass, first_column name, also text[])
RETURNS SETOF migrated_column
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.relation, m.relid, m.level, a.attnum, a.attname, shadow_name(a.attname), true, a.atttypid::regtype
    FROM connected_columns(first_relation, first_column, also) AS t,
         LATERAL (SELECT t.relation AS relid, 0 AS level
                  UNION
                  SELECT p.relid, p.level FROM pg_partition_tree(t.relation) AS p) AS m,
         LATERAL (SELECT u.attnum, u.attname, u.atttypid FROM pg_attribute AS u
                  WHERE u.attrelid = m.relid AND u.attname = t.column_name AND NOT u.attisdropped OFFSET 0) AS a
    ORDER BY t.relation::text COLLATE "C", t.column_name, m.level, m.relid::text COLLATE "C";
END;
