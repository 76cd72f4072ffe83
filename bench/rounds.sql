-- Times statements in rounds, all of them in each round, so that what slows the machine for a while
-- slows them all; compares the medians.

CREATE TABLE cases (
    n         int GENERATED ALWAYS AS IDENTITY,
    what      text PRIMARY KEY,
    statement text NOT NULL,
    peer      text REFERENCES cases,   -- what it is compared with
    at_most   numeric                  -- the goal: how many times the peer's time
);

CREATE TABLE runs (what text REFERENCES cases, round int, ms numeric);

-- One round that is not counted, to warm up, then as many as asked for.
CREATE PROCEDURE run_rounds(rounds int) LANGUAGE plpgsql AS $$
DECLARE
    c       cases;
    started timestamptz;
BEGIN
    FOR round IN 0..rounds LOOP
        FOR c IN SELECT * FROM cases ORDER BY n LOOP
            started := clock_timestamp();
            EXECUTE c.statement;
            IF round > 0 THEN
                INSERT INTO runs
                VALUES (c.what, round, extract(epoch FROM clock_timestamp() - started) * 1000);
            END IF;
            COMMIT;
        END LOOP;
    END LOOP;
END
$$;

CREATE VIEW results AS
WITH medians AS (
    SELECT what, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS ms FROM runs GROUP BY what
)
SELECT c.what,
       round(m.ms::numeric, 1) AS "median ms",
       c.peer AS "compared with",
       round((m.ms / p.ms)::numeric, 2) AS "times its time",
       c.at_most AS "goal: at most",
       CASE WHEN m.ms / p.ms <= c.at_most THEN 'met' WHEN c.at_most IS NOT NULL THEN 'MISSED' END AS goal
FROM cases AS c
JOIN medians AS m USING (what)
LEFT JOIN medians AS p ON p.what = c.peer
ORDER BY c.n;
