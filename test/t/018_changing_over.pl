# From uuid-ossp, and from pg_uuidv7, while rows are inserted: by the steps of docs/changing-over.md, with no INSERT
# that fails; by who is no superuser; and not, where something still needs the other extension.

use strict;
use warnings;
use lib 'test/t';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use StandIns;
use Test::More;

StandIns::install();
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'deadlock_timeout = 100ms');
$node->start;

my $inserts = $node->basedir . '/inserts.sql';
PostgreSQL::Test::Utils::append_to_file($inserts, 'INSERT INTO orders (n) VALUES (1)');

for my $case (
    [ 'uuid-ossp', 'uuid_generate_v1mc()', 1, 'uuidx_ossp' ],
    [ 'pg_uuidv7', 'uuid_generate_v7()', 7, 'uuidx' ])
{
    my ($from, $default, $version, $to) = @$case;
    (my $database = "from_$from") =~ tr/-/_/;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, qq{
        CREATE EXTENSION "$from";
        CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT $default, n int);
        CREATE SCHEMA changing_over;
        CREATE EXTENSION uuidx SCHEMA changing_over;
        CREATE EXTENSION IF NOT EXISTS $to SCHEMA changing_over});
    $node->safe_psql($database, "CREATE TABLE t$_ (id uuid DEFAULT $default, label text DEFAULT $default\::text)") for 1 .. 50;
    my $load = IPC::Run::start([ 'pgbench', '--no-vacuum', '--client=2', '--time=4', '--file', $inserts,
        $node->connstr($database) ], '>', \my $report, '2>', \my $errors);
    $node->poll_query_until($database, 'SELECT count(*) > 100 FROM orders');

    is($node->safe_psql($database, "SELECT count(*), count(obstacle) FROM uuidx_migrate.extension_plan('$from', '$to')"),
        '101|0', "$from: the plan has all defaults");
    is(scalar(split /\n/, $node->safe_psql($database, "SELECT uuidx_migrate.change_extension('$from', '$to')")), 101,
        'which are changed');
    $node->safe_psql($database, qq{
        BEGIN;
        DROP EXTENSION "$from";
        ALTER EXTENSION $to SET SCHEMA public;
        COMMIT});
    my $at_exchange = $node->safe_psql($database, 'SELECT count(*) FROM orders');
    ok(IPC::Run::finish($load), 'no INSERT fails meanwhile') or diag($errors);
    unlike($errors, qr/ERROR/, 'nor is there any other error');
    cmp_ok($node->safe_psql($database, 'SELECT count(*) FROM orders'), '>', $at_exchange, 'and they went on');
    is($node->safe_psql($database, qq{
            INSERT INTO t1 DEFAULT VALUES;
            INSERT INTO t50 DEFAULT VALUES;
            SELECT (SELECT string_agg(extname, ',' ORDER BY extname) FROM pg_extension WHERE extname LIKE '%uuid%' AND extname <> 'uuidx'),
                pg_get_expr(adbin, adrelid), (SELECT count(*) FROM orders WHERE substr(id::text, 15, 1) <> '$version'),
                (SELECT count(*) FROM t1 NATURAL FULL JOIN t50 WHERE substr(id::text, 15, 1) = '$version' AND substr(label, 15, 1) = '$version')
            FROM pg_attrdef WHERE adrelid = 'orders'::regclass}),
        join('|', ($to eq 'uuidx' ? '' : $to), $default, 0, 2), 'the names are where they were');
}

# Something that the plan has named as no default keeps the other extension from being dropped.
$node->safe_psql('postgres', q{
    CREATE EXTENSION "uuid-ossp";
    CREATE EXTENSION uuidx;
    CREATE TABLE orders (id uuid DEFAULT uuid_generate_v4());
    CREATE VIEW fresh AS SELECT uuid_generate_v4() AS id;
    CREATE SCHEMA changing_over;
    CREATE EXTENSION uuidx_ossp SCHEMA changing_over;
    SELECT uuidx_migrate.change_extension('uuid-ossp', 'uuidx_ossp')});
