\echo Use "CREATE EXTENSION uuidx_migrate" to load this file. \quit
-- A superuser runs the script of a trusted extension, and other users may have created functions and operators in the
-- extension's schema. Whatever search_path says, a call would be bound for ever to one that matches it better than
-- PostgreSQL's own. So the script works in a private schema with a random name, which nobody can have created before.
DO $$
DECLARE
    private pg_catalog.text := pg_catalog.concat('uuidx_', pg_catalog.replace(pg_catalog.gen_random_uuid()::pg_catalog.text, '-', ''));
BEGIN
    EXECUTE pg_catalog.concat('CREATE SCHEMA ', private);
    PERFORM pg_catalog.set_config('search_path', pg_catalog.concat(private, ', pg_catalog, pg_temp'), true);
END
$$;
-- For what is parsed while the script runs. The server parsed the script itself before that, so a literal with a
-- backslash must begin with E.
SET LOCAL standard_conforming_strings = on;
-- The value that a migration computes once from the catalogs, and hands from step to step.

CREATE TYPE moved_column AS (
    root regclass,              -- the table, or the topmost partitioned table
    member regclass,            -- the table or one of its partitions
    level integer,              -- how deep the partition is
    attnum smallint,            -- in the member
    name name,
    shadow name                 -- the column that holds the new values until the exchange, and the old ones after it
);

CREATE TYPE moved_foreign_key AS (
    key oid,
    referencing regclass,
    referenced regclass,
    name name,
    definition text,            -- as pg_get_constraintdef has it
    shadow_definition text,     -- the same on the shadow columns; NULL if it cannot be told
    comment text,
    validated boolean
);

-- An object that reads a moved column, and the statements that make it anew.
CREATE TYPE dependent AS (
    description text,
    kind text,                  -- view, materialized view, rule, function, trigger, policy or generated column
    relation regclass,          -- the relation to lock; NULL for a function
    owner oid,
    depth integer,              -- how many materialized views are between it and the moved column
    detach text[],              -- make it read no moved column
    clause text,                -- of ALTER TABLE, after which it exists again
    restore text[],             -- make it what it was
    keeps_key boolean           -- it depends on a key, as GROUP BY of a primary key does
);

CREATE TYPE migration AS (
    relation regclass,          -- the topmost table and the column that the user asked for
    column_name name,
    conversion text,
    others text,
    also text[],
    published text,
    fire_triggers boolean,
    allow_superuser boolean,
    new_default text,           -- a call
    columns moved_column[],
    foreign_keys moved_foreign_key[],
    dependents dependent[]
);

-- What stands in the way of a migration, and what to do about it.
CREATE TYPE obstacle AS (
    root regclass,
    column_name name,
    what text,
    hint text
);

CREATE TYPE statement AS (
    phase text,
    locks text,
    sql text
);
-- Functions of uuidx that a migration calls, declared here too. A body that is bound to a function of uuidx would keep
-- an update of uuidx from dropping that function, and uuidx can move to another schema.

CREATE OR REPLACE FUNCTION uuid_version(uuid) RETURNS smallint
AS 'MODULE_PATHNAME', 'uuidx_version'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_version(uuid) IS
'as in uuidx';

