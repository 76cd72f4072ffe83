-- What prevents a column from moving to another version.

-- Foreign keys to the column, and what ALTER TABLE ... TYPE keeps intact: its own default, keys, statistics, and
-- indexes on the bare column.
CREATE OR REPLACE FUNCTION is_taken_along(member regclass, attnum smallint, dependent pg_depend) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE dependent.classid
    WHEN 'pg_attrdef'::regclass THEN
        EXISTS (SELECT FROM pg_attrdef AS d JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
                WHERE d.oid = dependent.objid AND d.adrelid = member AND d.adnum = $2 AND a.attgenerated = '')
    WHEN 'pg_constraint'::regclass THEN
        EXISTS (SELECT FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = member AND a.attnum = $2
                WHERE c.oid = dependent.objid
                  AND (c.contype IN ('p', 'u', 'f', 'n')
                       OR c.conname = shadow_name(a.attname) AND filling(member, a.attname) IS NOT NULL))
    WHEN 'pg_class'::regclass THEN
        EXISTS (SELECT FROM pg_index AS i WHERE i.indexrelid = dependent.objid
                AND concat(i.indexprs, i.indpred) !~ format(' :varattno %s ', $2))
    WHEN 'pg_statistic_ext'::regclass THEN true
    ELSE false
END;
COMMENT ON FUNCTION is_taken_along(regclass, smallint, pg_depend) IS
'whether what depends on a column outlives a change of its values';

-- Like pg_describe_object, but names a view instead of its rule, and a generated column instead of its expression.
CREATE OR REPLACE FUNCTION describe(dependent pg_depend) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce(
    (SELECT pg_describe_object('pg_class'::regclass, r.ev_class, 0) FROM pg_rewrite AS r
     WHERE dependent.classid = 'pg_rewrite'::regclass AND r.oid = dependent.objid AND r.rulename = '_RETURN'),
    (SELECT pg_describe_object('pg_class'::regclass, d.adrelid, d.adnum) FROM pg_attrdef AS d
     WHERE dependent.classid = 'pg_attrdef'::regclass AND d.oid = dependent.objid),
    pg_describe_object(dependent.classid, dependent.objid, dependent.objsubid));
COMMENT ON FUNCTION describe(pg_depend) IS
'what depends on a column, in words';

-- A whole-row reference contains the column, but pg_depend does not say so. In an expression, it is column 0.
CREATE OR REPLACE FUNCTION whole_rows(relation regclass) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object(o.classid, o.objid, 0) || ', in which the row is as a whole'
    FROM (SELECT 'pg_constraint'::regclass, c.oid, c.conbin::text FROM pg_constraint AS c WHERE c.conrelid = relation
          UNION ALL
          SELECT 'pg_class'::regclass, i.indexrelid, concat(i.indexprs::text, i.indpred::text) FROM pg_index AS i WHERE i.indrelid = relation
          UNION ALL
          SELECT 'pg_policy'::regclass, p.oid, concat(p.polqual::text, p.polwithcheck::text) FROM pg_policy AS p WHERE p.polrelid = relation
          UNION ALL
          SELECT CASE r.rulename WHEN '_RETURN' THEN 'pg_class'::regclass ELSE 'pg_rewrite'::regclass END,
                 CASE r.rulename WHEN '_RETURN' THEN r.ev_class ELSE r.oid END, concat(r.ev_qual::text, r.ev_action::text)
          FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
          WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = relation AND d.refobjsubid = 0
          UNION ALL
          SELECT 'pg_proc'::regclass, p.oid, p.prosqlbody::text
          FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid
          WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = relation AND d.refobjsubid = 0
         ) AS o (classid, objid, expression)
    WHERE o.expression LIKE '%{VAR :varno % :varattno 0 %';
END;
COMMENT ON FUNCTION whole_rows(regclass) IS
'constraints, indexes, policies, rules, views and functions that use the rows of a table as a whole';

