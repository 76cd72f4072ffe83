-- The conversion of numbers to keys of version 7. The number stays beside the new key, and new rows go on getting one,
-- until the migration is finished or for good.

-- Part of migration: an error for a choice that only numbers have, whose key is in this table.
CREATE OR REPLACE FUNCTION check_number_choices(c choices, key_table regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF num_nonnulls(c.namespace, c.keep_number) > 0
       AND NOT (uuidx_migrate_steps.conversion_named(c.conversion)).keeps_former THEN
        PERFORM uuidx_migrate_steps.raise('22023',
            format('conversion "%s" has neither namespace nor keep_number', c.conversion));
    ELSIF c.namespace = '' OR c.keep_number = '' THEN
        PERFORM uuidx_migrate_steps.raise('22023', 'namespace and keep_number must not be empty');
    ELSIF EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = key_table AND a.attname = c.keep_number) THEN
        PERFORM uuidx_migrate_steps.raise('42701',
            format('column "%s" of relation %s exists already', c.keep_number, key_table));
    END IF;
END
$$;

-- Whether something gives new rows a number: an identity or a default. It goes on doing so.
CREATE OR REPLACE FUNCTION has_generator(relation regclass, column_name name) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_attribute AS a
               WHERE a.attrelid = relation AND a.attname = column_name AND (a.attidentity <> '' OR a.atthasdef));

-- Whether rows may lack a number after the cutover: new ones for which nothing gives one, and references to these or
-- to keys that come later.
CREATE OR REPLACE FUNCTION may_lack_number(m migration, c migrated_column) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN NOT (is_key(m, c)
            AND has_generator((c).member,
                              CASE WHEN ((m).conversion).only_undoes THEN (c).shadow ELSE (c).name END));

-- Part of cutover_not_null: what a column that has NOT NULL does with it at the cutover: `keep` as it becomes the
-- shadow, `take back` what it has kept as the shadow, or else NULL: lose it.
CREATE OR REPLACE FUNCTION not_null_of_number(m migration, c migrated_column) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ((m).conversion).keeps_former AND is_key(m, c) AND NOT may_lack_number(m, c)
            THEN CASE WHEN ((m).conversion).only_undoes THEN 'take back' ELSE 'keep' END END;

-- The index that keeps numbers unique, and finds them, whatever its name is. Nothing else reads the number and the key.
CREATE OR REPLACE FUNCTION index_of_numbers(m migration) RETURNS regclass
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT min(i.indexrelid)::regclass
            FROM pg_index AS i, pg_attribute AS n, pg_attribute AS k
            WHERE i.indrelid = m.relation AND i.indisunique AND i.indpred IS NOT NULL AND i.indnkeyatts = 1
              AND (n.attrelid, n.attname) = (m.relation, uuidx_migrate_steps.shadow_name(m.column_name))
              AND (k.attrelid, k.attname) = (m.relation, m.column_name)
              AND i.indkey::text = concat_ws(' ', n.attnum, k.attnum));
END
$$;

-- Name of the constraint that keeps them unique for good.
CREATE OR REPLACE FUNCTION number_constraint(m migration) RETURNS name
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(n) <= 63 THEN n ELSE md5(n) || '_key' END
        FROM pg_class AS c, concat(c.relname, '_', ((m).choices).keep_number, '_key') AS n WHERE c.oid = (m).relation);

