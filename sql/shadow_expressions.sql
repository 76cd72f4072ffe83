-- Expressions on columns, shown as they are on their shadow columns
\set SHOW_CONTEXT never
\pset null NULL
\set ECHO none \i sql/include/errors.sql \i sql/include/functions.sql \set ECHO all

-- Expressions of all kinds on shadow columns that do not exist yet
CREATE DOMAIN url AS text;
CREATE TYPE range_of_ids AS (first uuid, last uuid);
CREATE FUNCTION bucket(id uuid, buckets int DEFAULT 8) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT hashtext(id::text) % buckets $$;
CREATE OPERATOR ~~~ (LEFTARG = uuid, RIGHTARG = int, FUNCTION = bucket);
CREATE TABLE events (
    gone int, id uuid NOT NULL, "Parent Id" uuid, "order" uuid, also_gone uuid, name text COLLATE "C", n int, ids uuid[],
    "range" range_of_ids, at timestamptz,
    CONSTRAINT c01 CHECK (id <> "Parent Id" AND ("order" IS NULL OR "Parent Id" IS NOT NULL)),
    CONSTRAINT c02 CHECK (id::text COLLATE "C" > name),
    CONSTRAINT c03 CHECK (CASE WHEN n > 0 THEN id = ANY (ids) WHEN n = 0 THEN "order" IN (id, "Parent Id") ELSE name LIKE 'it''s %' END),
    CONSTRAINT c04 CHECK (id ~~~ 3 >= 0 OR id OPERATOR(pg_catalog.>) '00000000-0000-0000-0000-000000000001'),
    CONSTRAINT c05 CHECK (("range").first < id AND (("range").last IS DISTINCT FROM "Parent Id")),
    CONSTRAINT c06 CHECK (row(id, n) < row("Parent Id", 7) AND nullif(id, "order") IS NOT NULL),
    CONSTRAINT c07 CHECK (tableoid <> 'pg_class'::regclass AND extract(year FROM at AT TIME ZONE 'UTC') > 2000),
    CONSTRAINT c08 CHECK ((id IS NOT NULL) IS TRUE AND NOT (ids[1] = id AND ids[2:3] = ARRAY[id, "order"])),
    CONSTRAINT c09 CHECK (n BETWEEN 1 AND 10),
    CONSTRAINT c10 CHECK (bucket(id) > -5 AND bucket(id, buckets => 4) < 5),
    CONSTRAINT c11 CHECK (id::text::public.url <> '' AND greatest(id, "order") = id)
);
ALTER TABLE events DROP gone, DROP also_gone;
CREATE INDEX i01 ON events (name, lower(id::text), n) WHERE "order" IS NULL;
CREATE INDEX i02 ON events ((id::text || '/' || name), (("range").first), coalesce("order", id)) WHERE id > "Parent Id" AND n IN (1, 2);
CREATE INDEX i03 ON events ((CASE id WHEN "Parent Id" THEN 0 ELSE n + 1 END), (id::text) COLLATE "C" text_pattern_ops DESC);
CREATE INDEX i04 ON events (bucket("Parent Id"), (id IS NULL));
CREATE STATISTICS s01 ON lower("order"::text), (id = "Parent Id"), n FROM events;
CREATE VIEW expressions AS
SELECT conname AS name, conbin AS tree FROM pg_constraint WHERE conrelid = 'events'::regclass AND contype = 'c'
UNION ALL SELECT indexrelid::regclass::name, indexprs FROM pg_index WHERE indrelid = 'events'::regclass
UNION ALL SELECT indexrelid::regclass || ' WHERE', indpred FROM pg_index WHERE indrelid = 'events'::regclass AND indpred IS NOT NULL
UNION ALL SELECT stxname, stxexprs FROM pg_statistic_ext WHERE stxrelid = 'events'::regclass;
CREATE FUNCTION moved(tree pg_node_tree, relation regclass, columns name[], shadows name[]) RETURNS text[] LANGUAGE sql AS $$
    SELECT uuidx_migrate_steps.on_shadows(tree, relation, array_agg(attnum ORDER BY n), shadows)
    FROM unnest(columns) WITH ORDINALITY AS c (name, n) JOIN pg_attribute ON attrelid = relation AND attname = c.name
$$;
CREATE TABLE moved AS SELECT name, moved(tree, 'events', '{id,Parent Id,order}', '{id_shadow,Parent Id_shadow,order}') FROM expressions;
SELECT name, n, text FROM moved, unnest(moved) WITH ORDINALITY AS m (text, n) ORDER BY name COLLATE "C", n;

-- They are what PostgreSQL shows once the columns have these names, except for the spaces in CASE.
CREATE FUNCTION shown(tree pg_node_tree) RETURNS text LANGUAGE sql SET search_path = pg_catalog AS
$$ SELECT btrim(regexp_replace(pg_get_expr(tree, 'public.events'::regclass), '\s+', ' ', 'g')) $$;
CREATE VIEW different AS
SELECT name, array_to_string(moved, ', ') AS moved, shown(tree) FROM moved JOIN expressions USING (name)
WHERE array_to_string(moved, ', ') IS DISTINCT FROM shown(tree);
SELECT count(*) FROM different;
BEGIN;
ALTER TABLE events RENAME id TO id_shadow;
ALTER TABLE events RENAME "Parent Id" TO "Parent Id_shadow";
SELECT * FROM different;
ROLLBACK;

