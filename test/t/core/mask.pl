# An independent implementation of FF1, in Python, masks random UUIDs with random keys and tweaks as uuid_mask does, that
# of the library and that of the SQL edition; it has checked itself with NIST's samples. Masks are the same in parallel
# workers, and a session ends well with a key. The functions of docs/use/show-keys.md run nothing that others plant, and
# show the masking key to nobody.

use strict;
use warnings;
use lib 'test/lib';
use Documents;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $count = $ENV{UUIDX_LONG} ? 50_000 : 2_000;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE python (version int, id uuid, key bytea, tweak text, masked uuid)});

my $file = $node->basedir . '/masks.tsv';
# The module cryptography is installed for Debian's Python, which need not be the first python3 in PATH.
ok(system("/usr/bin/python3 -B test/t/core/python_ff1.py $count >'$file'") == 0, 'Python masks random UUIDs');
$node->safe_psql('postgres', "COPY python FROM '$file'");

is($node->safe_psql('postgres', q{
        SELECT count(DISTINCT id), count(DISTINCT key), count(DISTINCT version), count(DISTINCT length(key)),
               count(DISTINCT octet_length(tweak)) FROM python}),
    "$count|$count|4|2|46", "They are $count different ones, and the tweaks are of all lengths");
$node->safe_psql('postgres', 'CREATE EXTENSION pgcrypto;' . slurp_file('sql-edition/uuidx.sql'));
for my $schema ('public', 'uuidx')
{
    is($node->safe_psql('postgres', "SELECT * FROM python WHERE $schema.uuid_mask(id, key, tweak) IS DISTINCT FROM masked"),
        '', "$schema.uuid_mask makes the same of them");
    is($node->safe_psql('postgres', "SELECT * FROM python WHERE $schema.uuid_unmask(masked, key, tweak, version) IS DISTINCT FROM id"),
        '', "$schema.uuid_unmask undoes what Python made");
}

my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
    SET parallel_leader_participation = off;';
my $query = 'SELECT count(*) FROM python WHERE uuid_mask(id, key, tweak) = masked';
like($node->safe_psql('postgres', "$parallel EXPLAIN (COSTS OFF) $query"), qr/Workers Planned: [12]\n.*Filter: .*uuid_mask/s,
    'Parallel workers may mask UUIDs');
is($node->safe_psql('postgres', "$parallel $query"), $count, 'They mask as the session does');

# --- The functions of docs/use/show-keys.md ---
$node->safe_psql('postgres', q{CREATE DATABASE documented;
    ALTER DATABASE documented SET log_statement = 'all';
    ALTER DATABASE documented SET log_min_duration_statement = 0;
    ALTER DATABASE documented SET debug_print_parse = on;
    ALTER DATABASE documented SET debug_print_plan = on});
# One of the statements fails: the document shows the error.
$node->psql('documented', join('', map { $_->{content} } Documents::examples(slurp_file('docs/use/show-keys.md'), 'sql')),
    on_error_stop => 0);

my (undef, $output, $errors) = $node->psql('documented', q{
    GRANT CREATE ON DATABASE documented TO api;
    SET SESSION AUTHORIZATION api;
    CREATE SCHEMA plants;
    CREATE FUNCTION plants.uuid_mask(uuid, bytea, text) RETURNS uuid LANGUAGE plpgsql AS
        $$BEGIN RAISE EXCEPTION 'planted: %', $2; END$$;
    CREATE FUNCTION plants.uuid_unmask(uuid, bytea, text) RETURNS uuid LANGUAGE plpgsql AS
        $$BEGIN RAISE EXCEPTION 'planted: %', $2; END$$;
    CREATE FUNCTION plants.same(uuid, uuid) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted'; END$$;
    CREATE OPERATOR plants.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = plants.same);
    CREATE TEMPORARY TABLE masking_keys AS SELECT 9 AS number, '\x2b7e151628aed2a6abf7158809cf4f3c'::bytea AS key;
    SET search_path = pg_temp, plants, pg_catalog;
    SELECT pg_catalog.bool_and(public.unmask_order(public.mask_order(id)) OPERATOR(pg_catalog.=) id) FROM public.orders;
    SELECT pg_catalog.bool_and(public.unmask_order(id) IS NOT NULL) FROM public.public_orders});
is("$output$errors", "t\nt", 'The functions run nothing that a role plants');

# Nobody has analyzed masking_keys, and autovacuum does not: it has too few rows.
is($node->safe_psql('documented', q{
        INSERT INTO orders (item) SELECT 'bread' FROM generate_series(1, 10000);
        ANALYZE orders;
        BEGIN;
        SELECT unmask_order('2a54ac59-88c3-4c24-949d-f5a6dcc3f3fa') IS NULL;
        SELECT seq_scan, idx_scan > 0 FROM pg_stat_xact_user_tables WHERE relname = 'orders'}),
    "t\n0|t", 'unmask_order finds a row by the index');

# The octets of a key as the trees in the log show them: as numbers, which may be signed, and on several lines.
sub octets
{
    my ($key) = @_;
    return join '\s+', map { $_ < 128 ? $_ : "(?:$_|" . ($_ - 256) . ')' } unpack 'C*', pack 'H*', $key;
}
my $masking_key = $node->safe_psql('documented', q{SELECT encode(key, 'hex') FROM masking_keys});
my $log = slurp_file($node->logfile);
ok($log !~ /$masking_key/, 'No statement or error in the log shows the masking key');
ok($log !~ octets($masking_key), 'No plan does');
ok($log =~ octets('2b7e151628aed2a6abf7158809cf4f3c'), 'The trees in the log show a key that a query contains');
ok($log !~ /terminated by signal|PANIC|FATAL/, 'Each session and worker ends well');
$node->stop;
done_testing();
