-- The SQL edition of uuidx, for PostgreSQL 14 and newer where no library can be installed. It reads, generates,
-- converts and masks UUIDs (RFC 9562), and queries rows by creation time, with the names and the meaning of the
-- extension uuidx.
--
-- Load it with psql or a migration tool, as any role that may create a schema in the database. It creates the schema
-- "uuidx", and nothing outside of it. Load it again to update it, on a server of a newer version, and after CREATE
-- EXTENSION pgcrypto, whose AES the masks need. For another schema, replace the name:
--
--     perl -pe 's/\buuidx\b/ids/g' uuidx.sql | psql --single-transaction
--
-- A number such as 5.7 is a section of RFC 9562. The functions whose names begin with "edition_" are for the others.
--
-- The arguments are those of the library, and most of these have no names: $1 is the first. No function depends on
-- search_path: what bodies in SQL call is found when they are created, under the search_path that this file sets; those
-- in PL/pgSQL set it themselves, or qualify all names. Each argument has the type that the function has, so that no
-- overload can take the call. PostgreSQL inlines the bodies in SQL that are a single expression, which is fastest for
-- many rows. In a DEFAULT or a CHECK it would inline them for each statement anew: those are in PL/pgSQL.
--
-- The file is one statement: an error undoes all of it, and in a transaction of the caller or in CREATE EXTENSION,
-- search_path is afterwards what it was.

DO $edition$
DECLARE
    former_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
    theirs      pg_catalog.record;
    aes         pg_catalog.record;
BEGIN
PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
IF to_regnamespace('uuidx') IS NULL THEN
    CREATE SCHEMA uuidx;
-- Not by the name of the extension, in whose place this file may have that of another schema
ELSIF EXISTS (SELECT FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
              WHERE p.oid = to_regprocedure('uuidx.uuid_generate_v7()') AND l.lanname = 'c') THEN
    RAISE duplicate_function USING MESSAGE = 'schema "uuidx" has the functions of a library already',
        HINT = 'To have the SQL edition too, give it another schema: replace the name "uuidx" in its file.';
END IF;

-- ---------------------------------------------------------------------------------------------------------------------
-- The 128 bits (4), as two numbers of 64 bits. PostgreSQL's >> keeps the sign, so what it returns is masked.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION uuidx.edition_high(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ('x' || encode(uuid_send($1), 'hex'))::bit(64)::bigint;

