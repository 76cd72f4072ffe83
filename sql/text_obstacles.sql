-- What reads texts, and cannot read UUIDs; and defaults of both types
\set ECHO none \i sql/include/spelled.sql \set ECHO all
-- Obstacles
CREATE TABLE traps (id varchar(36) PRIMARY KEY DEFAULT replace(gen_random_uuid()::text, '-', ''), parent varchar(25),
    other varchar(36) DEFAULT of_text() REFERENCES traps, n int,
    CONSTRAINT spelled CHECK (id ~ '^[0-9a-f-]{36}$'), CONSTRAINT not_own CHECK (other <> id),
    CONSTRAINT is_there CHECK (id IS NOT NULL AND (other IS NULL OR n > 0)));
CREATE INDEX traps_like ON traps (id varchar_pattern_ops);
CREATE INDEX traps_collate ON traps (id COLLATE "POSIX");
-- With an operator class for the new type that is not PostgreSQL's, as btree_gist has some, the script would fail late.
RESET ROLE;
CREATE OPERATOR CLASS public.traps_ops DEFAULT FOR TYPE uuid USING spgist AS OPERATOR 1 =;
SET ROLE regress_uuidx_owner;
CREATE INDEX traps_spgist ON traps USING spgist (other);
CREATE INDEX traps_lower ON traps (lower(id));
CREATE INDEX traps_partial ON traps (n) WHERE other <> '';
CREATE INDEX traps_kept ON traps (other) WHERE other IS NOT NULL;
CREATE STATISTICS traps_statistics ON lower(id), n FROM traps;
CREATE VIEW traps_view AS SELECT id FROM traps;
CREATE MATERIALIZED VIEW traps_matview AS SELECT id FROM traps;
CREATE FUNCTION traps_function() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM traps WHERE id > 'a'; END;
CREATE FUNCTION traps_text(text) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM traps WHERE id = $1';
CREATE FUNCTION traps_key() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.id := lower(new.id); RETURN new; END';
CREATE TRIGGER traps_key BEFORE INSERT ON traps FOR EACH ROW EXECUTE FUNCTION traps_key();
CREATE FUNCTION traps_other(text) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM pg_class, (VALUES ($$traps_of$$, $$ids$$)) AS t';
ALTER TABLE traps ADD generated text GENERATED ALWAYS AS ('/' || id) STORED;
CREATE POLICY traps_policy ON traps USING (id <> '');
CREATE RULE traps_rule AS ON DELETE TO traps WHERE old.id = 'x' DO INSTEAD NOTHING;
CREATE TRIGGER traps_of BEFORE UPDATE OF id ON traps FOR EACH ROW WHEN (new.n > 1) EXECUTE FUNCTION nothing();
CREATE TRIGGER traps_when BEFORE UPDATE ON traps FOR EACH ROW WHEN (new.id > 'x') EXECUTE FUNCTION nothing();
SELECT * FROM pg_temp.obstacles($$plan('traps', 'id', conversion => 'text_to_uuid', also => '{traps.parent}',
                                       trust_owners => true)$$);
SELECT unnest(remarks) AS remark FROM uuidx_migrate.plan('traps', 'id', conversion => 'text_to_uuid', trust_owners => true);
DROP TABLE traps CASCADE;
RESET ROLE;
DROP OPERATOR FAMILY public.traps_ops USING spgist CASCADE;
SET ROLE regress_uuidx_owner;
DROP FUNCTION traps_text, traps_key, traps_other;

-- Keys of another kind have one obstacle, though some pass for ULIDs.
CREATE TABLE foreign_ids (id varchar(26) PRIMARY KEY DEFAULT 'none' CHECK (length(id) = 26));
INSERT INTO foreign_ids SELECT left(translate(md5(n::text), '0123456789', 'ghjkmnpqrs'), 22) || lpad(n::text, 4, 'u') FROM generate_series(1, 200) AS n;
INSERT INTO foreign_ids SELECT '01JEXAMP1E' || lpad(n::text, 16, '0') FROM generate_series(1, 50) AS n;
CREATE TABLE references_foreign (foreign_id varchar(26) REFERENCES foreign_ids, n int);
INSERT INTO references_foreign SELECT id FROM foreign_ids;
SELECT others, uuids FROM uuidx_migrate.uuid_texts('foreign_ids', 'id', true);
ANALYZE foreign_ids;
SELECT * FROM pg_temp.obstacles($$plan('foreign_ids', 'id', conversion => 'text_to_uuid', trust_owners => true)$$);
SELECT * FROM pg_temp.errors($$SELECT FROM uuidx_migrate.script('foreign_ids', 'id', conversion => 'text_to_uuid', trust_owners => true)$$,
    $$SELECT FROM uuidx_migrate.plan('foreign_ids', 'id')$$);
