-- The defaults of columns whose type changes.

-- Part of fill_trigger: how many characters a text for a new UUID may have: it fits into all columns that are migrated.
-- A key and what references it must have the same text, whichever of them is written first. The server adds 4 to the
-- length.
CREATE OR REPLACE FUNCTION text_size(m migration) RETURNS integer
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT least(min(a.atttypmod) - 4, 36)
        FROM unnest((m).columns) AS c, pg_attribute AS a
        WHERE a.attrelid = c.member AND a.attnum = c.attnum AND a.atttypmod > 0);

-- Part of converted_default: default for a column of UUIDs, instead of one for their texts: a call, a UUID or NULL;
-- NULL for any other default.
CREATE OR REPLACE FUNCTION uuid_default(d column_default) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN (SELECT p.prorettype = 'uuid'::regtype FROM pg_proc AS p WHERE p.oid = (d).function)
            THEN call_of((d).function)
            WHEN is_uuid((d).constant) THEN format('%L::pg_catalog.uuid', text_to_uuid((d).constant))
            WHEN (d).is_null THEN 'NULL::pg_catalog.uuid' END;

-- Part of migrated_defaults: what a default becomes if the type of its column changes.
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
