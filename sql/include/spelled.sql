-- What sql/include/owner.sql has, and keys that are spelled in every way
\ir owner.sql
\ir functions.sql
CREATE FUNCTION of_uuid() RETURNS uuid LANGUAGE sql AS 'SELECT gen_random_uuid()';
CREATE FUNCTION of_text() RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE FUNCTION key(n int) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN format('%s-0000-4000-8000-%s', lpad(to_hex(n), 8, '0'), lpad(to_hex(n + 10), 12, 'a'))::uuid;
CREATE FUNCTION spelled(n int) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE n % 4 WHEN 0 THEN upper(key(n)::text) WHEN 1 THEN key(n)::text
                  WHEN 2 THEN replace(key(n)::text, '-', '') ELSE public.uuid_encode(key(n), 'ulid') END;
