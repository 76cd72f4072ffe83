-- Online, step by step: fill the shadow columns.

-- Part of filling_steps: fills the shadow columns of the rows that are there, in batches.
CREATE OR REPLACE FUNCTION backfill_step(choices choices, f filling) RETURNS statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN step('fill', format('ROW EXCLUSIVE on %s', (f).root),
            concat((SELECT format(E'-- It fires %s.\n',
                                  one_line(string_agg(quote_ident(t.name), ', ')))
                    FROM fired_triggers((f).root, (choices).fire_triggers) AS t HAVING count(*) > 0),
                   format('CALL uuidx_migrate_steps.backfill(%s, %s::pg_catalog.name[], batch_rows => 10000, '
                          'pause => %s, fire_triggers => %s, trust_owners => %s)',
                          typed((f).root::text, 'regclass'),
                          quote_literal(ARRAY(SELECT DISTINCT c.name FROM unnest((f).columns) AS c ORDER BY c.name)),
                          typed('0', 'interval'), (choices).fire_triggers::text, (choices).trust_owners::text)));
