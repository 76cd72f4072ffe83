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

-- Two transactions may not see each other: one that writes a value into a column that no foreign key connects with the
-- key, and one that inserts the row with this key. Texts are looked up when they are written, and not again when their
-- keys are. After the cutover, a value that is no key may be the former one, or its shadow may be.
CREATE OR REPLACE FUNCTION look_up_again(
    relation regclass, column_name name, key_table regclass, key_column name, trust_owners boolean
) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    shadow name := uuidx_migrate_steps.shadow_name(column_name);
    is_text boolean := (SELECT a.atttypid = ANY (uuidx_migrate_steps.text_types())
                        FROM pg_attribute AS a WHERE a.attrelid = relation AND a.attname = column_name);
    key text := uuidx_migrate_steps.key_in('t.' || quote_ident(column_name), is_text);
    shadow_key text := uuidx_migrate_steps.key_in('t.' || quote_ident(shadow), is_text);
    pair CONSTANT text := 'SELECT FROM %s AS k WHERE k.%I = %s AND k.%I <> %s';
    conversion text;
BEGIN
    PERFORM uuidx_migrate_steps.lock_table(key_table, 'ACCESS SHARE', trust_owners),
            uuidx_migrate_steps.lock_table(relation, 'ROW EXCLUSIVE', trust_owners),
            uuidx_migrate_steps.check_row_security(key_table), uuidx_migrate_steps.check_row_security(relation);
    conversion := uuidx_migrate_steps.shadow_conversion(relation, column_name);
    IF conversion IS NULL THEN  -- a script that runs again after it has finished
        RETURN;
    END IF;
    EXECUTE format('UPDATE %s AS t SET %I = NULL WHERE EXISTS (%s)', relation, shadow,
                   format(pair, key_table, key_column, key, uuidx_migrate_steps.shadow_name(key_column), shadow_key));
    IF (uuidx_migrate_steps.conversion_named(conversion)).only_undoes THEN
        EXECUTE format('UPDATE %s AS t SET %I = %I '
                       'WHERE EXISTS (%s) AND NOT EXISTS (SELECT FROM %s AS k WHERE k.%I = %s)',
                       relation, column_name, shadow,
                       format(pair, key_table, uuidx_migrate_steps.shadow_name(key_column), shadow_key,
                              key_column, key),
                       key_table, key_column, key);
    END IF;
END
$$;
COMMENT ON FUNCTION look_up_again(regclass, name, regclass, name, boolean) IS
'has former keys in a column looked up again that were not known when they were written';
