# A database whose extension was updated from an earlier version has the same catalog as one that has it new:
# all that belongs to the extension, its definition, comment and privileges. What used the extension goes on.

use strict;
use warnings;
use lib 'test/lib';
use ExtensionCatalog;
use OldVersions;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# Installs an extension, and what it requires, in a database of its own; returns its catalog.
my $number = 0;
sub installed
{
    my ($extension, $version, $settings, $update) = @_;
    my $database = 'database' . ++$number;
    my $where = $extension eq 'uuidx_migrate' ? '' : 'SCHEMA keys';
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, "CREATE SCHEMA keys");
    $node->safe_psql($database, 'CREATE EXTENSION uuidx SCHEMA keys') if $extension eq 'uuidx_migrate';
    $node->safe_psql($database, "$settings; CREATE EXTENSION $extension $where $version");
    $update->($database) if $update;
    return ExtensionCatalog::of($node, $database, $extension);
}

# --- Whatever a session has set, the extensions are the same ---
my %new;
my @settings = ('SET quote_all_identifiers = on', 'SET search_path = pg_temp', 'SET check_function_bodies = off');
push @settings, 'SET standard_conforming_strings = off' if $node->safe_psql('postgres', 'SHOW server_version_num') < 190000;
for my $extension ('uuidx', 'uuidx_migrate', 'uuidx_ossp', 'uuidx_pg_uuidv7', 'uuidx_pg18')
{
    $new{$extension} = installed($extension, '', 'SET jit = off');
    cmp_ok(scalar(split /^/, $new{$extension}), '>', 15, "The catalog of $extension is read.");
    is(ExtensionCatalog::difference($new{$extension}, installed($extension, '', $_)), '', "$extension is the same after $_.") for @settings;
}

# --- An update ends where a new installation does. ---
my $used = q{
    SET client_min_messages = warning;
    CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v7());
    CREATE INDEX by_time ON orders (id keys.uuid_time_ops);
    CREATE VIEW recent AS SELECT * FROM orders
        WHERE keys.uuid_v7_in(id, '[2026-01-01,)') ORDER BY id USING OPERATOR(keys.<~)};
my $migrated = q{
    SET client_min_messages = warning;
    CREATE TABLE orders (id uuid PRIMARY KEY);
    INSERT INTO orders SELECT keys.uuid_v6_to_v1(keys.uuid_generate_v6()) FROM generate_series(1, 3);
    SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online', conversion => 'v1_to_v6') ORDER BY step \gexec};
for my $old (OldVersions::install())
{
    my ($extension, $from) = @$old;
    my $update = "SET quote_all_identifiers = on; ALTER EXTENSION $extension UPDATE";
    my $updated = installed($extension, "VERSION '$from'", '', sub {
        my ($database) = @_;
        $node->safe_psql($database, $used) if $extension eq 'uuidx';
        $node->safe_psql($database, $migrated) if $extension eq 'uuidx_migrate';
        if ($extension eq 'uuidx' && $from eq $OldVersions::earlier)
        {
            $node->safe_psql($database, 'CREATE VIEW former AS SELECT keys.uuid_former(id) FROM orders');
            like(($node->psql($database, $update))[2], qr/DETAIL:  view "public"\."former" depends on function "uuid_former"/,
                'An update that drops what a view calls names the view, and does nothing.');
            $node->safe_psql($database, 'DROP VIEW former');
        }
        $node->safe_psql($database, $update);
        is($node->safe_psql($database, 'INSERT INTO orders SELECT FROM generate_series(1, 3); SELECT count(*) FROM recent'), '3',
            "What used $extension $from goes on after the update.") if $extension eq 'uuidx';
        like($node->safe_psql($database, q{
                SET client_min_messages = warning;
                SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online', 'v6_to_v1') ORDER BY step \gexec
                SELECT string_agg(keys.uuid_version(id)::text, ',') FROM orders}), qr/^1,1,1$/m,
            "A migration that $extension $from began is undone after the update.") if $extension eq 'uuidx_migrate';
        is($node->safe_psql($database,
                q{SELECT string_agg(nspname, ',' ORDER BY nspname) FROM pg_namespace WHERE nspname ~ '^(uuidx|keys)'}),
            $extension eq 'uuidx_migrate' ? 'keys,uuidx_migrate,uuidx_migrate_steps' : 'keys', "The update of $extension leaves no schema behind.");
    });
    is(ExtensionCatalog::difference($new{$extension}, $updated), '', "$extension updated from $from is the same as a new one.");
}

# --- uuidx goes to another schema, and what calls it by an update or a script finds it there. ---
$node->safe_psql('postgres', 'CREATE SCHEMA before; CREATE SCHEMA after; CREATE EXTENSION uuidx SCHEMA before; CREATE EXTENSION uuidx_migrate;
    CREATE TABLE orders (id uuid PRIMARY KEY); ALTER EXTENSION uuidx SET SCHEMA after');
$node->safe_psql('postgres', q{CREATE FUNCTION uuid_generate_v1() RETURNS uuid LANGUAGE sql RETURN gen_random_uuid();
    ALTER TABLE orders ALTER COLUMN id SET DEFAULT uuid_generate_v1()});
like($node->safe_psql('postgres', q{SELECT sql FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6')}), qr/SET DEFAULT after\.uuid_generate_v6\(\)/,
    'A script names the schema that uuidx is in.');

$node->stop;
done_testing();
