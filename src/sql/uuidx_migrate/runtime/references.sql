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
