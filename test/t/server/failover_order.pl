# The order over a failover to a standby whose clock is behind: it goes on by itself, also in sessions that were open before
# the promotion; fixed nodes repeat no UUID. Which mark a base backup, pg_rewind and a copy of the data directory bring along.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my $a_node = q{SET uuidx.node = '02:00:5e:10:00:00';};
my $turns = $ENV{UUIDX_LONG} ? 2_000 : 100;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', ServerOrder::preload($primary) . "autovacuum = off\nuuidx.max_clock_ahead = -1\nwal_log_hints = on\nwal_keep_size = 1GB");
ServerOrder::start_with_clock($primary, 0);
ServerOrder::create_stream($primary);
ServerOrder::finish(ServerOrder::start_filling($primary, 1, 1, 1));
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
ok(-e $standby->data_dir . '/uuidx.mark', 'A base backup has the mark.');
ServerOrder::start_with_clock($standby, -5);

# The primary's clock sequence is no longer the one in the backup.
$primary->safe_psql('postgres', 'SELECT uuid_generator_reset()');
my $nodes = "$a_node INSERT INTO of_node SELECT uuid_generate_v6() FROM generate_series(1, 200000)";
$primary->safe_psql('postgres', 'CREATE TABLE of_node (id uuid)');
# For as long as the standby's clock is behind, it would find the same timestamps.
my $until = time + 7;
$primary->safe_psql('postgres', $nodes) while time < $until;

# A standby in recovery orders its own keys.
like(($standby->psql('postgres', "$a_node SELECT uuid_generate_v6()"))[2],
    qr/ERROR:  cannot generate UUIDs with a fixed node during recovery/, 'A standby makes no UUIDs with a fixed node.');
like($standby->safe_psql('postgres', 'SET uuidx.v7_order = server; SELECT uuid_generate_v7()'), qr/^[-0-9a-f]{36}$/,
    'It generates keys in server-wide order.');

# The clock is further behind now. A session has the order of the standby before the promotion.
ServerOrder::set_clock($standby, -60);
my $open = IPC::Run::start([ 'psql', '-XqAt', '-d', $standby->connstr('postgres'), '-c', 'SET uuidx.v7_order = server',
    '-c', 'SELECT uuid_generate_v7()', '-c', 'DO $$ BEGIN WHILE pg_is_in_recovery() LOOP PERFORM uuid_generate_v7(); END LOOP; END $$',
    '-c', 'SELECT uuid_generate_v7() > (SELECT max(id) FROM stream)' ], '<', \undef, '>', \my $of_open);
ServerOrder::finish(ServerOrder::start_filling($primary, 3, $turns, 20));
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
$primary->stop('immediate');
$standby->promote;
ok(IPC::Run::finish($open) && $of_open =~ /\nt\n\z/, 'A session that was open goes on behind the keys of the old primary.');
is($standby->safe_psql('postgres', q{SET uuidx.v7_order = server; SET uuidx.max_clock_ahead = -1;
    SELECT ahead_of_clock BETWEEN '1 s' AND '70 s' FROM uuid_generator_state()}), 't', 'The order is ahead of the clock by the difference.');
$standby->safe_psql('postgres', $nodes);
is($standby->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT id) FROM of_node'), 0,
    'A fixed node repeats no UUID, with a clock that is 5 s behind.');
is($standby->safe_psql('postgres', q{SELECT count(DISTINCT uuid_extract_clock_seq(id) & 1023) FROM of_node}), 2,
    'For the promotion has changed the clock sequence.');

is(ServerOrder::finish(ServerOrder::start_filling($standby, 3, $turns, 20)), 0, 'The promoted standby generates keys.');
is(ServerOrder::inversions($standby), (1 + 2 * 3 * $turns * 20) . '|0', 'They are greater than all keys of the old primary.');

# The old primary becomes a standby of the new one.
$standby->safe_psql('postgres', 'CHECKPOINT');
command_ok([ 'pg_rewind', '--target-pgdata', $primary->data_dir, '--source-server', $standby->connstr('postgres') ],
    'pg_rewind makes the old primary a copy of the new one.');
is(unpack("H*", slurp_file($primary->data_dir . "/uuidx.mark")), unpack("H*", slurp_file($standby->data_dir . "/uuidx.mark")), 'It copies the mark.');

# A copy of the data directory on a machine whose clock is behind
$standby->stop;
my $copy = PostgreSQL::Test::Cluster->new('copy');
system('cp', '-a', $standby->data_dir, $copy->data_dir) == 0 or die "cp: $?";
$copy->append_conf('postgresql.conf', 'port = ' . $copy->port);
ServerOrder::start_with_clock($copy, -3600);
ServerOrder::finish(ServerOrder::start_filling($copy, 1, 10, 20));
is((split /\|/, ServerOrder::inversions($copy))[1], 0, 'A copy of the data directory goes on where the server was.');

$copy->stop;
done_testing();