CREATE OR REPLACE FUNCTION obstacles(relation regclass, column_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT m.member, m.attnum, c.relkind, c.relowner, c.relnamespace, c.reltype, c.reloftype
        FROM member_tables(relation, column_name) AS m JOIN pg_class AS c ON c.oid = m.member
    )
    SELECT format('you are not the owner of table %s', member) FROM members WHERE NOT pg_has_role(relowner, 'USAGE')
    UNION ALL
    SELECT format('you may not use schema %s', relnamespace::regnamespace) FROM members
    WHERE NOT has_schema_privilege(relnamespace, 'USAGE')
    UNION ALL
    SELECT format('you may not %s table %s', p, member)
    FROM members, unnest('{SELECT,UPDATE,REFERENCES}'::text[]) AS p
    WHERE relkind IN ('r', 'p') AND pg_has_role(relowner, 'USAGE') AND NOT has_table_privilege(member, p)
    UNION ALL
    SELECT format('default %s of column %I of table %s, which is no call of a function without arguments',
                  pg_get_expr(d.adbin, d.adrelid), column_name, m.member)
    FROM members AS m JOIN pg_attrdef AS d ON d.adrelid = m.member AND d.adnum = m.attnum
    JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum AND a.attgenerated = ''
    WHERE NOT generates(pg_get_expr(d.adbin, d.adrelid), '("([^"]|"")+"|[a-z_][a-z0-9_$]*)')
      AND pg_get_expr(d.adbin, d.adrelid) <> 'NULL::uuid'
    UNION ALL
    SELECT format('table %s, which hides behind the name of a temporary table', c.oid::regclass)
    FROM members AS m JOIN pg_class AS t ON t.oid = m.member AND t.relpersistence = 't'
    JOIN pg_class AS c ON c.relname = t.relname AND c.relpersistence <> 't' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION ALL
    SELECT format('row security of table %s is active for you', member) FROM members WHERE row_security_active(member)
    UNION ALL
    SELECT format('%s is a foreign table', member) FROM members WHERE relkind = 'f'
    UNION ALL
    SELECT format('%s is no table', member) FROM members WHERE relkind NOT IN ('r', 'p', 'f')
    UNION ALL
    SELECT format('%s is a table of type %s', member, format_type(reloftype, NULL)) FROM members WHERE reloftype <> 0
    UNION ALL
    SELECT format('column %I of table %s is of type %s', column_name, m.member, format_type(a.atttypid, a.atttypmod))
    FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
    WHERE a.atttypid <> 'uuid'::regtype
    UNION ALL
    SELECT format('column %I of table %s is generated', column_name, m.member)
    FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
    WHERE a.attgenerated <> ''
    UNION ALL
    SELECT format('table %s inherits from table %s', i.inhrelid::regclass, i.inhparent::regclass)
    FROM pg_inherits AS i JOIN pg_class AS child ON child.oid = i.inhrelid
    WHERE NOT child.relispartition
      AND (i.inhrelid IN (SELECT member FROM members) OR i.inhparent IN (SELECT member FROM members))
    UNION ALL
    SELECT format('the partition key of table %s', m.member)
    FROM members AS m JOIN pg_partitioned_table AS p ON p.partrelid = m.member
    WHERE m.attnum = ANY (p.partattrs) OR p.partexprs::text ~ format(' :varattno %s ', m.attnum)
    UNION ALL
    SELECT format('column %I of table %s has the row type of table %s', a.attname, a.attrelid::regclass, m.member)
    FROM members AS m
    JOIN pg_type AS t ON m.reltype IN (t.oid, t.typbasetype)
    JOIN pg_attribute AS a ON a.atttypid IN (t.oid, t.typarray)
    WHERE a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT whole_rows(m.member) FROM members AS m
    UNION ALL
    SELECT format('foreign key %I of table %s is disabled', f.conname, f.conrelid::regclass)
    FROM pg_constraint AS f
    WHERE f.contype = 'f'
      AND EXISTS (SELECT FROM members AS m WHERE f.conrelid = m.member AND m.attnum = ANY (f.conkey)
                                              OR f.confrelid = m.member AND m.attnum = ANY (f.confkey))
      AND EXISTS (SELECT FROM pg_trigger WHERE tgconstraint = f.oid AND tgenabled <> 'O')
    UNION ALL
    SELECT DISTINCT describe(d)
    FROM members AS m
    JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = m.member AND d.refobjsubid = m.attnum
    WHERE NOT is_taken_along(m.member, m.attnum, d);
END;
COMMENT ON FUNCTION obstacles(regclass, name) IS
'what stands in the way of moving a column from one version to another';

