-- The conversions: what a key and the columns that reference it become, by what, what proves it, and what undoes it.
-- Nothing else names a conversion, but for fill.cpp, which says why.

-- Types of the texts that a conversion converts.
CREATE OR REPLACE FUNCTION text_types() RETURNS regtype[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{text,varchar,bpchar}'::regtype[];

-- The conversions, each with the one that undoes it. The values, the conditions and key_value are for format(): %1$ is
-- the column or, in a condition, the shadow column; shadow_check and key_value say what the other numbers are. The last
-- argument of a trigger that fills the shadow of a reference is the key.
CREATE OR REPLACE FUNCTION conversions() RETURNS SETOF conversion
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 8
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    texts CONSTANT regtype[] := uuidx_migrate_steps.text_types();
    equal CONSTANT text := '%1$s OPERATOR(pg_catalog.=) (%3$s)';
    fill CONSTANT text[] := '{uuidx_migrate_steps.fill,column,shadow,conversion,other_values,key}';
    fill_text CONSTANT text[] := '{uuidx_migrate_steps.fill_text,column,shadow,conversion,text_size,key}';
    fill_reference CONSTANT text[] :=
        '{uuidx_migrate_steps.fill_reference,column,shadow,key,key_shadow,conversion,pending,key}';
BEGIN
    RETURN QUERY
        SELECT d.name, d.undo, p.is_looked_up AND d.is_undo, p.is_looked_up, p.is_looked_up AND NOT d.is_undo,
               p.reads_times AND NOT d.is_undo, p.keeps_former, p.old_types <> p.new_types,
               p.reads_texts AND NOT d.is_undo, d.old_types, d.new_types, d.version, d.value, d.condition,
               d.key_trigger, d.reference_trigger, d.key_value, d.pending, d.old_generators, d.new_generator
        FROM (VALUES
            ('v1_to_v6', 'v6_to_v1', false, false, false, false, '{uuid}'::regtype[], '{uuid}'::regtype[], 1, 6,
             'uuidx_migrate_steps.uuid_v1_to_v6(%s)', 'uuidx_migrate_steps.uuid_v6_to_v1(%s)', equal, equal,
             fill, fill, fill, NULL, NULL,
             'uuid_generate_v1|uuid_generate_v1mc', 'uuid_generate_v6', 'uuid_generate_v6'),
            ('to_v7', 'from_v7', true, true, false, false, '{uuid}', '{uuid}', NULL, NULL, NULL, NULL, NULL, NULL,
             '{uuidx_migrate_steps.fill_key,column,shadow,created,rows_without_time,future_rows}', fill_reference, NULL,
             'uuidx_migrate_steps.v7_key(%1$s, %2$s, %3$s, %4$s)', 'pending_key',
             'gen_random_uuid|uuidv4|uuid_generate_v4|uuid_generate_v1|uuid_generate_v1mc|uuid_generate_v6',
             'uuid_generate_v7', NULL),
            ('bigint_to_v7', 'v7_to_bigint', true, true, true, false, '{smallint,integer,bigint}', '{uuid}',
             NULL, NULL, NULL, NULL, NULL, NULL,
             '{uuidx_migrate_steps.fill_number_key,column,shadow,created,rows_without_time,future_rows,namespace}',
             fill_reference, NULL,
             'uuidx_migrate_steps.v7_key_of_number(%1$s::pg_catalog.int8, %2$s, %3$s, %4$s, %5$s)', 'pending_number',
             NULL, 'uuid_generate_v7', NULL),
            ('text_to_uuid', 'uuid_to_text', false, false, false, true, texts, '{uuid}', NULL, NULL,
             'uuidx_migrate_steps.text_to_uuid(%s)', 'uuidx_migrate_steps.uuid_to_text(%s)',
             -- There may be other texts for a UUID.
             equal, '%2$s OPERATOR(pg_catalog.=) (uuidx_migrate_steps.text_to_uuid(%1$s))',
             fill_text, fill_text, fill_text, NULL, NULL, NULL, NULL, NULL)
        ) AS p (name, undo, is_looked_up, reads_times, keeps_former, reads_texts, old_types, new_types,
                version, undo_version, value, undo_value, condition, undo_condition,
                key_trigger, reference_trigger, undo_trigger, key_value, pending,
                old_generators, new_generator, undo_generators),
        LATERAL (VALUES
            (false, p.name, p.undo, p.old_types, p.new_types, p.version, p.value, p.condition,
             p.key_trigger, p.reference_trigger, p.key_value, p.pending, p.old_generators, p.new_generator),
            (true, p.undo, p.name, p.new_types, p.old_types, p.undo_version, p.undo_value, p.undo_condition,
             p.undo_trigger, p.undo_trigger, NULL, NULL, p.undo_generators, NULL)
        ) AS d (is_undo, name, undo, old_types, new_types, version, value, condition,
                key_trigger, reference_trigger, key_value, pending, old_generators, new_generator);
END
$$;

-- The conversion with a name; NULL if there is none.
CREATE OR REPLACE FUNCTION conversion_named(conversion_name text) RETURNS conversion
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT c FROM conversions() AS c WHERE c.name = conversion_name);

