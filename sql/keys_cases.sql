-- Keys that are called by their schema: a column that another key has in also, hints that lose nothing, names with capitals
\set ECHO none \i sql/include/migration.sql \i sql/include/functions.sql \set ECHO all
CREATE SCHEMA shared;
CREATE TABLE shared.spaces (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, created_at timestamptz DEFAULT '2024-01-01 00:00:00+00');
CREATE TABLE shared.details (space_id bigint PRIMARY KEY, note text, created_at timestamptz DEFAULT '2024-02-01 00:00:00+00');
CREATE TABLE shared.uses (n int, space_id bigint REFERENCES shared.details);
INSERT INTO shared.spaces SELECT FROM generate_series(1, 5);
INSERT INTO shared.details SELECT id, 'of ' || id FROM shared.spaces;
INSERT INTO shared.uses SELECT id, id FROM shared.spaces;

-- It is a reference, and no key: its values stay those of the other table.
\set options '{"shared.spaces.id": {"also": ["shared.details.space_id"]}}'
SELECT key, relation, column_name, role, obstacles FROM uuidx_migrate.keys_plan('{shared}', 'offline', 'bigint_to_v7', created => 'created_at', options => :'options', trust_owners => true);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{shared}', 'offline', 'bigint_to_v7', created => 'created_at', options => :'options', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) AS details, count(s.id) AS with_space, count(u.space_id) AS with_use
FROM shared.details AS d LEFT JOIN shared.spaces AS s ON s.id = d.space_id LEFT JOIN shared.uses AS u ON u.space_id = d.space_id;
DROP SCHEMA shared CASCADE;

-- Whoever names it as a key, too, is told.
CREATE SCHEMA shared;
CREATE TABLE shared.users (id uuid PRIMARY KEY, created_at timestamptz);
CREATE TABLE shared.profiles (user_id uuid PRIMARY KEY, created_at timestamptz);
CREATE TABLE shared.pictures (user_id uuid REFERENCES shared.profiles);
INSERT INTO shared.users SELECT v4(n), '2024-01-01 00:00:00+00' FROM generate_series(1, 5) AS n;
INSERT INTO shared.profiles SELECT id, '2024-02-01 00:00:00+00' FROM shared.users;
INSERT INTO shared.pictures SELECT id FROM shared.users;
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate.keys_plan('{shared.users.id,shared.profiles.user_id}', 'online', 'to_v7', created => 'created_at', trust_owners => true,
                                     options => '{"shared.users.id": {"also": ["profiles.user_id"]}}')$$,
    $$SELECT uuidx_migrate.keys_script('{shared,shared.profiles.user_id}', 'offline', 'to_v7', created => 'created_at', trust_owners => true,
                                       options => '{"shared.users.id": {"also": ["shared.profiles.user_id"]}}')$$,
    $$SELECT uuidx_migrate.keys_script('{shared}', 'offline', 'to_v7', created => 'created_at', trust_owners => true,
                                       options => '{"shared.users.id": {"also": ["shared.pictures.user_id"]}}')$$);
\set options '{"shared.users.id": {"also": ["shared.profiles.user_id"]}}'
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{shared}', 'online', 'to_v7', created => 'created_at', options => :'options', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) AS profiles, count(u.id) AS with_user, count(i.user_id) AS with_picture
FROM shared.profiles AS p LEFT JOIN shared.users AS u ON u.id = p.user_id LEFT JOIN shared.pictures AS i USING (user_id);
DROP SCHEMA shared CASCADE;

-- The hint for a policy allows nothing in the meantime. Without a policy that restricts, all would be shown.
CREATE SCHEMA tenants;
CREATE TABLE tenants.tenants (id bigint PRIMARY KEY, created_at timestamptz);
CREATE TABLE tenants.docs (id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES tenants.tenants, is_public boolean);
CREATE POLICY readable ON tenants.docs USING (is_public);
CREATE POLICY tenant ON tenants.docs AS RESTRICTIVE USING (tenant_id = current_setting('app.tenant', true)::bigint);
CREATE POLICY written ON tenants.docs FOR INSERT WITH CHECK (tenant_id > 0);
SELECT o AS obstacle, h AS hint
FROM uuidx_migrate.plan('tenants.tenants', 'id', 'online', 'bigint_to_v7', created => 'created_at', trust_owners => true) AS p, unnest(obstacles, hints) AS x (o, h);
DROP SCHEMA tenants CASCADE;

-- A column whose name needs quotes
CREATE SCHEMA capitals;
CREATE TABLE capitals.users (id uuid PRIMARY KEY, "updatedAt" timestamptz, "createdAt" timestamptz);
SELECT obstacles, hints FROM uuidx_migrate.keys_plan('{capitals}', 'offline', 'to_v7', created => 'createdAt', trust_owners => true);
SELECT obstacles, hints FROM uuidx_migrate.keys_plan('{capitals}', 'offline', 'to_v7', created => '"createdAt"', trust_owners => true);
DROP SCHEMA capitals CASCADE;
DROP FUNCTION v1, v4, v6, nothing;