-- The names may be those of other columns, as long as an expression does not need these too.
TRUNCATE moved;
INSERT INTO moved SELECT name, moved(tree, 'events', '{id,Parent Id,order,n,at}', '{order,id,Parent Id,at,other}') FROM expressions;
BEGIN;
ALTER TABLE events RENAME at TO other;
ALTER TABLE events RENAME n TO at;
ALTER TABLE events RENAME "order" TO n;
ALTER TABLE events RENAME id TO "order";
ALTER TABLE events RENAME "Parent Id" TO id;
ALTER TABLE events RENAME n TO "Parent Id";
SELECT * FROM different;
ROLLBACK;
SELECT moved(tree, 'events', '{id}', '{n}') FROM expressions WHERE name = 'c01';
SELECT moved(tree, 'events', '{id}', '{n}') FROM expressions WHERE name = 'c03';
SELECT moved(tree, 'events', '{id,Parent Id}', '{x,x}') FROM expressions WHERE name = 'c01';

-- In parentheses, they are what CHECK and CREATE INDEX take, also if no schema is searched.
CREATE TABLE again (LIKE events);
ALTER TABLE again RENAME id TO id_shadow;
ALTER TABLE again RENAME "Parent Id" TO "Parent Id_shadow";
UPDATE moved SET moved = moved(tree, 'events', '{id,Parent Id}', '{id_shadow,Parent Id_shadow}') FROM expressions AS e WHERE e.name = moved.name;
SET search_path = pg_catalog;
DO $$
DECLARE
    statement text;
BEGIN
    FOR statement IN
        SELECT format(CASE WHEN name LIKE 'i__' THEN 'CREATE INDEX ON public.again ((%s))'
                           WHEN name LIKE 's__' THEN 'CREATE STATISTICS public.s02 ON (%s) FROM public.again'
                           ELSE 'ALTER TABLE public.again ADD CHECK (%s)' END, array_to_string(moved, '), ('))
        FROM public.moved
    LOOP
        EXECUTE statement;
    END LOOP;
END
$$;
RESET search_path;
SELECT count(*) FILTER (WHERE contype = 'c') AS checks,
       (SELECT count(*) FROM pg_index WHERE indrelid = 'again'::regclass) AS indexes,
       (SELECT count(*) FROM pg_statistic_ext WHERE stxrelid = 'again'::regclass) AS statistics
FROM pg_constraint WHERE conrelid = 'again'::regclass;

-- A table of many columns, for which PostgreSQL keeps its names in another way
DO $$
BEGIN
    EXECUTE (SELECT format('CREATE TABLE wide (%s, CHECK (c1 < c60))', string_agg(format('c%s uuid', n), ', ' ORDER BY n))
             FROM generate_series(1, 60) AS n);
END
$$;
SELECT uuidx_migrate_steps.on_shadows(conbin, conrelid, '{1,60}', '{c60,c30}') FROM pg_constraint WHERE conname = 'wide_check';

-- What cannot be shown: whole rows, other relations and subqueries
ALTER TABLE again ADD CONSTRAINT whole_row CHECK (again IS NOT NULL);
SELECT uuidx_migrate_steps.on_shadows(conbin, conrelid, '{2}', '{x}') FROM pg_constraint WHERE conname = 'whole_row';
CREATE TRIGGER two_rows AFTER UPDATE ON again FOR EACH ROW WHEN (old.id_shadow <> new.id_shadow) EXECUTE FUNCTION nothing();
SELECT uuidx_migrate_steps.on_shadows(tgqual, tgrelid, '{2}', '{x}') FROM pg_trigger WHERE tgname = 'two_rows';
CREATE POLICY subquery ON again USING (id_shadow IN (SELECT id FROM events));
SELECT uuidx_migrate_steps.on_shadows(polqual, polrelid, '{2}', '{x}') FROM pg_policy WHERE polname = 'subquery';
SELECT uuidx_migrate_steps.on_shadows(ev_action, ev_class, '{2}', '{x}') FROM pg_rewrite WHERE ev_class = 'expressions'::regclass;

-- Bad arguments
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate_steps.on_shadows(tree, 'events', '{2,3}', '{x}') FROM expressions WHERE name = 'c01'$$,
    $$SELECT uuidx_migrate_steps.on_shadows(tree, 'events', '{2,NULL}', '{x,y}') FROM expressions WHERE name = 'c01'$$,
    $$SELECT uuidx_migrate_steps.on_shadows(tree, 'events', '{2,3}', '{x,NULL}') FROM expressions WHERE name = 'c01'$$);
SELECT uuidx_migrate_steps.on_shadows(tree, 'events', NULL, '{}') IS NULL AS of_null FROM expressions WHERE name = 'c01';
DROP VIEW different, expressions;
DROP TABLE events, again, wide, moved;
DROP FUNCTION moved, shown, nothing, v1, v4, v6;
DROP OPERATOR ~~~ (uuid, int);
DROP FUNCTION bucket;
DROP TYPE range_of_ids;
DROP DOMAIN url;
