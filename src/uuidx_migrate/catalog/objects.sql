-- What stands over the columns: foreign keys, indexes, statistics and CHECK constraints.

-- Whether a column and its shadow are both among some columns of their table. An index or a foreign key of a column
-- and its shadow together is the migration's own.
CREATE OR REPLACE FUNCTION has_pair(relation regclass, name name, attnums smallint[]) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT count(*) = 2 FROM pg_attribute AS a
        WHERE a.attrelid = relation AND a.attname IN (has_pair.name, shadow_name(has_pair.name)) AND a.attnum = ANY (attnums));

-- Whether an object reads the shadow of another column than these. It is a twin then, of a migration of another key.
CREATE OR REPLACE FUNCTION reads_other_shadow(classid oid, objid oid, columns migrated_column[]) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT
               FROM pg_depend AS d, pg_attribute AS s, pg_attribute AS a
               WHERE s.attrelid = d.refobjid AND s.attnum = d.refobjsubid AND strpos(s.attname, 'shadow') > 0
                 AND a.attrelid = s.attrelid AND a.attnum > 0 AND NOT a.attisdropped
                 AND shadow_name(a.attname) = s.attname
                 AND (d.classid, d.objid, d.refclassid)
                   = (reads_other_shadow.classid, reads_other_shadow.objid, 'pg_class'::regclass)
                 AND shadow_conversion(a.attrelid::regclass, a.attname) IS NOT NULL
                 AND NOT EXISTS (SELECT FROM unnest(columns) AS c WHERE (c.member, c.name) = (a.attrelid, a.attname)));

-- Definition of a foreign key on the shadow columns; NULL for one with a period. A foreign key's columns are at the
-- beginning of its definition; ON DELETE SET NULL can name some of them again.
CREATE OR REPLACE FUNCTION shadow_foreign_key(foreign_key oid, columns migrated_column[]) RETURNS text
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
        SELECT string_agg(k.names ->> e, ', ' ORDER BY n) AS own, string_agg(k.shadow_names ->> e, ', ' ORDER BY n) AS shadow
        FROM keys AS k, LATERAL jsonb_array_elements_text(nullif(k.set_columns, 'null')) WITH ORDINALITY AS s (e, n)
    )
    SELECT k.shadow || CASE WHEN l.own IS NULL THEN substr(k.definition, length(k.own) + 1)
                            ELSE replace(substr(k.definition, length(k.own) + 1), format('(%s)', l.own), format('(%s)', l.shadow)) END
    FROM keys AS k, lists AS l
    WHERE starts_with(k.definition, k.own);
END;

-- The foreign keys of the columns that are migrated, without those that partitions have from their table.
CREATE OR REPLACE FUNCTION migrated_foreign_keys(columns migrated_column[]) RETURNS SETOF migrated_foreign_key
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    -- First those of the columns: the database may have many more, and to tell whether one reads another shadow takes longer.
    WITH keys AS MATERIALIZED (
        SELECT f.oid, f.conrelid::regclass, f.confrelid::regclass, f.conname, f.convalidated
        FROM pg_constraint AS f
        WHERE f.contype = 'f' AND f.conparentid = 0
          AND EXISTS (SELECT FROM unnest(columns) AS c WHERE c.member = f.conrelid AND c.attnum = ANY (f.conkey))
          AND NOT EXISTS (SELECT FROM unnest(columns) AS c WHERE c.member = f.conrelid AND has_pair(c.member, c.name, f.conkey))
    )
    SELECT f.oid, f.conrelid, f.confrelid, f.conname, pg_get_constraintdef(f.oid), shadow_foreign_key(f.oid, columns), obj_description(f.oid, 'pg_constraint'), f.convalidated
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
    SELECT m.conrelid::regclass, m.conname, is_partitioned(m.conrelid) FROM members AS m ORDER BY m.conrelid::regclass::text COLLATE "C";
END;

-- The table or the two tables of a foreign key. A foreign key may reference its own table.
CREATE OR REPLACE FUNCTION key_relations(referencing regclass, referenced regclass) RETURNS regclass[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN referencing || array_remove(ARRAY[referenced], referencing);

-- Whether an index of a partition is part of that of its table.
CREATE OR REPLACE FUNCTION is_attached(index regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_inherits AS h WHERE h.inhrelid = index);

-- The indexes that read migrated columns, and the constraints that they belong to.
CREATE OR REPLACE FUNCTION migrated_indexes(columns migrated_column[]) RETURNS SETOF migrated_index
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.member, min(c.level), x.relnamespace::regnamespace, x.relname, i.indexrelid::regclass, array_agg(c.attnum), x.relkind = 'I',
           k.oid, k.contype, k.conparentid
    FROM unnest(columns) AS c,
         pg_index AS i LEFT JOIN pg_constraint AS k
         ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u', 'x'),
         pg_class AS x
    WHERE i.indrelid = c.member AND x.oid = i.indexrelid
      AND (c.attnum = ANY (i.indkey)
           OR c.attnum IN (SELECT f.attnum FROM expression_facts('pg_index'::regclass, i.indexrelid) AS f))
      AND NOT EXISTS (SELECT FROM unnest(columns) AS p WHERE p.member = c.member AND has_pair(p.member, p.name, i.indkey))
      AND NOT reads_other_shadow('pg_class'::regclass, i.indexrelid, columns)
    GROUP BY c.member, i.indexrelid, x.oid, k.oid
    ORDER BY min(c.level), x.oid::regclass::text COLLATE "C";
END;

-- The extended statistics that read migrated columns.
CREATE OR REPLACE FUNCTION migrated_statistics(columns migrated_column[]) RETURNS SETOF migrated_statistics
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.member, s.oid, s.stxnamespace::regnamespace, s.stxname
    FROM unnest(columns) AS c, pg_statistic_ext AS s
    WHERE s.stxrelid = c.member
      AND (c.attnum = ANY (s.stxkeys)
           OR c.attnum IN (SELECT f.attnum FROM expression_facts('pg_statistic_ext'::regclass, s.oid) AS f))
      AND NOT reads_other_shadow('pg_statistic_ext'::regclass, s.oid, columns)
    ORDER BY s.stxnamespace::regnamespace, s.stxname;
END;

-- The CHECK constraints that read migrated columns, and what they are on the shadow columns.
CREATE OR REPLACE FUNCTION migrated_checks(columns migrated_column[]) RETURNS SETOF migrated_check
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.conrelid::regclass, k.conname,
           format('CHECK (%s)%s%s', (on_shadows(k.conbin, k.conrelid, array_agg(c.attnum), array_agg(c.shadow)))[1], CASE WHEN k.connoinherit THEN ' NO INHERIT' END,
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

-- Which keys of its table a column belongs to.
CREATE OR REPLACE FUNCTION key_role(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT coalesce(string_agg(DISTINCT CASE c.contype WHEN 'p' THEN 'primary key'
                                                       WHEN 'u' THEN 'unique'
                                                       ELSE format('references %s', c.confrelid::regclass) END, ', '),
                    'column')
    FROM pg_constraint AS c, pg_attribute AS a
    WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND c.conrelid = relation
      AND a.attname = column_name AND c.contype IN ('p', 'u', 'f') AND c.conparentid = 0
);