-- Part of obstacles_of_versions: the versions of the UUIDs that a conversion makes; for one that restores former keys,
-- those that they may have.
CREATE OR REPLACE FUNCTION new_versions(conversion conversion) RETURNS integer[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN (conversion).makes_keys THEN ARRAY[7]
            WHEN (conversion).is_looked_up THEN array_remove(ARRAY(SELECT generate_series(0, 15)), 7)
            ELSE ARRAY[(conversion_named((conversion).undo)).version]::integer[] END;

-- The types of columns that some conversion converts.
CREATE OR REPLACE FUNCTION migratable_types() RETURNS regtype[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg(DISTINCT t) FROM conversions() AS c, unnest(c.old_types) AS t);

-- Types that a column can have before or after a conversion.
CREATE OR REPLACE FUNCTION column_types(conversion conversion) RETURNS regtype[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN (conversion).changes_type THEN (conversion).new_types || (conversion).old_types
            ELSE (conversion).old_types END;

-- Part of check_choices: types that a column that the user names in `also` can have: it may hold texts for UUIDs.
CREATE OR REPLACE FUNCTION reference_types(conversion conversion) RETURNS regtype[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN column_types(conversion) || CASE WHEN NOT (conversion).changes_type THEN text_types() END;

-- Part of obstacles_of_statistics: whether a conversion of UUIDs converts those of a version.
CREATE OR REPLACE FUNCTION converts_version(conversion conversion, version smallint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (conversion).version IS NULL THEN version IS DISTINCT FROM 7
            ELSE version IS NOT DISTINCT FROM (conversion).version END;

-- Part of fitting: the conversion that fits a column with UUIDs of these versions, or with numbers or texts; NULL if
-- that is not known, or if the keys are in order.
CREATE OR REPLACE FUNCTION fitting_conversion(type regtype, versions smallint[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN type <> 'uuid'::regtype
            THEN (SELECT min(c.name) FROM conversions() AS c WHERE type = ANY (c.old_types) HAVING count(*) = 1)
            WHEN versions = '{1}' THEN 'v1_to_v6'
            WHEN versions <@ '{6,7}' THEN NULL
            WHEN versions IS NOT NULL THEN 'to_v7' END;

-- Whether a column of a type holds texts for the keys that a conversion converts. They keep their form.
CREATE OR REPLACE FUNCTION holds_texts(conversion conversion, type regtype) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN NOT (conversion).changes_type AND type = ANY (text_types());

-- Whether a column holds texts for keys.
CREATE OR REPLACE FUNCTION is_text(m migration, c migrated_column) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN holds_texts((m).conversion, (c).type);

-- Type that a conversion gives keys.
CREATE OR REPLACE FUNCTION new_type(conversion conversion) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT format('pg_catalog.%I', t.typname) FROM pg_type AS t WHERE t.oid = (conversion).new_types[1]);

-- Part of check_arguments: an error unless there is a conversion with this name, and this way to treat other UUIDs.
CREATE OR REPLACE FUNCTION check_conversion(conversion text, other_values text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate_steps.check_choice('conversion', conversion,
                                             ARRAY(SELECT c.name FROM uuidx_migrate_steps.conversions() AS c)),
            uuidx_migrate_steps.check_choice('other_values', other_values,
                CASE WHEN (uuidx_migrate_steps.conversion_named(conversion)).changes_type
                     THEN ARRAY['error'] ELSE ARRAY['error', 'keep'] END);
END
$$;

-- Expression for the key that a value is, or for which a text stands.
CREATE OR REPLACE FUNCTION key_in(value text, is_text boolean) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN is_text THEN format('uuidx_migrate_steps.key_of_text(%s::pg_catalog.text)', value) ELSE value END;

-- Part of rewritten_columns: expression for a key in the place of that value: a text has it in the place of its own.
CREATE OR REPLACE FUNCTION with_key(value text, is_text boolean, key text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN is_text THEN format('uuidx_migrate_steps.text_with_key(%s::pg_catalog.text, %s)', value, key)
            ELSE key END;

-- Expression for what a key becomes: NULL where the trigger looks it up.
CREATE OR REPLACE FUNCTION new_key(key text, conversion conversion, other_values text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format(CASE WHEN (conversion).is_looked_up THEN 'NULL::' || new_type(conversion)
                   WHEN other_values = 'keep'
                   THEN 'CASE WHEN uuidx_migrate_steps.uuid_version(%1$s) OPERATOR(pg_catalog.=) %2$s '
                        'THEN %3$s ELSE %1$s END'
                   ELSE '%3$s' END,
              key, (conversion).version, format((conversion).value, key));
