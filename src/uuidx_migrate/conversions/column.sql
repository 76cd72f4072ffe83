-- What a script does to a column, as its conversion says.

-- Part of fill_trigger_statements: call of the trigger function that fills a shadow column. Online, a trigger keeps the
-- shadow column, and a CHECK constraint makes PostgreSQL compare every row with the conversion. The cutover changes
-- only the names of the columns, so that both hold before and after that.
CREATE OR REPLACE FUNCTION fill_trigger(m migration, c migrated_column) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT format('%s(%s)', t.call[1], string_agg(quote_nullable(v.value), ', ' ORDER BY a.n))
    FROM (SELECT CASE WHEN is_key(m, c) THEN ((m).conversion).key_trigger ELSE ((m).conversion).reference_trigger END)
         AS t (call),
         unnest(t.call[2:]) WITH ORDINALITY AS a (name, n),
         LATERAL (VALUES
             ('column', (c).name::text), ('shadow', (c).shadow), ('conversion', ((m).conversion).name),
             ('other_values', ((m).choices).other_values), ('key', (m).column_name),
             ('key_shadow', shadow_name((m).column_name)),
             ('created', CASE WHEN ((m).choices).created IS NULL THEN '' ELSE key_object_name(m, 'created') END),
             ('rows_without_time', ((m).choices).rows_without_time), ('future_rows', ((m).choices).future_rows),
             -- A text for a new UUID fits into all columns: a key and what references it must have the same one,
             -- whichever of them is written first. The server adds 4 to the length.
             ('text_size', (SELECT least(min(u.atttypmod) - 4, 36)::text
                            FROM unnest((m).columns) AS o, pg_attribute AS u
                            WHERE u.attrelid = o.member AND u.attnum = o.attnum AND u.atttypmod > 0)),
             ('pending', ((m).conversion).pending),
             ('namespace', coalesce(((m).choices).namespace, ''))) AS v (name, value)
    WHERE v.name = a.name
    GROUP BY t.call);

-- Statements that create a trigger with that call.
CREATE OR REPLACE FUNCTION fill_trigger_statements(m migration, c migrated_column, name name) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY[format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s',
                    name, (c).root, fill_trigger(m, c)),
             format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', (c).root, name)];

-- Type of the shadow of a column: that of the new keys, or the column's own, which holds texts for keys; or for an undo
-- that of the numbers.
CREATE OR REPLACE FUNCTION shadow_type(m migration, c migrated_column) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN ((m).conversion).keeps_former AND ((m).conversion).only_undoes THEN number_type(m, c)
                    WHEN is_text(m, c)
                    THEN concat(format('pg_catalog.%I', t.typname),
                                substring(format_type(t.oid, a.atttypmod) FROM E'\\(.*'),
                                (SELECT format(' COLLATE %I.%I', n.nspname, l.collname)
                                 FROM pg_collation AS l, pg_namespace AS n
                                 WHERE l.oid = a.attcollation AND l.oid <> t.typcollation AND n.oid = l.collnamespace))
                    ELSE new_type((m).conversion) END
        FROM pg_attribute AS a, pg_type AS t
        WHERE a.attrelid = (c).member AND a.attnum = (c).attnum AND t.oid = a.atttypid);

-- Whether the cutover adds a column to the table of a column, with the name of its trigger; an undo drops it. A table
-- that was made on the other side of the cutover, as by LIKE, may have columns of the same names and types: without
-- the added one, it could become a partition with its values in the wrong columns.
CREATE OR REPLACE FUNCTION marks_cutover(m migration, c migrated_column) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (c).member = (c).root AND is_partitioned((c).root) AND NOT ((m).conversion).changes_type;

