-- What a migration knows, computed once from the catalogs.

-- After the exchange, the old column has the former default in a form that is never evaluated.
CREATE OR REPLACE FUNCTION former_default(relation regclass, shadow name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT f.expression
    FROM pg_attrdef AS d JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum,
         LATERAL (SELECT substring(pg_get_expr(d.adbin, d.adrelid) FROM E'^\\s*CASE\\s+WHEN false THEN (.*\\S)\\s+ELSE NULL::.*\\s+END$')) AS f (expression)
    WHERE d.adrelid = relation AND a.attname = shadow AND (is_call(f.expression) OR is_kept_default(f.expression))
);
COMMENT ON FUNCTION former_default(regclass, name) IS
'default that a column had before the exchange; NULL if there is none';

CREATE OR REPLACE FUNCTION new_defaults(m migration)
RETURNS TABLE (root regclass, member regclass, name name, shadow name, old_default text, new_default text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.member, c.name, c.shadow, e.old_default,
           CASE WHEN changes_type((m).conversion)
                THEN converted_default(m, (c.root, c.name) = ((m).relation, (m).column_name), e.old_default, e.kept_default)
                WHEN is_old_generator(e.old_default, (m).conversion) THEN coalesce((m).new_default, e.kept_default, uuidx_function(((m).conversion).new_generator) || '()')
                WHEN is_call(e.old_default) AND (c.root, c.name) = ((m).relation, (m).column_name) THEN coalesce((m).new_default, e.kept_default) END
    FROM unnest((m).columns) AS c
    JOIN pg_attrdef AS d ON d.adrelid = c.member AND d.adnum = c.attnum
    JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum,
         LATERAL (SELECT pg_get_expr(d.adbin, d.adrelid), former_default(c.member, c.shadow)) AS now (own, kept),
         -- The key may have its new default already, and its shadow keeps the old one.
         LATERAL (SELECT CASE WHEN k.is_new THEN now.kept ELSE now.own END, CASE WHEN k.is_new THEN now.own ELSE now.kept END
                  FROM (SELECT coalesce(is_old_generator(now.kept, (m).conversion), false)) AS k (is_new)) AS e (old_default, kept_default)
    WHERE a.attgenerated = '';
END;
COMMENT ON FUNCTION new_defaults(migration) IS
'defaults of the columns that move, and what they become; NULL if they stay';

CREATE OR REPLACE FUNCTION may_read(columns migrated_column[], trust_owners boolean) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN trust_owners OR (SELECT bool_and(is_session_of(t.relowner)) FROM unnest(columns) AS c JOIN pg_class AS t ON t.oid = c.member);
COMMENT ON FUNCTION may_read(migrated_column[], boolean) IS
'whether a plan may read rows: check_owner would raise no error';

CREATE OR REPLACE FUNCTION migration(
    relation regclass, column_name name, conversion text, others text, also text[], published text, fire_triggers boolean,
    trust_owners boolean, new_default regprocedure, created text, without_time text, future text
) RETURNS migration
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    m record;
    conversion_ uuidx_migrate_steps.conversion := uuidx_migrate_steps.conversion_named(conversion);
    columns uuidx_migrate_steps.migrated_column[];
    key_table regclass;
    key_column name;
BEGIN
    IF relation IS NULL OR column_name IS NULL OR also IS NULL THEN
        PERFORM uuidx_migrate_steps.raise('22004', 'relation, column_name and also must not be null');
    END IF;
    PERFORM uuidx_migrate_steps.check_conversion(conversion, others),
            uuidx_migrate_steps.check_choice('published', published, ARRAY['refuse', 'resync']),
            uuidx_migrate_steps.check_choice('without_time', without_time, ARRAY['error', 'epoch']),
            uuidx_migrate_steps.check_choice('future', future, ARRAY['error', 'epoch', 'keep']),
            uuidx_migrate_steps.check_column(relation, column_name, uuidx_migrate_steps.column_types(conversion_));
    PERFORM uuidx_migrate_steps.check_column(n.root, n.column_name, uuidx_migrate_steps.column_types(conversion_))
    FROM unnest(also) AS a, LATERAL uuidx_migrate_steps.named_column(a, relation) AS n;
    IF NOT EXISTS (SELECT FROM pg_proc AS p WHERE p.oid = coalesce(new_default, p.oid) AND (new_default IS NULL OR p.prorettype = 'uuid'::regtype AND p.pronargs = 0
                                                                                             AND p.prokind = 'f' AND NOT p.proretset)) THEN
        PERFORM uuidx_migrate_steps.raise('22023', format('function %s cannot be a default', new_default),
            'A default calls a function without arguments that returns uuid.');
    END IF;
    columns := ARRAY(SELECT u FROM uuidx_migrate_steps.migrated_columns(relation, column_name, also) AS u);
    -- The key says whether the exchange has taken place.
    SELECT min(k.relation::oid)::regclass, min(k.column_name::text) INTO key_table, key_column
    FROM uuidx_migrate_steps.key_candidates(relation, columns, also) AS k WHERE uuidx_migrate_steps.is_looked_up(conversion_) HAVING count(*) = 1;
    key_table := coalesce(key_table, uuidx_migrate_steps.root(relation));
    key_column := coalesce(key_column, column_name);
    SELECT key_table, key_column, conversion_, others, also, published, fire_triggers, trust_owners,
           (SELECT format('%s.%I()', p.pronamespace::regnamespace, p.proname) FROM pg_proc AS p WHERE p.oid = new_default),
           columns,
           ARRAY(SELECT f FROM uuidx_migrate_steps.migrated_foreign_keys(columns) AS f),
           ARRAY(SELECT d FROM uuidx_migrate_steps.dependents(columns) AS d),
           CASE WHEN uuidx_migrate_steps.may_read(columns, trust_owners) THEN uuidx_migrate_steps.created_expression(key_table, created) ELSE created END,
           without_time, future
    INTO m;
    RETURN m;
END
$$;
COMMENT ON FUNCTION migration(regclass, name, text, text, text[], text, boolean, boolean, regprocedure, text, text, text) IS
'all that a migration has to know of the catalogs';
