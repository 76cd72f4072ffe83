# Random keys become keys of version 7 while others write: in a graph of tables with every kind of reference. An integer
# beside each UUID says which row is meant.

use strict;
use warnings;
use lib 'test/lib';
use Graph;
use IPC::Run ();
use Migrations;
use Others;
use PostgreSQL::Test::Utils;
use Test::More;

my ($accounts, $rate) = $ENV{UUIDX_LONG} ? (1_000_000, 8) : (1_000, 1);
my $node = new_server('rekey', 'max_connections = 30', 'restart_after_crash = off', 'autovacuum = off', 'deadlock_timeout = 500ms');
$node->safe_psql('postgres', 'CREATE SCHEMA graph AUTHORIZATION alice');
output_of($node, 'alice', Graph::schema($accounts));

sub wrong { return $node->safe_psql('postgres', Graph::wrong() . ' LIMIT 20') }

# --- A key is deleted and inserted again while another session looks it up ---
output_of($node, 'alice', q{
    CREATE TABLE alice.keys (id uuid PRIMARY KEY, created timestamptz);
    CREATE TABLE alice.notes (id uuid REFERENCES alice.keys DEFERRABLE INITIALLY DEFERRED);
    INSERT INTO alice.keys VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', '2000-01-01 00:00:00+00')});
output_of($node, 'alice', 'SELECT sql FROM ' . script_call('alice.keys', mode => 'online', conversion => 'to_v7', created => 'created')
        . q{ WHERE phase IN ('check', 'shadow', 'fill', 'validate', 'key') ORDER BY step \gexec});
my $inserts_again = IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--username=alice', '--dbname', $node->connstr('postgres'), '--command', q{
    BEGIN;
    DELETE FROM alice.keys;
    INSERT INTO alice.keys VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', '2001-01-01 00:00:00+00');
    DO $$
    BEGIN
        WHILE NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted) LOOP
            PERFORM pg_sleep(0.01);
        END LOOP;
    END $$;
    COMMIT} ]);
ok($node->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')}), 'A session inserts a key again.');
is(output_of($node, 'alice', q{INSERT INTO alice.notes VALUES ('919108f7-52d1-4320-9bac-f847db4148a8') RETURNING keys.uuid_time(id_shadow) AT TIME ZONE 'UTC'}),
    '2001-01-01 00:00:00', 'Another session that has waited for it finds its new row.');
$inserts_again->finish;
output_of($node, 'alice', q{INSERT INTO alice.keys VALUES (gen_random_uuid(), '2002-01-01 00:00:00+00')});
fails_with(session($node, 'alice', q{
    BEGIN ISOLATION LEVEL REPEATABLE READ;
    SELECT FROM alice.keys;
    \! psql --no-psqlrc --quiet --username=alice --command="DELETE FROM alice.keys WHERE created > '2001-06-01'" "} . $node->connstr('postgres') . q{"
    INSERT INTO alice.notes SELECT id FROM alice.keys WHERE created > '2001-06-01'}), '40001', qr/could not serialize access due to concurrent update/,
    'A transaction finds no key that another one has deleted since.');

# --- A reference is finished while a transaction changes its key ---
migrates($node, 'alice', 'alice.keys', mode => 'online', conversion => 'to_v7', created => 'created', 'A key and a reference are migrated.');
output_of($node, 'alice', 'CREATE SEQUENCE alice.steps');
my $errors = '';
my $changes = IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--username=alice', '--dbname', $node->connstr('postgres'), '--command', q{
    BEGIN ISOLATION LEVEL REPEATABLE READ;
    DO $$
    DECLARE
        key uuid := (SELECT id FROM alice.keys);
    BEGIN
        WHILE (SELECT last_value FROM alice.steps) < 2 LOOP
            PERFORM pg_sleep(0.01);
        END LOOP;
        UPDATE alice.keys SET id = keys.uuid_generate_v7();
        UPDATE alice.keys SET id = key;
    END $$;
    COMMIT} ], '2>', \$errors);
