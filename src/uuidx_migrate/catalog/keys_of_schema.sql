-- Several keys of one call: which they are, and what the caller has chosen for each.

-- Part of keys_of_schema: the columns of a schema that may be keys: those of a primary key, and those that foreign keys
-- reference. A type may be a domain over one of these types or, as citext, another one for texts: then the plan says
-- why the column is none. Texts and numbers in a primary key of several columns count where they are generated: they
-- may be the number of a line or the code of a language. The shadow of a key is none.
CREATE OR REPLACE FUNCTION columns_in_keys(schema name, types regtype[])
RETURNS TABLE (relation regclass, attnum smallint, name name, is_primary boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.oid::regclass, a.attnum, a.attname, bool_or(k.is_primary)
    FROM pg_namespace AS n, pg_class AS c, pg_attribute AS a, pg_type AS t,
         (SELECT p.conrelid, p.conkey, true FROM pg_constraint AS p WHERE p.contype = 'p'
          UNION ALL
          SELECT f.confrelid, f.confkey, false FROM pg_constraint AS f WHERE f.contype = 'f')
         AS k (relation, attnums, is_primary)
    WHERE c.relnamespace = n.oid AND a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      AND n.nspname = schema AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND t.oid = a.atttypid
      AND (t.oid = ANY (types) OR t.typtype = 'd' AND t.typbasetype = ANY (types)
           OR t.typcategory = 'S' AND 'text'::regtype = ANY (types))
      AND k.relation = c.oid AND a.attnum = ANY (k.attnums)
      AND (t.oid = 'uuid'::regtype OR cardinality(k.attnums) = 1 OR NOT k.is_primary
           OR a.attidentity <> '' OR a.atthasdef)
      AND NOT (strpos(a.attname, 'shadow') > 0
               AND EXISTS (SELECT FROM pg_attribute AS o
                           WHERE o.attrelid = c.oid AND o.attnum > 0 AND shadow_name(o.attname) = a.attname
                             AND shadow_conversion(c.oid::regclass, o.attname) IS NOT NULL))
    GROUP BY c.oid, a.attnum, a.attname;
END;

-- Part of named_keys: the keys in the tables of a schema: the columns that may be keys, but for those that reference
-- one, over any number of others. Where columns reference each other in a circle, none of them is the key; those that
-- are in a primary key count, so that a plan says so.
CREATE OR REPLACE FUNCTION keys_of_schema(schema name, types regtype[])
RETURNS TABLE (relation regclass, column_name name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE columns AS MATERIALIZED (SELECT c.* FROM columns_in_keys(schema, types) AS c),
    pairs (relation, attnum, referenced, referenced_attnum) AS MATERIALIZED (
        SELECT DISTINCT f.conrelid, k.referencing, f.confrelid, k.referenced
        FROM pg_constraint AS f, LATERAL ROWS FROM (unnest(f.conkey), unnest(f.confkey)) AS k (referencing, referenced)
        WHERE f.contype = 'f' AND (f.conrelid, k.referencing) <> (f.confrelid, k.referenced)
    ),
    referenced (relation, attnum, referenced, referenced_attnum) AS (
        SELECT c.relation::oid, c.attnum, p.referenced, p.referenced_attnum
        FROM columns AS c, pairs AS p WHERE (p.relation, p.attnum) = (c.relation, c.attnum)
        UNION
        SELECT r.relation, r.attnum, p.referenced, p.referenced_attnum
        FROM referenced AS r, pairs AS p WHERE (p.relation, p.attnum) = (r.referenced, r.referenced_attnum)
    )
    SELECT c.relation, c.name
    FROM columns AS c,
         LATERAL (SELECT count(*) > 0, bool_or((r.referenced, r.referenced_attnum) = (c.relation, c.attnum)),
                         bool_or((r.referenced, r.referenced_attnum)
                                 NOT IN (SELECT p.relation, p.attnum FROM pairs AS p))
                  FROM referenced AS r WHERE (r.relation, r.attnum) = (c.relation, c.attnum))
         AS r (is_reference, is_in_circle, has_key)
    WHERE NOT r.is_reference OR c.is_primary AND r.is_in_circle AND NOT r.has_key
    ORDER BY c.relation::text COLLATE "C", c.name;
END;

-- The columns that texts name: schema.table.column, or a schema for all its keys. A text with an exclamation mark names
-- none.
CREATE OR REPLACE FUNCTION named_keys(keys text[], types regtype[]) RETURNS TABLE (relation regclass, column_name name)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    named text;
    parts text[];
BEGIN
    FOREACH named IN ARRAY keys LOOP
        CONTINUE WHEN starts_with(named, '!');
        parts := parse_ident(named);
        IF cardinality(parts) = 1 THEN
            RETURN QUERY
                SELECT k.relation, k.column_name
                FROM uuidx_migrate_steps.keys_of_schema(parts[1]::name, types) AS k;
            IF NOT FOUND THEN
                PERFORM uuidx_migrate_steps.raise('22023',
                    format('schema "%s" has no key of type %s', parts[1], array_to_string(types, ' or ')));
            END IF;
        ELSIF cardinality(parts) = 3 THEN
            RETURN QUERY
                SELECT n.root, n.column_name
                FROM uuidx_migrate_steps.named_column(named, 'pg_class'::regclass) AS n,
                     LATERAL uuidx_migrate_steps.check_key_type(n.root, n.column_name, types);
        ELSE
            PERFORM uuidx_migrate_steps.raise('22023', format('"%s" names neither a key nor a schema', named),
                hint => 'Write schema.table.column, or the name of a schema.');
        END IF;
    END LOOP;
END
$$;

-- Part of is_left_out: whether a pattern is the name of a column's table, alone or with the schema, or of the column
-- with both, whether or not these have quotes. In it, * stands for any characters.
CREATE OR REPLACE FUNCTION fits_pattern(relation regclass, column_name name, pattern text) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT bool_or(translate(n.name, '"', '')
                       LIKE replace(regexp_replace(translate(pattern, '"', ''), E'([_%\\\\])', E'\\\\\\1', 'g'),
                                    '*', '%'))
        FROM pg_class AS c, pg_namespace AS s,
             LATERAL (VALUES (c.relname::text), (format('%s.%s', s.nspname, c.relname)),
                             (format('%s.%s.%s', s.nspname, c.relname, column_name))) AS n (name)
        WHERE c.oid = relation AND s.oid = c.relnamespace);

-- Part of check_keys_are_given and key_choices: whether one of some texts leaves a column out: an exclamation mark,
-- and a pattern that it fits.
CREATE OR REPLACE FUNCTION is_left_out(relation regclass, column_name name, keys text[]) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM unnest(keys) AS k
               WHERE starts_with(k, '!') AND fits_pattern(relation, column_name, substr(k, 2)));

