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
CREATE OR REPLACE FUNCTION converted_default(m migration, is_named boolean, old column_default, kept text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN n.named IS NULL AND kept IS NOT NULL THEN kept
                WHEN ((m).conversion).reads_texts THEN coalesce(n.named, uuid_default(old))
                ELSE '(' || coalesce(n.named, uuid_default(old)) || ')::pg_catalog.text' END
    FROM (SELECT CASE WHEN is_named THEN call_of(((m).choices).new_default) END) AS n (named);
END;
