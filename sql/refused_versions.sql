-- Constraints and triggers that refuse the keys of a conversion are obstacles, with the statement that drops them.
\set SHOW_CONTEXT never
\pset format unaligned
SET client_min_messages = warning;
CREATE SCHEMA versions;
SET search_path = versions, public;
CREATE TABLE keys (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int);
CREATE TABLE uses (key uuid REFERENCES keys, n int);
ALTER TABLE keys ADD CONSTRAINT random CHECK (uuid_version(id) = 4), ADD CONSTRAINT no_v6 CHECK (NOT uuid_is_v6(id));
INSERT INTO keys (n) SELECT generate_series(1, 3);
INSERT INTO uses TABLE keys;
CREATE VIEW wrong AS SELECT u.n FROM uses AS u LEFT JOIN keys AS k ON k.id = u.key WHERE k.n IS DISTINCT FROM u.n;

CREATE FUNCTION obstacles(conversion text, mode text DEFAULT 'online') RETURNS TABLE (what text, hint text) LANGUAGE sql
BEGIN ATOMIC
    SELECT o.* FROM uuidx_migrate.plan('keys', 'id', mode, conversion, rows_without_time => 'epoch',
                            new_default => 'gen_random_uuid()') AS p,
             unnest(p.obstacles, p.hints) AS o (what, hint)
    ORDER BY o.what COLLATE "C";
END;

SELECT conversion, o.* FROM unnest('{v1_to_v6,v6_to_v1,to_v7,from_v7}'::text[]) AS conversion,
     obstacles(conversion) AS o WHERE o.what ~ 'constraint';
ALTER TABLE keys ADD CONSTRAINT period CHECK (uuid_v7_in(id, '[2020-01-01 00:00:00+00,)')) NOT VALID;
SELECT conversion, o.* FROM unnest('{v1_to_v6,v6_to_v1,to_v7,from_v7}'::text[]) AS conversion,
     obstacles(conversion) AS o WHERE o.what ~ 'period';
ALTER TABLE keys DROP CONSTRAINT period, DROP CONSTRAINT random;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'online', 'to_v7', rows_without_time => 'epoch')
ORDER BY step \gexec
\o \set ECHO all
-- The constraint that the documents recommend, others that mean the same or less, and a trigger
ALTER TABLE keys ADD CHECK (uuid_is_v7(id)), ADD CHECK (uuid_version(id) = 7 AND n > 0),
    ADD CONSTRAINT of_two CHECK (uuid_version(id) IN (4, 7)),
    ADD CONSTRAINT of_other CHECK (uuid_is_v7(id) OR n > 0);
ALTER TABLE uses ADD CHECK (uuid_is_v7(key)) NOT VALID;
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION uuid_guard('id', '1 day');
CREATE TRIGGER guard_other BEFORE INSERT OR UPDATE ON keys
    FOR EACH ROW EXECUTE FUNCTION uuid_guard('id_shadow', '1 day');
SELECT * FROM obstacles('to_v7');
SELECT * FROM obstacles('from_v7');
DROP TRIGGER guard_other ON keys;
SELECT substring(hint FROM 'Run (.*)\.$') FROM obstacles('from_v7') \gexec
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'online', 'from_v7') ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'finish', 'from_v7') ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'offline', 'to_v7', rows_without_time => 'epoch')
ORDER BY step \gexec
\o \set ECHO all
-- After an offline migration, too
ALTER TABLE uses ADD CHECK (uuid_is_v7(key));
SELECT * FROM obstacles('from_v7', 'offline');
SELECT substring(hint FROM 'Run (.*)\.$') FROM obstacles('from_v7', 'offline') \gexec
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('keys', 'id', 'offline', 'from_v7', new_default => 'gen_random_uuid()')
ORDER BY step \gexec
\o \set ECHO all
SELECT uuid_version(id), n FROM keys ORDER BY n;
TABLE wrong;
-- A trigger of a partitioned table, which its partitions have from it
CREATE TABLE parted (id uuid, n int) PARTITION BY LIST (n);
CREATE TABLE parted_1 PARTITION OF parted DEFAULT;
CREATE TRIGGER guard BEFORE INSERT ON parted FOR EACH ROW EXECUTE FUNCTION uuid_guard('id', '1 day');
SELECT o FROM uuidx_migrate.plan('parted', 'id', conversion => 'v6_to_v1', trust_owners => true), unnest(obstacles) AS o WHERE o ~ 'refuses';
DROP SCHEMA versions CASCADE;