-- Part of key_choices: an error unless options have the form that they must have.
CREATE OR REPLACE FUNCTION check_options(options jsonb) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    option record;
BEGIN
    PERFORM uuidx_migrate_steps.check_choice('type of options', jsonb_typeof(options), ARRAY['object']);
    FOR option IN SELECT o.key AS name, o.value FROM jsonb_each(options) AS o LOOP
        IF cardinality(parse_ident(option.name)) <> 3 THEN
            PERFORM uuidx_migrate_steps.raise('22023', format('"%s" in options names no key', option.name),
                hint => 'Write schema.table.column.');
        END IF;
        PERFORM uuidx_migrate_steps.check_choice('type of options', jsonb_typeof(option.value), ARRAY['object']);
        PERFORM uuidx_migrate_steps.check_choice('option', f.key,
                    ARRAY['created', 'also', 'other_values', 'new_default', 'rows_without_time', 'future_rows',
                          'namespace', 'keep_number']),
                uuidx_migrate_steps.check_choice('type of ' || f.key, jsonb_typeof(f.value),
                    CASE WHEN f.key = 'also' THEN ARRAY['array']
                         WHEN f.key IN ('created', 'new_default', 'namespace', 'keep_number')
                         THEN ARRAY['string', 'null']
                         ELSE ARRAY['string'] END)
        FROM jsonb_each(option.value) AS f;
        PERFORM uuidx_migrate_steps.check_choice('type of a column in also', jsonb_typeof(a), ARRAY['string'])
        FROM jsonb_array_elements(option.value -> 'also') AS a;
    END LOOP;
END
$$;

