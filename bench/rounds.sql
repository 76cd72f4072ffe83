-- Times statements in rounds, each statement once in each round. What slows the machine for a while
-- slows neighbours alike: ratios are taken within a round, and their median is what counts.

CREATE TABLE cases (
    n           int GENERATED ALWAYS AS IDENTITY,
    what        text PRIMARY KEY,
    statement   text NOT NULL,
    units       int NOT NULL,    -- how many UUIDs, or rows, the statement is about
    preparation text             -- what is run before, untimed
);

CREATE TABLE comparisons (
    n       int GENERATED ALWAYS AS IDENTITY,
    what    text REFERENCES cases,
    peer    text REFERENCES cases,
    at_most numeric              -- the goal: how many times the peer's time
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
            IF c.preparation IS NOT NULL THEN
                EXECUTE c.preparation;
                COMMIT;
            END IF;
            started := clock_timestamp();
            EXECUTE c.statement;
            COMMIT;
            IF round > 0 THEN
                INSERT INTO runs
                VALUES (c.what, round, extract(epoch FROM clock_timestamp() - started) * 1000);
            END IF;
        END LOOP;
    END LOOP;
END
$$;

CREATE VIEW medians AS
SELECT what, (percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) * 1e6 / units)::numeric(12, 1) AS ns_per_unit,
       (min(ms) * 1e6 / units)::numeric(12, 1) AS least, (max(ms) * 1e6 / units)::numeric(12, 1) AS most
FROM cases JOIN runs USING (what) GROUP BY what ORDER BY min(n);

CREATE VIEW ratios AS
WITH costs AS (SELECT what, round, ms / units AS cost FROM cases JOIN runs USING (what)),
     compared AS (
         SELECT c.n, c.what, c.peer, c.at_most,
                (percentile_cont(0.5) WITHIN GROUP (ORDER BY m.cost / p.cost))::numeric(12, 3) AS times_its_time
         FROM comparisons AS c
         JOIN costs AS m ON m.what = c.what
         JOIN costs AS p ON p.what = c.peer AND p.round = m.round
         GROUP BY c.n, c.what, c.peer, c.at_most)
SELECT what, peer, times_its_time, at_most AS goal,
       CASE WHEN times_its_time <= at_most THEN 'met' WHEN at_most IS NOT NULL THEN 'MISSED' END AS verdict
FROM compared
ORDER BY n;
