-- Statements under locks of a table and its partitions
\set SHOW_CONTEXT never
CREATE TABLE locked (n int) PARTITION BY LIST (n);
CREATE TABLE "Locked 1" PARTITION OF locked FOR VALUES IN (1);
CALL uuidx_migrate.locked(ARRAY['locked']::regclass[], 'true', $$
INSERT INTO public.locked VALUES (1);
CREATE TABLE public.locks AS SELECT relation::regclass::text, mode, current_setting('search_path'), current_setting('lock_timeout') <> '0' AS limited
FROM pg_locks WHERE pid = pg_backend_pid() AND relation = ANY (ARRAY['public.locked', 'public."Locked 1"']::regclass[])$$);
SELECT * FROM locks ORDER BY relation COLLATE "C", mode;
SELECT current_setting('search_path'), current_setting('lock_timeout');
CALL uuidx_migrate.locked(ARRAY['locked']::regclass[], 'false', 'INSERT INTO public.locked VALUES (1)');
CALL uuidx_migrate.locked(ARRAY['locked']::regclass[], 'NULL', 'INSERT INTO public.locked VALUES (1)');
CALL uuidx_migrate.locked(ARRAY['locked']::regclass[], 'true', 'INSERT INTO public.locked VALUES (1); INSERT INTO public.locked VALUES (2)');
SELECT count(*) FROM locked;
BEGIN;
CALL uuidx_migrate.locked(ARRAY['locked']::regclass[], 'true', 'INSERT INTO public.locked VALUES (1)');
ROLLBACK;
SET default_transaction_isolation = 'serializable';
CALL uuidx_migrate.locked(ARRAY['locked']::regclass[], 'current_setting(''transaction_isolation'') = ''read committed''', 'INSERT INTO public.locked VALUES (1)');
RESET default_transaction_isolation;
SELECT count(*) FROM locked;
DROP TABLE locks, locked;
