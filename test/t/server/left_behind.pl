# CREATE EXTENSION and ALTER EXTENSION UPDATE leave no setting behind in the session, also if they fail. So a restore goes
# on with the search_path of the dump, and calls no function that another role has put into the schema public.

use strict;
use warnings;
use lib 'test/lib';
use OldVersions;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;

# The SQL edition is an extension, too, as pg_tle makes it one. Loaded again, it updates itself.
my $edition = slurp_file('sql-edition/uuidx.sql');
my ($share) = run_command([ 'pg_config', '--sharedir' ]);
my %files = (
    'sql_edition.control' => "default_version = '1.0.0'\n",
    map { ("sql_edition--$_.sql" => $edition) } $OldVersions::earlier, '1.0.0', "$OldVersions::earlier--1.0.0");
for (sort keys %files)
{
    unlink "$share/extension/$_";
    append_to_file("$share/extension/$_", $files{$_});
}
OldVersions::install();

# SQL that notes the settings, and that prints those that are others then. A library that is loaded adds its own.
my $note = q{LOAD 'plpgsql'; CREATE TEMP TABLE noted AS SELECT name, setting FROM pg_settings;};
my $changed = q{SELECT string_agg(concat_ws(' ', s.name, s.setting, n.setting), ', ') FROM pg_settings AS s FULL JOIN noted AS n USING (name)
    WHERE s.setting IS DISTINCT FROM n.setting AND name NOT LIKE 'uuidx.%';};
my $fail = q{CREATE FUNCTION public.fail() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'failed'; END$$;
    CREATE EVENT TRIGGER fail ON ddl_command_end WHEN TAG IN ('CREATE FUNCTION') EXECUTE FUNCTION public.fail();};
my $settings = 'SET search_path = app, public; SET client_min_messages = warning;';
for my $extension ('uuidx', 'uuidx_migrate', 'uuidx_ossp', 'uuidx_pg_uuidv7', 'uuidx_pg18', 'sql_edition')
{
    $node->safe_psql('postgres', "CREATE DATABASE $extension");
    $node->safe_psql($extension, 'CREATE SCHEMA app; CREATE EXTENSION uuidx SCHEMA app') if $extension ne 'uuidx';
    for my $before ('', $fail)
    {
        my (undef, $output, $errors) = $node->psql($extension, qq{$settings $note $before
            CREATE EXTENSION $extension VERSION '$OldVersions::earlier'; ALTER EXTENSION $extension UPDATE;
            $changed
            DROP EXTENSION IF EXISTS $extension CASCADE}, on_error_stop => 0);
        is($output, '', "No setting is another after $extension is created and updated" . ($before && ', which fails') . '.');
        $before ? like($errors, qr/ERROR:  failed/, 'It fails.') : unlike($errors, qr/ERROR/, 'It succeeds.');
    }
}

# By psql, with and without a transaction
my $file = $node->basedir . '/edition.sql';
append_to_file($file, $edition);
for my $way ("\\i $file\n", "BEGIN; \\i $file\nCOMMIT;", "$fail\n\\i $file\n", "$fail BEGIN;\n\\i $file\nROLLBACK;")
{
    $node->safe_psql('postgres', 'DROP EVENT TRIGGER IF EXISTS fail; DROP FUNCTION IF EXISTS public.fail(); DROP SCHEMA IF EXISTS uuidx CASCADE');
    my (undef, $output, $errors) = $node->psql('postgres', "$settings $note\n$way\n$changed", on_error_stop => 0);
    is($output, '', 'No setting is another after the file is loaded.');
    $way =~ /fail/ ? like($errors, qr/ERROR:  failed/, 'It fails.') : unlike($errors, qr/ERROR/, 'It succeeds.');
}

# --- A restore, by a superuser ---
$node->safe_psql('postgres', 'CREATE ROLE mallory; CREATE DATABASE shop; CREATE DATABASE restored');
$node->safe_psql('shop', q{
    CREATE SCHEMA keys;
    CREATE EXTENSION uuidx SCHEMA keys;
    CREATE EXTENSION uuidx_migrate;
    CREATE EXTENSION uuidx_ossp SCHEMA keys;
    CREATE EXTENSION uuidx_pg_uuidv7 SCHEMA keys;
    CREATE EXTENSION sql_edition;
    CREATE SCHEMA shop;
    CREATE FUNCTION shop.is_named(varchar) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN btrim($1) <> $$$$; END';
    CREATE TABLE shop.items (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v7(), name varchar CHECK (shop.is_named(name)));
    INSERT INTO shop.items (name) VALUES ('tea');
    GRANT ALL ON SCHEMA public TO mallory;
    SET ROLE mallory;
    CREATE FUNCTION public.btrim(varchar) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
        $$BEGIN RAISE LOG 'trap sprung as %', current_user; RETURN $1; END$$});
my $dump = $node->basedir . '/shop.sql';
command_ok([ 'pg_dump', '--file', $dump, $node->connstr('shop') ], 'The database is dumped.');
my $logged = -s $node->logfile;
$node->command_ok([ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file', $dump, '--dbname', $node->connstr('restored') ], 'It is restored.');
is($node->safe_psql('restored', 'SELECT name FROM shop.items'), 'tea', 'It has its rows.');
unlike(substr(slurp_file($node->logfile), $logged), qr/LOG:  trap sprung/, 'The restore has called no function of another role.');
$node->stop;
done_testing();
