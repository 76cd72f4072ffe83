# The offline migration of a whole schema: every value is converted, every join gives the same rows, all
# else is as before, and undoing it gives back the first database. And what may not happen.

use strict;
use warnings;
use lib 'test/t';
use Shop;
use Test::More;

my $shop = Shop->new;
my ($schema, $content, $rows) = ($shop->schema, $shop->content, $shop->joins);

for my $table (@Shop::columns)
{
    my ($ok, $output, $errors) = $shop->migrate($table, 'shop_owner');
    ok($ok && $errors eq '', "$table: the script runs");
    note($errors);
}
my $loose = $shop->query(q{SELECT count(*) FROM "Mixed Case"."select" WHERE keys.uuid_version("Order") <> 6});
is($loose, '0', 'also values that a foreign key NOT VALID did not check');
ok($shop->content eq $shop->migrated_content($content), 'every value is uuid_v1_to_v6 of what it was');
is($shop->joins, $rows, 'every join gives the same rows');

is($shop->schema, Shop::migrated_schema($schema),
    'and nothing else: keys, indexes, grants, comments, statistics targets, replica identity, owners');
is($shop->query(q{
        INSERT INTO shop.customers (name) VALUES ('new');
        INSERT INTO shop.payments (paid_on) VALUES ('2025-05-05'), ('2026-05-05');
        SELECT (SELECT keys.uuid_version(id) FROM shop.customers WHERE name = 'new'),
               string_agg(keys.uuid_version(id)::text, ',') FROM shop.payments WHERE order_id IS NULL}),
    '6|6,6', 'new rows have version 6');
$shop->query(q{DELETE FROM shop.customers WHERE name = 'new'; DELETE FROM shop.payments WHERE order_id IS NULL});

# --- A script runs wholly or not at all ---
my ($v6_schema, $v6_content) = ($shop->schema, $shop->content);
$shop->query(q{INSERT INTO shop.order_details SELECT id, 'of version 4' FROM shop.orders
    EXCEPT SELECT order_id, 'of version 4' FROM shop.order_details LIMIT 1});
$shop->query(q{INSERT INTO shop.customers VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', 'of version 4')});
my ($ok, $output, $errors) = $shop->migrate('shop.customers', 'shop_owner', "direction => 'v6_to_v1'");
ok(!$ok, 'a value of another version stops the script');
like($errors, qr/ERROR:  column "id" of table shop\.customers has UUIDs that are not of version 6\nDETAIL:  Their number is 1; one of them is "919108f7-52d1-4320-9bac-f847db4148a8"\./,
    'which says how many, and an example');
$shop->query(q{DELETE FROM shop.customers WHERE name = 'of version 4';
    DELETE FROM shop.order_details WHERE note = 'of version 4'});
is($shop->schema, $v6_schema, 'and changes nothing');

my ($script) = ($shop->psql(q{SELECT sql || ';' FROM uuidx_migrate.script('shop.orders', 'id', direction => 'v6_to_v1') ORDER BY step}))[1];
my @statements = split /^(?<=;\n)/m, $script;
cmp_ok(scalar(@statements), '>', 20, 'a script of many statements');
my $broken = join '', @statements[ 0 .. $#statements - 3 ], "SELECT 1 / 0;\n", @statements[ $#statements - 2 .. $#statements ];
$shop->psql($broken);
is($shop->schema, $v6_schema, 'an error in the middle leaves the schema');
ok($shop->content eq $v6_content, 'and every value as it was');

# --- Undone ---
for my $table (reverse @Shop::columns)
{
    ($ok, $output, $errors) = $shop->migrate($table, 'shop_owner', "direction => 'v6_to_v1'");
    ok($ok && $errors eq '', "$table: undone");
    note($errors);
}
is($shop->schema, $schema, 'the schema is the first again');
ok($shop->content eq $content, 'and so is every value');
is($shop->query('SELECT count(*) FROM uuidx_migrate.former_defaults'), '0',
    'and no former default is left');

# --- Who may ---
($ok, $output, $errors) = $shop->migrate('shop.orders', 'clerk');
ok(!$ok, 'who owns no table cannot');
like($errors, qr/^you are not the owner of table shop\.orders$/m, 'and is told why');

# --- Publications ---
SKIP: {
    skip 'publications with row filters and column lists', 0
        if $shop->query('SHOW server_version_num') < 150000;
    $shop->query(q{
        CREATE PUBLICATION filtered FOR TABLE shop.audit WHERE (customer_id IS NOT NULL);
        CREATE PUBLICATION listed FOR TABLE shop.audit (customer_id);
        CREATE PUBLICATION whole FOR TABLE shop.audit});
    is($shop->query(q{SELECT o FROM uuidx_migrate.obstacles('shop.audit', 'customer_id') AS o ORDER BY o}),
        "publication of table shop.audit in publication filtered\npublication of table shop.audit in publication listed",
        'publications with a row filter or a column list are in the way');
}

done_testing();
