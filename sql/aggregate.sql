-- The aggregates min and max of uuid. They are named with their schema, as PostgreSQL 20 has them in pg_catalog.
CREATE TABLE ids (n int, id uuid);
SELECT public.min(id), public.max(id) FROM ids;
INSERT INTO ids VALUES (1, NULL);
SELECT public.min(id) IS NULL AS min, public.max(id) IS NULL AS max FROM ids;
INSERT INTO ids SELECT n, md5(n::text)::uuid FROM generate_series(1, 10000) AS n;
SELECT public.min(id) = (SELECT id FROM ids ORDER BY id LIMIT 1) AS min,
       public.max(id) = (SELECT id FROM ids WHERE id IS NOT NULL ORDER BY id DESC LIMIT 1) AS max FROM ids;
SELECT n % 3 AS third, public.min(id), public.max(id) FROM ids WHERE n <= 9 AND id IS NOT NULL GROUP BY 1 ORDER BY 1;
SELECT n, public.max(id) OVER (ORDER BY n) FROM ids WHERE id IS NOT NULL ORDER BY n LIMIT 3;

-- An index answers them.
CREATE INDEX ON ids (id);
ANALYZE ids;
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query; END $$;
SELECT trim(line) AS scan FROM plan_of('SELECT public.max(id) FROM ids') AS line WHERE line ~ 'Scan';

-- So do parallel workers.
DROP INDEX ids_id_idx;
ALTER TABLE ids SET (parallel_workers = 2);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT public.min(id) FROM ids;
SELECT public.min(id) FROM ids;
DROP TABLE ids;
DROP FUNCTION plan_of;
