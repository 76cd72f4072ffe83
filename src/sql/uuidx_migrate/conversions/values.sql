-- What a script does to a column, as its conversion says.

-- Call of the trigger function that fills a shadow column. Online, a trigger keeps the shadow column, and a CHECK
-- constraint makes PostgreSQL compare every row with the conversion. The exchange changes only the names of the
-- columns, so that both hold before and after that.
CREATE OR REPLACE FUNCTION fill_trigger(m migration, c migrated_column) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format(CASE WHEN is_key(m, c) THEN ((m).conversion).key_trigger ELSE ((m).conversion).reference_trigger END,
              (c).name, (c).shadow, ((m).conversion).name, ((m).choices).other_values, (m).column_name, shadow_name((m).column_name),
              CASE WHEN ((m).choices).created IS NULL THEN '' ELSE key_object_name(m, 'created') END, ((m).choices).rows_without_time, ((m).choices).future_rows, text_size(m), ((m).conversion).pending);

-- Constraint that a shadow column has the new value. Where the new value is looked up, foreign keys prove more later.
-- When the old column is dropped, so is the constraint.
CREATE OR REPLACE FUNCTION proof(m migration, c migrated_column) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format(concat('CHECK (', CASE WHEN a.attnotnull THEN '%1$I IS NOT NULL' ELSE '(%1$I IS NULL) OPERATOR(pg_catalog.=) (%2$I IS NULL)' END,
                     ' AND ' || coalesce(((m).conversion).proof, CASE WHEN a.attnotnull THEN '%2$I IS NOT NULL' END),
                     -- It says whose keys they are, and confirms for the triggers where they may look values up.
                     CASE WHEN (c).root <> (m).relation THEN ' AND %4$L::pg_catalog.regclass IS NOT NULL' END, ') NOT VALID'),
              (c).shadow, (c).name, new_value((c).name, (m).conversion, ((m).choices).other_values), (m).relation)
        FROM pg_attribute AS a WHERE a.attrelid = (c).member AND a.attnum = (c).attnum);

-- The new value of the key in a row r. The creation time is by default the one inside the key.
CREATE OR REPLACE FUNCTION key_value(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format(((m).conversion).key_value, format('r.%I', (m).column_name),
              CASE WHEN ((m).choices).created IS NULL THEN format('uuidx_migrate_steps.uuid_time(r.%I)', (m).column_name)
                   ELSE format('%s(r.*)', key_object(m, 'created')) END,
              typed(((m).choices).rows_without_time, 'text'), typed(((m).choices).future_rows, 'text'));

-- Whether a function generates keys of the version that a conversion converts: in defaults, it is replaced.
CREATE OR REPLACE FUNCTION is_old_generator(function oid, conversion conversion) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_proc AS p WHERE p.oid = function AND p.proname = ANY (string_to_array((conversion).old_generators, '|')));

-- The columns that are migrated, in the order in which they are filled: together, or some after others. A conversion
-- that computes a value from another column fills that one first.
CREATE OR REPLACE FUNCTION stages(m migration) RETURNS TABLE (columns migrated_column[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT array_agg(c ORDER BY n)
    FROM (SELECT u, row_number() OVER (), is_looked_up((m).conversion) AND NOT is_key(m, u) FROM unnest((m).columns) AS u) AS u (c, n, is_second)
    GROUP BY is_second ORDER BY is_second;
END;

-- The columns under way that reference one of the columns that are migrated.
CREATE OR REPLACE FUNCTION references_under_way(m migration) RETURNS TABLE (relation regclass, attnum smallint, name name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT r.relation, r.attnum, r.name
    FROM unnest(tables(m)) AS t, LATERAL columns_under_way(t) AS r JOIN unnest((m).columns) AS c ON r.key_column = encode(convert_to(c.name::text, getdatabaseencoding()), 'escape')
    WHERE c.member = t;
END;
