# A stream of keys that several sessions fill, each in its turn, and a server whose clock a file sets.
package ServerOrder;

use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Test::More;

# preload($node): the configuration that older servers need for an order of the whole server, and newer ones do not.
sub preload { return $_[0]->{_pg_version} < 17 ? "shared_preload_libraries = 'uuidx'\n" : '' }

# libfaketime's clock, which adds what a file says; set_clock($node, $seconds) writes it.
my ($libfaketime) = glob '/usr/lib/*/faketime/libfaketime.so.1';

sub set_clock
{
    my ($node, $seconds) = @_;
    my $file = $node->basedir . '/offset';
    open my $out, '>', "$file.new" or die "$file: $!";
    printf $out "%+d\n", $seconds;
    close $out;
    rename "$file.new", $file or die "$file: $!";
    return;
}

# start_with_clock($node, $seconds, %options): starts it with a clock that is ahead by so many seconds, or behind, and
# returns what start(%options) does.
sub start_with_clock
{
    my ($node, $seconds, %options) = @_;
    BAIL_OUT('libfaketime is missing: install it') unless $libfaketime;
    set_clock($node, $seconds);
    local $ENV{LD_PRELOAD} = $libfaketime;
    local $ENV{FAKETIME_TIMESTAMP_FILE} = $node->basedir . '/offset';
    local $ENV{FAKETIME_NO_CACHE} = 1;
    local $ENV{FAKETIME_DONT_FAKE_MONOTONIC} = 1;
    return $node->start(%options);
}

# create_stream($node, $database): stream.n is the order in which the keys were made, for a session makes them while it has
# a lock, and takes turns with the others.
sub create_stream
{
    my ($node, $database) = @_;
    $node->safe_psql($database // 'postgres', q{
        CREATE EXTENSION IF NOT EXISTS uuidx;
        CREATE TABLE stream (n bigint GENERATED ALWAYS AS IDENTITY, id uuid);
        CREATE PROCEDURE fill(turns int, keys int) LANGUAGE plpgsql AS $$
        BEGIN
            FOR turn IN 1..turns LOOP
                PERFORM pg_advisory_lock(1);
                IF turn % 3 = 0 THEN
                    INSERT INTO stream (id) SELECT * FROM uuid_generate_v7_batch(keys);
                ELSE
                    INSERT INTO stream (id) SELECT uuid_generate_v7() FROM generate_series(1, keys);
                END IF;
                PERFORM pg_advisory_unlock(1);
                COMMIT;
            END LOOP;
        END $$});
    return;
}

# start_filling($node, $sessions, $turns, $keys, $database): sessions that fill the stream; finish() waits for all of them.
sub start_filling
{
    my ($node, $sessions, $turns, $keys, $database) = @_;
    return map {
        IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr($database // 'postgres'), '-c', 'SET uuidx.v7_order = server',
            '-c', "CALL fill($turns, $keys)" ], '<', \undef, '2>', \my $errors)
    } 1 .. $sessions;
}

sub finish { return scalar grep { !IPC::Run::finish($_) } @_; }

# inversions($node, $database): how many keys of the stream there are, and how many of them are not greater than every one
# before.
sub inversions
{
    my ($node, $database) = @_;
    return $node->safe_psql($database // 'postgres', q{
        SELECT count(*), count(*) FILTER (WHERE id <= before)
        FROM (SELECT id, max(id) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM stream) AS s});
}

# --- Servers that take over from one another ---

my $a_node = q{SET uuidx.node = '02:00:5e:10:00:00';};
my @databases = ('postgres', 'other');
my $turns = $ENV{UUIDX_LONG} ? 500 : 10;

# new_primary($name): a primary with a backup, whose two databases have a stream each.
sub new_primary
{
    my ($name) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init(allows_streaming => 1, has_archiving => 1);
    $node->append_conf('postgresql.conf', preload($node) . "autovacuum = off\nuuidx.max_clock_ahead = -1\nwal_log_hints = on\n"
        . "wal_keep_size = 1GB\nmax_prepared_transactions = 2\nrestart_after_crash = on");
    start_with_clock($node, 0);
    $node->safe_psql('postgres', 'CREATE DATABASE other');
    create_stream($node, $_) for @databases;
    $node->safe_psql('postgres', 'CREATE TABLE of_node (n bigint GENERATED ALWAYS AS IDENTITY, id uuid)');
    fill($node);
    $node->backup('backup');
    return $node;
}

# new_standby($name, $of, $from, $clock, $conf): a standby of one server, from the backup of another one.
sub new_standby
{
    my ($name, $of, $from, $clock, $conf) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init_from_backup($from, 'backup', has_streaming => 1);
    $node->append_conf('postgresql.conf', primary($of, $node) . ($conf // ''));
    start_with_clock($node, $clock);
    return $node;
}

# primary($of, $node): the configuration with which a server follows another one.
sub primary
{
    my ($of, $node) = @_;
    return q{primary_conninfo = '} . $of->connstr . ' application_name=' . $node->name . "'\n";
}

# fill($node): keys and UUIDs of a fixed node.
sub fill
{
    my ($node) = @_;
    is(finish(map { start_filling($node, 2, $turns, 20, $_) } @databases), 0, 'Sessions fill the streams.');
    $node->safe_psql('postgres', "$a_node INSERT INTO of_node (id) SELECT uuid_generate_v6() FROM generate_series(1, 5000)");
    return;
}

# check($node, $what): in each database, new keys are greater than all before them.
sub check
{
    my ($node, $what) = @_;
    fill($node);
    is((split /\|/, inversions($node, $_))[1], 0, "The order of the database $_ goes on $what.") for @databases;
    is($node->safe_psql('postgres', q{SELECT count(*) - count(DISTINCT id), count(*) FILTER (WHERE id <= before)
            FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM of_node) AS o}), '0|0',
        'So does that of a fixed node, which repeats no UUID.');
    return;
}

# fail_over($from, $to, @standbys): the primary crashes when its standbys have all that it logged, and one takes its place.
sub fail_over
{
    my ($from, $to, @standbys) = @_;
    $from->wait_for_catchup($_, 'replay', $from->lsn('insert')) for $to, @standbys;
    $from->stop('immediate');
    $to->promote;
    return;
}

1;
