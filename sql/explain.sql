-- uuid_explain: what is known of the creation times in a table, and what is missing
CREATE SCHEMA "odd, schema";
SET search_path = "odd, schema", public;

-- What serves everything
CREATE TABLE strict (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), item text, other_id uuid CONSTRAINT v6 CHECK (uuid_is_v6(other_id)));
CREATE INDEX ON strict (other_id DESC, item);
SELECT * FROM uuid_explain('strict') \gx
CREATE TABLE mixed (id uuid PRIMARY KEY);
CREATE INDEX by_time ON mixed (id uuid_time_ops);
CREATE TABLE of_expression (id uuid PRIMARY KEY);
CREATE INDEX "by expression" ON of_expression (uuid_time(id));
CREATE TABLE of_period (id uuid PRIMARY KEY CHECK (uuid_v7_in(id, '[2020-01-01 00:00:00+00,)')), other uuid CHECK (uuid_v6_in(other, '[2020-01-01 00:00:00+00,)') OR uuid_version(other) = 4),
    excluded uuid CHECK (NOT uuid_v7_in(excluded, '[2020-01-01 00:00:00+00,)')));
CREATE TABLE parted (id uuid PRIMARY KEY CHECK (uuid_is_v7(id))) PARTITION BY RANGE (id);
CREATE MATERIALIZED VIEW copied AS TABLE mixed;
CREATE UNIQUE INDEX copied_by_time ON copied (id uuid_time_ops);
SELECT relation, e.column_name, e.versions, e.proven_by, e.conditions, e.sorts, e.joins,
       rtrim(regexp_replace(e.hint, '(.{1,55})( |$)', E'\\1\n', 'g'), E'\n') AS hint
FROM unnest(ARRAY['mixed', 'of_expression', 'of_period', 'parted', 'copied']::regclass[]) AS relation, uuid_explain(relation) AS e;

-- What is missing: a constraint, its validation, a stricter one, an index, or nothing but the setting
CREATE TABLE unproven (id uuid PRIMARY KEY);
CREATE TABLE not_valid (id uuid PRIMARY KEY);
ALTER TABLE not_valid ADD CONSTRAINT "of version 7" CHECK (uuid_is_v7(id)) NOT VALID;
CREATE TABLE loose (id uuid PRIMARY KEY CHECK (uuid_version(id) = 7));
CREATE TABLE of_two (id uuid PRIMARY KEY CHECK (uuid_version(id) IN (1, 6)), CHECK (uuid_version(id) IS NOT NULL));
CREATE TABLE random_too (id uuid PRIMARY KEY CHECK (uuid_version(id) IN (4, 6)));
CREATE TABLE no_index ("an id" uuid CHECK (uuid_is_v6("an id")), n int);
CREATE INDEX ON no_index (n, "an id");
CREATE INDEX ON no_index ("an id") WHERE n = 1;
CREATE INDEX ON no_index USING hash ("an id");
CREATE TABLE of_check (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), CONSTRAINT not_of_the_future CHECK (uuid_time(id) < '2100-01-01'));
CREATE TABLE loose_no_index (id uuid CHECK (uuid_version(id) = 7));
CREATE MATERIALIZED VIEW copied_too AS TABLE mixed;
CREATE TABLE summarized (id uuid CHECK (uuid_is_v7(id)), n int);
CREATE INDEX summary ON summarized USING brin (n, id);
CREATE INDEX partial_summary ON summarized USING brin (id) WHERE n = 1;
CREATE TABLE times_only (id uuid, n int);
CREATE INDEX of_times ON times_only USING brin ((n + 1), uuid_time(id));
CREATE TABLE without_null (id uuid CHECK (uuid_is_v7(id)));
CREATE INDEX of_not_null ON without_null (id) WHERE id IS NOT NULL;
CREATE TABLE wrapped (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), CHECK (uuid_time(CASE WHEN true THEN id END) < '2100-01-01'));
CREATE DOMAIN key AS uuid;
CREATE TABLE of_domain (id key CHECK (uuid_is_v7(id)));
CREATE TABLE with_other (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), other uuid, CHECK (uuid_time(other) < '2100-01-01'));
SELECT relation, e.column_name, e.versions, e.proven_by, e.conditions, e.sorts, e.joins,
       rtrim(regexp_replace(e.hint, '(.{1,55})( |$)', E'\\1\n', 'g'), E'\n') AS hint
FROM unnest(ARRAY['unproven', 'not_valid', 'loose', 'of_two', 'random_too', 'no_index', 'of_check', 'loose_no_index', 'copied_too', 'summarized',
                  'of_domain', 'with_other', 'times_only', 'without_null', 'wrapped']::regclass[]) AS relation,
    uuid_explain(relation) AS e;
