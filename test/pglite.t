# The SQL edition in PGlite, by the block of docs/operate/managed.md; and what sql/ has for the edition prints the same, but for
# three files: PGlite is one process without timers, which has no parallel workers (aggregate) and no statement_timeout
# (generate), and it does not go on after a COPY FROM STDIN that fails (guard).

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Copy qw(copy);
use lib 'test/lib';
use Documents;
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Test::More;

# `import` looks for packages beside the program.
my $folder = PostgreSQL::Test::Utils::tempdir_short;
symlink $ENV{UUIDX_NPM} // die('UUIDX_NPM has to be a folder with the packages'), "$folder/node_modules" or die $!;
copy($_, $folder) or die "$_: $!" for 'sql-edition/uuidx.sql', 'test/clients/pglite_server.mjs';

my ($block) = Documents::examples(slurp_file('docs/operate/managed.md'), 'javascript');
append_to_file("$folder/block.mjs", $block->{content});
IPC::Run::run([ 'node', 'block.mjs' ], '>&', \my $output, init => sub { chdir $folder });
is(Documents::comparable($output, $block->{varies}), Documents::comparable($block->{expected}, $block->{varies}), Documents::place('docs/operate/managed.md', $block));

append_to_file("$folder/public.sql", slurp_file('sql-edition/uuidx.sql') =~ s/\buuidx\b/public/gr);
my $limit = IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default);
my $started = '';
my $server = IPC::Run::start([ 'node', "$folder/pglite_server.mjs", "$folder/public.sql", "$folder/.s.PGSQL.5432" ], '>&', \$started, $limit);
$server->pump until $started =~ /started/ || !$server->pumpable;
is($started, "started\n", 'The edition is loaded, with pgcrypto');
chomp(my $bindir = `pg_config --bindir`);
my @files = qw(convert encode mask query read typeid);
my $same = IPC::Run::run([ $ENV{PG_REGRESS}, '--use-existing', '--dbname=postgres', '--user=postgres', '--inputdir=.', "--outputdir=$folder",
    "--bindir=$bindir", "--host=$folder", '--port=5432', @files ], '>&', \$output, $limit);
ok($same, "sql/ prints the same in PGlite: @files") or diag($output, slurp_file("$folder/regression.diffs"));
$server->kill_kill;
done_testing();
