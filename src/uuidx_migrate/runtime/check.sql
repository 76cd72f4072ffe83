-- What a script checks before it changes anything: what is in the columns, and whether it is still the script that is
-- needed.

-- Number of values in a column that are not converted, with an example: those that are not in another column or,
-- without one, not of a version; else texts in which no key can be replaced.
CREATE OR REPLACE FUNCTION other_values(
    relation regclass, column_name name, version integer, key_table regclass, key_column name, trust_owners boolean,
    OUT others bigint, OUT example text, OUT kind text
)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    type regtype := (SELECT a.atttypid FROM pg_attribute AS a
                     WHERE a.attrelid = relation AND a.attname = column_name);
    is_text boolean := type = ANY (uuidx_migrate_steps.text_types());
    key text := uuidx_migrate_steps.key_in('t.' || quote_ident(column_name), is_text);
BEGIN
    PERFORM uuidx_migrate_steps.lock_table(t, 'ACCESS SHARE', trust_owners)
    FROM unnest(ARRAY[relation, key_table]) AS t WHERE t IS NOT NULL;
    EXECUTE format('SELECT count(*), min(t.%1$I::text) FROM %2$s AS t WHERE t.%1$I IS NOT NULL AND (%3$s) IS NOT TRUE',
                   column_name, relation,
                   CASE WHEN key_table IS NOT NULL
                        THEN format('EXISTS (SELECT FROM %s AS k WHERE k.%I = %s)', key_table, key_column, key)
                        WHEN version IS NOT NULL THEN format('uuidx_migrate_steps.uuid_version(%s) = %s', key, version)
                        ELSE key || ' IS NOT NULL' END)
    INTO others, example;
    kind := CASE WHEN is_text THEN 'texts' WHEN type = 'uuid'::regtype THEN 'UUIDs' ELSE 'numbers' END;
END
$$;

-- After the cutover, the column has the new values.
CREATE OR REPLACE FUNCTION check_values(relation regclass, column_name name, conversion text, trust_owners boolean)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    version integer := (uuidx_migrate_steps.conversion_named(conversion)).version;
    found record;
BEGIN
    SELECT v.* INTO found
    FROM uuidx_migrate_steps.other_values(
             relation, column_name, version, NULL::regclass, NULL::name, trust_owners) AS v
    WHERE uuidx_migrate_steps.shadow_conversion(relation, column_name)
          IS DISTINCT FROM (uuidx_migrate_steps.conversion_named(conversion)).undo;
    IF found.others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has % that are not of version %',
            column_name, relation, found.kind, version
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = format('Their number is %s; one of them is "%s".', found.others, found.example),
              HINT = concat(CASE found.kind
                            WHEN 'UUIDs' THEN 'uuidx_migrate.version_histogram shows what is in the column, '
                                              'and uuidx_migrate.plan without a conversion names one that fits. ' END,
                            'With other_values => ''keep'' such values stay as they are.');
    END IF;
END
$$;
COMMENT ON FUNCTION check_values(regclass, name, text, boolean) IS
'an error unless all UUIDs in a column can be converted, or the cutover has taken place';

-- A column that no foreign key connects with the key may have values that are not keys.
CREATE OR REPLACE FUNCTION check_keys(
    relation regclass, column_name name, key_table regclass, key_column name, trust_owners boolean
) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found record;
BEGIN
    SELECT v.* INTO found
    FROM uuidx_migrate_steps.other_values(
             relation, column_name, NULL::integer, key_table, key_column, trust_owners) AS v;
    IF found.others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has % that are not in column "%" of table %',
            column_name, relation, found.kind, key_column, key_table
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = format('Their number is %s; one of them is "%s".', found.others, found.example),
              HINT = CASE WHEN found.kind = 'numbers'
                          THEN 'Leave the column out of also if it does not hold these keys; '
                               'otherwise correct these rows, or set the column to NULL in those that mean none.'
                          WHEN (uuidx_migrate_steps.conversion_named(
                                    uuidx_migrate_steps.shadow_conversion(relation, column_name))).keeps_former
                          THEN 'Correct these rows, or set the column to NULL in those that mean none.'
                          ELSE 'With other_values => ''keep'' they are no error. '
                               'What is not converted stays as it is.' END;
    END IF;
