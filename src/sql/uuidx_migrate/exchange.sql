-- Exchange: the shadow columns replace the columns.

-- --- Foreign keys that are validated after the exchange ---

-- A foreign key of a partitioned table consists of its own constraint and those of its partitions.
CREATE OR REPLACE FUNCTION foreign_key_members(
    foreign_key oid, OUT member regclass, OUT name name, OUT is_partitioned boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE members AS (
        SELECT f.oid, f.conrelid, f.confrelid, f.conname FROM pg_constraint AS f WHERE f.oid = foreign_key
        UNION ALL
        SELECT f.oid, f.conrelid, f.confrelid, f.conname
        FROM members AS m
        JOIN pg_constraint AS f ON f.conparentid = m.oid AND f.confrelid = m.confrelid AND f.conrelid <> m.conrelid
    )
    SELECT m.conrelid::regclass, m.conname, c.relkind = 'p'
    FROM members AS m JOIN pg_class AS c ON c.oid = m.conrelid
    WHERE c.relkind = 'r' OR m.oid = foreign_key;
END;
COMMENT ON FUNCTION foreign_key_members(oid) IS
'the tables and partitions with rows that a foreign key is of, its name there, and the partitioned table';

CREATE OR REPLACE FUNCTION unfinished(
    relation regclass, column_name name, exchanged boolean,
    OUT referencing regclass, OUT name name, OUT definition text, OUT comment text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT m.member, m.name, CASE WHEN m.is_partitioned THEN f.definition END,
           CASE WHEN m.is_partitioned THEN f.comment END
    FROM foreign_keys(relation, column_name) AS f,
         LATERAL foreign_key_members(f.foreign_key) AS m
    WHERE NOT exchanged AND (f.validated OR m.is_partitioned)
    UNION
    SELECT u.relation, u.name, u.definition, u.comment
    FROM unfinished_foreign_keys AS u
    WHERE root(u.relation) IN (SELECT c.relation FROM tied_columns(relation, column_name) AS c);
END;
COMMENT ON FUNCTION unfinished(regclass, name, boolean) IS
'the foreign keys that the exchange leaves, or has left, to be validated or added';

-- --- The exchange ---

-- The command is 'ALTER TABLE t RENAME COLUMN' or, up to the dot, the like of 'ALTER INDEX schema.'.
CREATE OR REPLACE FUNCTION exchange_names(command text, name name) RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format(CASE right(command, 1) WHEN '.' THEN '%s%I RENAME TO %I' ELSE '%s %I TO %I' END, command, n.old, n.new)
    FROM (SELECT shadow_name(name), 'exchange_' || md5(name)) AS t (shadow, between),
         LATERAL (VALUES (1, name, t.between), (2, t.shadow, name), (3, t.between, t.shadow)) AS n (part, old, new)
    ORDER BY n.part;
END;
COMMENT ON FUNCTION exchange_names(text, name) IS
'three statements that give a thing the name of its shadow, and the shadow that of the thing';

-- From PostgreSQL 18 on, NOT NULL is a named constraint.
CREATE OR REPLACE FUNCTION exchange_columns(relation regclass, column_name name, direction text)
RETURNS TABLE (part bigint[], sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH moved AS MATERIALIZED (
        SELECT m.*, pg_get_expr(d.adbin, d.adrelid) AS old_default,
               a.attnotnull AS is_not_null, r.attnotnull AND m.member <> m.root AS inherits_not_null,
               n.conname AS not_null
        FROM moved(relation, column_name) AS m
        JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
        JOIN pg_attribute AS r ON r.attrelid = m.root AND r.attname = m.name
        LEFT JOIN pg_attrdef AS d ON d.adrelid = m.member AND d.adnum = m.attnum
        LEFT JOIN pg_constraint AS n ON n.conrelid = m.member AND n.contype = 'n' AND n.conkey = ARRAY[m.attnum]
    ),
    defaults AS MATERIALIZED (
        SELECT m.member, m.name, m.shadow, m.old_default, d.new_default
        FROM moved AS m
        LEFT JOIN LATERAL (SELECT * FROM defaults(m.root, m.name, direction)) AS d ON d.member = m.member
        WHERE m.old_default IS NOT NULL
    )
    SELECT ARRAY[3, n.ordinality], n.statement
    FROM moved AS m,
         LATERAL exchange_names(format('ALTER TABLE %s RENAME COLUMN', m.root), m.name)
             WITH ORDINALITY AS n (statement)
    WHERE m.member = m.root
    UNION ALL
    SELECT ARRAY[4], format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s, ALTER COLUMN %I DROP DEFAULT',
                            d.member, d.name, coalesce(d.new_default, d.old_default), d.shadow)
    FROM defaults AS d
    UNION ALL
    SELECT ARRAY[4], note_default(d.member, d.name, direction, d.old_default)
    FROM defaults AS d WHERE d.new_default IS NOT NULL
    UNION ALL
    -- A partition may have NOT NULL of its own.
    SELECT ARRAY[5, m.level], format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', m.member, m.shadow)
    FROM moved AS m WHERE m.is_not_null
    UNION ALL
    SELECT ARRAY[6], CASE WHEN m.not_null IS NULL
                          THEN format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', m.member, m.name)
                          ELSE format('ALTER TABLE %s ADD CONSTRAINT %I NOT NULL %I', m.member, m.not_null, m.name) END
    FROM moved AS m WHERE m.is_not_null AND NOT m.inherits_not_null;
END;
COMMENT ON FUNCTION exchange_columns(regclass, name, text) IS
'statements that give shadow columns the names, defaults and NOT NULL of the columns, and these the names of the shadow columns';

-- ALTER TABLE ... RENAME COLUMN does not rename the columns of indexes, which \d shows.
CREATE OR REPLACE FUNCTION rename_index_columns(index regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rename text;
BEGIN
    FOR rename IN
        SELECT DISTINCT ON (a.attname) format('ALTER TABLE %s RENAME COLUMN %I TO %I', index, k.attname, a.attname)
        FROM pg_index AS i
        JOIN pg_attribute AS k ON k.attrelid = i.indexrelid
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.attnum - 1]
        WHERE i.indexrelid = index
          AND NOT EXISTS (SELECT FROM pg_attribute AS o WHERE o.attrelid = index AND o.attname = a.attname)
        ORDER BY a.attname, k.attnum
    LOOP
        EXECUTE rename;
    END LOOP;
END
$$;
COMMENT ON FUNCTION rename_index_columns(regclass) IS
'gives the columns of an index the names of those of its table';

CREATE OR REPLACE FUNCTION exchange_indexes(relation regclass, column_name name)
RETURNS TABLE (part bigint[], sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT i.*, n.indisclustered, n.indisreplident, obj_description(i.index, 'pg_class') AS comment,
               obj_description(i."constraint", 'pg_constraint') AS constraint_comment
        FROM moved_indexes(relation, column_name) AS i JOIN pg_index AS n ON n.indexrelid = i.index
    )
    SELECT ARRAY[2::bigint], format('ALTER TABLE %s DROP CONSTRAINT %I', i.member, i.name)
    FROM indexes AS i WHERE i.constraint_parent = 0
    UNION ALL
    -- The columns of a replica identity must be NOT NULL.
    SELECT ARRAY[2], format('ALTER TABLE ONLY %s REPLICA IDENTITY NOTHING', i.member)
    FROM indexes AS i WHERE i.indisreplident
    UNION ALL
    SELECT ARRAY[7, n.ordinality], n.statement
    FROM indexes AS i,
         LATERAL exchange_names(format('ALTER INDEX %s.', i.schema), i.name) WITH ORDINALITY AS n (statement)
    WHERE i."constraint" IS NULL
    UNION ALL
    -- The constraint of a partitioned table attaches those of its partitions.
    SELECT ARRAY[8, -i.level], format('ALTER TABLE %s ADD CONSTRAINT %I ', i.member, i.name)
        || CASE WHEN i.is_partitioned THEN pg_get_constraintdef(i."constraint")
                ELSE format('%s USING INDEX %I', CASE i.constraint_type WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END,
                            shadow_name(i.name)) END
    FROM indexes AS i WHERE i."constraint" IS NOT NULL
    UNION ALL
    -- For a partitioned table, this renames those of its partitions too.
    SELECT ARRAY[9, i.level],
           format('SELECT %s(%L)', 'rename_index_columns(regclass)'::regprocedure::regproc, i.index)
    FROM indexes AS i
    UNION ALL
    SELECT ARRAY[9], format('ALTER TABLE %s CLUSTER ON %I', i.member, i.name) FROM indexes AS i WHERE i.indisclustered
    UNION ALL
    SELECT ARRAY[9], format('ALTER TABLE ONLY %s REPLICA IDENTITY USING INDEX %I', i.member, i.name)
    FROM indexes AS i WHERE i.indisreplident
    UNION ALL
    SELECT ARRAY[9], format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s', i.index, a.attnum, a.attstattarget)
    FROM indexes AS i JOIN pg_attribute AS a ON a.attrelid = i.index WHERE a.attstattarget >= 0
    UNION ALL
    SELECT ARRAY[12], format('COMMENT ON CONSTRAINT %I ON %s IS %L', i.name, i.member, i.constraint_comment)
    FROM indexes AS i WHERE i.constraint_comment IS NOT NULL
    UNION ALL
    SELECT ARRAY[12], format('COMMENT ON INDEX %s IS %L', i.index, i.comment)
    FROM indexes AS i WHERE i.comment IS NOT NULL
    UNION ALL
    SELECT ARRAY[7, n.ordinality], n.statement
    FROM moved_statistics(relation, column_name) AS s,
         LATERAL exchange_names(format('ALTER STATISTICS %s.', s.schema), s.name)
             WITH ORDINALITY AS n (statement);
END;
COMMENT ON FUNCTION exchange_indexes(regclass, name) IS
'statements that put the indexes and statistics of the shadow columns in the place of those of the columns';

CREATE OR REPLACE FUNCTION exchange_foreign_keys(relation regclass, column_name name)
RETURNS TABLE (part bigint[], sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH foreign_keys AS MATERIALIZED (SELECT * FROM foreign_keys(relation, column_name))
    SELECT ARRAY[1::bigint], format('ALTER TABLE %s DROP CONSTRAINT %I', f.referencing, f.name) FROM foreign_keys AS f
    UNION ALL
    SELECT ARRAY[11], format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', m.member, m.name, f.definition,
                             CASE WHEN f.validated THEN ' NOT VALID' ELSE '' END)
    FROM foreign_keys AS f, LATERAL foreign_key_members(f.foreign_key) AS m WHERE NOT m.is_partitioned
    UNION ALL
    SELECT ARRAY[12], format('COMMENT ON CONSTRAINT %I ON %s IS %L', m.name, m.member, f.comment)
    FROM foreign_keys AS f, LATERAL foreign_key_members(f.foreign_key) AS m
    WHERE m.member = f.referencing AND NOT m.is_partitioned AND f.comment IS NOT NULL
    UNION ALL
    SELECT ARRAY[12], format('INSERT INTO %s VALUES (%L, %L, %L, %L) ON CONFLICT DO NOTHING',
                             'unfinished_foreign_keys'::regclass,
                             u.referencing, u.name, u.definition, u.comment)
    FROM unfinished(relation, column_name, false) AS u;
END;
COMMENT ON FUNCTION exchange_foreign_keys(regclass, name) IS
'statements that tie the columns to one another again by the foreign keys that there were, to be validated later';

-- In this order: (0) check that everything is ready; drop (1) foreign keys and (2) keys; exchange (3) column names, (4)
-- defaults and (5, 6) NOT NULL; (7) exchange names of indexes and statistics; (8) add keys and (9) mark indexes; (11)
-- add foreign keys; (12) write comments and notes; (13, 14) fill the old columns from now on.
CREATE OR REPLACE FUNCTION exchange_statements(relation regclass, column_name name, direction text) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM tied_columns(relation, column_name)),
    parts (part, sql) AS (
        SELECT ARRAY[0::bigint],
               format('SELECT %s(%L, %L)', 'check_shadow(regclass,name)'::regprocedure::regproc,
                      c.relation, c.column_name)
        FROM columns AS c
        UNION ALL
        SELECT * FROM exchange_foreign_keys(relation, column_name)
        UNION ALL
        SELECT * FROM exchange_indexes(relation, column_name)
        UNION ALL
        SELECT * FROM exchange_columns(relation, column_name, direction)
        UNION ALL
        SELECT ARRAY[13], format('ALTER TABLE %s DROP CONSTRAINT %I', c.relation, shadow_name(c.column_name))
        FROM columns AS c
        UNION ALL
        SELECT ARRAY[13], format('DROP TRIGGER %I ON %s', trigger_name(c.column_name), c.relation)
        FROM columns AS c
        UNION ALL
        -- From now on, fill the old column as long as the migration can be undone.
        SELECT ARRAY[14, k.ordinality], k.statement
        FROM columns AS c,
             LATERAL keep(c.relation, c.column_name, reverse_direction(direction), 'kept')
                 WITH ORDINALITY AS k (statement)
    )
    SELECT array_agg(p.sql ORDER BY p.part, p.sql COLLATE "C") FROM parts AS p;
END;
COMMENT ON FUNCTION exchange_statements(regclass, name, text) IS
'the statements, in order, that put the shadow columns in the place of the columns';

-- After a script was written, somebody may have created a view, an index or a partition.
CREATE OR REPLACE FUNCTION check_exchange(relation regclass, column_name name, direction text, fingerprint text) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
DECLARE
    nothing text;
    statements text[];
BEGIN
    EXECUTE 'SELECT uuidx_migrate.check_obstacles($1, $2, ''online'', $3),
                           uuidx_migrate.exchange_statements($1, $2, $3)'
    INTO nothing, statements USING relation, column_name, direction;
    IF md5(statements::text) <> fingerprint THEN
        RAISE EXCEPTION 'this exchange of column "%" of table % is not the one that is needed', column_name, relation
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'The tables have changed since the script was written.',
              HINT = 'Write the script anew with uuidx_migrate.script, and run that.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_exchange(regclass, name, text, text) IS
'an error if something stands in the way of an exchange, or if its statements are others than when a script was written';

CREATE OR REPLACE FUNCTION exchange(relation regclass, column_name name, direction text) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT format('SELECT %s(%L, %L, %L, %L)', 'check_exchange(regclass,name,text,text)'::regprocedure::regproc,
                  root(relation), column_name, direction, md5(s::text)) || s
    FROM exchange_statements(relation, column_name, direction) AS s
);
COMMENT ON FUNCTION exchange(regclass, name, text) IS
'the statements of the exchange, and before them a check that they are still the right ones';

CREATE OR REPLACE FUNCTION note_validated(relation regclass, name name) RETURNS void
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    DELETE FROM unfinished_foreign_keys AS u
    WHERE u.relation = note_validated.relation AND u.name = note_validated.name
      AND u.definition IS NULL;
END;
COMMENT ON FUNCTION note_validated(regclass, name) IS
'notes that a foreign key is validated';
