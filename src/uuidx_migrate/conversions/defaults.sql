-- What becomes of a default, as the conversion says.

-- Part of new_default: the default that calls a function; NULL without one.
CREATE OR REPLACE FUNCTION default_call(function regprocedure) RETURNS column_default
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ROW(call_of(function), false, function, NULL, false)::column_default;

-- Function for the default of the keys that take the place of numbers: where something gave these, or the user names
-- one.
CREATE OR REPLACE FUNCTION key_default(m migration) RETURNS regprocedure
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ((m).conversion).keeps_former AND NOT ((m).conversion).only_undoes
            THEN coalesce(((m).choices).new_default, CASE WHEN has_generator((m).relation, (m).column_name)
                                                          THEN generator_of((m).conversion) END) END;

-- Part of converted_default: default for a column of UUIDs, instead of one for their texts: a call, a UUID or NULL;
-- NULL for any other default.
CREATE OR REPLACE FUNCTION uuid_default(d column_default) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN (SELECT p.prorettype = 'uuid'::regtype FROM pg_proc AS p WHERE p.oid = (d).function)
            THEN call_of((d).function)
            WHEN is_uuid((d).constant) THEN format('%L::pg_catalog.uuid', text_to_uuid((d).constant))
            WHEN (d).is_null THEN 'NULL::pg_catalog.uuid' END;

-- Part of new_default: what a default becomes if the type of its column changes.
CREATE OR REPLACE FUNCTION converted_default(
    m migration, is_named boolean, old column_default, kept column_default
) RETURNS column_default
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
    SELECT CASE WHEN n.named IS NULL AND (kept).expression IS NOT NULL THEN kept
                ELSE ROW(CASE WHEN ((m).conversion).reads_texts THEN u.uuid
                              ELSE format('(%s)::pg_catalog.text', u.uuid) END,
                         false, coalesce(n.named, (old).function), NULL, false)::column_default END
    FROM (SELECT CASE WHEN is_named THEN ((m).choices).new_default END) AS n (named),
         LATERAL coalesce(call_of(n.named), uuid_default(old)) AS u (uuid)
    WHERE u.uuid IS NOT NULL OR (kept).expression IS NOT NULL);

-- Part of migrated_defaults: what the default of a column becomes; NULL if it stays. `kept` is the one that the other
-- column has kept for an undo.
CREATE OR REPLACE FUNCTION new_default(
    m migration, is_key boolean, old column_default, kept column_default
) RETURNS column_default
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN ((m).conversion).keeps_former
            THEN CASE WHEN NOT is_key THEN kept
                      WHEN NOT ((m).conversion).only_undoes THEN default_call(key_default(m)) END
            WHEN ((m).conversion).changes_type THEN converted_default(m, is_key, old, kept)
            WHEN is_old_generator((old).function, (m).conversion)
            THEN coalesce(default_call(((m).choices).new_default), kept, default_call(generator_of((m).conversion)))
            WHEN (old).function IS NOT NULL
            THEN coalesce(CASE WHEN is_key OR (old).function = generator_of(conversion_named(((m).conversion).undo))
                               THEN default_call(((m).choices).new_default) END, kept) END;

-- Part of cutover_defaults: clauses of ALTER TABLE that give the new column its default, and the old one what it keeps
-- of the former default: a form that is never evaluated, unless numbers go on being given.
CREATE OR REPLACE FUNCTION default_clauses(m migration, d migrated_default) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT concat_ws(', ',
               format('ALTER COLUMN %I SET DEFAULT ', (d).name)
               || coalesce(((d).new).expression, CASE WHEN NOT k.keeps_former THEN ((d).old).expression END),
               format('ALTER COLUMN %I ', (d).shadow)
               || CASE WHEN k.keeps_former AND k.only_undoes OR NOT k.keeps_former AND ((d).new).expression IS NULL
                            OR k.changes_type AND ((d).old).is_null
                       THEN 'DROP DEFAULT'
                       WHEN NOT (k.keeps_former AND ((d).root, (d).name) = ((m).relation, (m).column_name))
                       THEN 'SET DEFAULT ' || unused_default(((d).old).expression) END)
    FROM (SELECT ((m).conversion).*) AS k);

-- Part of obstacles_of_conversion: defaults of which nothing says what they become.
CREATE OR REPLACE FUNCTION obstacles_of_defaults(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('default %s of column %I of table %s, which is not the call of a function that returns uuid, '
                  'nor a UUID', (d.old).expression, c.name, c.member),
           CASE WHEN is_key(m, c) THEN 'Name a function for the new default with new_default.'
                ELSE 'Drop the default, and set another one afterwards.' END
    FROM unnest((m).defaults) AS d, unnest((m).columns) AS c
    WHERE c.member = d.member AND c.name = d.name AND (d.new).expression IS NULL AND ((m).conversion).changes_type
      AND NOT (((m).conversion).keeps_former AND (is_key(m, c) OR (d.old).constant IS NOT NULL OR (d.old).is_null))
    UNION ALL
    SELECT c.root, c.name,
           format('default %s of column %I of table %s, which is not the call of a function without arguments',
                  d.expression, c.name, c.member),
           'Drop the default, and set it again afterwards.'
    FROM unnest((m).columns) AS c, pg_attribute AS a, LATERAL default_of(c.member, c.attnum) AS d
    WHERE a.attrelid = c.member AND a.attnum = c.attnum AND a.attgenerated = '' AND NOT ((m).conversion).changes_type
      AND d.expression IS NOT NULL AND d.function IS NULL AND NOT d.is_null
      AND NOT (((m).conversion).is_looked_up AND d.constant IS NOT NULL AND NOT is_key(m, c))
    UNION ALL
    SELECT d.root, d.name,
           format('column %I of table %s has the default %s, and nothing says what was there before',
                  d.name, d.member, (d.old).expression),
           'Name the function with new_default.'
    FROM unnest((m).defaults) AS d
    WHERE (d.new).expression IS NULL AND is_old_generator((d.old).function, (m).conversion);
END;