DROP TABLE references_foreign, foreign_ids;

-- Defaults
CREATE TABLE defaults (n int, a text DEFAULT of_uuid(), b varchar(36) DEFAULT of_uuid()::varchar(36),
    c char(36) DEFAULT of_uuid()::text::char(36), d text DEFAULT '00000001-0000-4000-8000-aaaaaaaaaa0b',
    e char(26) DEFAULT '01ARZ3NDEKTSV4RRFFQ69G5FAV', f varchar(40) DEFAULT NULL::varchar(40),
    g text DEFAULT '00000001-0000-4000-8000-aaaaaaaaaa0b'::uuid, h text DEFAULT 'x', i text DEFAULT upper(of_uuid()::text),
    j text DEFAULT of_text());
SELECT a.attname, pg_get_expr(d.adbin, d.adrelid) AS default_, uuidx_migrate_steps.uuid_default(uuidx_migrate_steps.default_of(d.adrelid, d.adnum))
FROM pg_attrdef AS d JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum) WHERE d.adrelid = 'defaults'::regclass ORDER BY 1;
ALTER TABLE defaults ALTER d DROP DEFAULT, ALTER e DROP DEFAULT, ALTER g DROP DEFAULT, ALTER h DROP DEFAULT, ALTER j DROP DEFAULT;
SELECT hints FROM uuidx_migrate.plan('defaults', 'i', conversion => 'text_to_uuid', trust_owners => true);
\set ECHO none \o /dev/null
SELECT sql FROM unnest('{a,b,c,f}'::name[]) AS c, uuidx_migrate.script('defaults', c, 'online', 'text_to_uuid', trust_owners => true) ORDER BY c, step \gexec
SELECT sql FROM uuidx_migrate.script('defaults', 'i', 'online', 'text_to_uuid', new_default => 'of_uuid()', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
CREATE VIEW shown AS
SELECT a.attname, format_type(a.atttypid, a.atttypmod), regexp_replace(pg_get_expr(d.adbin, d.adrelid), '\s+', ' ', 'g') AS default_
FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
WHERE a.attrelid = 'defaults'::regclass AND a.attname ~ '^[abcfi](_|$)' ORDER BY 1;
SELECT * FROM shown;
SELECT obstacles, hints FROM uuidx_migrate.plan('defaults', 'i', conversion => 'uuid_to_text', trust_owners => true);
-- The former default comes back, also in the place of one that no text could have.
BEGIN;
ALTER TABLE defaults ALTER a SET DEFAULT md5('a')::uuid;
SELECT column_name, default_afterwards, obstacles FROM uuidx_migrate.plan('defaults', 'a', 'online', 'uuid_to_text', trust_owners => true);
ROLLBACK;
INSERT INTO defaults (n) VALUES (1);
SELECT a = a_shadow::uuid AS a, b = b_shadow::uuid AS b, c = c_shadow::uuid AS c, f, f_shadow, i = i_shadow::uuid AS i FROM defaults;
\set ECHO none \o /dev/null
SELECT sql FROM unnest('{a,b,c,f}'::name[]) AS c, uuidx_migrate.script('defaults', c, 'online', 'uuid_to_text', trust_owners => true) ORDER BY c, step \gexec
SELECT sql FROM uuidx_migrate.script('defaults', 'i', 'online', 'uuid_to_text', new_default => 'of_uuid()', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM shown;
INSERT INTO defaults (n) VALUES (2);
SELECT a::uuid = a_shadow AS a, b::uuid = b_shadow AS b, c::uuid = c_shadow AS c, f, f_shadow, i::uuid = i_shadow AS i FROM defaults;
DROP TABLE defaults CASCADE;

-- What partitions have of their table is one obstacle.
CREATE TABLE parted (id text, n int) PARTITION BY LIST (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE INDEX parted_lower ON parted (lower(id));
CREATE TRIGGER parted_when AFTER INSERT ON parted FOR EACH ROW WHEN (new.id <> '') EXECUTE FUNCTION nothing();
SELECT * FROM pg_temp.obstacles($$plan('parted', 'id', NULL, 'text_to_uuid', trust_owners => true)$$);
DROP TABLE parted;

-- Offline, a comment keeps the former default, whose lines are no statements.
CREATE TABLE lines (id text PRIMARY KEY DEFAULT concat(of_uuid(), E'\nSELECT 1/0'));
SELECT substring(sql, E'-- The former default[^\n]*\n[^\n]*') AS sql
FROM uuidx_migrate.script('lines', 'id', 'offline', 'text_to_uuid', new_default => 'of_uuid()', trust_owners => true);

RESET ROLE;
DROP OWNED BY regress_uuidx_owner;
DROP ROLE regress_uuidx_owner;
