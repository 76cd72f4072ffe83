-- Other migrations of the columns.

-- The columns, and their shadows, that were renamed since their migration began.
CREATE OR REPLACE FUNCTION renamed_columns(m migration) RETURNS TABLE (root regclass, name name, now name, former name)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name, n.now, n.former::name
    FROM unnest((m).columns) AS c, pg_constraint AS k, LATERAL pair_of(k.oid) AS p,
         LATERAL (VALUES (p.name, p.arguments[1]), (p.shadow, p.arguments[2])) AS n (now, former)
    WHERE k.conrelid = c.member AND c.attnum = ANY (k.conkey) AND n.now <> n.former;
END;

-- Part of obstacle_list and obstacles: online migrations of these columns that are not finished. Two migrations of a
-- column would take each other's shadows. One that leaves out a column would leave it with keys of no row, or with
-- triggers that fail.
CREATE OR REPLACE FUNCTION obstacles_of_migrations(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('column %I of table %s is part of another migration, which is not finished', c.name, c.root),
           'Finish that migration first, or undo and finish it.'
    FROM unnest((m).columns) AS c, pg_trigger AS t
    WHERE t.tgrelid = c.root AND t.tgname = trigger_name(c.name) AND is_fill(t.tgfoid) AND c.member = c.root
      AND (shadow_conversion(c.root, c.name) NOT IN (((m).conversion).name, ((m).conversion).undo)
           OR ((m).conversion).is_looked_up
              AND NOT CASE WHEN is_key(m, c)
                           THEN t.tgfoid IN (SELECT trigger_function(v.key_trigger) FROM conversions() AS v
                                             WHERE v.name IN (((m).conversion).name, ((m).conversion).undo))
                           ELSE EXISTS (SELECT FROM references_under_way(m) AS r
                                        WHERE r.relation = c.root AND r.name = c.name) END)
    UNION ALL
    SELECT r.root, r.name,
           format('column %I of table %s had the name %I when its migration began', r.now, r.root, r.former),
           format('Run ALTER TABLE %s RENAME %I TO %I, and rename it again when the migration is finished.',
                  r.root, r.now, r.former)
    FROM renamed_columns(m) AS r
    UNION ALL
    SELECT c.root, c.name, format('trigger %I of table %s is not enabled always', t.tgname, c.member),
           format('Run ALTER TABLE %s ENABLE ALWAYS TRIGGER %I. Then set %I to NULL in rows that were written '
                  'meanwhile: the trigger fills it.', c.member, t.tgname, c.shadow)
    FROM unnest((m).columns) AS c, pg_trigger AS t
    WHERE t.tgrelid = c.member AND is_own_trigger(t.tgfoid) AND t.tgenabled <> 'A'
      AND (trigger_arguments(t.tgargs))[1] IN (c.name, c.shadow)
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('column %I of table %s was migrated together with this key, and is left out', r.name, r.relation),
           'Name it in also, and pass the same other_values as in the script that began the migration.'
    FROM (SELECT u.relation, u.name FROM references_under_way(m) AS u
          UNION
          SELECT o.relation, o.name FROM recorded_columns(m) AS o WHERE o.name IS NOT NULL) AS r (relation, name)
    WHERE NOT EXISTS (SELECT FROM unnest((m).columns) AS c WHERE c.member = r.relation AND c.name = r.name)
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('constraint %I of table %s names a column of table %s that was migrated together with this key, '
                  'and there is no such column', r.record, r.former, r.relation),
           format('If the column has another name, name that in also. Then run ALTER TABLE %s DROP CONSTRAINT %I.',
                  r.former, r.record)
    FROM recorded_columns(m) AS r WHERE r.name IS NULL;
END;
