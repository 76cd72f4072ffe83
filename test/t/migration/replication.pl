# Logical replication: the migration of a table that is not replicated does not disturb it; a replicated table is refused
# on both servers, and migrated as the plan says.

use strict;
use warnings;
use lib 'test/lib';
use Migrations;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my @logical = ('wal_level = logical', 'max_wal_senders = 10', 'max_replication_slots = 10', q{wal_retrieve_retry_interval = '100ms'});
my $publisher = new_server('publisher', @logical);
my $subscriber = new_server('subscriber', @logical);
my $has_schemas = $publisher->safe_psql('postgres', q{SELECT to_regclass('pg_catalog.pg_publication_namespace')});
my %back = (conversion => 'v6_to_v1', new_default => 'keys.uuid_generate_v1()');

# A database that has the tables without the extensions
$subscriber->safe_psql('postgres', 'CREATE DATABASE without');
$subscriber->safe_psql('without', 'CREATE SCHEMA alice; CREATE TABLE alice.orders (id uuid PRIMARY KEY, n int);
    CREATE TABLE alice.lines (id uuid PRIMARY KEY, order_id uuid)');
for my $node ($publisher, $subscriber)
{
    output_of($node, 'alice', q{
        CREATE TABLE alice.orders (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int);
        CREATE TABLE alice.lines (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), order_id uuid NOT NULL REFERENCES alice.orders);
        CREATE UNLOGGED TABLE alice.local (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1());
        CREATE UNLOGGED TABLE alice.local_notes (local_id uuid REFERENCES alice.local);
        INSERT INTO alice.local SELECT FROM generate_series(1, 100);
        INSERT INTO alice.local_notes SELECT id FROM alice.local});
}
output_of($publisher, 'alice', 'INSERT INTO alice.orders (n) SELECT generate_series(1, 100);
    INSERT INTO alice.lines (order_id) SELECT id FROM alice.orders');

sub subscribe
{
    my ($database, $publication) = @_;
    my $connection = $publisher->connstr . ' dbname=postgres';
    my ($status, $output, $errors) = $subscriber->psql($database, "SET client_min_messages = error;
        CREATE SUBSCRIPTION of_$database CONNECTION '$connection' PUBLICATION $publication WITH (slot_name = ${database}_$publication)");
    is($errors, '', "Database $database subscribes to publication $publication.");
    return;
}

sub unsubscribe
{
    my ($database) = @_;
    my ($status, $output, $errors) = $subscriber->psql($database, "SET client_min_messages = error; DROP SUBSCRIPTION of_$database");
    is($errors, '', "Database $database drops its subscription.");
    return;
}

# same_rows(DATABASE, TEST): the rows of the publisher are in this database of the subscriber, at last.
my $rows = q{SELECT (SELECT md5(string_agg(o::text, ',' ORDER BY id)) FROM (SELECT id, n FROM alice.orders) AS o),
    (SELECT md5(string_agg(l::text, ',' ORDER BY id)) FROM (SELECT id, order_id FROM alice.lines) AS l)};
sub same_rows
{
    my ($database, $test) = @_;
    my $expected = $publisher->safe_psql('postgres', $rows);
    for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
    {
        last if $subscriber->safe_psql($database, $rows) eq $expected;
        sleep 0.1;
    }
    is($subscriber->safe_psql($database, $rows), $expected, $test);
    return;
}

# changes_arrive(DATABASE, ...): an INSERT, UPDATE and DELETE of the publisher
sub changes_arrive
{
    my @databases = @_;
    output_of($publisher, 'alice', q{
        UPDATE alice.orders SET n = n + 1000;
        DELETE FROM alice.lines WHERE id = (SELECT id FROM alice.lines LIMIT 1);
        INSERT INTO alice.orders (n) VALUES (-1);
        INSERT INTO alice.lines (order_id) SELECT id FROM alice.orders WHERE n = -1});
    same_rows($_, "The changes arrive in database $_.") for @databases;
    return;
}

# --- Migrations of tables that are not published ---
$publisher->safe_psql('postgres', 'CREATE PUBLICATION everything FOR ALL TABLES');
subscribe($_, 'everything') for 'postgres', 'without';
same_rows($_, "The tables are copied to database $_.") for 'postgres', 'without';
for my $node ($subscriber, $publisher)
{
    migrates($node, 'alice', 'alice.local', mode => 'online', 'A table that is not published is migrated online on the ' . $node->name . '.');
}
changes_arrive('postgres', 'without');
for my $node ($subscriber, $publisher)
{
    migrates($node, 'alice', 'alice.local', mode => 'finish', 'Its old columns are dropped,');
    migrates($node, 'alice', 'alice.local', %back, 'and it is migrated back offline.');
}
changes_arrive('postgres', 'without');
unsubscribe('without');
if ($has_schemas)
{
    $publisher->safe_psql('postgres', 'CREATE PUBLICATION schemas FOR TABLES IN SCHEMA bob, uuidx_migrate, public;
        ALTER PUBLICATION schemas ADD TABLE alice.orders, alice.lines');
    $subscriber->safe_psql('without', 'TRUNCATE alice.orders, alice.lines');
    subscribe('without', 'schemas');
    same_rows('without', 'The tables of a publication with the schema of the extension are copied.');
    migrates($publisher, 'alice', 'alice.local', mode => 'online', 'A table that is not published is migrated online,');
    changes_arrive('without');
    migrates($publisher, 'alice', 'alice.local', mode => 'finish', 'and its old columns are dropped,');
    changes_arrive('without');
    unsubscribe('without');
    $publisher->safe_psql('postgres', 'DROP PUBLICATION schemas');
}

# --- Published and subscribed tables ---
sub refuses
{
    my ($node, $table, $pattern, $what) = @_;
    my $obstacles = output_of($node, 'alice', qq{SELECT unnest(obstacles) FROM uuidx_migrate.plan('$table', 'id', conversion => 'v1_to_v6')});
    my @found = grep { /$pattern/ } split /\n/, $obstacles;
    cmp_ok(scalar @found, '>=', 1, "The plan lists the table as $what.") or diag($obstacles);
    is(scalar(grep { /^(online|offline): / } @found), 0, 'That is an obstacle to both modes.');
    fails_with(written($node, 'alice', $table, mode => $_), '55000', $pattern, "A script for it is an error, $_.") for 'offline', 'online';
    return;
}
refuses($publisher, 'alice.orders', qr/publication everything/, 'published');
refuses($subscriber, 'alice.orders', qr/subscri(bed|ption)/, 'subscribed');

# A partitioned table, of which only the root is named, and a column of a referencing table
output_of($publisher, 'bob', 'CREATE TABLE bob.parted (id uuid, n int) PARTITION BY RANGE (n);
    CREATE TABLE bob.part PARTITION OF bob.parted FOR VALUES FROM (1) TO (9);
    CREATE TABLE bob.keys (id uuid PRIMARY KEY);
    CREATE TABLE bob.refs (id uuid REFERENCES bob.keys)');
$publisher->safe_psql('postgres', 'GRANT bob TO alice; CREATE PUBLICATION partly FOR TABLE bob.parted, bob.refs');
refuses($publisher, 'bob.parted', qr/publication partly/, 'published');
refuses($publisher, 'bob.keys', qr/publication partly/, 'tied to a published one');
$publisher->safe_psql('postgres', 'DROP PUBLICATION partly; DROP TABLE bob.parted, bob.keys, bob.refs');

# --- Published tables are migrated, and copied anew ---
my $plan = q{uuidx_migrate.plan('alice.orders', 'id', conversion => 'v1_to_v6', published_tables => 'resync')};
like(output_of($publisher, 'alice', "SELECT unnest(remarks) FROM $plan"), qr/DROP SUBSCRIPTION.*TRUNCATE.*CREATE SUBSCRIPTION/s,
    'The remarks say what to do on the subscriber before and after.');
is(output_of($publisher, 'alice', "SELECT count(*) FROM $plan AS p, unnest(p.obstacles) AS o WHERE o ~ 'publication'"), '0',
    q{With published_tables => 'resync', a publication is no obstacle.});
my $resync = sub {
    my ($way, $what, $version) = @_;
    unsubscribe('postgres');
    for my $table ('alice.orders', 'alice.lines')
    {
        migrates($publisher, 'alice', $table, published_tables => 'resync', %$way, "$table is migrated $what.");
        migrates($publisher, 'alice', $table, published_tables => 'resync', %$way, mode => 'finish', 'The old columns are dropped.')
            if $way->{mode} eq 'online';
    }
    $subscriber->safe_psql('postgres', 'TRUNCATE alice.orders, alice.lines');
    subscribe('postgres', 'everything');
    same_rows('postgres', 'The subscriber has the same rows.');
    is($subscriber->safe_psql('postgres', 'SELECT string_agg(DISTINCT keys.uuid_version(id)::text, $$,$$) FROM alice.orders'), $version,
        "They have keys of version $version.");
    changes_arrive('postgres');
};
$resync->({ mode => 'offline' }, 'offline', 6);
$resync->({ mode => 'online', %back }, 'back online', 1);
unsubscribe('postgres');

$_->stop for $subscriber, $publisher;
done_testing();
