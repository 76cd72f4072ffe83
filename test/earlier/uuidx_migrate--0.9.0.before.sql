DROP FUNCTION former_columns();
DROP TYPE former;
ALTER TYPE migrated_foreign_key RENAME ATTRIBUTE is_validated TO validated;
ALTER TABLE progress DROP COLUMN former, ALTER COLUMN seconds SET NOT NULL,
    ALTER COLUMN updated SET DEFAULT clock_timestamp(), ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON progress
USING (EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND pg_has_role(c.relowner, 'USAGE')));
GRANT DELETE ON progress TO PUBLIC;
COMMENT ON TABLE progress IS
'progress, speed and remaining time of each backfill of your tables that is under way';
