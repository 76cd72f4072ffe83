-- Show and change where the generators are.

-- PARALLEL RESTRICTED: a parallel worker would return the state of its own generator, not the session's.
CREATE OR REPLACE FUNCTION uuid_generator_state(
    version integer DEFAULT 7,
    OUT method text,
    OUT last_timestamp timestamptz,
    OUT ahead_of_clock interval,
    OUT generated bigint,
    OUT scope text,
    OUT mark timestamptz,
    OUT last_uuid uuid
)
AS 'MODULE_PATHNAME', 'uuidx_generator_state'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION uuid_generator_state(integer) IS
'state of the generator of version 7, or of versions 1 and 6: method, last timestamp, '
'how far that is ahead of the clock, number of UUIDs generated in this session, '
'whether the session or the server orders them, and the server''s stored mark and last UUID';

CREATE OR REPLACE FUNCTION uuid_generator_advance(uuid, force boolean DEFAULT false) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_generator_advance'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION uuid_generator_advance(uuid, boolean) IS
'lets the server generate only UUIDs that are greater than this one';

CREATE OR REPLACE FUNCTION uuid_generator_advance(timestamptz, force boolean DEFAULT false) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_generator_advance_to_time'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION uuid_generator_advance(timestamptz, boolean) IS
'lets the server generate only UUIDs whose time is later than this moment';

CREATE OR REPLACE FUNCTION uuid_generator_advance_all(
    margin interval DEFAULT '0', force boolean DEFAULT false, read_tables boolean DEFAULT false
) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_generator_advance_all'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION uuid_generator_advance_all(interval, boolean, boolean) IS
'lets the server generate only UUIDs whose time is later, by the margin, than that of each version 7 key '
'in the database, and returns that moment';

CREATE OR REPLACE FUNCTION uuid_generator_reset() RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_generator_reset'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION uuid_generator_reset() IS
'lets this session and the server go on at the time of the clock, even if they have generated later UUIDs';

REVOKE EXECUTE ON FUNCTION uuid_generator_advance(uuid, boolean), uuid_generator_advance(timestamptz, boolean),
    uuid_generator_advance_all(interval, boolean, boolean), uuid_generator_reset() FROM PUBLIC;

-- The marks of this database, which the functions that generate UUIDs write, and nobody else.
CREATE SEQUENCE IF NOT EXISTS uuid_v7_mark MINVALUE -9223372036854775808 START 0;
COMMENT ON SEQUENCE uuid_v7_mark IS
'no version 7 UUID in server-wide order was generated beyond it in this database';

CREATE SEQUENCE IF NOT EXISTS uuid_v6_mark MINVALUE -9223372036854775808 START 0;
COMMENT ON SEQUENCE uuid_v6_mark IS
'no UUID of version 1 or 6 with a fixed node was generated beyond it in this database';

REVOKE ALL ON SEQUENCE uuid_v7_mark, uuid_v6_mark FROM PUBLIC;
