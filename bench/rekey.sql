CREATE EXTENSION uuidx_migrate;
SELECT (1e6 * :scale)::int AS rows \gset

CREATE SCHEMA store;
SET search_path = store, public;
CREATE TABLE customers (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int GENERATED ALWAYS AS IDENTITY UNIQUE, created timestamptz);
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int GENERATED ALWAYS AS IDENTITY UNIQUE, state int DEFAULT 0,
                     customer_id uuid NOT NULL REFERENCES customers);
CREATE INDEX ON orders (customer_id);
INSERT INTO customers (created) SELECT timestamptz '2020-01-01 00:00:00+00' + n * interval '1 second' FROM generate_series(1, :rows) AS n;
INSERT INTO orders (customer_id) SELECT id FROM customers ORDER BY md5(n::text);
CREATE TABLE steps (sql text, ended timestamptz DEFAULT clock_timestamp());
VACUUM ANALYZE;
RESET search_path;

INSERT INTO cases (what, statement, units)
SELECT what, '', 1
FROM unnest('{key filled,reference filled,key updated,reference updated,transaction before,transaction after the phase index,transaction after the phase proof,transaction after the cutover,transaction after finish,'
            'longest during the proof,longest during the cutover,disk,disk planned,to_v7,bigint_to_v7}'::text[]) AS what
UNION ALL
SELECT format('%s, %s', measure, keys), '', 1
FROM unnest('{row,WAL,index}'::text[]) AS measure,
     unnest('{gen_random_uuid(),uuid_generate_v7() among random keys,uuid_generate_v7() after a migration}'::text[]) AS keys;

INSERT INTO comparisons (what, peer, at_most) VALUES
    ('key filled', 'key updated', 1.5),
    ('reference filled', 'reference updated', 1.5),
    ('transaction after the phase index', 'transaction before', 1.33), -- A quarter of the writes is lost.
    ('disk', 'disk planned', 1),
    ('bigint_to_v7', 'to_v7', 1.3);
