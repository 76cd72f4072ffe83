CREATE TABLE ids AS
SELECT overlay(overlay(md5(n::text) PLACING '1' FROM 13) PLACING '9' FROM 17)::uuid AS v1
FROM generate_series(1, (3e6 * :scale)::int) AS n;
VACUUM ANALYZE ids;
SELECT 'CREATE EXTENSION pgcrypto' FROM pg_available_extensions WHERE name = 'pgcrypto' \gexec
\set key '\\x2b7e151628aed2a6abf7158809cf4f3c'

INSERT INTO cases (what, statement, units)
SELECT what, format('SELECT count(%s) FROM ids', coalesce(expression, what)), (3e6 * :scale)::int
FROM (VALUES
    ('constant smallint', 'constant_smallint(v1)'),
    ('uuid_version(v1)', NULL),
    ('constant timestamptz', 'constant_timestamptz(v1)'),
    ('uuid_time(v1)', NULL),
    ('uuid_extract_timestamp(v1)', 'public.uuid_extract_timestamp(v1)'),
    ('constant uuid', 'constant_uuid(v1)'),
    ('uuid_v1_to_v6(v1)', NULL),
    ('v1::text', NULL),
    ('uuid_encode(v1, ''base58'')', NULL),
    ('uuid_encode(v1, ''base64url'')', NULL),
    ('uuid_to_typeid(v1, ''order'')', NULL),
    ('11 blocks of AES', format('aes_blocks(v1, %L, 11)', :'key')),
    ('uuid_mask(v1, key)', format('uuid_mask(v1, %L)', :'key')),
    ('uuid_unmask(v1, key)', format('uuid_unmask(v1, %L)', :'key')),
    ('uuid_mask(v1, key, ''orders'')', format('uuid_mask(v1, %L, ''orders'')', :'key'))
) AS v (what, expression);
INSERT INTO cases (what, statement, units)
SELECT 'pgcrypto: encrypt', format('SELECT count(encrypt(uuid_send(v1), %L, ''aes-ecb/pad:none'')) FROM ids', :'key'),
       (3e6 * :scale)::int
WHERE to_regproc('encrypt') IS NOT NULL;
INSERT INTO comparisons (what, peer, at_most) VALUES
    ('uuid_version(v1)', 'constant smallint', 1.15),
    ('uuid_time(v1)', 'constant timestamptz', 1.15),
    ('uuid_extract_timestamp(v1)', 'constant timestamptz', 1.15),
    ('uuid_v1_to_v6(v1)', 'constant uuid', 1.15),
    ('uuid_mask(v1, key)', '11 blocks of AES', 1.5),
    ('uuid_unmask(v1, key)', '11 blocks of AES', 1.5),
    ('uuid_mask(v1, key, ''orders'')', '11 blocks of AES', 1.5),
    ('uuid_mask(v1, key)', 'pgcrypto: encrypt', 1);
CALL run_rounds(:rounds);
