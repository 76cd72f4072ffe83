-- Triggers.

-- Part of dependent_change: a trigger. The clones of a trigger in partitions are dropped and created with it, but each
-- has a state of its own.
CREATE OR REPLACE FUNCTION trigger_change(o object) RETURNS change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE clones AS (
        SELECT t.oid, t.tgrelid, t.tgenabled FROM pg_trigger AS t WHERE t.oid = (o).objid
        UNION ALL
        SELECT t.oid, t.tgrelid, t.tgenabled FROM clones AS c, pg_trigger AS t WHERE t.tgparentid = c.oid
    )
    SELECT recreated(
           o, ARRAY[format('DROP TRIGGER %I ON %s', t.tgname, (o).relation)],
           pg_get_triggerdef(t.oid)
           || ARRAY(SELECT format('COMMENT ON TRIGGER %I ON %s IS %L', t.tgname, s.tgrelid::regclass, d.comment)
                    FROM clones AS s, LATERAL obj_description(s.oid, 'pg_trigger') AS d (comment)
                    WHERE d.comment IS NOT NULL ORDER BY s.tgrelid::regclass::text COLLATE "C")
           || ARRAY(SELECT format('ALTER TABLE ONLY %s %s TRIGGER %I', s.tgrelid::regclass,
                                  CASE s.tgenabled WHEN 'O' THEN 'ENABLE'
                                                   WHEN 'D' THEN 'DISABLE'
                                                   WHEN 'R' THEN 'ENABLE REPLICA'
                                                   ELSE 'ENABLE ALWAYS' END, t.tgname)
                    FROM clones AS s WHERE s.tgenabled <> 'O' ORDER BY s.tgrelid::regclass::text COLLATE "C"))
    FROM pg_trigger AS t WHERE t.oid = (o).objid;
END;

-- Part of obstacles_online.
CREATE OR REPLACE FUNCTION trigger_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('%s fires after the trigger that fills the shadow column',
                  pg_describe_object('pg_trigger'::regclass, t.oid, 0)),
           format('Give it a name that sorts before "%s".', trigger_name(c.name))
    FROM unnest((m).columns) AS c, pg_trigger AS t
    WHERE t.tgrelid = c.member
      AND t.tgname::text COLLATE "C" > trigger_name(c.name)::text COLLATE "C" AND NOT is_fill(t.tgfoid)
      AND t.tgtype & 3 = 3 AND t.tgtype & 20 <> 0; -- BEFORE, FOR EACH ROW; INSERT, UPDATE
END;

-- Part of obstacles_of_type.
CREATE OR REPLACE FUNCTION trigger_obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('trigger %I of table %s reads column %I in WHEN', t.tgname, c.member, c.name),
           hint_of_reader(m, 'pg_trigger'::regclass, t.oid)
    FROM unnest((m).columns) AS c, pg_trigger AS t
    WHERE t.tgrelid = c.member AND t.tgparentid = 0 AND NOT is_own_trigger(t.tgfoid)
      AND needs_type(m, 'pg_trigger'::regclass, t.oid, c.attnum);
END;

-- Part of fired_triggers: the statements in a function's text that write tables.
CREATE OR REPLACE FUNCTION writing_statements(function regprocedure) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(DISTINCT upper(substring(m[1], '^[[:alpha:]]+')), ', ')
        FROM pg_proc AS p,
             LATERAL regexp_matches(left(p.prosrc, 100000),
                                    E'\\m(insert\\s+into|delete\\s+from|truncate\\s+\\w+|update\\s[^;]+\\sset)\\M',
                                    'gi') AS m
        WHERE p.oid = function);

-- The triggers that the UPDATE of a backfill fires, and what their functions do, as far as it can be told.
CREATE OR REPLACE FUNCTION fired_triggers(
    relation regclass, fire_triggers boolean, OUT name name, OUT always boolean, OUT does text
) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.tgname, bool_or(t.tgenabled = 'A'),
           string_agg(DISTINCT concat(CASE WHEN t.tgtype & 2 <> 0 THEN 'BEFORE' ELSE 'AFTER' END, ' UPDATE, ',
                                      t.tgfoid::regprocedure, ', which has ' || writing_statements(t.tgfoid)), '; ')
    FROM members(ARRAY[relation]) AS m, pg_trigger AS t
    WHERE t.tgrelid = m.relid AND NOT t.tgisinternal
      AND t.tgenabled IN ('A', CASE WHEN fire_triggers THEN 'O' ELSE 'R' END)
      AND t.tgtype & 16 <> 0 AND NOT is_own_trigger(t.tgfoid)
      AND t.tgattr::text = '' -- An UPDATE of other columns does not fire it otherwise.
    GROUP BY t.tgname
    ORDER BY t.tgname;
END;

-- Part of remarks.
CREATE OR REPLACE FUNCTION trigger_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name,
           format('online: the backfill fires trigger %I (%s), and an undo does not bring back what that changes%s',
                  t.name, t.does,
                  CASE WHEN NOT t.always THEN '; fire_triggers => false keeps it from that' END)
    FROM unnest((m).columns) AS c, LATERAL fired_triggers(c.root, ((m).choices).fire_triggers) AS t
    WHERE c.member = c.root;
END;
