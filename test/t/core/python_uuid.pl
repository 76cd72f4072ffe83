# An independent implementation, Python's uuid module, and uuidx agree on 100,000 random version 1
# UUIDs: their conversion to version 6 and back, and every field of them.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $count = 100_000;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx');
$node->safe_psql('postgres', q{CREATE TABLE python (
    v1 uuid, v6 uuid, microseconds bigint, clock_seq int, node text)});

my $file = $node->basedir . '/uuids.tsv';
ok(system("python3 test/t/core/python_uuid.py $count >'$file'") == 0, 'Python writes random UUIDs');
$node->safe_psql('postgres', "COPY python FROM '$file'");

is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT v1) FROM python'),
    "$count|$count", "They are $count different ones");

my %agree = (
    'the conversion of version 1 to version 6' => 'uuid_v1_to_v6(v1) = v6',
    'the conversion of version 6 to version 1' => 'uuid_v6_to_v1(v6) = v1',
    'the version' => 'uuid_version(v1) = 1 AND uuid_version(v6) = 6',
    'the time of version 1' => q{extract(epoch FROM uuid_time(v1)) * 1000000 = microseconds},
    'the time of version 6' => q{extract(epoch FROM uuid_time(v6)) * 1000000 = microseconds},
    'the clock sequence' => q{uuid_extract_clock_seq(v1) = clock_seq
        AND uuid_extract_clock_seq(v6) = clock_seq},
    'the node' => q{uuid_extract_node(v1)::text = node AND uuid_extract_node(v6)::text = node},
);
for my $what (sort keys %agree)
{
    is($node->safe_psql('postgres', "SELECT count(*) FROM python WHERE $agree{$what}"),
        $count, "Python and uuidx agree on $what");
}

$node->stop;
done_testing();
