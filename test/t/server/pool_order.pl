# Behind a connection pool in transaction mode, a client gets its keys from many sessions: with uuidx.v7_order = server, each
# is greater than the one before, even if the clock is set back meanwhile.

use strict;
use warnings;
use lib 'test/lib';
use IPC::Run ();
use Pooler;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my $seconds = $ENV{UUIDX_LONG} ? 60 : 4;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', ServerOrder::preload($node) . "autovacuum = off");
ServerOrder::start_with_clock($node, 0);
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE made (n bigint GENERATED ALWAYS AS IDENTITY, client int, pid int DEFAULT pg_backend_pid(), id uuid DEFAULT uuid_generate_v7());
    ALTER DATABASE postgres SET uuidx.v7_order = server});

my ($pool, $port) = Pooler::start($node, 'postgres', pool_mode => 'transaction', default_pool_size => 10, max_client_conn => 100);
my $script = $node->basedir . '/client.sql';
append_to_file($script, "INSERT INTO made (client) VALUES (:client_id);\n");
my $clients = IPC::Run::start([ 'pgbench', '--no-vacuum', '--client=50', '--jobs=2', "--time=$seconds",
        "--file=$script", "host=${\$node->host} port=$port dbname=postgres" ], '<', \undef, '>&', \my $report);
sleep $seconds / 2;
ServerOrder::set_clock($node, -60);
ok(IPC::Run::finish($clients), '50 clients insert rows through 10 connections.');
my ($made, $most, $wrong) = split /\|/, $node->safe_psql('postgres', q{
    SELECT (SELECT count(*) FROM made), (SELECT max(pids) FROM (SELECT count(DISTINCT pid) AS pids FROM made GROUP BY client) AS c),
        count(*) FILTER (WHERE id <= before)
    FROM (SELECT id, lag(id) OVER (PARTITION BY client ORDER BY n) AS before FROM made) AS m});
cmp_ok($most, '>', 1, "A client gets its keys from up to $most sessions.");
is($wrong, 0, "Each of a client's keys is greater than the one before, in $made.");

$pool->kill_kill;
$node->stop;
done_testing();
