-- A number that becomes a key of version 7.

CREATE OR REPLACE FUNCTION v7_key_of_number(
    number bigint, created timestamptz, without_time text, future text, namespace text
) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_key_of_number'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION v7_key_of_number(bigint, timestamptz, text, text, text) IS
'version 7 key for a number and the time at which its row was created: random, or made of a namespace and the number';

CREATE OR REPLACE FUNCTION pending_number(number smallint) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_pending_smallint'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pending_number(smallint) IS
'what the shadow of a reference holds while no key has this number: a UUID of the NCS variant';

CREATE OR REPLACE FUNCTION pending_number(number integer) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_pending_integer'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pending_number(integer) IS
'what the shadow of a reference holds while no key has this number: a UUID of the NCS variant';

CREATE OR REPLACE FUNCTION pending_number(number bigint) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_pending_bigint'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pending_number(bigint) IS
'what the shadow of a reference holds while no key has this number: a UUID of the NCS variant';

CREATE OR REPLACE FUNCTION fill_number_key() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_fill_number_key'
LANGUAGE C;
COMMENT ON FUNCTION fill_number_key() IS
'trigger before INSERT or UPDATE that fills the shadow of a number that becomes a key of version 7';

-- After the cutover, nobody has to write numbers.
CREATE OR REPLACE FUNCTION check_numbers(relation regclass, column_name name, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rows bigint;
    example text;
BEGIN
    PERFORM uuidx_migrate_steps.lock_table(relation, 'ACCESS SHARE', trust_owners);
    EXECUTE format('SELECT count(*), min(t.%1$I::text) FROM %2$s AS t WHERE t.%1$I IS NOT NULL AND t.%3$I IS NULL',
                   column_name, relation, uuidx_migrate_steps.shadow_name(column_name)) INTO rows, example;
    IF rows > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has keys without a number', column_name, relation
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = format('Their number is %s; one of them is "%s".', rows, example),
              HINT = format('Give these rows a number in column "%s", or delete them.',
                            uuidx_migrate_steps.shadow_name(column_name));
    END IF;
END
$$;
COMMENT ON FUNCTION check_numbers(regclass, name, boolean) IS
'an error if a number is missing to which a key is to be converted back';
