-- What a script does to a column, as its conversion says.

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
RETURN format(CASE WHEN is_key(m, c) THEN ((m).conversion).key_trigger ELSE ((m).conversion).reference_trigger END,
              (c).name, (c).shadow, ((m).conversion).name, (m).others, (m).column_name, shadow_name((m).column_name),
              CASE WHEN (m).created IS NULL THEN '' ELSE key_object_name(m, 'created') END, (m).without_time, (m).future, text_size(m));
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

-- Where the new value is looked up, foreign keys prove more later. When the old column is dropped, so is the constraint.
CREATE OR REPLACE FUNCTION proof(m migration, c moved_column, not_null boolean) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format(concat(CASE WHEN not_null THEN '%1$I IS NOT NULL' ELSE '(%1$I IS NULL) OPERATOR(pg_catalog.=) (%2$I IS NULL)' END,
                     ' AND ' || coalesce(((m).conversion).proof, CASE WHEN not_null THEN '%2$I IS NOT NULL' END),
                     -- It also confirms for the triggers where they may look values up.
                     CASE WHEN is_looked_up((m).conversion) AND (c).root <> (m).relation THEN ' AND %4$L::pg_catalog.regclass IS NOT NULL' END),
              (c).shadow, (c).name, new_value((c).name, (m).conversion, (m).others), (m).relation);
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
    SELECT format('SELECT uuidx_migrate.check_values(%s, %s, %s, %s)', typed(c.root::text, 'regclass'), typed(c.name, 'name'), typed(((m).conversion).name, 'text'), (m).trust_owners::text)
    FROM unnest((m).columns) AS c
    WHERE c.member = c.root AND c.root = ANY (of_tables) AND (m).others = 'error' AND ((m).conversion).version IS NOT NULL
    UNION ALL
    SELECT format('SELECT uuidx_migrate.check_texts(%s, %s, %s)', typed(c.root::text, 'regclass'), typed(c.name, 'name'), (m).trust_owners::text)
    FROM unnest((m).columns) AS c WHERE c.member = c.root AND c.root = ANY (of_tables) AND reads_texts((m).conversion)
    UNION ALL
    SELECT format('SELECT uuidx_migrate.check_times(%s, %s, %s, %s, %s, %s)', typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'),
                  typed((m).created, 'text'), typed((m).without_time, 'text'), typed((m).future, 'text'), (m).trust_owners::text)
    WHERE (m).relation = ANY (of_tables) AND makes_keys((m).conversion);
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
CREATE OR REPLACE FUNCTION is_old_generator(expression text, conversion conversion) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN is_call(expression, coalesce((conversion).old_generators, ''));
COMMENT ON FUNCTION is_old_generator(text, conversion) IS
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
