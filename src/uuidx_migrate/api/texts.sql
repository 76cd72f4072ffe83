-- What is in a column of texts.

CREATE OR REPLACE FUNCTION is_uuid(value text) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_is_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION is_uuid(text) IS
'whether a text stands for a UUID';

CREATE OR REPLACE FUNCTION uuid_texts(
    relation regclass, column_name name, trust_owners boolean DEFAULT false,
    OUT uuids bigint, OUT others bigint, OUT example text
)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate_steps.check_column(relation, column_name, uuidx_migrate_steps.text_types()),
            uuidx_migrate_steps.lock_table(relation, 'ACCESS SHARE', trust_owners);
    EXECUTE format('SELECT count(*) FILTER (WHERE is_uuid), count(*) FILTER (WHERE NOT is_uuid),
                           min(value COLLATE "C") FILTER (WHERE NOT is_uuid)
                    FROM (SELECT %1$I::text AS value, uuidx_migrate.is_uuid(%1$I) FROM %2$s OFFSET 0) AS t',
                   column_name, relation)
    INTO uuids, others, example;
END
$$;
COMMENT ON FUNCTION uuid_texts(regclass, name, boolean) IS
'number of texts in a column that stand for UUIDs, and of others, with an example of these';

-- A unique index without expressions and a predicate: those that read the column are obstacles. Of two texts for the
-- same UUID, one at least is not canonical, so most columns need not be sorted.
CREATE OR REPLACE FUNCTION same_uuids(
    relation regclass, column_name name, trust_owners boolean DEFAULT false,
    OUT index regclass, OUT groups bigint, OUT example text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    columns text;
    are_nulls_equal boolean;
BEGIN
    PERFORM uuidx_migrate_steps.check_column(relation, column_name, uuidx_migrate_steps.text_types()),
            uuidx_migrate_steps.lock_table(relation, 'ACCESS SHARE', trust_owners);
    FOR index, columns, are_nulls_equal IN
        SELECT i.indexrelid,
               string_agg(format(CASE WHEN a.attname = column_name THEN 'uuidx_migrate_steps.text_to_uuid(%I)'
                                      ELSE '%I' END, a.attname), ', '),
               bool_or(to_jsonb(i) ->> 'indnullsnotdistinct' = 'true') -- from PostgreSQL 15 on
        FROM pg_index AS i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
        WHERE i.indrelid = relation AND i.indisunique AND i.indexprs IS NULL AND i.indpred IS NULL
          AND k.n <= i.indnkeyatts
        GROUP BY i.indexrelid HAVING bool_or(a.attname = column_name)
    LOOP
        EXECUTE format(
            'SELECT count(*), min(texts)
             FROM (SELECT format(''"%%s" and "%%s"'', min(%1$I::text COLLATE "C"), max(%1$I::text COLLATE "C"))
                          COLLATE "C"
                   FROM %2$s
                   WHERE CASE WHEN uuidx_migrate.is_uuid(%1$I) THEN uuidx_migrate_steps.text_to_uuid(%1$I) END IN
                         (SELECT uuidx_migrate_steps.text_to_uuid(%1$I) FROM %2$s
                          WHERE CASE WHEN uuidx_migrate.is_uuid(%1$I)
                                THEN %1$I::text
                                     <> uuidx_migrate_steps.uuid_to_text(uuidx_migrate_steps.text_to_uuid(%1$I)) END)
                   GROUP BY %3$s
                   HAVING min(%1$I::text COLLATE "C") <> max(%1$I::text COLLATE "C")
                      AND (%4$L OR bool_and(ROW(%3$s) IS NOT NULL))) AS g (texts)',
            column_name, relation, columns, are_nulls_equal)
        INTO groups, example;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION same_uuids(regclass, name, boolean) IS
'for each unique index of a column of texts, how many times several texts stand for the same UUID, with an example';
