-- The conversion of a key to version 7. The new key comes from the time at which its row was created, so the value of a
-- column that references it is looked up in that row.

CREATE OR REPLACE FUNCTION is_looked_up(conversion text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN conversion IN ('to_v7', 'from_v7');
COMMENT ON FUNCTION is_looked_up(text) IS
'whether a conversion looks the values of referencing columns up, as to_v7 and its undo do';

CREATE OR REPLACE FUNCTION is_key(m migration, c moved_column) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (c).root = (m).relation AND (c).name = (m).column_name;
COMMENT ON FUNCTION is_key(migration, moved_column) IS
'whether a column is the key that all others reference';

-- A column that the user names in `also` references the key too.
CREATE OR REPLACE FUNCTION key_candidates(first_relation regclass, columns moved_column[], also text[]) RETURNS TABLE (relation regclass, column_name name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name
    FROM unnest(columns) AS c
    WHERE c.member = c.root
      AND NOT EXISTS (SELECT FROM unnest(also) AS a, LATERAL named_column(a, first_relation) AS n WHERE n.root = c.root AND n.column_name = c.name)
      AND NOT EXISTS (SELECT
                      FROM pg_constraint AS f CROSS JOIN LATERAL ROWS FROM (unnest(f.conkey), unnest(f.confkey)) AS k (referencing, referenced)
                      JOIN unnest(columns) AS r ON r.member = f.confrelid AND r.attnum = k.referenced
                      WHERE f.contype = 'f' AND f.conrelid = c.root AND k.referencing = c.attnum AND (r.root, r.name) <> (c.root, c.name));
END;
COMMENT ON FUNCTION key_candidates(regclass, moved_column[], text[]) IS
'the columns of those that move that reference no other';

-- --- Names ---

CREATE OR REPLACE FUNCTION key_object_name(m migration, suffix text) RETURNS name
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(n) + octet_length(suffix) <= 62 THEN n || '_' || suffix ELSE suffix || '_' || md5(n) END
        FROM (SELECT concat(c.relname, '_', (m).column_name) FROM pg_class AS c WHERE c.oid = (m).relation) AS k (n));
COMMENT ON FUNCTION key_object_name(migration, text) IS
'name of an object that belongs to the key: a function, a table or an index';

CREATE OR REPLACE FUNCTION key_object(m migration, suffix text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('%s.%I', c.relnamespace::regnamespace, key_object_name(m, suffix)) FROM pg_class AS c WHERE c.oid = (m).relation);
COMMENT ON FUNCTION key_object(migration, text) IS
'the same with the schema of the table';

CREATE OR REPLACE FUNCTION proof_name(column_name name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN shadow_name(column_name) || '_proof';
COMMENT ON FUNCTION proof_name(name) IS
'name of the foreign key that proves the shadow of a referencing column';

-- --- The time at which a row was created ---

CREATE OR REPLACE FUNCTION rekeyed(key uuid, created timestamptz, without_time text, future text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_rekeyed'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION rekeyed(uuid, timestamptz, text, text) IS
'version 7 key for another key and the time at which its row was created; a version 7 key itself';

CREATE OR REPLACE FUNCTION created_expression(relation regclass, expression text, allow_superuser boolean DEFAULT false) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_created_expression'
LANGUAGE C STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp;
COMMENT ON FUNCTION created_expression(regclass, text, boolean) IS
'expression for the time at which a row was created, as the body of a function of the row has it; an error unless an index could have it';

-- The planner puts the body of the function in the place of its call. The owner of the table owns it, and the trigger calls
-- no other.
CREATE OR REPLACE FUNCTION created_function(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s
    FROM pg_class AS c,
         unnest(ARRAY[format('CREATE FUNCTION %s(r %s) RETURNS pg_catalog.timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN %s',
                             key_object(m, 'created'), (m).relation, (m).created),
                      format('ALTER FUNCTION %s(%s) OWNER TO %s', key_object(m, 'created'), (m).relation, c.relowner::regrole)]) AS s
    WHERE c.oid = (m).relation AND (m).created IS NOT NULL;
END;
COMMENT ON FUNCTION created_function(migration) IS
'statements that create the function for the time at which a row was created';

-- After the exchange, nobody has to say again which expression it was.
CREATE OR REPLACE FUNCTION drop_created_function(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('DROP FUNCTION IF EXISTS %s(%s)', key_object(m, 'created'), (m).relation);
END;
COMMENT ON FUNCTION drop_created_function(migration) IS
'statement that drops the function for the time at which a row was created';

CREATE OR REPLACE FUNCTION creation_times(
    relation regclass, column_name name, created text, allow_superuser boolean DEFAULT false,
    OUT keys bigint, OUT of_version_7 bigint, OUT without_time bigint, OUT future bigint, OUT example text
)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.lock_table(relation, 'ACCESS SHARE');
    EXECUTE format('SELECT count(*), count(*) FILTER (WHERE is_v7), count(*) FILTER (WHERE NOT is_v7 AND no_time),
                           count(*) FILTER (WHERE NOT is_v7 AND created > clock_timestamp()),
                           min(key::text) FILTER (WHERE NOT is_v7 AND (no_time OR created > clock_timestamp()))
                    FROM (SELECT key, created, uuidx_migrate.uuid_version(key) IS NOT DISTINCT FROM 7 AS is_v7,
                                 (created >= timestamptz %L) IS NOT TRUE AS no_time
                          FROM (SELECT r.%I AS key, %s AS created FROM %s AS r WHERE r.%2$I IS NOT NULL OFFSET 0) AS k) AS k',
                   '1970-01-01 00:00:00+00', column_name,
                   coalesce(uuidx_migrate.created_expression(relation, created, allow_superuser), format('uuidx_migrate.uuid_time(r.%I)', column_name)), relation)
    INTO keys, of_version_7, without_time, future, example;
END
$$;
COMMENT ON FUNCTION creation_times(regclass, name, text, boolean) IS
'number of keys of a column, of those of version 7, and of others whose row has no creation time of 1970 or later, or one that is still to come';

-- Version 7 keys stay, so after the exchange there is nothing to complain about.
CREATE OR REPLACE FUNCTION check_times(relation regclass, column_name name, created text, without_time text, future text, allow_superuser boolean) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    t record;
    wrong bigint;
BEGIN
    SELECT c.* INTO t FROM uuidx_migrate.creation_times(relation, column_name, created, allow_superuser) AS c WHERE uuidx_migrate.filling(relation, column_name) IS NULL;
    wrong := CASE without_time WHEN 'error' THEN t.without_time ELSE 0 END + CASE future WHEN 'error' THEN t.future ELSE 0 END;
    IF wrong > 0 THEN
        RAISE EXCEPTION 'table % has rows without a creation time for a version 7 UUID', relation USING ERRCODE = 'datetime_field_overflow',
            DETAIL = format('The number of those without a time of 1970 or later is %s, and that of those with a time to come %s. One of them has %s "%s".',
                            t.without_time, t.future, column_name, t.example),
            HINT = 'Name an expression for the time with created, or have such rows get the time 1970-01-01 with without_time or future => ''epoch''.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_times(regclass, name, text, text, text, boolean) IS
'an error if rows have no creation time, or one that is still to come, and that is to be an error';

-- --- Online: triggers ---

CREATE OR REPLACE FUNCTION fill_key() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill_key'
LANGUAGE C;
COMMENT ON FUNCTION fill_key() IS
'trigger before INSERT or UPDATE that fills the shadow of a key that becomes one of version 7';

CREATE OR REPLACE FUNCTION fill_reference() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill_reference'
LANGUAGE C;
COMMENT ON FUNCTION fill_reference() IS
'trigger before INSERT or UPDATE that fills the shadow of a referencing column with the shadow of the key';

CREATE OR REPLACE FUNCTION refill() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_refill'
LANGUAGE C;
COMMENT ON FUNCTION refill() IS
'trigger after INSERT or UPDATE that looks up what fill_reference did not find';

CREATE OR REPLACE FUNCTION reset() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_reset'
LANGUAGE C;
COMMENT ON FUNCTION reset() IS
'trigger after UPDATE or DELETE that has references to a key looked up again';

CREATE OR REPLACE FUNCTION key_trigger(m migration, c moved_column) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN is_key(m, c)
            THEN format('uuidx_migrate.fill_key(%L, %L, %L, %L, %L)', (c).name, (c).shadow,
                        CASE WHEN (m).created IS NULL THEN '' ELSE key_object_name(m, 'created') END, (m).without_time, (m).future)
            ELSE format('uuidx_migrate.fill_reference(%L, %L, %L, %L)', (c).name, (c).shadow, (m).column_name, shadow_name((m).column_name)) END;
COMMENT ON FUNCTION key_trigger(migration, moved_column) IS
'part of fill_trigger: the conversion to version 7';

-- Their names sort before those of the triggers of foreign keys. A reference has two: one fires after each statement, the
-- other at the end of the transaction. FROM says which table the other one is. The server reads the condition for each
-- statement anew, so only the trigger whose events it collects until the end has one.
CREATE OR REPLACE FUNCTION companion_triggers(m migration, c moved_column) RETURNS TABLE (name name, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.name, s
    FROM (SELECT format('0_%s', (c).shadow)::name, 'CONSTRAINT TRIGGER', 'DELETE', ' DEFERRABLE INITIALLY DEFERRED', '',
                 format('uuidx_migrate.reset(%L, %L)', (c).name, (c).shadow)
          WHERE is_key(m, c)
          UNION ALL
          SELECT t.name, t.kind, 'INSERT', t.deferred, t.condition,
                 format('uuidx_migrate.refill(%L, %L, %L, %L)', (c).name, (c).shadow, (m).column_name, shadow_name((m).column_name))
          FROM (VALUES (format('0_%s', (c).shadow), 'CONSTRAINT TRIGGER', format(' FROM %s DEFERRABLE INITIALLY DEFERRED', (m).relation),
                        format(' WHEN (NEW.%I OPERATOR(pg_catalog.=) NEW.%I)', (c).shadow, (c).name)),
                       (format('00%s', (c).shadow), 'TRIGGER', '', '')) AS t (name, kind, deferred, condition)
          WHERE NOT is_key(m, c)) AS t (name, kind, event, deferred, condition, call),
         unnest(ARRAY[format('CREATE %s %I AFTER %s OR UPDATE OF %I, %I ON %s%s FOR EACH ROW%s EXECUTE FUNCTION %s', t.kind, t.name, t.event, (c).name, (c).shadow,
                             (c).root, t.deferred, t.condition, t.call),
                      format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', (c).root, t.name)]) AS s;
END;
COMMENT ON FUNCTION companion_triggers(migration, moved_column) IS
'the triggers beside the one that fills a shadow, each with the statements that create it';

-- The new default comes now, as new rows with version 7 keys need no other key. The shadow column keeps the former default.
CREATE OR REPLACE FUNCTION key_statements(m migration, columns moved_column[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF (SELECT bool_or(uuidx_migrate.is_key(m, c)) FROM unnest(columns) AS c) THEN
        RETURN QUERY SELECT f FROM uuidx_migrate.created_function(m) AS f;
        RETURN QUERY
            SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s, ALTER COLUMN %I SET DEFAULT %s', d.member, d.name, d.new_default,
                          d.shadow, uuidx_migrate.unused_default(d.old_default))
            FROM uuidx_migrate.new_defaults(m) AS d WHERE d.new_default IS NOT NULL AND (d.root, d.name) = (m.relation, m.column_name);
    END IF;
    RETURN QUERY
        SELECT t.sql FROM unnest(columns) AS c, LATERAL uuidx_migrate.companion_triggers(m, c) AS t WHERE c.member = c.root;
END
$$;
COMMENT ON FUNCTION key_statements(migration, moved_column[]) IS
'part of shadow_statements: the conversion to version 7';

-- A referencing column may have a key as its default.
CREATE OR REPLACE FUNCTION constant_key(expression text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(expression FROM E'^''([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})''::uuid$')::uuid;
COMMENT ON FUNCTION constant_key(text) IS
'the UUID that a default consists of; NULL for any other default';

CREATE OR REPLACE FUNCTION convert_default(relation regclass, column_name name, keys regclass, from_column name, to_column name) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key uuid;
BEGIN
    SELECT uuidx_migrate.constant_key(pg_get_expr(d.adbin, d.adrelid)) INTO key
    FROM pg_attrdef AS d JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
    WHERE d.adrelid = relation AND a.attname = column_name;
    EXECUTE format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %L::uuid', relation, column_name, uuidx_migrate.mapped(keys, from_column, to_column, key));
END
$$;
COMMENT ON FUNCTION convert_default(regclass, name, regclass, name, name) IS
'replaces the key that is the default of a column by another column of the row in which it is';

CREATE OR REPLACE FUNCTION constant_defaults(m migration, mode text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate.convert_default(%s, %s, %s, %s, %s)', typed(c.member::text, 'regclass'), typed(c.name, 'name'), typed(k.keys, 'regclass'),
                  typed(k.from_column, 'name'), typed(k.to_column, 'name'))
    FROM unnest((m).columns) AS c JOIN pg_attrdef AS d ON d.adrelid = c.member AND d.adnum = c.attnum,
         (VALUES ('online', NULL, (m).relation::text, shadow_name((m).column_name), (m).column_name),
                 ('offline', 'to_v7', key_object(m, 'former'), 'former_key', 'key'),
                 ('offline', 'from_v7', key_object(m, 'former'), 'key', 'former_key')) AS k (mode, conversion, keys, from_column, to_column)
    WHERE constant_key(pg_get_expr(d.adbin, d.adrelid)) IS NOT NULL AND k.mode = constant_defaults.mode AND coalesce(k.conversion, (m).conversion) = (m).conversion
    ORDER BY c.member::text COLLATE "C", c.name;
END;
COMMENT ON FUNCTION constant_defaults(migration, text) IS
'statements that convert the keys that are defaults';

-- If the migration is given up before the exchange, the key gets its former default back.
CREATE OR REPLACE FUNCTION companion_drops(m migration, table_ regclass) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT DISTINCT format('DROP TRIGGER %I ON %s', t.name, c.root)
        FROM unnest(m.columns) AS c, LATERAL uuidx_migrate.companion_triggers(m, c) AS t WHERE c.member = c.root AND c.root = table_;
    IF table_ = m.relation THEN
        RETURN QUERY SELECT d FROM uuidx_migrate.drop_created_function(m) AS d;
        RETURN QUERY
            SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', c.member, c.name, f)
            FROM unnest(m.columns) AS c, LATERAL uuidx_migrate.former_default(c.member, c.shadow) AS f
            WHERE c.member = table_ AND uuidx_migrate.is_key(m, c) AND m.conversion = 'from_v7' AND uuidx_migrate.is_old_generator(f, 'to_v7');
    END IF;
END
$$;
COMMENT ON FUNCTION companion_drops(migration, regclass) IS
'part of finish: statements that drop what key_statements has made';

-- Called by the trigger function reset, as whoever changes a key.
CREATE OR REPLACE FUNCTION reset_statements(key_table regclass) RETURNS TABLE (relation oid, statement text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.tgrelid, format('UPDATE %s SET %I = NULL WHERE %I OPERATOR(pg_catalog.=) $1 AND %2$I IS DISTINCT FROM $2',
                             t.tgrelid::regclass, shadow_name(a.attname), a.attname)
    FROM pg_depend AS d JOIN pg_trigger AS t ON t.oid = d.objid
    JOIN pg_attribute AS a ON a.attrelid = t.tgrelid AND t.tgname = format('0_%s', shadow_name(a.attname))
    WHERE d.classid = 'pg_trigger'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = key_table
      AND t.tgconstrrelid = key_table AND t.tgfoid = 'refill()'::regprocedure AND t.tgparentid = 0;
END;
COMMENT ON FUNCTION reset_statements(regclass) IS
'part of reset: the statements that have the references to a key looked up again';

-- --- Online: indexes and the proof ---

CREATE OR REPLACE FUNCTION key_index(m migration, suffix text, columns text) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'key', format('ACCESS EXCLUSIVE on %s, briefly, if a build was interrupted', (m).relation),
           call_locked(ARRAY[(m).relation], format('EXISTS (SELECT FROM pg_catalog.pg_index WHERE indexrelid = pg_catalog.to_regclass(%s) AND NOT indisvalid)',
                                                   typed(key_object(m, suffix), 'text')),
                       ARRAY[format('DROP INDEX %s', key_object(m, suffix))])
    UNION ALL
    SELECT 'key', format('SHARE UPDATE EXCLUSIVE on %s', (m).relation),
           format('CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS %I ON %s %s', key_object_name(m, suffix), (m).relation,
                  format(columns, (m).column_name, shadow_name((m).column_name)));
END;
COMMENT ON FUNCTION key_index(migration, text, text) IS
'steps that build an index of a key and its shadow';

-- Building an index concurrently also waits for all older snapshots. From then on, each snapshot sees one new key for each
-- row, and it is always the same. The proof references this index.
CREATE OR REPLACE FUNCTION pair_index(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT i.* FROM key_index(m, 'pair', '(%I, %I)') AS i;
END;
COMMENT ON FUNCTION pair_index(migration) IS
'steps that build the index from which the new keys are unchanging';

-- After the exchange, this index keeps the former key unique, and finds it. A foreign key references no partial index.
CREATE OR REPLACE FUNCTION alias_index(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'proof', i.locks, i.sql FROM key_index(m, (m).conversion, '(%1$I) INCLUDE (%2$I) WHERE %1$I IS NOT NULL') AS i;
END;
COMMENT ON FUNCTION alias_index(migration) IS
'steps that build the index of the key as it is before the exchange';

-- As sound as any foreign key. Before PostgreSQL 18, a partitioned table cannot have one that is NOT VALID: its partitions
-- get it, and then it attaches them.
CREATE OR REPLACE FUNCTION proof_steps(m migration) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    c uuidx_migrate.moved_column;
    member regclass;
    definition text;
BEGIN
    FOREACH c IN ARRAY m.columns LOOP
        CONTINUE WHEN c.member <> c.root OR uuidx_migrate.is_key(m, c);
        definition := format('FOREIGN KEY (%I, %I) REFERENCES %s (%I, %I) DEFERRABLE INITIALLY DEFERRED',
                             c.name, c.shadow, m.relation, m.column_name, uuidx_migrate.shadow_name(m.column_name));
        FOREACH member IN ARRAY uuidx_migrate.tables_of(c.root) LOOP
            RETURN QUERY
                SELECT 'proof', a.locks, a.sql
                FROM uuidx_migrate.add_constraint(m, uuidx_migrate.key_relations(member, m.relation), 'SHARE ROW EXCLUSIVE', uuidx_migrate.proof_name(c.name), definition || ' NOT VALID') AS a;
            RETURN QUERY
                SELECT 'proof', uuidx_migrate.validation_locks(member, m.relation),
                       uuidx_migrate.call_validate(m, member, uuidx_migrate.proof_name(c.name));
        END LOOP;
        RETURN QUERY
            SELECT 'proof', a.locks, a.sql
            FROM uuidx_migrate.add_constraint(m, uuidx_migrate.key_relations(c.root, m.relation), 'SHARE ROW EXCLUSIVE', uuidx_migrate.proof_name(c.name), definition) AS a
            WHERE uuidx_migrate.is_partitioned(c.root);
    END LOOP;
END
$$;
COMMENT ON FUNCTION proof_steps(migration) IS
'steps that prove by foreign keys that each reference has the shadow of its key';

CREATE OR REPLACE FUNCTION check_proof(relation regclass, column_name name) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conrelid = relation AND k.conname = uuidx_migrate.proof_name(column_name) AND k.contype = 'f' AND k.convalidated) THEN
        RAISE EXCEPTION 'the shadow of column "%" of table % is not proved', column_name, relation USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_proof(regclass, name) IS
'an error unless a foreign key proves the shadow of a referencing column';

-- Whoever may create relations in the schema may have taken the name, and then IF NOT EXISTS builds no index.
CREATE OR REPLACE FUNCTION check_index(relation regclass, index name) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid = relation AND c.relname = index AND i.indisvalid) THEN
        RAISE EXCEPTION 'table % has no valid index "%"', relation, index USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Rename any other relation that has this name, and run the script from the top.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_index(regclass, name) IS
'an error unless a table has a valid index with this name';

CREATE OR REPLACE FUNCTION proof_checks(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate.check_proof(%s, %s)', typed(c.root::text, 'regclass'), typed(c.name, 'name'))
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND NOT is_key(m, c)
    UNION ALL
    SELECT format('SELECT uuidx_migrate.check_index(%s, %s)', typed((m).relation::text, 'regclass'), typed(key_object_name(m, (m).conversion), 'name'));
END;
COMMENT ON FUNCTION proof_checks(migration) IS
'statements that check what proof_steps has done';

CREATE OR REPLACE FUNCTION drop_proof(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', c.root, proof_name(c.name)) FROM unnest((m).columns) AS c WHERE c.member = c.root AND NOT is_key(m, c)
    UNION ALL
    SELECT format('DROP INDEX %s', key_object(m, 'pair'));
END;
COMMENT ON FUNCTION drop_proof(migration) IS
'statements of the exchange that drop what proof_steps has made';

-- --- Offline: a table of the former keys ---

CREATE OR REPLACE FUNCTION mapped(map regclass, from_column name, to_column name, key uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_mapped'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION mapped(regclass, name, name, uuid) IS
'value of a column in the row of a table in which another column is a key; the key itself if there is no such row';

CREATE OR REPLACE FUNCTION mapped_value(m migration, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format(CASE (m).conversion WHEN 'to_v7' THEN 'uuidx_migrate.mapped(%s, ''former_key''::pg_catalog.name, ''key''::pg_catalog.name, %I)'
                                               ELSE 'uuidx_migrate.mapped(%s, ''key''::pg_catalog.name, ''former_key''::pg_catalog.name, %I)' END,
              typed(key_object(m, 'former'), 'regclass'), column_name);
COMMENT ON FUNCTION mapped_value(migration, name) IS
'expression for the new value of a column, looked up in the table of the former keys';

CREATE OR REPLACE FUNCTION map_statements(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s
    FROM pg_class AS c, LATERAL (SELECT key_object(m, 'former')) AS n (map),
         unnest(ARRAY(SELECT created_function(m))
                || ARRAY[format('CREATE TABLE %s AS SELECT k.former_key, k.key FROM (SELECT r.%I AS former_key, uuidx_migrate.rekeyed(r.%2$I, %s, %s, %s) AS key FROM %s AS r) AS k '
                                'WHERE k.key OPERATOR(pg_catalog.<>) k.former_key',
                                n.map, (m).column_name,
                                CASE WHEN (m).created IS NULL THEN format('uuidx_migrate.uuid_time(r.%I)', (m).column_name) ELSE format('%s(r)', key_object(m, 'created')) END,
                                typed((m).without_time, 'text'), typed((m).future, 'text'), (m).relation),
                         format('ALTER TABLE %s OWNER TO %s', n.map, c.relowner::regrole),
                         format('CREATE UNIQUE INDEX ON %s (former_key) INCLUDE (key)', n.map),
                         format('ANALYZE %s', n.map)]
                || ARRAY(SELECT drop_created_function(m) WHERE (m).created IS NOT NULL)) AS s
    WHERE c.oid = (m).relation AND (m).conversion = 'to_v7'
    UNION ALL
    SELECT s
    FROM (SELECT key_object(m, 'former')) AS n (map),
         unnest(ARRAY[format('CREATE UNIQUE INDEX ON %s (key) INCLUDE (former_key)', n.map), format('ANALYZE %s', n.map)]) AS s
    WHERE (m).conversion = 'from_v7';
END;
COMMENT ON FUNCTION map_statements(migration) IS
'statements that make the table of the former keys, or make it ready for an undo';

CREATE OR REPLACE FUNCTION has_map(m migration) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_class AS c JOIN pg_class AS k ON k.oid = (m).relation
               WHERE c.relnamespace = k.relnamespace AND c.relowner = k.relowner AND c.relkind = 'r' AND c.relname = key_object_name(m, 'former'))
       AND is_looked_up((m).conversion);
COMMENT ON FUNCTION has_map(migration) IS
'whether there is a table of the former keys, which belongs to the owner of the table';
