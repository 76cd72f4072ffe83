# A shop whose keys are of version 1, as shop.sql makes it, on a server of its own; and what is compared before
# and after they were moved.
package Shop;

use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The columns that foreign keys tie to no other of these, and so a migration each.
our @columns = ('shop.customers', 'shop.orders', 'shop.payments');

my %tables = (
    'shop.customers' => 'id, name, active',
    'shop.orders' => 'id, customer_id, replaces, placed',
    'shop.order_details' => 'order_id, note',
    'shop.items' => 'order_id, line, article',
    'shop.item_notes' => 'order_id, line, note',
    'shop.payments' => 'id, paid_on, order_id',
    'shop.refunds' => 'payment_id, paid_on',
    '"Mixed Case"."select"' => '"Order", "from"',
    'shop.audit' => 'customer_id, happened',
    'shop.unrelated' => 'id');

sub new
{
    my ($class, @configuration) = @_;
    my $node = PostgreSQL::Test::Cluster->new('main');
    $node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
    $node->append_conf('postgresql.conf', join "\n", @configuration);
    $node->start;
    my $shop = bless { node => $node }, $class;
    # Not in search_path: a script has to name all of it.
    $shop->query('CREATE SCHEMA keys; GRANT USAGE ON SCHEMA keys TO PUBLIC; CREATE EXTENSION uuidx SCHEMA keys; CREATE EXTENSION uuidx_migrate');
    my ($uuids) = run_command([ 'sh', '-c', 'for n in $(seq 300); do uuidgen --time; done' ]);
    my ($ok, $output, $errors) = $shop->psql("$uuids\n", '--set=ON_ERROR_STOP=1', '--file', 'test/t/migration/shop.sql');
    is($errors, '', 'The shop has version 1 keys from uuid-ossp and util-linux.');
    return $shop;
}

sub query
{
    my ($shop, $sql) = @_;
    return $shop->{node}->safe_psql('postgres', $sql);
}

# psql(INPUT, OPTION...): whether it ends well, what it prints, and its errors.
sub psql
{
    my ($shop, $input, @options) = @_;
    my ($output, $errors) = ('', '');
    my $ok = IPC::Run::run([ 'psql', '--no-psqlrc', '--quiet', '--no-align', '--tuples-only', @options,
        '--dbname', $shop->{node}->connstr('postgres') ], '<', \$input, '>', \$output, '2>', \$errors);
    return ($ok, $output, $errors);
}

# migrate(TABLE, ROLE, ARGUMENT...): moves its id as this role.
sub migrate
{
    my ($shop, $table, $role, @arguments) = @_;
    my $arguments = join ', ', "'$table'", "'id'", @arguments;
    return $shop->psql("SET client_min_messages = warning; SET ROLE $role;
        SELECT sql FROM uuidx_migrate.script($arguments) ORDER BY step \\gexec", '--set=ON_ERROR_STOP=1');
}

# All that a dump says of the schema. From PostgreSQL 18 on, ALTER TABLE itself gives the NOT NULL constraints of
# partitions the names of their table's.
sub schema
{
    my ($shop) = @_;
    my ($dump) = run_command([ 'pg_dump', '--schema-only', $shop->{node}->connstr('postgres') ]);
    $dump =~ s/ CONSTRAINT \w+ NOT NULL/ NOT NULL/g;
    return join "\n", grep { !/^(--|\\|$)/ } split /\n/, $dump;
}

# What a schema is after the migration: defaults are others.
sub migrated_schema
{
    my ($schema) = @_;
    my ($of_unrelated) = $schema =~ /(CREATE TABLE shop\.unrelated .*?;)/s;
    my $defaults = ($schema =~ s/DEFAULT public\.uuid_generate_v1(?:mc)?\(\)/DEFAULT keys.uuid_generate_v6()/g);
    is($defaults, 6, 'The migration changes six defaults, partitions included, and leaves one.');
    $schema =~ s/CREATE TABLE shop\.unrelated .*?;/$of_unrelated/s;
    return $schema;
}

# A schema in which the columns of each table are in the order of their names.
sub sorted
{
    my ($schema) = @_;
    $schema =~ s{^(CREATE TABLE [^\n]+ \(\n)(.*?)(\n\)[^\n]*;)$}{$1 . join("\n", sort map { s/,$//r } split(/\n/, $2)) . $3}gems;
    return $schema;
}

# All rows, as sorted lines: versions 1 and 6 of the same UUIDs are in different orders, seldom as that shows in those
# of a few seconds.
sub content
{
    my ($shop) = @_;
    return join "\n", sort map { split /\n/, $shop->query("SELECT '$_', $tables{$_} FROM $_") } keys %tables;
}

# What a content is after the migration: version 6 for 1 in all but one table.
sub migrated_content
{
    my ($shop, $content) = @_;
    my $unrelated = $shop->query('SELECT id FROM shop.unrelated');
    $content = _converted($content);
    my $not_moved = _converted($unrelated);
    return join "\n", sort split /\n/, $content =~ s/$not_moved/$unrelated/r;
}

sub _converted
{
    my ($content) = @_;
    # time_low, time_mid, version and time_high of version 1 to the order of version 6
    $content =~ s/\b([0-9a-f]{8})-([0-9a-f]{4})-1([0-9a-f]{3})-(?=[89ab][0-9a-f]{3}-)/
        my $time = "$3$2$1"; substr($time, 0, 8) . '-' . substr($time, 8, 4) . '-6' . substr($time, 12) . '-'/gex;
    return $content;
}

sub joins
{
    my ($shop) = @_;
    return $shop->query(q{
        SELECT count(*), count(DISTINCT c.name), count(r.id), count(d.note), count(i.line), count(n.note), count(p.paid_on),
               count(f.paid_on), count(s."from"), count(a.happened)
        FROM shop.customers AS c JOIN shop.orders AS o ON o.customer_id = c.id
        LEFT JOIN shop.orders AS r ON r.id = o.replaces
        LEFT JOIN shop.order_details AS d ON d.order_id = o.id
        LEFT JOIN shop.items AS i ON i.order_id = o.id
        LEFT JOIN shop.item_notes AS n ON n.order_id = i.order_id AND n.line = i.line
        LEFT JOIN shop.payments AS p ON p.order_id = o.id
        LEFT JOIN shop.refunds AS f ON f.payment_id = p.id AND f.paid_on = p.paid_on
        LEFT JOIN "Mixed Case"."select" AS s ON s."Order" = o.id
        LEFT JOIN shop.audit AS a ON a.customer_id = c.id});
}

1;
