-- What the tables and columns are.

-- Publications of a table. From PostgreSQL 15 on, a publication can have all tables of a schema.
CREATE OR REPLACE FUNCTION publications(published regclass) RETURNS SETOF name
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.pubname
    FROM pg_class AS c, pg_publication AS p
    WHERE c.oid = published AND c.relpersistence = 'p'
      AND (p.puballtables
           OR EXISTS (SELECT FROM pg_publication_rel AS r
                      WHERE r.prpubid = p.oid
                        AND (r.prrelid = published
                             OR r.prrelid IN (SELECT a FROM pg_partition_ancestors(published) AS a)))
           OR EXISTS (SELECT FROM dependents_of('pg_namespace'::regclass, c.relnamespace, NULL) AS n,
                                  LATERAL references_of(n.classid, n.objid, NULL) AS d
                      WHERE n.classid = to_regclass('pg_catalog.pg_publication_namespace')
                        AND (d.refclassid, d.refobjid) = ('pg_publication'::regclass, p.oid)));
END;

-- Part of obstacles: what the tables are.
CREATE OR REPLACE FUNCTION obstacles_of_tables(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT c.*, t.relkind, t.reloftype, t.relpersistence
        FROM unnest((m).columns) AS c, pg_class AS t WHERE t.oid = c.member
    )
    SELECT c.root, c.name, format('%s is a foreign table', c.member),
           'Migrate it on its own server, and drop the foreign table meanwhile.'
    FROM members AS c WHERE c.relkind = 'f'
    UNION ALL
    SELECT c.root, c.name, format('%s is not a table', c.member), 'Name a column of a table.'
    FROM members AS c WHERE c.relkind NOT IN ('r', 'p', 'f')
    UNION ALL
    SELECT c.root, c.name, format('%s is a table of type %s', c.member, format_type(c.reloftype, NULL)),
           'Run ALTER TABLE ... NOT OF.'
    FROM members AS c WHERE c.reloftype <> 0
    UNION ALL
    SELECT c.root, c.name, format('table %s inherits from table %s', i.inhrelid::regclass, i.inhparent::regclass),
           'Run ALTER TABLE ... NO INHERIT, migrate both tables, and run INHERIT afterwards.'
    FROM members AS c, pg_inherits AS i, pg_class AS child
    WHERE c.member IN (i.inhrelid, i.inhparent) AND child.oid = i.inhrelid AND NOT child.relispartition
    UNION ALL
    SELECT c.root, c.name, format('the partition key of table %s', c.member),
           'Copy the rows into a table that this column does not partition, and give that its name; '
           'partition it by the column again afterwards.'
    FROM members AS c, pg_partitioned_table AS p
    WHERE p.partrelid = c.member
      AND (c.attnum = ANY (p.partattrs)
           OR EXISTS (SELECT FROM expression_facts('pg_partitioned_table'::regclass, c.member) AS f
                      WHERE f.attnum IN (c.attnum, 0)))
    UNION ALL
    SELECT o.* FROM foreign_key_obstacles(m) AS o
    UNION ALL
    -- The script would name it without its schema, which has another name in each session, and then the name may be
    -- that of another table.
    SELECT c.root, c.name, format('table %s is temporary', c.member),
           'If you mean another table of this name, write its schema. Otherwise, copy the rows into one that is not '
           'temporary.'
    FROM members AS c WHERE c.relpersistence = 't'
    UNION ALL
    SELECT c.root, c.name, o.what, o.hint
    FROM members AS c, obstacles_of_citus(ARRAY(SELECT m.member FROM members AS m)) AS o WHERE o.member = c.member;
END;

