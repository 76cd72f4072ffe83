-- TypeIDs: version 0.3 of their specification
\set SHOW_CONTEXT never
-- Its valid examples
SELECT typeid, prefix, uuid_from_typeid(typeid, prefix) = id AND uuid_from_typeid(typeid) = id AS decoded,
       uuid_to_typeid(id, prefix) COLLATE "C" = typeid AS encoded
FROM (VALUES
    ('00000000000000000000000000', '', uuid '00000000-0000-0000-0000-000000000000'),
    ('00000000000000000000000001', '', '00000000-0000-0000-0000-000000000001'),
    ('0000000000000000000000000a', '', '00000000-0000-0000-0000-00000000000a'),
    ('0000000000000000000000000g', '', '00000000-0000-0000-0000-000000000010'),
    ('00000000000000000000000010', '', '00000000-0000-0000-0000-000000000020'),
    ('7zzzzzzzzzzzzzzzzzzzzzzzzz', '', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
    ('prefix_0123456789abcdefghjkmnpqrs', 'prefix', '0110c853-1d09-52d8-d73e-1194e95b5f19'),
    ('prefix_01h455vb4pex5vsknk084sn02q', 'prefix', '01890a5d-ac96-774b-bcce-b302099a8057'),
    ('pre_fix_00000000000000000000000000', 'pre_fix', '00000000-0000-0000-0000-000000000000')) AS examples (typeid, prefix, id);

-- Its invalid examples
CREATE FUNCTION sqlstate_of(typeid text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN RETURN uuid_from_typeid(typeid); EXCEPTION WHEN OTHERS THEN RETURN sqlstate; END $$;
SELECT typeid, sqlstate_of(typeid) FROM unnest(ARRAY[
    'PREFIX_00000000000000000000000000', '12345_00000000000000000000000000', 'pre.fix_00000000000000000000000000',
    'préfix_00000000000000000000000000', '  prefix_00000000000000000000000000',
    'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl_00000000000000000000000000',
    '_00000000000000000000000000', '_', 'prefix_1234567890123456789012345', 'prefix_123456789012345678901234567',
    'prefix_1234567890123456789012345 ', 'prefix_0123456789ABCDEFGHJKMNPQRS', 'prefix_123456789-123456789-123456',
    'prefix_ooooooiiiiiiuuuuuuulllllll', 'prefix_i23456789ol23456789oi23456', 'prefix_123456789-0123456789-0123456',
    'prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz', '_prefix_00000000000000000000000000', 'prefix__00000000000000000000000000', '',
    'prefix_']) AS typeid;
DROP FUNCTION sqlstate_of;

-- There and back
SELECT count(*) FILTER (WHERE uuid_from_typeid(uuid_to_typeid(id, 'order'), 'order') = id) AS decoded
FROM uuid_generate_v7_batch(2000) AS id;

-- They have the form of the specification, and sort as the UUIDs do.
SELECT count(*) FILTER (WHERE typeid ~ '^order_[0-7][0-9a-hjkmnp-tv-z]{25}$') AS of_the_form,
       count(*) FILTER (WHERE id < before) AS out_of_order
FROM (SELECT id, typeid, lag(id) OVER (ORDER BY typeid COLLATE "C") AS before
      FROM (SELECT md5(n::text)::uuid AS id FROM generate_series(1, 2000) AS n) AS ids, uuid_to_typeid(id, 'order') AS typeid) AS o;

-- Errors
SELECT uuid_from_typeid('order_01h455vb4pex5vsknk084sn02');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_from_typeid('order_01h455vb4pex5vsknk084sn02q', 'user');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_from_typeid('01h455vb4pex5vsknk084sn02q', 'user');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_from_typeid('user_01h455vb4pex5vsknk084sn02q', '');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_to_typeid(uuid_max(), 'User');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_to_typeid(uuid_max(), repeat('z', 64));
\echo :LAST_ERROR_SQLSTATE
SELECT length(uuid_to_typeid(uuid_max(), repeat('z', 63)));

-- NULL
SELECT uuid_to_typeid(NULL, 'user') IS NULL AS id, uuid_to_typeid(uuid_max(), NULL) IS NULL AS prefix,
       uuid_from_typeid(NULL) IS NULL AS value, uuid_from_typeid(NULL, 'user') IS NULL AS value_of_user,
       uuid_from_typeid('user_01h455vb4pex5vsknk084sn02q', NULL) AS any_prefix;

-- The primary key's index finds the row.
CREATE TABLE users (id uuid PRIMARY KEY);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
PREPARE user_of(text) AS SELECT id FROM users WHERE id = uuid_from_typeid($1, 'user');
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE user_of('user_01h455vb4pex5vsknk084sn02q');
DROP TABLE users;
