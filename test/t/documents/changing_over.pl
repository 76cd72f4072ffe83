# docs/migrate/change-over.md: from uuid-ossp and from pg_uuidv7 while rows are inserted, without a superuser, while a table
# is locked, and from an older server to PostgreSQL 18.

use strict;
use warnings;
use lib 'test/lib';
use Documents;
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
$node->safe_psql('postgres', 'CREATE ROLE clerk');

# A session that runs these statements until they end.
sub start_session
{
    my ($database, $output, @statements) = @_;
    return IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--dbname', $node->connstr($database),
        map { ('--command', $_) } @statements ], '<', \undef, '>&', $output);
}

for my $case (
    [ 'uuid-ossp', 'uuid_generate_v1mc()', 1, 'uuidx_ossp' ],
    [ 'pg_uuidv7', 'uuid_generate_v7()', 7, 'uuidx', 'uuidx_pg_uuidv7' ])
{
    my ($from, $default, $version, @to) = @$case;
    (my $database = "from_$from") =~ tr/-/_/;
    my $plan = join ', ', map { "'$_'" } $from, @to;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, qq{
        CREATE EXTENSION "$from";
        REVOKE EXECUTE ON FUNCTION $default FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION $default TO clerk;
        CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT $default, n int);
        GRANT INSERT ON orders TO clerk;
        CREATE TABLE finished (n int)});
    $node->safe_psql($database, "CREATE TABLE t$_ (id uuid DEFAULT $default, label text DEFAULT $default\::text)") for 1 .. 50;
    my ($output, $load) = ('');
    $load = start_session($database, \$output, q{DO $$
        BEGIN
            LOOP
                EXECUTE 'INSERT INTO orders (n) VALUES (1)';
                COMMIT;
                EXIT WHEN EXISTS (SELECT FROM finished);
            END LOOP;
        END
        $$});
    $node->poll_query_until($database, 'SELECT count(*) > 100 FROM orders');

    $node->safe_psql($database, join ';', 'CREATE SCHEMA changing_over', map { "CREATE EXTENSION $_ SCHEMA changing_over" } @to);
    $node->safe_psql($database, 'CREATE EXTENSION uuidx_migrate CASCADE');
    is($node->safe_psql($database, "SELECT count(new_default), count(statement), count(obstacle) FROM uuidx_migrate.extension_plan($plan)"),
        '101|103|0', "From $from: the plan has a statement for each default and for both privileges.");
    is(scalar(split /\n/, $node->safe_psql($database, "SELECT uuidx_migrate.change_extension($plan)")), 103,
        "From $from: change_extension runs them.");
    $node->safe_psql($database, join ';', 'BEGIN', qq{DROP EXTENSION "$from"},
        (map { "ALTER EXTENSION $_ SET SCHEMA public" } @to), 'COMMIT');
    my $at_cutover = $node->safe_psql($database, 'SELECT count(*) FROM orders');
    ok($node->poll_query_until($database, "SELECT count(*) > $at_cutover FROM orders"),
        "From $from: another session inserts rows after the cutover.");
    $node->safe_psql($database, 'INSERT INTO finished VALUES (1)');
    IPC::Run::finish($load);
    is($output, '', "From $from: none of its INSERTs failed.");
    is($node->safe_psql($database, qq{
            INSERT INTO t1 DEFAULT VALUES;
            INSERT INTO t50 DEFAULT VALUES;
            SELECT (SELECT count(*) FROM pg_extension WHERE extname = '$from'), pg_get_expr(adbin, adrelid),
                (SELECT count(*) FROM orders WHERE substr(id::text, 15, 1) <> '$version'),
                (SELECT count(*) FROM t1 NATURAL FULL JOIN t50 WHERE substr(id::text, 15, 1) = '$version' AND substr(label, 15, 1) = '$version')
            FROM pg_attrdef WHERE adrelid = 'orders'::regclass}),
        "0|$default|0|2", "From $from: the defaults generate keys by a function of the same name and schema.");
    is($node->safe_psql($database, qq{
            SET SESSION AUTHORIZATION clerk;
            INSERT INTO orders DEFAULT VALUES;
            RESET SESSION AUTHORIZATION;
            SELECT has_function_privilege('public', '$default', 'EXECUTE')}),
        'f', "From $from: the role that could use the default still can, and no other role.");

    # And back
    $node->safe_psql($database, qq{CREATE SCHEMA leaving; CREATE EXTENSION "$from" SCHEMA leaving});
    is($node->safe_psql($database, join ' UNION ALL ', map { "SELECT uuidx_migrate.change_extension('$_', '$from')" } @to) =~ tr/\n// + 1, 103,
        "From $from: change_extension changes the defaults and privileges back.");
    $node->safe_psql($database, join ';', map({ "DROP EXTENSION $_" } 'uuidx_migrate', @to), qq{ALTER EXTENSION "$from" SET SCHEMA public});
    is($node->safe_psql($database, qq{
            SET SESSION AUTHORIZATION clerk;
            INSERT INTO orders DEFAULT VALUES;
            SELECT extname FROM pg_extension AS e JOIN pg_depend AS d ON d.refobjid = e.oid AND d.deptype = 'e' WHERE d.objid = '$default'::regprocedure}),
        $from, "From $from: then the defaults use it again.");
}

