-- Online, the next steps: build the twins.

-- Part of filling_steps and online_script: builds the twins of a phase. Only an expression names functions and
-- operators without their schema, pg_catalog. CREATE INDEX CONCURRENTLY can be in no transaction, for which this could
-- be set.
CREATE OR REPLACE FUNCTION build_steps(m migration, of_phase text) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.phase, s.locks, s.sql
    FROM (SELECT s.phase, s.locks, s.sql, c.kind NOT IN ('index', 'statistics object'), c.ordinality, s.ordinality
          FROM unnest((m).changes) WITH ORDINALITY AS c, unnest(c.build) WITH ORDINALITY AS s WHERE s.phase = of_phase
          UNION ALL
          SELECT d.phase, d.locks, d.sql, false, -1, 0
          FROM (SELECT by_name(array_agg(root(c.relation))),
                       array_agg(format('%s.%I', c.place::regnamespace, c.name) ORDER BY c.ordinality)
                FROM unnest((m).changes) WITH ORDINALITY AS c
                WHERE c.kind = 'index' AND NOT is_partitioned(c.relation)
                  AND EXISTS (SELECT FROM unnest(c.build) AS b WHERE b.phase = of_phase)
                HAVING count(*) > 0) AS i (tables, indexes),
               LATERAL drop_interrupted_step(m, of_phase, i.tables, i.indexes) AS d
          UNION ALL
          SELECT of_phase, 'none', format('SELECT uuidx_migrate_steps.%s(false)', p.function), p.is_after_indexes, 0, 0
          FROM (VALUES ('set_definition_settings', false),
                       ('reset_definition_settings', true)) AS p (function, is_after_indexes)
          WHERE of_phase = 'index'
            AND EXISTS (SELECT FROM unnest((m).objects) AS o WHERE has_expression(o))
          UNION ALL
          -- The joins that prove what no foreign key does: after them, a value is a key just where its shadow is that
          -- key's.
          SELECT l.phase, l.locks, l.sql, true, NULL, NULL
          FROM columns_without_foreign_key(m) AS c, LATERAL look_up_step(m, of_phase, c) AS l
          WHERE of_phase = 'proof')
         AS s (phase, locks, sql, is_after_indexes, twin, n)
    ORDER BY s.is_after_indexes, s.twin, s.n;
END;

-- Part of online_script: statistics of the shadow columns of a key, before the cutover. When the first key of a table
-- comes, the shadows of all are filled: after that, only the statistics of expressions are new.
CREATE OR REPLACE FUNCTION analyze_steps(m migration, analyzed regclass[]) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'index', format('SHARE UPDATE EXCLUSIVE on %s', t), format('ANALYZE %s', t)
    FROM unnest(tables(m)) AS t
    WHERE t <> ALL (analyzed)
       OR EXISTS (SELECT FROM unnest((m).objects) AS o WHERE has_statistics(o) AND root(o.relation) = t);
END;
