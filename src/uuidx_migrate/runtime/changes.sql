-- Changes for which PostgreSQL has no single statement.

-- After the cutover, the constraint has its own name.
CREATE OR REPLACE FUNCTION validate_constraint(relation regclass, name name, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    member regclass;
BEGIN
    FOREACH member IN ARRAY relation || uuidx_migrate_steps.tables_of(relation) LOOP
        PERFORM uuidx_migrate_steps.lock_table(member, 'SHARE UPDATE EXCLUSIVE', trust_owners);
        IF EXISTS (SELECT FROM pg_constraint AS c
                   WHERE c.conrelid = member AND c.conname = name AND NOT c.convalidated) THEN
            EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', member, name);
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION validate_constraint(regclass, name, boolean) IS
'ALTER TABLE ... VALIDATE CONSTRAINT where a table or its partitions have the constraint';

CREATE OR REPLACE FUNCTION add_missing_constraint(relations regclass[], name name, definition text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    relation regclass;
BEGIN
    FOREACH relation IN ARRAY relations LOOP
        IF NOT uuidx_migrate_steps.has_constraint(relation, name) THEN
            EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', relation, name, definition);
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION add_missing_constraint(regclass[], name, text) IS
'ALTER TABLE ... ADD CONSTRAINT where tables do not have the constraint';

-- A kind of object that the cutover does not know would go on to read an old column. Its default and the constraint
-- that proves its value may, and so may what else the migration has made. Readers wait meanwhile: a subquery reads no
-- whole catalog, and is not worth compiling.
CREATE OR REPLACE FUNCTION check_unread(relations regclass[], column_names name[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    reader text;
BEGIN
    SELECT min(r.reader) INTO reader
    FROM unnest(relations, column_names) AS c (root, name)
    CROSS JOIN LATERAL uuidx_migrate_steps.members(ARRAY[c.root]) AS m
    CROSS JOIN LATERAL (SELECT (
        SELECT format('%s still reads the old column "%s" of table %s',
                      pg_describe_object(d.classid, d.objid, d.objsubid), a.attname, m.relid::regclass)
        FROM pg_attribute AS a
        CROSS JOIN LATERAL uuidx_migrate_steps.dependents_of('pg_class'::regclass::oid, a.attrelid, a.attnum::integer)
                           AS d
        LEFT JOIN pg_attrdef AS e ON d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
        LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
        LEFT JOIN pg_trigger AS t ON d.classid = 'pg_trigger'::regclass AND t.oid = d.objid
        LEFT JOIN pg_index AS i ON d.classid = 'pg_class'::regclass AND i.indexrelid = d.objid
        LEFT JOIN pg_class AS s ON d.classid = 'pg_class'::regclass AND s.oid = d.objid AND s.relkind = 'S'
        WHERE a.attrelid = m.relid AND a.attname = uuidx_migrate_steps.shadow_name(c.name)
          AND ((e.adrelid, e.adnum) = (a.attrelid, a.attnum)
               OR k.conname = uuidx_migrate_steps.shadow_check_name(c.name)
               OR s.oid IS NOT NULL OR k.contype = 'n' OR uuidx_migrate_steps.is_own_trigger(t.tgfoid)
               OR uuidx_migrate_steps.has_pair(m.relid::regclass, c.name, i.indkey::smallint[])) IS NOT TRUE
        LIMIT 1)) AS r (reader);
    IF reader IS NOT NULL THEN
        RAISE EXCEPTION '%', reader USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Drop it, and create it again after the cutover.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_unread(regclass[], name[]) IS
'an error if anything reads the old columns after the cutover';

-- ALTER TABLE ... RENAME COLUMN does not rename the columns of indexes, which \d shows. From PostgreSQL 20 on, the
-- column of an expression has the names of the columns that the expression reads in its own.
CREATE OR REPLACE FUNCTION rename_index_columns(index regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rename text;
BEGIN
    LOOP
        SELECT format('ALTER TABLE %s RENAME COLUMN %I TO %I', index, k.attname, n.name) INTO rename
        FROM pg_index AS i
        JOIN pg_attribute AS k ON k.attrelid = i.indexrelid
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid,
             LATERAL (SELECT CASE i.indkey[k.attnum - 1]
                             WHEN a.attnum THEN a.attname
                             WHEN 0 THEN replace(k.attname, uuidx_migrate_steps.shadow_name(a.attname), a.attname)
                             END) AS n (name)
        WHERE i.indexrelid = index AND n.name <> k.attname
          AND NOT EXISTS (SELECT FROM pg_attribute AS o WHERE o.attrelid = index AND o.attname = n.name)
        ORDER BY k.attnum, a.attnum LIMIT 1;
        EXIT WHEN NOT FOUND;
        EXECUTE rename;
    END LOOP;
END
$$;
COMMENT ON FUNCTION rename_index_columns(regclass) IS
'gives the columns of an index the names of those of its table';

CREATE OR REPLACE FUNCTION convert_default(
    relation regclass, column_name name, key_table regclass, from_column name, to_column name, former text DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    value text;
BEGIN
    IF former IS NULL THEN
        SELECT d.constant INTO value
        FROM pg_attribute AS a, LATERAL uuidx_migrate_steps.default_of(relation::oid, a.attnum) AS d
        WHERE a.attrelid = relation AND a.attname = column_name;
        value := uuidx_migrate_steps.text_with_key(
                     value, uuidx_migrate_steps.lookup(
                                key_table, from_column, to_column, uuidx_migrate_steps.key_of_text(value), NULL::uuid));
    ELSE
        EXECUTE format('SELECT k.%I FROM %s AS k WHERE k.%I = %L', to_column, key_table, from_column, former)
        INTO value;
    END IF;
    EXECUTE format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %L', relation, column_name, value);
END
$$;
COMMENT ON FUNCTION convert_default(regclass, name, regclass, name, name, text) IS
'replaces the key that is the default of a column, or was that of the former column, '
'by another column of the row in which it is';

-- PostgreSQL names the indexes of partitions anew when it rebuilds those of their table. An index that has the name of
-- another loses it first. It gets its own by this call or, if it is part of another index or of a partition's, by a
-- later one.
CREATE OR REPLACE FUNCTION name_partition_indexes(parent regclass, partitions regclass[], names name[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    i record;
BEGIN
    FOR i IN
        SELECT o.oid::regclass AS index
        FROM unnest(partitions, names) AS n (partition, name)
        JOIN pg_class AS t ON t.oid = n.partition
        JOIN pg_class AS o ON (o.relnamespace, o.relname) = (t.relnamespace, n.name)
        JOIN pg_index AS x ON x.indexrelid = o.oid
        JOIN pg_inherits AS h ON h.inhrelid = o.oid
        WHERE uuidx_migrate_steps.root(x.indrelid) = uuidx_migrate_steps.root(n.partition)
          AND (x.indrelid, h.inhparent) <> (n.partition, parent)
    LOOP
        EXECUTE format('ALTER INDEX %s RENAME TO %I', i.index, 'uuidx_migrate_' || i.index::oid);
    END LOOP;
    FOR i IN
        SELECT x.indexrelid::regclass AS index, n.name
        FROM unnest(partitions, names) AS n (partition, name)
        JOIN pg_index AS x ON x.indrelid = n.partition
        JOIN pg_inherits AS h ON h.inhrelid = x.indexrelid AND h.inhparent = parent
        JOIN pg_class AS c ON c.oid = x.indexrelid AND c.relname <> n.name
    LOOP
        EXECUTE format('ALTER INDEX %s RENAME TO %I', i.index, i.name);
    END LOOP;
END
$$;
COMMENT ON FUNCTION name_partition_indexes(regclass, regclass[], name[]) IS
'gives the indexes of partitions, which are part of an index of their table, these names';
