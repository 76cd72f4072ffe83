# The package for Windows: unpacked into a server for Windows, as its page says, it runs under Wine. Run by root in
# scripts/throwaway-system, for Wine is that of Debian 13: older ones lack what servers from PostgreSQL 16 on call.
#
# What differs from Linux, and why:
# - sql/settings: no MAC address is found (mac_address.h), so that uuidx.node = 'mac' is an error with another DETAIL.
# - The server has no psql.exe, as npm has none with it. The clients are this system's, by TCP.
# - A process is killed as one of Linux: Windows knows no signals between processes.
# - A parallel VACUUM fails in PostgreSQL 17 and 18 ("could not duplicate handle") under Wine, also without uuidx: none is.
# - pg_ctl takes an old postmaster.pid for a new one if the clock was set back; Debian 13's Wine aborts where TMPDIR is set.
# What only Windows could show: the precision of its clock, and a rename while a virus scanner has the file open.

use strict;
use warnings;
use lib 'test/lib';
use Cwd qw(getcwd);
use IPC::Run ();
use Migrations;
use NewDebian;
use Others;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;
use WindowsServer;

my $server = $ENV{UUIDX_WINDOWS} // die 'UUIDX_WINDOWS has to be the folder of a server';
my ($major) = (run_command([ 'pg_config', '--version' ]))[0] =~ /(\d+)/;
my ($bindir) = run_command([ 'pg_config', '--bindir' ]);

# --- The package ---
$ENV{SERVER} = $server;
command_ok([ 'scripts/package', 'windows', $major ], 'The package is built');
my ($archive) = glob "dist/uuidx-*-pg$major-windows-x64.zip" or BAIL_OUT('There is no package');
command_ok([ 'unzip', '-q', '-d', $server, $archive ], 'It is unpacked');
my $share = (run_command([ 'pg_config', '--sharedir' ]))[0];
my $extensions = sub { join ' ', sort map { m{([^/]+)$} } glob "$_[0]/extension/uuidx*" };
is($extensions->("$server/share"), $extensions->($share), 'It has the files of extensions that make install installs');
my ($imports) = run_command([ 'x86_64-w64-mingw32-objdump', '--private-headers', "$server/lib/uuidx.dll" ]);
is_deeply([ grep { !/^(api-ms-win-crt-.*|KERNEL32\.dll)$/ } $imports =~ /DLL Name: (\S+)/g ], [ 'libcrypto-3-x64.dll', 'postgres.exe' ],
    'The module needs nothing but the system and what the server has');
my @symbols = $imports =~ /^\s+\[ *\d+\] (?:\+base\[ *\d+\] +\w+ )?(\w+)$/mg;
cmp_ok(scalar @symbols, '>', 100, 'It exports functions,');
is_deeply([ grep { !/^(uuidx_|pg_finfo_uuidx_|_PG_init$|Pg_magic_func$)/ } @symbols ], [], 'and none but those that the server looks up');
note(sprintf '%s has %d bytes, uuidx.dll %d', $archive, -s $archive, -s "$server/lib/uuidx.dll");

# --- SQL ---
my $debian = new_debian('trixie', 'libfaketime', 'wine64');
my $project = getcwd();
succeeds('The project is in it', "mkdir -p $debian$project && mount --bind $project $debian$project");
my $node = WindowsServer->new('windows', $server, 'chroot', $debian);
$node->init;
ok($node->start, 'A server starts');
$ENV{PGUSER} = 'postgres';
my @files = map { m{^sql/(\w+)\.sql$} } glob 'sql/*.sql';
my $folder = $node->basedir;
IPC::Run::run([ $ENV{PG_REGRESS}, '--dbname=contrib_regression', '--load-extension=uuidx', '--load-extension=uuidx_migrate', '--encoding=UTF8', '--no-locale',
    '--inputdir=.', "--outputdir=$folder", "--bindir=$bindir", '--host=' . $node->host, '--port=' . $node->port, '--user=postgres', @files ], '>&', \my $output);
my $differences = -e "$folder/regression.diffs" ? slurp_file("$folder/regression.diffs") : '';
is(join(' ', $differences =~ m{^diff .*/(\w+)\.out$}mg), 'settings', 'sql/ prints the same but for settings') or diag($output, $differences);
is_deeply([ $differences =~ /^[-+](?![-+])(.*)/mg ], [ 'DETAIL:  Other servers can have the same catalogs, but not the same node: set it in postgresql.conf.',
    'DETAIL:  No MAC address of this machine was found.' ], 'That differs in the MAC address');

# --- The order of the server ---
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'uuidx'\nautovacuum = off\nrestart_after_crash = on\nuuidx.max_clock_ahead = -1");
ok($node->stop('fast'), 'It stops');
ok(ServerOrder::start_with_clock($node, 0), 'It starts with uuidx preloaded');
ServerOrder::create_stream($node);

# order_goes_on(WHEN): sessions fill the stream in turns; then no key is there twice, or not greater than all before it.
my $made = 0;
sub order_goes_on
{
    my ($when) = @_;
    is(ServerOrder::finish(ServerOrder::start_filling($node, 2, 100, 20)), 0, "Two sessions make keys $when");
    my ($keys, $inversions) = split /\|/, ServerOrder::inversions($node);
    is($inversions, 0, "All $keys keys are in order");
    cmp_ok($keys, '>=', $made += 4000, 'None is lost');
    return;
}

