-- What else uuidx_migrate had otherwise in version 0.9.0, which can begin a migration all the same.

-- A type and its function that go, and a type with an attribute of another name
CREATE TYPE former AS (relation regclass, column_name name);
CREATE FUNCTION former_columns() RETURNS SETOF former LANGUAGE sql
BEGIN ATOMIC SELECT NULL::regclass, NULL::name; END;
ALTER TYPE object RENAME ATTRIBUTE is_complete TO is_valid;
-- A function that comes
DROP FUNCTION find_references(regclass, name);
-- The view
CREATE OR REPLACE VIEW progress AS
SELECT NULL::integer AS pid, NULL::regclass AS relation, NULL::bigint AS blocks, NULL::bigint AS next_block, NULL::bigint AS rows_filled,
       NULL::numeric AS seconds, NULL::numeric AS percent, NULL::numeric AS rows_per_second, NULL::interval AS time_left,
       NULL::bigint AS tables_left, NULL::interval AS time_left_of_tables;
REVOKE SELECT ON progress FROM PUBLIC;
COMMENT ON VIEW progress IS 'former comment';
