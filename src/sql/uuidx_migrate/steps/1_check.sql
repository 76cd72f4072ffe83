-- What the head of a script checks: who runs it, and what is in the columns.

CREATE OR REPLACE FUNCTION value_checks(m migration, of_tables regclass[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate_steps.check_values(%s, %s, %s, %s)', typed(c.root::text, 'regclass'), typed(c.name, 'name'), typed(((m).conversion).name, 'text'), (m).trust_owners::text)
    FROM unnest((m).columns) AS c
    WHERE c.member = c.root AND c.root = ANY (of_tables) AND (m).others = 'error' AND ((m).conversion).version IS NOT NULL
    UNION ALL
    SELECT format('SELECT uuidx_migrate_steps.check_texts(%s, %s, %s)', typed(c.root::text, 'regclass'), typed(c.name, 'name'), (m).trust_owners::text)
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND c.root = ANY (of_tables) AND reads_texts((m).conversion)
    UNION ALL
    SELECT format('SELECT uuidx_migrate_steps.check_times(%s, %s, %s, %s, %s, %s)', typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'),
                  typed((m).created, 'text'), typed((m).without_time, 'text'), typed((m).future, 'text'), (m).trust_owners::text)
    WHERE (m).relation = ANY (of_tables) AND makes_keys((m).conversion);
END;
COMMENT ON FUNCTION value_checks(migration, regclass[]) IS
'statements that check whether the values in tables can be converted';

CREATE OR REPLACE FUNCTION check_statements(m migration, of_tables regclass[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate_steps.check_owner(%s, %s)', relation_list(of_tables), (m).trust_owners::text)
    UNION ALL
    SELECT v FROM value_checks(m, of_tables) AS v
    UNION ALL
    SELECT format('SELECT uuidx_migrate_steps.check_keys(%s, %s, %s, %s, %s)', typed(n.root::text, 'regclass'), typed(n.column_name, 'name'),
                  typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'), (m).trust_owners::text)
    FROM unnest((m).also) AS a, LATERAL named_column(a, (m).relation) AS n
    WHERE n.root = ANY (of_tables) AND (m).others = 'error' AND NOT changes_type((m).conversion);
END;
COMMENT ON FUNCTION check_statements(migration, regclass[]) IS
'statements that check who runs a script and what is in the columns of tables';

CREATE OR REPLACE FUNCTION call_note_called(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate_steps.note_called(%s)', relation_list(affected_relations(m)));
COMMENT ON FUNCTION call_note_called(migration) IS
'call of note_called, as text';

-- Nothing depends on functions of PostgreSQL.
CREATE OR REPLACE FUNCTION call_check_called(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate_steps.check_called(%s, %L::pg_catalog.oid[])', relation_list(affected_relations(m)),
              ARRAY(SELECT DISTINCT p::oid
                    FROM new_defaults(m) AS d, LATERAL to_regprocedure(substring(d.new_default FROM E'[^()]+\\(\\)')) AS p (p) WHERE p >= 16384
                    ORDER BY 1));
COMMENT ON FUNCTION call_check_called(migration) IS
'call of check_called, as text';

CREATE OR REPLACE FUNCTION script_fingerprint(m migration, mode text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Whoever runs the script, and how, it is the same one.
    m.trust_owners := false;
    m.fire_triggers := true;
    RETURN CASE mode WHEN 'offline' THEN (SELECT md5(string_agg(o.sql, ';' ORDER BY n)) FROM uuidx_migrate_steps.offline_steps(m) WITH ORDINALITY AS o (phase, locks, sql, n))
                     -- Also with the definitions of what is built on the shadow columns.
                     ELSE (SELECT md5(string_agg(s.sql, ';' ORDER BY s.part, s.n))
                           FROM (SELECT 1, n, s FROM uuidx_migrate_steps.by_table(m.columns) AS t, LATERAL uuidx_migrate_steps.shadow_statements(m, t.columns) WITH ORDINALITY AS s (s, n)
                                 UNION ALL
                                 SELECT 2, n, i.sql FROM uuidx_migrate_steps.build_steps(m) WITH ORDINALITY AS i (phase, locks, sql, n)
                                 UNION ALL
                                 SELECT 3, n, e FROM uuidx_migrate_steps.exchange_statements(m) WITH ORDINALITY AS e (e, n)) AS s (part, n, sql)) END;
END
$$;
COMMENT ON FUNCTION script_fingerprint(migration, text) IS
'another text as soon as other statements are needed';

CREATE OR REPLACE FUNCTION call_check_script(m migration, mode text, written text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate_steps.check_script(%s)', concat_ws(', ',
    typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'), typed(mode, 'text'), typed(((m).conversion).name, 'text'), typed((m).others, 'text'),
    format('%s::pg_catalog.text[]', quote_literal((m).also)), typed((m).published, 'text'), typed((m).new_default, 'regprocedure'), typed(written, 'text'),
    typed((m).created, 'text'), typed((m).without_time, 'text'), typed((m).future, 'text'), (m).trust_owners::text));
COMMENT ON FUNCTION call_check_script(migration, text, text) IS
'call of check_script, as text';
