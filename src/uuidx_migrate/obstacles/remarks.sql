-- What to know of a migration before it is run.

-- Part of remarks: arguments that are given and have no effect.
CREATE OR REPLACE FUNCTION without_effect(m migration) RETURNS TABLE (argument text, reason text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT a.argument, a.reason
    FROM (SELECT ((m).choices).*) AS g,
         (SELECT ((m).conversion).reads_times, format('conversion %s reads no times', ((m).conversion).name))
         AS t (are_read, reason),
         LATERAL (VALUES
             ('created', g.created IS NOT NULL AND NOT t.are_read, t.reason),
             ('rows_without_time', g.rows_without_time <> 'error' AND NOT t.are_read, t.reason),
             ('future_rows', g.future_rows <> 'error' AND NOT t.are_read, t.reason),
             ('other_values', g.other_values = 'keep' AND ((m).conversion).version IS NULL
                              AND NOT EXISTS (SELECT FROM unnest((m).columns) AS c
                                              WHERE NOT is_key(m, c) AND NOT c.is_connected),
              'the conversion is of any UUID, and foreign keys connect all columns with the key'),
             ('published_tables', g.published_tables = 'resync'
                                  AND NOT EXISTS (SELECT FROM unnest((m).columns) AS c, LATERAL publications(c.member)),
              'no table is published'),
             ('new_default', g.new_default IS NOT NULL
                             AND NOT EXISTS (SELECT FROM unnest((m).defaults) AS d
                                             WHERE (d.new).function = g.new_default),
              'no default is replaced'),
             ('fire_triggers', NOT g.fire_triggers
                               AND NOT EXISTS (SELECT FROM unnest((m).columns) AS c,
                                                           LATERAL fired_triggers(c.root, true)),
              'the backfill fires no trigger')) AS a (argument, is_without, reason)
    WHERE a.is_without
    UNION ALL
    SELECT format('column %s in also', a), 'foreign keys connect it with the key'
    FROM unnest(((m).choices).also) AS a, LATERAL named_column(a, (m).relation) AS n, unnest((m).columns) AS c
    WHERE (c.member, c.name) = (n.root, n.column_name) AND c.is_connected;
END;

-- Part of plan_of: what to know of a migration before it is run.
CREATE OR REPLACE FUNCTION remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.* FROM trigger_remarks(m) AS r
    UNION ALL
    SELECT r.* FROM check_constraint_remarks(m) AS r
    UNION ALL
    SELECT r.* FROM not_null_remarks(m) AS r
    UNION ALL
    SELECT r.* FROM reader_remarks(m) AS r
    UNION ALL
    SELECT r.* FROM default_remarks(m) AS r
    UNION ALL
    SELECT r.* FROM matview_remarks(m) AS r
    UNION ALL
    SELECT r.* FROM conversion_remarks(m) AS r
    UNION ALL
    SELECT DISTINCT c.root, c.name,
           format('publication %I: before the script, run DROP SUBSCRIPTION on each subscriber; '
                  'at the end, run TRUNCATE there on all tables of the publication, and CREATE SUBSCRIPTION, '
                  'which copies them', p)
    FROM unnest((m).columns) AS c, LATERAL publications(c.member) AS p WHERE ((m).choices).published_tables = 'resync'
    UNION ALL
    SELECT p.* FROM position_remarks(m) AS p
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('with these privileges, others can have the backfill run their code: %s',
                  string_agg(DISTINCT g.description, ', '))
    FROM risky_grants(m) AS g HAVING count(*) > 0
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s has no effect: %s', w.argument, w.reason)
    FROM without_effect(m) AS w;
END;
