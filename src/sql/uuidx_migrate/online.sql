-- The statements that move columns while their tables are in use: triggers fill shadow columns, batches fill existing
-- rows, indexes are built, and then the shadow columns replace the columns.
--
-- Each statement checks whether it was done already, so that you can run a script again from the top. The trigger of a
-- shadow column shows how far the migration is: it is created at the beginning, converts in the direction of the
-- migration until the exchange, and converts back from then on.

-- A backfill's updates fire the triggers that users have created.
CREATE OR REPLACE FUNCTION fired_triggers(relation regclass) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT '-- It fires the triggers for UPDATE: '
           || regexp_replace(string_agg(DISTINCT quote_ident(t.tgname), ', '), E'[\r\n]', ' ', 'g') || E'\n'
    FROM pg_trigger AS t
    WHERE root(t.tgrelid) = relation AND NOT t.tgisinternal AND t.tgenabled <> 'D'
      AND t.tgtype & 16 <> 0 AND t.tgfoid <> 'fill()'::regprocedure
);
COMMENT ON FUNCTION fired_triggers(regclass) IS
'comment in SQL that names the triggers that an UPDATE of a table fires, if there are any';

CREATE OR REPLACE FUNCTION drop_shadows(relation regclass, column_name name)
RETURNS TABLE (root regclass, column_name name, statements text[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.relation, min(c.column_name),
           array_agg(format('DROP TRIGGER %I ON %s', trigger_name(c.column_name), c.relation))
           || format('ALTER TABLE %s %s', c.relation, string_agg(format('DROP COLUMN %I', c.shadow), ', '))
           || format('DELETE FROM %s WHERE %s(relation) = %L::regclass AND to_column IN (%s)',
                     'backfills'::regclass, 'root(oid)'::regprocedure::regproc,
                     c.relation, string_agg(quote_literal(c.shadow), ', '))
    FROM (SELECT u.*, shadow_name(u.column_name) AS shadow
          FROM tied_columns(relation, $2) AS u ORDER BY u.column_name) AS c
    GROUP BY c.relation;
END;
COMMENT ON FUNCTION drop_shadows(regclass, name) IS
'statements that drop the shadow columns of a table';

CREATE OR REPLACE FUNCTION check_online(relation regclass, column_name name, direction text) RETURNS void
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT CASE WHEN filling(relation, column_name) = reverse_direction(direction) THEN NULL
                ELSE check_version(relation, column_name, from_version(direction)) END;
END;
COMMENT ON FUNCTION check_online(regclass, name, text) IS
'an error unless all UUIDs in a column can be converted, or the exchange has taken place';

CREATE OR REPLACE FUNCTION call_filling(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('%s(%L, %L)', 'filling(regclass,name)'::regprocedure::regproc, relation, column_name);
COMMENT ON FUNCTION call_filling(regclass, name) IS
'call of filling, as text';

CREATE OR REPLACE FUNCTION finish(relation regclass, column_name name, direction text, exchanged boolean)
RETURNS TABLE (part bigint[], name text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH unfinished AS MATERIALIZED (
        SELECT u.*, format('%s WHERE relation = %L::regclass AND name = %L',
                           'unfinished_foreign_keys'::regclass, u.referencing, u.name) AS entry
        FROM unfinished(relation, column_name, exchanged) AS u
    )
    SELECT ARRAY[1::bigint], u.referencing::text, format('ALTER TABLE %s VALIDATE CONSTRAINT %I', u.referencing, u.name)
    FROM unfinished AS u WHERE u.definition IS NULL
    UNION ALL
    SELECT ARRAY[2], u.referencing::text,
           call_locked(ARRAY[u.referencing], format('EXISTS (SELECT FROM %s)', u.entry),
               array_remove(ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s', u.referencing, u.name, u.definition),
                                  format('COMMENT ON CONSTRAINT %I ON %s IS %L', u.name, u.referencing, u.comment),
                                  format('DELETE FROM %s', u.entry)],
                            format('COMMENT ON CONSTRAINT %I ON %s IS NULL', u.name, u.referencing)))
    FROM unfinished AS u WHERE u.definition IS NOT NULL
    UNION ALL
    SELECT ARRAY[3], u.referencing::text,
           format('SELECT %s(%L, %L)', 'note_validated(regclass,name)'::regprocedure::regproc, u.referencing, u.name)
    FROM unfinished AS u WHERE u.definition IS NULL
    UNION ALL
    SELECT ARRAY[4], d.root::text,
           '-- ' || regexp_replace(E'When the old columns are needed no more:\n'
                          || call_locked(ARRAY[d.root],
                                 format('%s = %L AND NOT EXISTS (SELECT FROM %s WHERE %s(relation) = %L::regclass)',
                                        call_filling(d.root, d.column_name), reverse_direction(direction),
                                        'unfinished_foreign_keys'::regclass,
                                        'root(oid)'::regprocedure::regproc, d.root),
                                 d.statements),
                          E'\r\n?|\n', E'\\&-- ', 'g')
    FROM drop_shadows(relation, column_name) AS d;
END;
COMMENT ON FUNCTION finish(regclass, name, text, boolean) IS
'the steps after the exchange';

CREATE OR REPLACE FUNCTION online(relation regclass, column_name name, direction text, others text)
RETURNS TABLE (step integer, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH state AS MATERIALIZED (
        SELECT coalesce(filling(root(relation), column_name)
                        = reverse_direction(direction), false) AS exchanged
    ),
    columns AS MATERIALIZED (
        SELECT c.relation, c.column_name, shadow_name(c.column_name) AS shadow,
               call_filling(c.relation, c.column_name) AS filling,
               format('SELECT %s(%L, %L, %L)', 'check_online(regclass,name,text)'::regprocedure::regproc,
                      c.relation, c.column_name, direction) AS "check"
        FROM tied_columns(relation, column_name) AS c
    ),
    before (part, name, sql) AS (
        -- Check each table again before it is changed: psql may continue after an error.
        SELECT ARRAY[1::bigint], c.relation::text, c."check"
        FROM columns AS c WHERE others = 'error'
        UNION ALL
        SELECT ARRAY[2], a.root::text,
               call_locked(ARRAY[a.root],
                   (SELECT min(c.filling) || ' IS NULL' FROM columns AS c WHERE c.relation = a.root), a.statements,
                   (SELECT string_agg(c."check", E';\n' ORDER BY c."check" COLLATE "C") FROM columns AS c
                    WHERE c.relation = a.root AND others = 'error'))
        FROM add_shadows(relation, column_name, direction, others) AS a
        UNION ALL
        SELECT ARRAY[3], c.relation::text,
               concat(fired_triggers(c.relation),
                      format('CALL %s(%L, %L, %L, direction => %L, others => %L)',
                             'backfill(regclass,name,name,integer,interval,text,text)'::regprocedure::regproc,
                             c.relation, c.column_name, c.shadow, direction, others))
        FROM columns AS c
        UNION ALL
        SELECT ARRAY[4], c.relation::text, format('ALTER TABLE %s VALIDATE CONSTRAINT %I', c.relation, c.shadow)
        FROM columns AS c
        UNION ALL
        SELECT 5 || i.part, i.name, i.sql FROM index_steps(relation, column_name) AS i
        UNION ALL
        SELECT DISTINCT ARRAY[6::bigint], c.relation::text, format('ANALYZE %s', c.relation) FROM columns AS c
        UNION ALL
        SELECT ARRAY[7], '',
               call_locked(
                   (SELECT array_agg(t.relation ORDER BY t.relation::text COLLATE "C")
                    FROM (SELECT DISTINCT c.relation FROM columns AS c) AS t),
                   format('%s = %L', call_filling(root(relation), column_name), direction),
                   exchange(relation, column_name, direction))
    ),
    steps (part, name, sql) AS (
        SELECT b.part, b.name, b.sql FROM before AS b, state AS s WHERE NOT s.exchanged
        UNION ALL
        SELECT 8 || f.part, f.name, f.sql
        FROM state AS s, LATERAL finish(relation, column_name, direction, s.exchanged) AS f
    )
    SELECT row_number() OVER (ORDER BY s.part, s.name COLLATE "C", s.sql COLLATE "C")::integer, s.sql FROM steps AS s;
END;
COMMENT ON FUNCTION online(regclass, name, text, text) IS
'part of script: steps that leave the tables to be read and written';
