# The random bits of 100,000 UUIDs of each method (ten times as many with `scripts/test --long`) pass the tests of
# FIPS 140-2, which a perfect source fails in about one block of 20,000 bits in a thousand.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $count = $ENV{UUIDX_LONG} ? 1_000_000 : 100_000;
# As many failures come less than once in a million runs, of 2,000 blocks and of 200.
my $too_many = $ENV{UUIDX_LONG} ? 13 : 6;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_ossp');
my $hex = $node->basedir . '/hex';
my $bits = $node->basedir . '/bits';

# From which octet on all bits are random: in versions 1 and 6, the first octet of the node has the
# multicast bit.
for my $case (['uuid_generate_v7()', 'precision', 11], ['uuid_generate_v7()', 'counter', 11],
    ['uuid_generate_v7()', 'monotonic_random', 11], [q{uuid_generate_v7_at('2026-01-01')}, 'precision', 10],
    ['uuid_generate_v6()', 'precision', 12], [q{uuid_generate_v6_at('2026-01-01')}, 'precision', 12],
    ['uuid_generate_v1()', 'precision', 12], ['uuid_generate_v1mc()', 'precision', 12],
    ['uuid_generate_v4()', 'precision', 10])
{
    my ($generate, $method, $from) = @$case;
    $node->safe_psql('postgres', qq{SET uuidx.v7_method = $method;
        COPY (SELECT encode(substr(uuid_send($generate), $from), 'hex')
              FROM generate_series(1, $count)) TO '$hex'});
    open(my $in, '<', $hex) or die "$hex: $!";
    open(my $out, '>:raw', $bits) or die "$bits: $!";
    while (my $line = <$in>)
    {
        chomp $line;
        print $out pack('H*', $line);
    }
    close $out;
    my $report = `rngtest <'$bits' 2>&1`;
    my ($passed) = $report =~ /FIPS 140-2 successes: (\d+)/;
    my ($failed) = $report =~ /FIPS 140-2 failures: (\d+)/;
    my $blocks = ($passed // 0) + ($failed // 0);
    cmp_ok($blocks, '>', $count / 550, "rngtest reads the bits of $generate by method $method");
    cmp_ok($failed // $too_many, '<', $too_many, "They pass: $failed of $blocks blocks fail");
}

$node->stop;
done_testing();
