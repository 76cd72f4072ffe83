-- The triggers that keep the shadows of the columns that reference a key.

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

-- Two transactions may not see each other: one that writes a value into a column that no foreign key connects with the key, and
-- one that inserts the row with this key. After the exchange, the value that is left there is the former key of that row.
CREATE OR REPLACE FUNCTION look_up_again(relation regclass, column_name name, key_table regclass, key_column name, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate_steps.lock_table(key_table, 'ACCESS SHARE', trust_owners), uuidx_migrate_steps.lock_table(relation, 'ROW EXCLUSIVE', trust_owners),
            uuidx_migrate_steps.check_row_security(key_table), uuidx_migrate_steps.check_row_security(relation);
    EXECUTE format('UPDATE %1$s AS t SET %3$I = NULL WHERE t.%3$I = t.%2$I AND EXISTS (SELECT FROM %4$s AS k WHERE k.%6$I = t.%2$I AND k.%5$I <> t.%2$I)',
                   relation, column_name, uuidx_migrate_steps.shadow_name(column_name), key_table, key_column, uuidx_migrate_steps.shadow_name(key_column));
END
$$;
COMMENT ON FUNCTION look_up_again(regclass, name, regclass, name, boolean) IS
'has former keys in a column looked up again that were not known when they were written';
