-- What to know of a migration before it is run.

-- Part of remarks: functions whose texts may mean columns of a table by their positions. Online, a new column is the
-- last one.
CREATE OR REPLACE FUNCTION positional_functions(relation regclass) RETURNS SETOF regprocedure
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT p.oid::regprocedure
        FROM pg_class AS c,
             LATERAL format(E'([^[:space:](]+\\.)?"?%s\\M"?',
                            regexp_replace(c.relname, E'([^[:alnum:]_])', E'\\\\\\1', 'g')) AS n (named),
             pg_proc AS p, pg_language AS l
        WHERE l.oid = p.prolang AND c.oid = relation AND l.lanname IN ('sql', 'plpgsql')
          AND p.oid >= 16384 -- PostgreSQL's own have other OIDs.
          AND strpos(lower(p.prosrc), lower(c.relname)) > 0 -- This takes a tenth of the time of the patterns.
          AND NOT EXISTS (SELECT
                          FROM uuidx_migrate_steps.references_of('pg_proc'::regclass::oid, p.oid, NULL::integer) AS d
                          WHERE d.deptype = 'e')
          AND (left(p.prosrc, 100000)
               ~* format(E'\\minsert\\s+into\\s+%s\\s+(values|select|table|with|overriding)\\M', n.named)
               OR left(p.prosrc, 100000) ~* E'\\mselect\\s+([[:alnum:]_$"]+\\.)?\\*'
                  AND left(p.prosrc, 100000) ~* format(E'\\m(from|join)\\s+%s', n.named));
END
$$;

-- Part of remarks: arguments that are given and have no effect.
CREATE OR REPLACE FUNCTION without_effect(m migration) RETURNS TABLE (argument text, reason text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
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

-- Part of plan: what to know of a migration before it is run.
CREATE OR REPLACE FUNCTION remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name,
           format('online: the backfill fires trigger %I (%s), and an undo does not bring back what that changes%s',
                  t.name, t.does,
                  CASE WHEN NOT t.always THEN '; fire_triggers => false keeps it from that' END)
    FROM unnest((m).columns) AS c, LATERAL fired_triggers(c.root, ((m).choices).fire_triggers) AS t
    WHERE c.member = c.root
    UNION ALL
    SELECT c.root, c.name,
           format('constraint %I of table %s, which may mean something else for the new values: %s',
                  k.conname, k.conrelid::regclass, pg_get_constraintdef(k.oid))
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND c.attnum = ANY (k.conkey) AND NOT ((m).conversion).changes_type
      AND k.contype = 'c' AND k.coninhcount = 0 AND k.conname <> shadow_check_name(c.name)
      AND EXISTS (SELECT FROM expression_facts('pg_constraint'::regclass, k.oid) AS f
                  WHERE f.fact IN ('uuid', 'function')
                     OR f.fact = 'operator'
                        AND f.object = ANY ('{"<(uuid,uuid)",">(uuid,uuid)","<=(uuid,uuid)",">=(uuid,uuid)"}'
                                            ::regoperator[]))
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s has the UUID %L, which is not converted', o.description, f.value)
    FROM (SELECT r.classid, r.objid, reader_description(r.classid, r.objid) FROM readers((m).columns, false) AS r
          WHERE r.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass,
                              'pg_policy'::regclass, 'pg_attrdef'::regclass)
             OR r.classid = 'pg_trigger'::regclass
                AND EXISTS (SELECT FROM pg_trigger AS t WHERE t.oid = r.objid AND t.tgparentid = 0)
          UNION ALL
          SELECT i.classid, i.objid, reader_description(i.classid, i.objid)
          FROM unnest((m).objects) AS i WHERE i.kind = 'index')
         AS o (classid, objid, description),
         LATERAL expression_facts(o.classid, o.objid) AS f
    WHERE f.fact = 'uuid' AND uuid_version(f.value) = ((m).conversion).version
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('%s compares a migrated column with %s: with %s, that is migrated too', d.description,
                  string_agg(o, ', ' ORDER BY o COLLATE "C"), with_also(m, array_agg(o)))
    FROM (SELECT array_agg(c.member::oid), array_agg(c.attnum) FROM unnest((m).columns) AS c) AS c (relations, columns),
         unnest((m).dependents) AS d,
         LATERAL columns_left_out(m, d.classid, d.objid, c.relations, c.columns) AS o
    WHERE d.kind <> 'trigger' AND NOT ((m).conversion).changes_type
    GROUP BY d.description
    UNION ALL
    SELECT c.root, c.name,
           format('online: the backfill stops at a row that violates constraint %I of table %s, which is not validated',
                  k.conname, k.conrelid::regclass)
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member
      AND k.contype IN ('c', 'n') AND NOT k.convalidated AND k.coninhcount = 0
      AND k.conname <> shadow_check_name(c.name)
      AND to_jsonb(k) ->> 'conenforced' IS DISTINCT FROM 'false' -- from PostgreSQL 18 on
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('%s keeps the default %s of column %I', d.description, e.expression, a.attname)
    FROM unnest((m).dependents) AS d, pg_attribute AS a, LATERAL default_of(a.attrelid, a.attnum) AS e
    WHERE a.attrelid = d.relation AND d.kind = 'view' AND is_old_generator(e.function, (m).conversion)
    UNION ALL
    -- An undo, too, has nothing to put in its place unless the former default is on a shadow.
    SELECT d.root, d.name, format('column %I of table %s keeps the default %s', d.name, d.member, (d.old).expression)
    FROM unnest((m).defaults) AS d, LATERAL conversion_named(((m).conversion).undo) AS undone
    WHERE (d.new).expression IS NULL AND (d.old).function = generator_of(undone)
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format(CASE WHEN NOT v.is_own
                       THEN 'materialized view %s of another role, which is not refreshed: '
                            'have its owner refresh it afterwards'
                       WHEN v.runs_others AND NOT ((m).choices).trust_owners
                       THEN 'materialized view %s, which runs functions of other roles and is not refreshed: '
                            'refresh it afterwards if you trust them'
                       ELSE 'materialized view %s, which is refreshed' END, v.matview)
    FROM stale_matviews((m).columns) AS v
    WHERE v.reads_more OR NOT EXISTS (SELECT FROM unnest((m).dependents) AS d WHERE d.relation = v.matview)
    UNION ALL
    SELECT DISTINCT c.root, c.name,
           format('publication %I: before the script, run DROP SUBSCRIPTION on each subscriber; '
                  'at the end, run TRUNCATE there on all tables of the publication, and CREATE SUBSCRIPTION, '
                  'which copies them', p)
    FROM unnest((m).columns) AS c, LATERAL publications(c.member) AS p WHERE ((m).choices).published_tables = 'resync'
    UNION ALL
    SELECT c.root, c.name,
           format('online: function %s may mean the columns of table %s by their positions, which change', f, c.root)
    FROM unnest((m).columns) AS c, LATERAL positional_functions(c.root) AS f WHERE c.member = c.root
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('with these privileges, others can have the backfill run their code: %s',
                  string_agg(DISTINCT g.description, ', '))
    FROM risky_grants(m) AS g HAVING count(*) > 0
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s has no effect: %s', w.argument, w.reason)
    FROM without_effect(m) AS w
    UNION ALL
    SELECT k.root, k.column_name, k.remark FROM conversion_remarks(m) AS k
    UNION ALL
    SELECT (m).relation, (m).column_name,
           'the key has no default: the clients make the keys, and have to make the new ones too'
    FROM pg_attribute AS a
    WHERE a.attrelid = (m).relation AND a.attname = (m).column_name AND NOT a.atthasdef AND a.attidentity = '';
END;
