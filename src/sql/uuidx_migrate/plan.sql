-- The plan: what a migration would do, for a reader.

CREATE OR REPLACE FUNCTION key_role(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT coalesce(string_agg(DISTINCT CASE c.contype WHEN 'p' THEN 'primary key'
                                                       WHEN 'u' THEN 'unique'
                                                       ELSE format('references %s', c.confrelid::regclass) END, ', '),
                    'column')
    FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
    WHERE c.conrelid = relation AND a.attname = column_name AND c.contype IN ('p', 'u', 'f') AND c.conparentid = 0
);
COMMENT ON FUNCTION key_role(regclass, name) IS
'which keys of its table a column belongs to';

CREATE OR REPLACE FUNCTION fired_triggers(relation regclass, fire_triggers boolean, OUT name name, OUT always boolean) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.tgname, bool_or(t.tgenabled = 'A')
    FROM pg_trigger AS t
    WHERE (t.tgrelid = relation OR t.tgrelid IN (SELECT p.relid FROM pg_partition_tree(relation) AS p))
      AND NOT t.tgisinternal AND t.tgenabled IN ('A', CASE WHEN fire_triggers THEN 'O' ELSE 'R' END) AND t.tgtype & 16 <> 0 AND NOT is_fill(t.tgfoid)
      AND t.tgattr::text = '' -- An UPDATE of other columns does not fire it otherwise.
    GROUP BY t.tgname
    ORDER BY t.tgname;
END;
COMMENT ON FUNCTION fired_triggers(regclass, boolean) IS
'the triggers that the UPDATE of a backfill fires';

-- Online, a new column is the last one.
CREATE OR REPLACE FUNCTION positional_functions(relation regclass) RETURNS SETOF regprocedure
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.oid::regprocedure
    FROM pg_class AS c
    CROSS JOIN LATERAL (SELECT format(E'([^[:space:](]+\\.)?"?%s\\M"?', regexp_replace(c.relname, E'([^[:alnum:]_])', E'\\\\\\1', 'g'))) AS n (named)
    CROSS JOIN pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
    WHERE c.oid = relation AND l.lanname IN ('sql', 'plpgsql')
      AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
      AND (p.prosrc ~* format(E'\\minsert\\s+into\\s+%s\\s+(values|select|table|with|overriding)\\M', n.named)
           OR p.prosrc ~* E'\\mselect\\s+([[:alnum:]_$"]+\\.)?\\*' AND p.prosrc ~* format(E'\\m(from|join)\\s+%s', n.named));
END;
COMMENT ON FUNCTION positional_functions(regclass) IS
'functions whose texts may mean columns of a table by their positions';

-- Offline, all tables and their indexes are there twice until the end. Online, so is each row, with its entries in all indexes,
-- until the next VACUUM, and the indexes of the columns until the old ones are dropped. Beside each key, there is another.
CREATE OR REPLACE FUNCTION disk_needed(m migration, OUT offline bigint, OUT online bigint)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.tables + k.keys, t.tables + 2 * k.keys + coalesce((SELECT sum(pg_relation_size(i.index)) FROM moved_indexes((m).columns) AS i), 0)
    FROM (SELECT sum(pg_total_relation_size(u.member)) FROM (SELECT DISTINCT c.member FROM unnest((m).columns) AS c) AS u) AS t (tables),
         (SELECT greatest(c.reltuples, 0) * 100 FROM pg_class AS c WHERE c.oid = (m).relation) AS k (keys);
END;
COMMENT ON FUNCTION disk_needed(migration) IS
'about how many bytes of disk a conversion to version 7 needs at most, beside those of the tables';

CREATE OR REPLACE FUNCTION key_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT c.root, c.name, format('takes the new value of column %I of table %s', (m).column_name, (m).relation)
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND NOT is_key(m, c)
    UNION ALL
    SELECT (m).relation, (m).column_name, format('rows without a creation time of 1970 or later: %s; with one to come: %s; one of them has the key "%s"', t.without_time, t.future, t.example)
    FROM creation_times((m).relation, (m).column_name, (m).created, (m).trust_owners) AS t
    WHERE makes_keys((m).conversion) AND filling((m).relation, (m).column_name) IS NULL AND may_read((m).columns, (m).trust_owners)
      AND has_table_privilege((m).relation, 'SELECT') AND t.without_time + t.future > 0
    UNION ALL
    SELECT (m).relation, (m).column_name, format('takes up to about %s more of disk offline, %s online', pg_size_pretty(d.offline), pg_size_pretty(d.online))
    FROM disk_needed(m) AS d;
