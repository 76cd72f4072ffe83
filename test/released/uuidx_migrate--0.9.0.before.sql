-- What a migration knows, of a conversion to version 7.
ALTER TYPE migration ADD ATTRIBUTE created text, ADD ATTRIBUTE without_time text, ADD ATTRIBUTE future text;
DROP FUNCTION check_keys(regclass, name, regclass, name);
DROP FUNCTION backfill_batch(regclass, name, name, integer, text, text), backfill_end_batch(regclass, name, bigint, bigint, timestamptz);
