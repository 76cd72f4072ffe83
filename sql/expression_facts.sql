-- What an expression in the catalogs reads
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA facts;
SET search_path = facts, uuidx_migrate, uuidx_migrate_steps;

-- The facts by name; a rule and a trigger have several objects of their table.
CREATE FUNCTION facts(classid oid, objid oid) RETURNS TABLE (fact text, what text) LANGUAGE sql AS $$
SELECT f.fact,
       concat(upper(f.transition) || ' of ', f.relation,
              '.' || CASE f.attnum WHEN 0 THEN '*' ELSE (SELECT quote_ident(a.attname) FROM pg_attribute AS a WHERE (a.attrelid, a.attnum) = (f.relation, f.attnum)) END,
              CASE WHEN f.fact = 'function' THEN f.object::regprocedure::text
                   WHEN f.fact IN ('operator', 'unnamed') THEN f.object::regoperator::text
                   WHEN f.fact = 'domain' THEN f.object::regtype::text END,
              f.value)
FROM expression_facts(classid, objid) AS f ORDER BY 1, 2
$$;
CREATE FUNCTION facts_of(view regclass) RETURNS TABLE (fact text, what text) LANGUAGE sql AS
$$ SELECT f.* FROM pg_rewrite AS w, facts('pg_rewrite'::regclass, w.oid) AS f WHERE w.ev_class = view $$;
CREATE FUNCTION facts_of(function regprocedure) RETURNS TABLE (fact text, what text) LANGUAGE sql AS $$ SELECT * FROM facts('pg_proc'::regclass, function) $$;

-- A dropped column keeps its number.
CREATE DOMAIN "a domain" AS text CHECK (VALUE <> '');
CREATE TABLE things (dropped int, id uuid, "Odd) ""name" text, n int, tags text[], doc jsonb, gone int, at timestamptz);
ALTER TABLE things DROP COLUMN dropped, DROP COLUMN gone;
CREATE TABLE others (id uuid PRIMARY KEY, thing uuid, note text);

-- --- Constraints ---
CREATE FUNCTION checked(anyelement) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
ALTER TABLE things
    ADD CONSTRAINT c01_columns CHECK (id IS DISTINCT FROM '01234567-89ab-1cde-8f01-23456789abcd' AND n > 0),
    ADD CONSTRAINT c02_null_test CHECK (id IS NOT NULL OR "Odd) ""name" IS NULL),
    ADD CONSTRAINT c03_null_test_and_value CHECK (id IS NOT NULL AND id > '11234567-89ab-1cde-8f01-23456789abcd'),
    ADD CONSTRAINT c04_num_nulls CHECK (num_nulls(id, upper("Odd) ""name"), n) <= 1),
    ADD CONSTRAINT c05_num_nulls_of_array CHECK (num_nonnulls(VARIADIC ARRAY[id, NULL]) <= 1),
    ADD CONSTRAINT c06_whole_row CHECK (checked(things)),
    ADD CONSTRAINT c07_null_row CHECK (things IS NOT NULL),
    ADD CONSTRAINT c08_system_column CHECK (tableoid <> 0),
    ADD CONSTRAINT c09_domain CHECK ("Odd) ""name"::"a domain" <> 'x'),
    ADD CONSTRAINT c10_uuids CHECK (id::text <> '21234567-89AB-1CDE-8F01-23456789ABCD'
        AND id <> ALL ('{31234567-89ab-1cde-8f01-23456789abcd,41234567-89ab-1cde-8f01-23456789abcd,NULL}')
        AND tags <> '{51234567-89ab-1cde-8f01-23456789abcd,none}' AND n <> ALL ('{1,2}') AND "Odd) ""name" <> '61234567-89ab-1cde-8f01-23456789abc'),
    ADD CONSTRAINT c11_subscripts CHECK (tags[n] <> doc ->> 'a'),
    ADD CONSTRAINT c12_comparisons CHECK ((id, n) < (NULL, 1) AND greatest(id, NULL) = id AND nullif(n, 0) IS NULL),
    ADD CONSTRAINT c13_cases CHECK (CASE n WHEN 1 THEN id IS NULL ELSE coalesce(at < 'epoch', true) END),
    ADD CONSTRAINT c14_row CHECK (ROW(NULL, 'a', 1, NULL, NULL, NULL)::things IS NOT NULL),
    ADD CONSTRAINT c15_row_constant CHECK (checked('(,a,1,,,)'::things)),
    ADD CONSTRAINT c16_nothing CHECK (current_user <> 'nobody' AND CURRENT_DATE IS NOT NULL);
