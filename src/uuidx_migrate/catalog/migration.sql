-- What a migration knows, computed once from the catalogs.

-- Whether a plan may read rows: check_owner would raise no error.
CREATE OR REPLACE FUNCTION may_read(columns migrated_column[], trust_owners boolean) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN trust_owners OR (SELECT bool_and(is_session_of(t.relowner) AND is_safe_with(n.nspowner, t.relowner))
                        FROM unnest(columns) AS c, pg_class AS t, pg_namespace AS n
                        WHERE t.oid = c.member AND n.oid = t.relnamespace);

-- An error for a mistake in those arguments of a call that are not about its columns.
CREATE OR REPLACE FUNCTION check_arguments(c choices) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF c.fire_triggers IS NULL OR c.trust_owners IS NULL THEN
        PERFORM uuidx_migrate_steps.raise('22004', 'fire_triggers and trust_owners must not be null');
    END IF;
    PERFORM uuidx_migrate_steps.check_conversion(c.conversion, c.other_values),
            uuidx_migrate_steps.check_choice('published_tables', c.published_tables, ARRAY['refuse', 'resync']),
            uuidx_migrate_steps.check_choice('rows_without_time', c.rows_without_time, ARRAY['error', 'epoch']),
            uuidx_migrate_steps.check_choice('future_rows', c.future_rows, ARRAY['error', 'epoch', 'keep']);
    IF NOT c.fire_triggers THEN
        PERFORM uuidx_migrate_steps.check_fire_triggers();
    END IF;
    IF c.new_default IS NOT NULL
       AND NOT EXISTS (SELECT FROM pg_proc AS p
                       WHERE p.oid = c.new_default AND p.prorettype = 'uuid'::regtype AND p.pronargs = 0
                         AND p.prokind = 'f' AND NOT p.proretset) THEN
        PERFORM uuidx_migrate_steps.raise('22023', format('function %s cannot be a default', c.new_default),
            'A default calls a function without arguments that returns uuid.');
    END IF;
END
$$;

-- Part of migration: an error for a mistake in a call of plan or script.
CREATE OR REPLACE FUNCTION check_choices(c choices) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    conversion uuidx_migrate_steps.conversion;
BEGIN
    IF c.relation IS NULL OR c.column_name IS NULL OR c.also IS NULL
       OR EXISTS (SELECT FROM unnest(c.also) AS a WHERE a IS NULL) THEN
        PERFORM uuidx_migrate_steps.raise('22004', 'relation, column_name and the columns in also must not be null');
    END IF;
    PERFORM uuidx_migrate_steps.check_conversion_is_given(c.conversion, c.relation, c.column_name),
            uuidx_migrate_steps.check_arguments(c);
    conversion := uuidx_migrate_steps.conversion_named(c.conversion);
    PERFORM uuidx_migrate_steps.check_key_type(c.relation, c.column_name,
                                               uuidx_migrate_steps.column_types(conversion));
    PERFORM uuidx_migrate_steps.check_column(n.root, n.column_name,
                uuidx_migrate_steps.reference_types(conversion))
    FROM unnest(c.also) AS a, LATERAL uuidx_migrate_steps.named_column(a, c.relation) AS n;
END
$$;

-- A migration with the objects that have to do with its columns.
CREATE OR REPLACE FUNCTION with_objects(m migration) RETURNS migration
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    m.objects := ARRAY(SELECT o FROM uuidx_migrate_steps.objects(m.columns) AS o);
    m.dependents := ARRAY(
        SELECT d FROM uuidx_migrate_steps.dependents(m.columns, (m.conversion).changes_type) AS d);
    RETURN m;
END
$$;

