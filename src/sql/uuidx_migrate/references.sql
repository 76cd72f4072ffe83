-- Online, the conversion to version 7: the triggers that keep the shadows of a key and of the columns that reference it.

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

-- Their names sort before those of the triggers of foreign keys. A reference has two: one fires after each statement, the
-- other at the end of the transaction. FROM says which table the other one is. The server reads the condition for each
-- statement anew, so only the triggers whose events it collects until the end have one. Until a key is filled, nothing that
-- references it is; an INSERT has no OLD to say so.
CREATE OR REPLACE FUNCTION companion_triggers(m migration, c moved_column) RETURNS TABLE (name name, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.name, s
    FROM (SELECT format('0_%s', (c).shadow)::name, 'CONSTRAINT TRIGGER', concat(CASE WHEN l.is_loose THEN 'INSERT OR ' END, 'DELETE'), ' DEFERRABLE INITIALLY DEFERRED',
                 CASE WHEN NOT l.is_loose THEN format(' WHEN (OLD.%I IS NOT NULL)', (c).shadow) END,
                 format('uuidx_migrate.reset(%L, %L)', (c).name, (c).shadow)
          FROM (SELECT EXISTS (SELECT FROM loose_columns(m))) AS l (is_loose)
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
        RETURN QUERY SELECT f FROM uuidx_migrate.created_function(m) AS f WHERE f IS NOT NULL;
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
                 ('offline', false, key_object(m, 'former'), 'former_key', 'key'),
                 ('offline', true, key_object(m, 'former'), 'key', 'former_key')) AS k (mode, undoes, keys, from_column, to_column)
    WHERE constant_key(pg_get_expr(d.adbin, d.adrelid)) IS NOT NULL AND k.mode = constant_defaults.mode
      AND coalesce(k.undoes, ((m).conversion).only_undoes) = ((m).conversion).only_undoes
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
        RETURN QUERY SELECT uuidx_migrate.drop_created_function(m) WHERE uuidx_migrate.has_created_function(m);
        RETURN QUERY
            SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', c.member, c.name, f)
            FROM unnest(m.columns) AS c, LATERAL uuidx_migrate.former_default(c.member, c.shadow) AS f
            WHERE c.member = table_ AND uuidx_migrate.is_key(m, c) AND (m.conversion).only_undoes AND uuidx_migrate.is_old_generator(f, uuidx_migrate.conversion_named((m.conversion).undo));
    END IF;
END
$$;
COMMENT ON FUNCTION companion_drops(migration, regclass) IS
'part of finish: statements that drop what key_statements has made';

-- Two transactions may not see each other: one that writes a value into a column that no foreign key ties to the key, and
-- one that inserts the row with this key. After the exchange, the value that is left there is the former key of that row.
CREATE OR REPLACE FUNCTION look_up_again(relation regclass, column_name name, key_table regclass, key_column name, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.lock_table(key_table, 'ACCESS SHARE', trust_owners), uuidx_migrate.lock_table(relation, 'ROW EXCLUSIVE', trust_owners),
            uuidx_migrate.check_row_security(key_table), uuidx_migrate.check_row_security(relation);
    EXECUTE format('UPDATE %1$s AS t SET %3$I = NULL WHERE t.%3$I = t.%2$I AND EXISTS (SELECT FROM %4$s AS k WHERE k.%6$I = t.%2$I AND k.%5$I <> t.%2$I)',
                   relation, column_name, uuidx_migrate.shadow_name(column_name), key_table, key_column, uuidx_migrate.shadow_name(key_column));
END
$$;
COMMENT ON FUNCTION look_up_again(regclass, name, regclass, name, boolean) IS
'has former keys in a column looked up again that were not known when they were written';

-- Online, the triggers say which columns are looked up in which key; its name is as encode() writes it. By way of pg_depend,
-- an index finds those of one key.
CREATE OR REPLACE FUNCTION looked_up_columns() RETURNS TABLE (relation regclass, attnum smallint, name name, key_table oid, key_column text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT t.tgrelid, a.attnum, a.attname, d.refobjid, split_part(encode(t.tgargs, 'escape'), E'\\000', 3)
    FROM pg_depend AS d JOIN pg_trigger AS t ON t.oid = d.objid AND t.tgconstrrelid = d.refobjid
    JOIN pg_attribute AS a ON a.attrelid = t.tgrelid AND t.tgname = format('0_%s', shadow_name(a.attname))
    WHERE d.classid = 'pg_trigger'::regclass AND d.refclassid = 'pg_class'::regclass
      AND t.tgfoid = 'refill()'::regprocedure AND t.tgparentid = 0;
END;
COMMENT ON FUNCTION looked_up_columns() IS
'the columns of online migrations whose new values are looked up, each with its key';

CREATE OR REPLACE FUNCTION references_of(m migration) RETURNS TABLE (relation regclass, attnum smallint, name name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT r.relation, r.attnum, r.name FROM looked_up_columns() AS r
    WHERE is_looked_up((m).conversion) AND r.key_table = (m).relation
      AND r.key_column = encode(convert_to((m).column_name::text, getdatabaseencoding()), 'escape');
END;
COMMENT ON FUNCTION references_of(migration) IS
'the columns whose new values triggers look up in the key of a migration';

-- Called by the trigger function reset, as whoever changes a key. The owner of each table runs its statement with the
-- search_path of that role: it names schemas, and no operator without one.
CREATE OR REPLACE FUNCTION reset_statements(key_table regclass) RETURNS TABLE (relation oid, statement text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT r.relation, format('UPDATE %s.%I SET %I = NULL WHERE %I OPERATOR(pg_catalog.=) $1 AND (%3$I OPERATOR(pg_catalog.=) $2) IS NOT TRUE',
                              quote_ident(n.nspname), c.relname, shadow_name(r.name), r.name)
    FROM looked_up_columns() AS r JOIN pg_class AS c ON c.oid = r.relation JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE r.key_table = reset_statements.key_table
      AND has_table_privilege(c.relowner, r.key_table, 'SELECT') AND has_table_privilege(c.relowner, r.key_table, 'REFERENCES');
END;
COMMENT ON FUNCTION reset_statements(regclass) IS
'part of reset: the statements that have the references to a key looked up again';
