-- Offline, the conversion to version 7: a table of the former keys.

CREATE OR REPLACE FUNCTION mapped(map regclass, from_column name, to_column name, key uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_mapped'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION mapped(regclass, name, name, uuid) IS
'value of a column in the row of a table in which another column is a key; the key itself if there is no such row';

CREATE OR REPLACE FUNCTION mapped_value(m migration, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format(CASE WHEN makes_keys((m).conversion) THEN 'uuidx_migrate.mapped(%s, ''former_key''::pg_catalog.name, ''key''::pg_catalog.name, %I)'
                                               ELSE 'uuidx_migrate.mapped(%s, ''key''::pg_catalog.name, ''former_key''::pg_catalog.name, %I)' END,
              typed(key_object(m, 'former'), 'regclass'), column_name);
COMMENT ON FUNCTION mapped_value(migration, name) IS
'expression for the new value of a column, looked up in the table of the former keys';

CREATE OR REPLACE FUNCTION map_statements(m migration) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s
    FROM (SELECT key_object(m, 'former')) AS n (map),
         unnest(created_function(m)
                || ARRAY[format('CREATE TABLE %s AS SELECT k.former_key, k.key FROM (SELECT r.%I AS former_key, uuidx_migrate.rekeyed(r.%2$I, %s, %s, %s) AS key FROM %s AS r) AS k '
                                'WHERE k.key OPERATOR(pg_catalog.<>) k.former_key',
                                n.map, (m).column_name,
                                CASE WHEN (m).created IS NULL THEN format('uuidx_migrate.uuid_time(r.%I)', (m).column_name) ELSE format('%s(r)', key_object(m, 'created')) END,
                                typed((m).without_time, 'text'), typed((m).future, 'text'), (m).relation),
                         format('CREATE UNIQUE INDEX ON %s (former_key) INCLUDE (key)', n.map),
                         format('ANALYZE %s', n.map)]
                || ARRAY(SELECT drop_created_function(m) WHERE (m).created IS NOT NULL)) AS s
    WHERE s IS NOT NULL AND makes_keys((m).conversion)
    UNION ALL
    SELECT s
    FROM (SELECT key_object(m, 'former')) AS n (map),
         unnest(ARRAY[format('CREATE UNIQUE INDEX ON %s (key) INCLUDE (former_key)', n.map), format('ANALYZE %s', n.map)]) AS s
    WHERE is_looked_up((m).conversion) AND ((m).conversion).only_undoes;
END;
COMMENT ON FUNCTION map_statements(migration) IS
'statements that make the table of the former keys, or make it ready for an undo';

CREATE OR REPLACE FUNCTION has_map(m migration) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_class AS c JOIN pg_class AS k ON k.oid = (m).relation JOIN pg_roles AS o ON o.oid = c.relowner
               WHERE c.relnamespace = k.relnamespace AND (o.oid = k.relowner OR o.rolsuper) AND c.relkind = 'r' AND c.relname = key_object_name(m, 'former'))
       AND is_looked_up((m).conversion);
COMMENT ON FUNCTION has_map(migration) IS
'whether there is a table of the former keys, which belongs to the owner of the table or a superuser';
