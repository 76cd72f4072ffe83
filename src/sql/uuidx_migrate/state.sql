-- Functions that the tables of state.once.sql use.

-- The whole expression must be such a call: it goes into a script that others run.
CREATE OR REPLACE FUNCTION generates(expression text, names text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN expression ~ format(E'^(("([^"]|"")+"|[a-z_][a-z0-9_$]*)\\.)?(%s)\\(\\)$', names);
COMMENT ON FUNCTION generates(text, text) IS
'whether an expression is the call, without arguments, of a function that has one of these names';

-- Only a table's owner may write rows about it into the tables of a migration. With row-level security instead, only a
-- superuser could dump them.
CREATE OR REPLACE FUNCTION check_owner() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    changed record;
BEGIN
    FOREACH changed IN ARRAY CASE TG_OP WHEN 'INSERT' THEN ARRAY[new] WHEN 'DELETE' THEN ARRAY[old] ELSE ARRAY[old, new] END LOOP
        IF EXISTS (SELECT FROM pg_class WHERE oid = changed.relation AND NOT pg_has_role(relowner, 'USAGE')) THEN
            RAISE EXCEPTION 'must be owner of table %', changed.relation USING ERRCODE = 'insufficient_privilege';
        END IF;
    END LOOP;
    RETURN changed;
END
$$;
COMMENT ON FUNCTION check_owner() IS
'trigger before a change of a row that has a relation: an error unless the user owns it';