SELECT k.conname, f.* FROM pg_constraint AS k, facts('pg_constraint'::regclass, k.oid) AS f WHERE k.conrelid = 'things'::regclass ORDER BY 1, 2, 3;
ALTER TABLE things DROP CONSTRAINT c06_whole_row, DROP CONSTRAINT c07_null_row, DROP CONSTRAINT c14_row, DROP CONSTRAINT c15_row_constant, DROP CONSTRAINT c16_nothing;

-- --- Indexes, statistics, partition keys, defaults ---
CREATE INDEX things_expression ON things (lower("Odd) ""name"), n, (id::text COLLATE "C")) WHERE at IS NOT NULL AND id > '71234567-89ab-1cde-8f01-23456789abcd';
CREATE INDEX things_plain ON things (id);
SELECT i AS index, f.* FROM unnest('{things_expression,things_plain}'::regclass[]) AS i, facts('pg_class'::regclass, i) AS f;
CREATE STATISTICS things_statistics ON (id::text), (n + 1) FROM things;
SELECT f.* FROM pg_statistic_ext AS s, facts('pg_statistic_ext'::regclass, s.oid) AS f WHERE s.stxname = 'things_statistics';
CREATE TABLE parted (dropped int, id uuid, n int) PARTITION BY RANGE (n, (md5(id::text)));
ALTER TABLE parted DROP COLUMN dropped;
SELECT * FROM facts('pg_partitioned_table'::regclass, 'parted'::regclass);
CREATE SEQUENCE numbers;
CREATE TABLE defaults (id uuid DEFAULT '81234567-89ab-1cde-8f01-23456789abcd', a int, b int GENERATED ALWAYS AS (a * 2) STORED, c bigint DEFAULT nextval('numbers'));
SELECT a.adnum, f.* FROM pg_attrdef AS a, facts('pg_attrdef'::regclass, a.oid) AS f WHERE a.adrelid = 'defaults'::regclass ORDER BY 1, 2, 3;

-- --- Triggers, rules and policies ---
CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER t1 BEFORE UPDATE ON things FOR EACH ROW WHEN (old.n = 1 AND new.id IS NULL AND old.id <> new.id) EXECUTE FUNCTION pass();
CREATE TRIGGER t2 BEFORE UPDATE ON things FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION pass();
CREATE TRIGGER t3 BEFORE UPDATE ON things FOR EACH ROW EXECUTE FUNCTION pass();
SELECT t.tgname, f.* FROM pg_trigger AS t, facts('pg_trigger'::regclass, t.oid) AS f WHERE t.tgrelid = 'things'::regclass ORDER BY 1, 2, 3;
CREATE RULE r1 AS ON UPDATE TO things WHERE old.n > 1 DO ALSO
    (INSERT INTO others (id, thing) SELECT new.id, t.id FROM things AS t WHERE t.at = old.at; DELETE FROM others WHERE thing = old.id);
CREATE RULE r2 AS ON INSERT TO things DO ALSO UPDATE others AS o SET note = 'new' WHERE o.thing = new.id AND EXISTS (SELECT FROM things AS x WHERE x.n = 1);
CREATE RULE r3 AS ON DELETE TO things DO ALSO NOTIFY things;
SELECT w.rulename, f.* FROM pg_rewrite AS w, facts('pg_rewrite'::regclass, w.oid) AS f WHERE w.ev_class = 'things'::regclass ORDER BY 1, 2, 3;
CREATE POLICY p1 ON things USING (id IN (SELECT o.thing FROM others AS o WHERE o.note = things."Odd) ""name")) WITH CHECK (n = 1);
SELECT f.* FROM pg_policy AS p, facts('pg_policy'::regclass, p.oid) AS f WHERE p.polname = 'p1';
DROP RULE r1 ON things;
DROP RULE r2 ON things;
DROP RULE r3 ON things;

