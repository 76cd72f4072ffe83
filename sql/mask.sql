-- Masked UUIDs
\set SHOW_CONTEXT never
\set key_128 '\\x2b7e151628aed2a6abf7158809cf4f3c'
\set key_256 '\\x2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94'
\set id '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'

-- As another implementation of FF1 has it; the tweak is '' unless it is given.
SELECT uuid_mask(:'id', :'key_128') AS aes_128, uuid_mask(:'id', :'key_256') AS aes_256,
       uuid_mask(:'id', :'key_128', 'orders') AS orders, uuid_mask(:'id', :'key_128', '') = uuid_mask(:'id', :'key_128') AS same;
SELECT uuid_unmask('1a61a5b7-7874-41a4-a289-26b20db2ad65', :'key_128') AS id,
       uuid_unmask('90c5a369-7c75-4dc9-bca3-fa31e12166f3', :'key_128', tweak => 'orders') AS orders,
       uuid_unmask('1a61a5b7-7874-41a4-a289-26b20db2ad65', :'key_128', version => 4) AS v4;

-- There and back, with keys that take turns, for each version; masks look like version 4.
SELECT uuid_version(id) AS version, count(*) AS ids, count(DISTINCT masked) AS masks,
       count(*) FILTER (WHERE uuid_version(masked) = 4) AS v4,
       count(*) FILTER (WHERE uuid_unmask(masked, key, tweak, uuid_version(id)) = id) AS unmasked,
       count(*) FILTER (WHERE uuid_unmask(masked, key, tweak || ' ', uuid_version(id)) = id) AS by_another_tweak,
       count(*) FILTER (WHERE uuid_unmask(masked, key || key, tweak, uuid_version(id)) = id) AS by_another_key
FROM (SELECT overlay(overlay(md5(n::text) PLACING to_hex(n % 16) FROM 13) PLACING to_hex(8 + n % 3) FROM 17)::uuid AS id,
             decode(md5((n % 7)::text), 'hex') AS key, repeat('é', n % 20) AS tweak
      FROM generate_series(1, 16000) AS n) AS ids, uuid_mask(id, key, tweak) AS masked
GROUP BY 1 ORDER BY 1;

-- There and back, with many keys
SELECT count(*) FILTER (WHERE uuid_unmask(uuid_mask(id, :'key_128', 'orders'), :'key_128', 'orders') = id) AS unmasked
FROM uuid_generate_v7_batch(10000) AS id;

-- Version and variant are not masked: a mask has its own, and unmasking sets those that it is asked for.
SELECT id, uuid_mask(id, :'key_128') AS masked, uuid_unmask(uuid_mask(id, :'key_128'), :'key_128') AS unmasked
FROM unnest(ARRAY['00000000-0000-0000-0000-000000000000', '00000000-0000-7000-8000-000000000000', uuid_max(),
                  'ffffffff-ffff-1fff-bfff-ffffffffffff']) AS id;
SELECT uuid_unmask('1a61a5b7-7874-f1a4-e289-26b20db2ad65', :'key_128') AS unmasked;

-- NULL
SELECT uuid_mask(NULL, :'key_128') IS NULL AS id, uuid_mask(:'id', NULL) IS NULL AS key, uuid_mask(:'id', :'key_128', NULL) IS NULL AS tweak,
       uuid_unmask(NULL, :'key_128') IS NULL AS masked, uuid_unmask(:'id', :'key_128', version => NULL) IS NULL AS version;

-- Errors, which show nothing of the key
SELECT uuid_mask(:'id', '');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_mask(:'id', '\x00');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_unmask(:'id', substr(:'key_256'::bytea, 1, 24));
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_unmask(:'id', :'key_256'::bytea || '\x00');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_unmask(:'id', :'key_128', version => 16);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_unmask(:'id', :'key_128', version => -1);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_mask(:'id', :'key_128') AS masked, uuid_unmask(:'id', :'key_128', version => 15) IS NOT NULL AS v15;

-- A key from a compressed value, and a tweak of many blocks
CREATE TEMPORARY TABLE large AS SELECT decode(repeat('00', 100000), 'hex') AS zeros, repeat('x', 100000) AS tweak;
SELECT uuid_mask(:'id', substr(zeros, 1, 16)) = uuid_mask(:'id', '\x00000000000000000000000000000000') AS key,
       uuid_unmask(uuid_mask(:'id', :'key_128', tweak), :'key_128', tweak) = :'id' AS tweak FROM large;

-- The primary key's index finds the row.
CREATE TABLE masked_orders (id uuid PRIMARY KEY);
INSERT INTO masked_orders SELECT uuid_generate_v7_batch(10000);
ANALYZE masked_orders;
PREPARE order_of(uuid, bytea) AS SELECT id FROM masked_orders WHERE id = uuid_unmask($1, $2, 'orders');
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE order_of(:'id', :'key_128');
SELECT count(*) = 10000 AS found FROM masked_orders AS o
WHERE EXISTS (SELECT FROM masked_orders WHERE id = uuid_unmask(uuid_mask(o.id, :'key_128', 'orders'), :'key_128', 'orders'));
DROP TABLE masked_orders;
