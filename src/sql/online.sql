-- The statements that move columns while their tables serve: shadow columns are kept by triggers, filled in
-- batches and indexed, and then take the place of the columns.
--
-- Each statement sees whether it is done already, so that a script can be run again from the top. The
-- trigger of a shadow column says how far the migration is: there is none before it begins, one that
-- converts in the direction of the migration until the columns are exchanged, and one that converts back
-- from then on.

-- --- Short locks ---

-- One table after the other, all within max_wait: who waits behind this waits no longer than that.
CREATE FUNCTION uuid_migration_lock(tables regclass[], max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    deadline timestamptz := clock_timestamp() + max_wait;
    member regclass;
BEGIN
    FOR member IN
        SELECT m.relid
        FROM unnest(tables) WITH ORDINALITY AS t (root, n)
        CROSS JOIN LATERAL (SELECT root AS relid UNION SELECT relid FROM pg_partition_tree(root)) AS m
        ORDER BY n, m.relid <> root, m.relid
    LOOP
        PERFORM set_config('lock_timeout',
                           greatest(ceil(1000 * extract(epoch FROM deadline - clock_timestamp())), 1)::text, true);
        EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', member);
    END LOOP;
END
$$;
COMMENT ON FUNCTION uuid_migration_lock(regclass[], interval) IS
'part of uuid_migration_locked: locks tables and their partitions, or ends in an error within a time';

CREATE FUNCTION uuid_migration_lockers(tables regclass[]) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT string_agg(DISTINCT l.pid::text, ', ')
    FROM pg_locks AS l
    WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid()
      AND uuid_migration_root(l.relation) = ANY (tables)
      AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
);
COMMENT ON FUNCTION uuid_migration_lockers(regclass[]) IS
'part of uuid_migration_locked: process IDs of the sessions that use tables or their partitions';

-- A procedure that commits may have no search_path of its own: it is set for each transaction.
CREATE PROCEDURE uuid_migration_locked(
    tables regclass[],
    condition text,
    statements text,
    max_wait interval DEFAULT '300 ms',
    pause interval DEFAULT '1 s'
)
LANGUAGE plpgsql
AS $$
DECLARE
    uuidx text := (SELECT n.nspname FROM pg_catalog.pg_extension AS e
                   JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
                   WHERE e.extname OPERATOR(pg_catalog.=) 'uuidx');
    due boolean;
    lockers text;
BEGIN
    LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
        EXECUTE 'SELECT ' || condition INTO STRICT due;
        EXIT WHEN due IS NOT TRUE;
        BEGIN
            EXECUTE format('SELECT %I.uuid_migration_lock($1, $2)', uuidx) USING tables, max_wait;
            EXECUTE 'SELECT ' || condition INTO STRICT due;
            IF due THEN
                EXECUTE statements;
            END IF;
            EXIT;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            EXECUTE format('SELECT %I.uuid_migration_lockers($1)', uuidx) INTO lockers USING tables;
            RAISE NOTICE 'not all locks were got within %; the tables are used by %; to be tried again',
                max_wait, coalesce('the sessions ' || lockers, 'no session any more');
        END;
        COMMIT;
        PERFORM pg_catalog.pg_sleep_for(pause);
    END LOOP;
    COMMIT;
END
$$;
COMMENT ON PROCEDURE uuid_migration_locked(regclass[], text, text, interval, interval) IS
'runs statements in one transaction that locks tables and their partitions, if a condition holds; tries again as long as it does not get all locks within max_wait';

-- A text between dollar signs, which can be read, if nothing in it can be taken for the end.
CREATE FUNCTION uuid_migration_quote(text text, tag text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN strpos(text, format('$%s$', tag)) = 0 THEN format('$%1$s$%2$s$%1$s$', tag, text) ELSE quote_literal(text) END;
COMMENT ON FUNCTION uuid_migration_quote(text, text) IS
'a text as a literal, between dollar signs if possible';

CREATE FUNCTION uuid_migration_call_locked(tables regclass[], condition text, statements text[]) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN format(E'CALL %s(ARRAY[%s]::pg_catalog.regclass[],\n%s, %s)',
              'uuid_migration_locked(regclass[],text,text,interval,interval)'::regprocedure::regproc,
              (SELECT string_agg(quote_literal(t), ', ' ORDER BY n) FROM unnest(tables) WITH ORDINALITY AS u (t, n)),
              uuid_migration_quote(condition, 'if'),
              uuid_migration_quote(E'\n' || array_to_string(statements, E';\n') || E'\n', 'do'));
COMMENT ON FUNCTION uuid_migration_call_locked(regclass[], text, text[]) IS
'call of uuid_migration_locked, as text';

-- --- Foreign keys that are validated after the exchange ---

-- Between the exchange and their validation, only these rows tell them from those that were NOT VALID
-- before. Those of a partitioned table are kept by its partitions until then: PostgreSQL knows no NOT VALID
-- foreign keys of a partitioned table before version 18.
CREATE TABLE uuid_migration_unfinished_foreign_keys (
    relation   regclass,
    name       name,
    definition text CHECK (definition ~ '^FOREIGN KEY [^;]*$'), -- to be added; NULL: to be validated
    comment    text,
    PRIMARY KEY (relation, name)
);
COMMENT ON TABLE uuid_migration_unfinished_foreign_keys IS
'foreign keys that a migration has still to validate or to add';
ALTER TABLE uuid_migration_unfinished_foreign_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY uuid_migration_owner ON uuid_migration_unfinished_foreign_keys
USING (EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND pg_has_role(c.relowner, 'USAGE')));
GRANT SELECT, INSERT, UPDATE, DELETE ON uuid_migration_unfinished_foreign_keys TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('uuid_migration_unfinished_foreign_keys', '');