ok($node->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')}), 'A transaction has a snapshot.');
output_of($node, 'alice', 'SELECT sql FROM ' . script_call('alice.keys', mode => 'finish', conversion => 'to_v7')
        . q{ WHERE sql LIKE '%alice.notes%' ORDER BY step \gexec
        SELECT setval('alice.steps', 2)});
$changes->finish;
is($errors, '', 'It ends without an error.');
output_of($node, 'alice', 'DROP TABLE alice.keys, alice.notes CASCADE; DROP SEQUENCE alice.steps');

# --- A partition is added midway ---
my ($table, $column, $created) = @{ $Graph::moves[0] };
my @move = (column => $column, @Graph::also, mode => 'online');
my @to_v7 = (@move, conversion => 'to_v7', created => $created);
my $to_v7 = script_call($table, @to_v7);
output_of($node, 'alice', "SELECT sql FROM $to_v7 WHERE phase NOT IN ('index', 'proof', 'cutover', 'after') ORDER BY step \\gexec");
my @rest = steps($node, 'alice', $table, @to_v7);
output_of($node, 'alice', q{
    CREATE TABLE graph.events_2 PARTITION OF graph.events FOR VALUES IN (2);
    INSERT INTO graph.events SELECT id, n, 2 FROM graph.accounts WHERE n % 10 IN (0, 3, 4)});
fails_with(session($node, 'alice', join ";\n", @rest), '55000', qr/not the one that is needed/, 'The script that was written before does not go on.');
migrates($node, 'alice', $table, @to_v7, 'One that is written anew does.');
is(wrong(), '', 'No reference is wrong or lost.');
is($node->safe_psql('postgres', 'SELECT count(*) FROM graph.events_2 WHERE keys.uuid_version(account_id) <> 7 OR account_id_shadow IS NULL'), '0', 'The new partition has new keys.');

# --- The server is stopped at any moment ---
my @from_v7 = (@move, conversion => 'from_v7');
for my $way (\@from_v7, $ENV{UUIDX_LONG} ? (\@to_v7, \@from_v7) : ())
{
    stopped_midway($node, \&wrong, $table, @$way);
    migrates($node, 'alice', $table, @$way, 'A script that is written anew ends.');
    is(wrong(), '', 'No reference is wrong or lost.');
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM graph.original AS o JOIN graph.accounts AS a USING (n) WHERE a.id <> o.id'), '0', 'All keys are what they were.');
migrates($node, 'alice', $table, @from_v7, mode => 'finish', 'The undo is finished.');

# --- Others write ---
my $file = $node->basedir . '/settings';
$node->safe_psql('postgres', "COPY (SELECT id, n FROM graph.settings WHERE n % 10 = 0 AND n > 0 ORDER BY n LIMIT 10) TO '$file'; GRANT pg_read_server_files TO alice");
my %scripts = Graph::writers($accounts, $file);

# Clients that run some of the scripts in an isolation level. In READ COMMITTED, no transaction may fail; in the others, only
# for a reason for which they are always to be tried again.
my $can_retry = can_retry($node);
sub start_writers
{
    my ($level, $tries, @names) = @_;
    local $ENV{PGOPTIONS} = "-c default_transaction_isolation=$level -c search_path=public";
    return start_others($node, join('_', 'writers', $level =~ /(\w+)$/, @names), [ @scripts{@names} ], '--client=2', "--rate=$rate",
        $can_retry ? ("--max-tries=$tries", '--failures-detailed') : ());
}

sub start_all
{
    return (start_writers('read\ committed', 1, qw(together children upserts copies)), start_writers('read\ committed', 1, 'keys'),
        start_writers('read\ committed', 1, qw(again deletes)),
        $can_retry ? (start_writers('repeatable\ read', 0, qw(together children keys upserts again)), start_writers('serializable', 0, qw(together children again copies))) : ());
}

sub moves
{
    my ($conversion, $test, %options) = @_;
    for my $move (@Graph::moves)
    {
        my ($table, $column, $created) = @$move;
        my $run = migrate($node, 'alice', $table, column => $column, ($table eq 'graph.accounts' ? @Graph::also : ()), conversion => $conversion, ($conversion eq 'to_v7' ? (created => $created =~ s/'/''/gr) : ()), %options);
        is($run->{state}, '', "$test: $table") or diag($run->{messages});
    }
    is(wrong(), '', "$test: no reference is wrong or lost.");
    return;
}

sub versions
{
    return $node->safe_psql('postgres', q{
        SELECT count(*) FILTER (WHERE keys.uuid_version(id) <> 7), (SELECT count(*) FROM graph.tokens WHERE keys.uuid_version(token) <> 7) FROM graph.accounts});
}

my @writers = start_all();
is(wrong(), '', 'Nothing is wrong at first.');
moves('to_v7', 'The keys are moved while others write', mode => 'online');
is(versions(), '0|0', 'All keys have version 7.');
is($node->safe_psql('postgres', q{SELECT count(*) FROM graph.original AS o JOIN graph.accounts AS a USING (n)
    WHERE n % 10 IN (0, 4, 5, 6, 7, 8, 9) AND keys.uuid_time(a.id) <> date_trunc('milliseconds', o.created)}), '0', 'The keys have the creation times.');
moves('from_v7', 'The keys are moved back while others write', mode => 'online');
is($node->safe_psql('postgres', q{SELECT count(*) FROM graph.original AS o JOIN graph.accounts AS a USING (n) WHERE n % 10 NOT IN (1, 2) AND a.id <> o.id}), '0',
    'Former keys are what they were.');
moves('to_v7', 'The keys are moved again', mode => 'online') if $ENV{UUIDX_LONG};
stop_others(@writers);
is(wrong(), '', 'No reference is wrong or lost.');
moves($ENV{UUIDX_LONG} ? 'to_v7' : 'from_v7', 'What was moved last is finished', mode => 'finish');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_attribute WHERE attname LIKE '%\_shadow' AND attnum > 0}), '0', 'Nothing is left of it.');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal}), '0', 'No trigger is left.');

done_testing();
