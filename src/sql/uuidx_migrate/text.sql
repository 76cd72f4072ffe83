-- The conversion of texts to the UUIDs that they stand for. A value is its own conversion; only the type changes.

CREATE OR REPLACE FUNCTION text_to_uuid(value text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_text_to_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION text_to_uuid(text) IS
'UUID that a text stands for: hexadecimal digits in any way that the type uuid reads, or a ULID';

CREATE OR REPLACE FUNCTION is_uuid(value text) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_is_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION is_uuid(text) IS
'whether a text stands for a UUID';

CREATE OR REPLACE FUNCTION uuid_to_text(id uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_uuid_to_text'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_to_text(uuid) IS
'canonical text of a UUID';

CREATE OR REPLACE FUNCTION fill_text() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill_text'
LANGUAGE C;
COMMENT ON FUNCTION fill_text() IS
'trigger before INSERT or UPDATE that fills the shadow of a column of texts with their UUIDs, and that of a column of UUIDs with texts; its arguments are the column, the shadow column, the conversion, and the size of texts for new UUIDs';

-- A key and what references it must have the same text, whichever of them is written first. The server adds 4 to the length.
CREATE OR REPLACE FUNCTION text_size(m migration) RETURNS integer
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT least(min(a.atttypmod) - 4, 36)
        FROM unnest((m).columns) AS c JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum WHERE a.atttypmod > 0);
COMMENT ON FUNCTION text_size(migration) IS
'how many characters a text for a new UUID may have: it fits into all columns that move';

-- --- What is in a column ---

CREATE OR REPLACE FUNCTION uuid_texts(relation regclass, column_name name, trust_owners boolean DEFAULT false, OUT uuids bigint, OUT others bigint, OUT example text)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.check_column(relation, column_name, uuidx_migrate.text_types()), uuidx_migrate.lock_table(relation, 'ACCESS SHARE', trust_owners);
    EXECUTE format('SELECT count(*) FILTER (WHERE is_uuid), count(*) FILTER (WHERE NOT is_uuid), min(value COLLATE "C") FILTER (WHERE NOT is_uuid)
                    FROM (SELECT %1$I::text AS value, uuidx_migrate.is_uuid(%1$I) FROM %2$s OFFSET 0) AS t', column_name, relation)
    INTO uuids, others, example;
END
$$;
COMMENT ON FUNCTION uuid_texts(regclass, name, boolean) IS
'number of texts in a column that stand for UUIDs, and of others, with an example of these';

-- A unique index without expressions and a predicate: those that read the column are obstacles. Of two texts for the same
-- UUID, one at least is not canonical, so most columns need not be sorted.
CREATE OR REPLACE FUNCTION same_uuids(relation regclass, column_name name, trust_owners boolean DEFAULT false, OUT index regclass, OUT groups bigint, OUT example text) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    keys text;
    are_nulls_equal boolean;
BEGIN
    PERFORM uuidx_migrate.lock_table(relation, 'ACCESS SHARE', trust_owners);
    FOR index, keys, are_nulls_equal IN
        SELECT i.indexrelid, string_agg(format(CASE WHEN a.attname = column_name THEN 'uuidx_migrate.text_to_uuid(%I)' ELSE '%I' END, a.attname), ', '),
               bool_or(to_jsonb(i) ->> 'indnullsnotdistinct' = 'true') -- from PostgreSQL 15 on
        FROM pg_index AS i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
        WHERE i.indrelid = relation AND i.indisunique AND i.indexprs IS NULL AND i.indpred IS NULL AND k.n <= i.indnkeyatts
        GROUP BY i.indexrelid HAVING bool_or(a.attname = column_name)
    LOOP
        EXECUTE format(
            'SELECT count(*), min(texts)
             FROM (SELECT format(''"%%s" and "%%s"'', min(%1$I::text COLLATE "C"), max(%1$I::text COLLATE "C")) COLLATE "C" FROM %2$s
                   WHERE CASE WHEN uuidx_migrate.is_uuid(%1$I) THEN uuidx_migrate.text_to_uuid(%1$I) END IN
                         (SELECT uuidx_migrate.text_to_uuid(%1$I) FROM %2$s
                          WHERE CASE WHEN uuidx_migrate.is_uuid(%1$I) THEN %1$I::text <> uuidx_migrate.uuid_to_text(uuidx_migrate.text_to_uuid(%1$I)) END)
                   GROUP BY %3$s
                   HAVING min(%1$I::text COLLATE "C") <> max(%1$I::text COLLATE "C") AND (%4$L OR bool_and(ROW(%3$s) IS NOT NULL))) AS g (texts)',
            column_name, relation, keys, are_nulls_equal)
        INTO groups, example;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION same_uuids(regclass, name, boolean) IS
'for each unique index of a column of texts, how many times several texts stand for the same UUID, with an example';

-- After the exchange, the column has the UUIDs.
CREATE OR REPLACE FUNCTION check_texts(relation regclass, column_name name, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found record;
BEGIN
    IF NOT uuidx_migrate.reads_texts(uuidx_migrate.conversion_named(uuidx_migrate.filling(relation, column_name))) THEN
        RETURN;
    END IF;
    SELECT t.* INTO found FROM uuidx_migrate.uuid_texts(relation, column_name, trust_owners) AS t;
    IF found.others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has texts that stand for no UUID', column_name, relation USING ERRCODE = 'invalid_text_representation',
            DETAIL = format('Their number is %s; one of them is "%s".', found.others, found.example),
            HINT = format('Correct or delete the rows in which uuidx_migrate.is_uuid(%I) is false.', column_name);
    END IF;
    SELECT s.* INTO found FROM uuidx_migrate.same_uuids(relation, column_name, trust_owners) AS s WHERE s.groups > 0 LIMIT 1;
    IF found.groups > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has different texts for the same UUID', column_name, relation USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('Index %s would not be unique. The number of such UUIDs is %s; for one of them there are %s.', found.index, found.groups, found.example),
            HINT = 'Decide which of the rows stays, and have what references the others reference that one.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_texts(regclass, name, boolean) IS
'an error unless all texts in a column stand for UUIDs, different ones where they are unique; or the exchange has taken place';

-- --- Defaults ---

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
COMMENT ON FUNCTION uuid_default(text) IS
'default for a column of UUIDs, instead of one for their texts: a call, a UUID or NULL; NULL for any other default';

CREATE OR REPLACE FUNCTION is_kept_default(expression text) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce(uuid_default(expression) <> 'NULL::pg_catalog.uuid', false);
COMMENT ON FUNCTION is_kept_default(text) IS
'whether the shadow of a column keeps a default for an undo, if the type of the column changes';

CREATE OR REPLACE FUNCTION converted_default(m migration, is_named boolean, old_default text, kept_default text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN n.named IS NULL AND kept_default IS NOT NULL THEN kept_default
                WHEN reads_texts((m).conversion) THEN coalesce(n.named, uuid_default(old_default))
                ELSE '(' || coalesce(n.named, uuid_default(old_default)) || ')::pg_catalog.text' END
    FROM (SELECT CASE WHEN is_named THEN (m).new_default END) AS n (named);
END;
COMMENT ON FUNCTION converted_default(migration, boolean, text, text) IS
'part of new_defaults: what a default becomes if the type of its column changes';
