# A database moves by dump from the SQL edition to a server with the library, and back, by the commands of docs/operate/managed.md.

use strict;
use warnings;
use lib 'test/lib';
use Cwd qw(getcwd);
use Documents;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN; CREATE DATABASE managed OWNER tenant; CREATE DATABASE own; CREATE DATABASE managed_again OWNER tenant');
@ENV{qw(PGHOST PGPORT PGOPTIONS)} = ($node->host, $node->port, '-c client_min_messages=warning');

# Runs the commands of a section, in a folder of their own.
my $folder = PostgreSQL::Test::Utils::tempdir;
symlink getcwd() . '/sql-edition/uuidx.sql', "$folder/uuidx.sql" or die $!;
sub run_section
{
    my ($section) = @_;
    my ($block) = grep { $_->{section} eq $section } Documents::blocks(slurp_file('docs/operate/managed.md'));
    IPC::Run::run([ 'sh', '-ec', "cd $folder\n$block->{content}" ], '>&', \my $output);
    is($output, '', "The commands of the section \"$section\" print no error");
    return;
}

command_ok([ 'psql', '--no-psqlrc', '--quiet', '--username=tenant', '--set=ON_ERROR_STOP=1', '--file=sql-edition/uuidx.sql', 'dbname=managed' ], 'The edition is loaded');
$node->safe_psql('managed', q{SET SESSION AUTHORIZATION tenant;
    CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT uuidx.uuid_generate_v7() CHECK (uuidx.uuid_is_v7(id)),
        created timestamptz GENERATED ALWAYS AS (uuidx.uuid_time(id)) STORED);
    CREATE INDEX orders_created ON orders (uuidx.uuid_time(id));
    CREATE TRIGGER guard BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION uuidx.uuid_guard('id', '1 day');
    CREATE VIEW links AS SELECT uuidx.uuid_encode(id, 'base58') AS link FROM orders WHERE uuidx.uuid_v7_in(id, '[2000-01-01,)');
    INSERT INTO orders SELECT FROM generate_series(1, 1000)});
my $contents = q{SELECT (SELECT md5(string_agg(o::text, ',' ORDER BY id)) FROM orders AS o), (SELECT md5(string_agg(link, ',' ORDER BY link)) FROM links),
    (SELECT count(*) FROM pg_indexes WHERE tablename = 'orders'), (SELECT count(*) FROM pg_trigger WHERE tgrelid = 'orders'::regclass),
    (SELECT string_agg(pg_get_constraintdef(oid), ',' ORDER BY conname) FROM pg_constraint WHERE conrelid = 'orders'::regclass AND contype <> 'n')};
my $expected = $node->safe_psql('managed', $contents);

run_section('Move a database to a server with the library');
is($node->safe_psql('own', $contents), $expected, 'All is in the database with the library');
is($node->safe_psql('own', q{SELECT lanname FROM pg_proc JOIN pg_language AS l ON l.oid = prolang WHERE pg_proc.oid = 'uuidx.uuid_time'::regproc}), 'c',
    'Its functions are those of the library');

run_section('Move a database from a server with the library');
is($node->safe_psql('managed_again', $contents), $expected, 'All is in the database with the edition');
is($node->safe_psql('managed_again', q{SELECT count(*) FROM pg_extension WHERE extname LIKE 'uuidx%'}), '0', 'It has no extension');
is($node->safe_psql('managed_again', q{SELECT tableowner FROM pg_tables WHERE tablename = 'orders'}), 'tenant', 'The tables belong to its owner');
$node->stop;
done_testing();