-- All that a migration has to know of the catalogs; what only the online mode builds, where that is asked for.
CREATE OR REPLACE FUNCTION migration(choices choices, is_online boolean) RETURNS migration
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    m uuidx_migrate_steps.migration;
BEGIN
    PERFORM uuidx_migrate_steps.check_choices(choices);
    -- With their schemas: the table of the key may be in another one than the relation that the user names.
    choices.also := ARRAY(SELECT format('%I.%I.%I', s.nspname, c.relname, n.column_name)
                          FROM unnest(choices.also) WITH ORDINALITY AS a (text, n),
                               LATERAL uuidx_migrate_steps.named_column(a.text, choices.relation) AS n,
                               pg_class AS c, pg_namespace AS s
                          WHERE c.oid = n.root AND s.oid = c.relnamespace ORDER BY a.n);
    m.choices := choices;
    m.conversion := uuidx_migrate_steps.conversion_named(choices.conversion);
    m.columns := ARRAY(
        SELECT c
        FROM uuidx_migrate_steps.migrated_columns(choices.relation, choices.column_name, choices.also) AS c);
    -- The key says whether the cutover has taken place.
    SELECT min(k.relation::oid)::regclass, min(k.column_name::text) INTO m.relation, m.column_name
    FROM uuidx_migrate_steps.key_candidates(choices.relation, m.columns, choices.also) AS k
    WHERE (m.conversion).is_looked_up HAVING count(*) = 1;
    m.relation := coalesce(m.relation, uuidx_migrate_steps.root(choices.relation));
    m.column_name := coalesce(m.column_name, choices.column_name);
    PERFORM uuidx_migrate_steps.check_number_choices(choices, m.relation);
    IF cardinality(choices.also) > 0 THEN
        m.columns := ARRAY(SELECT ROW(c.root, c.member, c.level, c.attnum, c.name, c.shadow,
                                      k.relation IS NOT NULL, c.type)::uuidx_migrate_steps.migrated_column
                           FROM unnest(m.columns) WITH ORDINALITY AS c
                           LEFT JOIN uuidx_migrate_steps.connected_columns(m.relation, m.column_name) AS k
                             ON k.relation = c.root AND k.column_name = c.name
                           ORDER BY c.ordinality);
    END IF;
    IF uuidx_migrate_steps.may_read(m.columns, choices.trust_owners) AND has_table_privilege(m.relation, 'SELECT') THEN
        m.choices.created := uuidx_migrate_steps.fitting_created(m.relation, choices.created);
        m.created_columns := coalesce(uuidx_migrate_steps.created_columns(m.relation, (m.choices).created),
                                      CASE WHEN choices.created IS NOT NULL THEN '{}'::smallint[] END);
    END IF;
    m := uuidx_migrate_steps.with_objects(m);
    m.beside := '{}';
    m.defaults := ARRAY(SELECT d FROM uuidx_migrate_steps.migrated_defaults(m) AS d);
    m.changes := ARRAY(SELECT c FROM uuidx_migrate_steps.changes_online(m) AS c WHERE is_online);
    RETURN m;
END
$$;

-- Migrations that one script runs: each knows the columns of the others in its tables.
CREATE OR REPLACE FUNCTION beside_each_other(ms migration[]) RETURNS migration[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tables regclass[];
BEGIN
    FOR n IN 1 .. cardinality(ms) LOOP
        tables := uuidx_migrate_steps.tables(ms[n]);
        ms[n].beside := ARRAY(SELECT c FROM unnest(ms) WITH ORDINALITY AS m, unnest(m.columns) AS c
                              WHERE m.ordinality <> n AND c.root = ANY (tables));
    END LOOP;
    RETURN ms;
END
$$;

-- All that several migrations change, as one: each object once, whichever columns it has to do with.
CREATE OR REPLACE FUNCTION together(ms migration[]) RETURNS migration
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    m uuidx_migrate_steps.migration := ms[1];
BEGIN
    IF cardinality(ms) > 1 THEN
        m.columns := ARRAY(SELECT (array_agg(c))[1] FROM unnest(ms) AS u, unnest(u.columns) AS c
                           GROUP BY c.member, c.attnum
                           ORDER BY min(c.root::text COLLATE "C"), min(c.name::text COLLATE "C"),
                                    min(c.level), min(c.member::text COLLATE "C"));
        m := uuidx_migrate_steps.with_objects(m);
        m.defaults := ARRAY(SELECT d FROM unnest(ms) AS u, unnest(u.defaults) AS d);
    END IF;
    RETURN m;
END
$$;

-- The migrations of a script, as far as the cutover has not taken place. Who runs the script need not have the right to
-- keep triggers from firing.
CREATE OR REPLACE FUNCTION pending_migrations(choices jsonb, is_online boolean) RETURNS migration[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN beside_each_other(ARRAY(
    SELECT migration(c, is_online)
    FROM jsonb_array_elements(choices) AS k,
         LATERAL jsonb_populate_record(NULL::choices, k || '{"fire_triggers": true}') AS c
    WHERE shadow_conversion(c.relation, c.column_name) IS DISTINCT FROM (conversion_named(c.conversion)).undo));
