-- How definitions are written: on the shadow columns, with the properties that belong to them.

-- An expression over a table, or each of a list of them, with other names for some columns.
CREATE OR REPLACE FUNCTION on_shadows(expression pg_node_tree, relation regclass, columns smallint[], shadows name[])
RETURNS text[]
AS 'MODULE_PATHNAME', 'uuidx_on_shadows'
LANGUAGE C STABLE STRICT
SET search_path = pg_catalog, pg_temp;

-- Options as pg_class and pg_attribute have them, as a list in SQL; NULL if there are none. Without the server's own
-- options: pg_attver, in PostgreSQL 15.20.
CREATE OR REPLACE FUNCTION option_list(options text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(format('%s = %L', replace(quote_ident(split_part(o, '=', 1)), '.', '"."'),
                                 substr(o, strpos(o, '=') + 1)), ', ')
        FROM unnest(options) AS o WHERE o !~ '^pg_');

-- Statement that gives a constraint the comment of another; NULL if that has none. Not STRICT, so that the planner
-- inlines it.
CREATE OR REPLACE FUNCTION constraint_comment(relation regclass, name name, other oid) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN format('COMMENT ON CONSTRAINT %I ON %s IS ', name, relation)
       || quote_literal(obj_description(other, 'pg_constraint'));

