DROP FUNCTION former_columns();
DROP TYPE former;
ALTER TYPE object RENAME ATTRIBUTE is_valid TO is_complete;
