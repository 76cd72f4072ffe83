-- What is in a column of UUIDs.

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
    PERFORM uuidx_migrate_steps.check_column(relation, column_name),
            uuidx_migrate_steps.lock_table(relation, 'ACCESS SHARE', trust_owners);
    RETURN QUERY EXECUTE format(
        'SELECT v.version, v.variant, count(*), min(v.time), max(v.time)
         FROM (SELECT uuidx_migrate_steps.uuid_version(%1$I) AS version,
                      uuidx_migrate_steps.uuid_variant(%1$I) AS variant,
                      uuidx_migrate_steps.uuid_time(%1$I) AS time
               FROM %2$s) AS v
         GROUP BY v.version, v.variant ORDER BY v.version, v.variant', column_name, relation);
END
$$;
COMMENT ON FUNCTION version_histogram(regclass, name, boolean) IS
'number of UUIDs of each version and variant in a column, and their first and last time';

CREATE OR REPLACE FUNCTION creation_times(
    relation regclass, column_name name, created text, trust_owners boolean DEFAULT false,
    OUT keys bigint, OUT of_version_7 bigint, OUT without_time bigint, OUT future bigint, OUT example text
)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_uuid CONSTANT boolean := EXISTS (SELECT FROM pg_attribute AS a
                                        WHERE a.attrelid = relation AND a.attname = column_name
                                          AND a.atttypid = 'uuid'::regtype);
BEGIN
    IF num_nulls(relation, column_name, trust_owners) > 0 THEN
        PERFORM uuidx_migrate_steps.raise('22004', 'relation, column_name and trust_owners must not be null');
    END IF;
    PERFORM uuidx_migrate_steps.check_column(relation, column_name, uuidx_migrate_steps.migratable_types()),
            uuidx_migrate_steps.lock_table(relation, 'ACCESS SHARE', trust_owners);
    EXECUTE format(
        'SELECT count(*), count(*) FILTER (WHERE is_v7), count(*) FILTER (WHERE NOT is_v7 AND no_time),
                count(*) FILTER (WHERE NOT is_v7 AND created > clock_timestamp()),
                min(key::text) FILTER (WHERE NOT is_v7 AND (no_time OR created > clock_timestamp()))
         FROM (SELECT key, created, %s AS is_v7,
                      (created >= timestamptz %L) IS NOT TRUE AS no_time
               FROM (SELECT r.%I AS key, %s AS created FROM %s AS r WHERE r.%3$I IS NOT NULL OFFSET 0) AS k) AS k',
        CASE WHEN is_uuid THEN 'uuidx_migrate_steps.uuid_version(key) IS NOT DISTINCT FROM 7' ELSE 'false' END,
        '1970-01-01 00:00:00+00', column_name,
        coalesce(uuidx_migrate_steps.created_expression(relation, created),
                 CASE WHEN is_uuid THEN format('uuidx_migrate_steps.uuid_time(r.%I)', column_name)
                      ELSE 'NULL::timestamptz' END), relation)
    INTO keys, of_version_7, without_time, future, example;
END
$$;
COMMENT ON FUNCTION creation_times(regclass, name, text, boolean) IS
'number of keys of a column, of those of version 7, and of others whose row has no creation time of 1970 or later, '
'or one that is still to come';
