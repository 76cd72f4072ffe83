# The module, built with the headers of a newer minor version, on a server of the first one that can be had. A server
# resolves all symbols when it loads a module: it has each of them. What sql/ has prints the same.

use strict;
use warnings;
use File::Copy qw(copy);
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Test::More;

# A server from npm, which has no client programs
my $server = $ENV{UUIDX_MINOR} // die 'UUIDX_MINOR has to be the folder of a server';
my ($library, $share, $bindir) = map { (run_command([ 'pg_config', $_ ]))[0] } '--pkglibdir', '--sharedir', '--bindir';
copy("$library/uuidx.so", "$server/lib/postgresql/") or die $!;
copy($_, "$server/share/postgresql/extension/") or die "$_: $!" for glob "$share/extension/uuidx*";

my $folder = PostgreSQL::Test::Utils::tempdir_short;
local $ENV{LD_LIBRARY_PATH} = "$server/lib";
command_ok([ "$server/bin/initdb", '--no-sync', '--auth=trust', '--encoding=UTF8', '--locale=C', "--pgdata=$folder/data" ], 'A server is made');
append_to_file("$folder/data/postgresql.conf", "listen_addresses = ''\nunix_socket_directories = '$folder'\nfsync = off\njit = off\n");
command_ok([ "$server/bin/pg_ctl", '--wait', "--pgdata=$folder/data", "--log=$folder/log", 'start' ], 'It starts');
END { system("$server/bin/pg_ctl", '--silent', '--mode=immediate', "--pgdata=$folder/data", 'stop') if $folder }

delete local $ENV{LD_LIBRARY_PATH};
my ($version) = run_command([ 'psql', '--no-psqlrc', '--no-align', '--tuples-only', "--host=$folder", '--dbname=postgres', '--command=SHOW server_version' ]);
my @files = map { m{^sql/(\w+)\.sql$} } glob 'sql/*.sql';
my $same = IPC::Run::run([ $ENV{PG_REGRESS}, '--dbname=contrib_regression', '--load-extension=uuidx', '--load-extension=uuidx_migrate', '--encoding=UTF8',
    '--no-locale', '--inputdir=.', "--outputdir=$folder", "--bindir=$bindir", "--host=$folder", @files ], '>&', \my $output);
ok($same, "sql/ prints the same on $version") or diag($output, slurp_file("$folder/regression.diffs"));
done_testing();