END;
COMMENT ON FUNCTION key_remarks(migration) IS
'part of remarks: the conversion to version 7';

CREATE OR REPLACE FUNCTION remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name, format('online: the backfill fires trigger %I%s', t.name, CASE WHEN NOT t.always THEN '; fire_triggers => false keeps it from that' END)
    FROM unnest((m).columns) AS c, LATERAL fired_triggers(c.root, (m).fire_triggers) AS t WHERE c.member = c.root
    UNION ALL
    SELECT c.root, c.name, format('constraint %I of table %s, which may mean something else for the new values: %s', k.conname, k.conrelid::regclass, pg_get_constraintdef(k.oid))
    FROM unnest((m).columns) AS c JOIN pg_constraint AS k ON k.conrelid = c.member AND c.attnum = ANY (k.conkey)
    WHERE NOT changes_type((m).conversion) AND k.contype = 'c' AND k.coninhcount = 0 AND k.conname <> trigger_name(c.name)
      AND EXISTS (SELECT FROM expression_facts('pg_constraint'::regclass, k.oid) AS f
                  WHERE f.fact IN ('uuid', 'function')
                     OR f.fact = 'operator' AND f.object = ANY ('{"<(uuid,uuid)",">(uuid,uuid)","<=(uuid,uuid)",">=(uuid,uuid)"}'::regoperator[]))
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s has the UUID %L, which is not converted', o.description, f.value)
    FROM (SELECT r.classid, r.objid, reader_description(r.classid, r.objid) FROM readers((m).columns) AS r
          WHERE r.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_policy'::regclass, 'pg_attrdef'::regclass)
             OR r.classid = 'pg_trigger'::regclass AND EXISTS (SELECT FROM pg_trigger AS t WHERE t.oid = r.objid AND t.tgparentid = 0)
          UNION ALL
          SELECT 'pg_index'::regclass, i.index, format('index %s', i.index) FROM moved_indexes((m).columns) AS i) AS o (classid, objid, description),
         LATERAL expression_facts(o.classid, o.objid) AS f
    WHERE f.fact = 'uuid' AND uuid_version(f.value) = ((m).conversion).version
    UNION ALL
    SELECT c.root, c.name, format('online: the backfill stops at a row that violates constraint %I of table %s, which is not validated', k.conname, k.conrelid::regclass)
    FROM unnest((m).columns) AS c JOIN pg_constraint AS k ON k.conrelid = c.member
    WHERE k.contype IN ('c', 'n') AND NOT k.convalidated AND k.coninhcount = 0 AND k.conname <> trigger_name(c.name)
      AND to_jsonb(k) ->> 'conenforced' IS DISTINCT FROM 'false' -- from PostgreSQL 18 on
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s keeps the default %s of column %I', d.description, e.expression, a.attname)
    FROM unnest((m).dependents) AS d JOIN pg_attribute AS a ON a.attrelid = d.relation JOIN pg_attrdef AS f ON (f.adrelid, f.adnum) = (a.attrelid, a.attnum),
         LATERAL (SELECT pg_get_expr(f.adbin, f.adrelid)) AS e (expression)
    WHERE d.kind = 'view' AND is_old_generator(e.expression, (m).conversion)
    UNION ALL
    SELECT (m).relation, (m).column_name, format('materialized view %s, which is refreshed', v.matview) FROM stale_matviews((m).columns) AS v
    WHERE NOT EXISTS (SELECT FROM unnest((m).dependents) AS d WHERE d.relation = v.matview AND d.kind = 'materialized view')
    UNION ALL
    SELECT DISTINCT c.root, c.name, format('publication %I: before the script, run DROP SUBSCRIPTION on each subscriber; '
                                           'at the end, run TRUNCATE there on all tables of the publication, and CREATE SUBSCRIPTION, which copies them', p)
    FROM unnest((m).columns) AS c, LATERAL publications(c.member) AS p WHERE (m).published = 'resync'
    UNION ALL
    SELECT c.root, c.name, format('online: function %s may mean the columns of table %s by their positions, which change', f, c.root)
    FROM unnest((m).columns) AS c, LATERAL positional_functions(c.root) AS f WHERE c.member = c.root
    UNION ALL
    SELECT (m).relation, (m).column_name, format('with these privileges, others can have the backfill run their code: %s', string_agg(DISTINCT g.description, ', '))
    FROM risky_grants(m) AS g HAVING count(*) > 0
    UNION ALL
    SELECT k.root, k.column_name, k.remark FROM key_remarks(m) AS k WHERE is_looked_up((m).conversion)
    UNION ALL
    SELECT t.root, t.column_name, t.remark FROM type_remarks(m) AS t WHERE changes_type((m).conversion);
