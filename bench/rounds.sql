-- Times statements in rounds, each statement once in each round.
SET client_min_messages = warning;
CREATE EXTENSION uuidx;
CREATE EXTENSION uuidx_peers;

CREATE TABLE cases (
    n           int GENERATED ALWAYS AS IDENTITY,
    what        text PRIMARY KEY,
    statement   text NOT NULL,
    units       int NOT NULL,    -- how many UUIDs, or rows, the statement is about
    preparation text,            -- what runs before it, untimed
    topic       text             -- the table of the document that has it; sessions and first-calls are timed outside
);

CREATE TABLE comparisons (
    n       int GENERATED ALWAYS AS IDENTITY,
    what    text,
    peer    text,
    at_most numeric NOT NULL,    -- the goal: how many times the peer's time
    more_ns numeric              -- or how many nanoseconds more for each unit
);

CREATE TABLE runs (what text REFERENCES cases, round int, ns_per_unit float);

-- One round that is not counted, to warm up, then as many as asked for.
CREATE PROCEDURE run_rounds(rounds int) LANGUAGE plpgsql AS $$
DECLARE
    c       cases;
    started timestamptz;
BEGIN
    FOR round IN 0..rounds LOOP
        FOR c IN SELECT * FROM cases WHERE (topic IN ('sessions', 'first-calls')) IS NOT TRUE ORDER BY n LOOP
            IF c.preparation IS NOT NULL THEN
                EXECUTE c.preparation;
                COMMIT;
            END IF;
            started := clock_timestamp();
            EXECUTE c.statement;
            COMMIT;
            IF round > 0 THEN
                INSERT INTO runs
                VALUES (c.what, round, extract(epoch FROM clock_timestamp() - started) * 1e9 / c.units);
            END IF;
        END LOOP;
    END LOOP;
END
$$;

CREATE VIEW medians AS
SELECT c.*, percentile_cont(0.5) WITHIN GROUP (ORDER BY ns_per_unit)::numeric AS ns_per_unit
FROM cases AS c JOIN runs USING (what) GROUP BY c.what ORDER BY c.n;

CREATE FUNCTION ratio(what text, peer text) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY mine.ns_per_unit / peers.ns_per_unit)::numeric(12, 3)
    FROM runs AS mine JOIN runs AS peers USING (round)
    WHERE mine.what = ratio.what AND peers.what = ratio.peer
$$;

-- In nanoseconds for each unit
CREATE FUNCTION difference(what text, peer text) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY mine.ns_per_unit - peers.ns_per_unit)::numeric
    FROM runs AS mine JOIN runs AS peers USING (round)
    WHERE mine.what = difference.what AND peers.what = difference.peer
$$;

-- With three digits
CREATE FUNCTION short(x numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT round(x, CASE WHEN abs(x) < 10 THEN 2 WHEN abs(x) < 100 THEN 1 ELSE 0 END)
$$;

-- A peer that the server lacks is compared with nothing.
CREATE VIEW goals AS
SELECT what, peer, r AS times_its_time, short(more) AS nanoseconds_more, at_most AS goal,
       CASE WHEN r <= at_most OR more <= more_ns THEN 'met' ELSE 'MISSED' END AS verdict
FROM comparisons, ratio(what, peer) AS r, difference(what, peer) AS more
WHERE r IS NOT NULL
ORDER BY n;