-- Part of obstacle_list: what has the name of that constraint and is not its index, which finish builds before.
CREATE OR REPLACE FUNCTION keep_number_obstacles(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           format('%s has the name of the constraint that keeps the numbers unique', o.description),
           'Rename it, or give the numbers another name with keep_number.'
    FROM (SELECT pg_describe_object('pg_class'::regclass, c.oid, 0)
          FROM pg_class AS t, pg_class AS c
          WHERE t.oid = (m).relation AND (c.relnamespace, c.relname) = (t.relnamespace, number_constraint(m))
            AND NOT EXISTS (SELECT FROM pg_index AS i, pg_attribute AS a
                            WHERE (i.indexrelid, i.indrelid) = (c.oid, t.oid) AND i.indisunique
                              AND (a.attrelid, a.attname) = (t.oid, shadow_name((m).column_name))
                              AND i.indkey::text = a.attnum::text AND i.indpred IS NULL)
          UNION ALL
          SELECT pg_describe_object('pg_constraint'::regclass, k.oid, 0)
          FROM pg_constraint AS k
          WHERE (k.conrelid, k.conname) = ((m).relation, number_constraint(m))
            AND k.conindid = 0) AS o (description)
    WHERE ((m).choices).keep_number IS NOT NULL;
END;

-- Whether an offline script has left the numbers beside their keys.
CREATE OR REPLACE FUNCTION has_numbers(m migration) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ((m).conversion).keeps_former AND index_of_numbers(m) IS NOT NULL
       AND shadow_conversion((m).relation, (m).column_name) IS NULL;

-- Type of the numbers that an undo puts into a column: that of its shadow, as it is recorded, or the key's.
CREATE OR REPLACE FUNCTION number_type(m migration, c migrated_column) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN coalesce(
        (SELECT format_type(a.atttypid, NULL) FROM pg_attribute AS a
         WHERE (a.attrelid, a.attname) = (c.member, c.shadow)
           AND uuidx_migrate_steps.shadow_conversion(c.member, c.name) IS NOT NULL),
        (SELECT r.type FROM uuidx_migrate_steps.recorded_columns(m) AS r WHERE (r.relation, r.name) = (c.root, c.name)),
        (SELECT format_type(a.atttypid, NULL) FROM pg_attribute AS a
         WHERE (a.attrelid, a.attname) = (m.relation, uuidx_migrate_steps.shadow_name(m.column_name))));
END
$$;

-- The column that generates the numbers before an offline script.
CREATE OR REPLACE FUNCTION generating_column(m migration) RETURNS name
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ((m).conversion).only_undoes THEN shadow_name((m).column_name) ELSE (m).column_name END;

-- The sequences of a column, of its identity or its default, without others that it calls.
CREATE OR REPLACE FUNCTION sequences_of(relation regclass, column_name name)
RETURNS TABLE (sequence regclass, is_identity boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT d.objid::regclass, d.deptype = 'i'
    FROM pg_attribute AS a, LATERAL dependents_of('pg_class'::regclass, a.attrelid, a.attnum) AS d, pg_class AS s
    WHERE d.classid = 'pg_class'::regclass AND s.oid = d.objid AND a.attrelid = relation AND a.attname = column_name
      AND s.relkind = 'S'
    ORDER BY s.oid::regclass::text COLLATE "C";
END;

-- Part of statements_before_rewrite: statements that keep where the sequence of an identity is, and drop the identity,
-- as PostgreSQL changes the type of no such column.
CREATE OR REPLACE FUNCTION drop_identity(relation regclass, column_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT u
    FROM sequences_of(relation, column_name) AS s,
         unnest(ARRAY[format('SELECT pg_catalog.set_config(%s, '
                             'pg_catalog.concat(s.last_value, '' ''::pg_catalog.text, s.is_called), true) FROM %s AS s',
                             typed('uuidx_migrate.sequence_' || s.sequence::oid, 'text'), s.sequence),
                      format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', relation, column_name)]) AS u
    WHERE s.is_identity;
END;

-- Part of statements_after_rewrite: statements that give a column what generates the numbers of another: its identity,
-- or its default and the sequences that it owns.
CREATE OR REPLACE FUNCTION move_generator(relation regclass, from_column name, to_column name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', relation, to_column)
    WHERE has_generator(relation, from_column)
    UNION ALL
    SELECT u
    FROM sequences_of(relation, from_column) AS o, pg_sequence AS s, pg_class AS c, pg_attribute AS a,
         unnest(ARRAY[format('ALTER TABLE %s ALTER COLUMN %I ADD GENERATED %s AS IDENTITY '
                             '(SEQUENCE NAME %s START WITH %s INCREMENT BY %s MINVALUE %s MAXVALUE %s CACHE %s %s)',
                             relation, to_column, CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END,
                             o.sequence, s.seqstart, s.seqincrement, s.seqmin, s.seqmax,
                             s.seqcache, CASE WHEN s.seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END),
                      format('SELECT pg_catalog.setval(%s, '
                             'pg_catalog.split_part(c.value, '' ''::pg_catalog.text, 1)::pg_catalog.int8, '
                             'pg_catalog.split_part(c.value, '' ''::pg_catalog.text, 2)::pg_catalog.bool) '
                             'FROM pg_catalog.current_setting(%s) AS c (value)',
                             typed(o.sequence::text, 'regclass'),
                             typed('uuidx_migrate.sequence_' || o.sequence::oid, 'text'))]
                || ARRAY(SELECT grant_all('SEQUENCE ' || o.sequence, o.sequence))
                || ARRAY(SELECT format('COMMENT ON SEQUENCE %s IS %L', o.sequence, obj_description(c.oid, 'pg_class'))
                         WHERE obj_description(c.oid, 'pg_class') IS NOT NULL)) AS u
    WHERE s.seqrelid = o.sequence AND c.oid = o.sequence AND a.attrelid = relation AND a.attname = from_column
      AND o.is_identity
    UNION ALL
    SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', relation, to_column, d.expression)
    FROM pg_attribute AS a, LATERAL default_of(a.attrelid, a.attnum) AS d
    WHERE a.attrelid = relation AND a.attname = from_column AND a.atthasdef AND NOT d.is_unused
    UNION ALL
    SELECT format('ALTER SEQUENCE %s OWNED BY %s.%I', o.sequence, relation, to_column)
    FROM sequences_of(relation, from_column) AS o WHERE NOT o.is_identity;
END;

-- Part of obstacles_offline: what has the name of the column of the numbers, of its index or, for an undo, of the table
-- of the former keys.
CREATE OR REPLACE FUNCTION number_obstacles_offline(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           format('%s has a name that the migration needs', pg_describe_object('pg_class'::regclass, o.oid, o.attnum)),
           'Rename it, or finish the migration that it belongs to.'
    FROM (SELECT a.attrelid, a.attnum
          FROM pg_attribute AS a
          WHERE (a.attrelid, a.attname) = ((m).relation, shadow_name((m).column_name))
            AND NOT ((m).conversion).only_undoes
          UNION ALL
          SELECT x.oid, 0
          FROM pg_class AS t, pg_class AS x
          WHERE t.oid = (m).relation AND x.relnamespace = t.relnamespace
            AND x.relname = key_object_name(m, CASE WHEN ((m).conversion).only_undoes THEN 'former'
                                                    ELSE ((m).conversion).name END)) AS o (oid, attnum)
    WHERE ((m).conversion).keeps_former AND shadow_conversion((m).relation, (m).column_name) IS NULL;
END;

-- Part of offline_steps: statements before the tables are rewritten.
CREATE OR REPLACE FUNCTION statements_before_rewrite(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER TABLE %s ADD COLUMN %I %s', c.root, c.shadow, format_type(c.type, NULL))
    FROM unnest((m).columns) AS c
    WHERE c.member = c.root AND is_key(m, c) AND ((m).conversion).keeps_former AND NOT ((m).conversion).only_undoes
    UNION ALL
    SELECT d.*
    FROM drop_identity((m).relation, generating_column(m)) AS d
    WHERE ((m).conversion).keeps_former;
END;

-- Part of offline_steps: statements after the tables are rewritten. The number has what its column had; or for an undo,
-- the column has it again.
CREATE OR REPLACE FUNCTION statements_after_rewrite(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s
    FROM (SELECT (m).relation, (m).column_name, shadow_name((m).column_name), a.attnum
          FROM pg_attribute AS a
          WHERE a.attrelid = (m).relation AND a.attname = (m).column_name) AS k (relation, name, shadow, attnum),
         unnest(CASE WHEN ((m).conversion).only_undoes
                     THEN ARRAY(SELECT move_generator(k.relation, k.shadow, k.name))
                          || format('ALTER TABLE %s DROP COLUMN %I', k.relation, k.shadow)
                     ELSE ARRAY(SELECT move_generator(k.relation, k.name, k.shadow))
                          || ARRAY(SELECT column_properties(k.relation, k.attnum,
                                                            format('ALTER TABLE ONLY %s', k.relation),
                                                            k.relation::text, k.shadow))
                          || format('CREATE UNIQUE INDEX %I ON %s (%I) INCLUDE (%I) WHERE %3$I IS NOT NULL',
                                    key_object_name(m, ((m).conversion).name), k.relation, k.shadow, k.name) END) AS s
    WHERE ((m).conversion).keeps_former;
END;