SET uuidx.time_planning = off;
SELECT hint FROM uuid_explain('strict');
RESET uuidx.time_planning;

-- References: whether a period of the key can follow
CREATE TABLE referencing (key uuid REFERENCES strict, "the other" uuid REFERENCES strict, indexed uuid REFERENCES strict);
CREATE INDEX ON referencing (indexed);
CREATE INDEX ON referencing (key) WHERE key IS NOT NULL;
CREATE INDEX behind ON referencing (indexed, "the other");
CREATE TABLE parted_by_reference (key uuid REFERENCES strict) PARTITION BY RANGE (key);
SELECT relation, column_name, joins, rtrim(regexp_replace(hint, '(.{1,75})( |$)', E'\\1\n', 'g'), E'\n') AS hint
FROM unnest(ARRAY['referencing', 'parted_by_reference']::regclass[]) AS relation, uuid_explain(relation);

-- Each time anew, without dropped columns
ALTER TABLE not_valid VALIDATE CONSTRAINT "of version 7";
SELECT proven_by, hint FROM uuid_explain('not_valid');
ALTER TABLE strict DROP COLUMN other_id, ADD COLUMN later uuid;
SELECT column_name, versions FROM uuid_explain('strict');
SELECT column_name FROM uuid_explain('strict') LIMIT 1;
CREATE TABLE without_uuids (n int);
SELECT * FROM uuid_explain('without_uuids');
SELECT * FROM uuid_explain(NULL);

-- What it says is what the planner does.
\set ECHO none \i sql/include/plan_of.sql \set ECHO all
SET enable_seqscan = off;
SELECT relation, e.column_name,
       (SELECT bool_or(line ~ 'Index Cond')
        FROM plan_of(format('SELECT * FROM %s WHERE uuid_time(%I) > ''2026-01-01''', relation, column_name)) AS line)
           = (e.conditions IS NOT NULL) AS conditions_agree,
       (SELECT bool_and(line !~ 'Sort')
        FROM plan_of(format('SELECT * FROM %s ORDER BY uuid_time(%I)', relation, column_name)) AS line)
           = (e.sorts IS NOT NULL) AS sorts_agree
FROM unnest(ARRAY['strict', 'mixed', 'of_expression', 'copied', 'unproven', 'not_valid', 'loose', 'of_two', 'random_too', 'of_check',
                  'loose_no_index', 'copied_too', 'summarized', 'of_domain', 'with_other', 'times_only', 'without_null', 'wrapped']::regclass[]) AS relation,
    uuid_explain(relation) AS e;
RESET enable_seqscan;

-- It asks for facts, and runs nothing that a table's owner has put where PostgreSQL evaluates it before it plans a query.
CREATE ROLE regress_uuidx_mallory;
GRANT ALL ON SCHEMA "odd, schema" TO regress_uuidx_mallory;
SET ROLE regress_uuidx_mallory;
CREATE FUNCTION attack(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'regress_uuidx_mallory' THEN
        RAISE EXCEPTION 'attack %', n;
    END IF;
    RETURN 0;
END $$;
CREATE DOMAIN attacking AS uuid CHECK (attack(1) = 0);
CREATE TABLE planted (id uuid CHECK (uuid_is_v7(id)), n int, time_id uuid);
CREATE TABLE planted_parts (id uuid, n int) PARTITION BY RANGE (id, (n + attack(2)));
CREATE INDEX by_id ON planted (id, (n + attack(3)));
CREATE INDEX by_n ON planted ((n + attack(4)));
CREATE INDEX partial ON planted (id) WHERE n > attack(5);
CREATE INDEX not_null ON planted (time_id) WHERE time_id IS NOT NULL;
CREATE INDEX by_time_id ON planted (uuid_time(time_id), (n + attack(6)));
CREATE INDEX of_partitions ON planted_parts (id, (n + attack(7)));
ALTER TABLE planted ADD CONSTRAINT by_domain CHECK (id::attacking IS NOT NULL);
RESET ROLE;
\connect -
SET search_path = "odd, schema", public;
SELECT relation, e.column_name, e.versions, e.proven_by, e.conditions, e.sorts, e.joins
FROM unnest(ARRAY['planted', 'planted_parts']::regclass[]) AS relation, uuid_explain(relation) AS e;
SELECT FROM planted;

-- Errors
\set VERBOSITY sqlstate
CREATE VIEW seen AS TABLE strict;
SELECT * FROM uuid_explain('seen');
SELECT * FROM uuid_explain('strict_pkey');
SELECT * FROM uuid_explain(0);
SELECT * FROM uuid_explain('missing');

SET client_min_messages = warning;
DROP SCHEMA "odd, schema" CASCADE;
DROP ROLE regress_uuidx_mallory;
