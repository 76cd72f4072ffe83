# Behind a connection pool in transaction mode, a client gets its keys from many sessions: with uuidx.v7_order = server, each
# is greater than the one before, even if the clock is set back meanwhile.

use strict;
use warnings;
use lib 'test/t';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my $seconds = $ENV{UUIDX_LONG} ? 60 : 4;

my ($pgbouncer) = grep { -x } map { "$_/pgbouncer" } split(/:/, $ENV{PATH}), '/usr/sbin';
BAIL_OUT('pgbouncer is missing: install it') unless $pgbouncer;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', ServerOrder::preload($node) . "autovacuum = off");
ServerOrder::start_with_clock($node, 0);
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE made (n bigint GENERATED ALWAYS AS IDENTITY, client int, pid int DEFAULT pg_backend_pid(), id uuid DEFAULT uuid_generate_v7());
    ALTER DATABASE postgres SET uuidx.v7_order = server});

my $folder = $node->basedir;
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $user = $node->safe_psql('postgres', 'SELECT current_user');
append_to_file("$folder/users", qq{"$user" ""\n});
append_to_file("$folder/pgbouncer.ini", <<"INI");
[databases]
postgres = host=${\$node->host} port=${\$node->port}
[pgbouncer]
listen_addr =
listen_port = $port
unix_socket_dir = ${\$node->host}
auth_type = trust
auth_file = $folder/users
pool_mode = transaction
default_pool_size = 10
max_client_conn = 100
logfile = $folder/pgbouncer.log
INI
my $pool = IPC::Run::start([ $pgbouncer, '--quiet', "$folder/pgbouncer.ini" ], '<', \undef, '>', \my $output, '2>', \my $errors);
my $connection = "host=${\$node->host} port=$port dbname=postgres";
for (1 .. 50)
{
    last if system("psql -X -q -d '$connection' -c 'SELECT' >/dev/null 2>&1") == 0;
    select undef, undef, undef, 0.2;
}

append_to_file("$folder/client.sql", "INSERT INTO made (client) VALUES (:client_id);\n");
my $clients = IPC::Run::start([ 'pgbench', '--no-vacuum', '--client=50', '--jobs=2', "--time=$seconds",
        "--file=$folder/client.sql", $connection ], '<', \undef, '>&', \my $report);
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