-- Condition of the CHECK constraint that a shadow column has the new value. Where the new value is looked up, foreign
-- keys prove more later. When the old column is dropped, so is the constraint.
CREATE OR REPLACE FUNCTION shadow_check(m migration, c migrated_column) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format(
              concat(CASE WHEN a.attnotnull THEN '%1$I IS NOT NULL'
                          WHEN ((m).conversion).keeps_former THEN '(%1$I IS NOT NULL OR %2$I IS NULL)'
                          ELSE '(%1$I IS NULL) OPERATOR(pg_catalog.=) (%2$I IS NULL)' END,
                     ' AND ' || CASE WHEN ((m).conversion).condition IS NOT NULL THEN '%3$s'
                                     -- It has to read the number, which may be missing after the cutover.
                                     WHEN a.attnotnull AND ((m).conversion).keeps_former
                                     THEN 'pg_catalog.num_nulls(%2$I) OPERATOR(pg_catalog.<=) 1'
                                     WHEN a.attnotnull THEN '%2$I IS NOT NULL' END,
                     CASE WHEN is_text(m, c)
                          THEN ' AND uuidx_migrate_steps.is_spelled_like('
                               '%1$I::pg_catalog.text, %2$I::pg_catalog.text)' END,
                     -- It says whose keys they are, and confirms for the triggers where they may look values up.
                     CASE WHEN (c).root <> (m).relation THEN ' AND %4$L::pg_catalog.regclass IS NOT NULL' END),
              (c).shadow, (c).name,
              format(((m).conversion).condition, key_in(quote_ident((c).shadow), is_text(m, c)), k.key,
                     new_key(k.key, (m).conversion, ((m).choices).other_values)), (m).relation)
        FROM pg_attribute AS a, key_in(quote_ident((c).name), is_text(m, c)) AS k (key)
        WHERE a.attrelid = (c).member AND a.attnum = (c).attnum);

-- Whether a table has this constraint as it would get it now. After the cutover, it may be that of the conversion that
-- is undone. A partition may have come with that of another migration.
CREATE OR REPLACE FUNCTION is_checked(m migration, c migrated_column) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    undone uuidx_migrate_steps.migration := m;
    other uuidx_migrate_steps.migrated_column := c;
BEGIN
    undone.conversion := uuidx_migrate_steps.conversion_named((m.conversion).undo);
    other.name := c.shadow;
    other.shadow := c.name;
    RETURN uuidx_migrate_steps.checks_shadow(c.member, c.name, uuidx_migrate_steps.shadow_check(m, c))
        OR uuidx_migrate_steps.checks_shadow(c.member, c.name, uuidx_migrate_steps.shadow_check(undone, other));
END
$$;

-- Whoever writes a row calls these, in that constraint or in the condition of a trigger (companion_triggers). Default
-- privileges may give EXECUTE to nobody.
GRANT EXECUTE ON FUNCTION
    uuid_version(uuid), uuid_v1_to_v6(uuid), uuid_v6_to_v1(uuid), text_to_uuid(text), uuid_to_text(uuid),
    key_of_text(text), is_spelled_like(text, text),
    pending_key(uuid), pending_number(smallint), pending_number(integer), pending_number(bigint) TO PUBLIC;

-- Part of map_statements: the new value of the key in a row r. The creation time is by default the one inside the key,
-- if that is a UUID.
CREATE OR REPLACE FUNCTION key_value(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format(((m).conversion).key_value, format('r.%I', (m).column_name),
              CASE WHEN ((m).choices).created IS NOT NULL THEN format('%s(r.*)', key_object(m, 'created'))
                   WHEN ((m).conversion).changes_type THEN typed(NULL, 'timestamptz')
                   ELSE format('uuidx_migrate_steps.uuid_time(r.%I)', (m).column_name) END,
              typed(((m).choices).rows_without_time, 'text'), typed(((m).choices).future_rows, 'text'),
              typed(((m).choices).namespace, 'text'));

-- Whether a function generates keys of the version that a conversion converts: in defaults, it is replaced.
CREATE OR REPLACE FUNCTION is_old_generator(function oid, conversion conversion) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_proc AS p
               WHERE p.oid = function AND p.proname = ANY (string_to_array((conversion).old_generators, '|')));

-- Part of obstacles_of_migrations and obstacles_of_twins: the columns under way that reference one of the columns that
-- are migrated. Their tables are part of the migration, or may reference its tables.
CREATE OR REPLACE FUNCTION references_under_way(m migration)
RETURNS TABLE (relation regclass, name name)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT r.relation, r.name
    FROM unnest(tables(m)) AS t, LATERAL columns_under_way(t) AS r, unnest((m).columns) AS c
    WHERE c.member = t AND (r.relation = ANY (tables(m)) OR may_reference(r.relation, t))
      AND (r.key_column = c.name
           OR EXISTS (SELECT FROM pg_constraint AS k, LATERAL pair_of(k.oid) AS p
                      WHERE k.conrelid = t AND p.name = c.name AND p.arguments[1] = r.key_column));
END;
