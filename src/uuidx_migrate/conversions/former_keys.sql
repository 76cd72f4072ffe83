-- The former keys, where a conversion looks keys up: beside the new ones, or after an offline script in a table.

-- --- Which columns have the new keys ---
--
-- An undo that leaves one out would drop what says whose keys it has. So each is recorded with the former keys, where
-- only their owner can write: the name of a constraint has that of the column, and its condition, which always holds,
-- the table, and for numbers the former type. By the record of the key, which has the number 0, the table of the former
-- keys is found, whatever names it and the key's table have by then. It stays NOT VALID: that of a copy, which LIKE
-- makes, is validated.

-- Name of such a constraint.
CREATE OR REPLACE FUNCTION record_name(number text, column_name name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(n) <= 63 THEN n ELSE concat(number, ' ', md5(column_name)) END
        FROM concat(number, ' ', column_name) AS n);

-- The table of the former keys, if there is one that belongs to the owner of the key or a superuser.
CREATE OR REPLACE FUNCTION map_of(m migration) RETURNS regclass
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT min(c.oid)::regclass
            FROM uuidx_migrate_steps.dependents_of('pg_class'::regclass::oid, m.relation::oid, 0) AS d,
                 pg_constraint AS r, pg_class AS k, pg_class AS c, pg_roles AS o
            WHERE d.classid = 'pg_constraint'::regclass AND r.oid = d.objid AND r.contype = 'c' AND NOT r.convalidated
              AND r.conname = uuidx_migrate_steps.record_name('0', m.column_name)
              AND k.oid = m.relation AND c.oid = r.conrelid
              AND o.oid = c.relowner AND (o.oid = k.relowner OR o.rolsuper)
              AND (m.conversion).is_looked_up AND NOT (m.conversion).keeps_former);
END
$$;

