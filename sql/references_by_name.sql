-- Columns of numbers that find_references proposes by their names, and by what views and functions compare with the key
SET client_min_messages = warning;
CREATE SCHEMA by_name;

-- repository_id beside a table repo, org_id beside organizations: where no table has the name, and nearly all of enough
-- values are keys. Not changeset_id for a table changes, where there is a table changesets; nor what a sequence
-- numbers, nor a column beside its type.
CREATE TABLE by_name.repo (id int PRIMARY KEY);
CREATE TABLE by_name.organizations (id int PRIMARY KEY);
CREATE TABLE by_name.changes (id int PRIMARY KEY);
CREATE TABLE by_name.changesets (id int PRIMARY KEY);
CREATE TABLE by_name.last_scans (repository_id int PRIMARY KEY, sequence serial);
CREATE TABLE by_name.log (sequence int PRIMARY KEY);
CREATE TABLE by_name.by_short_names (
    repository_id bigint, "mainRepoId" int, org_id int, organ_id int, changeset_id int, change_id int, few_org_id int,
    repos_id int, re_id int, repository int, reposition_id int, reposition_type text, sequence int
);
INSERT INTO by_name.repo SELECT n FROM generate_series(1, 50) AS n;
INSERT INTO by_name.organizations TABLE by_name.repo;
INSERT INTO by_name.changes TABLE by_name.repo;
INSERT INTO by_name.changesets TABLE by_name.repo;
INSERT INTO by_name.log TABLE by_name.repo;
INSERT INTO by_name.last_scans TABLE by_name.repo;
INSERT INTO by_name.by_short_names
SELECT n, n, n, n + 1000, n, n, n % 9, n, n, n, n, 'of another table', n FROM generate_series(1, 50) AS n;
SELECT * FROM uuidx_migrate.find_references('by_name.repo', 'id');
INSERT INTO by_name.by_short_names (org_id) SELECT n FROM generate_series(51, 55) AS n;
SELECT * FROM uuidx_migrate.find_references('by_name.organizations', 'id');
INSERT INTO by_name.by_short_names (org_id) VALUES (56);
SELECT * FROM uuidx_migrate.find_references('by_name.organizations', 'id');
SELECT * FROM uuidx_migrate.find_references('by_name.changes', 'id');
SELECT * FROM uuidx_migrate.find_references('by_name.changesets', 'id');
SELECT * FROM uuidx_migrate.find_references('by_name.last_scans', 'repository_id');
SELECT * FROM uuidx_migrate.find_references('by_name.log', 'sequence');
-- Of two tables whose names a column ends with, it is the one with the longer name.
CREATE TABLE by_name.user_repo (id int PRIMARY KEY, user_repo_id int);
INSERT INTO by_name.user_repo SELECT n, n FROM generate_series(1, 50) AS n;
SELECT k AS key, r.referencing, r.referencing_column
FROM unnest('{by_name.repo,by_name.user_repo}'::regclass[]) AS k, LATERAL uuidx_migrate.find_references(k, 'id') AS r
WHERE r.referencing = 'by_name.user_repo'::regclass;
-- Numbers that only exist among the keys: a limit that has the name of a table, and one for each of its rows. A name that is near those of two
-- tables is of the one that it is nearer to, or of none.
CREATE TABLE by_name.schedules (id int PRIMARY KEY);
CREATE TABLE by_name.application_settings (id int PRIMARY KEY);
CREATE TABLE by_name.oauth_applications (id int PRIMARY KEY);
CREATE TABLE by_name.news_feeds (id int PRIMARY KEY);
CREATE TABLE by_name.photo_feeds (id int PRIMARY KEY);
CREATE TABLE by_name.limits (schedules int, per_schedule int, application_id int, feed_id int, schedule int);
INSERT INTO by_name.schedules TABLE by_name.repo;
INSERT INTO by_name.application_settings TABLE by_name.repo;
INSERT INTO by_name.oauth_applications TABLE by_name.repo;
INSERT INTO by_name.news_feeds TABLE by_name.repo;
INSERT INTO by_name.photo_feeds TABLE by_name.repo;
INSERT INTO by_name.limits SELECT 10, 1 + n % 5, n, n, n FROM generate_series(1, 20) AS n;
SELECT k AS key, r.referencing, r.referencing_column
FROM unnest('{by_name.schedules,by_name.application_settings,by_name.oauth_applications,by_name.news_feeds,by_name.photo_feeds}'::regclass[]) AS k,
     LATERAL uuidx_migrate.find_references(k, 'id') AS r;
-- Whatever its name, a column that a view, policy or function compares with the key
CREATE VIEW by_name.compares AS
SELECT r.id FROM by_name.repo AS r JOIN (SELECT repository AS n FROM by_name.by_short_names) AS s ON s.n = r.id
WHERE r.id IN (SELECT re_id FROM by_name.by_short_names) AND r.id < (SELECT max(organ_id) FROM by_name.by_short_names);
SELECT * FROM uuidx_migrate.find_references('by_name.repo', 'id');
DROP VIEW by_name.compares;
-- Then a name that is short for another is no guess.
CREATE VIEW by_name.compares AS SELECT FROM by_name.organizations AS o JOIN by_name.by_short_names AS s ON s.few_org_id = o.id;
SELECT * FROM uuidx_migrate.find_references('by_name.organizations', 'id');
DROP VIEW by_name.compares;
CREATE FUNCTION by_name.compares() RETURNS bigint LANGUAGE sql BEGIN ATOMIC
    WITH s AS (SELECT repository AS id FROM by_name.by_short_names)
    SELECT count(*) FROM s LEFT JOIN by_name.repo AS r USING (id);
END;
SELECT referencing_column FROM uuidx_migrate.find_references('by_name.repo', 'id');
-- A column that is compared with that of a view, also of a materialized one, which has the keys
CREATE VIEW by_name.seen AS SELECT id AS n FROM by_name.repo;
CREATE MATERIALIZED VIEW by_name.stored AS SELECT n FROM by_name.seen;
CREATE VIEW by_name.compares AS
SELECT FROM by_name.by_short_names AS b JOIN by_name.seen AS s ON s.n = b.re_id JOIN by_name.stored AS m ON m.n = b.repository;
SELECT referencing_column FROM uuidx_migrate.find_references('by_name.repo', 'id');
DROP VIEW by_name.seen CASCADE;
-- Views that read each other in a circle, which nobody can read; and a number beside the type of what it is of
CREATE VIEW by_name.first AS SELECT r.id, s.re_id, s.reposition_id FROM by_name.repo AS r, by_name.by_short_names AS s;
CREATE VIEW by_name.second AS SELECT * FROM by_name.first;
CREATE OR REPLACE VIEW by_name.first AS
SELECT r.id, t.re_id, s.reposition_id FROM by_name.repo AS r, by_name.by_short_names AS s, by_name.second AS t
WHERE r.id IN (t.re_id, s.reposition_id, s.repos_id) AND s.re_id = t.id;
SELECT referencing_column FROM uuidx_migrate.find_references('by_name.repo', 'id');
DROP SCHEMA by_name CASCADE;
