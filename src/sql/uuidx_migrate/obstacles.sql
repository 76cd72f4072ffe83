-- What cannot be taken along, and what to do about each.

-- From PostgreSQL 15 on, a publication can have all tables of a schema.
CREATE OR REPLACE FUNCTION publications(published regclass) RETURNS SETOF name
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.pubname
    FROM pg_class AS c, pg_publication AS p
    WHERE c.oid = published AND c.relpersistence = 'p'
      AND (p.puballtables
           OR EXISTS (SELECT FROM pg_publication_rel AS r
                      WHERE r.prpubid = p.oid
                        AND (r.prrelid = published OR r.prrelid IN (SELECT a FROM pg_partition_ancestors(published) AS a)))
           OR EXISTS (SELECT FROM pg_depend AS n JOIN pg_depend AS d ON (d.classid, d.objid) = (n.classid, n.objid)
                      WHERE n.classid = to_regclass('pg_catalog.pg_publication_namespace') AND d.classid = n.classid
                        AND n.refclassid = 'pg_namespace'::regclass AND n.refobjid = c.relnamespace
                        AND d.refclassid = 'pg_publication'::regclass AND d.refobjid = p.oid));
END;
COMMENT ON FUNCTION publications(regclass) IS
'publications of a table';

-- pg_dist_partition is Citus's list of the tables that it manages.
CREATE OR REPLACE FUNCTION citus_tables() RETURNS regclass[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tables regclass[];
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT array_agg(logicalrelid) FROM pg_catalog.pg_dist_partition' INTO tables;
    END IF;
    RETURN coalesce(tables, '{}');
END
$$;
COMMENT ON FUNCTION citus_tables() IS
'the tables that Citus manages; none where there is no Citus';

-- --- Both modes ---

CREATE OR REPLACE FUNCTION obstacles_of_rights(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT c.*, t.relkind, t.relowner, t.relnamespace
        FROM unnest((m).columns) AS c JOIN pg_class AS t ON t.oid = c.member
    )
    SELECT c.root, c.name, format('you are not the owner of table %s', c.member), format('Run the script as %s.', c.relowner::regrole)
    FROM members AS c WHERE (m).trust_owners AND NOT pg_has_role(c.relowner, 'USAGE')
    UNION ALL
    SELECT c.root, c.name, format('you may not use schema %s', c.relnamespace::regnamespace), 'Grant USAGE on the schema.'
    FROM members AS c WHERE NOT has_schema_privilege(c.relnamespace, 'USAGE')
    UNION ALL
    SELECT c.root, c.name, format('you may not %s table %s', p, c.member), 'Grant the privilege to the owner.'
    FROM members AS c, unnest('{SELECT,UPDATE,REFERENCES}'::text[]) AS p
    WHERE c.relkind IN ('r', 'p') AND pg_has_role(c.relowner, 'USAGE') AND NOT has_table_privilege(c.member, p)
    UNION ALL
    SELECT c.root, c.name, format('row security of table %s is active for you', c.member), 'Run ALTER TABLE ... NO FORCE ROW LEVEL SECURITY.'
    FROM members AS c WHERE row_security_active(c.member)
    UNION ALL
    SELECT DISTINCT ON (d.description) (m).relation, (m).column_name, format('%s, which reads a moved column, belongs to %s', d.description, d.owner::regrole),
           format('Run ALTER ... OWNER TO %s.', t.relowner::regrole)
    FROM unnest((m).dependents) AS d JOIN pg_class AS t ON t.oid = (m).relation
    WHERE CASE WHEN (m).trust_owners THEN NOT pg_has_role(d.owner, 'USAGE') ELSE d.owner <> t.relowner END;
END;
COMMENT ON FUNCTION obstacles_of_rights(migration) IS
'part of obstacles: what the role may not do';

CREATE OR REPLACE FUNCTION obstacles_of_tables(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT c.*, t.relkind, t.reltype, t.reloftype, t.relname, t.relpersistence
        FROM unnest((m).columns) AS c JOIN pg_class AS t ON t.oid = c.member
    )
    SELECT c.root, c.name, format('%s is a foreign table', c.member), 'Migrate it on its own server, and drop the foreign table meanwhile.'
    FROM members AS c WHERE c.relkind = 'f'
    UNION ALL
    SELECT c.root, c.name, format('%s is not a table', c.member), 'Name a column of a table.'
    FROM members AS c WHERE c.relkind NOT IN ('r', 'p', 'f')
    UNION ALL
    SELECT c.root, c.name, format('%s is a table of type %s', c.member, format_type(c.reloftype, NULL)), 'Run ALTER TABLE ... NOT OF.'
    FROM members AS c WHERE c.reloftype <> 0
    UNION ALL
    SELECT c.root, c.name, format('table %s inherits from table %s', i.inhrelid::regclass, i.inhparent::regclass),
           'Run ALTER TABLE ... NO INHERIT, and INHERIT afterwards.'
    FROM members AS c JOIN pg_inherits AS i ON c.member IN (i.inhrelid, i.inhparent) JOIN pg_class AS child ON child.oid = i.inhrelid
    WHERE NOT child.relispartition
    UNION ALL
    SELECT c.root, c.name, format('the partition key of table %s', c.member), 'Copy the rows into a new partitioned table.'
    FROM members AS c JOIN pg_partitioned_table AS p ON p.partrelid = c.member
    WHERE c.attnum = ANY (p.partattrs) OR EXISTS (SELECT FROM expression_facts('pg_partitioned_table'::regclass, c.member) AS f WHERE f.attnum IN (c.attnum, 0))
    UNION ALL
    SELECT c.root, c.name, format('%s has the row type of table %s', pg_describe_object(d.classid, d.objid, d.objsubid), c.member),
           'Change the type of that column.'
    FROM members AS c
    JOIN pg_type AS t ON t.oid = c.reltype
    LEFT JOIN pg_type AS o ON o.typbasetype = t.oid
    JOIN pg_depend AS d ON d.refclassid = 'pg_type'::regclass AND d.refobjid IN (t.oid, t.typarray, o.oid, o.typarray)
    WHERE d.classid = 'pg_class'::regclass AND d.objsubid > 0
    UNION ALL
    SELECT c.root, c.name, format('foreign key %I of table %s is disabled', f.conname, f.conrelid::regclass), 'Run ALTER TABLE ... ENABLE TRIGGER ALL.'
    FROM members AS c
    JOIN pg_trigger AS t ON t.tgrelid = c.member AND t.tgisinternal AND t.tgenabled <> 'O'
    JOIN pg_constraint AS f ON f.oid = t.tgconstraint AND f.contype = 'f'
    WHERE f.conrelid = c.member AND c.attnum = ANY (f.conkey) OR f.confrelid = c.member AND c.attnum = ANY (f.confkey)
    UNION ALL
    SELECT c.root, c.name, format('table %s, which hides behind the name of a temporary table', t.oid::regclass), 'Drop the temporary table.'
    FROM members AS c JOIN pg_class AS t ON t.relname = c.relname AND t.relpersistence <> 't' AND t.relkind IN ('r', 'p', 'v', 'm', 'f')
    WHERE c.relpersistence = 't'
    UNION ALL
    SELECT c.root, c.name, format('Citus manages table %s', c.member),
           'Run undistribute_table, migrate, and distribute the table again.'
    FROM members AS c WHERE c.member = ANY (citus_tables())
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s uses the row type of materialized view %s', pg_describe_object(x.classid, x.objid, x.objsubid), d.relation),
           'Drop it, and create it again afterwards.'
    FROM unnest((m).dependents) AS d JOIN pg_class AS v ON v.oid = d.relation JOIN pg_type AS t ON t.oid = v.reltype
    JOIN pg_depend AS x ON x.refclassid = 'pg_type'::regclass AND x.refobjid IN (t.oid, t.typarray) AND x.deptype = 'n'
    WHERE d.kind = 'materialized view';
END;
COMMENT ON FUNCTION obstacles_of_tables(migration) IS
'part of obstacles: what the tables are, and what uses their row types';

CREATE OR REPLACE FUNCTION obstacles_of_columns(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT c.*, a.atttypid, a.atttypmod, a.attgenerated
        FROM unnest((m).columns) AS c JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum
    )
    SELECT c.root, c.name, format('column %I of table %s is of type %s', c.name, c.member, format_type(c.atttypid, c.atttypmod)),
           CASE WHEN c.atttypid = ANY (((m).conversion).new_types) THEN 'It needs no conversion: leave it out.'
                ELSE format('Change its type to %s.', array_to_string(((m).conversion).old_types, ' or ')) END
    FROM members AS c WHERE c.atttypid <> ALL (((m).conversion).old_types)
    UNION ALL
    SELECT c.root, c.name, format('column %I of table %s is generated', c.name, c.member), 'Move the columns from which it is generated.'
    FROM members AS c WHERE c.attgenerated <> ''
    UNION ALL
    SELECT c.root, c.name, format('default %s of column %I of table %s, which is not the call of a function without arguments', d.expression, c.name, c.member),
           'Drop the default, and set it again afterwards.'
    FROM members AS c JOIN pg_attrdef AS a ON a.adrelid = c.member AND a.adnum = c.attnum, LATERAL (SELECT pg_get_expr(a.adbin, a.adrelid)) AS d (expression)
    WHERE NOT changes_type((m).conversion) AND c.attgenerated = '' AND NOT is_call(d.expression) AND d.expression <> 'NULL::uuid'
      AND NOT (is_looked_up((m).conversion) AND constant_key(d.expression) IS NOT NULL AND (c.root, c.name) <> ((m).relation, (m).column_name))
    UNION ALL
    SELECT c.root, c.name, format('column %I of table %s has the default %s, and nothing says what was there before', d.name, d.member, d.old_default),
           'Name the function with new_default.'
    FROM new_defaults(m) AS d JOIN members AS c ON c.member = d.member AND c.name = d.name
    WHERE d.new_default IS NULL AND is_old_generator(d.old_default, (m).conversion)
    UNION ALL
    SELECT c.root, c.name, format('there is no function %s', d.new_default), 'Create it, or name another with new_default.'
    FROM new_defaults(m) AS d JOIN members AS c ON c.member = d.member AND c.name = d.name
    WHERE to_regprocedure(d.new_default) IS NULL AND d.new_default IS NOT NULL AND NOT changes_type((m).conversion);
END;
COMMENT ON FUNCTION obstacles_of_columns(migration) IS
'part of obstacles: the types of the columns and their defaults';

-- Two migrations of a column would take each other's shadows. One that leaves out a column would leave it with keys of no
-- row, and with triggers that fail.
CREATE OR REPLACE FUNCTION obstacles_of_migrations(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('column %I of table %s is part of another migration, which is not finished', c.name, c.root),
           'Finish that migration first, or undo and finish it.'
    FROM unnest((m).columns) AS c JOIN pg_trigger AS t ON t.tgrelid = c.root AND t.tgname = trigger_name(c.name) AND is_fill(t.tgfoid)
    WHERE c.member = c.root
      AND (filling(c.root, c.name) NOT IN (((m).conversion).name, ((m).conversion).undo)
           OR is_looked_up((m).conversion)
              AND NOT CASE WHEN is_key(m, c) THEN t.tgfoid = 'fill_key()'::regprocedure
                           ELSE EXISTS (SELECT FROM references_of(m) AS r WHERE r.relation = c.root AND r.name = c.name) END)
    UNION ALL
    SELECT (m).relation, (m).column_name, format('column %I of table %s was migrated together with this key, and is left out', r.name, r.relation),
           'Name it in also, and pass the same others as in the script that began the migration.'
    FROM references_of(m) AS r
    WHERE NOT EXISTS (SELECT FROM unnest((m).columns) AS c WHERE c.member = r.relation AND c.attnum = r.attnum);
END;
COMMENT ON FUNCTION obstacles_of_migrations(migration) IS
'part of obstacles: online migrations of these columns that are not finished';

CREATE OR REPLACE FUNCTION obstacles_of_replication(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name, format('table %s is published by publication %I', c.member, p),
           'With published => ''resync'' the plan says what to do on the subscribers.'
    FROM unnest((m).columns) AS c, LATERAL publications(c.member) AS p WHERE (m).published = 'refuse'
    UNION ALL
    SELECT c.root, c.name, pg_describe_object(d.classid, d.objid, 0) || ' has a row filter or a column list',
           'Drop the table from the publication, and add it again afterwards.'
    FROM unnest((m).columns) AS c JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.member AND d.refobjsubid = c.attnum
    WHERE d.classid = 'pg_publication_rel'::regclass
    UNION ALL
    SELECT c.root, c.name, format('table %s is subscribed', c.member),
           'Drop the subscription, migrate on the publisher too, and create the subscription again.'
    FROM unnest((m).columns) AS c JOIN pg_subscription_rel AS s ON s.srrelid = c.member;
END;
COMMENT ON FUNCTION obstacles_of_replication(migration) IS
'part of obstacles: publications and subscriptions';

CREATE OR REPLACE FUNCTION obstacles_of_key(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH candidates AS MATERIALIZED (SELECT k.* FROM key_candidates((m).relation, (m).columns, (m).also) AS k),
    members AS MATERIALIZED (SELECT c.*, t.relkind FROM unnest((m).columns) AS c JOIN pg_class AS t ON t.oid = c.member)
    SELECT (m).relation, (m).column_name, 'no column is the key that the others reference: they reference each other in a circle',
           'Drop one of the foreign keys, and add it again afterwards.'
    WHERE NOT EXISTS (SELECT FROM candidates)
    UNION ALL
    SELECT k.relation, k.column_name, format('column %I of table %s is one of several keys that the same columns reference', k.column_name, k.relation),
           'Drop the foreign keys to all of them but one, and add them again afterwards.'
    FROM candidates AS k WHERE (SELECT count(*) > 1 FROM candidates)
    UNION ALL
    SELECT c.root, c.name, format('key %I is in the partitioned table %s', c.name, c.root), 'Copy the rows into a new table.'
    FROM members AS c WHERE c.member = c.root AND c.relkind = 'p' AND (c.root, c.name) = ((m).relation, (m).column_name)
    UNION ALL
    SELECT c.root, c.name, format('no unique index is on column %I of table %s alone', c.name, c.root), 'Create one.'
    FROM members AS c
    WHERE c.member = c.root AND c.relkind <> 'p' AND (c.root, c.name) = ((m).relation, (m).column_name)
      AND NOT EXISTS (SELECT FROM pg_index AS i
                      WHERE i.indrelid = c.member AND i.indisunique AND i.indimmediate AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = c.attnum)
    UNION ALL
    SELECT c.root, c.name, format('foreign key %I of table %s, which is not validated', f.conname, f.conrelid::regclass), 'Validate it.'
    FROM members AS c JOIN pg_constraint AS f ON f.conrelid = c.member AND c.attnum = ANY (f.conkey)
    WHERE f.contype = 'f' AND NOT f.convalidated AND NOT has_pair(c.member, c.name, f.conkey) AND c.member = c.root
    UNION ALL
    SELECT c.root, c.name, format('the time at which a row was created comes from column %I, which moves too', c.name), 'Name another expression with created.'
    FROM members AS c WHERE c.root = (m).relation AND c.member = c.root AND (m).created ~ format(E'(^|[^."])r\\.%s($|[^[:alnum:]_$"])', regexp_replace(quote_ident(c.name), E'([^[:alnum:]_ ])', E'\\\\\\1', 'g'))
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s has a name that the migration needs', pg_describe_object(n.classid, n.oid, 0)), 'Drop or rename it.'
    FROM pg_class AS t
    CROSS JOIN LATERAL (
        SELECT 'pg_proc'::regclass, p.oid FROM pg_proc AS p
        WHERE p.pronamespace = t.relnamespace AND p.proname = key_object_name(m, 'created') AND p.pronargs = 1 AND p.proargtypes[0] = t.reltype
        UNION ALL
        SELECT 'pg_class'::regclass, c.oid FROM pg_class AS c
        WHERE c.relnamespace = t.relnamespace AND c.relname IN (key_object_name(m, 'former'), key_object_name(m, 'pair'), key_object_name(m, ((m).conversion).name))
    ) AS n (classid, oid)
    WHERE t.oid = (m).relation AND makes_keys((m).conversion) AND filling((m).relation, (m).column_name) IS NULL
    UNION ALL
    SELECT (m).relation, (m).column_name, format('nothing says which keys column %I of table %s had before', (m).column_name, (m).relation),
           'Only a conversion that is not finished can be undone.'
    WHERE ((m).conversion).only_undoes AND filling((m).relation, (m).column_name) IS NULL AND NOT has_map(m);
END;
COMMENT ON FUNCTION obstacles_of_key(migration) IS
'part of obstacles: what a conversion to version 7 needs of the key and of the columns that reference it';

CREATE OR REPLACE FUNCTION obstacles(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM obstacles_of_owner(m) AS o WHERE NOT (m).trust_owners
    UNION ALL
    SELECT o.* FROM obstacles_of_rights(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_tables(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_columns(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_migrations(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_replication(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_key(m) AS o WHERE is_looked_up((m).conversion)
    UNION ALL
    SELECT o.* FROM obstacles_of_type(m) AS o WHERE changes_type((m).conversion);
END;
COMMENT ON FUNCTION obstacles(migration) IS
'what stands in the way of a migration in either mode, and what to do about it';

-- PostgreSQL writes such definitions by the position of columns, and a column changes its place.
CREATE OR REPLACE FUNCTION positional_readers(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT DISTINCT t.oid, t.reltype FROM unnest((m).columns) AS c JOIN pg_class AS t ON t.oid = c.member
    ),
    readers (classid, objid) AS (
        SELECT r.classid, r.objid FROM readers((m).columns) AS r
        UNION
        -- Up to PostgreSQL 14, what reads the rows that a function returns depends on the function alone.
        SELECT d.classid, d.objid
        FROM tables AS t JOIN pg_proc AS p ON p.prorettype = t.reltype
        JOIN pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
    )
    SELECT reader_description(r.classid, r.objid)
    FROM readers AS r, LATERAL expression_facts(r.classid, r.objid) AS f JOIN tables AS t ON t.oid = f.relation
    WHERE f.fact = 'position' AND r.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_policy'::regclass)
    UNION
    SELECT pg_describe_object('pg_proc'::regclass, p.oid, 0)
    FROM tables AS t JOIN pg_proc AS p ON p.prorettype = t.reltype WHERE p.prosqlbody IS NOT NULL;
END;
COMMENT ON FUNCTION positional_readers(migration) IS
'views, functions and the like that name columns by position, or return rows of a table';

-- --- The offline mode ---

CREATE OR REPLACE FUNCTION obstacles_offline(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('column %I of table %s, the shadow of an online migration', c.shadow, c.member),
           'Finish the online migration, or undo it, with mode => ''finish''.'
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND filling(c.member, c.name) IS NOT NULL
    UNION ALL
    SELECT (m).relation, (m).column_name, p || ' uses columns by position, and a generated column changes its place', 'Drop it, and create it again afterwards.'
    FROM positional_readers(m) AS p WHERE EXISTS (SELECT FROM unnest((m).dependents) AS d WHERE d.kind = 'generated column')
    UNION ALL
    -- A rewrite recreates the indexes of partitions like their table's index, without such properties.
    SELECT c.root, c.name, format('index %s of a partition has %s, which would be lost', i.indexrelid::regclass, p.property),
           'Use the online mode, or set it again afterwards.'
    FROM unnest((m).columns) AS c
    JOIN pg_index AS i ON i.indrelid = c.member AND c.attnum = ANY (i.indkey)
    JOIN pg_class AS x ON x.oid = i.indexrelid
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
        SELECT 'storage parameters of its own' WHERE x.reloptions IS DISTINCT FROM parent.reloptions
        UNION ALL
        SELECT 'a name of its own'
        WHERE octet_length(x.relname) < 63 AND x.relname::text COLLATE "C" !~ format('^%s_(pkey|(%s_)?(key|idx))[0-9]*$',
            regexp_replace(t.relname, E'([^[:alnum:]_])', E'\\\\\\1', 'g'),
            (SELECT regexp_replace(string_agg(a.attname, '_' ORDER BY a.attnum), E'([^[:alnum:]_])', E'\\\\\\1', 'g')
             FROM pg_attribute AS a WHERE a.attrelid = i.indexrelid))
    ) AS p (property)
    UNION ALL
    SELECT c.root, c.name, format('foreign key %I of partition %s has a name or a comment of its own, which would be lost', f.conname, f.conrelid::regclass),
           'Use the online mode, or give it the name of its table''s foreign key.'
    FROM unnest((m).columns) AS c
    JOIN pg_constraint AS f ON f.conrelid = c.member AND c.attnum = ANY (f.conkey) AND f.contype = 'f'
    JOIN pg_constraint AS parent ON parent.oid = f.conparentid AND parent.conrelid <> f.conrelid
    WHERE f.conname <> parent.conname OR obj_description(f.oid, 'pg_constraint') IS NOT NULL;
END;
COMMENT ON FUNCTION obstacles_offline(migration) IS
'what stands in the way of the offline mode alone';

CREATE OR REPLACE FUNCTION check_obstacles(m migration, mode text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    list text;
BEGIN
    SELECT string_agg(DISTINCT format(E'%s: %s', o.what, o.hint) COLLATE "C", E'\n') INTO list
    FROM (SELECT u.what, u.hint FROM uuidx_migrate.obstacles_of_migrations(m) AS u WHERE mode = 'finish'
          UNION ALL
          SELECT u.what, u.hint FROM uuidx_migrate.obstacles(m) AS u WHERE mode <> 'finish'
          UNION ALL
          SELECT u.what, u.hint FROM uuidx_migrate.obstacles_offline(m) AS u WHERE mode = 'offline'
          UNION ALL
          SELECT u.what, u.hint FROM uuidx_migrate.obstacles_online(m) AS u WHERE mode = 'online') AS o;
    IF list IS NOT NULL THEN
        PERFORM uuidx_migrate.raise('55000', format('column "%s" of table %s cannot be moved as it stands', m.column_name, m.relation),
            E'In the way are:\n' || list, 'The lines of the detail say what to do about each.');
    END IF;
END
$$;
COMMENT ON FUNCTION check_obstacles(migration, text) IS
'an error that lists what stands in the way of a migration, if anything does';