-- Part of key_choices: an error for a call that names no keys, or no conversion of them.
CREATE OR REPLACE FUNCTION check_keys_are_given(keys text[], options jsonb, conversion text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF keys IS NULL OR EXISTS (SELECT FROM unnest(keys) AS k WHERE k IS NULL) OR options IS NULL THEN
        PERFORM uuidx_migrate_steps.raise('22004', 'keys and options must not be null');
    ELSIF cardinality(keys) = 0 THEN
        PERFORM uuidx_migrate_steps.raise('22023', 'keys must not be empty');
    ELSIF conversion IS NULL THEN
        PERFORM uuidx_migrate_steps.raise('22023', 'no conversion is given', (
            SELECT string_agg(format('%s.%I: %s', k.relation, k.column_name,
                                     coalesce(f.conversion, CASE WHEN f.shown IS NULL THEN 'no statistics that you see'
                                                                 ELSE 'in order already' END)),
                              E'\n' ORDER BY k.relation::text COLLATE "C", k.column_name)
            FROM uuidx_migrate_steps.named_keys(keys, uuidx_migrate_steps.migratable_types()) AS k,
                 LATERAL uuidx_migrate_steps.fitting(k.relation, k.column_name) AS f
            WHERE NOT uuidx_migrate_steps.is_left_out(k.relation, k.column_name, keys)),
            'The lines of the detail say which conversion fits each key, as far as statistics show it: '
            'call this once for the keys of each.');
    END IF;
END
$$;

-- Part of key_choices: the columns that options name in also, and the key for which each does.
CREATE OR REPLACE FUNCTION columns_in_also(options jsonb, types regtype[])
RETURNS TABLE (relation regclass, column_name name, key text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT n.root, n.column_name, o.key
        FROM jsonb_each(options) AS o, LATERAL uuidx_migrate_steps.named_keys(ARRAY[o.key], types) AS k,
             jsonb_array_elements_text(o.value -> 'also') AS a,
             LATERAL uuidx_migrate_steps.named_column(a, k.relation) AS n
        WHERE (n.root, n.column_name) <> (k.relation, k.column_name);
END
$$;

-- What the caller has chosen for each key: the options of a key, by its name, take precedence over what is common to
-- all. A column that is named in also for another key references that one, and is no key of its own.
CREATE OR REPLACE FUNCTION key_choices(keys text[], common choices, options jsonb) RETURNS SETOF choices
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    types regtype[];
    key record;
    chosen uuidx_migrate_steps.choices;
BEGIN
    PERFORM uuidx_migrate_steps.check_keys_are_given(keys, options, common.conversion);
    PERFORM uuidx_migrate_steps.check_arguments(common), uuidx_migrate_steps.check_options(options);
    types := uuidx_migrate_steps.column_types(uuidx_migrate_steps.conversion_named(common.conversion));
    PERFORM uuidx_migrate_steps.raise('22023', format('"%s" leaves out no key', k))
    FROM unnest(keys) AS k
    WHERE starts_with(k, '!')
      AND NOT EXISTS (SELECT FROM uuidx_migrate_steps.named_keys(keys, types) AS n
                      WHERE uuidx_migrate_steps.is_left_out(n.relation, n.column_name, ARRAY[k]));
    -- One expression need not fit all tables either.
    common.created := CASE WHEN starts_with(common.created, '{') THEN common.created
                           WHEN common.created IS NOT NULL THEN ARRAY[common.created]::text END;
    FOR key IN
        SELECT k.relation, k.column_name,
               min(k.option) AS option, count(k.option) AS count, bool_or(k.is_named) AS is_named
        FROM (SELECT n.relation, n.column_name, NULL, true FROM uuidx_migrate_steps.named_keys(keys, types) AS n
              WHERE NOT uuidx_migrate_steps.is_left_out(n.relation, n.column_name, keys)
                AND ((n.relation, n.column_name) NOT IN (
                         SELECT a.relation, a.column_name
                         FROM uuidx_migrate_steps.columns_in_also(options, types) AS a)
                     OR (n.relation, n.column_name) IN (
                            SELECT o.relation, o.column_name
                            FROM uuidx_migrate_steps.named_keys(
                                     ARRAY(SELECT k FROM unnest(keys) AS k
                                           WHERE NOT starts_with(k, '!') AND cardinality(parse_ident(k)) = 3),
                                     types) AS o))
              UNION ALL
              SELECT n.relation, n.column_name, o, false
              FROM jsonb_object_keys(options) AS o, LATERAL uuidx_migrate_steps.named_keys(ARRAY[o], types) AS n)
             AS k (relation, column_name, option, is_named)
        GROUP BY k.relation, k.column_name ORDER BY k.relation::text COLLATE "C", k.column_name
    LOOP
        IF NOT key.is_named OR key.count > 1 THEN
            PERFORM uuidx_migrate_steps.raise('22023',
                format(CASE WHEN key.is_named THEN '"%s" is in options under several names'
                            ELSE '"%s" in options is none of the keys' END, key.option));
        END IF;
        PERFORM uuidx_migrate_steps.raise('22023',
            format('column "%s" of table %s is one of the keys, and in also of "%s"',
                   a.column_name, a.relation, a.key),
            'A column belongs to one key: it would lose its values if it were migrated twice.',
            'If it references that key, leave it out of the keys. Otherwise, leave it out of also.')
        FROM uuidx_migrate_steps.columns_in_also(options, types) AS a
        WHERE (a.relation, a.column_name) = (key.relation, key.column_name);
        common.relation := key.relation;
        common.column_name := key.column_name;
        chosen := jsonb_populate_record(common, coalesce(options -> key.option, '{}'));
        PERFORM uuidx_migrate_steps.check_arguments(chosen);
        RETURN NEXT chosen;
    END LOOP;
    IF NOT FOUND THEN
        PERFORM uuidx_migrate_steps.raise('22023', 'all keys are left out');
    END IF;
END
$$;

-- Part of key_migrations and keys_script: a line about a key that cannot be migrated.
CREATE OR REPLACE FUNCTION left_out_line(relation regclass, column_name name, problem text, options jsonb) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN concat(format('%s.%I: %s', relation, column_name, problem),
              CASE WHEN EXISTS (SELECT FROM jsonb_object_keys(options) AS o, LATERAL named_column(o, relation) AS n
                                WHERE (n.root, n.column_name) = (left_out_line.relation, left_out_line.column_name))
                   THEN E'\nIts options have no effect.' END);

-- Part of key_migrations: whether two migrations are of the same key: foreign keys connect their columns.
CREATE OR REPLACE FUNCTION have_same_key(a migration, b migration) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM unnest((a).columns) AS x, unnest((b).columns) AS y
               WHERE (y.member, y.name) = (x.member, x.name) AND x.is_connected AND y.is_connected);

-- Part of keys_script: the migrations of keys, one where foreign keys connect several; and a line about each key of
-- which a plan would be an error.
CREATE OR REPLACE FUNCTION key_migrations(
    chosen choices[], is_online boolean, options jsonb, OUT migrations migration[], OUT left_out text[]
)
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    c uuidx_migrate_steps.choices;
    m uuidx_migrate_steps.migration;
    same uuidx_migrate_steps.choices;
    hint text;
BEGIN
    migrations := '{}';
    left_out := '{}';
    FOREACH c IN ARRAY chosen LOOP
        BEGIN
            m := uuidx_migrate_steps.migration(c, is_online);
        EXCEPTION WHEN data_exception OR syntax_error_or_access_rule_violation OR feature_not_supported THEN
            GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
            left_out := left_out || uuidx_migrate_steps.left_out_line(
                            c.relation, c.column_name, concat_ws(': ', SQLERRM, nullif(hint, '')), options);
            CONTINUE;
        END;
        SELECT (o.choices).* INTO same
        FROM unnest(migrations) AS o WHERE uuidx_migrate_steps.have_same_key(o, m);
        IF NOT FOUND THEN
            migrations := migrations || m;
        ELSIF to_jsonb(same) - '{relation,column_name}'::text[]
              <> to_jsonb(m.choices) - '{relation,column_name}'::text[] THEN
            PERFORM uuidx_migrate_steps.raise('22023',
                format('"%s.%I" and "%s.%I" are connected by foreign keys, and have different options',
                       same.relation, same.column_name, c.relation, c.column_name),
                hint => 'Name one of them.');
        END IF;
    END LOOP;
    migrations := uuidx_migrate_steps.beside_each_other(migrations);
END
$$;
