# Planning takes no longer than PostgreSQL's own, times a few, however many tables, conditions or alternatives a query has.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use POSIX qw(strftime);
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\njit = off\nautovacuum = off");
$node->start;
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE events (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), ref uuid);
    INSERT INTO events SELECT uuid_generate_v7_at('2026-01-01'::timestamptz + n * interval '1 min'), NULL FROM generate_series(1, 10000) AS n;
    CREATE INDEX ON events (ref);
    VACUUM ANALYZE events});

# The processor's time, in milliseconds, in which PostgreSQL plans a query: the least of three. What else runs on the machine
# does not count.
sub planning_time
{
    my ($setting, $query) = @_;
    my (undef, undef, $log) = $node->psql('postgres',
        "SET uuidx.time_planning = $setting; SET client_min_messages = log; SET log_planner_stats = on; " . "EXPLAIN $query; " x 3);
    my ($least) = sort { $a <=> $b } $log =~ /PLANNER STATISTICS\nDETAIL:.*?\n!\t([\d.]+) s user/g;
    return 1000 * $least;
}

# Of queries that differ in how many of something they have
sub grows_slowly
{
    my ($what, $query, @counts) = @_;
    for my $count (@counts)
    {
        my ($off, $on) = map { planning_time($_, $query->($count)) } 'off', 'on';
        cmp_ok($on, '<', 4 * $off + 200, "Planning of $count $what takes little longer.");
        note("$count $what: $on ms, $off ms without");
    }
}

my $after = q{uuid_time(t0.id) >= '2026-01-07 12:00+00'};
# Columns of each table: the planner removes outer joins that nothing is read of.
sub joins
{
    my ($kind, $count) = @_;
    return 'SELECT ' . join(', ', map { "t$_.ref" } 0 .. $count) . ' FROM events AS t0'
        . join('', map { " $kind events AS t$_ ON t$_.id = t" . ($_ - 1) . '.id' } 1 .. $count) . " WHERE $after";
}
grows_slowly('joins', sub { joins('JOIN', @_) }, 10, 60);
grows_slowly('outer joins', sub { joins('LEFT JOIN', @_) }, 10, 60);
grows_slowly('equalities', sub { "SELECT FROM events AS t0, events AS t1 WHERE $after" . ' AND t1.ref = t0.id' x $_[0] }, 100, 3000);

# So many minutes after the first of January
sub moment { return strftime("'%Y-%m-%d %H:%M+00'", gmtime 1767225600 + 60 * $_[0]) }
sub periods
{
    my ($relation, $between, $count) = @_;
    return "SELECT FROM $relation WHERE " . join ' OR ',
        map { '(uuid_time(id) >= ' . moment($between * $_) . ' AND uuid_time(id) < ' . moment($between * $_ + 5) . ')' } 1 .. $count;
}
grows_slowly('periods joined by OR', sub { periods('events', 15, @_) }, 10, 100, 500);
grows_slowly('moments in a list', sub { 'SELECT FROM events WHERE uuid_time(id) IN (' . join(', ', map { moment(7 * $_) } 1 .. $_[0]) . ')' }, 10, 100, 1000);
sub all_of { my ($condition, $count) = @_; return 'SELECT FROM events WHERE ' . join ' AND ', map { $condition =~ s/%(\d+)/moment($_ + $1)/egr } 1 .. $count }
grows_slowly('conditions', sub { all_of('uuid_time(id) >= %0', @_) }, 100, 3000);
grows_slowly('pages', sub { all_of('(uuid_time(id) > %1 OR (uuid_time(id) = %1 AND ref IS NULL))', @_) }, 10, 100);
grows_slowly('lists', sub { all_of('uuid_time(id) IN (' . join(', ', map { "%$_" } 0 .. 40) . ')', @_) }, 3, 10);
# One partition for a day
$node->safe_psql('postgres', q{
    CREATE TABLE parted (id uuid PRIMARY KEY CHECK (uuid_is_v7(id))) PARTITION BY RANGE (id);
    SELECT format('CREATE TABLE parted_%s PARTITION OF parted FOR VALUES FROM (%L) TO (%L)', n,
        uuid_v7_from('2026-01-01'::timestamptz + n * interval '1 day'), uuid_v7_from('2026-01-01'::timestamptz + (n + 1) * interval '1 day'))
    FROM generate_series(0, 199) AS n \gexec
    ANALYZE parted});
grows_slowly('periods in partitions', sub { periods('parted', 60 * 24, @_) }, 10, 50);

$node->stop;
done_testing();
