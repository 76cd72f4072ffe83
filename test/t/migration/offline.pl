# The offline migration of a whole schema: every value is converted, every join gives the same rows, all
# else is as before, and undoing it gives back the first database. And what may not happen.

use strict;
use warnings;
use lib 'test/lib';
use Shop;
use Test::More;

my $shop = Shop->new;
my ($schema, $content, $rows) = ($shop->schema, $shop->content, $shop->joins);

for my $table (@Shop::columns)
{
    my ($ok, $output, $errors) = $shop->migrate($table, 'shop_owner');
    ok($ok && $errors eq '', "The script that migrates $table runs.");
    note($errors);
}
my $loose = $shop->query(q{SELECT count(*) FROM "Mixed Case"."select" WHERE keys.uuid_version("Order") <> 6});
is($loose, '0', 'Values that a foreign key NOT VALID never checked are converted.');
ok($shop->content eq $shop->migrated_content($content), 'Every value is uuid_v1_to_v6 of what it was.');
is($shop->joins, $rows, 'Every join returns the same rows.');

is($shop->schema, Shop::migrated_schema($schema),
    'Keys, indexes, grants, comments, statistics targets, replica identity and owners are unchanged.');
is($shop->query(q{
        INSERT INTO shop.customers (name) VALUES ('new');
        INSERT INTO shop.payments (paid_on) VALUES ('2025-05-05'), ('2026-05-05');
        SELECT (SELECT keys.uuid_version(id) FROM shop.customers WHERE name = 'new'),
               string_agg(keys.uuid_version(id)::text, ',') FROM shop.payments WHERE order_id IS NULL}),
    '6|6,6', 'New rows get version 6.');
$shop->query(q{DELETE FROM shop.customers WHERE name = 'new'; DELETE FROM shop.payments WHERE order_id IS NULL});

# --- A script runs wholly or not at all ---
my ($v6_schema, $v6_content) = ($shop->schema, $shop->content);
$shop->query(q{INSERT INTO shop.order_details SELECT id, 'of version 4' FROM shop.orders
    EXCEPT SELECT order_id, 'of version 4' FROM shop.order_details LIMIT 1});
$shop->query(q{INSERT INTO shop.customers VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', 'of version 4')});
my ($ok, $output, $errors) = $shop->migrate('shop.customers', 'shop_owner', "conversion => 'v6_to_v1'", "new_default => 'uuid_generate_v1()'");
ok(!$ok, 'A value of another version stops the script.');
like($errors, qr/ERROR:  column "id" of table shop\.customers has UUIDs that are not of version 6\nDETAIL:  Their number is 1; one of them is "919108f7-52d1-4320-9bac-f847db4148a8"\./,
    'The error gives the number of such values and an example.');
$shop->query(q{DELETE FROM shop.customers WHERE name = 'of version 4';
    DELETE FROM shop.order_details WHERE note = 'of version 4'});
is($shop->schema, $v6_schema, 'The stopped script has changed nothing.');

my ($script) = ($shop->psql(q{SELECT sql || ';' FROM uuidx_migrate.script('shop.orders', 'id', conversion => 'v6_to_v1', new_default => 'uuid_generate_v1mc()') ORDER BY step}))[1];
my @statements = split /^(?<=;\n)/m, $script;
cmp_ok(scalar(@statements), '>', 20, 'The script has many statements.');
my $broken = join '', @statements[ 0 .. $#statements - 3 ], "SELECT 1 / 0;\n", @statements[ $#statements - 2 .. $#statements ];
$shop->psql($broken);
is($shop->schema, $v6_schema, 'After an error in the middle, the schema is unchanged.');
ok($shop->content eq $v6_content, 'After an error in the middle, every value is unchanged.');

# --- Undone. The script has the former defaults as comments. ---
my %former = ('shop.customers' => 'uuid_generate_v1()', 'shop.orders' => 'uuid_generate_v1mc()', 'shop.payments' => 'uuid_generate_v1()');
($ok, $output, $errors) = $shop->migrate('shop.orders', 'shop_owner', "conversion => 'v6_to_v1'");
like($errors, qr/^column id of table shop\.orders has the default keys\.uuid_generate_v6\(\), .* Name the function with new_default\.$/m,
    'The undo has to be told the new default.');
for my $table (reverse @Shop::columns)
{
    ($ok, $output, $errors) = $shop->migrate($table, 'shop_owner', "conversion => 'v6_to_v1'", "new_default => '$former{$table}'");
    ok($ok && $errors eq '', "The script that undoes the migration of $table runs.");
    note($errors);
}
# The undo gives all partitions the same default.
$shop->query('ALTER TABLE ONLY shop.payments_2026 ALTER COLUMN id SET DEFAULT public.uuid_generate_v1mc()');
is($shop->schema, $schema, 'After the undo, the schema is the original one.');
ok($shop->content eq $content, 'After the undo, every value is the original one.');

# --- Who may ---
($ok, $output, $errors) = $shop->migrate('shop.orders', 'clerk');
ok(!$ok, 'A role that does not own the table cannot migrate it.');
like($errors, qr/^you are not the owner of table shop\.orders: Run the script as shop_owner\.$/m, 'The error says that the role is not the owner.');

# --- Publications ---
my $filtered = 'CREATE PUBLICATION filtered FOR TABLE shop.audit WHERE (customer_id IS NOT NULL)';
my $obstacles = q{SELECT obstacle FROM uuidx_migrate.plan('shop.audit', 'customer_id', published => 'resync'), unnest(obstacles) AS obstacle
    WHERE obstacle !~ 'line:'};
if ($shop->query('SHOW server_version_num') >= 150000)
{
    $shop->query(qq{
        $filtered;
        CREATE PUBLICATION listed FOR TABLE shop.audit (customer_id);
        CREATE PUBLICATION whole FOR TABLE shop.audit});
    is($shop->query($obstacles), join("\n", map { "publication of table shop.audit in publication $_ has a row filter or a column list" } qw(filtered listed)),
        'Publications with a row filter or a column list are obstacles.');
}
else
{
    like(($shop->psql($filtered))[2], qr/syntax error/, 'PostgreSQL 14 has no publications with a row filter.');
}

done_testing();
