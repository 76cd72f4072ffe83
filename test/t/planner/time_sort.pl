# Sorts by the creation time on PostgreSQL 18 and newer: virtual columns, and constraints that are not enforced or not
# valid. sql/time_sort.sql has the rest.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
if ($node->safe_psql('postgres', 'SHOW server_version_num') < 180000)
{
    $node->stop;
    plan skip_all => 'PostgreSQL before 18 has no virtual columns';
}
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE events (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int,
        created timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL);
    INSERT INTO events SELECT uuid_generate_v7_at('2026-01-01'::timestamptz + n * interval '1 min'), n FROM generate_series(1, 10000) AS n;
    VACUUM ANALYZE events});

# In a session of its own
sub query { return $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; SET timezone = UTC; $_[0]") }
sub plan_of { return query("EXPLAIN (COSTS OFF) $_[0]") }

# The server's function does not load the library, as those of uuidx do.
my $latest = 'SELECT n, created FROM events ORDER BY created DESC LIMIT 3';
my $by_index = qr/^Limit\n  ->  Index Scan Backward using events_pkey on events$/;
unlike(plan_of($latest), $by_index, 'A virtual column is like any other until the library is loaded.');
$node->append_conf('postgresql.conf', q{session_preload_libraries = 'uuidx'});
$node->reload;
$node->poll_query_until('postgres', q{SELECT setting = 'uuidx' FROM pg_settings WHERE name = 'session_preload_libraries'});
like(plan_of($latest), $by_index, 'The key serves a sort by a virtual column.');
is(query($latest), "10000|2026-01-07 22:40:00+00\n9999|2026-01-07 22:39:00+00\n9998|2026-01-07 22:38:00+00", 'It returns the latest rows.');
like(plan_of('SELECT max(created) FROM events'), qr/Index Only Scan Backward using events_pkey/, 'It serves max().');
like(plan_of(q{SELECT n FROM events WHERE (created, id) < ('2026-01-07', uuid_v7_from('2026-01-07')) ORDER BY created DESC, id DESC LIMIT 3}),
    qr/^Limit\n  ->  Index Scan Backward using events_pkey on events\n +Index Cond:/, 'It serves a page.');
like(plan_of(q{SELECT created, count(*) FROM events WHERE created >= '2026-01-07 20:00' GROUP BY 1 ORDER BY 1}),
    qr/^GroupAggregate\n[^\n]*\n  ->  Index Only Scan using events_pkey on events\n +Index Cond:/, 'It serves groups.');

# Of a virtual column that grouping sets group by, each partition has the placeholder of its parent.
$node->safe_psql('postgres', q{
    CREATE TABLE parted (id uuid CHECK (uuid_is_v7(id)), ref uuid, n int,
        created timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL) PARTITION BY RANGE (id);
    CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (uuid_v7_from('2026-01-03'));
    CREATE TABLE parted_2 (gone int, ref uuid, id uuid, n int, created timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL,
        CONSTRAINT parted_id_check CHECK (uuid_is_v7(id)));
    ALTER TABLE parted_2 DROP gone;
    ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (uuid_v7_from('2026-01-03')) TO (uuid_v7_from('2026-01-06'));
    CREATE TABLE parted_other PARTITION OF parted DEFAULT;
    INSERT INTO parted SELECT id, uuid_generate_v7_at('2026-06-01'::timestamptz + n % 100 * interval '3 h'), n FROM events;
    CREATE TABLE referenced AS SELECT DISTINCT ref AS id, 1 AS n FROM parted;
    ALTER TABLE referenced ADD PRIMARY KEY (id);
    CREATE INDEX ON parted (id);
    VACUUM ANALYZE parted, referenced});
my $days = 'SELECT count(*), min(day), max(day), max(count), max(max) FROM (
    SELECT date_trunc(\'day\', p.created, \'UTC\') AS day, count(*), max(r.n) FROM parted AS p LEFT JOIN referenced AS r ON p.ref = r.id
    GROUP BY ROLLUP (1) LIMIT 1000) AS q';
my $sorted = 'SET enable_sort = off; SET enable_hashagg = off; SET enable_hashjoin = off;';
is(query("$sorted $days"), query("SET uuidx.time_planning = off; $days"), 'Grouping sets of a join with partitions return the same rows.');

# Constraints that existing rows need not satisfy
$node->safe_psql('postgres', q{
    CREATE TABLE unenforced (id uuid NOT NULL, CHECK (uuid_is_v7(id)) NOT ENFORCED);
    CREATE TABLE nullable (id uuid, n int);
    INSERT INTO nullable SELECT id, n FROM events UNION ALL SELECT NULL, 0;
    INSERT INTO unenforced SELECT id FROM events UNION ALL SELECT uuid_generate_v6();
    ALTER TABLE nullable ADD CHECK (uuid_is_v7(id)), ADD CONSTRAINT later NOT NULL id NOT VALID;
    CREATE INDEX ON unenforced (id);
    CREATE INDEX ON nullable (id);
    VACUUM ANALYZE unenforced, nullable});
unlike(plan_of('SELECT FROM unenforced ORDER BY uuid_time(id) LIMIT 1'), qr/Index/, 'A CHECK constraint that is not enforced proves nothing.');
my $first = 'SELECT n FROM nullable ORDER BY uuid_time(id) NULLS FIRST LIMIT 1';
unlike(plan_of($first), qr/Index/, 'A NOT NULL constraint that is not valid proves nothing.');
is(query($first), 0, 'A NULL comes first.');
$node->safe_psql('postgres', 'DELETE FROM nullable WHERE id IS NULL; ALTER TABLE nullable VALIDATE CONSTRAINT later; VACUUM nullable');
like(plan_of($first), qr/Index Scan using nullable_id_idx/, 'When it is valid, NULLs have any place.');
is(query($first), 1, 'The first row is the earliest.');

$node->stop;
done_testing();