-- Part of obstacles: what uses the row types of the tables, and of views that are made anew.
CREATE OR REPLACE FUNCTION obstacles_of_row_types(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('%s has the row type of table %s', pg_describe_object(d.classid, d.objid, d.objsubid), c.member),
           CASE WHEN r.relkind IN ('v', 'm') THEN 'Drop the view, and create it again afterwards.'
                ELSE 'Change the type of that column.' END
    FROM unnest((m).columns) AS c, LATERAL dependents_of_rows(c.member) AS d, pg_class AS r
    WHERE d.classid = 'pg_class'::regclass AND d.objsubid > 0 AND r.oid = d.objid
    UNION ALL
    -- From some minor versions on, PostgreSQL rewrites no table of which such an expression may have rows.
    SELECT DISTINCT c.root, c.name,
           format('%s uses the row type of table %s', reader_description(d.classid, d.objid), c.member),
           drop_hint(d.classid, d.objid, 'again')
    FROM unnest((m).columns) AS c, LATERAL dependents_of_rows(c.member) AS d
    WHERE d.deptype = 'n' AND d.classid <> 'pg_proc'::regclass
      AND EXISTS (SELECT FROM expression_facts(d.classid, d.objid))
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('%s uses the row type of %s', pg_describe_object(x.classid, x.objid, x.objsubid), d.description),
           drop_hint(x.classid, x.objid, 'again')
    FROM unnest((m).dependents) AS d, LATERAL dependents_of_rows(d.relation) AS x
    WHERE x.deptype = 'n' AND d.is_made_anew;
END;

-- Part of obstacles: the types of the columns.
CREATE OR REPLACE FUNCTION obstacles_of_columns(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT c.*, a.atttypid, a.atttypmod, a.attgenerated, a.attcollation
        FROM unnest((m).columns) AS c, pg_attribute AS a WHERE a.attrelid = c.member AND a.attnum = c.attnum
    )
    SELECT c.root, c.name,
           format('column %I of table %s is of type %s', c.name, c.member, format_type(c.atttypid, c.atttypmod)),
           CASE WHEN c.atttypid = ANY (((m).conversion).new_types)
                THEN concat('It needs no conversion: leave it out.',
                            CASE WHEN (c.root, c.name) = ((m).relation, (m).column_name)
                                 THEN ' For another version, use ' || other_conversion(c.root, c.name) || '.' END)
                ELSE format('Change its type to %s.', array_to_string(((m).conversion).old_types, ' or ')) END
    FROM members AS c WHERE c.atttypid <> ALL (((m).conversion).old_types) AND NOT holds_texts((m).conversion, c.type)
    UNION ALL
    SELECT c.root, c.name,
           format('column %I of table %s has a collation in which different texts are equal', c.name, c.member),
           'Change its collation.'
    FROM members AS c, pg_collation AS l
    WHERE l.oid = c.attcollation AND holds_texts((m).conversion, c.type) AND NOT l.collisdeterministic
    UNION ALL
    SELECT c.root, c.name, format('column %I of table %s is generated', c.name, c.member),
           'Move the columns from which it is generated.'
    FROM members AS c WHERE c.attgenerated <> '';
END;

-- Part of obstacles: what refuses each key that the columns get.
CREATE OR REPLACE FUNCTION obstacles_of_versions(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('constraint %I of table %s, which no new key can satisfy: %s',
                  k.conname, c.member, pg_get_constraintdef(k.oid)),
           format('Run ALTER TABLE %s DROP CONSTRAINT %I.', c.member, k.conname)
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND c.attnum = ANY (k.conkey)
      AND k.contype = 'c' AND k.coninhcount = 0
      AND to_jsonb(k) ->> 'conenforced' IS DISTINCT FROM 'false' -- from PostgreSQL 18 on
      AND excluded_versions(k.oid, c.attnum) @> new_versions((m).conversion)
    UNION ALL
    SELECT c.root, c.name, format('trigger %I of table %s, which refuses the new keys', t.tgname, c.member),
           format('Run DROP TRIGGER %I ON %s.', t.tgname, c.member)
    FROM unnest((m).columns) AS c, pg_trigger AS t
    WHERE t.tgrelid = c.member AND t.tgparentid = 0
      AND t.tgfoid = to_regprocedure(uuidx_function('uuid_guard') || '()')
      AND (trigger_arguments(t.tgargs))[1] = c.name AND (7 = ANY (new_versions((m).conversion))) IS NOT TRUE;
END;

-- Part of obstacles: publications and subscriptions.
CREATE OR REPLACE FUNCTION obstacles_of_replication(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name, format('table %s is published by publication %I', c.member, p),
           'With published_tables => ''resync'', the remarks of the plan say what to do on the subscribers.'
    FROM unnest((m).columns) AS c, LATERAL publications(c.member) AS p WHERE ((m).choices).published_tables = 'refuse'
    UNION ALL
    SELECT c.root, c.name, pg_describe_object(d.classid, d.objid, 0) || ' has a row filter or a column list',
           'Drop the table from the publication. Afterwards, truncate it on each subscriber, and add it again.'
    FROM unnest((m).columns) AS c, LATERAL dependents_of('pg_class'::regclass, c.member, c.attnum) AS d
    WHERE d.classid = 'pg_publication_rel'::regclass
    UNION ALL
    SELECT c.root, c.name, format('table %s is subscribed', c.member),
           'Drop the subscription, migrate here and on the publisher, truncate the table here, '
           'and create the subscription again.'
    FROM unnest((m).columns) AS c, pg_subscription_rel AS s WHERE s.srrelid = c.member;
END;
