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

CREATE OR REPLACE FUNCTION remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name, format('online: the backfill fires trigger %I%s', t.name, CASE WHEN NOT t.always THEN '; fire_triggers => false keeps it from that' END)
    FROM unnest((m).columns) AS c, LATERAL fired_triggers(c.root, (m).fire_triggers) AS t WHERE c.member = c.root
    UNION ALL
    SELECT c.root, c.name, format('constraint %I of table %s, which may mean something else for the new values: %s', k.conname, k.conrelid::regclass, pg_get_constraintdef(k.oid))
    FROM unnest((m).columns) AS c JOIN pg_constraint AS k ON k.conrelid = c.member AND c.attnum = ANY (k.conkey)
    WHERE k.contype = 'c' AND k.coninhcount = 0 AND k.conname <> trigger_name(c.name)
      AND k.conbin::text ~ E'\\{CONST :consttype (2950|25) |:funcid|:opno (2974|2975|2976|2977) '
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s has the UUID %s, which is not converted', o.description, u.uuid[1])
    FROM (SELECT d.description, array_to_string(d.restore, ';') FROM unnest((m).dependents) AS d
          UNION ALL
          SELECT format('index %s', i.index), pg_get_expr(x.indpred, x.indrelid)
          FROM moved_indexes((m).columns) AS i JOIN pg_index AS x ON x.indexrelid = i.index) AS o (description, definition),
         LATERAL regexp_matches(o.definition, format('''[0-9a-f]{8}-[0-9a-f]{4}-%s[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}''', from_version((m).conversion))) AS u (uuid)
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
    FROM unnest((m).columns) AS c, LATERAL publications(c.member) AS p WHERE (m).published = 'resync';
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
LANGUAGE sql STABLE PARALLEL SAFE
SET jit = off
BEGIN ATOMIC
    WITH m AS MATERIALIZED (SELECT migration(relation, column_name, conversion, 'keep', also, published, true, false, NULL, created, without_time, future) AS value),
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
COMMENT ON FUNCTION plan(regclass, name, text, text[], text, text, text, text) IS
'every column that moves together with a column, what is made anew, and what stands in the way';
