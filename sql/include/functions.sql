-- What many tests call: keys that show a number, as the hour of 2020 or in their digits, and a trigger that does nothing
CREATE FUNCTION v6(n int) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT public.uuid_v6_from(timestamptz '2020-01-01 00:00:00+00' + n * interval '1 hour') $$;
CREATE FUNCTION v1(n int DEFAULT 0) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT public.uuid_v6_to_v1(public.uuid_v6_from(timestamptz '2020-01-01 00:00:00+00' + n * interval '1 hour')) $$;
CREATE FUNCTION v4(n int) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN format('%s-0000-4000-8000-%s', lpad(to_hex(n), 8, '0'), lpad(to_hex(n), 12, '0'))::uuid;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