END;
COMMENT ON FUNCTION remarks(migration) IS
'what to know of a migration before it is run';

CREATE OR REPLACE FUNCTION plan(
    INOUT relation regclass,
    INOUT column_name name,
    conversion text DEFAULT 'v1_to_v6',
    also text[] DEFAULT '{}',
    published text DEFAULT 'refuse',
    created text DEFAULT NULL,
    without_time text DEFAULT 'error',
    future text DEFAULT 'error',
    trust_owners boolean DEFAULT false,
    OUT role text,
    OUT estimated_rows bigint,
    OUT size bigint,
    OUT indexes regclass[],
    OUT new_default text,
    OUT made_anew text[],
    OUT remarks text[],
    OUT obstacles text[],
    OUT hints text[]
) RETURNS SETOF record
LANGUAGE sql STABLE
SET jit = off
BEGIN ATOMIC
    WITH m AS MATERIALIZED (SELECT migration(relation, column_name, conversion, CASE WHEN changes_type(conversion_named(conversion)) THEN 'error' ELSE 'keep' END, also, published, true, trust_owners, NULL, created, without_time, future) AS value),
    columns AS MATERIALIZED (SELECT c.* FROM m, unnest((m.value).columns) AS c),
    obstacles AS MATERIALIZED (
        SELECT o.root, o.column_name, o.what, o.hint FROM m, LATERAL obstacles(m.value) AS o
        UNION
        SELECT o.root, o.column_name, 'offline: ' || o.what, o.hint FROM m, LATERAL obstacles_offline(m.value) AS o
        UNION
        SELECT o.root, o.column_name, 'online: ' || o.what, o.hint FROM m, LATERAL obstacles_online(m.value) AS o
    ),
    remarks AS MATERIALIZED (SELECT r.* FROM m, LATERAL remarks(m.value) AS r),
    new_defaults AS MATERIALIZED (SELECT d.* FROM m, LATERAL new_defaults(m.value) AS d)
    SELECT c.root, c.name, key_role(c.root, c.name),
           sum(greatest(t.reltuples, 0)) FILTER (WHERE t.relkind <> 'p')::bigint,
           sum(pg_total_relation_size(c.member))::bigint,
           (SELECT array_agg(i.indexrelid::regclass ORDER BY i.indexrelid::regclass::text COLLATE "C")
            FROM columns AS x JOIN pg_index AS i ON i.indrelid = x.member AND x.attnum = ANY (i.indkey)
            WHERE x.root = c.root AND x.name = c.name),
           (SELECT min(d.new_default) FROM new_defaults AS d WHERE d.root = c.root AND d.name = c.name),
           (SELECT array_agg(d.description ORDER BY d.description COLLATE "C")
            FROM m, unnest((m.value).dependents) AS d WHERE (c.root, c.name) = ((m.value).relation, (m.value).column_name)),
           (SELECT array_agg(r.remark ORDER BY r.remark COLLATE "C")
            FROM remarks AS r WHERE r.root = c.root AND r.column_name = c.name),
           (SELECT array_agg(o.what ORDER BY o.what COLLATE "C", o.hint COLLATE "C") FROM obstacles AS o WHERE o.root = c.root AND o.column_name = c.name),
           (SELECT array_agg(o.hint ORDER BY o.what COLLATE "C", o.hint COLLATE "C") FROM obstacles AS o WHERE o.root = c.root AND o.column_name = c.name)
    FROM columns AS c JOIN pg_class AS t ON t.oid = c.member
    GROUP BY c.root, c.name
    ORDER BY c.root::text COLLATE "C", c.name;
END;
COMMENT ON FUNCTION plan(regclass, name, text, text[], text, text, text, text, boolean) IS
'every column that moves together with a column, what is made anew, and what stands in the way';
