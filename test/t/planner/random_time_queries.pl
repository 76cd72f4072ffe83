# Random queries by creation time, and random joins by keys of a period, return the same rows whether uuidx.time_planning
# is on or off. The former in five seconds, or an hour with `scripts/test --long`; of the latter 500, or 100,000.
# UUIDX_SEED=N begins with the seed that a failure reports.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use TimeQueries;

my $seconds = $ENV{UUIDX_LONG} ? 3600 : 5;
my $joins = $ENV{UUIDX_JOINS} // ($ENV{UUIDX_LONG} ? 100_000 : 500);
my $first_seed = $ENV{UUIDX_SEED} // int rand 1e9;
my $queries_of_a_seed = 100;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\njit = off\nautovacuum = off");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE reader; CREATE EXTENSION uuidx; ALTER DATABASE postgres SET search_path = world, public');
$TimeQueries::server_version = $node->safe_psql('postgres', 'SHOW server_version_num');
diag("The first seed is $first_seed.");

# What psql prints for each of these scripts, run one after the other in one session.
sub outputs
{
    my @scripts = @_;
    my $end = "-- the end of a script\n";
    my $input = "\\set VERBOSITY terse\n\\pset null NULL\nSELECT uuid_time(uuid_max()) \\g /dev/null\n"
        . join('', map { "$_\n\\echo '-- the end of a script'\n" } @scripts);
    my $output;
    IPC::Run::run([ 'psql', '--no-psqlrc', '--quiet', '--no-align', '--tuples-only', '--dbname', $node->connstr('postgres') ],
        '<', \$input, '>&', \$output)
        or die 'A query has ended the session: the log of the server has it.';
    return split /\Q$end\E/, $output, -1;
}

# A query with the setting on or off, in a transaction that is rolled back.
sub script
{
    my ($setting, $explain, $run) = @_;
    return join "\n", 'BEGIN;', "SET LOCAL uuidx.time_planning = $setting;", map({ "$_;" } @$explain), "\\echo '-- rows'",
        map({ "$_;" } @$run), 'ROLLBACK; DEALLOCATE ALL;';
}

# What a query has printed, without its order but that of its first columns
sub rows
{
    my ($output, $sorted) = @_;
    my @lines = split /\n/, $output;
    my @keys = map { join '|', grep { defined } (split /\|/, $_, -1)[ 0 .. $sorted - 1 ] } $sorted ? @lines : ();
    return join "\n", sort(@lines), @keys ? ('in this order:', @keys) : ();
}

# Runs such queries of one seed after the other until it $is_enough.
sub compare
{
    my ($what, $make, $is_enough) = @_;
    my ($queries, $of_other_plans, $errors) = (0, 0, 0);
    my @failures;
    for (my $seed = $first_seed; !$is_enough->($queries) && !@failures; $seed++)
    {
        srand $seed;
        my ($made, $relations) = TimeQueries::world();
        $node->safe_psql('postgres', join "\n", 'SET client_min_messages = warning;', @$made);
        my @cases = map { [ TimeQueries::statements($make, @$relations) ] } 1 .. $queries_of_a_seed;
        my @outputs = outputs(map { my $case = $_; map { script($_, @$case) } 'on', 'off' } @cases);
        for my $case (@cases)
        {
            my ($on, $off) = map { [ split /^-- rows\n/m, $_ // '', 2 ] } splice @outputs, 0, 2;
            my @rows = map { rows($_->[1], $case->[2]) } $on, $off;
            $queries++;
            $of_other_plans++ if $on->[0] ne $off->[0];
            # With the setting, the query may return before it comes to the row that raises an error.
            $errors++ if $rows[1] =~ /ERROR/;
            next if $rows[0] eq $rows[1] || $rows[1] =~ /ERROR/;
            push @failures, join "\n", "UUIDX_SEED=$seed:", @$made, script('on', @$case), "returns, by the plan", "$on->[0]$rows[0]",
                'but with the setting off, by the plan', "$off->[0]$rows[1]";
        }
    }
    is($failures[0] // '', '', "Random $what return the same rows with uuidx.time_planning on and off.");
    note("$queries $what, $of_other_plans of which have another plan, and $errors raise an error");
    cmp_ok($of_other_plans, '>', $queries / 5, 'The setting changes the plans of many of them.');
    cmp_ok($errors, '<', $queries / 10, 'Few of them raise an error.');
}

my $begun = time;
# Those of five seeds at least: some have tables on which the setting changes little.
compare('queries', \&TimeQueries::query, sub { my ($queries) = @_; return time - $begun >= $seconds && $queries >= 5 * $queries_of_a_seed });
compare('joins', \&TimeQueries::join_query, sub { my ($queries) = @_; return $queries >= $joins });

$node->stop;
done_testing();
