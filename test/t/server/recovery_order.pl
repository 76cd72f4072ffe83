# The order where a server goes on from what another one was: switchovers and back, pg_rewind, recovery to a point in time, a
# copy of the data directory. A session that is killed after it has stored the mark, and a reset.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my $in_order = 'SET uuidx.v7_order = server;';
my $a = ServerOrder::new_primary('a');
my $b = ServerOrder::new_standby('b', $a, $a, -60);
ok(-e $b->data_dir . '/uuidx.mark', 'A base backup has the mark of the server.');

# --- A session is killed between the mark and the row ---
sleep 1;
my $killed = q{BEGIN; SELECT uuid_generate_v7(), pg_backend_pid() AS pid \gset
    \setenv PID :pid
    \! kill -9 $PID
};
$a->psql('postgres', "$in_order $killed", on_error_stop => 0);
my $tries = 0;
select undef, undef, undef, 0.1 until system('pg_isready', '--quiet', '--host', $a->host, '--port', $a->port) == 0 || ++$tries > 600;
ServerOrder::check($a, 'after a session was killed');

# --- A switchover, and back ---
my ($primary, $standby) = ($a, $b);
for my $round (1, 2)
{
    ServerOrder::fill($primary);
    $primary->stop('fast');
    $standby->promote;
    $primary->set_standby_mode;
    $primary->append_conf('postgresql.conf', ServerOrder::primary($standby, $primary));
    ServerOrder::start_with_clock($primary, $primary == $b ? -60 : 0);
    ServerOrder::check($standby, 'after a switchover to ' . $standby->name);
    $standby->wait_for_catchup($primary, 'replay', $standby->lsn('insert'));
    ($primary, $standby) = ($standby, $primary);
}

# --- A crash, and pg_rewind ---
ServerOrder::fail_over($a, $b);
ServerOrder::check($b, 'after a failover');
$b->safe_psql('postgres', 'CHECKPOINT');
command_ok([ 'pg_rewind', '--target-pgdata', $a->data_dir, '--source-server', $b->connstr('postgres') ],
    'pg_rewind makes the old primary a copy of the new one.');
$a->append_conf('postgresql.conf', 'port = ' . $a->port . "\nunix_socket_directories = '" . $a->host . "'\n" . ServerOrder::primary($b, $a));
$a->set_standby_mode;
ServerOrder::start_with_clock($a, -120);
ServerOrder::fill($b);
ServerOrder::fail_over($b, $a);
ServerOrder::check($a, 'on a server that was rewound, with a clock that is two minutes behind');

# --- Recovery to a moment, from the archive of a server whose order goes on ---
my $c = ServerOrder::new_primary('c');
$c->safe_psql('postgres', q{SELECT pg_create_restore_point('early')});
# The mark of the backup is older by then.
sleep 2;
ServerOrder::fill($c);
$c->safe_psql('postgres', q{SELECT uuid_generator_advance(now() + interval '1 h'); SELECT pg_create_restore_point('late')});
my $segment = $c->safe_psql('postgres', 'SELECT pg_walfile_name(pg_switch_wal())');
$c->poll_query_until('postgres', "SELECT last_archived_wal >= '$segment' FROM pg_stat_archiver") or die 'nothing is archived';
for my $target ('early', 'late')
{
    my $restored = PostgreSQL::Test::Cluster->new($target);
    $restored->init_from_backup($c, 'backup', has_restoring => 1, standby => 0);
    $restored->append_conf('postgresql.conf', "recovery_target_name = '$target'\nrecovery_target_action = promote\narchive_mode = off\n");
    ServerOrder::start_with_clock($restored, -3600);
    $restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'the recovery does not end';
    ServerOrder::check($restored, "after a recovery to $target, with a clock that is an hour behind");
    is($restored->safe_psql('postgres', q{SET uuidx.v7_order = server;
            SELECT uuid_time(uuid_generate_v7()) > now() + interval '1 h 30 min'}), $target eq 'late' ? 't' : 'f',
        'It has the advance if that was before.');
    $restored->stop;
}

