-- bench/read: the variables rounds and rows say how much.
CREATE EXTENSION uuidx;
CREATE EXTENSION uuidx_peers;
\ir rounds.sql

CREATE TABLE ids AS
SELECT overlay(overlay(md5(n::text) PLACING '1' FROM 13) PLACING '9' FROM 17)::uuid AS v1
FROM generate_series(1, :rows) AS n;
VACUUM ANALYZE ids;

INSERT INTO cases (what, statement, peer, at_most) VALUES
    ('constant smallint', 'SELECT count(constant_smallint(v1)) FROM ids', NULL, NULL),
    ('uuid_version', 'SELECT count(uuid_version(v1)) FROM ids', 'constant smallint', 1.15),
    ('constant timestamptz', 'SELECT count(constant_timestamptz(v1)) FROM ids', NULL, NULL),
    ('uuid_time', 'SELECT count(uuid_time(v1)) FROM ids', 'constant timestamptz', 1.15),
    ('constant uuid', 'SELECT count(constant_uuid(v1)) FROM ids', NULL, NULL),
    ('uuid_v1_to_v6', 'SELECT count(uuid_v1_to_v6(v1)) FROM ids', 'constant uuid', 1.15);
CALL run_rounds(:rounds);

SELECT * FROM results;
