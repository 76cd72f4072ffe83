-- What moves: a key, the columns that the user names, and all columns that foreign keys tie to them.

-- The topmost partitioned table stands for its partitions.
CREATE OR REPLACE FUNCTION root(relation oid) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce(pg_partition_root(relation::regclass), relation::regclass);
COMMENT ON FUNCTION root(oid) IS
'topmost partitioned table of a partition, and any other relation itself';

CREATE OR REPLACE FUNCTION members(relations regclass[]) RETURNS TABLE (relid oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT m.relid FROM unnest(relations) AS r, LATERAL (SELECT r::oid UNION SELECT p.relid FROM pg_partition_tree(r) AS p) AS m (relid);
END;
COMMENT ON FUNCTION members(regclass[]) IS
'relations and their partitions';

-- --- Names ---

CREATE OR REPLACE FUNCTION shadow_name(name name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN octet_length(name::text) <= 52 THEN name || '_shadow' ELSE 'shadow_' || md5(name) END;
COMMENT ON FUNCTION shadow_name(name) IS
'name of the shadow of a column, an index, a constraint or the like';

-- This trigger sorts last by name, so that it converts the value that is stored.
CREATE OR REPLACE FUNCTION trigger_name(column_name name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN 'zzz_' || shadow_name(column_name);
COMMENT ON FUNCTION trigger_name(name) IS
'name of the trigger that fills the shadow of a column, and of the constraint that proves its value';

CREATE OR REPLACE FUNCTION is_partitioned(relation regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT c.relkind = 'p' FROM pg_class AS c WHERE c.oid = relation);
COMMENT ON FUNCTION is_partitioned(regclass) IS
'whether a relation is a partitioned table';

CREATE OR REPLACE FUNCTION has_constraint(relation regclass, name name) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = relation AND c.conname = has_constraint.name);
COMMENT ON FUNCTION has_constraint(regclass, name) IS
'whether a table has a constraint with this name';

-- --- Mistakes in a call ---

-- RAISE would show where in these functions the mistake was found.
CREATE OR REPLACE FUNCTION raise(sqlstate text, message text, detail text DEFAULT NULL, hint text DEFAULT NULL) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_raise'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION raise(text, text, text, text) IS
'an error without context, for a mistake of the user';

-- --- Columns ---

CREATE OR REPLACE FUNCTION check_choice(argument text, value text, choices text[]) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF value = ANY (choices) IS NOT TRUE THEN
        PERFORM uuidx_migrate.raise('22023', format('%s "%s" is none of: %s', argument, coalesce(value, '<NULL>'), array_to_string(choices, ', ')));
    END IF;
END
$$;
COMMENT ON FUNCTION check_choice(text, text, text[]) IS
'an error unless a value is one of those to choose from';

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
        PERFORM uuidx_migrate.raise('22023', format('"%s" does not name a column', text),
            hint => 'Write schema.table.column; without the schema, the table is in the schema of the key''s table.');
    END IF;
    SELECT format('%I.%I', CASE count WHEN 3 THEN parts[1] ELSE n.nspname END, parts[count - 1]) INTO named
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation;
    root := uuidx_migrate.root(to_regclass(named));
    IF root IS NULL THEN
        PERFORM uuidx_migrate.raise('42P01', format('relation "%s" does not exist', named));
    END IF;
    column_name := parts[count];
    PERFORM uuidx_migrate.check_column(root, column_name, uuidx_migrate.movable_types());
END
$$;
COMMENT ON FUNCTION named_column(text, regclass) IS
'the column that a text such as schema.table.column names';

CREATE OR REPLACE FUNCTION check_column(relation regclass, column_name name, types regtype[] DEFAULT '{uuid}') RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    type regtype;
BEGIN
    SELECT a.atttypid INTO type FROM pg_attribute AS a
    WHERE a.attrelid = relation AND a.attname = column_name AND a.attnum > 0 AND NOT a.attisdropped;
    IF type IS NULL THEN
        PERFORM uuidx_migrate.raise('42703', format('column "%s" of relation %s does not exist', column_name, relation));
    ELSIF type <> ALL (types) THEN
        PERFORM uuidx_migrate.raise('42804', format('column "%s" of relation %s is not of type %s', column_name, relation, array_to_string(types, ' or ')));
    END IF;
END
$$;
COMMENT ON FUNCTION check_column(regclass, name, regtype[]) IS
'an error unless a relation has a column with this name of one of these types';

CREATE OR REPLACE FUNCTION tied_columns(first_relation regclass, first_column name, also text[] DEFAULT '{}')
RETURNS TABLE (relation regclass, column_name name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE pairs AS MATERIALIZED (
        SELECT root(f.conrelid) AS referencing, a.attname AS referencing_column,
               root(f.confrelid) AS referenced, b.attname AS referenced_column
        FROM pg_constraint AS f
        CROSS JOIN LATERAL ROWS FROM (unnest(f.conkey), unnest(f.confkey)) AS k (referencing, referenced)
        JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = k.referencing
        JOIN pg_attribute AS b ON b.attrelid = f.confrelid AND b.attnum = k.referenced
        WHERE f.contype = 'f' AND f.conparentid = 0 AND ARRAY[a.atttypid, b.atttypid]::regtype[] && movable_types()
    ),
    ties (relation, column_name, other_relation, other_column) AS MATERIALIZED (
        SELECT p.referencing, p.referencing_column, p.referenced, p.referenced_column FROM pairs AS p
        UNION
        SELECT p.referenced, p.referenced_column, p.referencing, p.referencing_column FROM pairs AS p
    ),
    tied (relation, column_name) AS (
        (SELECT root(first_relation), first_column
         UNION
         SELECT n.root, n.column_name FROM unnest(also) AS a, LATERAL named_column(a, first_relation) AS n)
        UNION
        SELECT s.other_relation, s.other_column
        FROM tied AS t JOIN ties AS s ON s.relation = t.relation AND s.column_name = t.column_name
    )
    SELECT t.relation, t.column_name FROM tied AS t;
END;
COMMENT ON FUNCTION tied_columns(regclass, name, text[]) IS
'a column, the columns that the texts name, and all that are tied to them by foreign keys, in either direction and however many steps away';

CREATE OR REPLACE FUNCTION moved_columns(first_relation regclass, first_column name, also text[]) RETURNS SETOF moved_column
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.relation, m.relid, m.level, a.attnum, a.attname, shadow_name(a.attname)
    FROM tied_columns(first_relation, first_column, also) AS t
    CROSS JOIN LATERAL (SELECT t.relation AS relid, 0 AS level
                        UNION
                        SELECT p.relid, p.level FROM pg_partition_tree(t.relation) AS p) AS m
    JOIN pg_attribute AS a ON a.attrelid = m.relid AND a.attname = t.column_name AND NOT a.attisdropped
    ORDER BY t.relation::text COLLATE "C", t.column_name, m.level, m.relid::text COLLATE "C";
END;
COMMENT ON FUNCTION moved_columns(regclass, name, text[]) IS
'the columns of tied_columns, in each table and partition';

CREATE OR REPLACE FUNCTION by_table(columns moved_column[]) RETURNS TABLE (root regclass, columns moved_column[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT (u.c).root, array_agg(u.c) FROM (SELECT u FROM unnest(columns) AS u) AS u (c) GROUP BY (u.c).root ORDER BY (u.c).root;
END;
COMMENT ON FUNCTION by_table(moved_column[]) IS
'columns, those of each table and its partitions together';

-- An index or a foreign key of a column and its shadow together is the migration's own.
CREATE OR REPLACE FUNCTION has_pair(relation regclass, name name, attnums smallint[]) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT count(*) = 2 FROM pg_attribute AS a
        WHERE a.attrelid = relation AND a.attname IN (has_pair.name, shadow_name(has_pair.name)) AND a.attnum = ANY (attnums));
COMMENT ON FUNCTION has_pair(regclass, name, smallint[]) IS
'whether a column and its shadow are both among some columns of their table';

-- --- Foreign keys ---

-- A foreign key's columns are at the beginning of its definition; ON DELETE SET NULL can name some of them again.
CREATE OR REPLACE FUNCTION shadow_foreign_key(foreign_key oid, columns moved_column[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH keys AS (
        SELECT format('FOREIGN KEY (%s) REFERENCES %s(%s)', string_agg(quote_ident(a.attname), ', ' ORDER BY k.n), f.confrelid::regclass,
                      string_agg(quote_ident(b.attname), ', ' ORDER BY k.n)) AS own,
               format('FOREIGN KEY (%s) REFERENCES %s(%s)', string_agg(quote_ident(coalesce(c.shadow, a.attname)), ', ' ORDER BY k.n),
                      f.confrelid::regclass, string_agg(quote_ident(coalesce(d.shadow, b.attname)), ', ' ORDER BY k.n)) AS shadow,
               pg_get_constraintdef(f.oid) AS definition, to_jsonb(f) -> 'confdelsetcols' AS set_columns,
               jsonb_object_agg(a.attnum, quote_ident(a.attname)) AS names,
               jsonb_object_agg(a.attnum, quote_ident(coalesce(c.shadow, a.attname))) AS shadow_names
        FROM pg_constraint AS f
        CROSS JOIN LATERAL ROWS FROM (unnest(f.conkey), unnest(f.confkey)) WITH ORDINALITY AS k (referencing, referenced, n)
        JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = k.referencing
        JOIN pg_attribute AS b ON b.attrelid = f.confrelid AND b.attnum = k.referenced
        LEFT JOIN unnest(columns) AS c ON c.member = f.conrelid AND c.attnum = a.attnum
        LEFT JOIN unnest(columns) AS d ON d.member = f.confrelid AND d.attnum = b.attnum
        WHERE f.oid = foreign_key
        GROUP BY f.oid
    ),
    lists AS (
        SELECT string_agg(k.names ->> e, ', ' ORDER BY n) AS own, string_agg(k.shadow_names ->> e, ', ' ORDER BY n) AS shadow
        FROM keys AS k CROSS JOIN LATERAL jsonb_array_elements_text(nullif(k.set_columns, 'null')) WITH ORDINALITY AS s (e, n)
    )
    SELECT k.shadow || CASE WHEN l.own IS NULL THEN substr(k.definition, length(k.own) + 1)
                            ELSE replace(substr(k.definition, length(k.own) + 1), format('(%s)', l.own), format('(%s)', l.shadow)) END
    FROM keys AS k, lists AS l
    WHERE starts_with(k.definition, k.own);
END;
COMMENT ON FUNCTION shadow_foreign_key(oid, moved_column[]) IS
'definition of a foreign key on the shadow columns; NULL for one with a period';

CREATE OR REPLACE FUNCTION moved_foreign_keys(columns moved_column[]) RETURNS SETOF moved_foreign_key
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT f.oid, f.conrelid::regclass, f.confrelid::regclass, f.conname, pg_get_constraintdef(f.oid), shadow_foreign_key(f.oid, columns),
           obj_description(f.oid, 'pg_constraint'), f.convalidated
    FROM pg_constraint AS f
    WHERE f.contype = 'f' AND f.conparentid = 0
      AND EXISTS (SELECT FROM unnest(columns) AS c WHERE c.member = f.conrelid AND c.attnum = ANY (f.conkey))
      AND NOT EXISTS (SELECT FROM unnest(columns) AS c WHERE c.member = f.conrelid AND has_pair(c.member, c.name, f.conkey))
    ORDER BY f.conrelid::regclass::text COLLATE "C", f.conname;
END;
COMMENT ON FUNCTION moved_foreign_keys(moved_column[]) IS
'the foreign keys of the columns that move, without those that partitions have from their table';

-- A foreign key of a partitioned table consists of its own constraint and those of its partitions.
CREATE OR REPLACE FUNCTION foreign_key_members(f moved_foreign_key)
RETURNS TABLE (member regclass, name name, is_partitioned boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE members AS (
        SELECT c.oid, c.conrelid, c.confrelid, c.conname FROM pg_constraint AS c WHERE c.oid = (f).key
        UNION ALL
        SELECT c.oid, c.conrelid, c.confrelid, c.conname
        FROM members AS m JOIN pg_constraint AS c ON c.conparentid = m.oid AND c.confrelid = m.confrelid AND c.conrelid <> m.conrelid
    )
    SELECT m.conrelid::regclass, m.conname, is_partitioned(m.conrelid) FROM members AS m ORDER BY m.conrelid::regclass::text COLLATE "C";
END;
COMMENT ON FUNCTION foreign_key_members(moved_foreign_key) IS
'the tables and partitions that a foreign key is of, and its name there';

-- A foreign key may reference its own table.
CREATE OR REPLACE FUNCTION key_relations(referencing regclass, referenced regclass) RETURNS regclass[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN referencing || array_remove(ARRAY[referenced], referencing);
COMMENT ON FUNCTION key_relations(regclass, regclass) IS
'the table or the two tables of a foreign key';

CREATE OR REPLACE FUNCTION validation_locks(referencing regclass, referenced regclass) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN concat('SHARE UPDATE EXCLUSIVE on ', referencing, CASE WHEN referenced <> referencing THEN ', ROW SHARE on ' || referenced END);
COMMENT ON FUNCTION validation_locks(regclass, regclass) IS
'the locks that the validation of a foreign key takes';

-- --- Indexes, statistics and CHECK constraints ---

CREATE OR REPLACE FUNCTION moved_indexes(columns moved_column[])
RETURNS TABLE (member regclass, level integer, schema regnamespace, name name, index regclass, attnums smallint[], is_partitioned boolean,
               key oid, constraint_type "char", constraint_parent oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.member, min(c.level), x.relnamespace::regnamespace, x.relname, i.indexrelid::regclass, array_agg(c.attnum), x.relkind = 'I',
           k.oid, k.contype, k.conparentid
    FROM unnest(columns) AS c
    JOIN pg_index AS i ON i.indrelid = c.member
    JOIN pg_class AS x ON x.oid = i.indexrelid
    LEFT JOIN pg_constraint AS k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u', 'x')
    WHERE (c.attnum = ANY (i.indkey) OR c.attnum IN (SELECT f.attnum FROM expression_facts('pg_index'::regclass, i.indexrelid) AS f))
      AND NOT EXISTS (SELECT FROM unnest(columns) AS p WHERE p.member = c.member AND has_pair(p.member, p.name, i.indkey))
    GROUP BY c.member, i.indexrelid, x.oid, k.oid
    ORDER BY min(c.level), x.oid::regclass::text COLLATE "C";
END;
COMMENT ON FUNCTION moved_indexes(moved_column[]) IS
'the indexes that read moved columns, and the constraints that they belong to';

CREATE OR REPLACE FUNCTION moved_statistics(columns moved_column[])
RETURNS TABLE (member regclass, statistics oid, schema regnamespace, name name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.member, s.oid, s.stxnamespace::regnamespace, s.stxname
    FROM unnest(columns) AS c JOIN pg_statistic_ext AS s ON s.stxrelid = c.member
    WHERE c.attnum = ANY (s.stxkeys) OR c.attnum IN (SELECT f.attnum FROM expression_facts('pg_statistic_ext'::regclass, s.oid) AS f)
    ORDER BY s.stxnamespace::regnamespace, s.stxname;
END;
COMMENT ON FUNCTION moved_statistics(moved_column[]) IS
'the extended statistics that read moved columns';

CREATE OR REPLACE FUNCTION moved_checks(columns moved_column[])
RETURNS TABLE (member regclass, name name, shadow name, definition text, validated boolean, comment text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.conrelid::regclass, k.conname, shadow_name(k.conname),
           format('CHECK (%s)%s%s', (on_shadows(k.conbin, k.conrelid, array_agg(c.attnum), array_agg(c.shadow)))[1], CASE WHEN k.connoinherit THEN ' NO INHERIT' END,
                  CASE WHEN to_jsonb(k) ->> 'conenforced' = 'false' THEN ' NOT ENFORCED' END), -- from PostgreSQL 18 on
           k.convalidated, obj_description(k.oid, 'pg_constraint')
    FROM unnest(columns) AS c JOIN pg_constraint AS k ON k.conrelid = c.member
    WHERE k.contype = 'c' AND k.coninhcount = 0
      AND EXISTS (SELECT FROM unnest(columns) AS m WHERE m.member = k.conrelid AND m.attnum = ANY (k.conkey))
      AND NOT EXISTS (SELECT FROM unnest(columns) AS m WHERE m.member = k.conrelid AND k.conname = trigger_name(m.name))
    GROUP BY k.oid
    ORDER BY k.conrelid::regclass::text COLLATE "C", k.conname;
END;
COMMENT ON FUNCTION moved_checks(moved_column[]) IS
'the CHECK constraints that read moved columns, and what they are on the shadow columns';