END
$$;
COMMENT ON FUNCTION check_keys(regclass, name, regclass, name, boolean) IS
'an error unless all UUIDs in a column are in another column too';

-- After the cutover, the column has the UUIDs.
CREATE OR REPLACE FUNCTION check_texts(relation regclass, column_name name, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    found record;
BEGIN
    IF NOT (uuidx_migrate_steps.conversion_named(
                uuidx_migrate_steps.shadow_conversion(relation, column_name))).reads_texts THEN
        RETURN;
    END IF;
    SELECT t.* INTO found FROM uuidx_migrate.uuid_texts(relation, column_name, trust_owners) AS t;
    IF found.others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has texts that stand for no UUID', column_name, relation
        USING ERRCODE = 'invalid_text_representation',
              DETAIL = format('Their number is %s; one of them is "%s".', found.others, found.example),
              HINT = format('Correct the rows in which uuidx_migrate.is_uuid(%I) is false, or set the column to NULL '
                            'in those that mean none.', column_name);
    END IF;
    SELECT s.* INTO found
    FROM uuidx_migrate.same_uuids(relation, column_name, trust_owners) AS s WHERE s.groups > 0 LIMIT 1;
    IF found.groups > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has different texts for the same UUID', column_name, relation
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = format('Index %s would not be unique. The number of such UUIDs is %s; '
                              'for one of them there are %s.', found.index, found.groups, found.example),
              HINT = 'Decide which of the rows stays, and have what references the others reference that one.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_texts(regclass, name, boolean) IS
'an error unless all texts in a column stand for UUIDs, different ones where they are unique; '
'or the cutover has taken place';

-- Version 7 keys stay, so after the cutover there is nothing to complain about.
CREATE OR REPLACE FUNCTION check_times(
    relation regclass, column_name name, created text, without_time text, future text, trust_owners boolean
) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    t record;
    wrong bigint;
BEGIN
    SELECT c.* INTO t
    FROM uuidx_migrate.creation_times(relation, column_name, created, trust_owners) AS c
    WHERE uuidx_migrate_steps.shadow_conversion(relation, column_name) IS NULL;
    wrong := CASE without_time WHEN 'error' THEN t.without_time ELSE 0 END
             + CASE future WHEN 'error' THEN t.future ELSE 0 END;
    IF wrong > 0 THEN
        RAISE EXCEPTION 'table % has rows without a creation time for a version 7 UUID', relation
        USING ERRCODE = 'datetime_field_overflow',
              DETAIL = format('The number of those without a time of 1970 or later is %s, '
                              'and that of those with a time to come %s. One of them has %s "%s".',
                              t.without_time, t.future, column_name, t.example),
              HINT = 'Name an expression for the time with created, or have such rows get the time 1970-01-01 '
                     'with rows_without_time or future_rows => ''epoch''.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_times(regclass, name, text, text, text, boolean) IS
'an error if rows have no creation time, or one that is still to come, and that is to be an error';

-- Part of check_script: an error unless shadow columns are filled, and all their twins are built. After a script was
-- run in part, or after an error that psql ignored, something may be missing.
CREATE OR REPLACE FUNCTION check_twins_are_built(m migration) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing text;
BEGIN
    SELECT min(u.what) INTO missing
    FROM (SELECT format('column %I of table %s is not known to be filled', c.shadow, c.member)
          FROM unnest(m.columns) AS c
          WHERE uuidx_migrate_steps.has_shadow_check(c)
            AND NOT (EXISTS (SELECT FROM pg_constraint AS k
                             WHERE k.oid = uuidx_migrate_steps.shadow_check_of(c.member, c.name) AND k.convalidated)
                     AND uuidx_migrate_steps.is_checked(m, c))
          UNION ALL
          SELECT format('column %I of table %s does not have the privileges and other properties of column %I',
                        c.shadow, c.member, c.name)
          FROM unnest(m.columns) AS c WHERE EXISTS (SELECT FROM uuidx_migrate_steps.renewed_properties(c))
          UNION ALL
          SELECT format('%s "%s" of %s is not %s', CASE WHEN k.is_constraint THEN 'constraint' ELSE c.kind END,
                        c.name, c.relation,
                        CASE WHEN NOT c.is_complete THEN 'there'
                             WHEN k.is_constraint THEN 'validated'
                             WHEN c.kind = 'materialized view' THEN 'populated' ELSE 'built' END)
          FROM unnest(m.changes) AS c,
               LATERAL (SELECT c.kind IN ('check constraint', 'foreign key')) AS k (is_constraint)
          WHERE cardinality(c.build) > 0
            AND NOT EXISTS (SELECT FROM uuidx_migrate_steps.named_object(c) AS o
                            WHERE o.is_complete OR NOT c.is_complete)) AS u (what);
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION '%', missing
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
END
$$;

-- Days may have passed since the script was begun.
CREATE OR REPLACE FUNCTION check_again(choices jsonb) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_mergejoin = off SET enable_memoize = off SET max_parallel_workers_per_gather = 0
AS $$
BEGIN
    PERFORM uuidx_migrate_steps.check_obstacles(uuidx_migrate_steps.pending_migrations(choices, false), 'any'::text);
END
$$;
COMMENT ON FUNCTION check_again(jsonb) IS
'an error if something stands in the way of an online script, before it makes what runs as it is made; '
'unless the cutover has taken place';

-- A list of statements is the same as when a script was written. It is compared, never run.
CREATE OR REPLACE FUNCTION check_script(mode text, fingerprint text, choices jsonb) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on SET quote_all_identifiers = off
SET DateStyle = ISO SET TimeZone = 'UTC' SET IntervalStyle = postgres SET bytea_output = hex
SET extra_float_digits = 1 SET lc_monetary = 'C'
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_mergejoin = off SET enable_memoize = off SET max_parallel_workers_per_gather = 0
AS $$
DECLARE
    ms uuidx_migrate_steps.migration[] := uuidx_migrate_steps.pending_migrations(choices, mode <> 'offline');
    needed text;
BEGIN
    IF cardinality(ms) = 0 THEN
        IF mode = 'online' THEN
            RAISE WARNING 'the cutover of this script has taken place'
            USING HINT = 'Run no more of it: it would build indexes that nothing needs. '
                         'uuidx_migrate.script says what is left to do.';
        END IF;
        RETURN;
    END IF;
    PERFORM uuidx_migrate_steps.check_obstacles(ms, CASE mode WHEN 'cutover' THEN 'online' ELSE mode END);
    needed := CASE mode
        WHEN 'offline' THEN uuidx_migrate_steps.fingerprint_of(ARRAY(
            SELECT s.sql FROM uuidx_migrate_steps.offline_steps(ms, uuidx_migrate_steps.together(ms)) AS s))
        ELSE uuidx_migrate_steps.online_fingerprint(ARRAY(
            SELECT uuidx_migrate_steps.with_cutover(m) FROM unnest(ms) AS m)) END;
    IF needed <> fingerprint THEN
        RAISE EXCEPTION 'the script to migrate column "%" of table % is not the one that is needed',
            (ms[1]).column_name, (ms[1]).relation
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'The tables, or what reads them, have changed since the script was written.',
              HINT = 'Write the script anew with uuidx_migrate.script, and run that.';
    END IF;
    IF mode = 'cutover' THEN
        PERFORM uuidx_migrate_steps.check_twins_are_built(ms[1]);
    END IF;
END
$$;
COMMENT ON FUNCTION check_script(text, text, jsonb) IS
'an error if a script would have other statements, or obstacles, than when it was written, '
'or before the cutover if something is not built; unless the cutover has taken place';
