# `make install prefix=...` puts what make has built into another folder, and compiles nothing. A server from PostgreSQL 18 on
# takes the extensions from there, as its manual says: extension_control_path and dynamic_library_path.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $prefix = PostgreSQL::Test::Utils::tempdir;
# Debian's servers do not derive these two from prefix.
my $install = "make --no-print-directory install prefix=$prefix datadir=$prefix/share/postgresql pkglibdir=$prefix/lib/postgresql with_llvm=no";
my ($output, $messages);
is(IPC::Run::run([ split / /, $install ], '>', \$output, '2>', \$messages), 1, 'make installs to another prefix.') or diag($messages);
unlike($output, qr/ -c /, 'It compiles nothing.');
my @extensions = qw(uuidx uuidx_migrate uuidx_ossp uuidx_pg_uuidv7 uuidx_pg18);
is_deeply([ sort map { s{.*/}{}r } glob "$prefix/share/postgresql/extension/*.control" ], [ sort map { "$_.control" } @extensions ],
    'The extensions are there.');
ok(-x "$prefix/lib/postgresql/uuidx.so", 'The module is there.');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
if ($node->safe_psql('postgres', q{SELECT current_setting('extension_control_path', true)}))
{
    $node->append_conf('postgresql.conf', "extension_control_path = '$prefix/share/postgresql:\$system'\n" .
        "dynamic_library_path = '$prefix/lib/postgresql:\$libdir'");
    $node->restart;
    $node->safe_psql('postgres', join ';', map { "CREATE EXTENSION $_" } @extensions);
    is($node->safe_psql('postgres', q{
        SELECT uuid_version(uuid_generate_v7());
        SELECT DISTINCT regexp_substr(line, '/.*') FROM regexp_split_to_table(pg_read_file('/proc/self/maps'), E'\n') AS line
        WHERE line LIKE '%/uuidx.so'}), "7\n$prefix/lib/postgresql/uuidx.so", 'Extensions created from there load the module from there.');
}

$node->stop;
done_testing();
