-- Online, step by step: add shadow columns, with the properties of the columns whose place they take.

CREATE OR REPLACE FUNCTION shadow_statements(m migration, columns moved_column[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    table_ regclass := (columns[1]).root;
BEGIN
    RETURN QUERY
        SELECT format('ALTER TABLE %s %s', table_, string_agg(format('ADD COLUMN %I %s', c.shadow, uuidx_migrate.new_type(m.conversion)), ', '))
        FROM unnest(columns) AS c WHERE c.member = table_;
    RETURN QUERY
        SELECT p FROM unnest(columns) AS c,
                      LATERAL uuidx_migrate.column_properties(c.member, c.attnum, format('ALTER TABLE ONLY %s', c.member), c.member::text, c.shadow) AS p;
    -- The constraint makes PostgreSQL compare each value with the conversion. With it, SET NOT NULL does not read the table.
    RETURN QUERY
        SELECT format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s) NOT VALID', table_, uuidx_migrate.trigger_name(c.name),
                      uuidx_migrate.proof(m, c, a.attnotnull))
        FROM unnest(columns) AS c JOIN pg_attribute AS a ON a.attrelid = c.member AND a.attnum = c.attnum WHERE c.member = table_;
    RETURN QUERY
        SELECT s.sql
        FROM unnest(columns) AS c, LATERAL (SELECT uuidx_migrate.trigger_name(c.name)) AS t (name),
             LATERAL (VALUES (1, format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s',
                                        t.name, table_, uuidx_migrate.fill_trigger(m, c))),
                             (2, format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', table_, t.name))) AS s (n, sql)
        WHERE c.member = table_ ORDER BY c.name, s.n;
    RETURN QUERY SELECT s FROM uuidx_migrate.key_statements(m, columns) AS s WHERE uuidx_migrate.is_looked_up(m.conversion);
END
$$;
COMMENT ON FUNCTION shadow_statements(migration, moved_column[]) IS
'statements that give a table its shadow columns, which a trigger fills from then on';

CREATE OR REPLACE FUNCTION shadow(m migration, stage moved_column[]) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'shadow', format('ACCESS EXCLUSIVE on %s, briefly', t.root),
           call_locked(m, ARRAY[t.root],
               (SELECT format('%s IS NULL', call_filling(t.root, min(c.name))) FROM unnest(t.columns) AS c WHERE c.member = t.root),
               ARRAY(SELECT s FROM shadow_statements(m, t.columns) WITH ORDINALITY AS s (s, n) ORDER BY n),
               -- psql may go on after an error.
               (SELECT string_agg(s, E';\n') FROM check_statements(m, ARRAY[t.root]) AS s))
    FROM by_table(stage) AS t;
END;
COMMENT ON FUNCTION shadow(migration, moved_column[]) IS
'part of script: adds the shadow columns';

CREATE OR REPLACE FUNCTION fill(m migration, stage moved_column[]) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'fill', format('ROW EXCLUSIVE on %s', c.root),
           concat((SELECT format(E'-- It fires %s.\n', regexp_replace(string_agg(quote_ident(t.name), ', '), E'[\r\n]', ' ', 'g'))
                   FROM fired_triggers(c.root, (m).fire_triggers) AS t HAVING count(*) > 0),
                  format('CALL uuidx_migrate.backfill(%s, %s, %s, conversion => %s, others => %s, batch_rows => 10000, pause => %s, fire_triggers => %s, trust_owners => %s)',
                         typed(c.root::text, 'regclass'), typed(c.name, 'name'), typed(c.shadow, 'name'), typed(((m).conversion).name, 'text'), typed((m).others, 'text'),
                         typed('0', 'interval'), (m).fire_triggers::text, (m).trust_owners::text))
    FROM unnest(stage) AS c WHERE c.member = c.root;
END;
COMMENT ON FUNCTION fill(migration, moved_column[]) IS
'part of script: fills the shadow columns of the rows that are there, in batches';

CREATE OR REPLACE FUNCTION validate(m migration, stage moved_column[]) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'validate', format('SHARE UPDATE EXCLUSIVE on %s', c.root), call_validate(m, c.root, trigger_name(c.name))
    FROM unnest(stage) AS c WHERE c.member = c.root;
END;
COMMENT ON FUNCTION validate(migration, moved_column[]) IS
'part of script: has PostgreSQL compare every row with the conversion';