-- --- Views: queries in queries, and what a join has ---
CREATE VIEW v01_joins AS SELECT j.id, b.note FROM (things AS j JOIN others AS b USING (id)) LEFT JOIN others AS c ON c.thing = j.id AND c.note IS NULL;
CREATE VIEW v02_merged_column AS SELECT id FROM things FULL JOIN others USING (id);
CREATE VIEW v03_alias_of_join AS SELECT x.a FROM (things AS t CROSS JOIN others AS o) AS x (a);
CREATE VIEW v04_row_of_join AS SELECT to_jsonb(x) AS x FROM (things CROSS JOIN others) AS x;
CREATE VIEW v05_alias_of_table AS SELECT x.c FROM others AS x (a, b, c);
CREATE VIEW v06_alias_of_query AS SELECT x.b FROM (SELECT id, thing FROM others) AS x (a, b);
CREATE VIEW v07_levels AS
    SELECT (SELECT (SELECT t.n + count(*) FROM others AS b WHERE b.thing = t.id AND b.note = a.note) FROM others AS a LIMIT 1) AS n FROM things AS t;
CREATE VIEW v08_lateral AS SELECT x.y FROM things AS t, LATERAL (SELECT t.at AS y) AS x, LATERAL unnest(t.tags) AS z;
CREATE VIEW v09_cte AS WITH a AS (SELECT id, n FROM things), b (x) AS (SELECT note FROM others) SELECT a.n, b.x FROM a, b;
CREATE VIEW v10_recursive AS WITH RECURSIVE r (id, depth) AS (SELECT id, 0 FROM others UNION ALL SELECT o.thing, r.depth + 1 FROM r JOIN others AS o ON o.id = r.id)
    SEARCH DEPTH FIRST BY id SET path CYCLE id SET cycled USING cycles SELECT depth FROM r;
CREATE VIEW v11_union AS SELECT id FROM things UNION SELECT thing FROM others ORDER BY 1;
CREATE VIEW v12_groups AS SELECT n, grouping(n), count(DISTINCT at) FILTER (WHERE doc IS NULL), max(at) OVER w FROM things GROUP BY GROUPING SETS ((n, at, id)) WINDOW w AS (PARTITION BY n);
CREATE VIEW v13_values AS SELECT * FROM (VALUES ('91234567-89ab-1cde-8f01-23456789abcd'::uuid), (gen_random_uuid())) AS v (x);
CREATE VIEW v14_sample AS SELECT id FROM things TABLESAMPLE bernoulli (1) REPEATABLE (2);
CREATE VIEW v15_row AS SELECT o AS whole, (o).note, to_jsonb(ROW(o.*)) AS fields FROM others AS o;
CREATE VIEW v16_view AS SELECT note FROM v15_row;
CREATE MATERIALIZED VIEW v17_materialized AS SELECT id FROM others WHERE note LIKE 'a%' WITH NO DATA;
SELECT c.oid::regclass AS view, f.* FROM pg_class AS c, facts_of(c.oid::regclass) AS f WHERE c.relname ~ '^v[0-9]' ORDER BY 1, 2, 3;

-- All views, those of the server too: they depend on the columns that they read. It notes no dependencies on its own tables.
CREATE TEMP TABLE known AS SELECT d.objid AS rule, d.refobjid AS relation, d.refobjsubid AS attnum FROM pg_depend AS d JOIN pg_rewrite AS w ON w.oid = d.objid
WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0 AND d.deptype = 'n' AND w.rulename = '_RETURN';
CREATE TEMP TABLE found AS SELECT w.oid AS rule, f.relation::oid, f.attnum::int FROM pg_rewrite AS w, expression_facts('pg_rewrite'::regclass, w.oid) AS f
WHERE f.attnum >= 0 AND w.rulename = '_RETURN';
SELECT count(*) > 200 AS many FROM known;
SELECT pg_describe_object('pg_rewrite'::regclass, k.rule, 0) AS view, pg_describe_object('pg_class'::regclass, k.relation, k.attnum) AS not_found
FROM known AS k WHERE NOT EXISTS (SELECT FROM found AS f WHERE (f.rule, f.relation) = (k.rule, k.relation) AND f.attnum IN (k.attnum, 0));
SELECT pg_describe_object('pg_rewrite'::regclass, f.rule, 0) AS view, pg_describe_object('pg_class'::regclass, f.relation, f.attnum) AS not_known
FROM found AS f WHERE f.attnum > 0 AND f.relation >= 12000 AND NOT EXISTS (SELECT FROM known AS k WHERE (k.rule, k.relation, k.attnum) = (f.rule, f.relation, f.attnum));
DROP TABLE known, found;

