-- What a migration knows, of a conversion to version 7.
ALTER TYPE migration ADD ATTRIBUTE created text, ADD ATTRIBUTE without_time text, ADD ATTRIBUTE future text;
DROP FUNCTION check_keys(regclass, name, regclass, name);