# An index serves a comparison with uuid_timestamptz_to_v7 as before.
$node->safe_psql('postgres', 'CREATE DATABASE plans');
$node->safe_psql('plans', q{
    CREATE EXTENSION pg_uuidv7;
    CREATE TABLE orders (id uuid PRIMARY KEY);
    INSERT INTO orders SELECT uuid_timestamptz_to_v7(now() - n * interval '1 minute') FROM generate_series(1, 20000) AS n;
    ANALYZE orders});
my $explain = q{EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id >= uuid_timestamptz_to_v7(now() - interval '1 minute')};
my $plan = $node->safe_psql('plans', $explain);
like($plan, qr/^Index Only Scan using orders_pkey on orders\n +Index Cond: \(id >= uuid_timestamptz_to_v7\(/,
    'An index serves id >= uuid_timestamptz_to_v7(...) of pg_uuidv7.');
$node->safe_psql('plans', 'DROP EXTENSION pg_uuidv7; CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_pg_uuidv7');
is($node->safe_psql('plans', $explain), $plan, 'The plan with uuidx_pg_uuidv7 is the same.');

# A view is no default.
$node->safe_psql('postgres', q{
    CREATE EXTENSION "uuid-ossp";
    CREATE TABLE orders (id uuid DEFAULT uuid_generate_v4());
    CREATE VIEW fresh AS SELECT uuid_generate_v4() AS id;
    CREATE EXTENSION uuidx;
    CREATE EXTENSION uuidx_migrate;
    CREATE SCHEMA changing_over;
    CREATE EXTENSION uuidx_ossp SCHEMA changing_over;
    SELECT uuidx_migrate.change_extension('uuid-ossp', 'uuidx_ossp')});
my ($status, $out, $err) = $node->psql('postgres', 'DROP EXTENSION "uuid-ossp"');
like($err, qr/cannot drop extension uuid-ossp because other objects depend on it\nDETAIL:  view fresh depends on function uuid_generate_v4\(\)\n/,
    'uuid-ossp cannot be dropped while a view uses it.');
is($node->safe_psql('postgres', q{SELECT object, obstacle FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx_ossp')}),
    'view public.fresh|it depends on public.uuid_generate_v4() and is not a default that can be changed', 'The plan lists that view.');

# Table b is locked; its session has a temporary table and domain too.
$node->safe_psql('postgres', 'CREATE TABLE a (id uuid DEFAULT uuid_generate_v4()); CREATE TABLE b (id uuid DEFAULT uuid_generate_v4())');
my ($lock_output, $lock) = ('');
$lock = start_session('postgres', \$lock_output,
    'CREATE TEMP TABLE mine (id uuid DEFAULT uuid_generate_v4())',
    'CREATE DOMAIN pg_temp.key AS uuid DEFAULT uuid_generate_v4()',
    'BEGIN; LOCK TABLE b IN ACCESS SHARE MODE; SELECT pg_sleep(600)');
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE relation = 'b'::regclass AND granted});
my $left = q{SELECT string_agg(relation::text, ',' ORDER BY relation::text)
    FROM uuidx_migrate.default_plan('public.uuid_generate_v4()', 'uuid_generate_v7()') WHERE statement IS NOT NULL};
($status, $out, $err) = $node->psql('postgres', q{SET lock_timeout = '100ms';
    SELECT uuidx_migrate.change_defaults('public.uuid_generate_v4()', 'uuid_generate_v7()')});
like($err, qr/canceling statement due to lock timeout/, 'change_defaults fails if it does not get a lock in time.');
is($node->safe_psql('postgres', $left), 'a,b', 'Then it has changed nothing.');
$node->psql('postgres', q{SET lock_timeout = '100ms';
    SELECT statement FROM uuidx_migrate.default_plan('public.uuid_generate_v4()', 'uuid_generate_v7()') WHERE statement IS NOT NULL \gexec},
    on_error_stop => 0);
is($node->safe_psql('postgres', $left), 'b', 'Statements that run one by one change all tables but the locked one.');
is($node->safe_psql('postgres', q{SELECT string_agg(regexp_replace(object, 'pg_temp_\d+', 'pg_temp'), ',' ORDER BY object)
        FROM uuidx_migrate.default_plan('public.uuid_generate_v4()', 'uuid_generate_v7()') WHERE obstacle IS NOT NULL AND object ~ 'pg_temp'}),
    'table column pg_temp.mine.id,type pg_temp.key', 'The temporary objects of another session are obstacles.');
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()});
IPC::Run::finish($lock);
$node->safe_psql('postgres', q{SELECT uuidx_migrate.change_defaults('public.uuid_generate_v4()', 'uuid_generate_v7()')});
is($node->safe_psql('postgres', $left), '', 'Nothing is left to change once the lock is gone.');

