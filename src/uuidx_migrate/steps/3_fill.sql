-- Online, step by step: fill the shadow columns.

-- The triggers that the UPDATE of a backfill fires.
CREATE OR REPLACE FUNCTION fired_triggers(relation regclass, fire_triggers boolean, OUT name name, OUT always boolean)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.tgname, bool_or(t.tgenabled = 'A')
    FROM members(ARRAY[relation]) AS m, pg_trigger AS t
    WHERE t.tgrelid = m.relid AND NOT t.tgisinternal
      AND t.tgenabled IN ('A', CASE WHEN fire_triggers THEN 'O' ELSE 'R' END)
      AND t.tgtype & 16 <> 0 AND NOT is_fill(t.tgfoid)
      AND t.tgattr::text = '' -- An UPDATE of other columns does not fire it otherwise.
    GROUP BY t.tgname
    ORDER BY t.tgname;
END;

-- Part of filling_steps: fills the shadow columns of the rows that are there, in batches.
CREATE OR REPLACE FUNCTION backfill_step(choices choices, f filling) RETURNS statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN step('fill', format('ROW EXCLUSIVE on %s', (f).root),
            concat((SELECT format(E'-- It fires %s.\n',
                                  regexp_replace(string_agg(quote_ident(t.name), ', '), E'[\r\n]', ' ', 'g'))
                    FROM fired_triggers((f).root, (choices).fire_triggers) AS t HAVING count(*) > 0),
                   format('CALL uuidx_migrate_steps.backfill(%s, %s::pg_catalog.name[], batch_rows => 10000, '
                          'pause => %s, fire_triggers => %s, trust_owners => %s)',
                          typed((f).root::text, 'regclass'),
                          quote_literal(ARRAY(SELECT DISTINCT c.name FROM unnest((f).columns) AS c ORDER BY c.name)),
                          typed('0', 'interval'), (choices).fire_triggers::text, (choices).trust_owners::text)));
