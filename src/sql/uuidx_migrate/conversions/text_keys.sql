-- The defaults of columns whose type changes.

-- How many characters a text for a new UUID may have: it fits into all columns that are migrated. A key and what
-- references it must have the same text, whichever of them is written first. The server adds 4 to the length.
CREATE OR REPLACE FUNCTION text_size(m migration) RETURNS integer
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT least(min(a.atttypmod) - 4, 36)
        FROM unnest((m).columns) AS c JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum WHERE a.atttypmod > 0);

-- Default for a column of UUIDs, instead of one for their texts: a call, a UUID or NULL; NULL for any other default.
-- As PostgreSQL shows it: a call, with casts to types of text around it, or a literal.
CREATE OR REPLACE FUNCTION uuid_default(expression text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN is_call(d.call) AND (SELECT p.prorettype = 'uuid'::regtype FROM pg_proc AS p WHERE p.oid = to_regprocedure(d.call)) THEN d.call
                WHEN is_uuid(d.literal) THEN format('%L::pg_catalog.uuid', text_to_uuid(d.literal))
                WHEN expression ~ format(E'^NULL%s$', c.cast_) THEN 'NULL::pg_catalog.uuid' END
    FROM (SELECT E'::(text|uuid|bpchar|character varying|character)(\\([0-9]+\\))?') AS c (cast_),
         LATERAL (SELECT substring(expression FROM format(E'^\\(*([^()'']+\\(\\))(\\)*%s)*$', c.cast_)),
                         substring(expression FROM format(E'^\\(*''([^'']*)''(\\)*%s)+$', c.cast_))) AS d (call, literal);
END;

-- Whether the shadow of a column keeps a default for an undo, if the type of the column changes.
CREATE OR REPLACE FUNCTION is_kept_default(expression text) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce(uuid_default(expression) <> 'NULL::pg_catalog.uuid', false);

-- Part of new_defaults: what a default becomes if the type of its column changes.
CREATE OR REPLACE FUNCTION converted_default(m migration, is_named boolean, old_default text, kept_default text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN n.named IS NULL AND kept_default IS NOT NULL THEN kept_default
                WHEN reads_texts((m).conversion) THEN coalesce(n.named, uuid_default(old_default))
                ELSE '(' || coalesce(n.named, uuid_default(old_default)) || ')::pg_catalog.text' END
    FROM (SELECT CASE WHEN is_named THEN call_of(((m).choices).new_default) END) AS n (named);
END;
