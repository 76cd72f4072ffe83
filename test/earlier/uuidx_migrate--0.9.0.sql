-- What else uuidx_migrate had otherwise in version 0.9.0, which can begin a migration all the same.

-- A type and its function that go, and a type with an attribute of another name
CREATE TYPE former AS (relation regclass, column_name name);
CREATE FUNCTION former_columns() RETURNS SETOF former LANGUAGE sql
BEGIN ATOMIC SELECT NULL::regclass, NULL::name; END;
ALTER TYPE migrated_foreign_key RENAME ATTRIBUTE validated TO is_validated;
-- A function that comes
DROP FUNCTION find_references(regclass, name);
-- The table
ALTER TABLE progress ADD COLUMN former integer, ALTER COLUMN seconds DROP NOT NULL,
    ALTER COLUMN updated SET DEFAULT now(), DISABLE ROW LEVEL SECURITY;
DROP POLICY owner ON progress;
REVOKE DELETE ON progress FROM PUBLIC;
COMMENT ON TABLE progress IS 'former comment';
