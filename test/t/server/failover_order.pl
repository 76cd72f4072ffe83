# The order over failovers: whatever the old primary did last, and whatever the clock of the new one says, its keys are greater
# than those that it has, also in sessions that were open before the promotion; fixed nodes repeat no UUID. No standby needs
# the library, a worker, a slot or a connection for that.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my $in_order = 'SET uuidx.v7_order = server;';
my $insert = "$in_order INSERT INTO stream (id) SELECT uuid_generate_v7()";
my $a_node = q{SET uuidx.node = '02:00:5e:10:00:00';};

my $a = ServerOrder::new_primary('a');
my $b = ServerOrder::new_standby('b', $a, $a, -600);
my $c = ServerOrder::new_standby('c', $b, $a, -660);
my $bare = ServerOrder::new_standby('bare', $a, $a, -600, "shared_preload_libraries = ''\nmax_replication_slots = 0\nhot_standby = off\n");

# A standby in recovery orders its own keys, and writes no mark.
like(($b->psql('postgres', "$a_node SELECT uuid_generate_v6()"))[2],
    qr/ERROR:  cannot generate UUIDs with a fixed node during recovery/, 'A standby makes no UUIDs with a fixed node.');
like($b->safe_psql('postgres', "$in_order SELECT uuid_generate_v7()"), qr/^[-0-9a-f]{36}$/, 'It generates keys in server-wide order.');
is($b->safe_psql('postgres', "$in_order SELECT scope, mark IS NULL FROM uuid_generator_state()"), 'server|t', 'It stores no mark.');

# --- Restarts, after each of which the keys are further ahead of the clock ---
for (1 .. 10)
{
    $a->stop('fast');
    ServerOrder::start_with_clock($a, -60 * $_);
    $a->safe_psql($_, $insert) for 'postgres', 'other';
    $a->safe_psql('postgres', "$a_node INSERT INTO of_node (id) SELECT uuid_generate_v6()");
}
cmp_ok($a->safe_psql('postgres', "$in_order SELECT extract(epoch FROM ahead_of_clock) FROM uuid_generator_state()"), '>', 60,
    'After restarts, each with a clock that was set back a minute, the order is ahead of the clock.');
# A session that was open before the promotion
my $open = IPC::Run::start([ 'psql', '-XqAt', '-d', $b->connstr('postgres'), '-c', $in_order, '-c', 'SELECT uuid_generate_v7()',
    '-c', 'DO $$ BEGIN WHILE pg_is_in_recovery() LOOP PERFORM uuid_generate_v7(); END LOOP; END $$',
    '-c', 'SELECT uuid_generate_v7() > (SELECT max(id) FROM stream)' ], '<', \undef, '>', \my $of_open);
# The last record of the primary is that of a prepared transaction.
$a->safe_psql('postgres', "$in_order BEGIN; INSERT INTO stream (id) SELECT uuid_generate_v7(); PREPARE TRANSACTION 'last'");
ServerOrder::fail_over($a, $b, $bare);
ok(IPC::Run::finish($open) && $of_open =~ /\nt\n\z/, 'A session that was open goes on behind the keys of the old primary.');
is($b->safe_psql('postgres', "$in_order SELECT uuid_generate_v7() AS key \\gset
        COMMIT PREPARED 'last'; SELECT :'key' > max(id) FROM stream"), 't', 'A key is greater than that of the prepared transaction.');
ServerOrder::check($b, 'after restarts, a prepared transaction and a failover, with equal clocks');

# --- The standby without anything ---
$bare->promote;
$bare->stop('fast');
$bare->append_conf('postgresql.conf', ServerOrder::preload($bare) . "max_replication_slots = 10\n");
ServerOrder::start_with_clock($bare, -600);
$bare->safe_psql('postgres', "COMMIT PREPARED 'last'");
ServerOrder::check($bare, 'on a standby without the library, slots and connections');
$bare->stop;

# --- The generator of the primary is advanced ---
my $advanced = $b->safe_psql('postgres', q{SELECT now() + interval '10 min' AS moment \gset
    SELECT uuid_generator_advance(timestamptz :'moment') \g /dev/null
    SELECT :'moment'});
ServerOrder::fail_over($b, $c);
is($c->safe_psql('postgres', "$in_order SELECT uuid_time(uuid_generate_v7()) > timestamptz '$advanced'"), 't',
    'The second standby goes on behind the moment to which the first one was advanced.');
ServerOrder::check($c, 'after a second failover, to a standby of a standby, whose clock is a minute behind');
like($c->safe_psql('postgres', "$a_node SELECT uuid_generate_v6()"), qr/^[-0-9a-f]{36}$/, 'It makes UUIDs with a fixed node.');
cmp_ok($c->safe_psql('postgres', q{SELECT count(DISTINCT uuid_extract_clock_seq(id) & 1023) FROM of_node}), '>', 2,
    'For each promotion has changed the clock sequence.');
unlike(slurp_file($c->logfile), qr/are ahead of the system's clock/, 'Without a limit, nothing is said of the clock.');

$c->stop;
done_testing();