-- What cannot be migrated as it stands is in the plan of a schema: keys of several columns, in partitioned tables, of other types, and in a circle.
-- Columns that reference keys, and a number or a text that nothing generates, are no keys.
CREATE EXTENSION citext;
CREATE SCHEMA mixed;
CREATE TABLE mixed.tenants (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created timestamptz);
CREATE TABLE mixed.docs (tenant_id uuid REFERENCES mixed.tenants, id uuid DEFAULT gen_random_uuid(), created timestamptz, PRIMARY KEY (tenant_id, id));
CREATE TABLE mixed.lines (tenant_id uuid, doc_id uuid, n int, language text, PRIMARY KEY (tenant_id, doc_id, n, language),
    FOREIGN KEY (tenant_id, doc_id) REFERENCES mixed.docs);
CREATE TABLE mixed.logs (id uuid, day date, created timestamptz, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE DOMAIN mixed.key AS uuid;
CREATE TABLE mixed.items (id mixed.key PRIMARY KEY, created timestamptz);
CREATE TABLE mixed.words (word citext PRIMARY KEY, created timestamptz);
CREATE TABLE mixed.numbers (of uuid REFERENCES mixed.tenants, n bigint GENERATED ALWAYS AS IDENTITY, created timestamptz, PRIMARY KEY (of, n));
CREATE TABLE mixed.stories (id uuid PRIMARY KEY, draft_id uuid NOT NULL, created timestamptz);
CREATE TABLE mixed.drafts (id uuid PRIMARY KEY, story_id uuid NOT NULL REFERENCES mixed.stories, created timestamptz, UNIQUE (story_id, id));
ALTER TABLE mixed.stories ADD FOREIGN KEY (id, draft_id) REFERENCES mixed.drafts (story_id, id) DEFERRABLE INITIALLY DEFERRED;
CREATE TABLE mixed.readers (story_id uuid PRIMARY KEY REFERENCES mixed.stories);
SELECT key, relation, column_name, o AS obstacle, h AS hint
FROM uuidx_migrate.keys_plan('{mixed}', 'offline', 'to_v7', created => 'created', trust_owners => true) AS p LEFT JOIN LATERAL unnest(obstacles, hints) AS x (o, h) ON true;
SELECT key, relation, column_name, o AS obstacle, h AS hint
FROM uuidx_migrate.keys_plan('{mixed}', 'offline', 'bigint_to_v7', created => 'created', trust_owners => true) AS p LEFT JOIN LATERAL unnest(obstacles, hints) AS x (o, h) ON true
WHERE column_name = 'n';
SELECT key, relation, column_name, o AS obstacle, h AS hint
FROM uuidx_migrate.keys_plan('{mixed}', 'offline', 'text_to_uuid', trust_owners => true) AS p LEFT JOIN LATERAL unnest(obstacles, hints) AS x (o, h) ON true
WHERE relation = 'mixed.words'::regclass;
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate.keys_script('{mixed}', 'offline', 'to_v7', created => 'created', trust_owners => true)$$,
    $$SELECT uuidx_migrate.keys_script('{mixed.items.id}', 'offline', 'to_v7', created => 'created', trust_owners => true)$$,
    $$SELECT uuidx_migrate.keys_script('{mixed.docs.id}', 'undo', 'to_v7')$$,
    $$SELECT uuidx_migrate.script('mixed.docs', 'id', 'undo', 'none')$$);
-- A number has no time: one has to be given.
SELECT * FROM pg_temp.obstacles($$plan('mixed.numbers', 'n', conversion => 'bigint_to_v7', trust_owners => true)$$);
INSERT INTO mixed.tenants (id) VALUES ('00000001-0000-4000-8000-000000000001');
SELECT * FROM pg_temp.obstacles($$plan('mixed.tenants', 'id', 'offline', 'to_v7', trust_owners => true)$$);
SELECT r AS remark FROM uuidx_migrate.plan('mixed.tenants', 'id', 'offline', 'to_v7', trust_owners => true, rows_without_time => 'epoch') AS p, unnest(p.remarks) AS r WHERE r ~ 'creation time';
DROP SCHEMA mixed CASCADE;
DROP EXTENSION citext;

-- To undo those of a schema, one function is named for all.
CREATE SCHEMA undone;
CREATE FUNCTION undone.uuid_generate_v1() RETURNS uuid LANGUAGE sql AS $$SELECT '5e11aa00-0000-1000-8000-000000000001'::uuid$$;
CREATE TABLE undone.items (id uuid PRIMARY KEY DEFAULT undone.uuid_generate_v1(), n int);
CREATE TABLE undone.notes (id uuid PRIMARY KEY DEFAULT undone.uuid_generate_v1(), item_id uuid REFERENCES undone.items);
CREATE TABLE undone.lists (id uuid PRIMARY KEY);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{undone}', 'offline', 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM pg_temp.obstacles($$keys_plan('{undone}', 'offline', 'v6_to_v1', trust_owners => true)$$);
SELECT * FROM pg_temp.obstacles($$keys_plan('{undone}', 'offline', 'v6_to_v1', trust_owners => true, new_default => 'undone.uuid_generate_v1()')$$);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{undone}', 'offline', 'v6_to_v1', trust_owners => true, new_default => 'undone.uuid_generate_v1()') ORDER BY step \gexec
\o \set ECHO all
SELECT attrelid::regclass, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
WHERE attrelid IN ('undone.items'::regclass, 'undone.notes'::regclass, 'undone.lists'::regclass);
DROP SCHEMA undone CASCADE;