# --- A copy of the data directory, without the file ---
$c->stop;
my $copy = PostgreSQL::Test::Cluster->new('copy');
system('cp', '-a', $c->data_dir, $copy->data_dir) == 0 or die "cp: $?";
unlink $copy->data_dir . '/uuidx.mark' or die "unlink: $!";
$copy->append_conf('postgresql.conf', 'port = ' . $copy->port . "\nuuidx.max_clock_ahead = 10s");
ServerOrder::start_with_clock($copy, -3600);
# While nobody can look at the mark, sessions take their first place in the order.
my $greatest = $copy->safe_psql('postgres', 'SELECT max(id) FROM stream');
my ($input, $locked) = ("BEGIN; ALTER SEQUENCE uuid_v7_mark RENAME TO renamed; SELECT 'locked';\n", '');
my $lock = IPC::Run::start([ 'psql', '-XqAt', '-d', $copy->connstr('postgres') ], '<', \$input, '>', \$locked);
IPC::Run::pump($lock) until $locked =~ /locked/;
my @waiting = map {
    my $is_greater = '';
    [ IPC::Run::start([ 'psql', '-XqAt', '-d', $copy->connstr('postgres'), '-c', $in_order,
        '-c', "SELECT uuid_generate_v7() > '$greatest'" ], '<', \undef, '>', \$is_greater), \$is_greater ]
} 1 .. 3;
$copy->poll_query_until('postgres', q{SELECT count(*) = 3 FROM pg_locks WHERE relation = 'uuid_v7_mark'::regclass AND NOT granted})
    or die 'nobody waits for the mark';
$input .= "ROLLBACK;\n\\q\n";
IPC::Run::finish($lock);
is(ServerOrder::finish(map { $_->[0] } @waiting), 0, 'Sessions wait for the mark.');
is(join('', map { ${ $_->[1] } } @waiting), "t\n" x 3, 'Then the keys of all of them are greater than those that exist.');
is(() = slurp_file($copy->logfile) =~ /LOG:  version 7 UUIDs are ahead of the system's clock by more than "uuidx.max_clock_ahead"\n.*DETAIL:  They go on at .*, behind those of this database before the server was started or promoted\./g,
    1, 'That it goes on far ahead of the clock is logged once.');
$copy->append_conf('postgresql.conf', 'uuidx.max_clock_ahead = -1');
$copy->reload;
ServerOrder::check($copy, 'on a copy, with a clock that is an hour behind, and without the file');

# --- A reset, and a failover ---
$copy->backup('backup');
my $d = ServerOrder::new_standby('d', $copy, $copy, -3600);
my $near = q{SELECT uuid_time(uuid_generate_v7()) < now() + interval '10 s'};
# A session that knows the mark of before the reset looks again.
is($copy->safe_psql('postgres', "$in_order SELECT uuid_time(uuid_generate_v7()) > now() + interval '1 h';
        SELECT uuid_generator_reset() \\g /dev/null
        $near"), "t\nt", 'After a reset, keys have the time of the clock.');
is($copy->safe_psql('other', "$in_order $near"), 't', 'So have those of another database, whose mark was ahead.');
my %last = map { $_ => $copy->safe_psql($_, "$in_order INSERT INTO stream (id) SELECT uuid_generate_v7() RETURNING id") } 'postgres', 'other';
ServerOrder::fail_over($copy, $d);
is($d->safe_psql($_, "$in_order SELECT uuid_generate_v7() > '$last{$_}' AND uuid_time(uuid_generate_v7()) < now() + interval '30 s'"), 't',
    "After the failover, the order of the database $_ goes on where it was after the reset.") for 'postgres', 'other';
# What a server has inherited is reset with it.
$d->safe_psql('postgres', q{SELECT uuid_generator_advance(now() + interval '2 h')});
$d->stop('fast');
ServerOrder::start_with_clock($d, -3600);
is($d->safe_psql('postgres', "SELECT uuid_generator_reset() \\g /dev/null
        $in_order $near"), 't', 'A server that was advanced is reset by the first session after a restart.');
$d->stop('fast');
ServerOrder::start_with_clock($d, -3600);
is($d->safe_psql('postgres', "$in_order $near"), 't', 'So it stays after another one.');

$_->stop for $a, $d;
done_testing();
