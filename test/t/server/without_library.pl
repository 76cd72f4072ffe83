# What docs/operate/server.md says of a server that does not have the library: which statements fail there and which do not, a
# restore, and the start of a server that preloads it.

use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Copy 'copy';
use File::Path 'make_path';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Other tests use this server's library meanwhile, so it stays where it is. PostgreSQL finds its files relative to its
# programs: this is a copy of those, with links to all files but the library.
my $copy = PostgreSQL::Test::Utils::tempdir;
chomp(my ($bindir, $pkglibdir, $sharedir) = map { scalar `pg_config --$_` } qw(bindir pkglibdir sharedir));
make_path("$copy$bindir", "$copy$pkglibdir", dirname("$copy$sharedir"));
for my $program (qw(pg_ctl postgres))
{
    copy("$bindir/$program", "$copy$bindir/$program") && chmod 0755, "$copy$bindir/$program" or die "$program: $!";
}
symlink $_, "$copy$pkglibdir/" . basename($_) or die "$_: $!" for grep { !/\/uuidx\.so$/ } glob "$pkglibdir/*";
-e "$copy$sharedir" or symlink $sharedir, "$copy$sharedir" or die "$sharedir: $!";
my $without = "$copy$bindir:$ENV{PATH}";

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', 'autovacuum = off');
$node->start;
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE defaults (id uuid PRIMARY KEY DEFAULT uuid_generate_v7(), item text);
    CREATE TABLE checks (id uuid PRIMARY KEY CHECK (uuid_version(id) = 7), item text);
    CREATE TABLE plain (id uuid PRIMARY KEY, item text);
    CREATE TABLE events (id uuid);
    CREATE INDEX events_by_time ON events (id uuid_time_ops);
    CREATE VIEW times AS SELECT uuid_time(id) AS created FROM defaults;
    INSERT INTO defaults (item) SELECT 'tea' FROM generate_series(1, 1000);
    INSERT INTO checks SELECT * FROM defaults;
    INSERT INTO plain SELECT * FROM defaults;
    INSERT INTO events SELECT uuid_generate_v7_batch(100000);
    VACUUM ANALYZE;
    DELETE FROM events WHERE uuid_version(id) = 7});
my $dump = $node->basedir . '/dump.sql';
command_ok([ 'pg_dump', '--file', $dump, $node->connstr('postgres') ], 'The database is dumped');
$node->stop;
{
    local $ENV{PATH} = $without;
    $node->start;
}

my $missing = qr{could not access file "(\$libdir/)?uuidx"};
my $key = q{'019c44d9-0800-7000-8000-000000000000'};
for my $statement (
    q{INSERT INTO defaults (item) VALUES ('tea')},
    "INSERT INTO checks VALUES ($key)",
    "INSERT INTO events VALUES ($key)",
    "COPY checks (id) FROM PROGRAM 'echo 019c44d9-0800-7000-8000-000000000000'",
    q{UPDATE checks SET item = 'coffee'},
    "SELECT * FROM events WHERE id = $key",
    'SELECT * FROM plain JOIN events USING (id)',
    "DELETE FROM events WHERE id = $key",
    'SELECT * FROM times',
    'SELECT * FROM checks WHERE uuid_time(id) > now()',
    'VACUUM events',
    'REINDEX INDEX events_by_time',
    'TRUNCATE events',
    'CREATE EXTENSION uuidx_migrate')
{
    my (undef, undef, $errors) = $node->psql('postgres', $statement);
    like($errors, $missing, "Without the library, this fails: $statement");
}
for my $statement (
    "SELECT count(*) FROM defaults WHERE id >= $key",
    'SELECT count(*) FROM events',
    "INSERT INTO defaults VALUES ($key, 'tea')",
    q{UPDATE defaults SET item = 'coffee'},
    "INSERT INTO plain VALUES ($key, 'tea')",
    "DELETE FROM checks WHERE id >= $key",
    'REINDEX TABLE defaults')
{
    my (undef, undef, $errors) = $node->psql('postgres', $statement);
    is($errors, '', "This does not: $statement");
}

$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->psql('restored', slurp_file($dump), on_error_stop => 0);
is($node->safe_psql('restored', q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class
        WHERE relkind IN ('r', 'v') AND relnamespace = 'public'::regnamespace}),
    'events plain', 'A restore leaves out the tables with a default or constraint of ours, and the views');
is($node->safe_psql('restored', 'SELECT count(*) FROM pg_indexes WHERE indexdef ~ $$ON public.events$$'), '0',
    'It leaves out the indexes of our operator class');

$node->safe_psql('postgres', q{ALTER DATABASE restored SET session_preload_libraries = 'uuidx'});
$node->connect_fails($node->connstr('restored'), 'A database whose sessions preload the library has none',
    expected_stderr => qr{FATAL:.*could not access file "uuidx"});

my $insert = q{INSERT INTO defaults (item) VALUES ('tea') RETURNING uuid_version(id)};
symlink "$pkglibdir/uuidx.so", "$copy$pkglibdir/uuidx.so" or die "uuidx.so: $!";
is($node->safe_psql('postgres', "VACUUM events; $insert"), '7', 'Once it has the library, it needs no restart');
unlink "$copy$pkglibdir/uuidx.so" or die "uuidx.so: $!";

$node->append_conf('postgresql.conf', "shared_preload_libraries = 'uuidx'");
$node->stop;
{
    local $ENV{PATH} = $without;
    ok(!$node->start(fail_ok => 1), 'A server that preloads the library does not start');
}
like(slurp_file($node->logfile), qr{FATAL:.*could not access file "uuidx"}, 'It says why');
$node->start;
is($node->safe_psql('postgres', $insert), '7', 'It starts when it has the library');
$node->stop;
done_testing();
