DROP FUNCTION former_columns();
DROP TYPE former;
ALTER TYPE migrated_foreign_key RENAME ATTRIBUTE is_validated TO validated;
