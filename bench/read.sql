-- bench/read: the variables rounds and rows say how much.
CREATE EXTENSION uuidx;
CREATE EXTENSION uuidx_peers;
\ir rounds.sql

CREATE TABLE ids AS
SELECT overlay(overlay(md5(n::text) PLACING '1' FROM 13) PLACING '9' FROM 17)::uuid AS v1
FROM generate_series(1, :rows) AS n;
VACUUM ANALYZE ids;

INSERT INTO cases (what, units, statement) VALUES
    ('constant smallint', :rows, 'SELECT count(constant_smallint(v1)) FROM ids'),
    ('uuid_version', :rows, 'SELECT count(uuid_version(v1)) FROM ids'),
    ('constant timestamptz', :rows, 'SELECT count(constant_timestamptz(v1)) FROM ids'),
    ('uuid_time', :rows, 'SELECT count(uuid_time(v1)) FROM ids'),
    ('constant uuid', :rows, 'SELECT count(constant_uuid(v1)) FROM ids'),
    ('uuid_v1_to_v6', :rows, 'SELECT count(uuid_v1_to_v6(v1)) FROM ids');
INSERT INTO comparisons (what, peer, at_most) VALUES
    ('uuid_version', 'constant smallint', 1.15),
    ('uuid_time', 'constant timestamptz', 1.15),
    ('uuid_v1_to_v6', 'constant uuid', 1.15);
CALL run_rounds(:rounds);

SELECT * FROM medians;
SELECT * FROM ratios;
