-- Online, the cutover: in one short transaction, the shadow columns take the names and the place of the columns.

-- Part of with_cutover: the statements, in order, that put the shadow columns in the place of the columns.
CREATE OR REPLACE FUNCTION cutover_statements(m migration) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT 'SET LOCAL check_function_bodies = off' WHERE cardinality((m).dependents) > 0)
    || taken_down((m).changes)
    || cutover_names(m)
    || ARRAY(SELECT e FROM cutover_defaults(m) AS e)
    || ARRAY(SELECT e FROM cutover_not_null(m) AS e)
    || ARRAY(SELECT format('ALTER TABLE %s ' || CASE WHEN s.attnum < c.attnum THEN 'DROP COLUMN IF EXISTS %I'
                                                     ELSE 'ADD COLUMN %I boolean' END, c.root, mark_name(c.name))
             FROM unnest((m).columns) AS c LEFT JOIN pg_attribute AS s ON s.attrelid = c.member AND s.attname = c.shadow
             WHERE marks_cutover(m, c))
    || ARRAY(SELECT d FROM constant_defaults(m, 'online') AS d)
    || put_up((m).changes)
    || (SELECT format('SELECT uuidx_migrate_steps.check_unread(%s, %s::pg_catalog.name[])',
                      relation_list(array_agg(c.root)), quote_literal(array_agg(c.name)))
        FROM unnest((m).columns) AS c WHERE c.member = c.root);

-- Part of online_script: the cutover.
CREATE OR REPLACE FUNCTION cutover_steps(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'cutover', 'ACCESS EXCLUSIVE on all tables and on what reads the columns, briefly',
           -- Also where the key has another name by now: that is an error.
           call_locked(m, affected_relations(m),
                       format('%s IS DISTINCT FROM %s', call_shadow_conversion((m).relation, (m).column_name),
                              typed(((m).conversion).undo, 'text')),
                       (m).cutover, call_check_script(ARRAY[m], 'cutover', online_fingerprint(ARRAY[m])));
END;
