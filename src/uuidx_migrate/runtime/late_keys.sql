-- References whose key comes after them: they are looked up again.

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

-- Whether a function is one for the triggers of a migration. Not STRICT: the planner would not inline it.
CREATE OR REPLACE FUNCTION is_own_trigger(function oid) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN is_fill(function) OR function IN ('refill()'::regprocedure, 'reset()'::regprocedure);

-- Part of reset: the statements that have the references to a key looked up again, one for each table, and queries for
-- what they would update: a CHECK constraint may compare two references of a row. Another key of the table may have
-- another type. The owner of each table runs its statement with the search_path of whoever changes the key: it names
-- schemas, and no operator without one.
CREATE OR REPLACE FUNCTION reset_statements(key_table regclass, key_column name)
RETURNS TABLE (relation oid, statement text, query text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT r.relation, format('UPDATE %I.%I SET %s WHERE %s', n.nspname, c.relname,
                              string_agg(format('%I = CASE WHEN %s THEN NULL ELSE %1$I END', r.shadow, w.is_wrong),
                                         ', '),
                              string_agg(w.is_wrong, ' OR ')),
           format('SELECT FROM %I.%I WHERE %s', n.nspname, c.relname, string_agg(w.is_wrong, ' OR '))
    FROM columns_under_way(key_table) AS r, pg_class AS c, pg_namespace AS n, pg_attribute AS a,
         LATERAL format('(%I OPERATOR(pg_catalog.=) $1 AND (%I OPERATOR(pg_catalog.=) $2) IS NOT TRUE)',
                        r.name, r.shadow) AS w (is_wrong)
    WHERE c.oid = r.relation AND n.oid = c.relnamespace AND a.attrelid = c.oid AND a.attnum = r.attnum
      AND a.atttypid <> ALL (text_types()) AND r.function = 'fill_reference()'::regprocedure
      AND r.key_column = reset_statements.key_column AND may_reference(r.relation, key_table)
    GROUP BY r.relation, n.nspname, c.relname
    ORDER BY r.relation;
END;

-- Whoever changes a key calls it, and all that it calls. Default privileges may give EXECUTE to nobody.
GRANT EXECUTE ON FUNCTION
    reset_statements(regclass, name), may_reference(regclass, regclass), columns_under_way(regclass),
    dependents_of(oid, oid, integer), references_of(oid, oid, integer), pair_of(oid), root(oid), is_fill(oid),
    fill_functions(), trigger_function(text[]), trigger_arguments(bytea), conversions(), text_types() TO PUBLIC;

-- Two transactions may not see each other: one that writes a value into a column that no foreign key connects with the
-- key, and one that inserts the row with this key. Texts are looked up when they are written, and not again when their
-- keys are. A table attached as a partition, and rows written while the trigger was disabled, may have the shadow of
-- another key. After the cutover, a value that is no key may be the former one, or its shadow may be.
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
    key_shadow CONSTANT name := uuidx_migrate_steps.shadow_name(key_column);
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
                   format(pair, key_table, key_column, key, key_shadow, shadow_key));
    IF (uuidx_migrate_steps.conversion_named(conversion)).only_undoes THEN
        EXECUTE format('UPDATE %s AS t SET %I = %I '
                       'WHERE EXISTS (%s) AND NOT EXISTS (SELECT FROM %s AS k WHERE k.%I = %s)',
                       relation, column_name, shadow,
                       format(pair, key_table, key_shadow, shadow_key, key_column, key),
                       key_table, key_column, key);
    ELSE
        -- A version 7 key, which stays as it is, may have been inserted in the place of a former one.
        EXECUTE format('UPDATE %s AS t SET %I = NULL WHERE EXISTS (%s AND k.%I <> k.%I)', relation, shadow,
                       format(pair, key_table, key_shadow, shadow_key, key_column, key), key_shadow, key_column);
    END IF;
END
$$;
COMMENT ON FUNCTION look_up_again(regclass, name, regclass, name, boolean) IS
'has former keys in a column looked up again that were not known when they were written';