-- Its name, or the one that a script gives it.
CREATE OR REPLACE FUNCTION map_name(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce(map_of(m)::text, key_object(m, 'former'));

-- Whether an offline script has left the former keys, in that table or beside the new ones.
CREATE OR REPLACE FUNCTION has_former_keys(m migration) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN has_numbers(m) OR map_of(m) IS NOT NULL;

-- Clauses of ALTER TABLE, for the table that has the former keys in a column, that record the columns with the new
-- ones. A dump creates the table with them: they do not name it.
CREATE OR REPLACE FUNCTION record_clauses(m migration, former name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ADD CONSTRAINT %I CHECK (%I IS NULL OR %s IS NOT NULL%s)', record_name(c.n::text, c.name), former,
                  CASE WHEN c.root = (m).relation AND t.are_numbers THEN quote_ident(former)
                       ELSE typed(c.root::text, 'regclass') END,
                  CASE WHEN t.are_numbers THEN format(' OR NULL::%s IS NOT NULL', format_type(c.type, NULL)) END)
    FROM (SELECT ((m).conversion).keeps_former) AS t (are_numbers),
         LATERAL (SELECT (m).relation, (m).column_name, NULL, 0 WHERE NOT t.are_numbers
                  UNION ALL
                  SELECT u.root, u.name, u.type, row_number() OVER ()
                  FROM unnest((m).columns) AS u WHERE u.member = u.root AND NOT is_key(m, u))
         AS c (root, name, type, n);
END;

-- The columns that are recorded; the name is NULL if the table has no such column any more.
CREATE OR REPLACE FUNCTION recorded_columns(m migration)
RETURNS TABLE (former regclass, record name, relation regclass, name name, type text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT k.conrelid::regclass, k.conname, t.relation,
               (SELECT a.attname FROM pg_attribute AS a
                WHERE a.attrelid = t.relation AND a.attnum > 0
                  AND uuidx_migrate_steps.record_name(split_part(k.conname, ' ', 1), a.attname) = k.conname),
               t.type
        FROM (SELECT m.relation, uuidx_migrate_steps.shadow_name(m.column_name)
              WHERE uuidx_migrate_steps.has_numbers(m)
              UNION ALL
              SELECT uuidx_migrate_steps.map_of(m), 'former_key') AS f (relation, name), pg_attribute AS c,
             pg_constraint AS k
             LEFT JOIN LATERAL uuidx_migrate_steps.references_of('pg_constraint'::regclass::oid, k.oid, NULL::integer)
                               AS d
             ON d.refclassid = 'pg_class'::regclass AND d.refobjsubid = 0,
             LATERAL (SELECT coalesce(d.refobjid::regclass, m.relation),
                             substring(pg_get_expr(k.conbin, k.conrelid)
                                       FROM E'\\(NULL::(smallint|integer|bigint) IS NOT NULL\\)\\)$'))
             AS t (relation, type)
        WHERE c.attrelid = f.relation AND c.attname = f.name AND k.conrelid = c.attrelid AND k.conkey = ARRAY[c.attnum]
          AND k.contype = 'c' AND k.conname ~ '^[1-9][0-9]* ';
END
$$;

-- The relation in which a script of a mode looks keys up, the column by which it does and the one that has what they
-- become, and whether one of them is a number; none if it looks up none.
CREATE OR REPLACE FUNCTION key_map(m migration, mode text)
RETURNS TABLE (key_table text, from_column name, to_column name, are_numbers boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.key_table, k.from_column, k.to_column, ((m).conversion).keeps_former
    FROM (VALUES ('online', NULL, (m).relation::text, shadow_name((m).column_name), (m).column_name),
                 ('offline', false, map_name(m), 'former_key', 'key'),
                 ('offline', true, map_name(m), 'key', 'former_key'))
         AS k (mode, undoes, key_table, from_column, to_column)
    WHERE k.mode = key_map.mode AND coalesce(k.undoes = ((m).conversion).only_undoes, true)
      AND ((m).conversion).is_looked_up
      AND NOT (((m).conversion).keeps_former AND ((m).conversion).only_undoes AND k.mode = 'online');
END;

-- Part of rewritten_columns: the new value of a column: its type, and the expression for the key in it. `look_up`
-- is the beginning of a call whose last argument is the value of what is not there.
CREATE OR REPLACE FUNCTION new_value(
    m migration, c migrated_column, OUT type text, OUT look_up text, OUT otherwise text, OUT cast_ text
)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT shadow_type(m, c),
           (SELECT format('uuidx_migrate_steps.lookup(%s, %s, %s, %s, ', typed(k.key_table, 'regclass'),
                          typed(k.from_column, 'name'), typed(k.to_column, 'name'), n.key)
            FROM key_map(m, 'offline') AS k),
           CASE WHEN NOT ((m).conversion).is_looked_up
                THEN new_key(n.key, (m).conversion, ((m).choices).other_values)
                WHEN n.is_number
                THEN 'NULL::' || (SELECT number_type(m, k) FROM unnest((m).columns) AS k WHERE is_key(m, k))
                WHEN ((m).conversion).changes_type OR is_text(m, c) THEN 'NULL::' || new_type((m).conversion)
                ELSE quote_ident((c).name) END,
           CASE WHEN n.is_number THEN '::' || number_type(m, c) END
    FROM (SELECT ((m).conversion).keeps_former AND ((m).conversion).only_undoes,
                 key_in(quote_ident((c).name), is_text(m, c))) AS n (is_number, key);
END;

-- Part of rewritten_columns: clauses of ALTER TABLE that put the numbers beside their keys, and record the columns that
-- have the keys.
CREATE OR REPLACE FUNCTION number_clauses(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT u
    FROM pg_attribute AS a,
         unnest(format('ALTER COLUMN %I TYPE %s USING %I',
                       shadow_name((m).column_name), format_type(a.atttypid, NULL), (m).column_name)
                || ARRAY(SELECT record_clauses(m, shadow_name((m).column_name)))) AS u
    WHERE a.attrelid = (m).relation AND a.attname = (m).column_name
      AND ((m).conversion).keeps_former AND NOT ((m).conversion).only_undoes;
END;

-- Part of map_statements: statement that keeps the table of the former keys for its owner, whatever default privileges
-- give others: it has the keys of all rows, also of those that row security hides.
CREATE OR REPLACE FUNCTION map_for_owner(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('REVOKE ALL ON %s FROM %s', map_name(m), string_agg(g.role, ', ' ORDER BY g.role))
        FROM pg_class AS c, default_grantees('r') AS g
        WHERE c.oid = (m).relation AND g.role <> c.relowner::regrole::text HAVING count(*) > 0);

-- Part of offline_steps: statements that make the table of the former keys, or make it ready for an undo.
CREATE OR REPLACE FUNCTION map_statements(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s
    FROM (SELECT map_name(m)) AS n (map),
         unnest(created_function(m)
                || ARRAY[format('CREATE TABLE %s AS SELECT k.former_key, k.key '
                                'FROM (SELECT r.%I AS former_key, %s AS key FROM %s AS r) AS k%s',
                                n.map, (m).column_name, key_value(m), (m).relation,
                                CASE WHEN NOT ((m).conversion).changes_type
                                     THEN ' WHERE k.key OPERATOR(pg_catalog.<>) k.former_key' END),
                         give_to_owner(m, 'TABLE ' || n.map), map_for_owner(m),
                         format('CREATE UNIQUE INDEX ON %s (former_key) INCLUDE (key)', n.map),
                         (SELECT format('ALTER TABLE %s %s', n.map, string_agg(r || ' NOT VALID', ', '))
                          FROM record_clauses(m, 'former_key') AS r
                          WHERE NOT ((m).conversion).keeps_former HAVING count(*) > 0)]
                || ARRAY(SELECT format('DROP FUNCTION %s(%s)', key_object(m, 'created'), (m).relation)
                         WHERE ((m).choices).created IS NOT NULL)) AS s
    WHERE s IS NOT NULL AND ((m).conversion).makes_keys
    UNION ALL
    SELECT s
    FROM (SELECT map_name(m)) AS n (map),
         unnest(ARRAY(SELECT format('CREATE TABLE %s AS SELECT r.%I AS former_key, r.%I AS key FROM %s AS r',
                                    n.map, shadow_name((m).column_name), (m).column_name, (m).relation)
                      WHERE ((m).conversion).keeps_former)
                || ARRAY[give_to_owner(m, 'TABLE ' || n.map), map_for_owner(m),
                         format('CREATE UNIQUE INDEX ON %s (key) INCLUDE (former_key)', n.map)]) AS s
    WHERE s IS NOT NULL AND ((m).conversion).is_looked_up AND ((m).conversion).only_undoes;
END;

-- Part of offline_steps: statement that drops that table where nothing needs it any more.
CREATE OR REPLACE FUNCTION drop_map(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('DROP TABLE %s', map_name(m))
    WHERE ((m).conversion).is_looked_up AND (((m).conversion).only_undoes OR ((m).conversion).keeps_former);
END;

-- Part of obstacles_online.
CREATE OR REPLACE FUNCTION map_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           format('the former keys are in %s, which no trigger keeps',
                  CASE WHEN has_numbers(m)
                       THEN format('column %I of table %s', shadow_name((m).column_name), (m).relation)
                       ELSE format('table %s', map_of(m)) END),
           'Use the offline mode.'
    WHERE ((m).conversion).only_undoes AND has_former_keys(m)
      AND shadow_conversion((m).relation, (m).column_name) IS NULL;
END;
