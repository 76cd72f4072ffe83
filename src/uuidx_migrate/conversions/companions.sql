-- What stands beside the triggers that fill shadow columns, where values are looked up.

-- Part of companion_triggers: condition on a new row that the shadow of a reference waits for the key.
CREATE OR REPLACE FUNCTION is_pending(m migration, c migrated_column) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format(CASE WHEN ((m).conversion).keeps_former
                           THEN '(%1$s) IS NOT FALSE AND pg_catalog.num_nonnulls(NEW.%2$I, NEW.%3$I) '
                                'OPERATOR(pg_catalog.>) 0'
                           ELSE '%1$s' END,
                      format('%s OPERATOR(pg_catalog.=) uuidx_migrate_steps.%s(%s)', k.shadow,
                             ((m).conversion).pending, k.key), (c).name, (c).shadow)
        FROM (SELECT key_in(format('NEW.%I', (c).shadow), is_text(m, c)),
                     key_in(format('NEW.%I', (c).name), is_text(m, c))) AS k (shadow, key));

-- The triggers beside the one that fills a shadow, each with the statements that create it. Their names sort before
-- those of the triggers of foreign keys. A reference has two: one fires after each statement that sets it, the other at
-- the end of the transaction, for each version of a row that is pending, whatever made that version. The server reads
-- the condition for each statement anew, so only the triggers whose events it collects until the end have one. Until a
-- key is filled, nothing that references it is; an INSERT has no OLD to say so. A reference to the key of its own row,
-- if its trigger fires before that of the key, has one more, which fires after that.
CREATE OR REPLACE FUNCTION companion_triggers(m migration, c migrated_column)
RETURNS TABLE (name name, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.name, s
    FROM (SELECT format('zzz~%s', (c).shadow)::name) AS t (name), unnest(fill_trigger_statements(m, c, t.name)) AS s
    WHERE (c).root = (m).relation
      AND trigger_name((c).name)::text COLLATE "C" < trigger_name((m).column_name)::text COLLATE "C"
    UNION ALL
    SELECT t.name, s
    FROM (SELECT format('0_%s', (c).shadow)::name, 'CONSTRAINT TRIGGER',
                 concat(CASE WHEN l.lacks_foreign_key THEN 'INSERT OR ' END, 'DELETE OR ', u.event),
                 ' DEFERRABLE INITIALLY DEFERRED',
                 CASE WHEN NOT l.lacks_foreign_key THEN format(' WHEN (OLD.%I IS NOT NULL)', (c).shadow) END,
                 format('uuidx_migrate_steps.reset(%L, %L, %L)', (c).name, (c).shadow, ((m).conversion).pending)
          FROM format('UPDATE OF %I, %I', (c).name, (c).shadow) AS u (event),
               (SELECT EXISTS (SELECT FROM columns_without_foreign_key(m) AS w
                               WHERE NOT is_text(m, w))) AS l (lacks_foreign_key)
          WHERE is_key(m, c)
          UNION ALL
          SELECT t.name, t.kind, 'INSERT OR ' || t.event, t.deferred, t.condition,
                 format('uuidx_migrate_steps.refill(%L, %L, %L, %L, %L, %L)',
                        (c).name, (c).shadow, (m).column_name, shadow_name((m).column_name),
                        ((m).conversion).name, ((m).conversion).pending)
          FROM (VALUES (format('0_%s', (c).shadow), 'CONSTRAINT TRIGGER', 'UPDATE', ' DEFERRABLE INITIALLY DEFERRED',
                        format(' WHEN (%s)', is_pending(m, c))),
                       (format('00%s', (c).shadow), 'TRIGGER', format('UPDATE OF %I, %I', (c).name, (c).shadow),
                        '', '')) AS t (name, kind, event, deferred, condition)
          WHERE NOT is_key(m, c)) AS t (name, kind, event, deferred, condition, call),
         unnest(ARRAY[format('CREATE %s %I AFTER %s ON %s%s FOR EACH ROW%s EXECUTE FUNCTION %s',
                             t.kind, t.name, t.event, (c).root, t.deferred, t.condition, t.call),
                      format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', (c).root, t.name)]) AS s;
END;

-- Part of shadow_statements: what a look-up needs beside the trigger that fills the shadow. The new default comes now,
-- as new rows with version 7 keys need no other key. The shadow column keeps the former default.
CREATE OR REPLACE FUNCTION companion_statements(m migration, columns migrated_column[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT (m.conversion).is_looked_up THEN
        RETURN;
    END IF;
    IF (SELECT bool_or(uuidx_migrate_steps.is_key(m, c)) FROM unnest(columns) AS c) THEN
        RETURN QUERY SELECT f FROM uuidx_migrate_steps.created_function(m) AS f WHERE f IS NOT NULL;
        RETURN QUERY
            SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s, ALTER COLUMN %I SET DEFAULT %s',
                          d.member, d.name, (d.new).expression,
                          d.shadow, uuidx_migrate_steps.unused_default((d.old).expression))
            FROM unnest(m.defaults) AS d
            WHERE (d.new).expression IS NOT NULL AND (d.root, d.name) = (m.relation, m.column_name)
              AND NOT (m.conversion).changes_type;
    END IF;
    RETURN QUERY
        SELECT t.sql
        FROM unnest(columns) AS c, LATERAL uuidx_migrate_steps.companion_triggers(m, c) AS t
        WHERE c.member = c.root;
END
$$;

-- Part of companion_drops: the function for the time at which a row was created that the trigger of the key calls,
-- which belongs to the owner of the table or a superuser. The table may have another name since.
CREATE OR REPLACE FUNCTION called_created_function(m migration) RETURNS SETOF regprocedure
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.oid::regprocedure
    FROM pg_class AS c, pg_trigger AS t, trigger_arguments(t.tgargs) AS a, conversions() AS v, pg_proc AS p,
         pg_roles AS o
    WHERE c.oid = (m).relation AND t.tgrelid = c.oid AND t.tgname = trigger_name((m).column_name)
      AND v.reads_times AND t.tgfoid = trigger_function(v.key_trigger)
      AND (p.pronamespace, p.proname) = (c.relnamespace, a[array_position(v.key_trigger, 'created') - 1])
      AND p.pronargs = 1 AND p.proargtypes[0] = c.reltype
      AND o.oid = p.proowner AND (o.oid = c.relowner OR o.rolsuper);
END;

-- Defaults that a key gets back if the migration is given up before the cutover. After an undo, it has that already.
CREATE OR REPLACE FUNCTION defaults_given_back(m migration)
RETURNS TABLE (member regclass, name name, expression text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.member, c.name, f.expression
    FROM unnest((m).columns) AS c JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attname = c.shadow,
         LATERAL default_of(c.member::oid, a.attnum) AS f, LATERAL default_of(c.member::oid, c.attnum) AS d,
         LATERAL conversion_named(((m).conversion).undo) AS v
    WHERE ((m).conversion).is_looked_up AND ((m).conversion).only_undoes AND is_key(m, c) AND f.is_unused
      AND (is_old_generator(f.function, v) OR d.function = generator_of(v));
END;

-- Part of finish_steps: statements that undo what companion_statements has done beside the triggers.
CREATE OR REPLACE FUNCTION companion_drops(m migration, table_ regclass) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT (m.conversion).is_looked_up THEN
        RETURN;
    END IF;
    IF table_ = m.relation THEN
        RETURN QUERY
            SELECT format('DROP FUNCTION %s', f) FROM uuidx_migrate_steps.called_created_function(m) AS f;
        RETURN QUERY
            SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', d.member, d.name, d.expression)
            FROM uuidx_migrate_steps.defaults_given_back(m) AS d WHERE d.member = table_;
    END IF;
END
$$;
