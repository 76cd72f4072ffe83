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

-- Part of reset: the columns that reference a key, with their shadows and the statement that has their wrong values
-- looked up again: one for each table, since a CHECK constraint may compare two references of a row. Another key of the
-- table may have another type. Whoever runs a statement may have any search_path: it names schemas, and no operator
-- without one.
CREATE OR REPLACE FUNCTION reset_statements(key_table regclass, key_column name)
RETURNS TABLE (relation oid, columns name[], shadows name[], statement text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT r.relation, array_agg(r.name), array_agg(r.shadow),
           format('UPDATE %I.%I SET %s WHERE %s', n.nspname, c.relname,
                  string_agg(format('%I = CASE WHEN %s THEN NULL ELSE %1$I END', r.shadow, w.is_wrong),
                                         ', '),
                  string_agg(w.is_wrong, ' OR '))
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
--
-- Part of look_up_again and check_looked_up: the statements that have such values looked up again, and queries for what
-- they would update. As triggers of the table run in them, they name schemas, and no operator without one.
CREATE OR REPLACE FUNCTION look_ups(relation regclass, column_name name, key_table regclass, key_column name)
RETURNS TABLE (statement text, query text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    shadow CONSTANT name := uuidx_migrate_steps.shadow_name(column_name);
    is_text CONSTANT boolean := (SELECT a.atttypid = ANY (uuidx_migrate_steps.text_types())
                                 FROM pg_attribute AS a WHERE a.attrelid = relation AND a.attname = column_name);
    -- Of another type, no value can be taken for one of the shadow.
    has_one_type CONSTANT boolean := (SELECT count(DISTINCT a.atttypid) = 1
                                      FROM pg_attribute AS a
                                      WHERE a.attrelid = key_table
                                        AND a.attname IN (key_column, uuidx_migrate_steps.shadow_name(key_column)));
    -- NULL after the script has finished
    only_undoes CONSTANT boolean := (uuidx_migrate_steps.conversion_named(
                                         uuidx_migrate_steps.shadow_conversion(relation, column_name))).only_undoes;
BEGIN
    RETURN QUERY
        SELECT format('UPDATE %s AS t SET %I = %s WHERE %s', relation, l.target, l.source, c.condition),
               format('SELECT FROM %s AS t WHERE %s', relation, c.condition)
        FROM (VALUES
                 (1, only_undoes IS NOT NULL, shadow, 'NULL',
                  'EXISTS (SELECT FROM %1$s AS k WHERE k.%2$I OPERATOR(pg_catalog.=) %4$s '
                  'AND k.%3$I OPERATOR(pg_catalog.<>) %5$s)'),
                 (2, only_undoes AND has_one_type, column_name, format('t.%I', shadow),
                  'EXISTS (SELECT FROM %1$s AS k WHERE k.%3$I OPERATOR(pg_catalog.=) %5$s '
                  'AND k.%2$I OPERATOR(pg_catalog.<>) %4$s) '
                  'AND NOT EXISTS (SELECT FROM %1$s AS k WHERE k.%2$I OPERATOR(pg_catalog.=) %4$s)'),
                 -- A version 7 key, which stays as it is, may have been inserted in the place of a former one.
                 (3, NOT only_undoes AND has_one_type, shadow, 'NULL',
                  'EXISTS (SELECT FROM %1$s AS k WHERE k.%3$I OPERATOR(pg_catalog.=) %5$s '
                  'AND k.%2$I OPERATOR(pg_catalog.<>) %4$s AND k.%3$I OPERATOR(pg_catalog.<>) k.%2$I)'))
             AS l (n, applies, target, source, template),
             LATERAL format(l.template, key_table, key_column, uuidx_migrate_steps.shadow_name(key_column),
                            uuidx_migrate_steps.key_in(format('t.%I', column_name), is_text),
                            uuidx_migrate_steps.key_in(format('t.%I', shadow), is_text)) AS c (condition)
        WHERE l.applies ORDER BY l.n;
END
$$;

-- The triggers of the table find names as in the session, so everything in the function is qualified.
CREATE OR REPLACE FUNCTION look_up_again(
    relation regclass, column_name name, key_table regclass, key_column name, trust_owners boolean
) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
AS $$
DECLARE
    statement pg_catalog.text;
BEGIN
    PERFORM uuidx_migrate_steps.lock_table(key_table, 'ACCESS SHARE'::pg_catalog.text, trust_owners),
            uuidx_migrate_steps.lock_table(relation, 'ROW EXCLUSIVE'::pg_catalog.text, trust_owners),
            uuidx_migrate_steps.check_row_security(key_table), uuidx_migrate_steps.check_row_security(relation);
    FOR statement IN
        SELECT l.statement FROM uuidx_migrate_steps.look_ups(relation, column_name, key_table, key_column) AS l
    LOOP
        EXECUTE statement;
    END LOOP;
END
$$;
COMMENT ON FUNCTION look_up_again(regclass, name, regclass, name, boolean) IS
'has former keys in a column looked up again that were not known when they were written';

CREATE OR REPLACE FUNCTION check_looked_up(
    relation regclass, column_name name, key_table regclass, key_column name, trust_owners boolean
) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    query text;
    is_left boolean;
BEGIN
    PERFORM uuidx_migrate_steps.lock_table(t, 'ACCESS SHARE', trust_owners), uuidx_migrate_steps.check_row_security(t)
    FROM unnest(ARRAY[key_table, relation]) AS t;
    FOR query IN
        SELECT l.query FROM uuidx_migrate_steps.look_ups(relation, column_name, key_table, key_column) AS l
    LOOP
        EXECUTE format('SELECT EXISTS (%s)', query) INTO is_left;
        IF is_left THEN
            RAISE EXCEPTION 'column "%" of table % has keys that were not looked up again', column_name, relation
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Run the script from the top, and have it stop at the first error.';
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION check_looked_up(regclass, name, regclass, name, boolean) IS
'an error if look_up_again would change rows';