-- A foreign key of a partitioned table is those of its partitions, and itself.
CREATE FUNCTION uuid_migration_foreign_key_members(
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
COMMENT ON FUNCTION uuid_migration_foreign_key_members(oid) IS
'the tables and partitions with rows that a foreign key is of, its name there, and the partitioned table';

CREATE FUNCTION uuid_migration_unfinished(
    relation regclass, column_name name, exchanged boolean,
    OUT referencing regclass, OUT name name, OUT definition text, OUT comment text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT m.member, m.name, CASE WHEN m.is_partitioned THEN f.definition END, CASE WHEN m.is_partitioned THEN f.comment END
    FROM uuid_migration_foreign_keys(relation, column_name) AS f,
         LATERAL uuid_migration_foreign_key_members(f.foreign_key) AS m
    WHERE NOT exchanged AND (f.validated OR m.is_partitioned)
    UNION ALL
    SELECT u.relation, u.name, u.definition, u.comment
    FROM uuid_migration_unfinished_foreign_keys AS u
    WHERE exchanged
      AND uuid_migration_root(u.relation) IN (SELECT c.relation FROM uuid_migration_columns(relation, column_name) AS c);
END;
COMMENT ON FUNCTION uuid_migration_unfinished(regclass, name, boolean) IS
'the foreign keys that the exchange leaves, or has left, to be validated or added';

-- --- Shadow columns ---

CREATE FUNCTION uuid_migration_moved(
    relation regclass, column_name name,
    OUT root regclass, OUT member regclass, OUT level bigint, OUT attnum smallint, OUT name name, OUT shadow name
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.relation, m.member, (SELECT count(*) FROM pg_partition_ancestors(m.member)), m.attnum, c.column_name,
           uuid_migration_shadow(c.column_name)
    FROM uuid_migration_columns(relation, column_name) AS c,
         LATERAL uuid_migration_tables(c.relation, c.column_name) AS m;
END;
COMMENT ON FUNCTION uuid_migration_moved(regclass, name) IS
'the columns of uuid_migration_columns in each table and partition, how deep that is, and their shadow columns';

-- Without those that are the server's own: pg_attver, as PostgreSQL 15.20 has it.
CREATE FUNCTION uuid_migration_options(options text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(format('%I = %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', ')
        FROM unnest(options) AS o WHERE o !~ '^pg_');
COMMENT ON FUNCTION uuid_migration_options(text[]) IS
'options as pg_class and pg_attribute have them, as a list in SQL; NULL: there are none';

-- PostgreSQL itself is made to compare each shadow with the conversion: nothing can go wrong unseen. From
-- a check that says so, SET NOT NULL knows that it need not read the table.
CREATE FUNCTION uuid_migration_keep(relation regclass, column_name name, direction text, others text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT unnest(ARRAY[
        format(CASE WHEN a.attnotnull THEN 'ALTER TABLE %s ADD CONSTRAINT %I CHECK (%2$I IS NOT NULL AND %2$I = %s) NOT VALID'
                    ELSE 'ALTER TABLE %s ADD CONSTRAINT %I CHECK (%2$I IS NOT DISTINCT FROM %s) NOT VALID' END,
               relation, s.shadow, uuid_migration_conversion(column_name, direction, others)),
        format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s(%L, %L, %L, %L)',
               s.trigger, relation, 'uuid_migration_fill()'::regprocedure::regproc, column_name, s.shadow, direction, others),
        format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', relation, s.trigger)])
    FROM pg_attribute AS a
    CROSS JOIN LATERAL (SELECT uuid_migration_shadow(column_name) AS shadow, uuid_migration_trigger(column_name) AS trigger) AS s
    WHERE a.attrelid = relation AND a.attname = column_name;
END;
COMMENT ON FUNCTION uuid_migration_keep(regclass, name, text, text) IS
'statements that have a shadow column kept for every row that is written';

CREATE FUNCTION uuid_migration_add_shadows(relation regclass, column_name name, direction text, others text)
RETURNS TABLE (root regclass, statements text[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH moved AS MATERIALIZED (
        SELECT m.*, a.attstattarget, a.attoptions, a.attacl
        FROM uuid_migration_moved(relation, column_name) AS m
        JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
    ),
    parts (root, part, sql) AS (
        SELECT m.root, ARRAY[1::bigint], format('ALTER TABLE %s ADD COLUMN %I uuid', m.root, m.shadow) FROM moved AS m WHERE m.member = m.root
        UNION ALL
        SELECT m.root, ARRAY[2], format('ALTER TABLE ONLY %s ALTER COLUMN %I SET STATISTICS %s', m.member, m.shadow, m.attstattarget)
        FROM moved AS m WHERE m.attstattarget >= 0
        UNION ALL
        SELECT m.root, ARRAY[2], format('ALTER TABLE ONLY %s ALTER COLUMN %I SET (%s)', m.member, m.shadow, uuid_migration_options(m.attoptions))
        FROM moved AS m WHERE uuid_migration_options(m.attoptions) IS NOT NULL
        UNION ALL
        SELECT m.root, ARRAY[2], format('COMMENT ON COLUMN %s.%I IS %L', m.member, m.shadow, col_description(m.member, m.attnum))
        FROM moved AS m WHERE col_description(m.member, m.attnum) IS NOT NULL
        UNION ALL
        SELECT m.root, ARRAY[2], format('GRANT %s (%I) ON %s TO %s', g.privilege_type, m.shadow, m.member,
                                 CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END)
                          || CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
        FROM moved AS m CROSS JOIN LATERAL aclexplode(m.attacl) AS g
        UNION ALL
        SELECT m.root, ARRAY[2], format('SECURITY LABEL FOR %I ON COLUMN %s.%I IS %L', l.provider, m.member, m.shadow, l.label)
        FROM moved AS m
        JOIN pg_seclabel AS l ON l.classoid = 'pg_class'::regclass AND l.objoid = m.member AND l.objsubid = m.attnum
        UNION ALL
        SELECT m.root, ARRAY[3, k.ordinality], k.statement
        FROM moved AS m, LATERAL uuid_migration_keep(m.root, m.name, direction, others) WITH ORDINALITY AS k (statement)
        WHERE m.member = m.root
    )
    SELECT p.root, array_agg(p.sql ORDER BY p.part, p.sql COLLATE "C") FROM parts AS p GROUP BY p.root;
END;
COMMENT ON FUNCTION uuid_migration_add_shadows(regclass, name, text, text) IS
'statements that give a table its shadow columns, with the properties of the columns whose place they take';

CREATE FUNCTION uuid_migration_check_shadow(relation regclass, column_name name) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
    shadow name;
    bad_index regclass;
BEGIN
    EXECUTE format('SELECT %s.uuid_migration_shadow($1)', uuidx) INTO STRICT shadow USING column_name;
    IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = relation AND conname = shadow AND convalidated) THEN
        RAISE EXCEPTION 'column "%" of table % is not known to be filled', shadow, relation
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
    EXECUTE format('SELECT min(i.indexrelid::regclass::text)::regclass FROM %s.uuid_migration_tables($1, $2) AS m
                    JOIN pg_index AS i ON i.indrelid = m.member AND m.attnum = ANY (i.indkey) WHERE NOT i.indisvalid', uuidx)
    INTO bad_index USING relation, shadow;
    IF bad_index IS NOT NULL THEN
        RAISE EXCEPTION 'index % is not built', bad_index
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
END
$$;
COMMENT ON FUNCTION uuid_migration_check_shadow(regclass, name) IS
'an error unless a shadow column is filled and its indexes are built';

-- --- Indexes and statistics of the shadow columns ---

CREATE FUNCTION uuid_migration_index_column(index oid, n integer, moved smallint[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT concat(
        CASE WHEN i.indkey[n - 1] = ANY (moved) THEN quote_ident(uuid_migration_shadow(a.attname)) ELSE pg_get_indexdef(index, n, false) END,
        ' COLLATE ' || nullif(i.indcollation[n - 1], 0)::regcollation,
        ' ' || o.opclass,
        ' (' || uuid_migration_options(k.attoptions) || ')',
        CASE i.indoption[n - 1] & 3 WHEN 1 THEN ' DESC NULLS LAST' WHEN 2 THEN ' NULLS FIRST' WHEN 3 THEN ' DESC' END)
    FROM pg_index AS i
    JOIN pg_attribute AS k ON k.attrelid = index AND k.attnum = n
    LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[n - 1]
    LEFT JOIN LATERAL (SELECT format('%s.%I', c.opcnamespace::regnamespace, c.opcname) AS opclass FROM pg_opclass AS c
                       WHERE n <= i.indnkeyatts AND c.oid = i.indclass[n - 1]) AS o ON true
    WHERE i.indexrelid = index
);
COMMENT ON FUNCTION uuid_migration_index_column(oid, integer, smallint[]) IS
'the n-th column of an index, as CREATE INDEX has it, but the shadow column of one that moves';

CREATE FUNCTION uuid_migration_index_definition(index oid, moved smallint[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT concat('CREATE ', CASE WHEN i.indisunique THEN 'UNIQUE ' END, 'INDEX ', CASE c.relkind WHEN 'i' THEN 'CONCURRENTLY ' END,
                  format('IF NOT EXISTS %I ON %s USING %I', uuid_migration_shadow(c.relname), i.indrelid::regclass, m.amname),
                  ' (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n <= i.indnkeyatts) || ')',
                  ' INCLUDE (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n > i.indnkeyatts) || ')',
                  CASE WHEN to_jsonb(i) ->> 'indnullsnotdistinct' = 'true' THEN ' NULLS NOT DISTINCT' END, -- not in PostgreSQL 14
                  ' WITH (' || uuid_migration_options(c.reloptions) || ')',
                  ' TABLESPACE ' || quote_ident(t.spcname),
                  ' WHERE ' || pg_get_expr(i.indpred, i.indrelid))
    FROM pg_index AS i
    JOIN pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_am AS m ON m.oid = c.relam
    LEFT JOIN pg_tablespace AS t ON t.oid = c.reltablespace
    CROSS JOIN LATERAL (SELECT n, uuid_migration_index_column(index, n, moved) AS definition FROM generate_series(1, i.indnatts) AS n) AS k
    WHERE i.indexrelid = index
    GROUP BY i.*, i.indexrelid, i.indisunique, i.indrelid, i.indpred, c.relname, c.relkind, c.reloptions, m.amname, t.spcname
);
COMMENT ON FUNCTION uuid_migration_index_definition(oid, smallint[]) IS
'statement that creates an index as another is, on the shadow columns of those that move';

CREATE FUNCTION uuid_migration_indexes(
    relation regclass, column_name name,
    OUT root regclass, OUT member regclass, OUT level bigint, OUT schema regnamespace, OUT name name,
    OUT index regclass, OUT is_partitioned boolean, OUT definition text,
    OUT "constraint" oid, OUT constraint_type "char", OUT constraint_parent oid
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT m.root, m.member, m.level, array_agg(m.attnum) AS moved
        FROM uuid_migration_moved(relation, column_name) AS m GROUP BY m.root, m.member, m.level
    )
    SELECT t.root, t.member, t.level, c.relnamespace::regnamespace, c.relname, i.indexrelid::regclass, c.relkind = 'I',
           uuid_migration_index_definition(i.indexrelid, t.moved), k.oid, k.contype, k.conparentid
    FROM tables AS t
    JOIN pg_index AS i ON i.indrelid = t.member AND i.indkey::smallint[] && t.moved
    JOIN pg_class AS c ON c.oid = i.indexrelid
    LEFT JOIN pg_constraint AS k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u');
END;
COMMENT ON FUNCTION uuid_migration_indexes(regclass, name) IS
'the indexes of the columns of uuid_migration_columns, the constraints that they are of, and the statements that create them on the shadow columns';

CREATE FUNCTION uuid_migration_statistics(
    relation regclass, column_name name, OUT statistics oid, OUT schema regnamespace, OUT name name, OUT definition text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT m.member, array_agg(m.attnum) AS moved FROM uuid_migration_moved(relation, column_name) AS m GROUP BY m.member
    )
    SELECT s.oid, s.stxnamespace::regnamespace, s.stxname,
           format('CREATE STATISTICS IF NOT EXISTS %s.%I%s ON %s FROM %s', s.stxnamespace::regnamespace, uuid_migration_shadow(s.stxname),
                  (SELECT ' (' || string_agg(kind, ', ') || ')'
                   FROM unnest(s.stxkind) AS k CROSS JOIN LATERAL (SELECT CASE k WHEN 'd' THEN 'ndistinct' WHEN 'f' THEN 'dependencies' WHEN 'm' THEN 'mcv' END) AS n (kind)),
                  concat_ws(', ', (SELECT string_agg(quote_ident(CASE WHEN a.attnum = ANY (t.moved) THEN uuid_migration_shadow(a.attname) ELSE a.attname END), ', ' ORDER BY a.attnum)
                                   FROM pg_attribute AS a WHERE a.attrelid = s.stxrelid AND a.attnum = ANY (s.stxkeys)),
                                  (SELECT string_agg(format('(%s)', e), ', ') FROM unnest(pg_get_statisticsobjdef_expressions(s.oid)) AS e)),
                  t.member)
    FROM tables AS t JOIN pg_statistic_ext AS s ON s.stxrelid = t.member AND s.stxkeys::smallint[] && t.moved;
END;
COMMENT ON FUNCTION uuid_migration_statistics(regclass, name) IS
'the extended statistics of the columns of uuid_migration_columns, and the statements that create them on the shadow columns';

CREATE FUNCTION uuid_migration_index_steps(relation regclass, column_name name)
RETURNS TABLE (part bigint[], name text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT i.*, format('%s.%I', i.schema, uuid_migration_shadow(i.name)) AS shadow FROM uuid_migration_indexes(relation, column_name) AS i
    ),
    statistics AS MATERIALIZED (
        SELECT s.*, format('%s.%I', s.schema, uuid_migration_shadow(s.name)) AS shadow, e.stxstattarget AS target,
               obj_description(s.statistics, 'pg_statistic_ext') AS comment
        FROM uuid_migration_statistics(relation, column_name) AS s JOIN pg_statistic_ext AS e ON e.oid = s.statistics
    )
    -- A build that was interrupted leaves an index that is not valid.
    SELECT ARRAY[1::bigint], i.shadow,
           uuid_migration_call_locked(ARRAY[i.member], format('EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(%L) AND NOT indisvalid)', i.shadow),
                                      ARRAY[format('DROP INDEX %s', i.shadow)])
    FROM indexes AS i WHERE NOT i.is_partitioned
    UNION ALL
    SELECT ARRAY[2], i.shadow, i.definition FROM indexes AS i WHERE NOT i.is_partitioned
    UNION ALL
    -- The index of a partitioned table takes in those of its partitions. A constraint that is to come
    -- could not take them in then: they are left for it.
    SELECT ARRAY[3, -i.level], i.shadow,
           uuid_migration_call_locked(ARRAY[i.member], format('to_regclass(%L) IS NULL', i.shadow), ARRAY[i.definition])
    FROM indexes AS i WHERE i.is_partitioned AND i."constraint" IS NULL
    UNION ALL
    SELECT ARRAY[4], s.shadow, s.definition FROM statistics AS s
    UNION ALL
    SELECT ARRAY[5], s.shadow, format('ALTER STATISTICS %s SET STATISTICS %s', s.shadow, s.target) FROM statistics AS s WHERE s.target >= 0
    UNION ALL
    SELECT ARRAY[5], s.shadow, format('COMMENT ON STATISTICS %s IS %L', s.shadow, s.comment) FROM statistics AS s WHERE s.comment IS NOT NULL;
END;
COMMENT ON FUNCTION uuid_migration_index_steps(regclass, name) IS
'the steps that build the indexes and statistics of the shadow columns';

-- --- The exchange ---

CREATE FUNCTION uuid_migration_exchange_names(command text, name name) RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format(command, n.old, n.new)
    FROM (SELECT uuid_migration_shadow(name) AS shadow, uuid_migration_shadow(uuid_migration_shadow(name)) AS between) AS s,
         LATERAL (VALUES (1, name, s.between), (2, s.shadow, name), (3, s.between, s.shadow)) AS n (part, old, new)
    ORDER BY n.part;
END;
COMMENT ON FUNCTION uuid_migration_exchange_names(text, name) IS
'three statements that give a thing the name of its shadow, and the shadow that of the thing';

-- From PostgreSQL 18 on, NOT NULL is a constraint with a name.
CREATE FUNCTION uuid_migration_exchange_columns(relation regclass, column_name name, direction text)
RETURNS TABLE (part bigint[], sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH moved AS MATERIALIZED (
        SELECT m.*, pg_get_expr(d.adbin, d.adrelid) AS old_default,
               a.attnotnull AS is_not_null, r.attnotnull AND m.member <> m.root AS inherits_not_null, n.conname AS not_null
        FROM uuid_migration_moved(relation, column_name) AS m
        JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
        JOIN pg_attribute AS r ON r.attrelid = m.root AND r.attname = m.name
        LEFT JOIN pg_attrdef AS d ON d.adrelid = m.member AND d.adnum = m.attnum
        LEFT JOIN pg_constraint AS n ON n.conrelid = m.member AND n.contype = 'n' AND n.conkey = ARRAY[m.attnum]
    ),
    defaults AS MATERIALIZED (
        SELECT m.member, m.name, m.shadow, m.old_default, d.new_default
        FROM moved AS m
        LEFT JOIN LATERAL (SELECT * FROM uuid_migration_defaults(m.root, m.name, direction)) AS d ON d.member = m.member
        WHERE m.old_default IS NOT NULL
    )
    SELECT ARRAY[3, n.ordinality], n.statement
    FROM moved AS m, LATERAL uuid_migration_exchange_names(replace(format('ALTER TABLE %s', m.root), '%', '%%') || ' RENAME COLUMN %I TO %I', m.name)
         WITH ORDINALITY AS n (statement)
    WHERE m.member = m.root
    UNION ALL
    SELECT ARRAY[4], format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s, ALTER COLUMN %I DROP DEFAULT',
                            d.member, d.name, coalesce(d.new_default, d.old_default), d.shadow)
    FROM defaults AS d
    UNION ALL
    SELECT ARRAY[4], uuid_migration_note_default(d.member, d.name, direction, d.old_default) FROM defaults AS d WHERE d.new_default IS NOT NULL
    UNION ALL
    -- A partition may have it of itself, too.
    SELECT ARRAY[5, m.level], format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', m.member, m.shadow) FROM moved AS m WHERE m.is_not_null
    UNION ALL
    SELECT ARRAY[6], CASE WHEN m.not_null IS NULL THEN format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', m.member, m.name)
                           ELSE format('ALTER TABLE %s ADD CONSTRAINT %I NOT NULL %I', m.member, m.not_null, m.name) END
    FROM moved AS m WHERE m.is_not_null AND NOT m.inherits_not_null;
END;
COMMENT ON FUNCTION uuid_migration_exchange_columns(regclass, name, text) IS
'statements that give shadow columns the names, defaults and NOT NULL of the columns, and these those of the shadow columns';

-- ALTER TABLE ... RENAME COLUMN leaves the columns of indexes alone, and \d shows their names.
CREATE FUNCTION uuid_migration_rename_index_columns(index regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rename text;
BEGIN
    FOR rename IN
        SELECT format('ALTER TABLE %s RENAME COLUMN %I TO %I', index, k.attname, a.attname)
        FROM pg_index AS i
        JOIN pg_attribute AS k ON k.attrelid = i.indexrelid
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.attnum - 1]
        WHERE i.indexrelid = index
          AND NOT EXISTS (SELECT FROM pg_attribute AS o WHERE o.attrelid = index AND o.attname = a.attname)
    LOOP
        EXECUTE rename;
    END LOOP;
END
$$;
COMMENT ON FUNCTION uuid_migration_rename_index_columns(regclass) IS
'gives the columns of an index the names of those of its table';

CREATE FUNCTION uuid_migration_exchange_indexes(relation regclass, column_name name)
RETURNS TABLE (part bigint[], sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT i.*, n.indisclustered, n.indisreplident, obj_description(i.index, 'pg_class') AS comment
        FROM uuid_migration_indexes(relation, column_name) AS i JOIN pg_index AS n ON n.indexrelid = i.index
    )
    SELECT ARRAY[2::bigint], format('ALTER TABLE %s DROP CONSTRAINT %I', i.member, i.name) FROM indexes AS i WHERE i.constraint_parent = 0
    UNION ALL
    -- The columns of a replica identity cannot be anything but NOT NULL.
    SELECT ARRAY[2], format('ALTER TABLE ONLY %s REPLICA IDENTITY NOTHING', i.member) FROM indexes AS i WHERE i.indisreplident
    UNION ALL
    SELECT ARRAY[7, n.ordinality], n.statement
    FROM indexes AS i, LATERAL uuid_migration_exchange_names(replace(format('ALTER INDEX %s', i.schema), '%', '%%') || '.%I RENAME TO %I', i.name)
         WITH ORDINALITY AS n (statement)
    WHERE i."constraint" IS NULL
    UNION ALL
    -- The constraint of a partitioned table takes in those of its partitions.
    SELECT ARRAY[8, -i.level], format('ALTER TABLE %s ADD CONSTRAINT %I ', i.member, i.name)
        || CASE WHEN i.is_partitioned THEN pg_get_constraintdef(i."constraint")
                ELSE format('%s USING INDEX %I', CASE i.constraint_type WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, uuid_migration_shadow(i.name)) END
    FROM indexes AS i WHERE i."constraint" IS NOT NULL
    UNION ALL
    -- That of a partitioned table renames those of its partitions.
    SELECT ARRAY[9, i.level], format('SELECT %s(%L)', 'uuid_migration_rename_index_columns(regclass)'::regprocedure::regproc, i.index) FROM indexes AS i
    UNION ALL
    SELECT ARRAY[9], format('ALTER TABLE %s CLUSTER ON %I', i.member, i.name) FROM indexes AS i WHERE i.indisclustered
    UNION ALL
    SELECT ARRAY[9], format('ALTER TABLE ONLY %s REPLICA IDENTITY USING INDEX %I', i.member, i.name) FROM indexes AS i WHERE i.indisreplident
    UNION ALL
    SELECT ARRAY[9], format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s', i.index, a.attnum, a.attstattarget)
    FROM indexes AS i JOIN pg_attribute AS a ON a.attrelid = i.index WHERE a.attstattarget >= 0
    UNION ALL
    SELECT ARRAY[12], format('COMMENT ON CONSTRAINT %I ON %s IS %L', i.name, i.member, obj_description(i."constraint", 'pg_constraint'))
    FROM indexes AS i WHERE obj_description(i."constraint", 'pg_constraint') IS NOT NULL
    UNION ALL
    SELECT ARRAY[12], format('COMMENT ON INDEX %s IS %L', i.index, i.comment) FROM indexes AS i WHERE i.comment IS NOT NULL
    UNION ALL
    SELECT ARRAY[7, n.ordinality], n.statement
    FROM uuid_migration_statistics(relation, column_name) AS s,
         LATERAL uuid_migration_exchange_names(replace(format('ALTER STATISTICS %s', s.schema), '%', '%%') || '.%I RENAME TO %I', s.name)
         WITH ORDINALITY AS n (statement);
END;
COMMENT ON FUNCTION uuid_migration_exchange_indexes(regclass, name) IS
'statements that put the indexes and statistics of the shadow columns in the place of those of the columns';

CREATE FUNCTION uuid_migration_exchange_foreign_keys(relation regclass, column_name name)
RETURNS TABLE (part bigint[], sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH foreign_keys AS MATERIALIZED (SELECT * FROM uuid_migration_foreign_keys(relation, column_name))
    SELECT ARRAY[1::bigint], format('ALTER TABLE %s DROP CONSTRAINT %I', f.referencing, f.name) FROM foreign_keys AS f
    UNION ALL
    SELECT ARRAY[11], format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', m.member, m.name, f.definition,
                             CASE WHEN f.validated THEN ' NOT VALID' ELSE '' END)
    FROM foreign_keys AS f, LATERAL uuid_migration_foreign_key_members(f.foreign_key) AS m WHERE NOT m.is_partitioned
    UNION ALL
    SELECT ARRAY[12], format('COMMENT ON CONSTRAINT %I ON %s IS %L', m.name, m.member, f.comment)
    FROM foreign_keys AS f, LATERAL uuid_migration_foreign_key_members(f.foreign_key) AS m
    WHERE m.member = f.referencing AND NOT m.is_partitioned AND f.comment IS NOT NULL
    UNION ALL
    SELECT ARRAY[12], format('INSERT INTO %s VALUES (%L, %L, %L, %L)', 'uuid_migration_unfinished_foreign_keys'::regclass,
                             u.referencing, u.name, u.definition, u.comment)
    FROM uuid_migration_unfinished(relation, column_name, false) AS u;
END;
COMMENT ON FUNCTION uuid_migration_exchange_foreign_keys(regclass, name) IS
'statements that tie the columns to one another again by the foreign keys that there were, to be validated later';

CREATE FUNCTION uuid_migration_exchange(relation regclass, column_name name, direction text) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM uuid_migration_columns(relation, column_name)),
    parts (part, sql) AS (
        SELECT ARRAY[0::bigint], format('SELECT %s(%L, %L)', 'uuid_migration_check_shadow(regclass,name)'::regprocedure::regproc, c.relation, c.column_name)
        FROM columns AS c
        UNION ALL
        SELECT * FROM uuid_migration_exchange_foreign_keys(relation, column_name)
        UNION ALL
        SELECT * FROM uuid_migration_exchange_indexes(relation, column_name)
        UNION ALL
        SELECT * FROM uuid_migration_exchange_columns(relation, column_name, direction)
        UNION ALL
        SELECT ARRAY[13], format('ALTER TABLE %s DROP CONSTRAINT %I', c.relation, uuid_migration_shadow(c.column_name)) FROM columns AS c
        UNION ALL
        SELECT ARRAY[13], format('DROP TRIGGER %I ON %s', uuid_migration_trigger(c.column_name), c.relation) FROM columns AS c
        UNION ALL
        -- Whatever is written from now on, the old column is kept as far as there is a way back.
        SELECT ARRAY[14, k.ordinality], k.statement
        FROM columns AS c, LATERAL uuid_migration_keep(c.relation, c.column_name, uuid_migration_reverse(direction), 'keep')
             WITH ORDINALITY AS k (statement)
    )
    SELECT array_agg(p.sql ORDER BY p.part, p.sql COLLATE "C") FROM parts AS p;
END;
COMMENT ON FUNCTION uuid_migration_exchange(regclass, name, text) IS
'the statements, in order, that put the shadow columns in the place of the columns';

-- --- The script, online ---

-- The updates of a backfill are like any others to the triggers that users have made.
CREATE FUNCTION uuid_migration_fired_triggers(relation regclass) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT E'-- It fires the triggers for UPDATE: ' || string_agg(DISTINCT quote_ident(t.tgname), ', ') || E'\n'
    FROM pg_trigger AS t
    WHERE uuid_migration_root(t.tgrelid) = relation AND NOT t.tgisinternal AND t.tgenabled <> 'D'
      AND t.tgtype & 16 <> 0 AND t.tgfoid <> 'uuid_migration_fill()'::regprocedure
);
COMMENT ON FUNCTION uuid_migration_fired_triggers(regclass) IS
'comment in SQL that names the triggers that an UPDATE of a table fires, if there are any';

CREATE FUNCTION uuid_migration_drop_shadows(relation regclass, column_name name)
RETURNS TABLE (root regclass, column_name name, statements text[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.relation, min(c.column_name),
           array_agg(format('DROP TRIGGER %I ON %s', uuid_migration_trigger(c.column_name), c.relation))
           || format('ALTER TABLE %s %s', c.relation, string_agg(format('DROP COLUMN %I', uuid_migration_shadow(c.column_name)), ', '))
           || format('DELETE FROM %s WHERE %s(relation) = %L::regclass AND to_column IN (%s)', 'uuid_migration_backfills'::regclass,
                     'uuid_migration_root(oid)'::regprocedure::regproc, c.relation,
                     string_agg(quote_literal(uuid_migration_shadow(c.column_name)), ', '))
    FROM (SELECT * FROM uuid_migration_columns(relation, $2) AS u ORDER BY u.column_name) AS c
    GROUP BY c.relation;
END;
COMMENT ON FUNCTION uuid_migration_drop_shadows(regclass, name) IS
'statements that drop the shadow columns of a table';

CREATE FUNCTION uuid_migration_finish(relation regclass, column_name name, direction text, exchanged boolean)
RETURNS TABLE (part bigint[], name text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH unfinished AS MATERIALIZED (
        SELECT u.*, format('%s WHERE relation = %L::regclass AND name = %L', 'uuid_migration_unfinished_foreign_keys'::regclass,
                           u.referencing, u.name) AS entry
        FROM uuid_migration_unfinished(relation, column_name, exchanged) AS u
    )
    SELECT ARRAY[1::bigint], u.referencing::text, format('ALTER TABLE %s VALIDATE CONSTRAINT %I', u.referencing, u.name)
    FROM unfinished AS u WHERE u.definition IS NULL
    UNION ALL
    SELECT ARRAY[2], u.referencing::text,
           uuid_migration_call_locked(ARRAY[u.referencing], format('EXISTS (SELECT FROM %s)', u.entry),
               array_remove(ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s', u.referencing, u.name, u.definition),
                                  format('COMMENT ON CONSTRAINT %I ON %s IS %L', u.name, u.referencing, u.comment),
                                  format('DELETE FROM %s', u.entry)],
                            format('COMMENT ON CONSTRAINT %I ON %s IS NULL', u.name, u.referencing)))
    FROM unfinished AS u WHERE u.definition IS NOT NULL
    UNION ALL
    SELECT ARRAY[3], u.referencing::text, format('DELETE FROM %s', u.entry) FROM unfinished AS u WHERE u.definition IS NULL
    UNION ALL
    SELECT ARRAY[4], d.root::text,
           regexp_replace(E'When the old columns are needed no more:\n'
                          || uuid_migration_call_locked(ARRAY[d.root], format('%s(%L, %L) = %L', 'uuid_migration_filling(regclass,name)'::regprocedure::regproc,
                                                                              d.root, d.column_name, uuid_migration_reverse(direction)), d.statements),
                          '^', '-- ', 'gn')
    FROM uuid_migration_drop_shadows(relation, column_name) AS d;
END;
COMMENT ON FUNCTION uuid_migration_finish(regclass, name, text, boolean) IS
'the steps after the exchange';

CREATE FUNCTION uuid_migration_online(relation regclass, column_name name, direction text, others text)
RETURNS TABLE (step integer, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH state AS MATERIALIZED (
        SELECT s.filling, coalesce(s.filling = uuid_migration_reverse(direction), false) AS exchanged
        FROM (SELECT uuid_migration_filling(uuid_migration_root(relation), column_name) AS filling) AS s
    ),
    columns AS MATERIALIZED (
        SELECT c.relation, c.column_name, uuid_migration_shadow(c.column_name) AS shadow,
               format('%s(%L, %L)', 'uuid_migration_filling(regclass,name)'::regprocedure::regproc, c.relation, c.column_name) AS filling
        FROM uuid_migration_columns(relation, column_name) AS c
    ),
    before (part, name, sql) AS (
        SELECT ARRAY[1::bigint], c.relation::text,
               format('SELECT %s(%L, %L, %s) WHERE %s IS DISTINCT FROM %L', 'uuid_migration_check(regclass,name,integer)'::regprocedure::regproc,
                      c.relation, c.column_name, uuid_migration_version(direction), c.filling, uuid_migration_reverse(direction))
        FROM columns AS c WHERE others = 'error'
        UNION ALL
        SELECT ARRAY[2], a.root::text,
               uuid_migration_call_locked(ARRAY[a.root], (SELECT min(c.filling) || ' IS NULL' FROM columns AS c WHERE c.relation = a.root), a.statements)
        FROM uuid_migration_add_shadows(relation, column_name, direction, others) AS a
        UNION ALL
        SELECT ARRAY[3], c.relation::text,
               concat(uuid_migration_fired_triggers(c.relation),
                      format('CALL %s(%L, %L, %L, direction => %L, others => %L)',
                             'uuid_migration_backfill(regclass,name,name,integer,interval,text,text)'::regprocedure::regproc,
                             c.relation, c.column_name, c.shadow, direction, others))
        FROM columns AS c
        UNION ALL
        SELECT ARRAY[4], c.relation::text, format('ALTER TABLE %s VALIDATE CONSTRAINT %I', c.relation, c.shadow) FROM columns AS c
        UNION ALL
        SELECT 5 || i.part, i.name, i.sql FROM uuid_migration_index_steps(relation, column_name) AS i
        UNION ALL
        SELECT DISTINCT ARRAY[6::bigint], c.relation::text, format('ANALYZE %s', c.relation) FROM columns AS c
        UNION ALL
        SELECT ARRAY[7], '',
               uuid_migration_call_locked(
                   (SELECT array_agg(t.relation ORDER BY t.relation::text COLLATE "C") FROM (SELECT DISTINCT c.relation FROM columns AS c) AS t),
                   (SELECT format('%s = %L', c.filling, direction) FROM columns AS c
                    WHERE c.relation = uuid_migration_root(uuid_migration_online.relation) AND c.column_name = uuid_migration_online.column_name),
                   uuid_migration_exchange(relation, column_name, direction))
    ),
    steps (part, name, sql) AS (
        SELECT b.part, b.name, b.sql FROM before AS b, state AS s WHERE NOT s.exchanged
        UNION ALL
        SELECT 8 || f.part, f.name, f.sql FROM state AS s, LATERAL uuid_migration_finish(relation, column_name, direction, s.exchanged) AS f
    )
    SELECT row_number() OVER (ORDER BY s.part, s.name COLLATE "C", s.sql COLLATE "C")::integer, s.sql FROM steps AS s;
END;
COMMENT ON FUNCTION uuid_migration_online(regclass, name, text, text) IS
'part of uuid_migration_script: steps that leave the tables to be read and written';
