# docs/reference has every function of the extensions that users call, with its arguments, result type and volatility: a
# function that is added and not documented, or changed, fails here.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', q{
    CREATE SCHEMA keys;
    SET client_min_messages = warning;
    CREATE EXTENSION uuidx SCHEMA keys;
    CREATE EXTENSION uuidx_migrate;
    CREATE EXTENSION uuidx_ossp SCHEMA keys;
    CREATE EXTENSION uuidx_pg_uuidv7 SCHEMA keys;
    CREATE EXTENSION uuidx_pg18 SCHEMA keys;
    ALTER DATABASE postgres SET search_path = keys, pg_catalog});

my $reference = join '', map { slurp_file($_) } glob 'docs/reference/*.md';

# Each row of a table of functions: the function by its argument types, as it stands, and what the row says of it.
my @rows;
for my $row ($reference =~ /^\| (`[\w.]+\([^`]*\)` \| .*) \|$/mg)
{
    my ($name, $arguments, $result, $meaning) = $row =~ /^`([\w.]+)\((.*)\)` \| (.*?) \| (.*)$/;
    my @arguments = split /, /, $arguments;
    my $types = join ',', map { /(\S+)$/ } @arguments;
    my @names = map { /(\w+) \S+$/ } @arguments;
    my ($volatility) = $meaning =~ /\b(VOLATILE|STABLE)\b/;
    $volatility //= $result eq 'procedure' ? 'VOLATILE' : 'IMMUTABLE';
    push @rows, { function => "$name($types)", text => "`$name($arguments)`", says => "$result, $volatility",
        @names == @arguments ? (names => "@names") : () };
}
my $list = join ', ', map { "($_, '$rows[$_]{function}')" } 0 .. $#rows;
my @catalog = map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres', qq{
    SELECT coalesce(p.oid::regprocedure::text, 'nothing like ' || f.text),
           CASE p.prokind WHEN 'p' THEN 'procedure'
               ELSE replace(replace(pg_get_function_result(p.oid), 'timestamp with time zone', 'timestamptz'),
                            'timestamp without time zone', 'timestamp') END,
           CASE p.provolatile WHEN 'v' THEN 'VOLATILE' WHEN 's' THEN 'STABLE' ELSE 'IMMUTABLE' END,
           array_to_string(p.proargnames[1:p.pronargs], ' ')
    FROM (VALUES $list) AS f (n, text) LEFT JOIN pg_proc AS p ON p.oid = to_regprocedure(f.text) ORDER BY n});
my %documented;
for my $n (0 .. $#rows)
{
    my ($function, $result, $volatility, $names) = @{ $catalog[$n] };
    ok(!$documented{$function}++, "$rows[$n]{text} is documented once.");
    is("$result, $volatility", $rows[$n]{says}, "$rows[$n]{text} returns what the reference says, and is as volatile.");
    is($names // '', $rows[$n]{names}, "Its arguments have these names.") if defined $rows[$n]{names};
}

my @functions = split /\n/, $node->safe_psql('postgres', q{
    SELECT d.objid::regprocedure FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
    JOIN pg_proc AS p ON p.oid = d.objid
    WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND e.extname LIKE 'uuidx%'
      AND p.pronamespace <> 'uuidx_migrate_steps'::regnamespace});
cmp_ok(scalar @functions, '>', 60, 'The catalog has the functions of the extensions.');
ok($documented{$_}, "The reference has $_.") for @functions;

# What scripts call is documented without its arguments, except for two procedures.
my ($steps) = $reference =~ /^\| functions in `uuidx_migrate_steps` \|.*?\n((?:\|.*\n)+)/m;
my @steps = map { /`(\w+)`/g } $steps =~ /^\|([^|]*)\|/mg;
cmp_ok(scalar @steps, '>', 20, 'The reference has a table of what scripts call.');
is($node->safe_psql('postgres', "SELECT s FROM unnest('{@{[ join ',', @steps ]}}'::text[]) AS s
        WHERE NOT EXISTS (SELECT FROM pg_proc WHERE proname = s AND pronamespace = 'uuidx_migrate_steps'::regnamespace)"),
    '', 'The catalog has all of them.');

$node->stop;
done_testing();
