# The package for Windows: unpacked into a server for Windows, as its page says, it runs under Wine. What sql/ has prints the
# same, but for what has no MAC address there (settings). Preloaded, keys of two sessions are in the order of the server, also
# after a restart and after the server has ended at once.

use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $server = $ENV{UUIDX_WINDOWS} // die 'UUIDX_WINDOWS has to be the folder of a server';
my $folder = PostgreSQL::Test::Utils::tempdir;
my ($bindir) = run_command([ 'pg_config', '--bindir' ]);
@ENV{qw(SERVER WINEPREFIX WINEDEBUG HOME)} = ($server, "$folder/wine", '-all', $folder);

# --- The package ---
command_ok([ 'scripts/package', 'windows', '15' ], 'The package is built');
my ($archive) = glob 'dist/uuidx-*-pg15-windows-x64.zip';
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

# --- The server ---
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $log = "$folder/log";
sub wine { my ($program, @arguments) = @_; return system(join ' ', '/usr/lib/wine/wine64', "$server/bin/$program.exe", @arguments, ">>$folder/out 2>&1 </dev/null") == 0 }
sub start { return wine('pg_ctl', '--wait', "--pgdata=$folder/data", "--log=$log", 'start') }
sub stop { return wine('pg_ctl', '--wait', "--pgdata=$folder/data", "--mode=$_[0]", 'stop') }
ok(wine('initdb', '--no-sync', '--auth=trust', '--encoding=UTF8', '--locale=C', '--username=postgres', "--pgdata=$folder/data"), 'A server is made')
    or BAIL_OUT(slurp_file("$folder/out"));
append_to_file("$folder/data/postgresql.conf", "listen_addresses = '127.0.0.1'\nport = $port\nfsync = off\njit = off\nunix_socket_directories = ''\n");
ok(start(), 'It starts');

# --- SQL ---
my @connect = ('--host=127.0.0.1', "--port=$port");
my @files = map { m{^sql/(\w+)\.sql$} } glob 'sql/*.sql';
IPC::Run::run([ $ENV{PG_REGRESS}, '--dbname=contrib_regression', '--load-extension=uuidx', '--load-extension=uuidx_migrate', '--encoding=UTF8', '--no-locale',
    '--inputdir=.', "--outputdir=$folder", "--bindir=$bindir", @connect, '--user=postgres', @files ], '>&', \my $output);
my $differences = -e "$folder/regression.diffs" ? slurp_file("$folder/regression.diffs") : '';
is(join(' ', $differences =~ m{^diff .*/(\w+)\.out$}mg), 'settings', 'sql/ prints the same but for settings') or diag($output, $differences);
is_deeply([ $differences =~ /^[-+](?![-+])(.*)/mg ], [ 'DETAIL:  Other servers can have the same catalogs, but not the same node: set it in postgresql.conf.',
    'DETAIL:  No MAC address of this machine was found.' ], 'That differs in the MAC address');

# --- The order of the server ---
sub value_of { my ($sql) = @_; return (run_command([ 'psql', '--no-psqlrc', '--no-align', '--tuples-only', '--quiet', @connect, '--username=postgres', '--dbname=contrib_regression', '--command', $sql ]))[0] }
append_to_file("$folder/data/postgresql.conf", "shared_preload_libraries = 'uuidx'\nuuidx.v7_order = 'server'\n");
my @keys;
for my $mode ('fast', 'immediate', 'fast')
{
    ok(stop($mode) && start(), "The server ends ($mode), and starts");
    push @keys, map { value_of('SELECT uuid_generate_v7()') } 1 .. 3;
}
is(scalar(grep { /^[0-9a-f-]{36}$/ } @keys), 9, 'Sessions make keys');
is_deeply(\@keys, [ sort @keys ], 'They are in order');
ok(stop('fast'), 'It ends');
done_testing();
