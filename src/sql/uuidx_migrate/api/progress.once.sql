-- The progress of each backfill under way. It holds numbers and nothing that anybody executes: a wrong number makes a
-- backfill read the table again. UNLOGGED keeps it out of publications; a crash empties it, and the backfill then reads
-- the table from the beginning.

CREATE UNLOGGED TABLE progress (
    relation        regclass PRIMARY KEY,
    blocks          bigint NOT NULL CHECK (blocks BETWEEN 0 AND 4294967295), -- of the table, when this pass over it began
    next_block      bigint NOT NULL DEFAULT 0 CHECK (next_block BETWEEN 0 AND 4294967295),
    rows_filled     bigint NOT NULL DEFAULT 0 CHECK (rows_filled BETWEEN 0 AND 1e17),
    seconds         numeric NOT NULL DEFAULT 0 CHECK (seconds BETWEEN 0 AND 1e9), -- of work
    updated         timestamptz NOT NULL DEFAULT clock_timestamp(),
    percent         numeric GENERATED ALWAYS AS (round(least(100.0 * next_block / greatest(blocks, 1), 100), 1)) STORED,
    rows_per_second numeric GENERATED ALWAYS AS (round(rows_filled / nullif(seconds, 0))) STORED,
    time_left       interval GENERATED ALWAYS AS
        (make_interval(secs => round(seconds * greatest(blocks - next_block, 0) / nullif(next_block, 0))::float8)) STORED
);
COMMENT ON TABLE progress IS
'progress, speed and remaining time of each backfill of your tables that is under way';
ALTER TABLE progress ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON progress
USING (EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND pg_has_role(c.relowner, 'USAGE')));
GRANT SELECT, INSERT, UPDATE, DELETE ON progress TO PUBLIC;
