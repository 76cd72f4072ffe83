-- Reading what is inside a UUID.
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- The test vectors of RFC 9562 (appendices A and B), the Nil and the Max UUID, each with everything
-- that is in it.
CREATE TABLE vectors (name text, id uuid);
INSERT INTO vectors VALUES
    ('A.1 version 1', 'c232ab00-9414-11ec-b3c8-9f6bdeced846'),
    ('A.2 version 3', '5df41881-3aed-3515-88a7-2f4a814cf09e'),
    ('A.3 version 4', '919108f7-52d1-4320-9bac-f847db4148a8'),
    ('A.4 version 5', '2ed6657d-e927-568b-95e1-2665a8aea6a2'),
    ('A.5 version 6', '1ec9414c-232a-6b00-b3c8-9f6bdeced846'),
    ('A.6 version 7', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'),
    ('B.1 version 8', '2489e9ad-2ee2-8e00-8ec9-32d5f69181c0'),
    ('B.2 version 8', '5c146b14-3c52-8afd-938a-375d0df1fbf6'),
    ('namespace DNS', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'),
    ('Nil UUID', '00000000-0000-0000-0000-000000000000'),
    ('Max UUID', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
SELECT name, inside.* FROM vectors, uuid_inspect(id) AS inside ORDER BY name COLLATE "C";

-- The functions for each part agree with uuid_inspect.
SELECT count(*) AS vectors,
       count(*) FILTER (WHERE (uuid_version(id), uuid_variant(id), uuid_time(id),
                               uuid_extract_clock_seq(id), uuid_extract_node(id))
                          IS NOT DISTINCT FROM
                              (version, variant, created, clock_seq, node)) AS agree
FROM vectors, uuid_inspect(id);

-- The same function under PostgreSQL 17's name, found in this extension's schema.
SELECT count(*) FILTER (WHERE public.uuid_extract_timestamp(id) IS DISTINCT FROM uuid_time(id)) AS differ
FROM vectors;

-- Every version of RFC 9562's variant has its number; the other variants have none, and no field.
SELECT v, uuid_version(id), uuid_is_v6(id) AS is_v6, uuid_is_v7(id) AS is_v7, description
FROM generate_series(0, 15) AS v,
     format('017f22e2-79b0-%scc3-98c4-dc0c0c07398f', to_hex(v)) AS id_text,
     CAST(id_text AS uuid) AS id,
     uuid_inspect(id)
ORDER BY v;
SELECT to_hex(n) AS octet_8, uuid_variant(id), uuid_version(id), uuid_time(id),
       uuid_v7_time_us(id), uuid_extract_clock_seq(id), uuid_extract_node(id), description
FROM generate_series(0, 15) AS n,
     format('c232ab00-9414-11ec-%s3c8-9f6bdeced846', to_hex(n)) AS id_text,
     CAST(id_text AS uuid) AS id,
     uuid_inspect(id)
ORDER BY n;
SELECT string_agg(to_hex(n), '') FILTER (WHERE uuid_is_v6(format('017f22e2-79b0-6cc3-%s8c4-dc0c0c07398f', to_hex(n))::uuid)) AS v6,
       string_agg(to_hex(n), '') FILTER (WHERE uuid_is_v7(format('017f22e2-79b0-7cc3-%s8c4-dc0c0c07398f', to_hex(n))::uuid)) AS v7
FROM generate_series(0, 15) AS n;

-- The first and the last moment of each version, and the microsecond before 1970.
SELECT uuid_time('00000000-0000-1000-8000-000000000000') AS first_v1,
       uuid_time('ffffffff-ffff-1fff-bfff-ffffffffffff') AS last_v1;
SELECT uuid_time('00000000-0000-6000-8000-000000000000') AS first_v6,
       uuid_time('ffffffff-ffff-6fff-bfff-ffffffffffff') AS last_v6;
SELECT uuid_time('00000000-0000-7000-8000-000000000000') AS first_v7,
       uuid_time('ffffffff-ffff-7fff-bfff-ffffffffffff') AS last_v7,
       uuid_v7_time_us('ffffffff-ffff-7fff-bfff-ffffffffffff') AS last_v7_us;
SELECT uuid_time('13813fff-1dd2-11b2-8000-000000000000') AS before_1970;

-- rand_a as a fraction of the millisecond: 0x74E stands for the 0.4567 ms of RFC 9562 6.2.
SELECT uuid_time('01856d53-f1fb-774e-8000-000000000000'),
       uuid_v7_time_us('01856d53-f1fb-774e-8000-000000000000');

-- The layout of the time-based example of version 8, and that of version 7 in the draft of 2021. No UUID
-- tells that it is of one of them.
SELECT uuid_v8_time('2489e9ad-2ee2-8e00-8ec9-32d5f69181c0'), uuid_time('2489e9ad-2ee2-8e00-8ec9-32d5f69181c0');
SELECT uuid_v8_time('00000000-0000-8000-8000-000000000000') AS first, uuid_v8_time('ffffffff-ffff-8fff-bfff-ffffffffffff') AS last,
       uuid_v8_time('2489e9ad-2ee2-7e00-8ec9-32d5f69181c0') AS of_version_7, uuid_v8_time(uuid_max()) AS of_max;
SELECT uuid_draft01_time('06215389-e800-7000-8000-000000000000') AS half_a_second,
       uuid_draft01_time('00000000-1555-7500-8000-000000000000') AS of_the_draft,
       uuid_draft01_time('ffffffff-ffff-7fff-bfff-ffffffffffff') AS last,
       uuid_draft01_time('06215389-e800-6000-8000-000000000000') AS of_version_6;

-- The node: random or that of a network card.
SELECT uuid_extract_node(id), node_is_random
FROM (VALUES (uuid 'c232ab00-9414-11ec-b3c8-9f6bdeced846'),
             ('6ba7b810-9dad-11d1-80b4-00c04fd430c8')) AS v (id), uuid_inspect(id);

-- Text that is no UUID is refused by the type.
SELECT uuid_version('not a uuid');

DROP TABLE vectors;
