# The SQL edition as an extension of pg_tle, by the blocks of docs/operate/managed.md: created, updated, restored and removed
# by a role that is no superuser. What sql/ has for the edition prints the same, no setting is left behind, and a restore
# calls no function of another role.

use strict;
use warnings;
use Cwd qw(getcwd);
use lib 'test/lib';
use Documents;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_tle'");
$node->start;
@ENV{qw(PGHOST PGPORT PGOPTIONS)} = ($node->host, $node->port, '-c client_min_messages=warning');
my $folder = PostgreSQL::Test::Utils::tempdir;
my $page = slurp_file('docs/operate/managed.md');
my ($prepare, $create, $update, $drop, $take_out) =
    map { $_->{content} } grep { $_->{mark} eq 'tle' } Documents::blocks($page);
my ($restore) = map { $_->{content} } grep { $_->{section} eq 'Register it with pg_tle' && $_->{language} eq 'sh' } Documents::blocks($page);
my ($list) = map { $_->{content} } grep { $_->{section} eq 'Remove it' && $_->{language} eq 'sql' } Documents::blocks($page);

# output_of(DATABASE, ROLE, SQL): what psql prints, errors too
sub output_of
{
    my ($database, $role, $sql) = @_;
    IPC::Run::run([ 'psql', '--no-psqlrc', '--quiet', '--no-align', '--tuples-only', "--username=$role", "--dbname=$database" ],
        '<', \$sql, '>&', \my $output);
    return $output;
}

# A database that is ready for the extension
my $superuser = getpwuid $>;
sub prepared
{
    my ($database) = @_;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    is(output_of($database, $superuser, $prepare), '', "The database $database is prepared");
    return $database;
}
$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN; CREATE ROLE mallory');

