# An independent implementation of FF1, in Python, masks random UUIDs with random keys and tweaks as uuid_mask does; it
# has checked itself with NIST's samples. Masks are the same in parallel workers, and a session ends well with a key.

use strict;
use warnings;
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
ok(system("/usr/bin/python3 -B test/t/python_ff1.py $count >'$file'") == 0, 'Python masks random UUIDs');
$node->safe_psql('postgres', "COPY python FROM '$file'");

is($node->safe_psql('postgres', q{
        SELECT count(DISTINCT id), count(DISTINCT key), count(DISTINCT version), count(DISTINCT length(key)),
               count(DISTINCT octet_length(tweak)) FROM python}),
    "$count|$count|4|2|46", "They are $count different ones, and the tweaks are of all lengths");
is($node->safe_psql('postgres', q{SELECT * FROM python WHERE uuid_mask(id, key, tweak) IS DISTINCT FROM masked}),
    '', 'uuid_mask makes the same of them');
is($node->safe_psql('postgres', q{SELECT * FROM python WHERE uuid_unmask(masked, key, tweak, version) IS DISTINCT FROM id}),
    '', 'uuid_unmask undoes what Python made');

my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
    SET parallel_leader_participation = off;';
my $query = 'SELECT count(*) FROM python WHERE uuid_mask(id, key, tweak) = masked';
like($node->safe_psql('postgres', "$parallel EXPLAIN (COSTS OFF) $query"), qr/Workers Planned: [12]\n.*Filter: .*uuid_mask/s,
    'Parallel workers may mask UUIDs');
is($node->safe_psql('postgres', "$parallel $query"), $count, 'They mask as the session does');

unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC|FATAL/, 'Each session and worker ends well');
$node->stop;
done_testing();
