-- Online, step by step: fill the shadow columns.

-- The triggers that the UPDATE of a backfill fires.
CREATE OR REPLACE FUNCTION fired_triggers(relation regclass, fire_triggers boolean, OUT name name, OUT always boolean) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.tgname, bool_or(t.tgenabled = 'A')
    FROM pg_trigger AS t
    WHERE (t.tgrelid = relation OR t.tgrelid IN (SELECT p.relid FROM pg_partition_tree(relation) AS p))
      AND NOT t.tgisinternal AND t.tgenabled IN ('A', CASE WHEN fire_triggers THEN 'O' ELSE 'R' END) AND t.tgtype & 16 <> 0 AND NOT is_fill(t.tgfoid)
      AND t.tgattr::text = '' -- An UPDATE of other columns does not fire it otherwise.
    GROUP BY t.tgname
    ORDER BY t.tgname;
END;

-- Part of script: fills the shadow columns of the rows that are there, in batches.
CREATE OR REPLACE FUNCTION backfill_steps(m migration, stage migrated_column[]) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'fill', format('ROW EXCLUSIVE on %s', t.root),
           concat((SELECT format(E'-- It fires %s.\n', regexp_replace(string_agg(quote_ident(f.name), ', '), E'[\r\n]', ' ', 'g'))
                   FROM fired_triggers(t.root, ((m).choices).fire_triggers) AS f HAVING count(*) > 0),
                  format('CALL uuidx_migrate_steps.backfill(%s, %s::pg_catalog.name[], batch_rows => 10000, pause => %s, fire_triggers => %s, trust_owners => %s)',
                         typed(t.root::text, 'regclass'), quote_literal(t.names), typed('0', 'interval'), ((m).choices).fire_triggers::text, ((m).choices).trust_owners::text))
    FROM (SELECT c.root, array_agg(c.name ORDER BY c.name) FROM unnest(stage) AS c WHERE c.member = c.root GROUP BY c.root) AS t (root, names)
    ORDER BY t.root::text COLLATE "C";
END;

-- Part of script: has PostgreSQL compare every row with the conversion.
CREATE OR REPLACE FUNCTION validate_steps(m migration, stage migrated_column[]) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'validate', format('SHARE UPDATE EXCLUSIVE on %s', c.root), call_validate(m, c.root, trigger_name(c.name))
    FROM unnest(stage) AS c WHERE c.member = c.root;
END;
