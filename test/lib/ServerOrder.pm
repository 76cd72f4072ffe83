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

# create_stream($node): stream.n is the order in which the keys were made, for a session makes them while it has a lock,
# and takes turns with the others.
sub create_stream
{
    my ($node) = @_;
    $node->safe_psql('postgres', q{
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

# start_filling($node, $sessions, $turns, $keys): sessions that fill the stream; finish() waits for all of them.
sub start_filling
{
    my ($node, $sessions, $turns, $keys) = @_;
    return map {
        IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c', 'SET uuidx.v7_order = server',
            '-c', "CALL fill($turns, $keys)" ], '<', \undef, '2>', \my $errors)
    } 1 .. $sessions;
}

sub finish { return scalar grep { !IPC::Run::finish($_) } @_; }

# inversions($node): how many keys of the stream there are, and how many of them are not greater than every one before.
sub inversions
{
    my ($node) = @_;
    return $node->safe_psql('postgres', q{
        SELECT count(*), count(*) FILTER (WHERE id <= before)
        FROM (SELECT id, max(id) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM stream) AS s});
}

1;