-- --- Functions ---
CREATE FUNCTION f01(o others, a uuid DEFAULT 'a1234567-89ab-1cde-8f01-23456789abcd') RETURNS text LANGUAGE sql RETURN o.note || a;
CREATE FUNCTION f02(o others) RETURNS jsonb LANGUAGE sql RETURN to_jsonb(o);
CREATE FUNCTION f03() RETURNS SETOF others LANGUAGE sql BEGIN ATOMIC SELECT id, thing, note FROM others; END;
CREATE FUNCTION f04() RETURNS SETOF text LANGUAGE sql BEGIN ATOMIC SELECT x.note FROM f03() AS x; SELECT (f).note FROM f03() AS f; END;
CREATE FUNCTION f05() RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO others (id, thing) VALUES ('b1234567-89ab-1cde-8f01-23456789abcd', NULL)
    ON CONFLICT (id) WHERE note = 'a' DO UPDATE SET note = excluded.note WHERE others.thing IS NULL;
    UPDATE others SET note = t."Odd) ""name" FROM things AS t WHERE t.id = others.id;
END;
CREATE FUNCTION f06(x text) RETURNS text LANGUAGE sql RETURN (x::others).note || (jsonb_populate_record(NULL::others, '{}')).note;
CREATE FUNCTION f07(x text) RETURNS text LANGUAGE sql AS 'SELECT note FROM others';
-- A node that is not known
CREATE FUNCTION f08() RETURNS void LANGUAGE sql BEGIN ATOMIC UPDATE others SET note = 'a' WHERE CURRENT OF c; END;
SELECT p.proname AS function, f.* FROM pg_proc AS p, facts_of(p.oid::regprocedure) AS f WHERE p.proname ~ '^f[0-9]' ORDER BY 1, 2, 3;

