-- Online, step by step: fill the shadow columns.

-- Part of fired_triggers: the statements in a function's text that write tables.
CREATE OR REPLACE FUNCTION writing_statements(function regprocedure) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(DISTINCT upper(substring(m[1], '^[[:alpha:]]+')), ', ')
        FROM pg_proc AS p,
             LATERAL regexp_matches(left(p.prosrc, 100000),
                                    E'\\m(insert\\s+into|delete\\s+from|truncate\\s+\\w+|update\\s[^;]+\\sset)\\M',
                                    'gi') AS m
        WHERE p.oid = function);

-- The triggers that the UPDATE of a backfill fires, and what their functions do, as far as it can be told.
CREATE OR REPLACE FUNCTION fired_triggers(
    relation regclass, fire_triggers boolean, OUT name name, OUT always boolean, OUT does text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.tgname, bool_or(t.tgenabled = 'A'),
           string_agg(DISTINCT concat(CASE WHEN t.tgtype & 2 <> 0 THEN 'BEFORE' ELSE 'AFTER' END, ' UPDATE, ',
                                      t.tgfoid::regprocedure, ', which has ' || writing_statements(t.tgfoid)), '; ')
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
