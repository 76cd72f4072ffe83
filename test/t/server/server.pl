# The module in the servers that it may meet: preloaded, with just-in-time compilation, with
# parallel workers, in a database of another encoding; and a session that makes many UUIDs.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'uuidx'");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx');

$node->safe_psql('postgres',
    q{CREATE TABLE ids AS SELECT uuid 'c232ab00-9414-11ec-b3c8-9f6bdeced846' AS id});
my $vectors = q{SELECT uuid_version(id), uuid_variant(id), uuid_time(id) AT TIME ZONE 'UTC',
    uuid_v1_to_v6(id), uuid_v6_to_v1(uuid_v1_to_v6(id)), uuid_extract_node(id),
    uuid_generate_v8(id, 'name'), uuid_version(uuid_generate_v7()) FROM ids};
my $expected = $node->safe_psql('postgres', "SET jit = off; $vectors");
like($expected, qr/^1\|rfc9562\|2022-02-22 19:22:22\|1ec9414c-232a-6b00-b3c8-9f6bdeced846\|/,
    'The module works when it is preloaded');

# All functions inlined from the bitcode
SKIP: {
    skip 'the module was built without LLVM bitcode', 3 unless glob 'src/core/*.bc';
    my $jit = q{SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0;
        SET jit_optimize_above_cost = 0;};
    is($node->safe_psql('postgres', "$jit $vectors"), $expected, 'It does the same when it is compiled just in time');
    like($node->safe_psql('postgres', "$jit EXPLAIN (ANALYZE) $vectors"),
        qr/Inlining true/, 'Its functions are inlined then');
    # The generator is one and the same for compiled and interpreted calls.
    is($node->safe_psql('postgres', qq{
            CREATE TABLE calls (n int GENERATED ALWAYS AS IDENTITY, id uuid);
            INSERT INTO calls (id) SELECT uuid_generate_v7() FROM generate_series(1, 100);
            $jit
            INSERT INTO calls (id) SELECT uuid_generate_v7() FROM generate_series(1, 100);
            SET jit = off;
            INSERT INTO calls (id) SELECT uuid_generate_v7() FROM generate_series(1, 100);
            SELECT count(*) FILTER (WHERE id <= before), (SELECT generated FROM uuid_generator_state())
            FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM calls) AS o}),
        '0|300', 'Compiled and interpreted calls have one generator');
}

# Workers generate, each on its own: no two the same.
$node->safe_psql('postgres', q{
    CREATE TABLE numbers AS SELECT n FROM generate_series(1, 200000) AS n;
    ANALYZE numbers;
    ALTER TABLE numbers SET (parallel_workers = 2)});
my $parallel = q{SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
    SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = on;};
like($node->safe_psql('postgres', "$parallel EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)
        CREATE TABLE made AS SELECT uuid_generate_v7() AS id FROM numbers"),
    qr/Workers Launched: 2/, 'Two parallel workers generate');
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM made'),
    '200000|200000', 'No two of their UUIDs are the same');

# A name is hashed as it is in the database's encoding: in LATIN1, an e with acute is octet E9.
$node->safe_psql('postgres',
    q{CREATE DATABASE latin1 TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'});
$node->safe_psql('latin1', 'CREATE EXTENSION uuidx');
for my $database (['postgres', '\xc3a9'], ['latin1', '\xe9'])
{
    my ($name, $octets) = @$database;
    is($node->safe_psql($name, qq{SELECT uuid_generate_v8(uuid_max(), chr(233))
        = uuid_generate_v8(substr(sha256(uuid_send(uuid_max()) || '$octets'::bytea), 1, 16))}),
        't', "A name is hashed in the encoding of database $name");
}
is($node->safe_psql('latin1', q{
        CREATE EXTENSION uuidx_ossp;
        CREATE SCHEMA ossp;
        CREATE EXTENSION "uuid-ossp" SCHEMA ossp;
        SELECT count(DISTINCT uuid_generate_v5(uuid_ns_dns(), name)),
            bool_and(uuid_generate_v3(uuid_ns_dns(), name) = ossp.uuid_generate_v3(uuid_ns_dns(), name)),
            bool_and(uuid_generate_v5(uuid_ns_dns(), name) = ossp.uuid_generate_v5(uuid_ns_dns(), name))
        FROM (SELECT 'caf' || chr(n) AS name FROM generate_series(161, 255) AS n) AS names}),
    '95|t|t', 'uuid-ossp hashes the same');

# A session that makes many UUIDs does not grow.
my $memory = 'SELECT sum(total_bytes) FROM pg_backend_memory_contexts;';
my ($before, undef, $after) = split /\n/, $node->safe_psql('postgres', qq{
    SELECT count(uuid_generate_v7()) FROM generate_series(1, 1000) \\g /dev/null
    $memory
    SELECT count(uuid_generate_v7()) + count(uuid_v1_to_v6('c232ab00-9414-11ec-b3c8-9f6bdeced846'))
        + count(uuid_inspect(uuid_generate_v7())) FROM generate_series(1, 300000);
    $memory});
cmp_ok($after, '<', $before + 100_000, 'A session that makes 300,000 UUIDs takes no more memory');

# A batch takes constant memory, where each UUID is made when it is asked for and where all are stored:
# the most that the process has ever held says so.
my $peak = q{SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s*(\d+) kB'))[1];};
for my $batch ('(SELECT uuid_generate_v7_batch(%d))', 'uuid_generate_v7_batch(%d)')
{
    my ($small, $large) = map { sprintf("SELECT count(*) FROM $batch AS b", $_) } 100_000, 5_000_000;
    my ($first, $then) = grep { $_ > 0 } split /\n/, $node->safe_psql('postgres',
        "$small \\g /dev/null\n$peak $large \\g /dev/null\n$peak");
    cmp_ok($then, '<', $first + 10_000, "It takes no more memory for $large");
    note("$first kB at most before it, $then kB after");
}

$node->stop;
done_testing();
