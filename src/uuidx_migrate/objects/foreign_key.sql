-- Foreign keys.

-- Definition of a foreign key on the shadow columns; NULL for one with a period. A foreign key's columns are at the
-- beginning of its definition; ON DELETE SET NULL can name some of them again.
CREATE OR REPLACE FUNCTION shadow_foreign_key(foreign_key oid, columns migrated_column[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH keys AS (
        SELECT format('FOREIGN KEY (%s) REFERENCES %s(%s)',
                      string_agg(quote_ident(a.attname), ', ' ORDER BY k.n), f.confrelid::regclass,
                      string_agg(quote_ident(b.attname), ', ' ORDER BY k.n)) AS own,
               format('FOREIGN KEY (%s) REFERENCES %s(%s)',
                      string_agg(quote_ident(coalesce(c.shadow, a.attname)), ', ' ORDER BY k.n), f.confrelid::regclass,
                      string_agg(quote_ident(coalesce(d.shadow, b.attname)), ', ' ORDER BY k.n)) AS shadow,
               pg_get_constraintdef(f.oid) AS definition, to_jsonb(f) -> 'confdelsetcols' AS set_columns,
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
        FROM keys AS k, LATERAL jsonb_array_elements_text(nullif(k.set_columns, 'null')) WITH ORDINALITY AS s (e, n)
    )
    SELECT k.shadow || CASE WHEN l.own IS NULL THEN substr(k.definition, length(k.own) + 1)
                            ELSE replace(substr(k.definition, length(k.own) + 1),
                                         format('(%s)', l.own), format('(%s)', l.shadow)) END
    FROM keys AS k, lists AS l
    WHERE starts_with(k.definition, k.own);
END;

-- The foreign keys of the columns that are migrated, without those that partitions have from their table.
CREATE OR REPLACE FUNCTION migrated_foreign_keys(columns migrated_column[]) RETURNS SETOF migrated_foreign_key
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    -- First those of the columns: the database may have many more, and to tell whether one reads another shadow takes
    -- longer.
    WITH keys AS MATERIALIZED (
        SELECT f.oid, f.conrelid::regclass, f.confrelid::regclass, f.conname, f.convalidated
        FROM pg_constraint AS f
        WHERE f.contype = 'f' AND f.conparentid = 0
          AND EXISTS (SELECT FROM unnest(columns) AS c WHERE c.member = f.conrelid AND c.attnum = ANY (f.conkey))
          AND NOT EXISTS (SELECT FROM unnest(columns) AS c
                          WHERE c.member = f.conrelid AND has_pair(c.member, c.name, f.conkey))
    )
    SELECT f.oid, f.conrelid, f.confrelid, f.conname, pg_get_constraintdef(f.oid), shadow_foreign_key(f.oid, columns),
           obj_description(f.oid, 'pg_constraint'), f.convalidated
    FROM keys AS f
    WHERE NOT reads_other_shadow('pg_constraint'::regclass, f.oid, columns)
    ORDER BY f.conrelid::text COLLATE "C", f.conname;
END;

-- The tables and partitions that a foreign key is of, and its name there. A foreign key of a partitioned table
-- consists of its own constraint and those of its partitions.
CREATE OR REPLACE FUNCTION foreign_key_members(key oid)
RETURNS TABLE (member regclass, name name, is_partitioned boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE members AS (
        SELECT c.oid, c.conrelid, c.confrelid, c.conname FROM pg_constraint AS c WHERE c.oid = key
        UNION ALL
        SELECT c.oid, c.conrelid, c.confrelid, c.conname
        FROM members AS m, pg_constraint AS c
        WHERE c.conparentid = m.oid AND c.confrelid = m.confrelid AND c.conrelid <> m.conrelid
    )
    SELECT m.conrelid::regclass, m.conname, is_partitioned(m.conrelid)
    FROM members AS m ORDER BY m.conrelid::regclass::text COLLATE "C";
END;

-- The table or the two tables of a foreign key. A foreign key may reference its own table.
CREATE OR REPLACE FUNCTION key_relations(referencing regclass, referenced regclass) RETURNS regclass[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN referencing || array_remove(ARRAY[referenced], referencing);

-- Step that validates a foreign key of the first of two relations, which references the other.
CREATE OR REPLACE FUNCTION validate_foreign_key(m migration, phase text, relations regclass[], name name)
RETURNS statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN step(phase, concat('SHARE UPDATE EXCLUSIVE on ', relations[1], ', ROW SHARE on ' || relations[2]),
            call_validate(m, relations[1], name));

-- Part of twins: foreign keys, those of partitions too. Before PostgreSQL 18, a partitioned table cannot have a
-- foreign key that is NOT VALID: its partitions get it, and then it attaches them. The index of a partitioned
-- table's key comes with the exchange, so a foreign key to it comes then, and is validated afterwards.
CREATE OR REPLACE FUNCTION foreign_key_twins(m migration) RETURNS SETOF twin
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'constraint', k.member, k.member, k.twin,
           regexp_replace(f.shadow_definition, ' NOT VALID$', ''), f.validated,
           CASE WHEN k.is_late OR k.is_partitioned AND NOT k.is_root THEN '{}'
                WHEN k.is_partitioned
                THEN ARRAY[add_constraint(m, 'index', k.relations, 'SHARE ROW EXCLUSIVE', k.twin, f.shadow_definition)]
                ELSE add_constraint(m, 'index', k.relations, 'SHARE ROW EXCLUSIVE', k.twin,
                                    concat(f.shadow_definition, CASE WHEN f.validated THEN ' NOT VALID' END))
                     || ARRAY(SELECT validate_foreign_key(m, 'index', k.relations, k.twin) WHERE f.validated) END,
           ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.member, k.name) WHERE k.is_root),
           array_remove(ARRAY[CASE WHEN NOT k.is_late
                                   THEN format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', k.member, k.twin, k.name)
                                   WHEN k.is_root
                                   THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', k.member, k.name, f.definition,
                                               CASE WHEN f.validated THEN ' NOT VALID' END) END,
                              CASE WHEN k.is_root
                                   THEN format('COMMENT ON CONSTRAINT %I ON %s IS ', k.name, k.member)
                                        || quote_literal(f.comment) END], NULL)
    FROM unnest((m).foreign_keys) WITH ORDINALITY AS f,
         LATERAL (SELECT u.*, u.member = f.referencing, is_partitioned(f.referenced),
                         key_relations(u.member, f.referenced),
                         shadow_name(CASE WHEN u.is_partitioned THEN f.name ELSE u.name END)
                  FROM foreign_key_members(f.key) AS u)
         AS k (member, name, is_partitioned, is_root, is_late, relations, twin)
    ORDER BY f.ordinality, k.is_partitioned, k.member::text COLLATE "C";
END;

-- Part of obstacles_online: the foreign keys that are to be made again.
CREATE OR REPLACE FUNCTION foreign_key_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('foreign key %I of table %s, which has a period', f.name, f.referencing),
           'Use the offline mode.'
    FROM unnest((m).foreign_keys) AS f, unnest((m).columns) AS c
    WHERE c.member = f.referencing AND f.shadow_definition IS NULL
    UNION ALL
    -- Before PostgreSQL 18, a partitioned table cannot have a foreign key that is NOT VALID.
    SELECT c.root, c.name,
           format('foreign key %I of the partitioned table %s references a partitioned table', f.name, f.referencing),
           'Use the offline mode; or drop it, name the column in also, and add it again afterwards.'
    FROM unnest((m).foreign_keys) AS f, unnest((m).columns) AS c
    WHERE c.member = f.referencing AND current_setting('server_version_num')::integer < 180000
      AND is_partitioned(f.referencing) AND is_partitioned(f.referenced);
END;

-- Part of obstacles_offline.
CREATE OR REPLACE FUNCTION foreign_key_obstacles_offline(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('foreign key %I of partition %s has a name or a comment of its own, which would be lost',
                  f.conname, f.conrelid::regclass),
           'Use the online mode, or give it the name of its table''s foreign key.'
    FROM unnest((m).columns) AS c, pg_constraint AS f, pg_constraint AS parent
    WHERE f.conrelid = c.member AND c.attnum = ANY (f.conkey) AND f.contype = 'f' AND parent.oid = f.conparentid
      AND parent.conrelid <> f.conrelid
      AND (f.conname <> parent.conname OR obj_description(f.oid, 'pg_constraint') IS NOT NULL);
END;

-- Part of obstacles.
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

-- Part of offline.
CREATE OR REPLACE FUNCTION foreign_keys_taken_down(m migration) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', f.referencing, f.name) FROM unnest((m).foreign_keys) AS f;
END;

-- Part of offline.
CREATE OR REPLACE FUNCTION foreign_keys_put_up(m migration) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', f.referencing, f.name, f.definition)
    FROM unnest((m).foreign_keys) AS f
    UNION ALL
    SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', f.name, f.referencing, f.comment)
    FROM unnest((m).foreign_keys) AS f WHERE f.comment IS NOT NULL;
END;
