-- Times statements in rounds, each statement once in each round, so that what slows the machine for
-- a while slows them all; compares the medians.

CREATE TABLE cases (
    n           int GENERATED ALWAYS AS IDENTITY,
    what        text PRIMARY KEY,
    statement   text NOT NULL,
    preparation text             -- what is run before, untimed
);

CREATE TABLE comparisons (
    n       int GENERATED ALWAYS AS IDENTITY,
    what    text REFERENCES cases,
    peer    text REFERENCES cases,
    at_most numeric              -- the goal: how many times the peer's time
);

CREATE TABLE runs (what text REFERENCES cases, ms numeric);

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
                VALUES (c.what, extract(epoch FROM clock_timestamp() - started) * 1000);
            END IF;
        END LOOP;
    END LOOP;
END
$$;

CREATE VIEW medians AS
SELECT what, round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms))::numeric, 1) AS median_ms,
       round(min(ms), 1) AS min_ms, round(max(ms), 1) AS max_ms
FROM cases JOIN runs USING (what) GROUP BY what ORDER BY min(n);

CREATE VIEW ratios AS
SELECT c.what, c.peer, round(m.median_ms / p.median_ms, 3) AS times_its_time, c.at_most AS goal_at_most,
       CASE WHEN m.median_ms / p.median_ms <= c.at_most THEN 'met' WHEN c.at_most IS NOT NULL THEN 'MISSED' END AS goal
FROM comparisons AS c
JOIN medians AS m ON m.what = c.what
JOIN medians AS p ON p.what = c.peer
ORDER BY c.n;