# ahead(): by how many hours the order is ahead of the clock
sub ahead { return $node->safe_psql('postgres', q{SET uuidx.v7_order = server; SELECT round(extract(epoch FROM ahead_of_clock) / 3600) FROM uuid_generator_state()}) }

# crash_meanwhile($crash): sessions fill the stream, and $crash->() while they do.
sub crash_meanwhile
{
    my ($crash) = @_;
    my $before = $node->safe_psql('postgres', 'SELECT count(*) FROM stream');
    my @running = ServerOrder::start_filling($node, 2, 1_000_000, 20);
    $node->poll_query_until('postgres', "SELECT count(*) > $before FROM stream") or die 'nobody fills the stream';
    $crash->();
    is(ServerOrder::finish(@running), 2, 'A crash ends the sessions that make keys');
    return;
}

order_goes_on('at the same time');
is($node->safe_psql('postgres', 'CREATE TABLE beside (session int, n int GENERATED ALWAYS AS IDENTITY, id uuid)'), '', 'There is a table');
my @beside = map {
    IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c', 'SET uuidx.v7_order = server',
        '-c', "INSERT INTO beside (session, id) SELECT $_, uuid_generate_v7() FROM generate_series(1, 200000)" ], '<', \undef)
} 1 .. 2;
is(ServerOrder::finish(@beside), 0, 'Two sessions make keys without turns');
is($node->safe_psql('postgres', q{
        SELECT count(*), count(DISTINCT (left(id::text, 19), get_byte(uuid_send(id), 8) >> 2)), count(*) FILTER (WHERE id <= before),
            (SELECT max(least) < min(greatest) FROM (SELECT min(id) AS least, max(id) AS greatest FROM beside GROUP BY session) AS s)
        FROM (SELECT id, lag(id) OVER (PARTITION BY session ORDER BY n) AS before FROM beside) AS b}),
    '400000|400000|0|t', 'At the same time, they have made no two keys with the same time and counter, and each its own in order');

ok($node->stop('fast') && ServerOrder::start_with_clock($node, -3600), 'It restarts with a clock that was set back an hour');
is(ahead(), 1, 'Its order is ahead of the clock');
order_goes_on('after that');

my $log = -s $node->logfile;
crash_meanwhile(sub { kill 'KILL', ($node->processes('--forkbackend|--forkchild=backend'))[0] });
ok($node->await, 'The server starts again by itself when a session was killed');
like(slurp_file($node->logfile, $log), qr/all server processes terminated; reinitializing/, 'It has ended the others');
order_goes_on('after that');

$log = -s $node->logfile;
crash_meanwhile(sub { $node->kill9 });
ok(ServerOrder::start_with_clock($node, -7200), 'It starts after all of its processes were killed, with a clock that was set back another hour');
like(slurp_file($node->logfile, $log), qr/was not properly shut down; automatic recovery in progress/, 'It has recovered');
is(ahead(), 2, 'Its order is ahead of the clock');
order_goes_on('after that');
ok($node->stop('immediate') && ServerOrder::start_with_clock($node, 0), 'It ends at once, and starts with a clock that is right');
order_goes_on('after that');

# --- Migrations ---
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx_migrate;
    CREATE EXTENSION uuidx_ossp;
    CREATE ROLE alice LOGIN;
    CREATE SCHEMA AUTHORIZATION alice});
output_of($node, 'alice', q{
    CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT uuid_generate_v1(), n int UNIQUE);
    CREATE TABLE items (id uuid PRIMARY KEY DEFAULT uuid_generate_v1(), order_id uuid NOT NULL REFERENCES orders);
    INSERT INTO orders (n) SELECT n FROM generate_series(1, 10000) AS n;
    INSERT INTO items (order_id) SELECT id FROM orders;
    CREATE TABLE first AS SELECT id, n FROM orders});

# wrong(CONVERSION): keys that are not those of before the migration, converted, and items without an order
sub wrong
{
    my ($conversion) = @_;
    return $node->safe_psql('postgres', qq{
        SELECT count(*) FILTER (WHERE o.id IS DISTINCT FROM $conversion(f.id)),
            (SELECT count(*) FROM alice.items AS i LEFT JOIN alice.orders AS o ON o.id = i.order_id WHERE o.id IS NULL)
        FROM alice.first AS f LEFT JOIN alice.orders AS o USING (n)});
}

my @online = ($node, 'alice', 'alice.orders', mode => 'online');
my $others = start_others($node, 'writers', [ "\\set n random(1, 10000)\nINSERT INTO alice.items (order_id) SELECT id FROM alice.orders WHERE n = :n;\n" ],
    '--client=2', '--rate=20');
migrates(@online, 'An online migration runs while others write');
stop_others($others);
is(wrong('uuid_v1_to_v6'), '0|0', 'It has converted each key and reference');
migrates(@online, conversion => 'v6_to_v1', 'It is undone');
migrates($node, 'alice', 'alice.orders', mode => 'finish', conversion => 'v6_to_v1', 'The undo is finished');
is(wrong(''), '0|0', 'Each key and reference is as before');
migrates($node, 'alice', 'alice.orders', mode => 'offline', 'An offline migration runs');
is(wrong('uuid_v1_to_v6'), '0|0', 'It has converted each key and reference');
ok($node->stop('fast'), 'The server stops');
done_testing();
