# The memory of a session does not grow with the number of UUIDs that it generates: 100,000 of each generator after the first
# 20,000, or 100 million after the first million with `scripts/test --long`.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($first, $times) = $ENV{UUIDX_LONG} ? (1_000_000, 100) : (20_000, 5);

# In large pages, what a process holds grows by 2 MB or not at all.
delete $ENV{GLIBC_TUNABLES};
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# To compile a query loads LLVM.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'uuidx'\njit = off");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_ossp; CREATE EXTENSION uuidx_pg18');

# What this process holds for itself, in kB, without the shared memory and the files that it has touched
my $memory = q{SELECT (regexp_match(pg_read_file('/proc/self/status'), 'RssAnon:\s*(\d+) kB'))[1];};
# A query takes the same memory each time, for its plan and for the numbers.
my $calls = 'count(%s) FROM generate_series(1, 1000) AS a, generate_series(1, %d)';
my $batches = 'count(id) FROM generate_series(1, 1000) AS a, LATERAL (SELECT a, %s(%d) AS id) AS batch';

# In a session of its own, after this setting
sub holds_no_more
{
    my ($generate, $setting, $query) = (@_, $calls);
    my $perform = sprintf "PERFORM $query", $generate, $first / 1000;
    my @loops = map { "DO \$\$BEGIN FOR i IN 1 .. $_ LOOP $perform; END LOOP; END\$\$;" } 1, $times;
    my ($before, $after) = split /\n/, $node->safe_psql('postgres', "$setting;\n$loops[0]\n$memory\n$loops[1]\n$memory");
    my $what = $generate . ($setting && ", after $setting");
    cmp_ok($after, '<', $before + 256, "A session that calls $what holds no more memory after @{[ $first * $times ]} UUIDs");
    note("$before kB before them, $after kB after");
    return;
}

holds_no_more('uuid_generate_v7()', "SET uuidx.v7_method = $_") for 'precision', 'counter', 'monotonic_random';
for my $order ('session', 'server')
{
    holds_no_more('uuid_generate_v7()', "SET uuidx.v7_order = $order");
    holds_no_more('uuid_generate_v7_batch', "SET uuidx.v7_order = $order", $batches);
}
for my $version ('v1', 'v6')
{
    holds_no_more("uuid_generate_$version()", "SET uuidx.node = '$_'") for 'random', '02:00:5e:10:00:00';
}
my $at = q{timestamptz '2026-02-10' + interval '1 ms' * a};
my $name = 'uuid_ns_dns(), a::text';
holds_no_more($_, '') for q{uuid_generate_v7(interval '-1 day')}, 'uuidv7()', 'uuid_generate_v1mc()', 'uuid_generate_v4()', 'uuidv4()',
    "uuid_generate_v7_at($at)", "uuid_generate_v6_at($at)", "uuid_generate_v8_at($at)", "uuid_v7_of($at, uuid_max())",
    "uuid_v7_of_name($at, a::text)", "uuid_generate_v3($name)", "uuid_generate_v5($name)", "uuid_generate_v8($name)";
$node->append_conf('postgresql.conf', 'uuidx.v7_node_id = 7');
$node->reload;
holds_no_more('uuid_generate_v7()', '');

$node->stop;
done_testing();
