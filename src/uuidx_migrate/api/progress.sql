-- The progress of the backfills under way.

CREATE OR REPLACE VIEW progress AS
SELECT b.pid, b.relation, b.blocks, b.next_block, b.rows_filled, round(b.microseconds * 1e-6, 3) AS seconds,
       round(least(100.0 * b.next_block / greatest(b.blocks, 1), 100), 1) AS percent,
       round(b.rows_filled * 1e6 / nullif(b.microseconds, 0)) AS rows_per_second,
       time_for(b.blocks - b.next_block, b.blocks_done, b.microseconds) AS time_left,
       b.tables_left, time_for(b.blocks_left, b.blocks_done, b.microseconds) AS time_left_of_tables
FROM backfills() AS b;
COMMENT ON VIEW progress IS
'progress, speed and remaining time of each backfill of your tables that is under way';
GRANT SELECT ON progress TO PUBLIC;