my ($status, $out, $err) = $node->psql('postgres', 'DROP EXTENSION "uuid-ossp"');
like($err, qr/cannot drop extension uuid-ossp because other objects depend on it\nDETAIL:  view fresh depends on function uuid_generate_v4\(\)\n/,
    'a view keeps uuid-ossp');
is($node->safe_psql('postgres', q{SELECT object, obstacle FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp')}),
    'view public.fresh|it depends on public.uuid_generate_v4() and is not a default that can be changed', 'as the plan says');

# A lock that is not to be had in time: nothing is changed, or those that can be.
$node->safe_psql('postgres', 'CREATE TABLE a (id uuid DEFAULT uuid_generate_v4()); CREATE TABLE b (id uuid DEFAULT uuid_generate_v4())');
my $lock = IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'),
    '-c', 'CREATE TEMP TABLE mine (id uuid DEFAULT uuid_generate_v4()); CREATE DOMAIN pg_temp.key AS uuid DEFAULT uuid_generate_v4()',
    '-c', 'BEGIN; LOCK TABLE b IN ACCESS SHARE MODE; SELECT pg_sleep(600)' ], '<', \undef, '>&', \my $lock_output);
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE relation = 'b'::regclass AND granted});
# What that session has for itself is left alone, too.
my $left = q{SELECT string_agg(relation::text, ',' ORDER BY relation::text)
    FROM uuidx_migrate.default_plan('public.uuid_generate_v4()', 'uuid_generate_v7()') WHERE statement IS NOT NULL};
($status, $out, $err) = $node->psql('postgres', q{SET lock_timeout = '100ms';
    SELECT uuidx_migrate.change_defaults('public.uuid_generate_v4()', 'uuid_generate_v7()')});
like($err, qr/canceling statement due to lock timeout/, 'a table in use');
is($node->safe_psql('postgres', $left), 'a,b', 'leaves all as it was');
$node->psql('postgres', q{SET lock_timeout = '100ms';
    SELECT statement FROM uuidx_migrate.default_plan('public.uuid_generate_v4()', 'uuid_generate_v7()') WHERE statement IS NOT NULL \gexec},
    on_error_stop => 0);
is($node->safe_psql('postgres', $left), 'b', 'but itself alone, where each has a transaction');
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()});
IPC::Run::finish($lock);
$node->safe_psql('postgres', q{SELECT uuidx_migrate.change_defaults('public.uuid_generate_v4()', 'uuid_generate_v7()')});
is($node->safe_psql('postgres', $left), '', 'and nothing is left in the end');

# Who owns a database and is no superuser: the extension stays in its schema, which is in the search_path.
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE DATABASE owned OWNER owner');
is($node->safe_psql('owned', q{
        SET SESSION AUTHORIZATION owner;
        CREATE SCHEMA ids;
        CREATE EXTENSION "uuid-ossp" SCHEMA ids;
        CREATE TABLE ids.orders (id uuid DEFAULT ids.uuid_generate_v4());
        CREATE SCHEMA changing_over;
        CREATE EXTENSION uuidx SCHEMA changing_over;
        CREATE EXTENSION uuidx_ossp SCHEMA changing_over;
        SELECT uuidx_migrate.change_extension('uuid-ossp', 'uuidx_ossp');
        DROP EXTENSION "uuid-ossp";
        ALTER DATABASE owned SET search_path = "$user", public, changing_over;
        INSERT INTO ids.orders DEFAULT VALUES}),
    'ALTER TABLE ONLY ids.orders ALTER COLUMN id SET DEFAULT changing_over.uuid_generate_v4()', 'by the owner of a database');
is($node->safe_psql('owned', 'SELECT uuid_version(uuid_generate_v4()), count(*) FROM ids.orders'), '4|1', 'who finds the names, too');

$node->stop;
done_testing();
