-- The conversions: what a key and the columns that reference it become, what proves that they are right, and what undoes
-- it. Everything else knows nothing of versions and types.

CREATE OR REPLACE FUNCTION check_conversion(conversion text, others text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.check_choice('conversion', conversion, ARRAY['v1_to_v6', 'v6_to_v1', 'to_v7', 'from_v7', 'text_to_uuid', 'uuid_to_text']),
            uuidx_migrate.check_choice('others', others, CASE WHEN uuidx_migrate.changes_type(conversion) THEN ARRAY['error'] ELSE ARRAY['error', 'keep'] END);
END
$$;
COMMENT ON FUNCTION check_conversion(text, text) IS
'an error unless there is a conversion with this name, and this way to treat other UUIDs';

CREATE OR REPLACE FUNCTION from_version(conversion text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE conversion WHEN 'v1_to_v6' THEN 1 WHEN 'v6_to_v1' THEN 6 END;
COMMENT ON FUNCTION from_version(text) IS
'version that a conversion converts';

CREATE OR REPLACE FUNCTION undoing(conversion text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE conversion WHEN 'v1_to_v6' THEN 'v6_to_v1' WHEN 'v6_to_v1' THEN 'v1_to_v6' WHEN 'to_v7' THEN 'from_v7' WHEN 'from_v7' THEN 'to_v7'
                       WHEN 'text_to_uuid' THEN 'uuid_to_text' WHEN 'uuid_to_text' THEN 'text_to_uuid' END;
COMMENT ON FUNCTION undoing(text) IS
'conversion that undoes another';

CREATE OR REPLACE FUNCTION old_types(conversion text) RETURNS regtype[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE conversion WHEN 'text_to_uuid' THEN text_types() ELSE '{uuid}' END;
COMMENT ON FUNCTION old_types(text) IS
'types of columns that a conversion converts';

CREATE OR REPLACE FUNCTION new_type(conversion text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE conversion WHEN 'uuid_to_text' THEN 'pg_catalog.text' ELSE 'pg_catalog.uuid' END;
COMMENT ON FUNCTION new_type(text) IS
'type that a conversion gives a column';

CREATE OR REPLACE FUNCTION column_types(conversion text) RETURNS regtype[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN changes_type(conversion) THEN movable_types() ELSE '{uuid}' END;
COMMENT ON FUNCTION column_types(text) IS
'types that a column can have before or after a conversion';

CREATE OR REPLACE FUNCTION new_value(column_name name, conversion text, others text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format(CASE WHEN is_looked_up(conversion)
                  THEN 'NULL::pg_catalog.uuid' -- The trigger looks it up.
                  WHEN others = 'keep'
                  THEN 'CASE WHEN uuidx_migrate.uuid_version(%1$I) OPERATOR(pg_catalog.=) %3$s THEN uuidx_migrate.%2$I(%1$I) ELSE %1$I END'
                  ELSE 'uuidx_migrate.%2$I(%1$I)' END,
              column_name, CASE WHEN changes_type(conversion) THEN conversion ELSE 'uuid_' || conversion END, from_version(conversion));
COMMENT ON FUNCTION new_value(name, text, text) IS
'expression for the new value of a column in a backfill';

CREATE OR REPLACE FUNCTION rewritten_value(m migration, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN is_looked_up((m).conversion) THEN mapped_value(m, column_name) ELSE new_value(column_name, (m).conversion, (m).others) END;
COMMENT ON FUNCTION rewritten_value(migration, name) IS
'expression for the new value of a column when its table is rewritten';

-- A conversion that computes a value from another column fills that one first.
CREATE OR REPLACE FUNCTION stages(m migration) RETURNS TABLE (columns moved_column[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT array_agg(c ORDER BY n)
    FROM (SELECT u, row_number() OVER (), is_looked_up((m).conversion) AND NOT is_key(m, u) FROM unnest((m).columns) AS u) AS u (c, n, is_second)
    GROUP BY is_second ORDER BY is_second;
END;
COMMENT ON FUNCTION stages(migration) IS
'the columns that move, in the order in which they are filled: together, or some after others';

CREATE OR REPLACE FUNCTION fill() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill'
LANGUAGE C;
COMMENT ON FUNCTION fill() IS
'trigger before INSERT or UPDATE that fills a shadow column; its arguments are the column, the shadow column, the conversion, and what to do with UUIDs of another version';

-- Online, a trigger keeps the shadow column, and a CHECK constraint makes PostgreSQL compare every row with the conversion.
-- The exchange changes only the names of the columns, so that both hold before and after that.
CREATE OR REPLACE FUNCTION fill_trigger(m migration, c moved_column) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN is_looked_up((m).conversion) THEN key_trigger(m, c)
            WHEN changes_type((m).conversion) THEN format('uuidx_migrate.fill_text(%L, %L, %L, %L)', (c).name, (c).shadow, text_size(m), (m).conversion)
            ELSE format('uuidx_migrate.fill(%L, %L, %L, %L)', (c).name, (c).shadow, (m).conversion, (m).others) END;
COMMENT ON FUNCTION fill_trigger(migration, moved_column) IS
'call of the trigger function that fills a shadow column';

CREATE OR REPLACE FUNCTION is_fill(function oid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN function IN ('fill()'::regprocedure, 'fill_text()'::regprocedure, 'fill_key()'::regprocedure, 'fill_reference()'::regprocedure);
COMMENT ON FUNCTION is_fill(oid) IS
'whether a function fills shadow columns';

CREATE OR REPLACE FUNCTION is_own_trigger(function oid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN is_fill(function) OR function IN ('refill()'::regprocedure, 'reset()'::regprocedure);
COMMENT ON FUNCTION is_own_trigger(oid) IS
'whether a function is one for the triggers of a migration';

-- Where the new value is looked up, foreign keys prove more later. A text is proved by its UUID, as there may be other texts
-- for that. When the old column is dropped, so is the constraint.
CREATE OR REPLACE FUNCTION proof(m migration, c moved_column, not_null boolean) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format(concat(CASE WHEN not_null THEN '%1$I IS NOT NULL' ELSE '(%1$I IS NULL) OPERATOR(pg_catalog.=) (%3$I IS NULL)' END,
                     CASE WHEN (m).conversion = 'uuid_to_text' THEN ' AND %3$I OPERATOR(pg_catalog.=) (%4$s)'
                          WHEN NOT is_looked_up((m).conversion) THEN ' AND %1$I OPERATOR(pg_catalog.=) (%2$s)' WHEN not_null THEN ' AND %3$I IS NOT NULL' END,
                     -- It also confirms for the triggers where they may look values up.
                     CASE WHEN is_looked_up((m).conversion) AND (c).root <> (m).relation THEN ' AND %5$L::pg_catalog.regclass IS NOT NULL' END),
              (c).shadow, new_value((c).name, (m).conversion, (m).others), (c).name, new_value((c).shadow, undoing((m).conversion), (m).others), (m).relation);
COMMENT ON FUNCTION proof(migration, moved_column, boolean) IS
'condition that a shadow column has the new value';

CREATE OR REPLACE FUNCTION after_stage(m migration, stage moved_column[]) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.* FROM pair_index(m) AS s
    WHERE is_looked_up((m).conversion) AND EXISTS (SELECT FROM unnest(stage) AS c WHERE is_key(m, (c.root, c.member, c.level, c.attnum, c.name, c.shadow)));
END;
COMMENT ON FUNCTION after_stage(migration, moved_column[]) IS
'part of script: the steps before the next stage';

CREATE OR REPLACE FUNCTION prove(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.* FROM proof_steps(m) AS s WHERE is_looked_up((m).conversion)
    UNION ALL
    SELECT s.* FROM alias_index(m) AS s WHERE is_looked_up((m).conversion);
END;
COMMENT ON FUNCTION prove(migration) IS
'part of script: has PostgreSQL prove what no single row shows';

CREATE OR REPLACE FUNCTION value_checks(m migration, of_tables regclass[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate.check_values(%s, %s, %s, %s)', typed(c.root::text, 'regclass'), typed(c.name, 'name'), typed((m).conversion, 'text'), (m).trust_owners::text)
    FROM unnest((m).columns) AS c
    WHERE c.member = c.root AND c.root = ANY (of_tables) AND (m).others = 'error' AND from_version((m).conversion) IS NOT NULL
    UNION ALL
    SELECT format('SELECT uuidx_migrate.check_texts(%s, %s, %s)', typed(c.root::text, 'regclass'), typed(c.name, 'name'), (m).trust_owners::text)
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND c.root = ANY (of_tables) AND (m).conversion = 'text_to_uuid'
    UNION ALL
    SELECT format('SELECT uuidx_migrate.check_times(%s, %s, %s, %s, %s, %s)', typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'),
                  typed((m).created, 'text'), typed((m).without_time, 'text'), typed((m).future, 'text'), (m).trust_owners::text)
    WHERE (m).relation = ANY (of_tables) AND (m).conversion = 'to_v7';
END;
COMMENT ON FUNCTION value_checks(migration, regclass[]) IS
'statements that check whether the values in tables can be converted';

CREATE OR REPLACE FUNCTION check_statements(m migration, of_tables regclass[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate.check_owner(%s, %s)', relation_list(of_tables), (m).trust_owners::text)
    UNION ALL
    SELECT v FROM value_checks(m, of_tables) AS v
    UNION ALL
    SELECT format('SELECT uuidx_migrate.check_keys(%s, %s, %s, %s, %s)', typed(n.root::text, 'regclass'), typed(n.column_name, 'name'),
                  typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'), (m).trust_owners::text)
    FROM unnest((m).also) AS a, LATERAL named_column(a, (m).relation) AS n
    WHERE n.root = ANY (of_tables) AND (m).others = 'error' AND NOT changes_type((m).conversion);
END;
COMMENT ON FUNCTION check_statements(migration, regclass[]) IS
'statements that check who runs a script and what is in the columns of tables';

-- A default that generates keys of the old version is replaced. When a conversion to version 7 is undone, only the former
-- default says that there was another one.
CREATE OR REPLACE FUNCTION is_old_generator(expression text, conversion text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN is_call(expression, CASE conversion WHEN 'v1_to_v6' THEN 'uuid_generate_v1|uuid_generate_v1mc' WHEN 'v6_to_v1' THEN 'uuid_generate_v6'
                                           WHEN 'to_v7' THEN 'gen_random_uuid|uuidv4|uuid_generate_v4|uuid_generate_v1|uuid_generate_v1mc|uuid_generate_v6'
                                           ELSE '' END);

CREATE OR REPLACE FUNCTION new_generator(conversion text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE conversion WHEN 'v1_to_v6' THEN uuidx_function('uuid_generate_v6') || '()' WHEN 'to_v7' THEN uuidx_function('uuid_generate_v7') || '()' END;
COMMENT ON FUNCTION new_generator(text) IS
'default that generates keys of the new version';
COMMENT ON FUNCTION is_old_generator(text, text) IS
'whether a default generates keys of the version that a conversion converts';

CREATE OR REPLACE FUNCTION version_histogram(
    relation regclass,
    column_name name,
    trust_owners boolean DEFAULT false,
    OUT version smallint,
    OUT variant text,
    OUT count bigint,
    OUT first timestamptz,
    OUT last timestamptz
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.check_column(relation, column_name), uuidx_migrate.lock_table(relation, 'ACCESS SHARE', trust_owners);
    RETURN QUERY EXECUTE format(
        'SELECT v.version, v.variant, count(*), min(v.time), max(v.time)
         FROM (SELECT uuidx_migrate.uuid_version(%1$I) AS version, uuidx_migrate.uuid_variant(%1$I) AS variant, uuidx_migrate.uuid_time(%1$I) AS time
               FROM %2$s) AS v
         GROUP BY v.version, v.variant ORDER BY v.version, v.variant', column_name, relation);
END
$$;
COMMENT ON FUNCTION version_histogram(regclass, name, boolean) IS
'number of UUIDs of each version and variant in a column, and their first and last time';
