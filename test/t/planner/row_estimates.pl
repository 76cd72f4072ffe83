# How many rows the planner expects in a period: on a standby, with many tables, and in foreign tables.
# sql/row_estimates.sql has the rest.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "fsync = off\nautovacuum = off");
$node->start;
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE events (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
    INSERT INTO events SELECT uuid_generate_v7_at(now() - n * interval '10 seconds'), n FROM generate_series(20001, 120000) AS n;
    VACUUM ANALYZE events;
    INSERT INTO events SELECT uuid_generate_v7_at(now() - n * interval '10 seconds'), n FROM generate_series(1, 20000) AS n});

# The rows that the plan of a query on one table expects
sub expected_rows
{
    my ($server, $query) = @_;
    my ($rows) = $server->safe_psql('postgres', "EXPLAIN $query") =~ /\brows=(\d+)/;
    return $rows;
}

sub is_about
{
    my ($got, $expected, $name) = @_;
    ok($got > $expected / 1.4 && $got < $expected * 1.4, $name) or diag("expected $expected rows, not $got");
}

$node->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
my $last_hour = q{SELECT * FROM events WHERE uuid_time(id) > now() - interval '1 hour'};
is_about(expected_rows($_, $last_hour), 360, 'The rows since ANALYZE are estimated on the ' . $_->name . '.') for $node, $standby;
$standby->stop;

# PostgreSQL 14 has its counts of changes in a file with all tables.
$node->safe_psql('postgres', q{SELECT format('CREATE TABLE t%s (id uuid PRIMARY KEY)', n) FROM generate_series(1, 1000) AS n \gexec});
my %seconds;
for my $setting ('off', 'on', 'off', 'on')
{
    my $begun = time;
    $node->safe_psql('postgres', "SET uuidx.time_planning = $setting;"
            . "EXPLAIN SELECT * FROM events WHERE id > uuid_v7_from(now() - interval '1 hour');" x 200);
    my $taken = time - $begun;
    $seconds{$setting} = $taken if !$seconds{$setting} || $taken < $seconds{$setting};
}
cmp_ok($seconds{on}, '<', 2 * $seconds{off} + 0.5, 'With a thousand tables, estimates take no longer.');

# The wrapper sends the conditions as they are, and estimates by the statistics of the foreign table.
my ($port, $host) = ($node->port, $node->host);
$node->safe_psql('postgres', qq{
    CREATE EXTENSION postgres_fdw;
    CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
    CREATE USER MAPPING FOR CURRENT_USER SERVER itself;
    CREATE FOREIGN TABLE remote (id uuid NOT NULL CHECK (uuid_is_v7(id)), n int) SERVER itself OPTIONS (table_name 'events');
    CREATE TABLE parted (id uuid NOT NULL CHECK (uuid_is_v7(id)), n int) PARTITION BY RANGE (id);
    CREATE FOREIGN TABLE parted_1 PARTITION OF parted FOR VALUES FROM (uuid_v7_from('-infinity')) TO (uuid_max()) SERVER itself OPTIONS (table_name 'events');
    ANALYZE remote, parted_1;});
my $period = $node->safe_psql('postgres',
    q{SELECT format('uuid_time(id) >= %L AND uuid_time(id) < %L', now() - interval '25 hours', now() - interval '24 hours')});
for my $relation ('remote', 'parted')
{
    my $query = "SELECT n FROM $relation WHERE $period";
    is_about(expected_rows($node, $query), 360, "The rows of $relation are estimated.");
    like($node->safe_psql('postgres', "EXPLAIN (VERBOSE) $query"), qr/Remote SQL: SELECT n FROM [^ ]* WHERE .*id >= .*id < /, "All conditions on $relation are sent.");
}
like($node->safe_psql('postgres', "EXPLAIN (VERBOSE) SELECT n FROM remote WHERE $period LIMIT 5"), qr/Remote SQL: .* LIMIT 5/, 'A LIMIT is sent.');
like($node->safe_psql('postgres', "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_nestloop = off;
    EXPLAIN (VERBOSE) SELECT a.n FROM remote AS a JOIN remote AS b ON b.n = a.n WHERE " . $period =~ s/\bid\b/a.id/gr),
    qr/Remote SQL: .* INNER JOIN /, 'A join is sent.');

$node->stop;
done_testing();