CREATE OR REPLACE FUNCTION uuid_variant(uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_variant'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_variant(uuid) IS
'as in uuidx';

CREATE OR REPLACE FUNCTION uuid_time(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_time'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time(uuid) IS
'as in uuidx';

CREATE OR REPLACE FUNCTION uuid_v1_to_v6(uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v1_to_v6'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v1_to_v6(uuid) IS
'as in uuidx';

CREATE OR REPLACE FUNCTION uuid_v6_to_v1(uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_to_v1'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_to_v1(uuid) IS
'as in uuidx';

-- A default calls uuidx's own function, in the schema that uuidx has when the script is written.
CREATE OR REPLACE FUNCTION uuidx_function(function_name text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('%I.%I', n.nspname, function_name)
        FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'uuidx');
COMMENT ON FUNCTION uuidx_function(text) IS
'name of a function of uuidx with its schema, for use in a script';
-- The conversions: what a key becomes, what proves that it is right, and what undoes it. Everything else knows nothing
-- of versions.

CREATE OR REPLACE FUNCTION from_version(conversion text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE conversion WHEN 'v1_to_v6' THEN 1 WHEN 'v6_to_v1' THEN 6 END;
COMMENT ON FUNCTION from_version(text) IS
'version that a conversion converts';

CREATE OR REPLACE FUNCTION undoing(conversion text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE conversion WHEN 'v1_to_v6' THEN 'v6_to_v1' WHEN 'v6_to_v1' THEN 'v1_to_v6' END;
COMMENT ON FUNCTION undoing(text) IS
'conversion that undoes another';

CREATE OR REPLACE FUNCTION new_value(column_name name, conversion text, others text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format(CASE others WHEN 'keep'
                  THEN 'CASE WHEN uuidx_migrate.uuid_version(%1$I) OPERATOR(pg_catalog.=) %3$s THEN uuidx_migrate.%2$I(%1$I) ELSE %1$I END'
                  ELSE 'uuidx_migrate.%2$I(%1$I)' END,
              column_name, 'uuid_' || conversion, from_version(conversion));
COMMENT ON FUNCTION new_value(name, text, text) IS
'expression for the new value of a column';

-- PostgreSQL compares every row with it. The exchange changes only the names of the columns, so that it holds before
-- and after that.
CREATE OR REPLACE FUNCTION proof(column_name name, shadow name, not_null boolean, conversion text, others text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format(CASE WHEN not_null THEN '%1$I IS NOT NULL AND %1$I OPERATOR(pg_catalog.=) (%2$s)'
                                 ELSE '(%1$I IS NULL) OPERATOR(pg_catalog.=) (%3$I IS NULL) AND %1$I OPERATOR(pg_catalog.=) (%2$s)' END,
              shadow, new_value(column_name, conversion, others), column_name);
COMMENT ON FUNCTION proof(name, name, boolean, text, text) IS
'condition that a shadow column has the new value';

-- A default that generates keys of the old version is replaced.
CREATE OR REPLACE FUNCTION is_call(expression text, function_names text DEFAULT NULL) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN expression ~ format(E'^(("([^"]|"")+"|[a-z_][a-z0-9_$]*)\\.)?(%s)\\(\\)$',
                           coalesce(function_names, '("([^"]|"")+"|[a-z_][a-z0-9_$]*)'));
COMMENT ON FUNCTION is_call(text, text) IS
'whether an expression is the call, without arguments, of a function, or of one that has one of these names';

CREATE OR REPLACE FUNCTION is_old_generator(expression text, conversion text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN is_call(expression, CASE conversion WHEN 'v1_to_v6' THEN 'uuid_generate_v1|uuid_generate_v1mc' ELSE 'uuid_generate_v6' END);
COMMENT ON FUNCTION is_old_generator(text, text) IS
'whether a default generates keys of the version that a conversion converts';

CREATE OR REPLACE FUNCTION version_histogram(
    relation regclass,
    column_name name,
    OUT version smallint,
    OUT variant text,
    OUT count bigint,
    OUT first timestamptz,
    OUT last timestamptz
) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.check_column(relation, column_name);
    RETURN QUERY EXECUTE format(
        'SELECT v.version, v.variant, count(*), min(v.time), max(v.time)
         FROM (SELECT uuidx_migrate.uuid_version(%1$I) AS version, uuidx_migrate.uuid_variant(%1$I) AS variant,
                      uuidx_migrate.uuid_time(%1$I) AS time
               FROM %2$s) AS v
         GROUP BY v.version, v.variant ORDER BY v.version, v.variant',
        column_name, relation);
END
$$;
COMMENT ON FUNCTION version_histogram(regclass, name) IS
'number of UUIDs of each version and variant in a column, and their first and last time';
-- Properties and definitions of objects, as statements that give them to others.

CREATE OR REPLACE FUNCTION on_shadows(expression pg_node_tree, relation regclass, columns smallint[], shadows name[]) RETURNS text[]
AS 'MODULE_PATHNAME', 'uuidx_on_shadows'
LANGUAGE C STABLE STRICT
SET search_path = pg_catalog, pg_temp;
COMMENT ON FUNCTION on_shadows(pg_node_tree, regclass, smallint[], name[]) IS
'an expression over a table, or each of a list of them, with other names for some columns';

-- --- Relations and columns ---

-- Without the server's own options: pg_attver, in PostgreSQL 15.20.
CREATE OR REPLACE FUNCTION option_list(options text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(format('%I = %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', ')
        FROM unnest(options) AS o WHERE o !~ '^pg_');
COMMENT ON FUNCTION option_list(text[]) IS
'options as pg_class and pg_attribute have them, as a list in SQL; NULL if there are none';

-- Default privileges may have added others.
CREATE OR REPLACE FUNCTION grant_all(relation text, owner oid, acl aclitem[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('REVOKE ALL ON %s FROM %s', relation, string_agg(DISTINCT r.name, ', ' ORDER BY r.name))
    FROM (SELECT owner::regrole::text
          UNION ALL
          SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
          FROM pg_default_acl AS d, aclexplode(d.defaclacl) AS a WHERE d.defaclobjtype = 'r') AS r (name)
    UNION ALL
    SELECT format('GRANT %s ON %s TO %s%s', a.privilege_type, relation,
                  CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END,
                  CASE WHEN a.is_grantable AND a.grantee <> owner THEN ' WITH GRANT OPTION' END)
    FROM aclexplode(acl) AS a;
END;
COMMENT ON FUNCTION grant_all(text, oid, aclitem[]) IS
'statements that give a new relation the privileges of another';

CREATE OR REPLACE FUNCTION column_properties(relation oid, attnum smallint, command text, new_relation text, new_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.sql
    FROM pg_attribute AS a
    CROSS JOIN LATERAL (
        SELECT format('%s ALTER COLUMN %I SET STATISTICS %s', command, new_name, a.attstattarget) WHERE a.attstattarget >= 0
        UNION ALL
        SELECT format('%s ALTER COLUMN %I SET (%s)', command, new_name, option_list(a.attoptions)) WHERE option_list(a.attoptions) IS NOT NULL
        UNION ALL
        SELECT format('%s ALTER COLUMN %I SET STORAGE %s', command, new_name,
                      CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END)
        FROM pg_type AS t WHERE t.oid = a.atttypid AND t.typstorage <> a.attstorage
        UNION ALL
        SELECT format('%s ALTER COLUMN %I SET COMPRESSION %s', command, new_name, CASE a.attcompression WHEN 'p' THEN 'pglz' ELSE 'lz4' END)
        WHERE a.attcompression <> ''
        UNION ALL
        SELECT format('COMMENT ON COLUMN %s.%I IS %L', new_relation, new_name, col_description(a.attrelid, a.attnum))
        WHERE col_description(a.attrelid, a.attnum) IS NOT NULL
        UNION ALL
        SELECT format('GRANT %s (%I) ON %s TO %s%s', g.privilege_type, new_name, new_relation,
                      CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END,
                      CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' END)
        FROM aclexplode(a.attacl) AS g
        UNION ALL
        SELECT format('SECURITY LABEL FOR %I ON COLUMN %s.%I IS %L', l.provider, new_relation, new_name, l.label)
        FROM pg_seclabel AS l
        WHERE l.classoid = 'pg_class'::regclass AND l.objoid = a.attrelid AND l.objsubid = a.attnum
    ) AS p (sql)
    WHERE a.attrelid = relation AND a.attnum = column_properties.attnum;
END;
COMMENT ON FUNCTION column_properties(oid, smallint, text, text, name) IS
'statements that give a column the properties of another: target and options of statistics, storage, compression, comment, privileges, security labels';

-- --- Indexes and statistics, as CREATE has them ---

CREATE OR REPLACE FUNCTION index_column(index oid, n integer, moved moved_column[]) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
RETURN (
    SELECT concat(
        CASE WHEN i.indkey[n - 1] = 0 AND cardinality(moved) > 0 THEN
                 format('(%s)', (uuidx_migrate.on_shadows(i.indexprs, i.indrelid, m.attnums, m.shadows))[e.place])
             ELSE coalesce(quote_ident(c.shadow), pg_get_indexdef(index_column.index, n, false)) END,
        ' COLLATE ' || nullif(nullif(i.indcollation[n - 1], 0), coalesce(a.attcollation, k.attcollation))::regcollation,
        ' ' || o.opclass,
        ' (' || uuidx_migrate.option_list(k.attoptions) || ')',
        CASE i.indoption[n - 1] & 3 WHEN 1 THEN ' DESC NULLS LAST' WHEN 2 THEN ' NULLS FIRST' WHEN 3 THEN ' DESC' END)
    FROM pg_index AS i
    JOIN pg_attribute AS k ON k.attrelid = index_column.index AND k.attnum = index_column.n
    LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[n - 1]
    LEFT JOIN unnest(moved) AS c ON c.member = i.indrelid AND c.attnum = i.indkey[n - 1]
    CROSS JOIN LATERAL (SELECT array_agg(u.attnum) AS attnums, array_agg(u.shadow) AS shadows
                        FROM unnest(moved) AS u WHERE u.member = i.indrelid) AS m
    CROSS JOIN LATERAL (SELECT count(*)::integer AS place FROM unnest(i.indkey) WITH ORDINALITY AS u (attnum, ordinality)
                        WHERE u.attnum = 0 AND u.ordinality <= n) AS e
    LEFT JOIN LATERAL (
        SELECT format('%s.%I', c.opcnamespace::regnamespace, c.opcname) FROM pg_opclass AS c
        WHERE n <= i.indnkeyatts AND c.oid = i.indclass[n - 1] AND NOT (c.opcdefault AND c.opcintype = k.atttypid)
    ) AS o (opclass) ON true
    WHERE i.indexrelid = index_column.index
);
END
$$;
COMMENT ON FUNCTION index_column(oid, integer, moved_column[]) IS
'the n-th column of an index, as CREATE INDEX has it, on the shadow columns of those that move';

CREATE OR REPLACE FUNCTION index_definition(index oid, how text, new_name name, relation text, moved moved_column[]) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
RETURN (
    SELECT concat('CREATE ', CASE WHEN i.indisunique THEN 'UNIQUE ' END, 'INDEX ', how,
                  format('%I ON %s USING %I', new_name, relation, m.amname),
                  ' (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n <= i.indnkeyatts) || ')',
                  ' INCLUDE (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n > i.indnkeyatts) || ')',
                  -- PostgreSQL 14 does not have this column.
                  CASE WHEN to_jsonb(i) ->> 'indnullsnotdistinct' = 'true' THEN ' NULLS NOT DISTINCT' END,
                  ' WITH (' || uuidx_migrate.option_list(c.reloptions) || ')',
                  ' TABLESPACE ' || quote_ident(t.spcname),
                  ' WHERE (' || CASE WHEN cardinality(moved) = 0 THEN pg_get_expr(i.indpred, i.indrelid)
                                     ELSE (uuidx_migrate.on_shadows(i.indpred, i.indrelid, s.attnums, s.shadows))[1] END || ')')
    FROM pg_index AS i
    JOIN pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_am AS m ON m.oid = c.relam
    -- Without TABLESPACE, default_tablespace would apply.
    LEFT JOIN pg_tablespace AS t
        ON t.oid = coalesce(nullif(c.reltablespace, 0), CASE WHEN current_setting('default_tablespace') <> '' THEN
                                (SELECT d.dattablespace FROM pg_database AS d WHERE d.datname = current_database()) END)
    CROSS JOIN LATERAL (SELECT array_agg(u.attnum) AS attnums, array_agg(u.shadow) AS shadows
                        FROM unnest(moved) AS u WHERE u.member = i.indrelid) AS s
    CROSS JOIN LATERAL (SELECT n, uuidx_migrate.index_column(index_definition.index, n, moved) AS definition
                        FROM generate_series(1, i.indnatts) AS n) AS k
    WHERE i.indexrelid = index_definition.index
    GROUP BY i.indexrelid, c.oid, m.oid, t.oid, s.attnums, s.shadows
);
END
$$;
COMMENT ON FUNCTION index_definition(oid, text, name, text, moved_column[]) IS
'statement that creates an index like another, with another name, on a relation and on the shadow columns of those that move';

CREATE OR REPLACE FUNCTION index_properties(index oid, new_index text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s', new_index, a.attnum, a.attstattarget)
    FROM pg_attribute AS a WHERE a.attrelid = index AND a.attstattarget >= 0
    UNION ALL
    SELECT format('COMMENT ON INDEX %s IS %L', new_index, obj_description(index, 'pg_class'))
    WHERE obj_description(index, 'pg_class') IS NOT NULL;
END;
COMMENT ON FUNCTION index_properties(oid, text) IS
'statements that give an index the comment and statistics targets of another';

CREATE OR REPLACE FUNCTION statistics_definition(statistics oid, how text, new_name name, relation text, moved moved_column[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH parts AS (
        SELECT s.oid, s.stxstattarget, format('%s.%I', s.stxnamespace::regnamespace, new_name) AS new_statistics,
               (SELECT string_agg(CASE k WHEN 'd' THEN 'ndistinct' WHEN 'f' THEN 'dependencies' WHEN 'm' THEN 'mcv' END, ', ')
                FROM unnest(s.stxkind) AS k WHERE k <> 'e') AS kinds,
               (SELECT string_agg(quote_ident(coalesce(c.shadow, a.attname)), ', ' ORDER BY coalesce(c.shadow, a.attname))
                FROM pg_attribute AS a LEFT JOIN unnest(moved) AS c ON c.member = a.attrelid AND c.attnum = a.attnum
                WHERE a.attrelid = s.stxrelid AND a.attnum = ANY (s.stxkeys)) AS columns,
               (SELECT string_agg(format('(%s)', e), ', ')
                FROM (SELECT array_agg(u.attnum) AS attnums, array_agg(u.shadow) AS shadows
                      FROM unnest(moved) AS u WHERE u.member = s.stxrelid) AS m,
                     unnest(CASE WHEN m.attnums IS NULL THEN pg_get_statisticsobjdef_expressions(s.oid)
                                 ELSE on_shadows(s.stxexprs, s.stxrelid, m.attnums, m.shadows) END) AS e) AS expressions
        FROM pg_statistic_ext AS s WHERE s.oid = statistics
    )
    SELECT format('CREATE STATISTICS %s%s%s ON %s FROM %s', how, p.new_statistics, ' (' || p.kinds || ')',
                  concat_ws(', ', p.columns, p.expressions), relation)
    FROM parts AS p
    UNION ALL
    SELECT format('ALTER STATISTICS %s SET STATISTICS %s', p.new_statistics, p.stxstattarget) FROM parts AS p WHERE p.stxstattarget >= 0
    UNION ALL
    SELECT format('COMMENT ON STATISTICS %s IS %L', p.new_statistics, obj_description(p.oid, 'pg_statistic_ext'))
    FROM parts AS p WHERE obj_description(p.oid, 'pg_statistic_ext') IS NOT NULL;
END;
COMMENT ON FUNCTION statistics_definition(oid, text, name, text, moved_column[]) IS
'statements that create extended statistics like others, on a relation and on the shadow columns of those that move';
-- What moves: a key, the columns that the user names, and all columns that foreign keys tie to them.

-- The topmost partitioned table stands for its partitions.
CREATE OR REPLACE FUNCTION root(relation oid) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce(pg_partition_root(relation::regclass), relation::regclass);
COMMENT ON FUNCTION root(oid) IS
'topmost partitioned table of a partition, and any other relation itself';

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

-- --- Columns ---

CREATE OR REPLACE FUNCTION check_choice(argument text, value text, choices text[]) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF value = ANY (choices) IS NOT TRUE THEN
        RAISE EXCEPTION '% "%" is none of: %', argument, value, array_to_string(choices, ', ') USING ERRCODE = 'invalid_parameter_value';
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
BEGIN
    IF count NOT IN (2, 3) THEN
        RAISE EXCEPTION '"%" does not name a column', text USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Write schema.table.column; without the schema, the table is in the schema of the key''s table.';
    END IF;
    SELECT uuidx_migrate.root(format('%I.%I', CASE count WHEN 3 THEN parts[1] ELSE n.nspname END, parts[count - 1])::regclass)
    INTO root
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation;
    column_name := parts[count];
    PERFORM uuidx_migrate.check_column(root, column_name);
END
$$;
COMMENT ON FUNCTION named_column(text, regclass) IS
'the column that a text such as schema.table.column names';

CREATE OR REPLACE FUNCTION check_column(relation regclass, column_name name) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    type regtype;
BEGIN
    SELECT a.atttypid INTO type FROM pg_attribute AS a
    WHERE a.attrelid = relation AND a.attname = column_name AND a.attnum > 0 AND NOT a.attisdropped;
    IF type IS NULL THEN
        RAISE EXCEPTION 'column "%" of relation % does not exist', column_name, relation USING ERRCODE = 'undefined_column';
    ELSIF type <> 'uuid'::regtype THEN
        RAISE EXCEPTION 'column "%" of relation % is not of type uuid', column_name, relation USING ERRCODE = 'datatype_mismatch';
    END IF;
END
$$;
COMMENT ON FUNCTION check_column(regclass, name) IS
'an error unless a relation has a column of type uuid with this name';

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
        WHERE f.contype = 'f' AND f.conparentid = 0 AND 'uuid'::regtype IN (a.atttypid, b.atttypid)
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
    WHERE c.attnum = ANY (i.indkey) OR concat(i.indexprs::text, i.indpred::text) ~ format(' :varattno %s ', c.attnum)
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
    WHERE c.attnum = ANY (s.stxkeys) OR s.stxexprs::text ~ format(' :varattno %s ', c.attnum)
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
-- What reads the moved columns, and how it is made anew.
--
-- PostgreSQL rebuilds indexes, constraints and statistics by itself. For other objects it refuses to change a column.
-- Most of them keep their identity: a view or a function gets a definition that reads no column, and after the change
-- its own. Others are dropped and created again, with all that belongs to them.

-- --- What is made anew, by kind ---

CREATE OR REPLACE FUNCTION view_anew(rule oid, depth integer) RETURNS dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('view %s', c.oid::regclass), 'view', c.oid::regclass, c.relowner, depth,
           ARRAY[format('CREATE OR REPLACE VIEW %s AS SELECT %s', c.oid::regclass,
                        (SELECT string_agg(format('NULL::%s%s AS %I', format_type(a.atttypid, a.atttypmod),
                                                  ' COLLATE ' || nullif(a.attcollation, 0)::regcollation, a.attname),
                                           ', ' ORDER BY a.attnum)
                         FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0))],
           NULL,
           ARRAY[format(E'CREATE OR REPLACE VIEW %s%s AS\n%s', c.oid::regclass, ' WITH (' || option_list(c.reloptions) || ')',
                        rtrim(pg_get_viewdef(c.oid), ';'))],
           NULL::boolean
    FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class WHERE r.oid = rule;
END;
COMMENT ON FUNCTION view_anew(oid, integer) IS
'part of dependents: a view';

CREATE OR REPLACE FUNCTION rule_anew(rule oid, depth integer) RETURNS dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_rewrite'::regclass, r.oid, 0), 'rule', c.oid::regclass, c.relowner, depth,
           ARRAY[format('CREATE OR REPLACE RULE %I AS ON %s TO %s DO ALSO NOTHING', r.rulename,
                        CASE r.ev_type WHEN '2' THEN 'UPDATE' WHEN '3' THEN 'INSERT' ELSE 'DELETE' END, c.oid::regclass)],
           NULL,
           ARRAY[regexp_replace(rtrim(pg_get_ruledef(r.oid), ';'), '^CREATE RULE', 'CREATE OR REPLACE RULE')],
           NULL::boolean
    FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class WHERE r.oid = rule;
END;
COMMENT ON FUNCTION rule_anew(oid, integer) IS
'part of dependents: a rule';

-- The definition that pg_get_functiondef has ends with the body in standard SQL. An empty string as the body is not
-- checked as long as check_function_bodies is off.
CREATE OR REPLACE FUNCTION function_anew(function oid, depth integer) RETURNS dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_proc'::regclass, p.oid, 0), 'function', NULL::regclass, p.proowner, depth,
           ARRAY[left(d.definition, length(d.definition) - length(pg_get_function_sqlbody(p.oid))) || 'AS '''''],
           NULL, ARRAY[d.definition], NULL::boolean
    FROM pg_proc AS p, LATERAL (SELECT rtrim(pg_get_functiondef(p.oid), E'\n')) AS d (definition)
    WHERE p.oid = function;
END;
COMMENT ON FUNCTION function_anew(oid, integer) IS
'part of dependents: a function or procedure with a body in standard SQL';

-- The clones of a trigger in partitions are dropped and created with it, but each has a state of its own.
CREATE OR REPLACE FUNCTION trigger_anew(trigger oid, depth integer) RETURNS dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE clones AS (
        SELECT t.oid, t.tgrelid, t.tgenabled FROM pg_trigger AS t WHERE t.oid = trigger
        UNION ALL
        SELECT t.oid, t.tgrelid, t.tgenabled FROM clones AS c JOIN pg_trigger AS t ON t.tgparentid = c.oid
    )
    SELECT pg_describe_object('pg_trigger'::regclass, t.oid, 0), 'trigger', c.oid::regclass, c.relowner, depth,
           ARRAY[format('DROP TRIGGER %I ON %s', t.tgname, c.oid::regclass)],
           NULL,
           array_remove(ARRAY[pg_get_triggerdef(t.oid),
                              format('COMMENT ON TRIGGER %I ON %s IS ', t.tgname, c.oid::regclass)
                              || quote_literal(obj_description(t.oid, 'pg_trigger'))], NULL)
           || ARRAY(SELECT format('ALTER TABLE ONLY %s %s TRIGGER %I', s.tgrelid::regclass,
                                  CASE s.tgenabled WHEN 'O' THEN 'ENABLE' WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA'
                                                   ELSE 'ENABLE ALWAYS' END, t.tgname)
                    FROM clones AS s WHERE s.tgenabled <> 'O' ORDER BY s.oid),
           NULL::boolean
    FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid WHERE t.oid = trigger;
END;
COMMENT ON FUNCTION trigger_anew(oid, integer) IS
'part of dependents: a trigger';

CREATE OR REPLACE FUNCTION policy_anew(policy oid, depth integer) RETURNS dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_policy'::regclass, p.oid, 0), 'policy', c.oid::regclass, c.relowner, depth,
           ARRAY[concat(n.command, CASE WHEN p.polqual IS NOT NULL THEN ' USING (false)' END,
                        CASE WHEN p.polwithcheck IS NOT NULL THEN ' WITH CHECK (false)' END)],
           NULL,
           ARRAY[concat(n.command, ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
                        ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')],
           NULL::boolean
    FROM pg_policy AS p JOIN pg_class AS c ON c.oid = p.polrelid,
         LATERAL (SELECT format('ALTER POLICY %I ON %s', p.polname, c.oid::regclass)) AS n (command)
    WHERE p.oid = policy;
END;
COMMENT ON FUNCTION policy_anew(oid, integer) IS
'part of dependents: a policy';

-- Its owner's code runs with the owner's rights: it is filled after it has its owner.
CREATE OR REPLACE FUNCTION matview_statements(view regclass, shadow boolean) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema regnamespace;
    new_view text;
    index record;
BEGIN
    SELECT c.relnamespace, format('%s.%I', c.relnamespace::regnamespace, CASE WHEN shadow THEN uuidx_migrate.shadow_name(c.relname) ELSE c.relname END)
    INTO schema, new_view FROM pg_class AS c WHERE c.oid = view;
    RETURN QUERY
        SELECT format(E'CREATE MATERIALIZED VIEW %s%s%s%s AS\n%s\nWITH NO DATA', new_view,
                      ' USING ' || CASE WHEN m.amname <> current_setting('default_table_access_method') THEN quote_ident(m.amname) END,
                      ' WITH (' || uuidx_migrate.option_list(c.reloptions) || ')',
                      ' TABLESPACE ' || quote_ident(t.spcname), rtrim(pg_get_viewdef(view), ';'))
        FROM pg_class AS c JOIN pg_am AS m ON m.oid = c.relam LEFT JOIN pg_tablespace AS t ON t.oid = c.reltablespace
        WHERE c.oid = view;
    RETURN QUERY
        SELECT format('ALTER MATERIALIZED VIEW %s OWNER TO %s', new_view, c.relowner::regrole) FROM pg_class AS c WHERE c.oid = view;
    RETURN QUERY
        SELECT g FROM pg_class AS c, LATERAL uuidx_migrate.grant_all(new_view, c.relowner,
            coalesce(c.relacl, CASE WHEN EXISTS (SELECT FROM pg_default_acl) THEN acldefault('r', c.relowner) END)) AS g WHERE c.oid = view;
    RETURN QUERY
        SELECT p FROM pg_attribute AS a,
                      LATERAL uuidx_migrate.column_properties(view, a.attnum, 'ALTER MATERIALIZED VIEW ' || new_view, new_view, a.attname) AS p
        WHERE a.attrelid = view AND a.attnum > 0;
    RETURN QUERY
        SELECT format('COMMENT ON MATERIALIZED VIEW %s IS %L', new_view, obj_description(view, 'pg_class'))
        WHERE obj_description(view, 'pg_class') IS NOT NULL;
    FOR index IN
        SELECT i.indexrelid AS oid, i.indisclustered, CASE WHEN shadow THEN uuidx_migrate.shadow_name(c.relname) ELSE c.relname END AS name
        FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid = view ORDER BY c.relname
    LOOP
        RETURN NEXT uuidx_migrate.index_definition(index.oid, '', index.name, new_view, '{}');
        RETURN QUERY SELECT uuidx_migrate.index_properties(index.oid, format('%s.%I', schema, index.name));
        RETURN QUERY SELECT format('ALTER MATERIALIZED VIEW %s CLUSTER ON %I', new_view, index.name) WHERE index.indisclustered;
    END LOOP;
    RETURN QUERY
        SELECT d FROM pg_statistic_ext AS s,
                      LATERAL uuidx_migrate.statistics_definition(s.oid, '', CASE WHEN shadow THEN uuidx_migrate.shadow_name(s.stxname) ELSE s.stxname END,
                                                                  new_view, '{}') AS d
        WHERE s.stxrelid = view;
END
$$;
COMMENT ON FUNCTION matview_statements(regclass, boolean) IS
'statements that create a materialized view like another, without its rows; with the names of shadows, or their own';

CREATE OR REPLACE FUNCTION matview_anew(rule oid, depth integer) RETURNS dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('materialized view %s', c.oid::regclass), 'materialized view', c.oid::regclass, c.relowner, depth,
           ARRAY[format('DROP MATERIALIZED VIEW %s', c.oid::regclass)], NULL,
           ARRAY(SELECT m FROM matview_statements(c.oid, false) WITH ORDINALITY AS m (m, n) ORDER BY n), NULL::boolean
    FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class WHERE r.oid = rule;
END;
COMMENT ON FUNCTION matview_anew(oid, integer) IS
'part of dependents: a materialized view';

-- It is dropped, with its indexes and constraints, and added again, at the end of its table.
CREATE OR REPLACE FUNCTION generated_anew(default_ oid, depth integer) RETURNS dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_class'::regclass, c.oid, a.attnum), 'generated column', c.oid::regclass, c.relowner, depth,
           ARRAY[format('ALTER TABLE %s DROP COLUMN %I', c.oid::regclass, a.attname)],
           format('ADD COLUMN %I %s%s GENERATED ALWAYS AS (%s) %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                  ' COLLATE ' || nullif(nullif(a.attcollation, 0), t.typcollation)::regcollation, pg_get_expr(d.adbin, d.adrelid),
                  CASE a.attgenerated WHEN 's' THEN 'STORED' ELSE 'VIRTUAL' END, CASE WHEN a.attnotnull THEN ' NOT NULL' END),
           ARRAY(SELECT p FROM column_properties(c.oid, a.attnum, format('ALTER TABLE %s', c.oid::regclass), c.oid::regclass::text, a.attname) AS p)
           || ARRAY(SELECT s.sql
                    FROM pg_index AS i,
                         LATERAL (SELECT rtrim(pg_get_indexdef(i.indexrelid))
                                  UNION ALL
                                  SELECT index_properties(i.indexrelid, i.indexrelid::regclass::text)) AS s (sql)
                    WHERE i.indexrelid IN (SELECT x.objid FROM pg_depend AS x WHERE (x.classid, x.refclassid, x.refobjid, x.refobjsubid)
                                                                                  = ('pg_class'::regclass, 'pg_class'::regclass, c.oid, a.attnum)))
           || ARRAY(SELECT s.sql
                    FROM pg_constraint AS k,
                         LATERAL (SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.oid::regclass, k.conname, pg_get_constraintdef(k.oid))
                                  UNION ALL
                                  SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', k.conname, c.oid::regclass, obj_description(k.oid, 'pg_constraint'))
                                  WHERE obj_description(k.oid, 'pg_constraint') IS NOT NULL) AS s (sql)
                    WHERE k.contype <> 'n'
                      AND k.oid IN (SELECT x.objid FROM pg_depend AS x WHERE (x.classid, x.refclassid, x.refobjid, x.refobjsubid)
                                                                           = ('pg_constraint'::regclass, 'pg_class'::regclass, c.oid, a.attnum)))
           || ARRAY(SELECT s
                    FROM pg_statistic_ext AS e, LATERAL statistics_definition(e.oid, '', e.stxname, c.oid::regclass::text, '{}') AS s
                    WHERE e.oid IN (SELECT x.objid FROM pg_depend AS x WHERE (x.classid, x.refclassid, x.refobjid, x.refobjsubid)
                                                                           = ('pg_statistic_ext'::regclass, 'pg_class'::regclass, c.oid, a.attnum))),
           NULL::boolean
    FROM pg_attrdef AS d
    JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
    JOIN pg_type AS t ON t.oid = a.atttypid
    JOIN pg_class AS c ON c.oid = d.adrelid
    WHERE d.oid = default_;
END;
COMMENT ON FUNCTION generated_anew(oid, integer) IS
'part of dependents: a generated column';

-- --- All of them ---

-- What reads a materialized view or a generated column that is made anew is made anew too.
CREATE OR REPLACE FUNCTION readers(columns moved_column[]) RETURNS TABLE (classid oid, objid oid, depth integer)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE read (relation, attnum, depth) AS (
        SELECT c.member::oid, c.attnum, 0 FROM unnest(columns) AS c
        UNION
        SELECT n.relation, n.attnum, r.depth + n.step
        FROM read AS r
        JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation AND d.refobjsubid = coalesce(r.attnum, d.refobjsubid)
        CROSS JOIN LATERAL (
            SELECT w.ev_class, NULL::smallint, 1 FROM pg_rewrite AS w JOIN pg_class AS v ON v.oid = w.ev_class
            WHERE d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid AND v.relkind = 'm' AND v.oid <> r.relation
            UNION ALL
            SELECT e.adrelid, e.adnum, 0 FROM pg_attrdef AS e JOIN pg_attribute AS g ON g.attrelid = e.adrelid AND g.attnum = e.adnum
            WHERE d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid AND g.attgenerated <> ''
            UNION ALL
            SELECT g.attrelid, g.attnum, 0 FROM pg_attribute AS g
            WHERE d.classid = 'pg_class'::regclass AND (g.attrelid, g.attnum) = (d.objid, d.objsubid) AND g.attgenerated <> ''
        ) AS n (relation, attnum, step)
    )
    SELECT CASE WHEN e.oid IS NULL THEN d.classid ELSE 'pg_attrdef'::regclass END, coalesce(e.oid, d.objid), max(r.depth)
    FROM read AS r
    JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation AND d.refobjsubid = coalesce(r.attnum, d.refobjsubid)
    LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
    -- Up to PostgreSQL 14, it is the generated column that depends on others, and not its pg_attrdef.
    LEFT JOIN pg_attrdef AS e ON d.classid = 'pg_class'::regclass AND (e.adrelid, e.adnum) = (d.objid, d.objsubid)
    WHERE (r.attnum IS NOT NULL OR d.deptype = 'n') AND (w.ev_class = r.relation AND w.rulename = '_RETURN') IS NOT TRUE
    GROUP BY 1, 2;
END;
COMMENT ON FUNCTION readers(moved_column[]) IS
'the objects that depend on moved columns, and how many materialized views are between them';

CREATE OR REPLACE FUNCTION dependents(columns moved_column[]) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH readers AS MATERIALIZED (SELECT r.* FROM readers(columns) AS r),
    anew AS (
        SELECT v.*, r.classid, r.objid
        FROM readers AS r JOIN pg_rewrite AS w ON w.oid = r.objid JOIN pg_class AS c ON c.oid = w.ev_class, LATERAL view_anew(w.oid, r.depth) AS v
        WHERE r.classid = 'pg_rewrite'::regclass AND w.rulename = '_RETURN' AND c.relkind = 'v'
        UNION ALL
        SELECT v.*, r.classid, r.objid
        FROM readers AS r JOIN pg_rewrite AS w ON w.oid = r.objid JOIN pg_class AS c ON c.oid = w.ev_class, LATERAL matview_anew(w.oid, r.depth) AS v
        WHERE r.classid = 'pg_rewrite'::regclass AND c.relkind = 'm'
        UNION ALL
        SELECT u.*, r.classid, r.objid
        FROM readers AS r JOIN pg_rewrite AS w ON w.oid = r.objid, LATERAL rule_anew(w.oid, r.depth) AS u
        WHERE r.classid = 'pg_rewrite'::regclass AND w.rulename <> '_RETURN'
        UNION ALL
        SELECT f.*, r.classid, r.objid FROM readers AS r, LATERAL function_anew(r.objid, r.depth) AS f WHERE r.classid = 'pg_proc'::regclass
        UNION ALL
        SELECT n.*, r.classid, r.objid
        FROM readers AS r JOIN pg_trigger AS t ON t.oid = r.objid, LATERAL trigger_anew(t.oid, r.depth) AS n
        WHERE r.classid = 'pg_trigger'::regclass AND NOT t.tgisinternal AND t.tgparentid = 0
        UNION ALL
        SELECT p.*, r.classid, r.objid FROM readers AS r, LATERAL policy_anew(r.objid, r.depth) AS p WHERE r.classid = 'pg_policy'::regclass
        UNION ALL
        SELECT g.*, r.classid, r.objid
        FROM readers AS r JOIN pg_attrdef AS d ON d.oid = r.objid
        JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
        JOIN pg_class AS c ON c.oid = d.adrelid, LATERAL generated_anew(d.oid, r.depth) AS g
        WHERE r.classid = 'pg_attrdef'::regclass AND a.attgenerated <> '' AND NOT c.relispartition
    )
    SELECT a.description, a.kind, a.relation, a.owner, a.depth, a.detach, a.clause, a.restore,
           EXISTS (SELECT FROM pg_depend AS d WHERE (d.classid, d.objid, d.refclassid) = (a.classid, a.objid, 'pg_constraint'::regclass))
    FROM anew AS a
    ORDER BY a.depth, a.kind = 'materialized view', a.description COLLATE "C";
END;
COMMENT ON FUNCTION dependents(moved_column[]) IS
'the objects that read moved columns and are made anew, in the order in which they are';

-- Their rows are those of before until they are refreshed.
CREATE OR REPLACE FUNCTION stale_matviews(columns moved_column[], OUT matview regclass, OUT is_unique boolean, OUT populated boolean) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE read (relation, attnum, depth) AS (
        SELECT c.member::oid, c.attnum, 0 FROM unnest(columns) AS c
        UNION
        SELECT v.oid, NULL, r.depth + 1
        FROM read AS r
        JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation
                           AND d.refobjsubid IN (coalesce(r.attnum, d.refobjsubid), 0) AND d.classid = 'pg_rewrite'::regclass
        JOIN pg_rewrite AS w ON w.oid = d.objid
        JOIN pg_class AS v ON v.oid = w.ev_class AND v.oid <> r.relation
        WHERE w.rulename = '_RETURN'
    )
    SELECT c.oid::regclass, c.relispopulated
           AND EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL),
           c.relispopulated
    FROM read AS r JOIN pg_class AS c ON c.oid = r.relation
    WHERE c.relkind = 'm'
    GROUP BY c.oid
    ORDER BY max(r.depth), c.oid::regclass::text COLLATE "C";
END;
COMMENT ON FUNCTION stale_matviews(moved_column[]) IS
'the materialized views that read moved columns, directly or through views, in the order in which they are to be refreshed; and whether that can be done concurrently';
-- Fill a shadow column.

CREATE OR REPLACE FUNCTION fill() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill'
LANGUAGE C;
COMMENT ON FUNCTION fill() IS
'trigger before INSERT or UPDATE that fills a shadow column; its arguments are the column, the shadow column, the conversion, and what to do with UUIDs of another version';

-- The shadow column was added later, so the numbers of the columns say on which side of the exchange they are.
CREATE OR REPLACE FUNCTION filling(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT CASE WHEN c.attnum < s.attnum THEN t.conversion ELSE undoing(t.conversion) END
    FROM (SELECT substring(encode(g.tgargs, 'escape') FROM E'(v1_to_v6|v6_to_v1)\\\\000[a-z]+\\\\000$') AS conversion
          FROM pg_trigger AS g
          WHERE g.tgrelid = relation AND g.tgname = trigger_name(column_name) AND g.tgfoid = 'fill()'::regprocedure) AS t
    JOIN pg_attribute AS c ON c.attrelid = relation AND c.attname = column_name
    JOIN pg_attribute AS s ON s.attrelid = relation AND s.attname = shadow_name(column_name)
);
COMMENT ON FUNCTION filling(regclass, name) IS
'conversion by which a trigger fills the shadow of a column; NULL if there is none';

-- How many blocks hold about this many rows. If the table was never analyzed, assume blocks full of the narrowest
-- possible rows.
CREATE OR REPLACE FUNCTION batch_blocks(relation regclass, batch_rows integer) RETURNS bigint
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT greatest(1, least(batch_rows, batch_rows / CASE WHEN reltuples > 0 AND relpages > 0 THEN reltuples::float8 / relpages
                                                           ELSE current_setting('block_size')::float8 / 44 END))::bigint
    FROM pg_class WHERE oid = relation
);
COMMENT ON FUNCTION batch_blocks(regclass, integer) IS
'part of backfill: blocks of a batch';

CREATE OR REPLACE FUNCTION blocks(relation regclass) RETURNS bigint
LANGUAGE sql VOLATILE STRICT
RETURN pg_relation_size(relation) / current_setting('block_size')::bigint;
COMMENT ON FUNCTION blocks(regclass) IS
'part of backfill: blocks of a table';

CREATE OR REPLACE FUNCTION check_fire_triggers() RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM set_config('session_replication_role', current_setting('session_replication_role'), true);
EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'fire_triggers => false needs the right to set session_replication_role' USING ERRCODE = 'insufficient_privilege',
        HINT = 'A superuser has it, and from PostgreSQL 15 on whoever a superuser grants it with GRANT SET ON PARAMETER.';
END
$$;
COMMENT ON FUNCTION check_fire_triggers() IS
'an error unless the user can keep triggers from firing';

-- Only a table's owner may fill it.
CREATE OR REPLACE FUNCTION backfill_begin(member regclass, from_column name, to_column name, batch_rows integer) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF batch_rows < 1 THEN
        RAISE EXCEPTION 'batch_rows must be positive' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = member AND c.relkind = 'r') THEN
        RAISE EXCEPTION '% is not a table', member USING ERRCODE = 'wrong_object_type';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = member AND pg_has_role(c.relowner, 'USAGE')) THEN
        RAISE EXCEPTION 'must be owner of table %', member USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF row_security_active(member) THEN
        RAISE EXCEPTION 'row security of table % is active for you', member
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    INSERT INTO uuidx_migrate.progress AS p (relation, attnum, blocks)
    SELECT a.attrelid, a.attnum, uuidx_migrate.blocks(a.attrelid)
    FROM pg_attribute AS a WHERE a.attrelid = member AND a.attname = to_column
    ON CONFLICT ON CONSTRAINT progress_pkey DO UPDATE SET blocks = excluded.blocks, updated = excluded.updated;
END
$$;
COMMENT ON FUNCTION backfill_begin(regclass, name, name, integer) IS
'part of backfill: notes that it begins or resumes';

-- Returns the statement of a batch: the procedure runs it, because the triggers that it fires must find the search_path
-- of the session. Rows that another session has locked are left for the next pass: waiting for them could deadlock with
-- that session. If the shadow column is a key already, a reference to the row is such a lock.
CREATE OR REPLACE FUNCTION backfill_batch(
    member regclass, from_column name, to_column name, batch_rows integer, conversion text, others text,
    OUT statement text, OUT end_block bigint
)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    next_block bigint;
    lock text;
BEGIN
    SELECT p.next_block, least(p.next_block + uuidx_migrate.batch_blocks(member, batch_rows), 4294967294)
    INTO next_block, end_block
    FROM uuidx_migrate.progress AS p JOIN pg_attribute AS a ON a.attrelid = p.relation AND a.attnum = p.attnum
    WHERE p.relation = member AND a.attname = to_column;
    -- Without a row, somebody else has emptied the table progress.
    next_block := coalesce(next_block, 0);
    end_block := coalesce(end_block, uuidx_migrate.batch_blocks(member, batch_rows));
    SELECT CASE WHEN bool_or(i.indisunique) THEN 'UPDATE' ELSE 'NO KEY UPDATE' END INTO lock
    FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = member AND a.attname = to_column;
    statement := format('WITH batch AS (
                             SELECT ctid, %5$I AS key FROM ONLY %1$s
                             WHERE ctid OPERATOR(pg_catalog.>=) ''(%2$s,0)'' AND ctid OPERATOR(pg_catalog.<) ''(%3$s,0)''
                               AND %4$I IS NULL AND %5$I IS NOT NULL
                             FOR %7$s SKIP LOCKED),
                         filled AS (
                             UPDATE ONLY %1$s AS t SET %4$I = %6$s FROM batch
                             WHERE t.ctid OPERATOR(pg_catalog.=) batch.ctid
                               AND t.ctid OPERATOR(pg_catalog.>=) ''(%2$s,0)'' AND t.ctid OPERATOR(pg_catalog.<) ''(%3$s,0)''
                             RETURNING batch.ctid)
                         SELECT pg_catalog.count(filled.ctid), pg_catalog.min(batch.key::pg_catalog.text) FILTER (WHERE filled.ctid IS NULL)
                         FROM batch LEFT JOIN filled ON filled.ctid OPERATOR(pg_catalog.=) batch.ctid',
                        member, next_block, end_block, to_column, from_column,
                        uuidx_migrate.new_value(from_column, conversion, others), lock);
END
$$;
COMMENT ON FUNCTION backfill_batch(regclass, name, name, integer, text, text) IS
'part of backfill: the statement that fills the next batch of rows, and where that ends';

CREATE OR REPLACE FUNCTION backfill_check_kept(member regclass, from_column name, kept_key text) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF kept_key IS NOT NULL THEN
        RAISE EXCEPTION 'a trigger of table % keeps rows from being updated', member
        USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('One of them has %s "%s".', from_column, kept_key),
              HINT = 'Change or disable the trigger, or use fire_triggers => false, and run the script again.';
    END IF;
END
$$;
COMMENT ON FUNCTION backfill_check_kept(regclass, name, text) IS
'part of backfill: an error that names a row that a trigger keeps from being updated, unless there is none';

CREATE OR REPLACE FUNCTION backfill_end_batch(
    member regclass, to_column name, end_block bigint, rows bigint, began timestamptz,
    OUT pass_ended boolean, OUT report text
)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE uuidx_migrate.progress AS p
    SET next_block = end_block, rows_filled = p.rows_filled + rows, updated = clock_timestamp(),
        seconds = p.seconds + extract(epoch FROM clock_timestamp() - began)::numeric
    FROM pg_attribute AS a
    WHERE p.relation = member AND (a.attrelid, a.attnum, a.attname) = (p.relation, p.attnum, to_column)
    RETURNING p.blocks <= end_block, format('%s: %s rows, %s %%, %s rows/s, %s left', p.relation, p.rows_filled, p.percent, p.rows_per_second, p.time_left)
    INTO pass_ended, report;
    -- Somebody else has emptied the table progress.
    IF NOT FOUND THEN
        INSERT INTO uuidx_migrate.progress (relation, attnum, blocks, next_block, rows_filled)
        SELECT a.attrelid, a.attnum, uuidx_migrate.blocks(member), end_block, rows FROM pg_attribute AS a WHERE a.attrelid = member AND a.attname = to_column
        ON CONFLICT DO NOTHING;
    END IF;
    pass_ended := coalesce(pass_ended, uuidx_migrate.blocks(member) <= end_block);
END
$$;
COMMENT ON FUNCTION backfill_end_batch(regclass, name, bigint, bigint, timestamptz) IS
'part of backfill: notes that a batch is filled';

-- The last pass leaves no row.
CREATE OR REPLACE FUNCTION backfill_end_pass(member regclass, from_column name, to_column name) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_filled boolean;
BEGIN
    PERFORM uuidx_migrate.lock_table(member, 'ACCESS SHARE');
    EXECUTE format('SELECT NOT EXISTS (SELECT FROM ONLY %s WHERE %I IS NULL AND %I IS NOT NULL)',
                   member, to_column, from_column) INTO is_filled;
    IF is_filled THEN
        DELETE FROM uuidx_migrate.progress AS p USING pg_attribute AS a
        WHERE p.relation = member AND (a.attrelid, a.attnum, a.attname) = (p.relation, p.attnum, to_column);
    ELSE
        UPDATE uuidx_migrate.progress AS p SET next_block = 0, blocks = uuidx_migrate.blocks(p.relation), updated = clock_timestamp()
        FROM pg_attribute AS a
        WHERE p.relation = member AND (a.attrelid, a.attnum, a.attname) = (p.relation, p.attnum, to_column);
    END IF;
    RETURN is_filled;
END
$$;
COMMENT ON FUNCTION backfill_end_pass(regclass, name, name) IS
'part of backfill: notes that a pass over the table has ended, and whether nothing is left';

-- A procedure that commits cannot set search_path for itself, so everything in it is qualified. Unless the isolation
-- level is READ COMMITTED, a row that another session has changed would be an error.
CREATE OR REPLACE PROCEDURE backfill_table(
    member regclass,
    from_column name,
    to_column name,
    conversion text,
    others text,
    batch_rows integer,
    pause interval,
    fire_triggers boolean,
    allow_superuser boolean
)
LANGUAGE plpgsql
AS $$
DECLARE
    reported pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    began pg_catalog.timestamptz;
    batch pg_catalog.record;
    rows pg_catalog.int8;
    kept_key pg_catalog.text;
    finished pg_catalog.bool := false;
    report pg_catalog.text;
BEGIN
    WHILE NOT finished LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        began := pg_catalog.clock_timestamp();
        IF NOT fire_triggers THEN
            PERFORM uuidx_migrate.check_fire_triggers();
            SET LOCAL session_replication_role = replica;
        END IF;
        PERFORM uuidx_migrate.lock_and_check(member, 'ROW EXCLUSIVE'::pg_catalog.text, allow_superuser);
        SELECT b.statement, b.end_block INTO batch
        FROM uuidx_migrate.backfill_batch(member, from_column, to_column, batch_rows, conversion, others) AS b;
        BEGIN
            EXECUTE batch.statement INTO rows, kept_key;
        EXCEPTION WHEN serialization_failure THEN
            -- Another session has moved a row to another partition.
            rows := NULL;
        END;
        PERFORM uuidx_migrate.backfill_check_kept(member, from_column, kept_key);
        IF rows IS NOT NULL THEN
            SELECT e.pass_ended, e.report INTO finished, report
            FROM uuidx_migrate.backfill_end_batch(member, to_column, batch.end_block, rows, began) AS e;
        END IF;
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        IF finished THEN
            finished := uuidx_migrate.backfill_end_pass(member, from_column, to_column);
            -- The rows that a pass leaves are locked: give them time.
            IF NOT finished THEN
                COMMIT;
                PERFORM pg_catalog.pg_sleep_for('0.1 s'::pg_catalog.interval);
            END IF;
        END IF;
        IF finished OR pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>)
                       (reported OPERATOR(pg_catalog.+) '5 s'::pg_catalog.interval) THEN
            RAISE NOTICE '%', report;
            reported := pg_catalog.clock_timestamp();
        END IF;
        COMMIT;
        PERFORM pg_catalog.pg_sleep_for(pause);
    END LOOP;
END
$$;
COMMENT ON PROCEDURE backfill_table(regclass, name, name, text, text, integer, interval, boolean, boolean) IS
'part of backfill: fills a shadow column of a table, or of one partition';

CREATE OR REPLACE PROCEDURE backfill(
    relation regclass,
    from_column name,
    to_column name,
    conversion text DEFAULT 'v1_to_v6',
    others text DEFAULT 'error',
    batch_rows integer DEFAULT 10000,
    pause interval DEFAULT '0',
    fire_triggers boolean DEFAULT true,
    allow_superuser boolean DEFAULT false
)
LANGUAGE plpgsql
AS $$
DECLARE
    members pg_catalog.regclass[];
    member pg_catalog.regclass;
BEGIN
    PERFORM uuidx_migrate.check_no_transaction('uuidx_migrate.backfill'::pg_catalog.text),
            uuidx_migrate.check_choice('conversion'::pg_catalog.text, conversion, ARRAY['v1_to_v6', 'v6_to_v1']::pg_catalog.text[]),
            uuidx_migrate.check_choice('others'::pg_catalog.text, others, ARRAY['error', 'keep']::pg_catalog.text[]),
            uuidx_migrate.check_column(relation, from_column), uuidx_migrate.check_column(relation, to_column);
    members := uuidx_migrate.tables_of(relation);
    FOREACH member IN ARRAY members LOOP
        PERFORM uuidx_migrate.backfill_begin(member, from_column, to_column, batch_rows);
        CALL uuidx_migrate.backfill_table(member, from_column, to_column, conversion, others, batch_rows, pause, fire_triggers, allow_superuser);
    END LOOP;
END
$$;
COMMENT ON PROCEDURE backfill(regclass, name, name, text, text, integer, interval, boolean, boolean) IS
'fills a shadow column in batches, each in a transaction of its own, and resumes where it stopped';

CREATE OR REPLACE FUNCTION tables_of(relation regclass) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT c.oid::regclass
             FROM (SELECT relation::oid UNION SELECT p.relid FROM pg_partition_tree(relation) AS p) AS m (relid)
             JOIN pg_class AS c ON c.oid = m.relid WHERE c.relkind <> 'p' ORDER BY c.oid);
COMMENT ON FUNCTION tables_of(regclass) IS
'a table, or the partitions of a partitioned table that hold its rows';
-- The progress of each backfill under way. It holds numbers and nothing that anybody executes: a wrong number makes a
-- backfill read the table again. UNLOGGED keeps it out of publications; a crash empties it, and the backfill then reads
-- the table from the beginning.

CREATE UNLOGGED TABLE progress (
    relation        regclass,
    attnum          smallint,                   -- of the column that is filled
    blocks          bigint NOT NULL CHECK (blocks BETWEEN 0 AND 4294967295), -- of the table, when this pass over it began
    next_block      bigint NOT NULL DEFAULT 0 CHECK (next_block BETWEEN 0 AND 4294967295),
    rows_filled     bigint NOT NULL DEFAULT 0 CHECK (rows_filled BETWEEN 0 AND 1e17),
    seconds         numeric NOT NULL DEFAULT 0 CHECK (seconds BETWEEN 0 AND 1e9), -- of work
    updated         timestamptz NOT NULL DEFAULT clock_timestamp(),
    percent         numeric GENERATED ALWAYS AS (round(least(100.0 * next_block / greatest(blocks, 1), 100), 1)) STORED,
    rows_per_second numeric GENERATED ALWAYS AS (round(rows_filled / nullif(seconds, 0))) STORED,
    time_left       interval GENERATED ALWAYS AS
        (make_interval(secs => round(seconds * greatest(blocks - next_block, 0) / nullif(next_block, 0))::float8)) STORED,
    PRIMARY KEY (relation, attnum)
);
COMMENT ON TABLE progress IS
'progress, speed and remaining time of each backfill of your tables that is under way';
ALTER TABLE progress ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON progress
USING (EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND pg_has_role(c.relowner, 'USAGE')));
GRANT SELECT, INSERT, UPDATE, DELETE ON progress TO PUBLIC;
-- What a migration knows, computed once from the catalogs.

CREATE OR REPLACE FUNCTION migration(
    relation regclass, column_name name, conversion text, others text, also text[], published text, fire_triggers boolean,
    allow_superuser boolean, new_default regprocedure
) RETURNS migration
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    m record;
BEGIN
    IF relation IS NULL OR column_name IS NULL OR also IS NULL THEN
        RAISE EXCEPTION 'relation, column_name and also must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM uuidx_migrate.check_choice('conversion', conversion, ARRAY['v1_to_v6', 'v6_to_v1']),
            uuidx_migrate.check_choice('others', others, ARRAY['error', 'keep']),
            uuidx_migrate.check_choice('published', published, ARRAY['refuse', 'resync']),
            uuidx_migrate.check_column(relation, column_name);
    IF NOT EXISTS (SELECT FROM pg_proc AS p WHERE p.oid = coalesce(new_default, p.oid) AND (new_default IS NULL OR p.prorettype = 'uuid'::regtype AND p.pronargs = 0
                                                                                             AND p.prokind = 'f' AND NOT p.proretset)) THEN
        RAISE EXCEPTION 'function % cannot be a default', new_default USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'A default calls a function without arguments that returns uuid.';
    END IF;
    SELECT uuidx_migrate.root(relation), column_name, conversion, others, also, published, fire_triggers, allow_superuser,
           (SELECT format('%s.%I()', p.pronamespace::regnamespace, p.proname) FROM pg_proc AS p WHERE p.oid = new_default),
           c.columns,
           ARRAY(SELECT f FROM uuidx_migrate.moved_foreign_keys(c.columns) AS f),
           ARRAY(SELECT d FROM uuidx_migrate.dependents(c.columns) AS d)
    INTO m
    FROM (SELECT array_agg(u) AS columns FROM uuidx_migrate.moved_columns(relation, column_name, also) AS u) AS c;
    RETURN m;
END
$$;
COMMENT ON FUNCTION migration(regclass, name, text, text, text[], text, boolean, boolean, regprocedure) IS
'all that a migration has to know of the catalogs';

-- After the exchange, the old column has the former default in a form that is never evaluated.
CREATE OR REPLACE FUNCTION former_default(relation regclass, shadow name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT f.expression
    FROM pg_attrdef AS d JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum,
         LATERAL (SELECT substring(pg_get_expr(d.adbin, d.adrelid) FROM E'^\\s*CASE\\s+WHEN false THEN (.*\\S)\\s+ELSE NULL::uuid\\s+END$')) AS f (expression)
    WHERE d.adrelid = relation AND a.attname = shadow AND is_call(f.expression)
);
COMMENT ON FUNCTION former_default(regclass, name) IS
'default that a column had before the exchange; NULL if there is none';

CREATE OR REPLACE FUNCTION new_defaults(m migration)
RETURNS TABLE (root regclass, member regclass, name name, shadow name, old_default text, new_default text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.member, c.name, c.shadow, e.old_default,
           CASE WHEN is_old_generator(e.old_default, (m).conversion)
                THEN coalesce((m).new_default, former_default(c.member, c.shadow),
                              CASE (m).conversion WHEN 'v1_to_v6' THEN uuidx_function('uuid_generate_v6') || '()' END)
                WHEN is_call(e.old_default) AND (c.root, c.name) = ((m).relation, (m).column_name) THEN (m).new_default END
    FROM unnest((m).columns) AS c
    JOIN pg_attrdef AS d ON d.adrelid = c.member AND d.adnum = c.attnum
    JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum,
         LATERAL (SELECT pg_get_expr(d.adbin, d.adrelid)) AS e (old_default)
    WHERE a.attgenerated = '';
END;
COMMENT ON FUNCTION new_defaults(migration) IS
'defaults of the columns that move, and what they become; NULL if they stay';
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
    FROM members AS c WHERE NOT pg_has_role(c.relowner, 'USAGE')
    UNION ALL
    SELECT c.root, c.name, format('you may not use schema %s', c.relnamespace::regnamespace), 'Grant USAGE on the schema.'
    FROM members AS c WHERE NOT has_schema_privilege(c.relnamespace, 'USAGE')
    UNION ALL
    SELECT c.root, c.name, format('you may not %s table %s', p, c.member), 'Grant the privilege to the owner.'
    FROM members AS c, unnest('{SELECT,UPDATE,REFERENCES}'::text[]) AS p
    WHERE c.relkind IN ('r', 'p') AND pg_has_role(c.relowner, 'USAGE') AND NOT has_table_privilege(c.member, p)
    UNION ALL
    SELECT c.root, c.name, format('row security of table %s is active for you', c.member), 'Run the script as a role with BYPASSRLS, or without FORCE ROW LEVEL SECURITY.'
    FROM members AS c WHERE row_security_active(c.member)
    UNION ALL
    SELECT DISTINCT ON (d.description) (m).relation, (m).column_name, format('you do not own %s, which reads a moved column', d.description),
           format('Run the script as a member of %s too.', d.owner::regrole)
    FROM unnest((m).dependents) AS d WHERE NOT pg_has_role(d.owner, 'USAGE');
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
    WHERE c.attnum = ANY (p.partattrs) OR p.partexprs::text ~ format(' :varattno %s ', c.attnum)
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
           'Change its type to uuid.'
    FROM members AS c WHERE c.atttypid <> 'uuid'::regtype
    UNION ALL
    SELECT c.root, c.name, format('column %I of table %s is generated', c.name, c.member), 'Move the columns from which it is generated.'
    FROM members AS c WHERE c.attgenerated <> ''
    UNION ALL
    SELECT c.root, c.name, format('default %s of column %I of table %s, which is not the call of a function without arguments', d.expression, c.name, c.member),
           'Drop the default, and set it again afterwards.'
    FROM members AS c JOIN pg_attrdef AS a ON a.adrelid = c.member AND a.adnum = c.attnum, LATERAL (SELECT pg_get_expr(a.adbin, a.adrelid)) AS d (expression)
    WHERE c.attgenerated = '' AND NOT is_call(d.expression) AND d.expression <> 'NULL::uuid'
    UNION ALL
    SELECT c.root, c.name, format('column %I of table %s has the default %s, and nothing says what was there before', d.name, d.member, d.old_default),
           'Name the function with new_default.'
    FROM new_defaults(m) AS d JOIN members AS c ON c.member = d.member AND c.name = d.name
    WHERE d.new_default IS NULL AND is_old_generator(d.old_default, (m).conversion)
    UNION ALL
    SELECT c.root, c.name, format('there is no function %s', d.new_default), 'Create it, or name another with new_default.'
    FROM new_defaults(m) AS d JOIN members AS c ON c.member = d.member AND c.name = d.name
    WHERE to_regprocedure(d.new_default) IS NULL AND d.new_default IS NOT NULL;
END;
COMMENT ON FUNCTION obstacles_of_columns(migration) IS
'part of obstacles: the types of the columns and their defaults';

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

CREATE OR REPLACE FUNCTION obstacles(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM obstacles_of_rights(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_tables(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_columns(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_replication(m) AS o;
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
    SELECT CASE WHEN w.rulename = '_RETURN' THEN pg_describe_object('pg_class'::regclass, w.ev_class, 0) ELSE pg_describe_object(r.classid, r.objid, 0) END
    FROM readers AS r
    LEFT JOIN pg_rewrite AS w ON r.classid = 'pg_rewrite'::regclass AND w.oid = r.objid
    LEFT JOIN pg_proc AS p ON r.classid = 'pg_proc'::regclass AND p.oid = r.objid
    LEFT JOIN pg_policy AS o ON r.classid = 'pg_policy'::regclass AND o.oid = r.objid
    WHERE concat(w.ev_action, w.ev_qual, p.prosqlbody, o.polqual, o.polwithcheck) ~ (
        -- A table or a join that has an alias with a list of columns; a function that returns rows
        SELECT format(E':alias \\{%1$s\\} :eref \\{%1$s\\} :rtekind (0 :relid (%2$s)|2) |:funcresulttype (%3$s) ',
                      E'ALIAS :aliasname ([^ \\\\]|\\\\.)+ :colnames \\(([^()\\\\]|\\\\.)*\\)', string_agg(t.oid::text, '|'), string_agg(t.reltype::text, '|'))
        FROM tables AS t)
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
    FROM (SELECT u.what, u.hint FROM uuidx_migrate.obstacles(m) AS u
          UNION ALL
          SELECT u.what, u.hint FROM uuidx_migrate.obstacles_offline(m) AS u WHERE mode = 'offline'
          UNION ALL
          SELECT u.what, u.hint FROM uuidx_migrate.obstacles_online(m) AS u WHERE mode = 'online') AS o;
    IF list IS NOT NULL THEN
        RAISE EXCEPTION 'column "%" of table % cannot be moved as it stands', m.column_name, m.relation
        USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = E'In the way are:\n' || list,
              HINT = 'The lines of the detail say what to do about each.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_obstacles(migration, text) IS
'an error that lists what stands in the way of a migration, if anything does';
-- What cannot be taken along while the tables serve, and what to do about each.

CREATE OR REPLACE FUNCTION online_obstacles_of_indexes(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT c.root, c.name, i.schema, i.index, i.member, i.name AS index_name, i.constraint_type, i.constraint_parent, i.key
        FROM moved_indexes((m).columns) AS i JOIN unnest((m).columns) AS c ON c.member = i.member AND c.attnum = ANY (i.attnums)
    )
    SELECT i.root, i.name, format('you may not create indexes in schema %s', i.schema), 'Grant CREATE on the schema.'
    FROM indexes AS i WHERE NOT has_schema_privilege(i.schema, 'CREATE')
    UNION ALL
    SELECT i.root, i.name, format('you may not create indexes in tablespace %I', t.spcname), 'Grant CREATE on the tablespace.'
    FROM indexes AS i JOIN pg_class AS c ON c.oid = i.index JOIN pg_tablespace AS t ON t.oid = c.reltablespace
    WHERE NOT has_tablespace_privilege(t.oid, 'CREATE')
    UNION ALL
    SELECT i.root, i.name, format('index %s is not valid', i.index), 'Drop it, or build it again with REINDEX INDEX CONCURRENTLY.'
    FROM indexes AS i JOIN pg_index AS x ON x.indexrelid = i.index WHERE NOT x.indisvalid
    UNION ALL
    -- With two such indexes, a partitioned index or constraint could attach the wrong one.
    SELECT i.root, i.name, format('indexes %s and %s are of the same columns', i.index, other.indexrelid::regclass), 'Drop one of them.'
    FROM indexes AS i JOIN pg_index AS x ON x.indexrelid = i.index
    JOIN pg_index AS other ON other.indrelid = i.member AND other.indexrelid > i.index
        AND (other.indkey, other.indclass, other.indexprs::text, other.indpred::text)
            IS NOT DISTINCT FROM (x.indkey, x.indclass, x.indexprs::text, x.indpred::text)
    WHERE pg_partition_root(i.member) IS NOT NULL
    UNION ALL
    SELECT i.root, i.name, format('index %s belongs to a constraint and is attached to index %s, which does not', i.index, h.inhparent::regclass), 'Drop the constraint and create it on the partitioned table.'
    FROM indexes AS i JOIN pg_inherits AS h ON h.inhrelid = i.index
    WHERE i.constraint_type IN ('p', 'u') AND i.constraint_parent = 0
    UNION ALL
    SELECT i.root, i.name, format('constraint %I of table %s, which is %s', i.index_name, i.member,
                                  CASE WHEN i.constraint_type = 'x' THEN 'an exclusion constraint' WHEN k.condeferrable THEN 'deferrable' ELSE 'WITHOUT OVERLAPS' END),
           'Drop it, and add it again afterwards, or use the offline mode.'
    FROM indexes AS i JOIN pg_constraint AS k ON k.oid = i.key
    -- WITHOUT OVERLAPS is from PostgreSQL 18 on.
    WHERE i.constraint_parent = 0 AND (i.constraint_type = 'x' OR k.condeferrable OR to_jsonb(k) ->> 'conperiod' = 'true');
END;
COMMENT ON FUNCTION online_obstacles_of_indexes(migration) IS
'part of obstacles_online: the indexes that are to be built again';

CREATE OR REPLACE FUNCTION online_obstacles_of_constraints(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('table %s alone has column %I as NOT NULL', c.member, c.name), 'Make it NOT NULL in the partitioned table too.'
    FROM unnest((m).columns) AS c JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum
    JOIN pg_attribute AS r ON r.attrelid = c.root AND r.attname = c.name
    WHERE a.attnotnull AND NOT r.attnotnull
    UNION ALL
    SELECT c.root, c.name, pg_describe_object('pg_constraint'::regclass, k.oid, 0) || ', which is not validated', 'Validate it.'
    FROM unnest((m).columns) AS c JOIN pg_constraint AS k ON k.conrelid = c.member AND k.conkey = ARRAY[c.attnum]
    WHERE k.contype = 'n' AND NOT k.convalidated
    UNION ALL
    SELECT c.root, c.name, format('foreign key %I of table %s, which has a period', f.name, f.referencing), 'Use the offline mode.'
    FROM unnest((m).foreign_keys) AS f JOIN unnest((m).columns) AS c ON c.member = f.referencing WHERE f.shadow_definition IS NULL
    UNION ALL
    -- Before PostgreSQL 18, a partitioned table cannot have a foreign key that is NOT VALID.
    SELECT c.root, c.name, format('foreign key %I of the partitioned table %s references a partitioned table', f.name, f.referencing), 'Drop it, and add it again afterwards, or use the offline mode.'
    FROM unnest((m).foreign_keys) AS f JOIN unnest((m).columns) AS c ON c.member = f.referencing
    WHERE current_setting('server_version_num')::integer < 180000 AND is_partitioned(f.referencing) AND is_partitioned(f.referenced)
    UNION ALL
    SELECT c.root, c.name, format('statistics object %s.%I: you may not change it', s.stxnamespace::regnamespace, s.stxname),
           format('Run the script as a member of %s too.', s.stxowner::regrole)
    FROM unnest((m).columns) AS c JOIN moved_statistics((m).columns) AS o ON o.member = c.member JOIN pg_statistic_ext AS s ON s.oid = o.statistics
    WHERE NOT pg_has_role(s.stxowner, 'USAGE') OR NOT has_schema_privilege(s.stxnamespace, 'CREATE');
END;
COMMENT ON FUNCTION online_obstacles_of_constraints(migration) IS
'part of obstacles_online: the constraints and statistics that are to be made again';

CREATE OR REPLACE FUNCTION online_obstacles_of_names(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT c.*, filling(c.member, c.name) IS NOT NULL AS begun FROM unnest((m).columns) AS c
    ),
    indexes AS MATERIALIZED (
        SELECT i.member, i.attnums, x.oid AS taken
        FROM moved_indexes((m).columns) AS i JOIN pg_class AS x ON x.relnamespace = i.schema AND x.relname = shadow_name(i.name)
    )
    SELECT c.root, c.name, format('%s has a name that the migration needs', d.description), 'Rename it.'
    FROM members AS c
    CROSS JOIN LATERAL (
        SELECT pg_describe_object('pg_class'::regclass, a.attrelid, a.attnum) FROM pg_attribute AS a
        WHERE a.attrelid = c.member AND a.attname = c.shadow AND NOT c.begun
        UNION ALL
        SELECT pg_describe_object('pg_trigger'::regclass, t.oid, 0) FROM pg_trigger AS t
        WHERE t.tgrelid = c.member AND t.tgname = trigger_name(c.name) AND NOT c.begun
        UNION ALL
        SELECT pg_describe_object('pg_constraint'::regclass, k.oid, 0) FROM pg_constraint AS k
        WHERE k.conrelid = c.member AND NOT c.begun
          AND (k.conname = trigger_name(c.name)
               OR k.conname IN (SELECT shadow_name(f.name) FROM unnest((m).foreign_keys) AS f WHERE f.referencing = c.member
                                UNION ALL
                                SELECT shadow_name(h.conname) FROM pg_constraint AS h
                                WHERE h.conrelid = c.member AND h.contype = 'c' AND c.attnum = ANY (h.conkey)))
        UNION ALL
        SELECT pg_describe_object('pg_class'::regclass, i.taken, 0)
        FROM indexes AS i
        -- An index on the shadow of another column alone belongs to another migration.
        WHERE i.member = c.member AND c.attnum = ANY (i.attnums)
          AND NOT (c.begun AND EXISTS (SELECT FROM pg_depend AS u JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (u.refobjid, u.refobjsubid)
                                       WHERE u.classid = 'pg_class'::regclass AND u.objid = i.taken AND u.refclassid = 'pg_class'::regclass
                                         AND u.refobjid = c.member AND a.attname = c.shadow))
        UNION ALL
        SELECT pg_describe_object('pg_statistic_ext'::regclass, x.oid, 0)
        FROM moved_statistics((m).columns) AS o JOIN pg_statistic_ext AS x ON x.stxnamespace = o.schema AND x.stxname = shadow_name(o.name)
        WHERE o.member = c.member AND NOT (x.stxrelid = c.member AND c.begun)
        UNION ALL
        SELECT pg_describe_object('pg_class'::regclass, x.oid, 0)
        FROM unnest((m).dependents) AS d JOIN pg_class AS v ON v.oid = d.relation
        CROSS JOIN LATERAL (SELECT v.relname UNION ALL SELECT n.relname FROM pg_index AS i JOIN pg_class AS n ON n.oid = i.indexrelid WHERE i.indrelid = v.oid) AS n (name)
        JOIN pg_class AS x ON x.relnamespace = v.relnamespace AND x.relname = shadow_name(n.name)
        WHERE d.kind = 'materialized view' AND c.member = (m).relation AND c.name = (m).column_name AND NOT c.begun
    ) AS d (description);
END;
COMMENT ON FUNCTION online_obstacles_of_names(migration) IS
'part of obstacles_online: what has a name that a shadow would have';

CREATE OR REPLACE FUNCTION is_whole_row(expression pg_node_tree) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN expression::text LIKE '%{VAR :varno 1 :varattno 0 %';
COMMENT ON FUNCTION is_whole_row(pg_node_tree) IS
'whether an expression over a table uses its row as a whole';

-- A script leaves alone what it finds built on the shadow columns. If the original has changed since or is gone, that
-- must go.
CREATE OR REPLACE FUNCTION outdated_shadows(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH shadows AS MATERIALIZED (
        SELECT array_agg(ROW(c.root, c.member, c.level, a.attnum, c.name, c.shadow)::moved_column) AS columns
        FROM unnest((m).columns) AS c JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attname = c.shadow
        WHERE filling(c.member, c.name) IS NOT NULL
    )
    SELECT format('index %s', b.index)
    FROM shadows AS s CROSS JOIN LATERAL moved_indexes(s.columns) AS b
    LEFT JOIN moved_indexes((m).columns) AS i ON i.member = b.member AND shadow_name(i.name) = b.name
    WHERE index_definition(b.index, '', b.name, b.member::text, s.columns)
          IS DISTINCT FROM index_definition(i.index, '', b.name, b.member::text, (m).columns)
    UNION ALL
    SELECT format('statistics object %s.%I', b.schema, b.name)
    FROM shadows AS s CROSS JOIN LATERAL moved_statistics(s.columns) AS b
    LEFT JOIN moved_statistics((m).columns) AS o ON o.member = b.member AND o.schema = b.schema AND shadow_name(o.name) = b.name
    WHERE (SELECT d FROM statistics_definition(b.statistics, '', b.name, b.member::text, s.columns) AS d WHERE starts_with(d, 'CREATE'))
          IS DISTINCT FROM (SELECT d FROM statistics_definition(o.statistics, '', b.name, b.member::text, (m).columns) AS d WHERE starts_with(d, 'CREATE'))
    UNION ALL
    SELECT format('constraint %I of table %s', n.name, n.member)
    FROM shadows AS s
    CROSS JOIN LATERAL (
        SELECT b.member, b.name, b.definition FROM moved_checks(s.columns) AS b
        UNION ALL
        SELECT k.member, k.name, f.definition FROM moved_foreign_keys(s.columns) AS f CROSS JOIN LATERAL foreign_key_members(f) AS k
    ) AS b
    FULL JOIN (
        SELECT k.member, k.shadow, k.definition FROM moved_checks((m).columns) AS k
        UNION ALL
        SELECT k.member, shadow_name(k.name), f.shadow_definition FROM unnest((m).foreign_keys) AS f CROSS JOIN LATERAL foreign_key_members(f) AS k
    ) AS k ON k.member = b.member AND k.shadow = b.name
    CROSS JOIN LATERAL (SELECT coalesce(b.member, k.member) AS member, coalesce(b.name, k.shadow) AS name) AS n
    WHERE has_constraint(n.member, n.name) AND EXISTS (SELECT FROM shadows AS s WHERE s.columns IS NOT NULL)
      AND regexp_replace(b.definition, ' NOT VALID$', '') IS DISTINCT FROM regexp_replace(k.definition, ' NOT VALID$', '')
    UNION
    SELECT pg_describe_object('pg_class'::regclass, w.ev_class, 0)
    FROM shadows AS s CROSS JOIN LATERAL unnest(s.columns) AS c
    JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.member AND d.refobjsubid = c.attnum
    JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
    JOIN pg_class AS b ON b.oid = w.ev_class
    WHERE NOT EXISTS (SELECT FROM unnest((m).dependents) AS v JOIN pg_class AS o ON o.oid = v.relation
                      WHERE v.kind = 'materialized view' AND o.relnamespace = b.relnamespace AND shadow_name(o.relname) = b.relname);
END;
COMMENT ON FUNCTION outdated_shadows(migration) IS
'what is built on shadow columns and is not like its original';

CREATE OR REPLACE FUNCTION online_obstacles_of_readers(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, pg_describe_object('pg_rewrite'::regclass, r.oid, 0) || ' is for UPDATE', 'Disable the rule until the exchange, or drop it.'
    FROM unnest((m).columns) AS c JOIN pg_rewrite AS r ON r.ev_class = c.member WHERE r.ev_type = '2' AND r.ev_enabled <> 'D'
    UNION ALL
    SELECT c.root, c.name, e.object || ' uses the row as a whole', 'Name the columns there, or use the offline mode.'
    FROM unnest((m).columns) AS c, LATERAL (
        SELECT format('constraint %I of table %s', k.conname, k.conrelid::regclass) FROM pg_constraint AS k WHERE k.conrelid = c.member AND is_whole_row(k.conbin)
        UNION ALL
        SELECT format('index %s', i.indexrelid::regclass) FROM pg_index AS i
        WHERE i.indrelid = c.member AND (is_whole_row(i.indexprs) OR is_whole_row(i.indpred))) AS e (object)
    UNION ALL
    SELECT c.root, c.name, format('%s fires after the trigger that fills the shadow column', pg_describe_object('pg_trigger'::regclass, t.oid, 0)),
           format('Give it a name that sorts before "%s".', trigger_name(c.name))
    FROM unnest((m).columns) AS c JOIN pg_trigger AS t ON t.tgrelid = c.member
    WHERE t.tgname::text COLLATE "C" > trigger_name(c.name)::text COLLATE "C" AND t.tgfoid <> 'fill()'::regprocedure
      AND t.tgtype & 3 = 3 AND t.tgtype & 20 <> 0 -- BEFORE, FOR EACH ROW; INSERT, UPDATE
    UNION ALL
    SELECT (m).relation, (m).column_name, o || ', which is not like its original any more', 'Drop it; the script builds it anew.'
    FROM outdated_shadows(m) AS o
    UNION ALL
    SELECT (m).relation, (m).column_name, p || ' uses columns by position', 'Drop it, and create it again afterwards, or use the offline mode.'
    FROM positional_readers(m) AS p
    UNION ALL
    SELECT (m).relation, (m).column_name, d.description || ' is generated and stored', 'Drop the column, and add it again afterwards, or use the offline mode.'
    FROM unnest((m).dependents) AS d
    WHERE d.kind = 'generated column' AND d.clause LIKE '% STORED%'
    UNION ALL
    SELECT (m).relation, (m).column_name, d.description || CASE WHEN d.depth > 0 THEN ' reads a materialized view that reads a moved column'
                                                                           ELSE ' groups by a primary key' END,
           'Drop it, and create it again afterwards, or use the offline mode.'
    FROM unnest((m).dependents) AS d WHERE d.kind = 'materialized view' AND (d.depth > 0 OR d.keeps_key)
    UNION ALL
    SELECT c.root, c.name, pg_describe_object(d.classid, d.objid, d.objsubid) || ' depends on the column', 'Remove the dependency.'
    FROM unnest((m).columns) AS c JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.member AND d.refobjsubid = c.attnum
    WHERE d.classid NOT IN ('pg_attrdef'::regclass, 'pg_constraint'::regclass, 'pg_statistic_ext'::regclass, 'pg_rewrite'::regclass,
                            'pg_proc'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_publication_rel'::regclass)
      AND NOT EXISTS (SELECT FROM pg_class AS x WHERE d.classid = 'pg_class'::regclass AND x.oid = d.objid AND x.relkind IN ('i', 'I'))
      AND NOT EXISTS (SELECT FROM pg_attribute AS g WHERE d.classid = 'pg_class'::regclass AND (g.attrelid, g.attnum) = (d.objid, d.objsubid) AND g.attgenerated <> '');
END;
COMMENT ON FUNCTION online_obstacles_of_readers(migration) IS
'part of obstacles_online: what reads the columns and cannot be made anew in an exchange';

CREATE OR REPLACE FUNCTION obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM online_obstacles_of_indexes(m) AS o
    UNION ALL
    SELECT o.* FROM online_obstacles_of_constraints(m) AS o
    UNION ALL
    SELECT o.* FROM online_obstacles_of_names(m) AS o
    UNION ALL
    SELECT o.* FROM online_obstacles_of_readers(m) AS o;
END;
COMMENT ON FUNCTION obstacles_online(migration) IS
'what stands in the way of the online mode alone';
-- The plan: what a migration would do, for a reader.

CREATE OR REPLACE FUNCTION key_role(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT coalesce(string_agg(DISTINCT CASE c.contype WHEN 'p' THEN 'primary key'
                                                       WHEN 'u' THEN 'unique'
                                                       ELSE format('references %s', c.confrelid::regclass) END, ', '),
                    'column')
    FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
    WHERE c.conrelid = relation AND a.attname = column_name AND c.contype IN ('p', 'u', 'f') AND c.conparentid = 0
);
COMMENT ON FUNCTION key_role(regclass, name) IS
'which keys of its table a column belongs to';

CREATE OR REPLACE FUNCTION fired_triggers(relation regclass, fire_triggers boolean, OUT name name, OUT always boolean) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.tgname, bool_or(t.tgenabled = 'A')
    FROM pg_trigger AS t
    WHERE (t.tgrelid = relation OR t.tgrelid IN (SELECT p.relid FROM pg_partition_tree(relation) AS p))
      AND NOT t.tgisinternal AND t.tgenabled IN ('A', CASE WHEN fire_triggers THEN 'O' ELSE 'R' END) AND t.tgtype & 16 <> 0 AND t.tgfoid <> 'fill()'::regprocedure
      AND t.tgattr::text = '' -- An UPDATE of other columns does not fire it otherwise.
    GROUP BY t.tgname
    ORDER BY t.tgname;
END;
COMMENT ON FUNCTION fired_triggers(regclass, boolean) IS
'the triggers that the UPDATE of a backfill fires';

CREATE OR REPLACE FUNCTION remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name, format('online: the backfill fires trigger %I%s', t.name, CASE WHEN NOT t.always THEN '; fire_triggers => false keeps it from that' END)
    FROM unnest((m).columns) AS c, LATERAL fired_triggers(c.root, (m).fire_triggers) AS t WHERE c.member = c.root
    UNION ALL
    SELECT c.root, c.name, format('constraint %I of table %s, which may mean something else for the new values: %s', k.conname, k.conrelid::regclass, pg_get_constraintdef(k.oid))
    FROM unnest((m).columns) AS c JOIN pg_constraint AS k ON k.conrelid = c.member AND c.attnum = ANY (k.conkey)
    WHERE k.contype = 'c' AND k.coninhcount = 0 AND k.conname <> trigger_name(c.name)
      AND k.conbin::text ~ E'\\{CONST :consttype (2950|25) |:funcid|:opno (2974|2975|2976|2977) '
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s has the UUID %s, which is not converted', o.description, u.uuid[1])
    FROM (SELECT d.description, array_to_string(d.restore, ';') FROM unnest((m).dependents) AS d
          UNION ALL
          SELECT format('index %s', i.index), pg_get_expr(x.indpred, x.indrelid)
          FROM moved_indexes((m).columns) AS i JOIN pg_index AS x ON x.indexrelid = i.index) AS o (description, definition),
         LATERAL regexp_matches(o.definition, format('''[0-9a-f]{8}-[0-9a-f]{4}-%s[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}''', from_version((m).conversion))) AS u (uuid)
    UNION ALL
    SELECT c.root, c.name, format('online: the backfill stops at a row that violates constraint %I of table %s, which is not validated', k.conname, k.conrelid::regclass)
    FROM unnest((m).columns) AS c JOIN pg_constraint AS k ON k.conrelid = c.member
    WHERE k.contype IN ('c', 'n') AND NOT k.convalidated AND k.coninhcount = 0 AND k.conname <> trigger_name(c.name)
      AND to_jsonb(k) ->> 'conenforced' IS DISTINCT FROM 'false' -- from PostgreSQL 18 on
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s keeps the default %s of column %I', d.description, e.expression, a.attname)
    FROM unnest((m).dependents) AS d JOIN pg_attribute AS a ON a.attrelid = d.relation JOIN pg_attrdef AS f ON (f.adrelid, f.adnum) = (a.attrelid, a.attnum),
         LATERAL (SELECT pg_get_expr(f.adbin, f.adrelid)) AS e (expression)
    WHERE d.kind = 'view' AND is_old_generator(e.expression, (m).conversion)
    UNION ALL
    SELECT (m).relation, (m).column_name, format('materialized view %s, which is refreshed', v.matview) FROM stale_matviews((m).columns) AS v
    WHERE NOT EXISTS (SELECT FROM unnest((m).dependents) AS d WHERE d.relation = v.matview AND d.kind = 'materialized view')
    UNION ALL
    SELECT DISTINCT c.root, c.name, format('publication %I: before the script, run DROP SUBSCRIPTION on each subscriber; '
                                           'at the end, run TRUNCATE there on all tables of the publication, and CREATE SUBSCRIPTION, which copies them', p)
    FROM unnest((m).columns) AS c, LATERAL publications(c.member) AS p WHERE (m).published = 'resync';
END;
COMMENT ON FUNCTION remarks(migration) IS
'what to know of a migration before it is run';

CREATE OR REPLACE FUNCTION plan(
    INOUT relation regclass,
    INOUT column_name name,
    conversion text DEFAULT 'v1_to_v6',
    also text[] DEFAULT '{}',
    published text DEFAULT 'refuse',
    OUT role text,
    OUT estimated_rows bigint,
    OUT size bigint,
    OUT indexes regclass[],
    OUT new_default text,
    OUT made_anew text[],
    OUT remarks text[],
    OUT obstacles text[],
    OUT hints text[]
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET jit = off
BEGIN ATOMIC
    WITH m AS MATERIALIZED (SELECT migration(relation, column_name, conversion, 'keep', also, published, true, false, NULL) AS value),
    columns AS MATERIALIZED (SELECT c.* FROM m, unnest((m.value).columns) AS c),
    obstacles AS MATERIALIZED (
        SELECT o.root, o.column_name, o.what, o.hint FROM m, LATERAL obstacles(m.value) AS o
        UNION
        SELECT o.root, o.column_name, 'offline: ' || o.what, o.hint FROM m, LATERAL obstacles_offline(m.value) AS o
        UNION
        SELECT o.root, o.column_name, 'online: ' || o.what, o.hint FROM m, LATERAL obstacles_online(m.value) AS o
    ),
    remarks AS MATERIALIZED (SELECT r.* FROM m, LATERAL remarks(m.value) AS r),
    new_defaults AS MATERIALIZED (SELECT d.* FROM m, LATERAL new_defaults(m.value) AS d)
    SELECT c.root, c.name, key_role(c.root, c.name),
           sum(greatest(t.reltuples, 0)) FILTER (WHERE t.relkind <> 'p')::bigint,
           sum(pg_total_relation_size(c.member))::bigint,
           (SELECT array_agg(i.indexrelid::regclass ORDER BY i.indexrelid::regclass::text COLLATE "C")
            FROM columns AS x JOIN pg_index AS i ON i.indrelid = x.member AND x.attnum = ANY (i.indkey)
            WHERE x.root = c.root AND x.name = c.name),
           (SELECT min(d.new_default) FROM new_defaults AS d WHERE d.root = c.root AND d.name = c.name),
           (SELECT array_agg(d.description ORDER BY d.description COLLATE "C")
            FROM m, unnest((m.value).dependents) AS d WHERE (c.root, c.name) = ((m.value).relation, (m.value).column_name)),
           (SELECT array_agg(r.remark ORDER BY r.remark COLLATE "C")
            FROM remarks AS r WHERE r.root = c.root AND r.column_name = c.name),
           (SELECT array_agg(o.what ORDER BY o.what COLLATE "C", o.hint COLLATE "C") FROM obstacles AS o WHERE o.root = c.root AND o.column_name = c.name),
           (SELECT array_agg(o.hint ORDER BY o.what COLLATE "C", o.hint COLLATE "C") FROM obstacles AS o WHERE o.root = c.root AND o.column_name = c.name)
    FROM columns AS c JOIN pg_class AS t ON t.oid = c.member
    GROUP BY c.root, c.name
    ORDER BY c.root::text COLLATE "C", c.name;
END;
COMMENT ON FUNCTION plan(regclass, name, text, text[], text) IS
'every column that moves together with a column, what is made anew, and what stands in the way';
-- Run statements under locks that nobody waits long for.

-- The views first, as in lock_statements.
CREATE OR REPLACE FUNCTION lock_relations(relations regclass[], mode text, max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- A deadlock ends before the server chooses a victim.
    deadline timestamptz := clock_timestamp() + least(max_wait, current_setting('deadlock_timeout')::interval * 0.8);
    command text;
BEGIN
    IF relations IS NULL OR mode IS NULL OR max_wait IS NULL THEN
        RAISE EXCEPTION 'relations, mode and max_wait must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    FOR command IN
        SELECT CASE WHEN c.relkind IN ('v', 'm') THEN format('ALTER TABLE %s OWNER TO %s', m.relid, c.relowner::regrole)
                    ELSE format('LOCK TABLE ONLY %s IN %s MODE', m.relid, mode) END
        FROM unnest(relations) WITH ORDINALITY AS r (root, n)
        CROSS JOIN LATERAL (SELECT r.root AS relid UNION SELECT p.relid FROM pg_partition_tree(r.root) AS p) AS m
        JOIN pg_class AS c ON c.oid = m.relid
        ORDER BY c.relkind NOT IN ('v', 'm'), CASE WHEN c.relkind IN ('v', 'm') THEN -c.oid::bigint END, n, m.relid <> r.root, m.relid
    LOOP
        PERFORM set_config('lock_timeout',
                           greatest(ceil(1000 * extract(epoch FROM deadline - clock_timestamp())), 1)::text, true);
        EXECUTE command;
    END LOOP;
END
$$;
COMMENT ON FUNCTION lock_relations(regclass[], text, interval) IS
'part of locked: locks relations and their partitions, or ends in an error within a time';

CREATE OR REPLACE FUNCTION lockers(relations regclass[]) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT string_agg(DISTINCT l.pid::text, ', ')
    FROM pg_locks AS l
    WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid()
      AND root(l.relation) = ANY (relations)
      AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
);
COMMENT ON FUNCTION lockers(regclass[]) IS
'part of locked: process IDs of the sessions that use relations or their partitions';

-- What has changed has another xmin. Nobody can change a table that is locked, nor what reads it without a new entry in
-- pg_depend or a lock on the relation that is read. Readers wait meanwhile, so each catalog is read by an index, and each
-- row is hashed as it is.
CREATE OR REPLACE FUNCTION fingerprint(relations regclass[]) RETURNS text
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
DECLARE
    members oid[];
BEGIN
    SELECT array_agg(DISTINCT m.relid) INTO members
    FROM unnest(relations) AS r, LATERAL (SELECT r::oid UNION SELECT p.relid FROM pg_partition_tree(r) AS p) AS m (relid);
    RETURN (
        WITH dependents AS MATERIALIZED (
            SELECT d.classid, d.objid, d.xmin FROM pg_depend AS d WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (members)
        ),
        entries (entry) AS (
            SELECT ROW(c.oid, c.xmin) FROM pg_class AS c WHERE c.oid = ANY (members)
            UNION ALL SELECT ROW(a.attrelid, a.attnum, a.xmin) FROM pg_attribute AS a WHERE a.attrelid = ANY (members) AND a.attnum > 0
            UNION ALL SELECT ROW(i.indexrelid, i.xmin, x.xmin) FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid WHERE i.indrelid = ANY (members)
            UNION ALL SELECT ROW(t.oid, t.xmin) FROM pg_trigger AS t WHERE t.tgrelid = ANY (members)
            UNION ALL SELECT ROW(k.oid, k.xmin) FROM pg_constraint AS k WHERE k.conrelid = ANY (members)
            UNION ALL SELECT ROW(d.classid, d.objid, d.xmin) FROM dependents AS d
            UNION ALL SELECT ROW(p.oid, p.xmin) FROM dependents AS d JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
            UNION ALL SELECT ROW(p.oid, p.xmin) FROM dependents AS d JOIN pg_policy AS p ON d.classid = 'pg_policy'::regclass AND p.oid = d.objid
            UNION ALL SELECT ROW(e.oid, e.xmin) FROM dependents AS d JOIN pg_attrdef AS e ON d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
            UNION ALL SELECT ROW(s.oid, s.xmin) FROM dependents AS d JOIN pg_statistic_ext AS s ON d.classid = 'pg_statistic_ext'::regclass AND s.oid = d.objid
            UNION ALL SELECT ROW(w.oid, w.xmin, v.oid, v.xmin) FROM dependents AS d JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
                      JOIN pg_class AS v ON v.oid = w.ev_class
            UNION ALL SELECT ROW(x.classoid, x.objoid, x.objsubid, x.xmin)
                      FROM (SELECT 'pg_class'::regclass, unnest(members)
                            UNION ALL SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index AS i WHERE i.indrelid = ANY (members)
                            UNION ALL SELECT d.classid, d.objid FROM dependents AS d) AS o (classid, objid)
                      JOIN pg_description AS x ON (x.objoid, x.classoid) = (o.objid, o.classid)
            UNION ALL SELECT ROW(p.oid, p.xmin) FROM pg_publication AS p
            UNION ALL SELECT ROW(s.srsubid, s.srrelid, s.xmin) FROM pg_subscription_rel AS s WHERE s.srrelid = ANY (members)
        )
        SELECT sum(hash_record_extended(e.entry, 0)) FROM entries AS e);
END
$$;
COMMENT ON FUNCTION fingerprint(regclass[]) IS
'part of locked: another text as soon as something in the catalogs changes that belongs to relations or reads them';

CREATE OR REPLACE FUNCTION in_transaction_block() RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_in_transaction_block'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION in_transaction_block() IS
'whether the session has begun a transaction with BEGIN';

CREATE OR REPLACE FUNCTION check_no_transaction(what text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF uuidx_migrate.in_transaction_block() THEN
        RAISE EXCEPTION '% cannot run inside a transaction block', what USING ERRCODE = 'active_sql_transaction',
            HINT = 'It begins and commits transactions itself: run it outside of BEGIN, and in psql with AUTOCOMMIT on and without --single-transaction.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_no_transaction(text) IS
'an error if the session has begun a transaction';

-- A procedure that commits cannot set search_path for itself: it sets it in each transaction. What is to be checked is
-- checked before the locks, and again if the catalogs have changed since.
CREATE OR REPLACE PROCEDURE locked(
    relations regclass[],
    condition text,
    statements text,
    before text DEFAULT NULL,
    mode text DEFAULT 'ACCESS EXCLUSIVE',
    max_wait interval DEFAULT '100 ms',
    pause interval DEFAULT '1 s'
)
LANGUAGE plpgsql
AS $$
DECLARE
    due pg_catalog.bool;
    checked pg_catalog.text := '';
    seen pg_catalog.text;
    lockers pg_catalog.text;
    problem pg_catalog.text;
BEGIN
    PERFORM uuidx_migrate.check_no_transaction('uuidx_migrate.locked'::pg_catalog.text);
    LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
        EXECUTE 'SELECT ' || condition INTO STRICT due;
        EXIT WHEN due IS NOT TRUE;
        IF before IS NOT NULL THEN
            seen := uuidx_migrate.fingerprint(relations);
            IF seen <> checked THEN
                EXECUTE before;
                checked := seen;
            END IF;
        END IF;
        BEGIN
            PERFORM uuidx_migrate.lock_relations(relations, mode, max_wait);
            IF before IS NULL THEN
                EXECUTE 'SELECT ' || condition INTO STRICT due;
            ELSE
                due := uuidx_migrate.fingerprint(relations) = seen;
            END IF;
            IF due THEN
                EXECUTE statements;
                EXIT;
            END IF;
            problem := 'the catalogs have changed';
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            lockers := uuidx_migrate.lockers(relations);
            problem := format('not all locks were granted within %s; %s', max_wait,
                              coalesce('sessions that use the tables: ' || lockers, 'no session uses the tables any more'));
        END;
        RAISE NOTICE '%; retrying', problem;
        COMMIT;
        PERFORM pg_catalog.pg_sleep_for(pause);
    END LOOP;
    COMMIT;
END
$$;
COMMENT ON PROCEDURE locked(regclass[], text, text, text, text, interval, interval) IS
'if a condition holds, runs statements in one transaction that locks relations and their partitions; retries until it gets all locks within max_wait';
-- How the statements of a script are written: every argument of a call has its type, so that no other function can take
-- the call.

CREATE OR REPLACE FUNCTION typed(value text, type text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('%s::pg_catalog.%s', quote_nullable(value), type);
COMMENT ON FUNCTION typed(text, text) IS
'a literal of a type of PostgreSQL';

-- Definitions name what is in pg_catalog without its schema.
CREATE OR REPLACE FUNCTION set_search_path(for_transaction boolean) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format('SELECT pg_catalog.set_config(''uuidx_migrate.search_path''::pg_catalog.text, pg_catalog.current_setting(''search_path''::pg_catalog.text), %1$s), '
              'pg_catalog.set_config(''search_path''::pg_catalog.text, ''pg_catalog, pg_temp''::pg_catalog.text, %1$s)', for_transaction::text);
COMMENT ON FUNCTION set_search_path(boolean) IS
'statement that sets search_path, for a transaction or a session, and keeps the former one';

CREATE OR REPLACE FUNCTION reset_search_path(for_transaction boolean) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format('SELECT pg_catalog.set_config(''search_path''::pg_catalog.text, COALESCE('
              'pg_catalog.current_setting(''uuidx_migrate.search_path''::pg_catalog.text, true), pg_catalog.current_setting(''search_path''::pg_catalog.text)), %s)',
              for_transaction::text);
COMMENT ON FUNCTION reset_search_path(boolean) IS
'statement that sets search_path to what it was before that of set_search_path';

CREATE OR REPLACE FUNCTION relation_list(relations regclass[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('ARRAY[%s]::pg_catalog.regclass[]', string_agg(quote_literal(r.name), ', ' ORDER BY r.n))
        FROM unnest(relations) WITH ORDINALITY AS r (name, n));
COMMENT ON FUNCTION relation_list(regclass[]) IS
'relations as an array in SQL';

-- Quotes a text with dollar signs, which is easy to read, unless it contains the closing tag.
CREATE OR REPLACE FUNCTION quote(text text, tag text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format('%s::pg_catalog.text', CASE WHEN strpos(text, format('$%s$', tag)) = 0 THEN format('$%1$s$%2$s$%1$s$', tag, text)
                                          ELSE quote_literal(text) END);
COMMENT ON FUNCTION quote(text, text) IS
'a text as a literal, between dollar signs if possible';

CREATE OR REPLACE FUNCTION call_locked(
    relations regclass[], condition text, statements text[], before text DEFAULT NULL, mode text DEFAULT 'ACCESS EXCLUSIVE'
) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN format(E'CALL uuidx_migrate.locked(%s,\n%s, %s,\n%s, %s, %s, %s)', relation_list(relations), quote(condition, 'if'),
              quote(E'\n' || array_to_string(statements, E';\n') || E'\n', 'do'), coalesce(quote(before, 'before'), typed(NULL, 'text')),
              typed(mode, 'text'), typed('100 ms', 'interval'), typed('1 s', 'interval'));
COMMENT ON FUNCTION call_locked(regclass[], text, text[], text, text) IS
'call of locked, as text';

CREATE OR REPLACE FUNCTION call_filling(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('uuidx_migrate.filling(%s, %s)', typed(relation::text, 'regclass'), typed(column_name, 'name'));
COMMENT ON FUNCTION call_filling(regclass, name) IS
'call of filling, as text';

-- A script that is run again after the exchange has nothing to build.
CREATE OR REPLACE FUNCTION is_before_exchange(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('%s OPERATOR(pg_catalog.=) %s', call_filling((m).relation, (m).column_name), typed((m).conversion, 'text'));
COMMENT ON FUNCTION is_before_exchange(migration) IS
'condition that the exchange has not taken place, as text';

CREATE OR REPLACE FUNCTION tables(m migration) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT array_agg(DISTINCT c.root ORDER BY c.root) FROM unnest((m).columns) AS c);
COMMENT ON FUNCTION tables(migration) IS
'the tables whose columns move';

CREATE OR REPLACE FUNCTION affected_relations(m migration) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT array_agg(DISTINCT r.relation ORDER BY r.relation)
        FROM (SELECT unnest(tables(m)) UNION SELECT root(d.relation) FROM unnest((m).dependents) AS d WHERE d.relation IS NOT NULL) AS r (relation));
COMMENT ON FUNCTION affected_relations(migration) IS
'the tables whose columns move, and the relations that are changed with them';

CREATE OR REPLACE FUNCTION call_validate(m migration, relation regclass, name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate.validate_constraint(%s, %s, %s)', typed(relation::text, 'regclass'), typed(name, 'name'), (m).allow_superuser::text);
COMMENT ON FUNCTION call_validate(migration, regclass, name) IS
'call of validate_constraint, as text';

CREATE OR REPLACE FUNCTION call_check_role(m migration, of_tables regclass[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate.check_role(%s, %s)', relation_list(of_tables), (m).allow_superuser::text);
COMMENT ON FUNCTION call_check_role(migration, regclass[]) IS
'call of check_role, as text';

CREATE OR REPLACE FUNCTION check_statements(m migration, of_tables regclass[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT call_check_role(m, of_tables)
    UNION ALL
    SELECT format('SELECT uuidx_migrate.check_values(%s, %s, %s)', typed(c.root::text, 'regclass'), typed(c.name, 'name'), typed((m).conversion, 'text'))
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND c.root = ANY (of_tables) AND (m).others = 'error'
    UNION ALL
    SELECT format('SELECT uuidx_migrate.check_keys(%s, %s, %s, %s)', typed(n.root::text, 'regclass'), typed(n.column_name, 'name'),
                  typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'))
    FROM unnest((m).also) AS a, LATERAL named_column(a, (m).relation) AS n
    WHERE n.root = ANY (of_tables) AND (m).others = 'error';
END;
COMMENT ON FUNCTION check_statements(migration, regclass[]) IS
'statements that check who runs a script and what is in the columns of tables';

CREATE OR REPLACE FUNCTION call_check_script(m migration, mode text, written text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate.check_script(%s)', concat_ws(', ',
    typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'), typed(mode, 'text'), typed((m).conversion, 'text'), typed((m).others, 'text'),
    format('%s::pg_catalog.text[]', quote_literal((m).also)), typed((m).published, 'text'), typed((m).new_default, 'regprocedure'), typed(written, 'text')));
COMMENT ON FUNCTION call_check_script(migration, text, text) IS
'call of check_script, as text';
-- What the head of a script checks: who runs it, and what is in the columns.

-- Objects of a table that run code when its rows are written. Functions of PostgreSQL that change nothing cannot run
-- other code, except those that read tables: their names have "_to_xml".
CREATE OR REPLACE FUNCTION foreign_code(tables regclass[]) RETURNS TABLE (description text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
-- A backfill asks in every batch: plan it once, and read the catalogs by their indexes.
SET plan_cache_mode = force_generic_plan
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
BEGIN
    RETURN QUERY
    WITH RECURSIVE members AS MATERIALIZED (
        SELECT DISTINCT m.relid FROM unnest(tables) AS r, LATERAL (SELECT r::oid UNION SELECT p.relid FROM pg_partition_tree(r) AS p) AS m (relid)
    ),
    -- Views and materialized views that read them, however many steps away
    readers (relid) AS (
        SELECT m.relid::oid FROM members AS m
        UNION
        SELECT w.ev_class
        FROM readers AS r JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relid AND d.classid = 'pg_rewrite'::regclass
        JOIN pg_rewrite AS w ON w.oid = d.objid
    ),
    code (classid, objid, expression) AS (
        SELECT 'pg_constraint'::regclass, k.oid, k.conbin::text FROM members AS m JOIN pg_constraint AS k ON k.conrelid = m.relid AND k.contype IN ('c', 'x')
        UNION ALL
        SELECT 'pg_attrdef'::regclass, d.oid, d.adbin::text
        FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.relid AND a.attgenerated <> '' JOIN pg_attrdef AS d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
        UNION ALL
        SELECT 'pg_class'::regclass, i.indexrelid, concat(i.indexprs::text, i.indpred::text) FROM members AS m JOIN pg_index AS i ON i.indrelid = m.relid
        UNION ALL
        -- The functions in its partition key, and up to PostgreSQL 14 those in its generated columns
        SELECT 'pg_class'::regclass, m.relid, p.partexprs::text FROM members AS m LEFT JOIN pg_partitioned_table AS p ON p.partrelid = m.relid
        UNION ALL
        SELECT 'pg_statistic_ext'::regclass, s.oid, s.stxexprs::text FROM members AS m JOIN pg_statistic_ext AS s ON s.stxrelid = m.relid
        UNION ALL
        SELECT 'pg_trigger'::regclass, t.oid, t.tgqual::text FROM members AS m JOIN pg_trigger AS t ON t.tgrelid = m.relid
        WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgfoid <> 'uuidx_migrate.fill()'::regprocedure
        UNION ALL
        SELECT 'pg_type'::regclass, y.oid, NULL FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.relid JOIN pg_type AS y ON y.oid = a.atttypid
        WHERE y.typtype = 'd'
        UNION ALL
        SELECT 'pg_constraint'::regclass, k.oid, k.conbin::text
        FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.relid JOIN pg_constraint AS k ON k.contypid = a.atttypid AND k.contypid <> 0
        UNION ALL
        -- PostgreSQL evaluates the constants in a definition when it reads it.
        SELECT d.classid, d.objid, NULL FROM readers AS r JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relid
        WHERE d.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_policy'::regclass)
    ),
    used (classid, objid, used_classid, used_oid, owner) AS (
        SELECT c.classid, c.objid, d.refclassid, d.refobjid, coalesce(p.proowner, o.oprowner, y.typowner)
        FROM code AS c
        JOIN pg_depend AS d ON (d.classid, d.objid) = (c.classid, c.objid)
                           AND (c.classid NOT IN ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_policy'::regclass) OR d.refclassid = 'pg_type'::regclass)
                           AND (c.objid NOT IN (SELECT m.relid FROM members AS m) OR d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
                                OR EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = d.objid AND a.attnum = d.objsubid AND a.attgenerated <> ''))
        LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
        LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
        LEFT JOIN pg_type AS y ON d.refclassid = 'pg_type'::regclass AND y.oid = d.refobjid
                              AND (y.typtype IN ('d', 'c', 'r', 'm') OR y.typtype = 'b' AND y.typcategory = 'A')
        UNION ALL
        SELECT c.classid, c.objid, 'pg_proc'::regclass, p.oid, p.proowner
        FROM code AS c, LATERAL regexp_matches(c.expression, ':(?:funcid|opfuncid) ([0-9]+)', 'g') AS f (ids)
        JOIN pg_proc AS p ON p.oid = f.ids[1]::oid
        WHERE p.provolatile = 'v' OR p.proname LIKE E'%\\_to\\_xml%'
        UNION ALL
        -- A foreign key casts its columns to the types of those that it references.
        SELECT 'pg_constraint'::regclass, k.oid, 'pg_proc'::regclass, p.oid, p.proowner
        FROM members AS m JOIN pg_constraint AS k ON k.conrelid = m.relid AND k.contype = 'f'
        JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
        JOIN pg_cast AS s ON s.castsource = a.atttypid JOIN pg_proc AS p ON p.oid = s.castfunc AND p.oid >= 16384
        UNION ALL
        -- A view may have taken the name of a table, and a rule the place of an UPDATE.
        SELECT 'pg_rewrite'::regclass, w.oid, 'pg_class'::regclass, c.oid, c.relowner
        FROM members AS m JOIN pg_rewrite AS w ON w.ev_class = m.relid AND w.ev_type IN ('1', '2') AND w.ev_enabled <> 'D'
        JOIN pg_class AS c ON c.oid = w.ev_class
    )
    SELECT DISTINCT format('%s: %s', pg_describe_object(u.classid, u.objid, 0), pg_describe_object(u.used_classid, u.used_oid, 0))
    FROM used AS u LEFT JOIN pg_roles AS r ON r.oid = u.owner
    WHERE NOT r.rolsuper OR u.used_classid = 'pg_proc'::regclass AND u.used_oid < 16384 AND u.classid <> 'pg_trigger'::regclass;
END
$$;
COMMENT ON FUNCTION foreign_code(regclass[]) IS
'constraints, domains, generated columns, indexes and triggers of tables with the code that they run, as far as it is not a superuser''s';

CREATE OR REPLACE FUNCTION check_role(tables regclass[], allow_superuser boolean) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    list text;
BEGIN
    IF NOT allow_superuser AND (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) THEN
        SELECT string_agg(f.description, E'\n' ORDER BY f.description COLLATE "C") INTO list FROM uuidx_migrate.foreign_code(tables) AS f;
    END IF;
    IF list IS NOT NULL THEN
        RAISE EXCEPTION 'as a superuser, you would run code of other roles' USING ERRCODE = 'insufficient_privilege',
            DETAIL = E'These would run it:\n' || list,
            HINT = 'Connect as the owner of the tables and run the script, or write it with allow_superuser => true if you trust the code.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_role(regclass[], boolean) IS
'an error if a superuser would run code of other roles by writing to tables';

-- A statement finds a table by its name, which another relation may get while LOCK TABLE waits. Up to PostgreSQL 15, an
-- empty table can become a view.
CREATE OR REPLACE FUNCTION lock_table(relation regclass, lock text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    name text := relation;
BEGIN
    EXECUTE format('LOCK TABLE ONLY %s IN %s MODE', name, lock);
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND c.oid = to_regclass(name) AND c.relkind IN ('r', 'p')) THEN
        RAISE EXCEPTION '% is not a table, or not the one that it was', name USING ERRCODE = 'wrong_object_type';
    END IF;
END
$$;
COMMENT ON FUNCTION lock_table(regclass, text) IS
'part of check_values and the like: locks a table, and fails if another relation has its name by then';

-- What the head of a script has checked may have changed since. The lock keeps others from changing it now.
CREATE OR REPLACE FUNCTION lock_and_check(relation regclass, lock text, allow_superuser boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.lock_table(relation, lock);
    PERFORM uuidx_migrate.check_role(ARRAY[relation], allow_superuser);
END
$$;
COMMENT ON FUNCTION lock_and_check(regclass, text, boolean) IS
'part of backfill and validate_constraint: locks a table, and checks who writes to it';

CREATE OR REPLACE FUNCTION validate_constraint(relation regclass, name name, allow_superuser boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.lock_and_check(relation, 'SHARE UPDATE EXCLUSIVE', allow_superuser);
    -- After the exchange, the constraint has its own name.
    IF NOT uuidx_migrate.has_constraint(relation, name) THEN
        RETURN;
    END IF;
    EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', relation, name);
END
$$;
COMMENT ON FUNCTION validate_constraint(regclass, name, boolean) IS
'ALTER TABLE ... VALIDATE CONSTRAINT if there is the constraint; a superuser runs it only if that runs no code of other roles';

-- After the exchange, the column has the new values.
CREATE OR REPLACE FUNCTION check_values(relation regclass, column_name name, conversion text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    version integer := uuidx_migrate.from_version(conversion);
    others bigint;
    example text;
BEGIN
    PERFORM uuidx_migrate.lock_table(relation, 'ACCESS SHARE');
    IF uuidx_migrate.filling(relation, column_name) IS DISTINCT FROM uuidx_migrate.undoing(conversion) THEN
        EXECUTE format('SELECT count(*), min(%1$I::text) FROM %2$s WHERE uuidx_migrate.uuid_version(%1$I) IS DISTINCT FROM $1
                        AND %1$I IS NOT NULL', column_name, relation)
        INTO others, example USING version;
    END IF;
    IF others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has UUIDs that are not of version %', column_name, relation, version
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = format('Their number is %s; one of them is "%s".', others, example),
              HINT = 'uuidx_migrate.version_histogram shows what is in the column. With others => ''keep'' such values stay as they are.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_values(regclass, name, text) IS
'an error unless all UUIDs in a column can be converted, or the exchange has taken place';

-- A column that no foreign key ties to the key may have values that are not keys.
CREATE OR REPLACE FUNCTION check_keys(relation regclass, column_name name, keys regclass, key_column name) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    others bigint;
    example text;
BEGIN
    PERFORM uuidx_migrate.lock_table(t, 'ACCESS SHARE') FROM unnest(ARRAY[relation, keys]) AS t;
    EXECUTE format('SELECT count(*), min(t.%1$I::text) FROM %2$s AS t
                    WHERE t.%1$I IS NOT NULL AND NOT EXISTS (SELECT FROM %3$s AS k WHERE k.%4$I = t.%1$I)', column_name, relation, keys, key_column)
    INTO others, example;
    IF others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has UUIDs that are not in column "%" of table %', column_name, relation, key_column, keys
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = format('Their number is %s; one of them is "%s".', others, example),
              HINT = 'With others => ''keep'' those that are of the old version are converted, and all others stay as they are.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_keys(regclass, name, regclass, name) IS
'an error unless all UUIDs in a column are in another column too';

CREATE OR REPLACE FUNCTION script_fingerprint(m migration, mode text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Whoever runs the script, and how, it is the same one.
    m.allow_superuser := false;
    m.fire_triggers := true;
    RETURN CASE mode WHEN 'offline' THEN (SELECT md5(string_agg(o.sql, ';' ORDER BY n)) FROM uuidx_migrate.offline(m) WITH ORDINALITY AS o (phase, locks, sql, n))
                     -- Also with the definitions of what is built on the shadow columns.
                     ELSE (SELECT md5(string_agg(s.sql, ';' ORDER BY s.part, s.n))
                           FROM (SELECT 1, n, s FROM unnest(uuidx_migrate.tables(m)) AS t, LATERAL uuidx_migrate.shadow_statements(m, t) WITH ORDINALITY AS s (s, n)
                                 UNION ALL
                                 SELECT 2, n, i.sql FROM uuidx_migrate.index(m) WITH ORDINALITY AS i (phase, locks, sql, n)
                                 UNION ALL
                                 SELECT 3, n, e FROM uuidx_migrate.exchange_statements(m) WITH ORDINALITY AS e (e, n)) AS s (part, n, sql)) END;
END
$$;
COMMENT ON FUNCTION script_fingerprint(migration, text) IS
'another text as soon as other statements are needed';

-- A list of statements is the same as when a script was written. It is compared, never run.
CREATE OR REPLACE FUNCTION check_script(
    relation regclass, column_name name, mode text, conversion text, others text, also text[], published text, new_default regprocedure, written text
) RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET jit = off
AS $$
DECLARE
    m uuidx_migrate.migration;
BEGIN
    IF uuidx_migrate.filling(relation, column_name) IS NOT DISTINCT FROM uuidx_migrate.undoing(conversion) THEN
        RETURN;
    END IF;
    m := uuidx_migrate.migration(relation, column_name, conversion, others, also, published, true, false, new_default);
    PERFORM uuidx_migrate.check_obstacles(m, mode);
    IF uuidx_migrate.script_fingerprint(m, mode) IS DISTINCT FROM written THEN
        RAISE EXCEPTION 'the script to move column "%" of table % is not the one that is needed', column_name, relation
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'The tables, or what reads them, have changed since the script was written.',
              HINT = 'Write the script anew with uuidx_migrate.script, and run that.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_script(regclass, name, text, text, text, text[], text, regprocedure, text) IS
'an error if a script would have other statements, or obstacles, than when it was written; unless the exchange has taken place';
-- The offline mode: one transaction rewrites the tables.

-- A query locks a view before the tables that it reads. LOCK TABLE would lock all tables that the view reads; ALTER ... OWNER
-- to its owner locks the view alone.
CREATE OR REPLACE FUNCTION lock_statements(m migration) RETURNS TABLE (what text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    (SELECT c.oid::regclass::text, format(E'-- This locks the view, and changes nothing.\nALTER TABLE %s OWNER TO %s', c.oid::regclass, c.relowner::regrole)
     FROM unnest(affected_relations(m)) AS r JOIN pg_class AS c ON c.oid = r WHERE c.relkind IN ('v', 'm') ORDER BY c.oid DESC)
    UNION ALL
    SELECT 'all tables', format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', string_agg(c.oid::regclass::text, ', ' ORDER BY c.oid::regclass::text COLLATE "C"))
    FROM unnest(affected_relations(m)) AS r JOIN pg_class AS c ON c.oid = r WHERE c.relkind NOT IN ('v', 'm');
END;
COMMENT ON FUNCTION lock_statements(migration) IS
'part of script: the statements that lock all that the offline mode changes';

-- Each table is rewritten once, however many of its columns move.
CREATE OR REPLACE FUNCTION rewrite_statements(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s %s', t.relation, string_agg(t.clause, ', ' ORDER BY t.part, t.clause COLLATE "C"))
    FROM (SELECT c.root, 1, format('ALTER COLUMN %I TYPE pg_catalog.uuid USING %s', c.name, new_value(c.name, (m).conversion, (m).others))
          FROM unnest((m).columns) AS c WHERE c.member = c.root
          UNION ALL
          SELECT d.relation, 2, d.clause FROM unnest((m).dependents) AS d WHERE d.clause IS NOT NULL) AS t (relation, part, clause)
    GROUP BY t.relation
    ORDER BY t.relation::text COLLATE "C";
END;
COMMENT ON FUNCTION rewrite_statements(migration) IS
'part of offline: the statements that rewrite the tables';

CREATE OR REPLACE FUNCTION offline(m migration) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    all_tables text := 'ACCESS EXCLUSIVE on all tables';
BEGIN
    -- Whoever looks at a dropped foreign key or a view in between waits for the COMMIT.
    RETURN QUERY SELECT 'detach', 'none', s FROM unnest(ARRAY[uuidx_migrate.set_search_path(true), 'SET LOCAL check_function_bodies = off']) AS s
        WHERE cardinality(m.dependents) > 0;
    RETURN QUERY
        SELECT 'detach', 'ACCESS EXCLUSIVE on ' || coalesce(d.relation::text, d.description), s
        FROM unnest(m.dependents) WITH ORDINALITY AS d, unnest(d.detach) AS s ORDER BY d.ordinality DESC;
    RETURN QUERY
        SELECT 'detach', all_tables, format('ALTER TABLE %s DROP CONSTRAINT %I', f.referencing, f.name) FROM unnest(m.foreign_keys) AS f;
    RETURN QUERY SELECT 'rewrite', all_tables, r FROM uuidx_migrate.rewrite_statements(m) AS r;
    RETURN QUERY
        SELECT 'rewrite', all_tables, format(E'-- The former default is %s\nALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s',
                                             regexp_replace(d.old_default, E'[\r\n]', ' ', 'g'), d.member, d.name, d.new_default)
        FROM uuidx_migrate.new_defaults(m) AS d WHERE d.new_default IS NOT NULL;
    RETURN QUERY
        SELECT 'restore', all_tables, format('ALTER TABLE %s ADD CONSTRAINT %I %s', f.referencing, f.name, f.definition) FROM unnest(m.foreign_keys) AS f;
    RETURN QUERY
        SELECT 'restore', all_tables, format('COMMENT ON CONSTRAINT %I ON %s IS %L', f.name, f.referencing, f.comment)
        FROM unnest(m.foreign_keys) AS f WHERE f.comment IS NOT NULL;
    RETURN QUERY
        SELECT 'restore', all_tables, format('ALTER STATISTICS %s.%I SET STATISTICS %s', o.schema, o.name, s.stxstattarget)
        FROM uuidx_migrate.moved_statistics(m.columns) AS o JOIN pg_statistic_ext AS s ON s.oid = o.statistics
        WHERE s.stxstattarget >= 0;
    RETURN QUERY
        SELECT 'restore', 'ACCESS EXCLUSIVE on ' || coalesce(d.relation::text, d.description), s
        FROM unnest(m.dependents) WITH ORDINALITY AS d, unnest(d.restore) WITH ORDINALITY AS s (s, n) ORDER BY d.ordinality, s.n;
    RETURN QUERY SELECT 'restore', 'none', uuidx_migrate.reset_search_path(true) WHERE cardinality(m.dependents) > 0;
    RETURN QUERY
        SELECT 'restore', format('ACCESS EXCLUSIVE on %s', v.matview), format('REFRESH MATERIALIZED VIEW %s', v.matview)
        FROM uuidx_migrate.stale_matviews(m.columns) AS v WHERE v.populated;
    RETURN QUERY SELECT 'restore', all_tables, format('ANALYZE %s', t) FROM unnest(uuidx_migrate.tables(m)) AS t;
END
$$;
COMMENT ON FUNCTION offline(migration) IS
'part of script: the statements between BEGIN and COMMIT that rewrite the tables';
-- Online, step by step: add shadow columns, with the properties of the columns whose place they take.

CREATE OR REPLACE FUNCTION shadow_statements(m migration, table_ regclass) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT format('ALTER TABLE %s %s', table_, string_agg(format('ADD COLUMN %I pg_catalog.uuid', c.shadow), ', '))
        FROM unnest(m.columns) AS c WHERE c.member = table_;
    RETURN QUERY
        SELECT p FROM unnest(m.columns) AS c,
                      LATERAL uuidx_migrate.column_properties(c.member, c.attnum, format('ALTER TABLE ONLY %s', c.member), c.member::text, c.shadow) AS p
        WHERE c.root = table_;
    -- The constraint makes PostgreSQL compare each value with the conversion. With it, SET NOT NULL does not read the table.
    RETURN QUERY
        SELECT format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s) NOT VALID', table_, uuidx_migrate.trigger_name(c.name),
                      uuidx_migrate.proof(c.name, c.shadow, a.attnotnull, m.conversion, m.others))
        FROM unnest(m.columns) AS c JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum WHERE c.member = table_;
    RETURN QUERY
        SELECT s.sql
        FROM unnest(m.columns) AS c, LATERAL (SELECT uuidx_migrate.trigger_name(c.name)) AS t (name),
             LATERAL (VALUES (1, format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION uuidx_migrate.fill(%L, %L, %L, %L)',
                                        t.name, table_, c.name, c.shadow, m.conversion, m.others)),
                             (2, format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', table_, t.name))) AS s (n, sql)
        WHERE c.member = table_ ORDER BY c.name, s.n;
END
$$;
COMMENT ON FUNCTION shadow_statements(migration, regclass) IS
'statements that give a table its shadow columns, which a trigger fills from then on';

CREATE OR REPLACE FUNCTION shadow(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'shadow', format('ACCESS EXCLUSIVE on %s, briefly', t),
           call_locked(ARRAY[t],
               (SELECT format('%s IS NULL', call_filling(t, min(c.name))) FROM unnest((m).columns) AS c WHERE c.member = t),
               ARRAY(SELECT s FROM shadow_statements(m, t) WITH ORDINALITY AS s (s, n) ORDER BY n),
               -- psql may go on after an error.
               (SELECT string_agg(s, E';\n') FROM check_statements(m, ARRAY[t]) AS s))
    FROM unnest(tables(m)) AS t;
END;
COMMENT ON FUNCTION shadow(migration) IS
'part of script: adds the shadow columns';

CREATE OR REPLACE FUNCTION fill(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'fill', format('ROW EXCLUSIVE on %s', c.root),
           concat((SELECT format(E'-- It fires %s.\n', regexp_replace(string_agg(quote_ident(t.name), ', '), E'[\r\n]', ' ', 'g'))
                   FROM fired_triggers(c.root, (m).fire_triggers) AS t HAVING count(*) > 0),
                  format('CALL uuidx_migrate.backfill(%s, %s, %s, conversion => %s, others => %s, batch_rows => 10000, pause => %s, fire_triggers => %s, allow_superuser => %s)',
                         typed(c.root::text, 'regclass'), typed(c.name, 'name'), typed(c.shadow, 'name'), typed((m).conversion, 'text'), typed((m).others, 'text'),
                         typed('0', 'interval'), (m).fire_triggers::text, (m).allow_superuser::text))
    FROM unnest((m).columns) AS c WHERE c.member = c.root;
END;
COMMENT ON FUNCTION fill(migration) IS
'part of script: fills the shadow columns of the rows that are there, in batches';

CREATE OR REPLACE FUNCTION validate(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'validate', format('SHARE UPDATE EXCLUSIVE on %s', c.root), call_validate(m, c.root, trigger_name(c.name))
    FROM unnest((m).columns) AS c WHERE c.member = c.root;
END;
COMMENT ON FUNCTION validate(migration) IS
'part of script: has PostgreSQL compare every row with the conversion';
-- Online, the next step: on the shadow columns, build what the columns have: indexes, constraints, statistics, foreign
-- keys and materialized views.

CREATE OR REPLACE FUNCTION add_constraint(m migration, relations regclass[], mode text, name name, definition text) RETURNS statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'index', format('%s on %s, briefly', mode, array_to_string(relations, ', ')),
           call_locked(relations, format('%s AND NOT uuidx_migrate.has_constraint(%s, %s)', is_before_exchange(m), typed(relations[1]::text, 'regclass'),
                                         typed(name, 'name')),
                       ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s', relations[1], name, definition)],
                       -- A partitioned table validates it at once where a partition has none to attach.
                       CASE WHEN is_partitioned(relations[1]) THEN call_check_role(m, relations) END, mode);
END;
COMMENT ON FUNCTION add_constraint(migration, regclass[], text, name, text) IS
'step that adds a constraint to the first of some relations, unless it is there';

-- Before PostgreSQL 18, a partitioned table cannot have a foreign key that is NOT VALID: its partitions get it, and then it
-- attaches them.
CREATE OR REPLACE FUNCTION foreign_key_steps(m migration, f moved_foreign_key) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT a.*
    FROM foreign_key_members(f) AS k,
         LATERAL add_constraint(m, key_relations(k.member, (f).referenced), 'SHARE ROW EXCLUSIVE', shadow_name(k.name),
                                concat((f).shadow_definition, CASE WHEN (f).validated THEN ' NOT VALID' END)) AS a
    WHERE NOT k.is_partitioned
    UNION ALL
    SELECT 'index', validation_locks(k.member, (f).referenced),
           call_validate(m, k.member, shadow_name(k.name))
    FROM foreign_key_members(f) AS k WHERE NOT k.is_partitioned AND (f).validated
    UNION ALL
    SELECT a.*
    FROM add_constraint(m, key_relations((f).referencing, (f).referenced), 'SHARE ROW EXCLUSIVE', shadow_name((f).name), (f).shadow_definition) AS a
    WHERE is_partitioned((f).referencing);
END;
COMMENT ON FUNCTION foreign_key_steps(migration, moved_foreign_key) IS
'steps that add a foreign key on the shadow columns and validate it';

-- An interrupted build leaves an invalid index.
CREATE OR REPLACE FUNCTION index_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT i.*, shadow_name(i.name) AS shadow, format('%s.%I', i.schema, shadow_name(i.name)) AS shadow_index
        FROM moved_indexes((m).columns) AS i
    )
    SELECT s.phase, s.locks, s.sql
    FROM indexes AS i
    CROSS JOIN LATERAL (
        SELECT 1, 'index', format('ACCESS EXCLUSIVE on %s, briefly, if a build was interrupted', i.member),
               call_locked(ARRAY[i.member],
                   format('EXISTS (SELECT FROM pg_catalog.pg_index WHERE indexrelid = %s AND NOT indisvalid)', format('pg_catalog.to_regclass(%s)', typed(i.shadow_index, 'text'))),
                   ARRAY[format('DROP INDEX %s', i.shadow_index)])
        WHERE NOT i.is_partitioned
        UNION ALL
        SELECT 2, 'index', format('SHARE UPDATE EXCLUSIVE on %s', i.member),
               index_definition(i.index, 'CONCURRENTLY IF NOT EXISTS ', i.shadow, i.member::text, (m).columns)
        WHERE NOT i.is_partitioned
        UNION ALL
        SELECT 3, 'index', format('SHARE UPDATE EXCLUSIVE on %s', i.member), p FROM index_properties(i.index, i.shadow_index) AS p
        WHERE NOT i.is_partitioned
        -- The index of a partitioned table attaches those of its partitions. A constraint that is added later could not
        -- attach them then: leave them for it.
        UNION ALL
        SELECT 4, 'index', format('SHARE on %s, briefly', i.member),
               call_locked(ARRAY[i.member], format('%s AND pg_catalog.to_regclass(%s) IS NULL', is_before_exchange(m), typed(i.shadow_index, 'text')),
                           index_definition(i.index, '', i.shadow, i.member::text, (m).columns)
                           || ARRAY(SELECT p FROM index_properties(i.index, i.shadow_index) AS p), mode => 'SHARE')
        WHERE i.is_partitioned AND i.key IS NULL
    ) AS s (n, phase, locks, sql)
    ORDER BY s.n = 4, CASE s.n WHEN 4 THEN -i.level END, i.shadow_index COLLATE "C", s.n;
END;
COMMENT ON FUNCTION index_steps(migration) IS
'steps that build the indexes of the shadow columns';

-- The names of columns, exchanged with those of their shadows.
CREATE OR REPLACE FUNCTION exchange_names(relation regclass, name name, shadow name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s RENAME COLUMN %I TO %I', relation, n.old, n.new)
    FROM (SELECT 'exchange_' || md5(name)) AS t (between),
         LATERAL (VALUES (1, name, t.between), (2, shadow, name), (3, t.between, shadow)) AS n (part, old, new)
    ORDER BY n.part;
END;
COMMENT ON FUNCTION exchange_names(regclass, name, name) IS
'three statements that give a column the name of its shadow, and the shadow that of the column';

CREATE OR REPLACE FUNCTION exchange_all_names(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT e.sql FROM unnest((m).columns) WITH ORDINALITY AS c, LATERAL exchange_names(c.root, c.name, c.shadow) WITH ORDINALITY AS e (sql, n)
    WHERE c.member = c.root ORDER BY c.ordinality, e.n;
END;
COMMENT ON FUNCTION exchange_all_names(migration) IS
'statements that exchange the names of all columns that move with those of their shadows';

-- A definition is bound to the numbers of columns. While the names are exchanged, for a moment, its own text makes it one
-- on the shadow columns.
CREATE OR REPLACE FUNCTION matview_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH views AS MATERIALIZED (
        SELECT d.relation, format('%s.%I', c.relnamespace::regnamespace, shadow_name(c.relname)) AS shadow, c.relispopulated
        FROM unnest((m).dependents) AS d JOIN pg_class AS c ON c.oid = d.relation WHERE d.kind = 'materialized view'
    )
    SELECT 'index', 'ACCESS EXCLUSIVE on all tables, briefly',
           call_locked(tables(m), is_before_exchange(m),
                       format('DROP MATERIALIZED VIEW IF EXISTS %s', v.shadow) || ARRAY(SELECT exchange_all_names(m))
                       || ARRAY(SELECT s FROM matview_statements(v.relation, true) WITH ORDINALITY AS s (s, n) ORDER BY n)
                       || ARRAY(SELECT exchange_all_names(m)),
                       call_check_role(m, tables(m)))
    FROM views AS v
    UNION ALL
    SELECT 'index', format('ACCESS EXCLUSIVE on %s', v.shadow),
           call_locked('{}', format('pg_catalog.to_regclass(%s) IS NOT NULL', typed(v.shadow, 'text')), ARRAY[format('REFRESH MATERIALIZED VIEW %s', v.shadow)])
    FROM views AS v WHERE v.relispopulated;
END;
COMMENT ON FUNCTION matview_steps(migration) IS
'steps that build materialized views on the shadow columns';

CREATE OR REPLACE FUNCTION index(m migration) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- CREATE INDEX CONCURRENTLY can be in no transaction, for which this could be set.
    RETURN QUERY SELECT 'index', 'none', uuidx_migrate.set_search_path(false);
    RETURN QUERY SELECT s.* FROM uuidx_migrate.index_steps(m) AS s;
    RETURN QUERY
        SELECT 'index', format('SHARE UPDATE EXCLUSIVE on %s', o.member), d
        FROM uuidx_migrate.moved_statistics(m.columns) AS o,
             LATERAL uuidx_migrate.statistics_definition(o.statistics, 'IF NOT EXISTS ', uuidx_migrate.shadow_name(o.name), o.member::text, m.columns) AS d;
    RETURN QUERY SELECT 'index', 'none', uuidx_migrate.reset_search_path(false);
    RETURN QUERY
        SELECT a.* FROM uuidx_migrate.moved_checks(m.columns) AS k,
                        LATERAL uuidx_migrate.add_constraint(m, ARRAY[k.member], 'ACCESS EXCLUSIVE', k.shadow, k.definition || ' NOT VALID') AS a;
    RETURN QUERY
        SELECT 'index', format('SHARE UPDATE EXCLUSIVE on %s', k.member), uuidx_migrate.call_validate(m, k.member, k.shadow)
        FROM uuidx_migrate.moved_checks(m.columns) AS k WHERE k.validated;
    RETURN QUERY
        SELECT s.* FROM unnest(m.foreign_keys) AS f, LATERAL uuidx_migrate.foreign_key_steps(m, f) AS s
        WHERE NOT uuidx_migrate.is_partitioned(f.referenced);
    RETURN QUERY SELECT s.* FROM uuidx_migrate.matview_steps(m) AS s;
    RETURN QUERY SELECT 'index', format('SHARE UPDATE EXCLUSIVE on %s', t), format('ANALYZE %s', t) FROM unnest(uuidx_migrate.tables(m)) AS t;
END
$$;
COMMENT ON FUNCTION index(migration) IS
'part of script: builds on the shadow columns what the columns have';
-- Online, the exchange: in one short transaction, the shadow columns take the names and the place of the columns.

-- After a script was run in part, or after an error that psql ignored, something may be missing.
CREATE OR REPLACE FUNCTION check_shadows(relation regclass, column_name name, shadow name) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing text;
BEGIN
    SELECT format('column %I of table %s is not known to be filled', shadow, relation) INTO missing
    WHERE NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = relation AND c.conname = uuidx_migrate.trigger_name(column_name) AND c.convalidated);
    SELECT coalesce(missing, min(format('index %s is not built', i.indexrelid::regclass))) INTO missing
    FROM (SELECT relation AS relid UNION SELECT p.relid FROM pg_partition_tree(relation) AS p) AS m
    JOIN pg_attribute AS a ON a.attrelid = m.relid AND a.attname = shadow
    JOIN pg_index AS i ON i.indrelid = m.relid AND NOT i.indisvalid
    -- Also in an expression or a predicate.
    JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid
                       AND d.refclassid = 'pg_class'::regclass AND (d.refobjid, d.refobjsubid) = (a.attrelid, a.attnum);
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION '%', missing USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_shadows(regclass, name, name) IS
'an error unless a shadow column is filled and its indexes are built';

-- A foreign key or CHECK constraint that was validated must be on the shadow columns too.
CREATE OR REPLACE FUNCTION check_validated(relation regclass, name name, shadow name) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_constraint AS o WHERE o.conrelid = relation AND o.conname = check_validated.name AND o.convalidated)
       AND NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = relation AND c.conname = shadow AND c.convalidated) THEN
        RAISE EXCEPTION 'constraint "%" of table % is not validated', shadow, relation USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_validated(regclass, name, name) IS
'an error if a constraint is validated, but its shadow is not';

CREATE OR REPLACE FUNCTION check_populated(matview regclass, shadow regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF (SELECT c.relispopulated FROM pg_class AS c WHERE c.oid = matview) AND NOT (SELECT c.relispopulated FROM pg_class AS c WHERE c.oid = shadow) THEN
        RAISE EXCEPTION 'materialized view % is not populated', shadow USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_populated(regclass, regclass) IS
'an error if a materialized view is populated, but its shadow is not';

-- A kind of object that the exchange does not know would go on to read an old column. Its default and the constraint that
-- proves its value may. Readers wait meanwhile: a subquery reads no whole catalog, and is not worth compiling.
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
    CROSS JOIN LATERAL (SELECT c.root AS relid UNION SELECT p.relid FROM pg_partition_tree(c.root) AS p) AS m
    CROSS JOIN LATERAL (SELECT (
        SELECT format('%s still reads the old column "%s" of table %s', pg_describe_object(d.classid, d.objid, d.objsubid), a.attname, m.relid)
        FROM pg_attribute AS a
        JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum
        LEFT JOIN pg_attrdef AS e ON d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
        LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
        WHERE a.attrelid = m.relid AND a.attname = uuidx_migrate.shadow_name(c.name)
          AND ((e.adrelid, e.adnum) = (a.attrelid, a.attnum) OR k.conname = uuidx_migrate.trigger_name(c.name)) IS NOT TRUE
        LIMIT 1)) AS r (reader);
    IF reader IS NOT NULL THEN
        RAISE EXCEPTION '%', reader USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Drop it, and create it again after the exchange.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_unread(regclass[], name[]) IS
'an error if anything reads the old columns after the exchange';

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
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND (a.attnum = i.indkey[k.attnum - 1]
                                                         OR i.indkey[k.attnum - 1] = 0 AND uuidx_migrate.shadow_name(a.attname) = k.attname)
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

-- The former default stays on the old column, in a form that is never evaluated. From PostgreSQL 18 on, NOT NULL is a
-- constraint with a name.
CREATE OR REPLACE FUNCTION exchange_properties(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    (SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s, ALTER COLUMN %I %s', d.member, d.name, coalesce(d.new_default, d.old_default), d.shadow,
                  CASE WHEN d.new_default IS NULL THEN 'DROP DEFAULT'
                       ELSE format('SET DEFAULT CASE WHEN false THEN %s ELSE NULL::pg_catalog.uuid END', d.old_default) END)
    FROM new_defaults(m) AS d ORDER BY d.member::text COLLATE "C", d.name)
    UNION ALL
    -- A partition may have NOT NULL of its own. From PostgreSQL 18 on, its primary key makes NOT NULL its own.
    (SELECT format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', c.member, c.shadow)
     FROM unnest((m).columns) AS c JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum
     JOIN pg_attribute AS r ON r.attrelid = c.root AND r.attname = c.name
     LEFT JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum]
     WHERE a.attnotnull AND (c.member = c.root OR NOT r.attnotnull OR n.conislocal) ORDER BY c.level, c.member::text COLLATE "C", c.name)
    UNION ALL
    (SELECT CASE WHEN n.conname IS NULL THEN format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', c.member, c.name)
                ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.member, n.conname, pg_get_constraintdef(n.oid)) END
    FROM unnest((m).columns) AS c
    JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum
    JOIN pg_attribute AS r ON r.attrelid = c.root AND r.attname = c.name
    LEFT JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum]
    WHERE a.attnotnull AND NOT (r.attnotnull AND c.member <> c.root) ORDER BY c.level, c.member::text COLLATE "C", c.name)
    UNION ALL
    SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', n.conname, c.member, obj_description(n.oid, 'pg_constraint'))
    FROM unnest((m).columns) AS c JOIN pg_constraint AS n ON n.conrelid = c.member AND n.contype = 'n' AND n.conkey = ARRAY[c.attnum]
    WHERE c.member = c.root AND obj_description(n.oid, 'pg_constraint') IS NOT NULL;
END;
COMMENT ON FUNCTION exchange_properties(migration) IS
'statements that give shadow columns the defaults and NOT NULL of the columns';

-- The constraint of a partitioned table attaches those of its partitions, so theirs are first.
CREATE OR REPLACE FUNCTION exchange_indexes(m migration) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    i record;
BEGIN
    FOR i IN
        SELECT u.*, x.indisclustered, x.indisreplident, obj_description(u.key, 'pg_constraint') AS key_comment, pg_get_constraintdef(u.key) AS definition,
               uuidx_migrate.shadow_name(u.name) AS shadow
        FROM uuidx_migrate.moved_indexes(m.columns) AS u JOIN pg_index AS x ON x.indexrelid = u.index
        ORDER BY u.level DESC
    LOOP
        IF i.key IS NULL THEN
            RETURN NEXT format('ALTER INDEX %s.%I RENAME TO %I', i.schema, i.shadow, i.name);
        ELSIF i.is_partitioned THEN
            RETURN NEXT format('ALTER TABLE %s ADD CONSTRAINT %I %s', i.member, i.name, i.definition);
        ELSE
            RETURN NEXT format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I', i.member, i.name,
                               CASE i.constraint_type WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, i.shadow);
        END IF;
        RETURN QUERY
            SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', i.name, i.member, i.key_comment) WHERE i.key_comment IS NOT NULL;
        RETURN QUERY
            SELECT p FROM uuidx_migrate.index_properties(i.index, i.index::text) AS p WHERE i.is_partitioned AND i.key IS NOT NULL;
        RETURN QUERY SELECT format('ALTER TABLE %s CLUSTER ON %I', i.member, i.name) WHERE i.indisclustered;
        RETURN QUERY SELECT format('ALTER TABLE ONLY %s REPLICA IDENTITY USING INDEX %I', i.member, i.name) WHERE i.indisreplident;
    END LOOP;
    -- This renames the columns of the partitions' indexes too, but not those of a key: theirs are new.
    RETURN QUERY
        SELECT format('SELECT uuidx_migrate.rename_index_columns(%s)', uuidx_migrate.typed(u.index::text, 'regclass'))
        FROM uuidx_migrate.moved_indexes(m.columns) AS u
        WHERE u.key IS NOT NULL OR NOT EXISTS (SELECT FROM pg_inherits AS h WHERE h.inhrelid = u.index)
        ORDER BY u.level;
END
$$;
COMMENT ON FUNCTION exchange_indexes(migration) IS
'statements that put the indexes of the shadow columns in the place of those of the columns';

CREATE OR REPLACE FUNCTION exchange_matviews(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT r.sql
    FROM unnest((m).dependents) AS d
    JOIN pg_class AS c ON c.oid = d.relation,
    LATERAL (SELECT format('ALTER MATERIALIZED VIEW %s.%I RENAME TO %I', c.relnamespace::regnamespace, shadow_name(c.relname), c.relname)
             UNION ALL
             SELECT format('ALTER INDEX %s.%I RENAME TO %I', x.relnamespace::regnamespace, shadow_name(x.relname), x.relname)
             FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid WHERE i.indrelid = c.oid
             UNION ALL
             SELECT format('ALTER STATISTICS %s.%I RENAME TO %I', s.stxnamespace::regnamespace, shadow_name(s.stxname), s.stxname)
             FROM pg_statistic_ext AS s WHERE s.stxrelid = c.oid) AS r (sql)
    WHERE d.kind = 'materialized view';
END;
COMMENT ON FUNCTION exchange_matviews(migration) IS
'statements that give the materialized views on the shadow columns the names of the others, which are dropped by then';

CREATE OR REPLACE FUNCTION exchange_statements(m migration) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY SELECT 'SET LOCAL check_function_bodies = off' WHERE cardinality(m.dependents) > 0;
    -- The names and numbers of columns change under the others: they only get their definitions again.
    RETURN QUERY
        SELECT s FROM unnest(m.dependents) WITH ORDINALITY AS d, unnest(d.detach) AS s
        WHERE d.kind IN ('materialized view', 'trigger', 'generated column') OR d.depth > 0 OR d.keeps_key
           OR EXISTS (SELECT FROM unnest(m.dependents) AS g WHERE g.kind = 'generated column') ORDER BY d.ordinality DESC;
    RETURN QUERY SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', f.referencing, f.name) FROM unnest(m.foreign_keys) AS f;
    -- The columns of a replica identity must be NOT NULL.
    RETURN QUERY
        SELECT format('ALTER TABLE ONLY %s REPLICA IDENTITY NOTHING', i.member)
        FROM uuidx_migrate.moved_indexes(m.columns) AS i JOIN pg_index AS x ON x.indexrelid = i.index WHERE x.indisreplident;
    RETURN QUERY
        SELECT CASE WHEN i.key IS NULL THEN format('DROP INDEX %s', i.index) ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', i.member, i.name) END
        FROM uuidx_migrate.moved_indexes(m.columns) AS i
        WHERE CASE WHEN i.key IS NULL THEN NOT EXISTS (SELECT FROM pg_inherits AS h WHERE h.inhrelid = i.index) ELSE i.constraint_parent = 0 END;
    RETURN QUERY SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.member, k.name) FROM uuidx_migrate.moved_checks(m.columns) AS k;
    RETURN QUERY SELECT format('DROP STATISTICS %s.%I', o.schema, o.name) FROM uuidx_migrate.moved_statistics(m.columns) AS o;
    RETURN QUERY SELECT e FROM uuidx_migrate.exchange_all_names(m) AS e;
    RETURN QUERY SELECT e FROM uuidx_migrate.exchange_properties(m) AS e;
    RETURN QUERY SELECT e FROM uuidx_migrate.exchange_indexes(m) AS e;
    RETURN QUERY
        SELECT s FROM uuidx_migrate.moved_checks(m.columns) AS k,
             LATERAL (SELECT format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', k.member, k.shadow, k.name)
                      UNION ALL
                      SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', k.name, k.member, k.comment) WHERE k.comment IS NOT NULL) AS s (s);
    RETURN QUERY
        SELECT format('ALTER STATISTICS %s.%I RENAME TO %I', o.schema, uuidx_migrate.shadow_name(o.name), o.name)
        FROM uuidx_migrate.moved_statistics(m.columns) AS o;
    RETURN QUERY SELECT e FROM unnest(m.foreign_keys) AS f, LATERAL uuidx_migrate.exchange_foreign_key(f) AS e;
    RETURN QUERY SELECT e FROM uuidx_migrate.exchange_matviews(m) AS e;
    RETURN QUERY
        SELECT s
        FROM unnest(m.dependents) WITH ORDINALITY AS d,
             LATERAL unnest(CASE WHEN d.clause IS NOT NULL THEN ARRAY[format('ALTER TABLE %s %s', d.relation, d.clause)] END || d.restore) WITH ORDINALITY AS s (s, n)
        WHERE d.kind <> 'materialized view' ORDER BY d.ordinality, s.n;
    RETURN QUERY
        SELECT format('SELECT uuidx_migrate.check_unread(%s, %s::pg_catalog.name[])',
                      uuidx_migrate.relation_list(array_agg(c.root)), quote_literal(array_agg(c.name)))
        FROM unnest(m.columns) AS c WHERE c.member = c.root;
END
$$;
COMMENT ON FUNCTION exchange_statements(migration) IS
'the statements, in order, that put the shadow columns in the place of the columns';

-- The index of a partitioned table's key comes with the exchange, so a foreign key to it comes then, and is validated
-- afterwards.
CREATE OR REPLACE FUNCTION exchange_foreign_key(f moved_foreign_key) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN is_partitioned((f).referenced)
                THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', (f).referencing, (f).name, (f).definition, CASE WHEN (f).validated THEN ' NOT VALID' END)
                ELSE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', k.member,
                            shadow_name(CASE WHEN k.is_partitioned THEN (f).name ELSE k.name END), k.name) END
    FROM foreign_key_members(f) AS k
    WHERE NOT is_partitioned((f).referenced) OR k.member = (f).referencing
    UNION ALL
    SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', (f).name, (f).referencing, (f).comment) WHERE (f).comment IS NOT NULL;
END;
COMMENT ON FUNCTION exchange_foreign_key(moved_foreign_key) IS
'statements that put a foreign key of the shadow columns in the place of that of the columns';

CREATE OR REPLACE FUNCTION exchange(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'exchange', 'ACCESS EXCLUSIVE on all tables and on what reads the columns, briefly',
           call_locked(affected_relations(m), is_before_exchange(m),
                       ARRAY(SELECT e FROM exchange_statements(m) WITH ORDINALITY AS e (e, n) ORDER BY n),
                       concat_ws(E';\n', call_check_role(m, tables(m)), call_check_script(m, 'online', script_fingerprint(m, 'online')),
                                 (SELECT string_agg(format('SELECT uuidx_migrate.check_shadows(%s, %s, %s)', typed(c.root::text, 'regclass'),
                                                           typed(c.name, 'name'), typed(c.shadow, 'name')), E';\n')
                                  FROM unnest((m).columns) AS c WHERE c.member = c.root),
                                 (SELECT string_agg(format('SELECT uuidx_migrate.check_validated(%s, %s, %s)', typed(v.relation::text, 'regclass'),
                                                           typed(v.name, 'name'), typed(v.shadow, 'name')), E';\n')
                                  FROM (SELECT f.referencing AS relation, f.name, shadow_name(f.name) AS shadow FROM unnest((m).foreign_keys) AS f
                                        WHERE NOT is_partitioned(f.referenced)
                                        UNION ALL
                                        SELECT k.member, k.name, k.shadow FROM moved_checks((m).columns) AS k) AS v),
                                 (SELECT string_agg(format('SELECT uuidx_migrate.check_populated(%s, %s)', typed(d.relation::text, 'regclass'),
                                                           typed(format('%s.%I', c.relnamespace::regnamespace, shadow_name(c.relname)), 'regclass')), E';\n')
                                  FROM unnest((m).dependents) AS d JOIN pg_class AS c ON c.oid = d.relation WHERE d.kind = 'materialized view')));
END;
COMMENT ON FUNCTION exchange(migration) IS
'part of script: the exchange';
-- Online, after the exchange: validate what could not be validated before, refresh materialized views, and at last drop
-- the old columns.

CREATE OR REPLACE FUNCTION after_exchange(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'after', validation_locks(f.referencing, f.referenced),
           call_validate(m, f.referencing, f.name)
    FROM unnest((m).foreign_keys) AS f
    WHERE is_partitioned(f.referenced) AND f.validated = (filling((m).relation, (m).column_name) IS DISTINCT FROM undoing((m).conversion))
    UNION ALL
    SELECT 'after', format(CASE WHEN v.is_unique THEN 'EXCLUSIVE on %s' ELSE 'ACCESS EXCLUSIVE on %s' END, v.matview),
           format(CASE WHEN v.is_unique THEN 'REFRESH MATERIALIZED VIEW CONCURRENTLY %s' ELSE 'REFRESH MATERIALIZED VIEW %s' END, v.matview)
    FROM stale_matviews((m).columns) AS v
    WHERE v.populated AND NOT EXISTS (SELECT FROM unnest((m).dependents) AS d WHERE d.relation = v.matview)
      AND filling((m).relation, (m).column_name) IS DISTINCT FROM undoing((m).conversion);
END;
COMMENT ON FUNCTION after_exchange(migration) IS
'part of script: the steps after the exchange';

-- A migration that was given up before the exchange may have left foreign keys and materialized views.
CREATE OR REPLACE FUNCTION give_up(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'finish', format('ACCESS EXCLUSIVE on %s, briefly', array_to_string(r.relations, ' and ')),
           call_locked(r.relations,
                       format('uuidx_migrate.has_constraint(%s, %s)', typed(f.conrelid::regclass::text, 'regclass'), typed(f.conname, 'name')),
                       ARRAY[format('ALTER TABLE %s DROP CONSTRAINT %I', f.conrelid::regclass, f.conname)])
    FROM unnest((m).columns) AS c
    JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attname = c.shadow
    JOIN pg_constraint AS f ON f.conrelid = c.member AND f.contype = 'f' AND f.conparentid = 0 AND a.attnum = ANY (f.conkey),
         LATERAL key_relations(f.conrelid, f.confrelid) AS r (relations)
    UNION ALL
    SELECT 'finish', format('ACCESS EXCLUSIVE on %s', v.shadow), format('DROP MATERIALIZED VIEW IF EXISTS %s', v.shadow)
    FROM unnest((m).dependents) AS d
    JOIN pg_class AS c ON c.oid = d.relation,
         LATERAL (SELECT format('%s.%I', c.relnamespace::regnamespace, shadow_name(c.relname)) AS shadow) AS v
    WHERE d.kind = 'materialized view' AND to_regclass(v.shadow) IS NOT NULL;
END;
COMMENT ON FUNCTION give_up(migration) IS
'part of finish: drops what would keep the shadow columns from being dropped';

CREATE OR REPLACE FUNCTION finish(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT g.phase, g.locks, g.sql FROM give_up(m) AS g
    UNION ALL
    (SELECT 'finish', format('ACCESS EXCLUSIVE on %s, briefly', c.root),
           call_locked(ARRAY[c.root], format('%s OPERATOR(pg_catalog.=) %s', call_filling(c.root, min(c.name)), typed(undoing((m).conversion), 'text')),
                       array_agg(format('DROP TRIGGER %I ON %s', trigger_name(c.name), c.root))
                       || format('ALTER TABLE %s %s', c.root, string_agg(format('DROP COLUMN %I', c.shadow), ', '))
                       || format('DELETE FROM uuidx_migrate.progress AS p WHERE p.relation OPERATOR(pg_catalog.=) ANY (%s)', relation_list(tables_of(c.root))))
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND filling(c.root, c.name) = undoing((m).conversion)
    GROUP BY c.root
    ORDER BY c.root::text COLLATE "C");
END;
COMMENT ON FUNCTION finish(migration) IS
'part of script: drops the old columns, with which the migration could be undone';
-- The script: the steps in the order in which they run.

CREATE OR REPLACE FUNCTION steps(m migration, mode text) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    exchanged boolean := uuidx_migrate.filling(m.relation, m.column_name) IS NOT DISTINCT FROM uuidx_migrate.undoing(m.conversion);
BEGIN
    IF mode = 'offline' OR mode = 'online' AND NOT exchanged THEN
        PERFORM uuidx_migrate.check_obstacles(m, mode);
    END IF;
    IF mode = 'offline' THEN
        RETURN QUERY SELECT 'begin', 'none', 'SELECT uuidx_migrate.check_no_transaction(''this script''::pg_catalog.text)';
        RETURN QUERY SELECT 'begin', 'none', 'BEGIN';
        RETURN QUERY SELECT 'check', 'ACCESS EXCLUSIVE on ' || l.what, l.sql FROM uuidx_migrate.lock_statements(m) AS l;
        RETURN QUERY SELECT 'check', 'none', c FROM uuidx_migrate.check_statements(m, uuidx_migrate.tables(m)) AS c;
        RETURN QUERY SELECT 'check', 'none', uuidx_migrate.call_check_script(m, mode, uuidx_migrate.script_fingerprint(m, mode));
        RETURN QUERY SELECT s.* FROM uuidx_migrate.offline(m) AS s;
        RETURN QUERY SELECT 'commit', 'none', 'COMMIT';
    ELSIF mode = 'finish' THEN
        IF NOT exchanged THEN
            RAISE EXCEPTION 'there is nothing to finish: column "%" of table % has no old column of an online migration', m.column_name, m.relation
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'To give up a migration before the exchange, finish the one that undoes it.';
        END IF;
        RETURN QUERY SELECT s.* FROM uuidx_migrate.after_exchange(m) AS s;
        RETURN QUERY SELECT s.* FROM uuidx_migrate.finish(m) AS s;
    ELSE
        IF NOT exchanged THEN
            RETURN QUERY SELECT 'check', 'none', c FROM uuidx_migrate.check_statements(m, uuidx_migrate.tables(m)) AS c;
            RETURN QUERY SELECT 'check', 'none', uuidx_migrate.call_check_script(m, mode, uuidx_migrate.script_fingerprint(m, mode));
            RETURN QUERY SELECT s.* FROM uuidx_migrate.shadow(m) AS s;
            RETURN QUERY SELECT s.* FROM uuidx_migrate.fill(m) AS s;
            RETURN QUERY SELECT s.* FROM uuidx_migrate.validate(m) AS s;
            RETURN QUERY SELECT s.* FROM uuidx_migrate.index(m) AS s;
            RETURN QUERY SELECT s.* FROM uuidx_migrate.exchange(m) AS s;
        END IF;
        RETURN QUERY SELECT s.* FROM uuidx_migrate.after_exchange(m) AS s;
    END IF;
END
$$;
COMMENT ON FUNCTION steps(migration, text) IS
'part of script: its statements';

CREATE OR REPLACE FUNCTION phase_title(phase text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE phase
    WHEN 'begin' THEN 'begin the transaction'
    WHEN 'check' THEN 'check who runs the script, and what is in the columns'
    WHEN 'detach' THEN 'drop foreign keys, and have views and the like read no column that moves'
    WHEN 'rewrite' THEN 'rewrite the tables with the new values'
    WHEN 'restore' THEN 'make foreign keys, views and the like what they were'
    WHEN 'commit' THEN 'commit; nobody has seen anything of it until now'
    WHEN 'shadow' THEN 'add shadow columns, which triggers fill in every row that is written'
    WHEN 'fill' THEN 'fill the shadow columns of all other rows, in batches; readers and writers go on'
    WHEN 'validate' THEN 'have PostgreSQL compare every row with the conversion; readers and writers go on'
    WHEN 'index' THEN 'build indexes, constraints and the like on the shadow columns; readers and writers go on'
    WHEN 'exchange' THEN 'exchange the columns with their shadows, in one short transaction'
    WHEN 'after' THEN 'validate foreign keys and refresh materialized views; readers and writers go on'
    WHEN 'finish' THEN 'drop the old columns: after that, the migration cannot be undone quickly' END;
COMMENT ON FUNCTION phase_title(text) IS
'what a phase of a script does';

CREATE OR REPLACE FUNCTION numbered_steps(m migration, mode text) RETURNS TABLE (step integer, phase text, locks text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH steps AS (
        SELECT s.n, s.phase, s.locks, s.sql, lag(s.phase) OVER (ORDER BY s.n) IS DISTINCT FROM s.phase AS begins
        FROM steps(m, mode) WITH ORDINALITY AS s (phase, locks, sql, n)
    ),
    phases AS (
        SELECT s.n, s.phase, s.locks, s.sql, s.begins,
               sum(s.begins::integer) OVER (ORDER BY s.n) AS place, sum(s.begins::integer) OVER () AS count
        FROM steps AS s
    )
    SELECT p.n::integer, p.phase, p.locks,
           concat(CASE WHEN p.begins THEN format(E'-- %s of %s: %s\n', p.place, p.count, phase_title(p.phase)) END,
                  CASE WHEN p.n = 1 THEN format(E'-- Run this script as %s.\n', (
                      SELECT regexp_replace(c.relowner::regrole::text, E'[\r\n]', ' ', 'g') FROM pg_class AS c WHERE c.oid = (m).relation)) END,
                  p.sql)
    FROM phases AS p ORDER BY p.n;
END;
COMMENT ON FUNCTION numbered_steps(migration, text) IS
'part of script: its statements with their numbers, and a comment where a phase begins';

-- To compile the queries of the catalogs just in time takes longer than to run them.
CREATE OR REPLACE FUNCTION script(
    relation regclass,
    column_name name,
    mode text DEFAULT 'offline',
    conversion text DEFAULT 'v1_to_v6',
    others text DEFAULT 'error',
    also text[] DEFAULT '{}',
    published text DEFAULT 'refuse',
    fire_triggers boolean DEFAULT true,
    new_default regprocedure DEFAULT NULL,
    allow_superuser boolean DEFAULT false
) RETURNS TABLE (step integer, phase text, locks text, sql text)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET jit = off
AS $$
DECLARE
    m uuidx_migrate.migration;
BEGIN
    PERFORM uuidx_migrate.check_choice('mode', mode, ARRAY['offline', 'online', 'finish']);
    IF NOT fire_triggers THEN
        PERFORM uuidx_migrate.check_fire_triggers();
    END IF;
    m := uuidx_migrate.migration(relation, column_name, conversion, others, also, published, fire_triggers, allow_superuser, new_default);
    RETURN QUERY SELECT n.step, n.phase, n.locks, n.sql FROM uuidx_migrate.numbered_steps(m, mode) AS n;
END
$$;
COMMENT ON FUNCTION script(regclass, name, text, text, text, text[], text, boolean, regprocedure, boolean) IS
'the statements, in order, that move a column and all columns tied to it to another version';
-- Columns that hold keys of a table although no foreign key ties them to it.

-- A caller must not run another role's code by reading its tables, beyond what SELECT on a plain table runs. So skip views,
-- foreign tables, virtual generated columns and tables whose row security is active for the caller.
CREATE OR REPLACE FUNCTION suspect_candidates(keys_table regclass, key_column name)
RETURNS TABLE (source regclass, descendants text, name name, type_name text, uuids text)
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT c.oid::regclass, CASE c.relkind WHEN 'r' THEN 'ONLY' END, a.attname, format_type(a.atttypid, a.atttypmod), k.uuids
    FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type AS t ON t.oid = a.atttypid
    JOIN (VALUES ('{uuid}'::regtype[], 'ARRAY[v]'),
                 ('{uuid[]}', 'v'),
                 ('{text,varchar,bpchar}', 'CASE WHEN v::text COLLATE "C" ~* $1 THEN ARRAY[v::text::uuid] END'),
                 ('{jsonb}', 'ARRAY(SELECT m[1]::uuid FROM regexp_matches(v::text COLLATE "C", $2, ''gi'') AS m)'))
         AS k (types, uuids) ON coalesce(nullif(t.typbasetype, 0), t.oid) = ANY (k.types)
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attgenerated <> 'v'
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND NOT pg_is_other_temp_schema(n.oid)
      AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
      AND NOT row_security_active(c.oid)
      AND (c.oid, a.attname) NOT IN (SELECT m.relation, m.column_name FROM tied_columns(keys_table, key_column) AS m)
    ORDER BY c.oid::regclass::text COLLATE "C", a.attnum;
END;
COMMENT ON FUNCTION suspect_candidates(regclass, name) IS
'part of suspects: the columns that can be sampled, and the expression for the UUIDs in a value v';

-- In case a view or a foreign table takes a table's name meanwhile. Servers have this setting since August 2024.
CREATE OR REPLACE FUNCTION restrict_to_tables() RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM set_config('restrict_nonsystem_relation_kind', 'view, foreign-table', true)
    WHERE current_setting('restrict_nonsystem_relation_kind', true) IS NOT NULL;
END
$$;
COMMENT ON FUNCTION restrict_to_tables() IS
'part of suspects: keeps the transaction from reading views and foreign tables';

-- The inner blocks always end with an error, which rolls back that setting and releases the locks: a database may have
-- more tables than a transaction can lock.
CREATE OR REPLACE FUNCTION suspects(relation regclass, column_name name)
RETURNS TABLE (suspect regclass, suspect_column name, type text, sampled bigint, keys bigint)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET jit = off
AS $$
DECLARE
    uuid_pattern CONSTANT text := '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
    sampled_bytes CONSTANT numeric := 100 * current_setting('block_size')::integer;
    keys_table CONSTANT regclass := uuidx_migrate.root(relation);
    candidate record;
    bytes numeric;
    is_foreign boolean;
BEGIN
    PERFORM uuidx_migrate.check_column(relation, column_name);
    IF (SELECT c.relkind NOT IN ('r', 'p') FROM pg_class AS c WHERE c.oid = relation) THEN
        RAISE EXCEPTION '% is not a table', relation USING ERRCODE = 'wrong_object_type';
    END IF;
    BEGIN
        PERFORM uuidx_migrate.restrict_to_tables();
        EXECUTE format('SELECT %I FROM %s LIMIT 0', column_name, keys_table);
        RAISE EXCEPTION USING ERRCODE = 'UUIDX';
    EXCEPTION WHEN SQLSTATE 'UUIDX' THEN
        NULL;
    END;
    FOR candidate IN
        SELECT c.* FROM uuidx_migrate.suspect_candidates(keys_table, column_name) AS c
    LOOP
        BEGIN
            PERFORM uuidx_migrate.restrict_to_tables();
            SELECT sum(pg_relation_size(c.oid)), bool_or(c.relkind = 'f') INTO bytes, is_foreign
            FROM (SELECT candidate.source UNION SELECT p.relid FROM pg_partition_tree(candidate.source) AS p) AS m (relid)
            JOIN pg_class AS c ON c.oid = m.relid;
            IF is_foreign THEN
                RAISE EXCEPTION 'one of its partitions is a foreign table';
            END IF;
            EXECUTE format(
                'SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM %s AS k WHERE k.%I = ANY (s.uuids)))
                 FROM (SELECT %s AS uuids
                       FROM (SELECT t.%I AS v FROM %s AS t TABLESAMPLE SYSTEM (%s) WHERE t.%4$I IS NOT NULL
                             ORDER BY random() LIMIT 1000) AS r) AS s',
                keys_table, column_name, candidate.uuids, candidate.name, concat_ws(' ', candidate.descendants, candidate.source),
                least(100, 100 * sampled_bytes / nullif(bytes, 0)))
            INTO sampled, keys USING format('^%s$', uuid_pattern), format(E'(?<!\\\\)"(%s)"', uuid_pattern);
            RAISE EXCEPTION USING ERRCODE = 'UUIDX';
        EXCEPTION
            WHEN SQLSTATE 'UUIDX' THEN
                IF keys > 0 THEN
                    suspect := candidate.source;
                    suspect_column := candidate.name;
                    type := candidate.type_name;
                    RETURN NEXT;
                END IF;
            WHEN OTHERS THEN
                RAISE WARNING 'could not sample column "%" of table %: %', candidate.name, candidate.source, SQLERRM;
        END;
    END LOOP;
END
$$;
COMMENT ON FUNCTION suspects(regclass, name) IS
'the columns of this database that hold keys of a table without a foreign key: how many of the sampled values are or contain one';
-- Find defaults that call another generator, and make them call uuidx's.

CREATE OR REPLACE FUNCTION default_repointed(
    expression pg_node_tree, from_functions regprocedure[], to_functions regprocedure[]
) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_default_repointed'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION default_repointed(pg_node_tree, regprocedure[], regprocedure[]) IS
'part of default_plan: a default with calls of some functions replaced by calls of others; NULL if it has none';

CREATE OR REPLACE FUNCTION default_extension_of(classid oid, objid oid) RETURNS name
LANGUAGE sql STABLE STRICT
RETURN (SELECT e.extname FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
        WHERE (d.classid, d.objid) = ($1, $2) AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e');
COMMENT ON FUNCTION default_extension_of(oid, oid) IS
'part of default_plan: the extension that an object belongs to; NULL if there is none';

CREATE OR REPLACE FUNCTION default_object(classid oid, objid oid, objsubid integer) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%s %s', o.type, o.identity) FROM pg_identify_object(classid, objid, objsubid) AS o);
COMMENT ON FUNCTION default_object(oid, oid, integer) IS
'part of default_plan: what an object is and its name';

-- SET DEFAULT evaluates the constants in the new default. For a composite, array or range constant, this runs the CHECK
-- constraints of the domains in its type, as the caller. Trust only the caller himself and superusers: no other role's
-- default may use a type outside pg_catalog, and no default a type that such a role owns.
--
-- A table that inherits, or a partition, has its own default: change ONLY that. Up to PostgreSQL 14, a generated column
-- depends on functions with deptype 'a'. With this search_path, all names except those of pg_catalog are qualified.
CREATE OR REPLACE FUNCTION default_users(
    from_functions regprocedure[], to_functions regprocedure[],
    OUT object text, OUT relation regclass, OUT column_name name, OUT old_default text, OUT new_default text,
    OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH trusted AS (
        SELECT r.oid FROM pg_roles AS r WHERE r.rolsuper OR r.rolname = current_user
    ), defaults AS (
        SELECT 'pg_attrdef'::regclass::oid AS classid, d.oid AS objid, d.adbin AS expression, c.relowner AS owner,
               'pg_class'::regclass::oid AS of_class, c.oid AS of_object, a.attnum::integer AS number, a.attname AS name,
               'ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s' AS command
        FROM pg_attrdef AS d
        JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
        JOIN pg_class AS c ON c.oid = d.adrelid
        WHERE a.attgenerated = '' AND NOT pg_is_other_temp_schema(c.relnamespace)
        UNION ALL
        SELECT 'pg_type'::regclass, t.oid, t.typdefaultbin, t.typowner, 'pg_type'::regclass, t.oid, 0, NULL,
               'ALTER DOMAIN %s SET DEFAULT %3$s'
        FROM pg_type AS t
        WHERE t.typdefaultbin IS NOT NULL AND NOT pg_is_other_temp_schema(t.typnamespace)
    ), repointed AS (
        SELECT d.*, n.new_default, default_extension_of(d.of_class, d.of_object) AS extension
        FROM defaults AS d, default_repointed(d.expression, from_functions, to_functions) AS n (new_default)
        WHERE n.new_default IS NOT NULL
    ), judged AS (
        SELECT r.*, CASE
            WHEN r.extension IS NOT NULL THEN format('it belongs to extension "%s"', r.extension)
            WHEN r.name IS NOT NULL AND r.of_object = ANY (citus_tables())
                THEN 'Citus manages the table: set the default on the coordinator when all nodes have the new function'
            WHEN NOT pg_has_role(r.owner, 'USAGE') THEN format('it belongs to role %s: change it as that role', r.owner::regrole)
            ELSE (SELECT format('it uses type %s, through which role %s could run code as you: %s', t.oid::regtype, u.role::regrole,
                                CASE u.role WHEN r.owner THEN 'change it as that role'
                                            ELSE 'set the default yourself if you trust that role' END)
                  FROM pg_depend AS d
                  JOIN pg_type AS t ON t.oid = d.refobjid
                  CROSS JOIN LATERAL (SELECT CASE WHEN r.owner IN (SELECT * FROM trusted) THEN t.typowner ELSE r.owner END) AS u (role)
                  WHERE (d.classid, d.objid, d.refclassid) = (r.classid, r.objid, 'pg_type'::regclass)
                    AND u.role NOT IN (SELECT * FROM trusted)
                  ORDER BY t.oid LIMIT 1)
            END AS obstacle
        FROM repointed AS r
    ), others AS (
        SELECT DISTINCT coalesce(default_object('pg_class'::regclass, r.ev_class, 0),
                                 default_object('pg_class'::regclass, c.adrelid, c.adnum),
                                 default_object(d.classid, d.objid, d.objsubid)) AS object,
               format(CASE WHEN to_functions[f.n] IS NULL THEN 'it depends on %s, which has no counterpart'
                           ELSE 'it depends on %s and is not a default that can be changed' END, from_functions[f.n]) AS obstacle
        FROM generate_subscripts(from_functions, 1) AS f (n)
        JOIN pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = from_functions[f.n] AND d.deptype IN ('n', 'a')
        LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid AND r.rulename = '_RETURN'
        LEFT JOIN pg_attrdef AS c ON d.classid = 'pg_attrdef'::regclass AND c.oid = d.objid
        WHERE NOT (to_functions[f.n] IS NOT NULL
                   AND EXISTS (SELECT FROM repointed AS p WHERE (p.classid, p.objid) = (d.classid, d.objid)))
          AND (default_extension_of(d.classid, d.objid)
               = default_extension_of('pg_proc'::regclass, d.refobjid)) IS NOT TRUE
    )
    SELECT u.*
    FROM (
        SELECT default_object(j.of_class, j.of_object, j.number) AS object,
               CASE WHEN j.name IS NOT NULL THEN j.of_object::regclass END, j.name, pg_get_expr(j.expression, 0), j.new_default,
               CASE WHEN j.obstacle IS NULL THEN format(j.command, i.identity, j.name, j.new_default) END AS statement, j.obstacle
        FROM judged AS j, pg_identify_object(j.of_class, j.of_object, 0) AS i
        UNION ALL
        SELECT o.object, NULL, NULL, NULL, NULL, NULL, o.obstacle FROM others AS o
    ) AS u
    ORDER BY u.statement IS NULL, u.object COLLATE "C", u.obstacle COLLATE "C";
END;
COMMENT ON FUNCTION default_users(regprocedure[], regprocedure[]) IS
'part of default_plan and extension_plan: what calls some functions, and how its defaults are to call others';

CREATE OR REPLACE FUNCTION default_run(statements text[]) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    statement text;
BEGIN
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE statement;
        RETURN NEXT statement;
    END LOOP;
END
$$;
COMMENT ON FUNCTION default_run(text[]) IS
'part of change_defaults and change_extension: runs statements and returns them';

-- --- From one function to another ---

CREATE OR REPLACE FUNCTION default_counterpart(from_function regprocedure, to_function regprocedure) RETURNS regprocedure
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF (SELECT (f.proargtypes, f.provariadic, f.prorettype, f.proretset, f.prokind)
             = (t.proargtypes, t.provariadic, t.prorettype, t.proretset, t.prokind)
        FROM pg_proc AS f, pg_proc AS t WHERE f.oid = from_function AND t.oid = to_function) IS NOT TRUE THEN
        RAISE EXCEPTION 'function "%" cannot take the place of "%"', to_function, from_function
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'They do not take and return the same types.';
    END IF;
    RETURN to_function;
END
$$;
COMMENT ON FUNCTION default_counterpart(regprocedure, regprocedure) IS
'part of default_plan: the second function, or an error if it cannot take the place of the first';

CREATE OR REPLACE FUNCTION default_plan(
    from_function regprocedure, to_function regprocedure,
    OUT object text, OUT relation regclass, OUT column_name name, OUT old_default text, OUT new_default text,
    OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT u.* FROM default_users(ARRAY[from_function], ARRAY[default_counterpart(from_function, to_function)]) AS u;
END;
COMMENT ON FUNCTION default_plan(regprocedure, regprocedure) IS
'the defaults in this database that call a function, each with the statement that makes it call another; and the other dependents of the function';

CREATE OR REPLACE FUNCTION change_defaults(from_function regprocedure, to_function regprocedure) RETURNS SETOF text
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    SELECT r FROM default_run(ARRAY(SELECT p.statement FROM default_plan(from_function, to_function) AS p
                                         WHERE p.statement IS NOT NULL)) AS r;
END;
COMMENT ON FUNCTION change_defaults(regprocedure, regprocedure) IS
'runs the statements of default_plan, all or none, and returns them';

-- --- From one extension to another: functions of the same names ---

-- Without functions that the owner of an extension has added to it: others must not come to call them. Only a superuser
-- can create a function in C.
CREATE OR REPLACE FUNCTION extension_functions(VARIADIC extensions name[]) RETURNS regprocedure[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing name;
BEGIN
    SELECT n INTO missing FROM unnest(extensions) AS n WHERE NOT EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = n);
    IF FOUND THEN
        RAISE EXCEPTION 'extension "%" is not installed in this database', missing USING ERRCODE = 'undefined_object';
    END IF;
    RETURN ARRAY(SELECT p.oid::regprocedure
                 FROM pg_extension AS e JOIN pg_depend AS d ON d.refobjid = e.oid JOIN pg_proc AS p ON p.oid = d.objid
                 JOIN pg_roles AS r ON r.oid = p.proowner JOIN pg_language AS l ON l.oid = p.prolang
                 WHERE e.extname = ANY (extensions) AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
                   AND d.classid = 'pg_proc'::regclass AND (r.rolsuper OR NOT l.lanpltrusted)
                 ORDER BY p.oid);
END
$$;
COMMENT ON FUNCTION extension_functions(name[]) IS
'part of extension_plan: the functions of some extensions, without those that an ordinary user has added';

CREATE OR REPLACE FUNCTION extension_counterparts(functions regprocedure[], candidates regprocedure[]) RETURNS regprocedure[]
LANGUAGE sql STABLE STRICT
RETURN ARRAY(SELECT (SELECT min(c.oid)::regprocedure
                     FROM pg_proc AS p
                     JOIN pg_proc AS c ON (c.proname, c.proargtypes, c.provariadic, c.prorettype, c.proretset, c.prokind)
                                        = (p.proname, p.proargtypes, p.provariadic, p.prorettype, p.proretset, p.prokind)
                     WHERE p.oid = f.oid AND c.oid = ANY (candidates)
                     HAVING count(*) = 1)
             FROM unnest(functions) WITH ORDINALITY AS f (oid, n)
             ORDER BY f.n);
COMMENT ON FUNCTION extension_counterparts(regprocedure[], regprocedure[]) IS
'part of extension_plan: for each function the one of the same name and types; NULL where there is none, or more than one';

-- DROP FUNCTION drops the privileges on the function. The owner's own privilege is not a grant. A function without a
-- counterpart is compared with the default privileges.
CREATE OR REPLACE FUNCTION extension_grants(
    from_functions regprocedure[], to_functions regprocedure[], OUT object text, OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH pairs AS (
        SELECT p.oid::regprocedure AS function, p.proowner AS owner, coalesce(p.proacl, acldefault('f', p.proowner)) AS acl,
               c.oid::regprocedure AS counterpart, coalesce(c.proowner, p.proowner) AS new_owner,
               coalesce(c.proacl, acldefault('f', coalesce(c.proowner, p.proowner))) AS new_acl
        FROM generate_subscripts(from_functions, 1) AS f (n)
        JOIN pg_proc AS p ON p.oid = from_functions[f.n]
        LEFT JOIN pg_proc AS c ON c.oid = to_functions[f.n]
    ), changes AS (
        SELECT DISTINCT p.function, p.counterpart, p.new_owner, 'GRANT' AS command,
               format('TO %s%s', CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END,
                      CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' END) AS grantee
        FROM pairs AS p, aclexplode(p.acl) AS a
        WHERE a.grantee NOT IN (p.owner, p.new_owner)
          AND NOT aclcontains(p.new_acl, makeaclitem(a.grantee, p.new_owner, 'EXECUTE', a.is_grantable))
        UNION ALL
        SELECT p.function, p.counterpart, p.new_owner, 'REVOKE', 'FROM PUBLIC'
        FROM pairs AS p
        WHERE p.counterpart IS NOT NULL AND aclcontains(p.new_acl, makeaclitem(0, p.new_owner, 'EXECUTE', false))
          AND NOT EXISTS (SELECT FROM aclexplode(p.acl) AS a WHERE a.grantee = 0)
    )
    SELECT format('function %s', c.function),
           CASE WHEN r.reason IS NULL THEN format('%s EXECUTE ON ROUTINE %s %s', c.command, c.counterpart, c.grantee) END,
           format('%s EXECUTE %s cannot be repeated: ', c.command, c.grantee) || r.reason
    FROM changes AS c
    CROSS JOIN LATERAL (
        SELECT CASE WHEN c.counterpart IS NULL THEN 'the function has no counterpart'
                    WHEN NOT pg_has_role(c.new_owner, 'USAGE') THEN format('you do not own %s', c.counterpart) END
    ) AS r (reason);
END;
COMMENT ON FUNCTION extension_grants(regprocedure[], regprocedure[]) IS
'part of extension_plan: the privileges on functions, and how they are to be repeated on others';

CREATE OR REPLACE FUNCTION extension_plan(
    from_extension name, VARIADIC to_extensions name[],
    OUT object text, OUT relation regclass, OUT column_name name, OUT old_default text, OUT new_default text,
    OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    WITH functions AS (
        SELECT extension_functions(from_extension) AS old,
               extension_counterparts(extension_functions(from_extension), extension_functions(VARIADIC to_extensions)) AS new
    )
    SELECT p.*
    FROM (
        SELECT u.* FROM functions AS f, default_users(f.old, f.new) AS u
        UNION ALL
        SELECT g.object, NULL, NULL, NULL, NULL, g.statement, g.obstacle
        FROM functions AS f, extension_grants(f.old, f.new) AS g
    ) AS p
    ORDER BY p.statement IS NULL, p.object COLLATE "C", p.statement COLLATE "C", p.obstacle COLLATE "C";
END;
COMMENT ON FUNCTION extension_plan(name, name[]) IS
'the defaults that call functions of an extension and the privileges on them, each with the statement that repeats it for those of others; and what else depends on them';

CREATE OR REPLACE FUNCTION change_extension(from_extension name, VARIADIC to_extensions name[]) RETURNS SETOF text
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    SELECT r FROM default_run(ARRAY(SELECT p.statement FROM extension_plan(from_extension, VARIADIC to_extensions) AS p
                                         WHERE p.statement IS NOT NULL)) AS r;
END;
COMMENT ON FUNCTION change_extension(name, name[]) IS
'runs the statements of extension_plan, all or none, and returns them';
-- Create the schema uuidx_migrate. It belongs to the superuser who runs this script, and DROP EXTENSION drops it. An
-- existing schema may belong to somebody who could create functions beside these; default privileges may let others do
-- so in a new one.
DO $$
DECLARE
    grantee text;
BEGIN
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'uuidx_migrate') THEN
        RAISE EXCEPTION 'schema "uuidx_migrate" already exists'
            USING ERRCODE = 'duplicate_schema', DETAIL = 'The extension "uuidx_migrate" creates this schema itself.',
                  HINT = 'Drop the schema, or rename it, and create the extension again.';
    END IF;
    CREATE SCHEMA uuidx_migrate;
    FOR grantee IN
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
        FROM pg_namespace AS n, aclexplode(n.nspacl) AS a WHERE n.nspname = 'uuidx_migrate' AND a.grantee <> n.nspowner
    LOOP
        EXECUTE format('REVOKE ALL ON SCHEMA uuidx_migrate FROM %s', grantee);
    END LOOP;
    GRANT USAGE ON SCHEMA uuidx_migrate TO PUBLIC;
END
$$;
-- If the schema already has functions of these names, report all of them and their extensions.
DO $$
DECLARE
    target regnamespace := 'uuidx_migrate'::regnamespace;
    taken text := (
        SELECT string_agg(t.functions || coalesce(' of extension "' || t.extname || '"', ''), '; ' ORDER BY t.extname)
        FROM (SELECT e.extname, string_agg(format('%s(%s)', there.proname, oidvectortypes(there.proargtypes)), ', '
                                           ORDER BY there.proname, there.proargtypes) AS functions
              FROM pg_proc AS made
              JOIN pg_proc AS there ON (there.proname, there.proargtypes) = (made.proname, made.proargtypes)
              LEFT JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = there.oid
                                      AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
              LEFT JOIN pg_extension AS e ON e.oid = d.refobjid
              WHERE made.pronamespace = current_schema()::regnamespace AND there.pronamespace = target
              GROUP BY e.extname) AS t);
BEGIN
    IF taken IS NOT NULL THEN
        RAISE EXCEPTION 'schema "%" already has functions that extension "uuidx_migrate" would create',
            (SELECT nspname FROM pg_namespace WHERE oid = target)
            USING ERRCODE = 'duplicate_function', DETAIL = format('The schema has %s.', taken),
                  HINT = 'Give the extension a schema of its own: CREATE SCHEMA uuidx; CREATE EXTENSION uuidx_migrate SCHEMA uuidx; '
                         'docs/changing-over.md shows how to replace another extension with this one.';
    END IF;
END
$$;

-- Move everything to the extension's schema. The row type of a table and an array type move with
-- what they are of.
DO $$
DECLARE
    private regnamespace := current_schema()::regnamespace;
    target regnamespace := 'uuidx_migrate'::regnamespace;
    member record;
BEGIN
    FOR member IN
        SELECT d.classid, d.objid
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        WHERE e.extname = 'uuidx_migrate' AND o.schema = private::text
          AND (d.classid <> 'pg_type'::regclass
               OR EXISTS (SELECT FROM pg_type AS t JOIN pg_class AS c ON c.oid = t.typrelid WHERE t.oid = d.objid AND c.relkind = 'c'))
    LOOP
        -- A type that has moved changes the identity of functions that take it.
        EXECUTE (SELECT format('ALTER %s %s SET SCHEMA %s', o.type, o.identity, target) FROM pg_identify_object(member.classid, member.objid, 0) AS o);
    END LOOP;
    EXECUTE format('DROP SCHEMA %s', private);
END
$$;