CREATE OR REPLACE FUNCTION uuidx.edition_low(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ('x' || encode(substr(uuid_send($1), 9), 'hex'))::bit(64)::bigint;

CREATE OR REPLACE FUNCTION uuidx.edition_uuid(high bigint, low bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN encode(int8send($1) || int8send($2), 'hex')::uuid;

-- The fields ver (bits 48 to 51) and var (bits 64 and 65) in one number, which for version 7 is 72: RFC 9562's variant
-- is 2, in binary 10. (4.1, 4.2)
CREATE OR REPLACE FUNCTION uuidx.edition_kind(uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (get_byte(uuid_send($1), 6) >> 4) * 10 + (get_byte(uuid_send($1), 8) >> 6);

-- 5.6, 5.7, B.1. Versions 6 and 7, and the example of version 8, are laid out alike: 48 bits of the timestamp, ver, 12
-- bits of the timestamp, var, 62 other bits. This makes one of the 60 bits and of the last 62 of another number.
CREATE OR REPLACE FUNCTION uuidx.edition_make(version integer, ticks bigint, low bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN uuidx.edition_uuid((($2 >> 12) << 16) | ($1 << 12) | ($2 & 4095),
                          ($3 & 4611686018427387903) | (1::bigint << 63));

-- These 60 bits of a UUID
CREATE OR REPLACE FUNCTION uuidx.edition_ticks(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((uuidx.edition_high($1) >> 4) & 1152921504606842880) | (uuidx.edition_high($1) & 4095);

-- 5.1. Version 1 has them in another order: time_low (32 bits), time_mid (16), ver, time_high (12).
CREATE OR REPLACE FUNCTION uuidx.edition_v1_ticks(uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((uuidx.edition_high($1) & 4095) << 48) | (((uuidx.edition_high($1) >> 16) & 65535) << 32)
    | ((uuidx.edition_high($1) >> 32) & 4294967295);

-- The first 16 of some bytes as a UUID of a version. (5.8, 6.5)
CREATE OR REPLACE FUNCTION uuidx.edition_of_bytes(bytes bytea, version integer) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN encode(set_byte(set_byte(substr($1, 1, 16), 6, (get_byte($1, 6) & 15) | ($2 << 4)),
                       8, (get_byte($1, 8) & 63) | 128), 'hex')::uuid;

-- ---------------------------------------------------------------------------------------------------------------------
-- Timestamps (6.1). Microseconds since 1970-01-01 00:00:00 UTC, in integers: 12219292800 seconds before that, in 1582,
-- the Gregorian timestamps of versions 1 and 6 begin; 946684800 seconds after it, in 2000, those of PostgreSQL.
-- ---------------------------------------------------------------------------------------------------------------------

-- Infinity becomes a moment before or after those of all UUIDs.
CREATE OR REPLACE FUNCTION uuidx.edition_us(timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(greatest(('x' || encode(timestamptz_send($1), 'hex'))::bit(64)::bigint, -600000000000000000),
             600000000000000000) + 946684800000000;

-- An interval is multiplied by a float8. That is exact: an hour has 2^10 * 3515625 microseconds, so the product has at
-- most 53 significant bits up to the year 290000.
CREATE OR REPLACE FUNCTION uuidx.edition_time(us bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (timestamp '1970-01-01' + $1 / 3600000000 * interval '1 hour' + $1 % 3600000000 * interval '1 microsecond')
    AT TIME ZONE 'UTC';

-- 5.7, with 6.2 method 3. The milliseconds in unix_ts_ms, and the fraction of a millisecond, in units of 1/4096, in
-- rand_a, both rounded down; var and rand_b are those of another UUID. 28672 is ver.
CREATE OR REPLACE FUNCTION uuidx.edition_v7(us bigint, other uuid) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN encode(int8send((($1 / 1000) << 16) | 28672 | ($1 % 1000 * 4096 / 1000))
              || substr(uuid_send($2), 9), 'hex')::uuid;

-- Version 6's 60 bits: 100 ns since 1582
CREATE OR REPLACE FUNCTION uuidx.edition_v6_ticks(us bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ($1 + 12219292800000000) * 10;

-- ---------------------------------------------------------------------------------------------------------------------
-- Errors, with the SQLSTATEs and messages of the library. They write a time as it does, whatever DateStyle is.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION uuidx.edition_out_of_range(moment timestamptz, version integer) RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
BEGIN
    RAISE datetime_field_overflow USING
        MESSAGE = format('timestamp out of range for version %s UUIDs: "%s"', version, moment),
        DETAIL = CASE version
            WHEN 6 THEN 'Version 6 UUIDs hold times from 1582-10-15 to 5236-03-31 (UTC).'
            WHEN 7 THEN 'Version 7 UUIDs hold times from 1970-01-01 to 10889-08-02 (UTC).'
            ELSE 'The 60-bit count of 10 ns in version 8 UUIDs holds times from 1970-01-01 to 2335-05-07 (UTC).' END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.edition_wrong_version(id uuid, wanted integer, target integer) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF uuidx.uuid_version(id) IS NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('cannot convert UUID "%s", which has no version, to version %s', id, target),
            DETAIL = format('Its kind is: %s. Only UUIDs of version %s can be converted to version %s.',
                            (uuidx.uuid_inspect(id)).description, wanted, target);
    END IF;
    RAISE invalid_parameter_value USING
        MESSAGE = format('cannot convert UUID "%s" of version %s to version %s', id, uuidx.uuid_version(id), target),
        DETAIL = format('Only UUIDs of version %s can be converted to version %s.', wanted, target);
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Read
-- ---------------------------------------------------------------------------------------------------------------------

-- 4.2. NULL unless the variant is RFC 9562's.
CREATE OR REPLACE FUNCTION uuidx.uuid_version(uuid) RETURNS smallint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_kind($1) % 10 = 2 THEN uuidx.edition_kind($1) / 10 END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_is_v6(uuid) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN uuidx.edition_kind($1) = 62;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_is_v7(uuid) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN uuidx.edition_kind($1) = 72;
END
$$;

-- 4.1. The first bits of octet 8: 0, 10, 110 or 111.
CREATE OR REPLACE FUNCTION uuidx.uuid_variant(uuid) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE get_byte(uuid_send($1), 8) >> 5
        WHEN 4 THEN 'rfc9562' WHEN 5 THEN 'rfc9562' WHEN 6 THEN 'microsoft' WHEN 7 THEN 'future' ELSE 'ncs' END;
END
$$;

-- 5.1, 5.6, 5.7. The time in versions 1 and 6 is rounded down to microseconds; that in version 7 has milliseconds.
CREATE OR REPLACE FUNCTION uuidx.uuid_time(uuid) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE uuidx.edition_kind($1)
        WHEN 12 THEN uuidx.edition_time(uuidx.edition_v1_ticks($1) / 10 - 12219292800000000)
        WHEN 62 THEN uuidx.edition_time(uuidx.edition_ticks($1) / 10 - 12219292800000000)
        WHEN 72 THEN uuidx.edition_time((uuidx.edition_ticks($1) >> 12) * 1000) END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_extract_timestamp(uuid) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN uuidx.uuid_time($1);
END
$$;

-- 6.2 method 3. The last microsecond before the end of the 1/4096 ms, so that one that was written is read unchanged.
CREATE OR REPLACE FUNCTION uuidx.uuid_v7_time_us(uuid) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_kind($1) = 72 THEN uuidx.edition_time(
        (uuidx.edition_ticks($1) >> 12) * 1000 + (((uuidx.edition_ticks($1) & 4095) + 1) * 1000 - 1) / 4096) END;
END
$$;

-- 6.4. The number of a server in bits 70 to 85, where the library put one.
CREATE OR REPLACE FUNCTION uuidx.uuid_v7_node_id(uuid) RETURNS integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_kind($1) = 72 THEN (uuidx.edition_low($1) >> 42) & 65535 END;
END
$$;

-- B.1. 10 ns since 1970.
CREATE OR REPLACE FUNCTION uuidx.uuid_v8_time(uuid) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_kind($1) = 82 THEN uuidx.edition_time(uuidx.edition_ticks($1) / 100) END;
END
$$;

-- Version 7 in draft-peabody-dispatch-new-uuid-format-01, 4.4: 36 bits of seconds, then a binary fraction of a second,
-- of which 24 bits are read.
CREATE OR REPLACE FUNCTION uuidx.uuid_draft01_time(uuid) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_kind($1) = 72 THEN uuidx.edition_time(
        (uuidx.edition_ticks($1) >> 24) * 1000000
        + ((((uuidx.edition_ticks($1) & 16777215) + 1) * 1000000 - 1) >> 24)) END;
END
$$;

-- 5.1, 5.6. clock_seq is bits 66 to 79, node the rest.
CREATE OR REPLACE FUNCTION uuidx.uuid_extract_clock_seq(uuid) RETURNS smallint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_kind($1) IN (12, 62) THEN (uuidx.edition_low($1) >> 48) & 16383 END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_extract_node(uuid) RETURNS macaddr
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_kind($1) IN (12, 62) THEN encode(substr(uuid_send($1), 11), 'hex')::macaddr END;
END
$$;

-- All of it. A node is random if its multicast bit is set, which no network card's is (6.10).
CREATE OR REPLACE FUNCTION uuidx.uuid_inspect(uuid, OUT version smallint, OUT variant text, OUT created timestamptz,
    OUT clock_seq smallint, OUT node macaddr, OUT node_is_random boolean, OUT description text)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    version := uuidx.uuid_version($1);
    variant := uuidx.uuid_variant($1);
    created := uuidx.uuid_time($1);
    clock_seq := uuidx.uuid_extract_clock_seq($1);
    node := uuidx.uuid_extract_node($1);
    node_is_random := CASE WHEN version IN (1, 6) THEN get_byte(uuid_send($1), 10) & 1 = 1 END;
    description := CASE
        WHEN $1 = '00000000-0000-0000-0000-000000000000' THEN 'Nil UUID'
        WHEN $1 = 'ffffffff-ffff-ffff-ffff-ffffffffffff' THEN 'Max UUID'
        WHEN variant = 'ncs' THEN 'reserved, NCS backward compatibility'
        WHEN variant = 'microsoft' THEN 'reserved, Microsoft backward compatibility'
        WHEN variant = 'future' THEN 'reserved for future definition'
        ELSE coalesce((ARRAY['unused version', 'Gregorian time-based', 'DCE Security', 'name-based, MD5', 'random',
                             'name-based, SHA-1', 'reordered Gregorian time-based', 'Unix Epoch time-based',
                             'custom'])[version + 1], 'version reserved for future definition') END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_smaller(uuid, uuid) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN $1 < $2 THEN $1 ELSE $2 END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_larger(uuid, uuid) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN $1 > $2 THEN $1 ELSE $2 END;
END
$$;

-- PostgreSQL 20 has these two itself.
CREATE OR REPLACE AGGREGATE uuidx.min(uuid) (
    SFUNC = uuidx.uuid_smaller, STYPE = uuid, COMBINEFUNC = uuidx.uuid_smaller, SORTOP = <, PARALLEL = SAFE
);
CREATE OR REPLACE AGGREGATE uuidx.max(uuid) (
    SFUNC = uuidx.uuid_larger, STYPE = uuid, COMBINEFUNC = uuidx.uuid_larger, SORTOP = >, PARALLEL = SAFE
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Generate. Random bits come from gen_random_uuid(), of which the last 62 are random.
--
-- PARALLEL UNSAFE: PostgreSQL begins a new command for each expression in a VOLATILE function in SQL or PL/pgSQL, and a
-- parallel query cannot do so in a statement that creates a table. RESTRICTED functions would run in such a query, too.
-- ---------------------------------------------------------------------------------------------------------------------

-- 5.10
CREATE OR REPLACE FUNCTION uuidx.uuid_max() RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff';

-- 5.7, with 6.2 method 3: the clock in rand_a too, so that keys of different microseconds are in order. A call takes
-- more than one. PostgreSQL 18 has a generator of its own, whose keys are in order whatever the clock does. The body is
-- in PL/pgSQL because PostgreSQL would inline one in SQL into each INSERT, whose planning then takes longer than this.
IF to_regprocedure('pg_catalog.uuidv7()') IS NULL THEN
    CREATE OR REPLACE FUNCTION uuidx.uuid_generate_v7() RETURNS uuid
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
    DECLARE
        us bigint := uuidx.edition_us(pg_catalog.clock_timestamp());
    BEGIN
        RETURN uuidx.edition_v7(us, pg_catalog.gen_random_uuid());
    END
    $$;
ELSE
    IF (SELECT prosrc FROM pg_proc WHERE oid = to_regprocedure('uuidx.uuid_generate_v7()')) NOT LIKE '%uuidv7%' THEN
        RAISE NOTICE 'uuid_generate_v7() now calls uuidv7(), which the server did not have when this was loaded before';
    END IF;
    CREATE OR REPLACE FUNCTION uuidx.uuid_generate_v7() RETURNS uuid
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS 'BEGIN RETURN pg_catalog.uuidv7(); END';
END IF;

-- 6.1, "Altering, Fuzzing, or Smearing"
CREATE OR REPLACE FUNCTION uuidx.uuid_generate_v7(shift interval) RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    id     uuid := uuidx.uuid_generate_v7();
    target timestamptz := uuidx.uuid_time(id) + shift;
    us     bigint := uuidx.edition_us(target) - uuidx.edition_us(uuidx.uuid_time(id));
    ms     bigint := us / 1000 - CASE WHEN us % 1000 < 0 THEN 1 ELSE 0 END;
    ticks  bigint := uuidx.edition_ticks(id) + ms * 4096 + (us - ms * 1000) * 4096 / 1000;
BEGIN
    IF ticks NOT BETWEEN 0 AND 1152921504606846975 THEN
        RETURN uuidx.edition_out_of_range(target, 7);
    END IF;
    RETURN uuidx.edition_make(7, ticks, uuidx.edition_low(id));
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_generate_v7_at(timestamptz) RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_us($1) BETWEEN 0 AND 281474976710655999
        THEN uuidx.edition_v7(uuidx.edition_us($1), gen_random_uuid())
        ELSE uuidx.edition_out_of_range($1, 7) END;
END
$$;

-- rand_b is that of a version 4 UUID, which is random, or else the 62 bits of a SHA-256 that B.2 puts into custom_c.
CREATE OR REPLACE FUNCTION uuidx.uuid_v7_of(created timestamptz, id uuid) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_us($1) BETWEEN 0 AND 281474976710655999
        THEN uuidx.edition_v7(uuidx.edition_us($1), CASE WHEN uuidx.edition_kind($2) = 42 THEN $2
            ELSE uuidx.edition_of_bytes(sha256(uuid_send($2)), 8) END)
        ELSE uuidx.edition_out_of_range($1, 7) END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_v7_of_name(created timestamptz, name text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_us($1) BETWEEN 0 AND 281474976710655999
        THEN uuidx.edition_v7(uuidx.edition_us($1),
            uuidx.edition_of_bytes(sha256(convert_to($2, getdatabaseencoding())), 8))
        ELSE uuidx.edition_out_of_range($1, 7) END;
END
$$;

-- A negative count arrives here as the only number.
CREATE OR REPLACE FUNCTION uuidx.edition_generate_nth(n integer) RETURNS uuid
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF n < 0 THEN
        RAISE invalid_parameter_value USING MESSAGE = format('count of UUIDs must not be negative: "%s"', n);
    END IF;
    RETURN uuidx.uuid_generate_v7();
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_generate_v7_batch(count integer) RETURNS SETOF uuid
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
RETURN uuidx.edition_generate_nth(generate_series(CASE WHEN $1 < 0 THEN $1 ELSE 1 END, $1));

-- 5.6, with a random clock_seq and node, whose multicast bit is set (6.10)
CREATE OR REPLACE FUNCTION uuidx.uuid_generate_v6_at(timestamptz) RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_us($1) BETWEEN -12219292800000000 AND 103072857660684697
        THEN uuidx.edition_make(6, uuidx.edition_v6_ticks(uuidx.edition_us($1)),
                                uuidx.edition_low(gen_random_uuid()) | (3::bigint << 40))
        ELSE uuidx.edition_out_of_range($1, 6) END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_generate_v6() RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
BEGIN
    RETURN uuidx.uuid_generate_v6_at(pg_catalog.clock_timestamp());
END
$$;

-- B.2
CREATE OR REPLACE FUNCTION uuidx.uuid_generate_v8(namespace uuid, name text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN uuidx.edition_of_bytes(sha256(uuid_send($1) || convert_to($2, getdatabaseencoding())), 8);
END
$$;

-- 5.8
CREATE OR REPLACE FUNCTION uuidx.uuid_generate_v8(custom bytea) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF length(custom) <> 16 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('cannot make a version 8 UUID of %s byte%s', length(custom),
                             CASE WHEN length(custom) <> 1 THEN 's' END),
            DETAIL = 'A version 8 UUID is made of exactly 16 bytes.';
    END IF;
    RETURN uuidx.edition_of_bytes(custom, 8);
END
$$;

-- B.1
CREATE OR REPLACE FUNCTION uuidx.uuid_generate_v8_at(timestamptz) RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_us($1) BETWEEN 0 AND 11529215046068469
        THEN uuidx.edition_make(8, uuidx.edition_us($1) * 100, uuidx.edition_low(gen_random_uuid()))
        ELSE uuidx.edition_out_of_range($1, 8) END;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Convert
-- ---------------------------------------------------------------------------------------------------------------------

-- 5.6. The bits from var on are the same in both.
CREATE OR REPLACE FUNCTION uuidx.uuid_v1_to_v6(uuid) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_kind($1) = 12
        THEN uuidx.edition_make(6, uuidx.edition_v1_ticks($1), uuidx.edition_low($1))
        ELSE uuidx.edition_wrong_version($1, 1, 6) END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_v6_to_v1(uuid) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_kind($1) = 62
        THEN uuidx.edition_uuid((uuidx.edition_ticks($1) << 32) | (((uuidx.edition_ticks($1) >> 32) & 65535) << 16)
                                | 4096 | (uuidx.edition_ticks($1) >> 48), uuidx.edition_low($1))
        ELSE uuidx.edition_wrong_version($1, 6, 1) END;
END
$$;

-- The other texts are digits of a number: of the UUID, or, where spare bits follow it in the last digit, of the UUID
-- times 4 or 16. 18446744073709551616 is 2^64.
CREATE OR REPLACE FUNCTION uuidx.edition_number(uuid) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN mod(uuidx.edition_high($1) + 18446744073709551616, 18446744073709551616) * 18446744073709551616
    + mod(uuidx.edition_low($1) + 18446744073709551616, 18446744073709551616);

-- NULL for a number that has more than 128 bits or a fraction
CREATE OR REPLACE FUNCTION uuidx.edition_of_number(n numeric) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    high numeric := div(n, 18446744073709551616);
    low  numeric := mod(n, 18446744073709551616);
BEGIN
    IF high >= 18446744073709551616 OR n <> trunc(n) THEN
        RETURN NULL;
    END IF;
    RETURN uuidx.edition_uuid(
        (high - CASE WHEN high >= 9223372036854775808 THEN 18446744073709551616 ELSE 0 END)::bigint,
        (low - CASE WHEN low >= 9223372036854775808 THEN 18446744073709551616 ELSE 0 END)::bigint);
END
$$;

-- A number in these digits, with zeros before it up to this size
CREATE OR REPLACE FUNCTION uuidx.edition_to_digits(n numeric, digits text, size integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    result text := '';
BEGIN
    WHILE n > 0 LOOP
        result := substr(digits, 1 + mod(n, length(digits))::integer, 1) || result;
        n := div(n, length(digits));
    END LOOP;
    RETURN lpad(result, greatest(size, length(result)), left(digits, 1));
END
$$;

-- The inverse; NULL for a text that has other characters
CREATE OR REPLACE FUNCTION uuidx.edition_of_digits(value text, digits text) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    n numeric := 0;
    c text;
BEGIN
    FOREACH c IN ARRAY string_to_array(value, NULL) LOOP
        n := n * length(digits) + nullif(strpos(digits COLLATE "C", c), 0) - 1;
    END LOOP;
    RETURN n;
END
$$;

-- URN: 4. ULID: its specification. base32hex, base64url: RFC 4648 7 and 5, without padding. base58:
-- draft-msporny-base58-03, a 1 for each zero octet at the start.
CREATE OR REPLACE FUNCTION uuidx.uuid_encode(id uuid, format text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    n numeric := uuidx.edition_number(id);
BEGIN
    CASE format
        WHEN 'urn' COLLATE "C" THEN RETURN 'urn:uuid:' || id;
        WHEN 'ulid' COLLATE "C" THEN RETURN uuidx.edition_to_digits(n, '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 26);
        WHEN 'base32hex' COLLATE "C" THEN RETURN uuidx.edition_to_digits(n * 4, '0123456789ABCDEFGHIJKLMNOPQRSTUV', 26);
        WHEN 'base58' COLLATE "C" THEN
            RETURN repeat('1', length(substring(encode(uuid_send(id), 'hex') FROM '^(?:00)*')) / 2)
                || uuidx.edition_to_digits(n, '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 0);
        WHEN 'base64url' COLLATE "C" THEN RETURN translate(rtrim(encode(uuid_send(id), 'base64'), '='), '+/', '-_');
        ELSE
            RAISE invalid_parameter_value USING MESSAGE = format('unrecognized format: "%s"', format),
                HINT = 'Formats are "urn", "ulid", "base32hex", "base58" and "base64url".';
    END CASE;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_decode(value text, format text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    form   text;     -- what the format's texts are, for the error
    n      numeric;
    result uuid;
BEGIN
    CASE format
        WHEN 'urn' COLLATE "C" THEN
            form := 'A URN of a UUID is "urn:uuid:" and 32 hexadecimal digits with four dashes.';
            result := substring(value COLLATE "C" FROM '(?i)^urn:uuid:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$');
        WHEN 'ulid' COLLATE "C" THEN
            form := 'A ULID has 26 digits of Crockford''s base 32, and the first is at most 7.';
            IF length(value) = 26 THEN
                n := uuidx.edition_of_digits(translate(upper(value COLLATE "C"), 'ILO', '110'),
                                             '0123456789ABCDEFGHJKMNPQRSTVWXYZ');
            END IF;
        WHEN 'base32hex' COLLATE "C" THEN
            form := 'A UUID in base32hex has 26 digits, and the last is a multiple of 4.';
            IF length(value) = 26 THEN
                n := uuidx.edition_of_digits(upper(value COLLATE "C"), '0123456789ABCDEFGHIJKLMNOPQRSTUV') * 0.25;
            END IF;
        WHEN 'base58' COLLATE "C" THEN
            form := 'A UUID in base58 has 16 to 22 digits of Bitcoin''s alphabet, for 16 bytes.';
            IF length(value) <= 22 THEN
                n := uuidx.edition_of_digits(value, '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');
                IF uuidx.uuid_encode(uuidx.edition_of_number(n), format) COLLATE "C" <> value THEN
                    n := NULL;
                END IF;
            END IF;
        WHEN 'base64url' COLLATE "C" THEN
            form := 'A UUID in base64url has 22 digits, and the last is A, Q, g or w.';
            IF length(value) = 22 THEN
                n := uuidx.edition_of_digits(
                    value, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') * 0.0625;
            END IF;
        ELSE
            RAISE invalid_parameter_value USING MESSAGE = format('unrecognized format: "%s"', format),
                HINT = 'Formats are "urn", "ulid", "base32hex", "base58" and "base64url".';
    END CASE;
    result := coalesce(result, uuidx.edition_of_number(n));
    IF result IS NULL THEN
        RAISE invalid_text_representation USING MESSAGE = format('invalid UUID in format "%s": "%s"', format, value),
            DETAIL = form;
    END IF;
    RETURN result;
END
$$;

-- TypeID 0.3
CREATE OR REPLACE FUNCTION uuidx.uuid_to_typeid(id uuid, prefix text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF prefix COLLATE "C" !~ '^([a-z]([a-z_]{0,61}[a-z])?)?$' THEN
        RAISE invalid_parameter_value USING MESSAGE = format('invalid prefix of a TypeID: "%s"', prefix),
            DETAIL = 'A prefix has at most 63 letters from a to z and underscores, and begins and ends with a letter.';
    END IF;
    RETURN CASE WHEN prefix <> '' THEN prefix || '_' ELSE '' END
        || uuidx.edition_to_digits(uuidx.edition_number(id), '0123456789abcdefghjkmnpqrstvwxyz', 26);
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_from_typeid(value text, prefix text DEFAULT NULL) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    parts  text[] := regexp_match(value COLLATE "C", '^(?:([a-z](?:[a-z_]{0,61}[a-z])?)_)?([0-9a-z]{26})$');
    result uuid := uuidx.edition_of_number(uuidx.edition_of_digits(parts[2], '0123456789abcdefghjkmnpqrstvwxyz'));
BEGIN
    IF value IS NULL THEN
        RETURN NULL;
    ELSIF parts IS NULL OR result IS NULL THEN
        RAISE invalid_text_representation USING MESSAGE = format('invalid TypeID: "%s"', value),
            DETAIL = 'A TypeID has an optional prefix with an underscore, and 26 digits of lower-case base 32, '
                || 'the first at most 7.';
    ELSIF coalesce(parts[1], '') <> prefix COLLATE "C" THEN
        RAISE invalid_text_representation USING
            MESSAGE = format('TypeID "%s" has prefix "%s", not "%s"', value, parts[1], prefix);
    END IF;
    RETURN result;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Mask, by FF1 of NIST SP 800-38G, whose names these are: its numerals are the 122 bits that are neither ver nor var.
-- ---------------------------------------------------------------------------------------------------------------------

-- AES in CBC mode, without padding. The extension pgcrypto has it, in whatever schema. The body is bound to the function
-- in C, which only a superuser can have created: what another role gives the same name is never called.
SELECT p.oid, p.pronamespace::regnamespace AS schema INTO aes
FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
WHERE l.lanname = 'c' AND p.proname = 'encrypt_iv' AND p.prosrc = 'pg_encrypt_iv'
  AND has_schema_privilege(p.pronamespace, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE');
IF aes.oid IS NULL THEN
    CREATE OR REPLACE FUNCTION uuidx.edition_pgcrypto(data bytea, key bytea, iv bytea) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        RAISE feature_not_supported USING MESSAGE = 'masks need the extension "pgcrypto"',
            DETAIL = 'The database did not have it when the SQL edition was loaded.',
            HINT = 'Run CREATE EXTENSION pgcrypto, and load uuidx.sql again.';
    END
    $$;
ELSE
    EXECUTE format('CREATE OR REPLACE FUNCTION uuidx.edition_pgcrypto(data bytea, key bytea, iv bytea) RETURNS bytea '
                   'LANGUAGE sql IMMUTABLE PARALLEL SAFE '
                   'RETURN %s.encrypt_iv($1, $2, $3, ''aes-cbc/pad:none''::text)', aes.schema);
    IF NOT EXISTS (SELECT FROM pg_depend
                   WHERE classid = 'pg_proc'::regclass AND refclassid = 'pg_proc'::regclass AND refobjid = aes.oid
                     AND objid = 'uuidx.edition_pgcrypto(bytea, bytea, bytea)'::regprocedure) THEN
        RAISE insufficient_privilege USING MESSAGE = format('schema %s of pgcrypto has been replaced', aes.schema);
    END IF;
END IF;

-- Algorithms 7 and 8, for which sign is 1 and -1. PRF is CBC-MAC: of P and Q, all but the last nine octets are the same
-- in each round. 122 bits are two halves of 61, and 2305843009213693951 is 2^61 - 1.
CREATE OR REPLACE FUNCTION uuidx.edition_ff1(id uuid, key bytea, tweak text, version integer, sign integer)
RETURNS uuid LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    octets bytea := convert_to(tweak, getdatabaseencoding());
    p_q    bytea := decode('0102010000020a3d0000007a', 'hex') || int4send(length(octets)) || octets
                    || decode(repeat('00', 15 - (length(octets) + 8) % 16), 'hex');
    blocks integer := length(p_q) - 7;
    mac    bytea;
    halves bigint[] := ARRAY[(uuidx.edition_ticks(id) << 1) | ((uuidx.edition_low(id) >> 61) & 1),
                             uuidx.edition_low(id) & 2305843009213693951];
    i      integer;
    y      bigint;
BEGIN
    IF length(key) NOT IN (16, 32) THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('cannot mask UUIDs with a key of %s byte%s', length(key),
                             CASE WHEN length(key) <> 1 THEN 's' END),
            DETAIL = 'A key has 16 bytes, for AES-128, or 32, for AES-256.';
    ELSIF version NOT BETWEEN 0 AND 15 THEN
        RAISE invalid_parameter_value USING MESSAGE = format('UUID version "%s" is out of range', version),
            DETAIL = 'A version is a number from 0 to 15.';
    END IF;
    mac := substr(uuidx.edition_pgcrypto(substr(p_q, 1, blocks), key, decode(repeat('00', 16), 'hex')), blocks - 15);
    FOR round IN 0 .. 9 LOOP
        i := CASE sign WHEN 1 THEN round ELSE 9 - round END;
        y := ('x' || encode(substr(uuidx.edition_pgcrypto(
            substr(p_q, blocks + 1) || substr(int4send(i), 4) || int8send(halves[2 - i % 2]), key, mac), 5, 8),
            'hex'))::bit(64)::bigint & 2305843009213693951;
        halves[1 + i % 2] := (halves[1 + i % 2] + sign * y) & 2305843009213693951;
    END LOOP;
    RETURN uuidx.edition_make(version, halves[1] >> 1, ((halves[1] & 1) << 61) | halves[2]);
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_mask(id uuid, key bytea, tweak text DEFAULT '') RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN uuidx.edition_ff1(id, key, tweak, 4, 1);
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_unmask(id uuid, key bytea, tweak text DEFAULT '', version integer DEFAULT 7)
RETURNS uuid LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN uuidx.edition_ff1(id, key, tweak, version, -1);
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Query by creation time (6.11): UUIDs of version 6 or 7 sort by time, so those of a period lie between two bounds.
-- ---------------------------------------------------------------------------------------------------------------------

-- The first millisecond, as version 7's 60 bits, and the first 100 ns that are at a moment or later; those after the
-- last (2^60) if there are none.
CREATE OR REPLACE FUNCTION uuidx.edition_v7_first(us bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least((greatest($1, 0) + 999) / 1000, 281474976710656) * 4096;

CREATE OR REPLACE FUNCTION uuidx.edition_v6_first(us bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(greatest(uuidx.edition_v6_ticks($1), 0), 1152921504606846976);

-- The first UUID whose timestamp has these 60 bits, and the last before them
CREATE OR REPLACE FUNCTION uuidx.edition_smallest(version integer, ticks bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN $2 < 1152921504606846976 THEN uuidx.edition_make($1, $2, 0::bigint) ELSE uuidx.uuid_max() END;

CREATE OR REPLACE FUNCTION uuidx.edition_largest_before(version integer, ticks bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN uuidx.edition_make($1, $2 - 1, -1::bigint);

CREATE OR REPLACE FUNCTION uuidx.uuid_v7_from(timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN uuidx.edition_smallest(7, uuidx.edition_v7_first(uuidx.edition_us($1)));
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_v7_after(timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN uuidx.edition_smallest(7, uuidx.edition_v7_first(uuidx.edition_us($1) + 1));
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_v6_from(timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN uuidx.edition_smallest(6, uuidx.edition_v6_first(uuidx.edition_us($1)));
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_v6_after(timestamptz) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN uuidx.edition_smallest(6, uuidx.edition_v6_first(uuidx.edition_us($1) + 1));
END
$$;

-- The first microsecond of a range, and the first after it. In the empty range, the latter is the earlier one.
CREATE OR REPLACE FUNCTION uuidx.edition_begin(tstzrange) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN isempty($1) THEN 600000000000000000
    ELSE uuidx.edition_us(coalesce(lower($1), '-infinity')) + CASE WHEN lower_inc($1) THEN 0 ELSE 1 END END;

CREATE OR REPLACE FUNCTION uuidx.edition_end(tstzrange) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN isempty($1) THEN 0
    ELSE uuidx.edition_us(coalesce(upper($1), 'infinity')) + CASE WHEN upper_inc($1) THEN 1 ELSE 0 END END;

-- Where no UUID is in the range, the bounds match nothing.
CREATE OR REPLACE FUNCTION uuidx.uuid_v7_lower(tstzrange) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_v7_first(uuidx.edition_begin($1)) < uuidx.edition_v7_first(uuidx.edition_end($1))
        THEN uuidx.edition_smallest(7, uuidx.edition_v7_first(uuidx.edition_begin($1)))
        ELSE uuidx.uuid_max() END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_v7_upper(tstzrange) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_v7_first(uuidx.edition_begin($1)) < uuidx.edition_v7_first(uuidx.edition_end($1))
        THEN uuidx.edition_largest_before(7, uuidx.edition_v7_first(uuidx.edition_end($1)))
        ELSE '00000000-0000-0000-0000-000000000000' END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_v6_lower(tstzrange) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_v6_first(uuidx.edition_begin($1)) < uuidx.edition_v6_first(uuidx.edition_end($1))
        THEN uuidx.edition_smallest(6, uuidx.edition_v6_first(uuidx.edition_begin($1)))
        ELSE uuidx.uuid_max() END;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_v6_upper(tstzrange) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN uuidx.edition_v6_first(uuidx.edition_begin($1)) < uuidx.edition_v6_first(uuidx.edition_end($1))
        THEN uuidx.edition_largest_before(6, uuidx.edition_v6_first(uuidx.edition_end($1)))
        ELSE '00000000-0000-0000-0000-000000000000' END;
END
$$;

-- UUIDs of other versions can lie between the bounds. Not STRICT: PostgreSQL inlines these, so that an index on the
-- column serves them.
CREATE OR REPLACE FUNCTION uuidx.uuid_v7_in(id uuid, period tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN $1 >= uuidx.uuid_v7_lower($2) AND $1 <= uuidx.uuid_v7_upper($2) AND uuidx.edition_kind($1) = 72;

CREATE OR REPLACE FUNCTION uuidx.uuid_v6_in(id uuid, period tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN $1 >= uuidx.uuid_v6_lower($2) AND $1 <= uuidx.uuid_v6_upper($2) AND uuidx.edition_kind($1) = 62;

-- ---------------------------------------------------------------------------------------------------------------------
-- Guard the keys of a table
-- ---------------------------------------------------------------------------------------------------------------------

-- Whether a type is uuid or a domain over it
CREATE OR REPLACE FUNCTION uuidx.edition_is_uuid(type oid) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    WHILE type NOT IN (0, 'uuid'::regtype) LOOP
        SELECT typbasetype INTO type FROM pg_type WHERE oid = type;
    END LOOP;
    RETURN type <> 0;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.edition_from_future(
    trigger text, of_table regclass, of_column text, id uuid, latest timestamptz
)
RETURNS void LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
BEGIN
    RAISE check_violation USING
        MESSAGE = format('new value for column "%s" of relation "%s" is too far in the future: "%s"', of_column,
                         (SELECT relname FROM pg_class WHERE oid = of_table), id),
        DETAIL = format('Its time is %s; the latest that trigger "%s" allows now is %s.',
                        uuidx.uuid_time(id), trigger, latest),
        HINT = 'Check the clock of the machine that generated the key.',
        SCHEMA = (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = of_table),
        TABLE = (SELECT relname FROM pg_class WHERE oid = of_table), COLUMN = of_column;
END
$$;

CREATE OR REPLACE FUNCTION uuidx.uuid_guard() RETURNS trigger
LANGUAGE plpgsql STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kind    "char";
    new_key uuid;
    old_key uuid;
    latest  timestamptz;
BEGIN
    IF TG_LEVEL <> 'ROW' OR TG_WHEN <> 'BEFORE' OR TG_OP = 'DELETE' THEN
        RAISE trigger_protocol_violated USING
            MESSAGE = format('trigger "%s" must be fired BEFORE INSERT OR UPDATE FOR EACH ROW', TG_NAME);
    ELSIF TG_NARGS <> 2 THEN
        RAISE invalid_parameter_value USING MESSAGE = format('trigger "%s" needs two arguments', TG_NAME),
            HINT = 'They are a column and an interval, as in uuid_guard(''id'', ''5 minutes'').';
    END IF;
    SELECT attgenerated INTO kind FROM pg_attribute
    WHERE attrelid = TG_RELID AND attname = TG_ARGV[0] AND attnum > 0 AND uuidx.edition_is_uuid(atttypid);
    IF kind IS NULL THEN
        RAISE undefined_column USING MESSAGE = format('there is no column "%s" of type uuid', TG_ARGV[0]);
    ELSIF kind <> '' THEN
        RAISE invalid_object_definition USING
            MESSAGE = format('trigger "%s" cannot guard generated column "%s"', TG_NAME, TG_ARGV[0]),
            DETAIL = 'The column is generated after the trigger is fired.';
    END IF;
    latest := clock_timestamp() + TG_ARGV[1]::interval;
    EXECUTE format('SELECT ($1).%I', TG_ARGV[0]) INTO new_key USING NEW;
    IF TG_OP = 'UPDATE' THEN
        EXECUTE format('SELECT ($1).%I', TG_ARGV[0]) INTO old_key USING OLD;
    END IF;
    IF new_key IS NULL OR new_key = old_key THEN
        RETURN NEW;
    ELSIF NOT uuidx.uuid_is_v7(new_key) THEN
        RAISE check_violation USING
            MESSAGE = format('new value for column "%s" of relation "%s" is not a version 7 UUID: "%s"',
                             TG_ARGV[0], TG_TABLE_NAME, new_key),
            DETAIL = format('Trigger "%s" refuses other UUIDs.', TG_NAME),
            SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, COLUMN = TG_ARGV[0];
    ELSIF uuidx.uuid_time(new_key) > latest THEN
        PERFORM uuidx.edition_from_future(TG_NAME, TG_RELID, TG_ARGV[0], new_key, latest);
    END IF;
    RETURN NEW;
END
$$;

-- The owner of the schema, and that of a function that was there before, could replace what this has created, which this
-- transaction has written: it has to be this role or a superuser. To be a member of the owner is not enough: what the
-- owner puts in its place would then run as this role. The one member of pg_database_owner owns the database.
SELECT o.object, r.rolname INTO theirs
FROM (SELECT 'schema "uuidx"', nspowner FROM pg_namespace WHERE nspname = 'uuidx'
      UNION ALL
      SELECT format('function %s', oid::regprocedure), proowner
      FROM pg_proc WHERE xmin = (SELECT xmin FROM pg_proc WHERE oid = 'uuidx.uuid_guard()'::regprocedure))
     AS o (object, owner),
     pg_database AS d, pg_roles AS r
WHERE d.datname = current_database()
  AND r.oid = CASE WHEN o.owner = 'pg_database_owner'::regrole THEN d.datdba ELSE o.owner END
  AND r.rolname <> current_user AND NOT r.rolsuper
ORDER BY o.object DESC LIMIT 1;
IF FOUND THEN
    RAISE insufficient_privilege USING MESSAGE = format('%s belongs to role "%s"', theirs.object, theirs.rolname),
        DETAIL = 'Its owner could replace the functions that this script creates.',
        HINT = 'Load the file as that role, or give the schema and the functions to the role that loads it.';
END IF;

PERFORM set_config('search_path', former_path, true);
END
$edition$;