# The owner of a database, who is no superuser
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE DATABASE owned OWNER owner');
is($node->safe_psql('owned', q{
        SET SESSION AUTHORIZATION owner;
        CREATE SCHEMA shop;
        CREATE EXTENSION "uuid-ossp" SCHEMA shop;
        CREATE TABLE shop.orders (id uuid DEFAULT shop.uuid_generate_v4());
        CREATE SCHEMA ids;
        CREATE EXTENSION uuidx SCHEMA ids;
        CREATE EXTENSION uuidx_migrate;
        CREATE EXTENSION uuidx_ossp SCHEMA ids;
        SELECT uuidx_migrate.change_extension('uuid-ossp', 'uuidx_ossp');
        DROP EXTENSION "uuid-ossp";
        GRANT USAGE ON SCHEMA ids TO PUBLIC;
        ALTER DATABASE owned SET search_path = "$user", public, ids;
        INSERT INTO shop.orders DEFAULT VALUES}),
    'ALTER TABLE ONLY shop.orders ALTER COLUMN id SET DEFAULT ids.uuid_generate_v4()', 'The owner of a database changes over without a superuser.');
is($node->safe_psql('owned', q{SELECT count(*) FROM shop.orders; SET SESSION AUTHORIZATION clerk; SELECT uuid_version(uuid_generate_v4())}),
    "1\n4", 'Other roles find the functions by the search path.');

# The statements that the document shows for PostgreSQL 18, and for a server before it
my ($before, $after) = Documents::examples(slurp_file('docs/migrate/change-over.md'), 'psql');
$node->safe_psql('postgres', 'CREATE DATABASE pg18');
my $has_them = $node->safe_psql('postgres', q{SELECT to_regprocedure('pg_catalog.uuidv7()')});
SKIP: {
    skip 'PostgreSQL 18 has these functions itself', 1 if $has_them;
    is($node->safe_psql('pg18', "$before->{content}
            INSERT INTO orders DEFAULT VALUES RETURNING uuid_extract_version(id);
            SELECT pg_get_expr(adbin, adrelid), adbin::text ~ 'FUNCEXPR' FROM pg_attrdef WHERE adrelid = 'orders'::regclass"),
        "7\nuuidv7()|t", 'Before PostgreSQL 18, uuidx_pg18 provides uuidv7().');
}
SKIP: {
    skip 'this server is older than PostgreSQL 18', 3 unless $has_them;
    # As a dump of an older server has it
    ($status, $out, $err) = $node->psql('pg18', q{
        CREATE EXTENSION uuidx_pg18 WITH SCHEMA public;
        CREATE TABLE orders (id uuid DEFAULT public.uuidv7() NOT NULL, item text)});
    like($err, qr/^psql:<stdin>:\d+: NOTICE:  PostgreSQL \d\S* has the functions of extension "uuidx_pg18" itself\n/,
        'From PostgreSQL 18 on, uuidx_pg18 can be created with a NOTICE.');
    IPC::Run::run([ 'psql', '--no-psqlrc', '--quiet', '--dbname', $node->connstr('pg18') ], '<', \$after->{content}, '>&', \my $output);
    is(Documents::comparable($output), $after->{expected}, 'Its defaults are changed to those of PostgreSQL 18 as documented.');
    is($node->safe_psql('pg18', 'INSERT INTO orders DEFAULT VALUES RETURNING uuid_extract_version(id)'), '7',
        'Then the default works without uuidx_pg18.');
}

$node->stop;
done_testing();