CREATE OR REPLACE FUNCTION obstacles_offline(relation regclass, column_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('column %I of table %s, the shadow of an online migration', shadow_name(column_name), relation)
    WHERE filling(relation, column_name) IS NOT NULL
    UNION ALL
    -- A rewrite recreates the indexes of partitions like their table's index, without such properties.
    SELECT format('index %s of a partition has %s, which would be lost', i.indexrelid::regclass, p.property)
    FROM member_tables(relation, column_name) AS m
    JOIN pg_index AS i ON i.indrelid = m.member AND m.attnum = ANY (i.indkey)
    JOIN pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_class AS t ON t.oid = i.indrelid
    JOIN pg_inherits AS h ON h.inhrelid = i.indexrelid
    JOIN pg_class AS parent ON parent.oid = h.inhparent
    CROSS JOIN LATERAL (
        SELECT 'a replica identity' WHERE i.indisreplident
        UNION ALL
        SELECT 'a mark of CLUSTER' WHERE i.indisclustered
        UNION ALL
        SELECT 'a comment' WHERE obj_description(i.indexrelid, 'pg_class') IS NOT NULL
        UNION ALL
        SELECT 'storage parameters of its own' WHERE c.reloptions IS DISTINCT FROM parent.reloptions
        UNION ALL
        SELECT 'a name of its own'
        WHERE octet_length(c.relname) < 63 AND c.relname::text COLLATE "C" !~ format('^%s_(pkey|(%s_)?(key|idx))[0-9]*$',
            regexp_replace(t.relname, E'([^[:alnum:]_])', E'\\\\\\1', 'g'),
            (SELECT regexp_replace(string_agg(a.attname, '_' ORDER BY a.attnum), E'([^[:alnum:]_])', E'\\\\\\1', 'g')
             FROM pg_attribute AS a WHERE a.attrelid = i.indexrelid))
    ) AS p (property)
    UNION ALL
    SELECT format('foreign key %I of partition %s has a name or a comment of its own, which would be lost', f.conname, f.conrelid::regclass)
    FROM member_tables(relation, column_name) AS m
    JOIN pg_constraint AS f ON f.conrelid = m.member AND m.attnum = ANY (f.conkey) AND f.contype = 'f'
    JOIN pg_constraint AS parent ON parent.oid = f.conparentid AND parent.conrelid <> f.conrelid
    WHERE f.conname <> parent.conname OR obj_description(f.oid, 'pg_constraint') IS NOT NULL;
END;
COMMENT ON FUNCTION obstacles_offline(regclass, name) IS
'what stands in the way of the offline mode alone';

CREATE OR REPLACE FUNCTION obstacles_online(relation regclass, column_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT m.member, m.attnum, c.relnamespace, shadow_name(column_name) AS shadow
        FROM member_tables(relation, column_name) AS m JOIN pg_class AS c ON c.oid = m.member
    ),
    indexes AS MATERIALIZED (
        SELECT m.member, m.shadow, m.relnamespace, i.indexrelid, i.indisvalid, c.relname, c.reltablespace
        FROM members AS m JOIN pg_index AS i ON i.indrelid = m.member AND m.attnum = ANY (i.indkey) JOIN pg_class AS c ON c.oid = i.indexrelid
    )
    SELECT format('you may not create indexes in schema %s', m.relnamespace::regnamespace)
    FROM members AS m WHERE NOT has_schema_privilege(m.relnamespace, 'CREATE')
    UNION ALL
    SELECT format('you may not create indexes in tablespace %I', t.spcname)
    FROM indexes AS i JOIN pg_tablespace AS t ON t.oid = i.reltablespace WHERE NOT has_tablespace_privilege(t.oid, 'CREATE')
    UNION ALL
    SELECT format('index %s is not valid', i.indexrelid::regclass) FROM indexes AS i WHERE NOT i.indisvalid
    UNION ALL
    SELECT format('table %s is in publication %I', m.member, p.pubname)
    FROM members AS m JOIN pg_class AS c ON c.oid = m.member
    JOIN pg_publication_tables AS p ON p.schemaname = m.relnamespace::regnamespace::name AND p.tablename = c.relname
    UNION ALL
    -- With two such indexes, a partitioned index or constraint could attach the wrong one.
    SELECT format('indexes %s and %s are of the same columns', i.indexrelid::regclass, other.indexrelid::regclass)
    FROM indexes AS i JOIN pg_index AS x ON x.indexrelid = i.indexrelid
    JOIN pg_index AS other ON other.indrelid = i.member AND other.indexrelid > i.indexrelid
        AND (other.indkey, other.indclass, other.indpred::text) IS NOT DISTINCT FROM (x.indkey, x.indclass, x.indpred::text)
    WHERE pg_partition_root(i.member) IS NOT NULL
    UNION ALL
    SELECT format('index %s has to do with index %s, which is of no constraint', i.indexrelid::regclass, h.inhparent::regclass)
    FROM indexes AS i
    JOIN pg_constraint AS c ON c.conindid = i.indexrelid AND c.conrelid = i.member AND c.contype IN ('p', 'u')
    JOIN pg_inherits AS h ON h.inhrelid = i.indexrelid
    WHERE c.conparentid = 0
    UNION ALL
    SELECT format('table %s alone has column %I as NOT NULL', m.member, column_name)
    FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
    JOIN pg_attribute AS r ON r.attrelid = root(m.member) AND r.attname = column_name
    WHERE a.attnotnull AND NOT r.attnotnull
    UNION ALL
    SELECT pg_describe_object('pg_constraint'::regclass, c.oid, 0) || ', which is not validated'
    FROM members AS m JOIN pg_constraint AS c ON c.conrelid = m.member AND c.conkey = ARRAY[m.attnum]
    WHERE c.contype = 'n' AND NOT c.convalidated
    UNION ALL
    SELECT format('statistics object %s.%I: you may not change it', s.stxnamespace::regnamespace, s.stxname)
    FROM members AS m JOIN pg_statistic_ext AS s ON s.stxrelid = m.member AND m.attnum = ANY (s.stxkeys)
    WHERE NOT pg_has_role(s.stxowner, 'USAGE') OR NOT has_schema_privilege(s.stxnamespace, 'CREATE')
    UNION ALL
    SELECT format('statistics object %s.%I has the name of a shadow', taken.stxnamespace::regnamespace, taken.stxname)
    FROM members AS m JOIN pg_statistic_ext AS s ON s.stxrelid = m.member AND m.attnum = ANY (s.stxkeys)
    JOIN pg_statistic_ext AS taken ON taken.stxnamespace = s.stxnamespace AND taken.stxname = shadow_name(s.stxname)
    WHERE NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = m.member AND a.attname = m.shadow
                                                     AND taken.stxrelid = m.member AND a.attnum = ANY (taken.stxkeys))
    UNION ALL
    SELECT pg_describe_object('pg_constraint'::regclass, c.oid, 0)
           || CASE WHEN c.condeferrable THEN ', which is deferrable' ELSE ', which is WITHOUT OVERLAPS' END
    FROM indexes AS i JOIN pg_constraint AS c ON c.conindid = i.indexrelid AND c.conrelid = i.member
    WHERE c.contype IN ('p', 'u') AND c.conparentid = 0
      AND (c.condeferrable OR to_jsonb(c) ->> 'conperiod' = 'true') -- from PostgreSQL 18 on
    UNION ALL
    SELECT pg_describe_object('pg_rewrite'::regclass, r.oid, 0) FROM members AS m JOIN pg_rewrite AS r ON r.ev_class = m.member WHERE r.rulename <> '_RETURN'
    UNION ALL
    SELECT format('statistics object %s.%I has the column in an expression', s.stxnamespace::regnamespace, s.stxname)
    FROM members AS m JOIN pg_statistic_ext AS s ON s.stxrelid = m.member WHERE s.stxexprs::text ~ format(' :varattno %s ', m.attnum)
    UNION ALL
    SELECT format('%s has the place of the shadow column', d.description)
    FROM members AS m
    CROSS JOIN LATERAL (
        SELECT pg_describe_object('pg_class'::regclass, a.attrelid, a.attnum) FROM pg_attribute AS a WHERE a.attrelid = m.member AND a.attname = m.shadow
        UNION ALL
        SELECT pg_describe_object('pg_constraint'::regclass, c.oid, 0) FROM pg_constraint AS c WHERE c.conrelid = m.member AND c.conname = m.shadow
        UNION ALL
        SELECT pg_describe_object('pg_trigger'::regclass, t.oid, 0) FROM pg_trigger AS t WHERE t.tgrelid = m.member AND t.tgname = trigger_name(column_name)
    ) AS d (description)
    WHERE filling(m.member, column_name) IS NULL
    UNION ALL
    SELECT format('%s has the name of a shadow index', pg_describe_object('pg_class'::regclass, c.oid, 0))
    FROM indexes AS i JOIN pg_class AS c ON c.relnamespace = i.relnamespace AND c.relname = shadow_name(i.relname)
    WHERE NOT EXISTS (SELECT FROM pg_index AS x JOIN pg_attribute AS a ON a.attrelid = i.member AND a.attname = i.shadow
                      WHERE x.indexrelid = c.oid AND x.indrelid = i.member AND a.attnum = ANY (x.indkey))
    UNION ALL
    SELECT format('%s fires after the trigger that keeps the shadow column', pg_describe_object('pg_trigger'::regclass, t.oid, 0))
    FROM members AS m JOIN pg_trigger AS t ON t.tgrelid = m.member
    WHERE t.tgname::text COLLATE "C" > trigger_name(column_name)::text COLLATE "C" AND t.tgfoid <> 'fill()'::regprocedure
      AND t.tgtype & 3 = 3 AND t.tgtype & 20 <> 0; -- BEFORE, FOR EACH ROW; INSERT, UPDATE
END;
COMMENT ON FUNCTION obstacles_online(regclass, name) IS
'what stands in the way of the online mode alone';