# --- Create and update ---
my $shop = prepared('tle');
my $settings = q{SELECT md5(string_agg(name || setting, ',' ORDER BY name)) FROM pg_settings;};
sub leaves_settings
{
    my ($sql, $what) = @_;
    my $output = output_of($shop, 'tenant', "DO 'BEGIN END'; SET search_path = public, pg_temp; $settings\n$sql\n$settings");
    like($output, qr/^(\w+)\n\1$/, "$what, and no setting is another");
    return;
}
leaves_settings($create, 'The extension is created');
is(output_of($shop, 'tenant', 'SELECT uuidx.uuid_version(uuidx.uuid_generate_v7())'), "7\n", 'It makes keys');
my $functions = q{SELECT count(*), md5(string_agg(p.oid::text, ',' ORDER BY p.oid)) FROM pg_proc AS p
    JOIN pg_depend AS d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e' WHERE pronamespace = 'uuidx'::regnamespace};
my $created = $node->safe_psql($shop, $functions);
my ($version) = slurp_file('uuidx.control') =~ /^default_version = '(.*)'$/m;
append_to_file("$folder/uuidx-tle.sql", slurp_file('uuidx-tle.sql') =~ s/'\Q$version\E'/'$version-later'/r);
leaves_settings($update =~ s{uuidx-tle}{$folder/uuidx-tle}r, 'It is updated');
is($node->safe_psql($shop, "SELECT extversion FROM pg_extension WHERE extname = 'uuidx_sql'"), "$version-later", 'The new version is there');
is($node->safe_psql($shop, $functions), $created, 'Its functions are the same ones');
my $mask = q{SELECT uuidx.uuid_mask('019c44d9-0800-7000-8000-000000000000', '\x2b7e151628aed2a6abf7158809cf4f3c', 'orders')};
like(output_of($shop, 'tenant', $mask), qr/ERROR:  masks need the extension "pgcrypto"/, 'Masks need pgcrypto');
is(output_of($shop, 'tenant', "CREATE EXTENSION pgcrypto;\n\\i sql-edition/uuidx.sql\n$mask"), "2a54ac59-88c3-4c24-949d-f5a6dcc3f3fa\n",
    'They work when uuidx.sql is loaded again');
is($node->safe_psql($shop, $functions), $created, 'The functions are members of the extension still');

# --- The files of sql/ ---
prepared('regress');
$node->safe_psql('regress', 'ALTER SCHEMA public OWNER TO tenant; CREATE SCHEMA crypto; GRANT USAGE ON SCHEMA crypto TO tenant; CREATE EXTENSION pgcrypto SCHEMA crypto');
append_to_file("$folder/public.sql", slurp_file('uuidx-tle.sql') =~ s/\buuidx\b/public/gr);
is(output_of('regress', 'tenant', $create =~ s{uuidx-tle}{$folder/public}r), '', 'It is created in a schema of another name');
my @files = qw(aggregate convert encode generate guard mask query read typeid);
chomp(my $bindir = `pg_config --bindir`);
my $same = run_log([ 'env', '--unset=PGOPTIONS', $ENV{PG_REGRESS}, '--use-existing', '--dbname=regress', '--inputdir=.', "--outputdir=$folder",
    "--bindir=$bindir", '--host=' . $node->host, '--port=' . $node->port, @files ]);
ok($same, "sql/ prints the same on the extension: @files") or diag(slurp_file("$folder/regression.diffs"));

# --- Restore ---
# The CHECK calls a function by a name without its schema, and another role has such a function in the schema public.
$node->safe_psql($shop, q{
    CREATE SCHEMA shop AUTHORIZATION tenant;
    GRANT ALL ON SCHEMA public TO mallory;
    SET ROLE tenant;
    CREATE FUNCTION shop.is_named(varchar) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN btrim($1) <> $$$$; END';
    CREATE TABLE shop.orders (id uuid PRIMARY KEY DEFAULT uuidx.uuid_generate_v7() CHECK (uuidx.uuid_is_v7(id)), item varchar CHECK (shop.is_named(item)));
    INSERT INTO shop.orders (item) VALUES ('tea');
    SET ROLE mallory;
    CREATE FUNCTION public.btrim(varchar) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
        $$BEGIN RAISE LOG 'trap sprung as %', current_user; RETURN $1; END$$});
my $logged = -s $node->logfile;
prepared('tle_again');
$node->safe_psql('tle_again', 'CREATE SCHEMA shop AUTHORIZATION tenant; DROP SCHEMA shop; GRANT ALL ON SCHEMA public TO tenant');
IPC::Run::run([ 'sh', '-ec', "cd $folder\n$restore" ], '>&', \my $output);
is($output, '', 'tenant restores it');
is(output_of('tle_again', 'tenant', 'SET search_path = pg_catalog; INSERT INTO shop.orders (item) VALUES ($$bread$$); SELECT item FROM shop.orders ORDER BY id'), "tea\nbread\n",
    'and inserts rows');
is(output_of('tle_again', 'tenant', "\\i sql-edition/uuidx.sql\n$mask"), "2a54ac59-88c3-4c24-949d-f5a6dcc3f3fa\n", 'It masks when uuidx.sql is loaded again');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
command_ok([ 'pg_dump', '--file', "$folder/tle.sql", $node->connstr($shop) ], 'A superuser dumps it,');
command_ok([ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file', "$folder/tle.sql", $node->connstr('restored') ], 'and restores it.');
is($node->safe_psql('restored', 'SELECT item FROM shop.orders'), 'tea', 'It has its rows.');
like(output_of('restored', 'tenant', 'SET search_path = pg_catalog; INSERT INTO shop.orders (item) VALUES ($$bread$$)'), qr/ERROR:  permission denied for schema uuidx/,
    'The schema is the superuser\'s');
unlike(substr(slurp_file($node->logfile), $logged), qr/LOG:  trap sprung/, 'No restore has called a function of another role.');

# --- Another member of pgtle_admin ---
prepared('registered');
$node->safe_psql('registered', q{GRANT pgtle_admin TO mallory; SET SESSION AUTHORIZATION mallory; SELECT pgtle.install_extension('uuidx_sql', '0.1', 'a trap', 'SELECT')});
like(output_of('registered', $superuser, $create), qr/ERROR:  extension "uuidx_sql" has been registered by role "mallory"/,
    'It is not registered over what another role has registered,');
is($node->safe_psql('registered', q{SELECT count(*) FROM pg_extension WHERE extname = 'uuidx_sql'}), '0', 'and that is not created');

# --- Remove ---
like(output_of($shop, 'tenant', $drop), qr/ERROR:  cannot drop extension uuidx_sql because other objects depend on it/, 'It is not dropped while it is used');
is(output_of($shop, 'tenant', $list), "constraint orders_id_check on table shop.orders|uuid_is_v7\ndefault value for column id of table shop.orders|uuid_generate_v7\n",
    'What uses it is listed');
is(output_of('tle_again', 'tenant', "$take_out; DROP EXTENSION uuidx_sql"), '', 'The functions leave the extension');
command_ok([ 'psql', '--no-psqlrc', '--quiet', '--set=schema=uuidx', '--set=owner=tenant', '--file=sql-edition/uuidx-adopt.sql', $node->connstr('tle_again') ],
    'They become the library');
is(output_of('tle_again', 'tenant', 'SELECT count(*) FROM shop.orders WHERE uuidx.uuid_is_v7(id)'), "2\n", 'The rows stay');
is(output_of($shop, 'tenant', "DROP TABLE shop.orders; $drop SELECT name FROM pgtle.available_extensions()"), "t\n", 'It is removed');
is($node->safe_psql($shop, q{SELECT to_regnamespace('uuidx') IS NULL}), 't', 'with its schema');
$node->stop;
done_testing();