-- --- What not all servers have ---
-- Nothing is shown unless the facts are others than these.
SET client_min_messages = error;
CREATE FUNCTION newer(version int, definition text, class regclass, object text, expected text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    found oid;
    facts text[];
BEGIN
    IF current_setting('server_version_num')::int >= version THEN
        EXECUTE definition;
        EXECUTE object INTO found;
        facts := ARRAY(SELECT format('%s %s', f.fact, f.what) FROM facts(class, found) AS f WHERE f.fact NOT IN ('function', 'operator', 'unnamed'));
        IF facts IS DISTINCT FROM expected THEN
            RETURN NEXT format('%s: %s', definition, facts);
        END IF;
    END IF;
EXCEPTION WHEN feature_not_supported THEN -- a server without XML
END
$$;
SELECT newer(140000, 'CREATE VIEW g0 AS SELECT x.id FROM others, XMLTABLE(''/r'' PASSING xmlelement(name r, note) COLUMNS id uuid PATH ''id'') AS x',
             'pg_rewrite', 'SELECT oid FROM pg_rewrite WHERE ev_class = ''g0''::regclass', '{column others.note}');
SELECT newer(150000, 'CREATE PUBLICATION p FOR TABLE others WHERE (id > ''c1234567-89ab-1cde-8f01-23456789abcd'')', 'pg_publication_rel',
             'SELECT oid FROM pg_publication_rel', '{column others.id,uuid c1234567-89ab-1cde-8f01-23456789abcd}');
SELECT newer(150000, 'CREATE FUNCTION g1() RETURNS void LANGUAGE sql BEGIN ATOMIC MERGE INTO others AS o USING things AS t ON o.id = t.id
                      WHEN MATCHED AND t.at IS NULL THEN UPDATE SET note = t."Odd) ""name" WHEN NOT MATCHED THEN INSERT (id) VALUES (t.id); END',
             'pg_proc', 'SELECT ''g1()''::regprocedure', '{column others.id,"column things.\"Odd) \"\"name\"",column things.id,null test things.at}');
SELECT newer(160000, 'CREATE VIEW g2 AS SELECT json_object(''a'': o.note) AS a, o.note IS JSON AS b FROM others AS o',
             'pg_rewrite', 'SELECT oid FROM pg_rewrite WHERE ev_class = ''g2''::regclass', '{column others.note}');
SELECT newer(170000, 'CREATE VIEW g3 AS SELECT json_value(t.doc, ''$.a'' PASSING t.n AS x RETURNING uuid DEFAULT ''d1234567-89ab-1cde-8f01-23456789abcd''::uuid ON EMPTY) AS a FROM things AS t',
             'pg_rewrite', 'SELECT oid FROM pg_rewrite WHERE ev_class = ''g3''::regclass', '{column things.doc,column things.n,uuid d1234567-89ab-1cde-8f01-23456789abcd}');
SELECT newer(180000, 'CREATE FUNCTION g4() RETURNS text LANGUAGE sql BEGIN ATOMIC UPDATE others SET id = NULL RETURNING old.note || new.thing; END',
             'pg_proc', 'SELECT ''g4()''::regprocedure', '{column NEW of others.thing,column OLD of others.note}');
-- A generated column that is not stored is a column of its own.
SELECT newer(180000, 'CREATE TABLE g5 (id uuid, v text GENERATED ALWAYS AS (id::text) VIRTUAL CHECK (v <> ''''))',
             'pg_constraint', 'SELECT oid FROM pg_constraint WHERE conrelid = ''g5''::regclass AND contype = ''c''', '{column g5.v}');
SELECT newer(190000, 'CREATE TABLE g6 (id uuid, valid daterange); CREATE FUNCTION g6() RETURNS void LANGUAGE sql BEGIN ATOMIC DELETE FROM g6 FOR PORTION OF valid FROM ''2026-01-01'' TO NULL; END',
             'pg_proc', 'SELECT ''g6()''::regprocedure', '{column g6.*,column g6.valid,position g6.*}');

-- --- What is not there ---
SELECT count(*) FROM expression_facts('pg_constraint'::regclass, 0);
SELECT count(*) FROM expression_facts('pg_index'::regclass, 'things'::regclass);
SELECT count(*) FROM expression_facts('pg_class'::regclass, 'things'::regclass);
SELECT count(*) FROM expression_facts('things'::regclass, 'things'::regclass);
SELECT count(*) FROM expression_facts(0, 0);

-- --- What the user may read, and the catalog as it is now ---
SELECT 'things_expression'::regclass::oid AS index \gset
CREATE ROLE regress_uuidx_reader;
BEGIN;
SET ROLE regress_uuidx_reader;
SELECT f.fact, f.attnum FROM expression_facts('pg_index'::regclass, :index) AS f WHERE f.fact = 'column';
RESET ROLE;
REVOKE SELECT ON pg_index FROM PUBLIC;
SET ROLE regress_uuidx_reader;
SELECT * FROM expression_facts('pg_index'::regclass, :index);
ROLLBACK;
DROP ROLE regress_uuidx_reader;
CREATE FUNCTION made() RETURNS oid LANGUAGE plpgsql AS $$ BEGIN CREATE INDEX made ON others ((note || 'made')); RETURN 'made'::regclass; END $$;
SELECT (SELECT count(*) FROM pg_index AS i WHERE i.indexrelid = m) AS in_snapshot, f.* FROM made() AS m, facts('pg_index'::regclass, m) AS f;

-- --- What plan says by them ---
-- A text that looks like an expression
CREATE TABLE literals (id uuid, note text, CHECK (note <> ' :varattno 1 {VAR :varno 1 :varattno 0 {CONST :consttype 2950 :funcid :opno 2974 '));
CREATE INDEX literals_note ON literals (note) WHERE note <> ' :varattno 1 ';
SELECT k.conname, f.* FROM pg_constraint AS k, facts('pg_constraint'::regclass, k.oid) AS f WHERE k.conrelid = 'literals'::regclass;
SELECT i.description FROM indexes(ARRAY(SELECT c FROM migrated_columns('literals', 'id', '{}') AS c)) AS i;
SELECT remarks, obstacles FROM plan('literals', 'id', conversion => 'v1_to_v6');
-- UUIDs in arrays, and in names and comments, where they are none; rows and joins by position
CREATE TABLE keyed (id uuid PRIMARY KEY, note text, CONSTRAINT keyed_not_these CHECK (id <> ALL ('{01234567-89ab-1cde-8f01-23456789abcd}')));
CREATE VIEW k1 AS SELECT id, note AS "'11234567-89ab-1cde-8f01-23456789abcd'" FROM keyed;
CREATE VIEW k2 AS SELECT note FROM keyed WHERE id IN ('21234567-89ab-1cde-8f01-23456789abcd', '31234567-89ab-1cde-8f01-23456789abcd', '41234567-89ab-7cde-8f01-23456789abcd');
CREATE VIEW k3 AS SELECT note FROM keyed WHERE id = ANY ('{51234567-89ab-1cde-8f01-23456789abcd}');
CREATE VIEW k4 AS SELECT k.id, x.a FROM keyed AS k, (others AS a CROSS JOIN others AS b) AS x (a);
CREATE VIEW k5 AS SELECT x.a FROM (keyed AS a CROSS JOIN others AS b) AS x (a);
CREATE VIEW k6 AS SELECT ROW(k.id, k.note)::keyed IS NULL AS is_null FROM keyed AS k;
CREATE MATERIALIZED VIEW k7 AS SELECT id FROM keyed;
COMMENT ON MATERIALIZED VIEW k7 IS '61234567-89ab-1cde-8f01-23456789abcd';
SELECT r.remark FROM plan('keyed', 'id', conversion => 'v1_to_v6') AS p, unnest(p.remarks) AS r (remark);
SELECT o.obstacle FROM plan('keyed', 'id', conversion => 'v1_to_v6') AS p, unnest(p.obstacles) AS o (obstacle);
-- Two indexes with the same expression
CREATE TABLE listed (id uuid, n int) PARTITION BY LIST (n);
CREATE TABLE listed_1 PARTITION OF listed FOR VALUES IN (1);
CREATE TRIGGER unless BEFORE UPDATE ON listed FOR EACH ROW WHEN (new.id <> '71234567-89ab-1cde-8f01-23456789abcd') EXECUTE FUNCTION suppress_redundant_updates_trigger();
SELECT r.remark FROM plan('listed', 'id', conversion => 'v1_to_v6') AS p, unnest(p.remarks) AS r (remark) WHERE r.remark ~ 'has the UUID';
DROP TRIGGER unless ON listed;
CREATE INDEX listed_1_md5 ON listed_1 (md5(id::text));
CREATE INDEX with_a_longer_name ON listed_1 (md5(id::text));
SELECT o.obstacle FROM plan('listed', 'id', conversion => 'v1_to_v6') AS p, unnest(p.obstacles) AS o (obstacle);
-- A type that changes: whether a column is null, and whether a row has changed, is the same for both.
CREATE TABLE texts (id text PRIMARY KEY, note text, CHECK (num_nulls(id, lower(note)) = 0), CHECK (id IS NOT NULL), CONSTRAINT texts_row CHECK (checked(texts)));
CREATE TRIGGER changed BEFORE UPDATE ON texts FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.* AND new.id IS NOT NULL) EXECUTE FUNCTION pass();
CREATE TRIGGER changed_key BEFORE UPDATE ON texts FOR EACH ROW WHEN (old.id <> new.id) EXECUTE FUNCTION pass();
SELECT o.obstacle FROM plan('texts', 'id', conversion => 'text_to_uuid') AS p, unnest(p.obstacles) AS o (obstacle);
DROP PUBLICATION IF EXISTS p;
DROP SCHEMA facts CASCADE;