-- Statements that give a constraint, and those that partitions inherit from it, the comments that they have now.
CREATE OR REPLACE FUNCTION constraint_comments(relation regclass, name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT constraint_comment(k.conrelid::regclass, k.conname, k.oid)
    FROM members(ARRAY[relation]) AS t, pg_constraint AS k
    WHERE k.conrelid = t.relid AND k.conname = constraint_comments.name
      AND obj_description(k.oid, 'pg_constraint') IS NOT NULL
    ORDER BY k.conrelid::regclass::text COLLATE "C";
END;

-- Whom a privilege is granted to.
CREATE OR REPLACE FUNCTION grantee_name(grantee oid) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END;

-- Whom the owner of a table lets write to it, also as the name by which the privileges of a role can be asked.
CREATE OR REPLACE FUNCTION writers(relation regclass) RETURNS TABLE (grantee oid, role name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT g.grantee, CASE g.grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(g.grantee) END
    FROM pg_class AS t,
         LATERAL (SELECT t.relacl UNION ALL SELECT a.attacl FROM pg_attribute AS a WHERE a.attrelid = t.oid) AS l (acl),
         aclexplode(l.acl) AS g
    WHERE t.oid = relation AND g.privilege_type IN ('INSERT', 'UPDATE') AND g.grantee <> t.relowner;
END;

-- Whom default privileges give something on new relations (r) or sequences (S).
CREATE OR REPLACE FUNCTION default_grantees(kind "char") RETURNS TABLE (role text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT grantee_name(a.grantee)
    FROM pg_default_acl AS d, aclexplode(d.defaclacl) AS a WHERE d.defaclobjtype = kind;
END;

-- Statements that give a new relation or sequence the privileges of another. Default privileges may have added others.
CREATE OR REPLACE FUNCTION grant_all(new_relation text, relation regclass) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH old AS MATERIALIZED (
        SELECT c.relowner, k.kind, coalesce(c.relacl, acldefault(lower(k.kind)::"char", c.relowner)) AS acl
        FROM pg_class AS c, LATERAL (SELECT CASE c.relkind WHEN 'S' THEN 'S' ELSE 'r' END) AS k (kind)
        WHERE c.oid = relation
          AND (c.relacl IS NOT NULL OR EXISTS (SELECT FROM pg_default_acl AS d WHERE d.defaclobjtype = k.kind::"char"))
    )
    SELECT format('REVOKE ALL ON %s FROM %s', new_relation, string_agg(DISTINCT r.name, ', ' ORDER BY r.name))
    FROM (SELECT o.relowner::regrole::text FROM old AS o
          UNION ALL
          SELECT g.role FROM old AS o, default_grantees(o.kind::"char") AS g) AS r (name)
    HAVING count(*) > 0
    UNION ALL
    SELECT format('GRANT %s ON %s TO %s%s', a.privilege_type, new_relation, grantee_name(a.grantee),
                  CASE WHEN a.is_grantable AND a.grantee <> o.relowner THEN ' WITH GRANT OPTION' END)
    FROM old AS o, aclexplode(o.acl) AS a;
END;

-- Statements that give a column the properties of another: target and options of statistics, comment, privileges,
-- security labels.
CREATE OR REPLACE FUNCTION column_properties(
    relation oid, attnum smallint, command text, new_relation text, new_name name
) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.sql
    FROM pg_attribute AS a, LATERAL (
        SELECT format('%s ALTER COLUMN %I SET STATISTICS %s', command, new_name, a.attstattarget)
        WHERE a.attstattarget >= 0
        UNION ALL
        SELECT format('%s ALTER COLUMN %I SET (%s)', command, new_name, option_list(a.attoptions))
        WHERE option_list(a.attoptions) IS NOT NULL
        UNION ALL
        SELECT format('COMMENT ON COLUMN %s.%I IS %L', new_relation, new_name, col_description(a.attrelid, a.attnum))
        WHERE col_description(a.attrelid, a.attnum) IS NOT NULL
        UNION ALL
        SELECT format('GRANT %s (%I) ON %s TO %s%s', g.privilege_type, new_name, new_relation,
                      grantee_name(g.grantee),
                      CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' END)
        FROM aclexplode(a.attacl) AS g
        UNION ALL
        SELECT format('SECURITY LABEL FOR %I ON COLUMN %s.%I IS %L', l.provider, new_relation, new_name, l.label)
        FROM pg_seclabel AS l
        WHERE l.classoid = 'pg_class'::regclass AND l.objoid = a.attrelid AND l.objsubid = a.attnum
    ) AS p (sql)
    WHERE a.attrelid = relation AND a.attnum = column_properties.attnum;
END;

-- Part of renewed_properties: statements that take from a column what column_properties gives another one.
CREATE OR REPLACE FUNCTION drop_column_properties(relation oid, attnum smallint, command text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.sql
    FROM pg_attribute AS a, LATERAL (
        SELECT format('%s ALTER COLUMN %I SET STATISTICS -1', command, a.attname) WHERE a.attstattarget >= 0
        UNION ALL
        SELECT format('%s ALTER COLUMN %I RESET (%s)', command, a.attname,
                      string_agg(quote_ident(split_part(o, '=', 1)), ', '))
        FROM unnest(a.attoptions) AS o WHERE option_list(ARRAY[o]) IS NOT NULL HAVING count(*) > 0
        UNION ALL
        SELECT format('COMMENT ON COLUMN %s.%I IS NULL', a.attrelid::regclass, a.attname)
        WHERE col_description(a.attrelid, a.attnum) IS NOT NULL
        UNION ALL
        SELECT DISTINCT format('REVOKE ALL (%I) ON %s FROM %s CASCADE',
                               a.attname, a.attrelid::regclass, grantee_name(g.grantee))
        FROM aclexplode(a.attacl) AS g
        UNION ALL
        SELECT format('SECURITY LABEL FOR %I ON COLUMN %s.%I IS NULL', l.provider, a.attrelid::regclass, a.attname)
        FROM pg_seclabel AS l
        WHERE l.classoid = 'pg_class'::regclass AND l.objoid = a.attrelid AND l.objsubid = a.attnum
    ) AS p (sql)
    WHERE a.attrelid = relation AND a.attnum = drop_column_properties.attnum;
END;

-- Statements that give a column the storage and compression of another of the same type.
CREATE OR REPLACE FUNCTION column_storage(relation oid, attnum smallint, command text, new_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('%s ALTER COLUMN %I SET STORAGE %s', command, new_name,
                  CASE a.attstorage WHEN 'p' THEN 'PLAIN'
                                    WHEN 'e' THEN 'EXTERNAL'
                                    WHEN 'm' THEN 'MAIN'
                                    ELSE 'EXTENDED' END)
    FROM pg_attribute AS a, pg_type AS t
    WHERE t.oid = a.atttypid AND a.attrelid = relation AND a.attnum = column_storage.attnum
      AND t.typstorage <> a.attstorage
    UNION ALL
    SELECT format('%s ALTER COLUMN %I SET COMPRESSION %s', command, new_name,
                  CASE a.attcompression WHEN 'p' THEN 'pglz' ELSE 'lz4' END)
    FROM pg_attribute AS a WHERE a.attrelid = relation AND a.attnum = column_storage.attnum AND a.attcompression <> '';
END;

-- Clause that puts a new relation into the tablespace of another; NULL where there is no need of one. Without
-- TABLESPACE, default_tablespace would apply; a partitioned index cannot name the default tablespace of the database.
CREATE OR REPLACE FUNCTION tablespace_clause(relation oid) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT format(' TABLESPACE %I', t.spcname)
            FROM pg_class AS c, pg_tablespace AS t
            WHERE c.oid = relation
              AND t.oid = coalesce(nullif(c.reltablespace, 0),
                                   CASE WHEN current_setting('default_tablespace') <> '' AND c.relkind <> 'I'
                                        THEN (SELECT d.dattablespace FROM pg_database AS d
                                              WHERE d.datname = current_database()) END));
END
$$;

-- Definition of a constraint of a table, with the storage parameters and the tablespace of its index. PostgreSQL writes
-- the former only for an exclusion constraint.
CREATE OR REPLACE FUNCTION constraint_definition(constraint_oid oid) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT concat(left(d.definition, length(d.definition) - length(d.tail)),
                      CASE WHEN k.contype <> 'x' THEN ' WITH (' || option_list(c.reloptions) || ')' END,
                      ' USING INDEX' || tablespace_clause(c.oid), d.tail)
        FROM pg_constraint AS k LEFT JOIN pg_index AS i ON i.indexrelid = k.conindid AND k.contype IN ('p', 'u', 'x')
             LEFT JOIN pg_class AS c ON c.oid = i.indexrelid,
             LATERAL (SELECT pg_get_constraintdef(k.oid),
                             CASE WHEN c.oid IS NULL THEN ''
                                  ELSE concat(' WHERE (' || pg_get_expr(i.indpred, i.indrelid) || ')',
                                              CASE WHEN k.condeferrable THEN ' DEFERRABLE' END,
                                              CASE WHEN k.condeferred THEN ' INITIALLY DEFERRED' END) END)
             AS d (definition, tail)
        WHERE k.oid = constraint_oid);
