# The recipes of docs/migrate/other-systems.md with random keys, which this test lays out digit by digit: each recipe reads the
# time that a key was made with, and gives back the key where the document says that it can.

use strict;
use warnings;
use lib 'test/lib';
use Documents;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $count = $ENV{UUIDX_LONG} ? 1_000_000 : 3_000;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;
my @statements = map { $_->{content} } Documents::examples(slurp_file('docs/migrate/other-systems.md'), 'sql');
$node->safe_psql('postgres', join ';', join('', @statements) =~ /^(CREATE [^;]*)/mg);

# 32 random hexadecimal digits, and times that are made of them: 32 bits of seconds and 41 of milliseconds, both since
# 1970; and days since 1900, from 1970 on, with 1/300 seconds.
$node->safe_psql('postgres', qq{
    CREATE TABLE random AS
    SELECT hex, seconds, ms, days, ticks, timestamptz '1970-01-01 00:00+00' AS epoch
    FROM (SELECT md5(n::text) AS hex FROM generate_series(1, $count) AS n) AS r,
         LATERAL (SELECT ('x' || left(hex, 8))::bit(32)::bigint AS seconds, ('x' || right(hex, 11))::bit(44)::bigint / 8 AS ms) AS times,
         LATERAL (SELECT 25567 + seconds % 39969 AS days, ms % 25920000 AS ticks) AS comb});

# all_rows(NAME, KEYS, CONDITION): the condition holds for all keys that these expressions over the table make.
sub all_rows
{
    my ($name, $keys, $condition) = @_;
    is($node->safe_psql('postgres',
            "SELECT count(*), count(*) FILTER (WHERE $condition) FROM (SELECT *, $keys FROM random) AS keys"),
        "$count|$count", $name);
    return;
}

# sorts(NAME, KEY, CONVERTED): what the keys become sorts as they do.
sub sorts
{
    my ($name, $key, $converted) = @_;
    is($node->safe_psql('postgres', qq{
            SELECT count(*) FROM (SELECT converted, lag(converted) OVER (ORDER BY key) AS before
                                  FROM (SELECT $key AS key, $converted AS converted FROM random) AS keys) AS pairs
            WHERE converted <= before}),
        '0', $name);
    return;
}

is($node->safe_psql('postgres', q{
        SELECT num_nulls(ksuid_time('0ujts!cgvSTl8PAuAdqWYSMnLOv'), ksuid_time('short'), ksuid_time('aWgEPTl1tmebfsQzFP4bxwgy80W'),
                         objectid_time('507c'), objectid_to_v8('507c7f79bcf86cd7994f6c0g'), comb_to_v7('c232ab00-9414-11ec-b3c8-9f6bdeced846'),
                         v7_to_comb('c232ab00-9414-41ec-b3c8-9f6bdeced846')),
               ksuid_time('aWgEPTl1tmebfsQzFP4bxwgy80V')}),
    '7|2150-06-19 23:21:35+00', 'A value that is no key has no time, and becomes none; the greatest KSUID is one.');

all_rows('guid_swap puts back the bytes of a SQL Server GUID, and reverses them again',
    q{hex::uuid AS id,
      (substr(hex, 7, 2) || substr(hex, 5, 2) || substr(hex, 3, 2) || substr(hex, 1, 2) || substr(hex, 11, 2) || substr(hex, 9, 2)
       || substr(hex, 15, 2) || substr(hex, 13, 2) || substr(hex, 17))::uuid AS reversed},
    q{guid_swap(reversed) = id AND guid_swap(id) = reversed});

my $v1 = q{overlay(overlay(hex PLACING '1' FROM 13) PLACING '9' FROM 17)};
my $swapped = qq{decode(substr($v1, 13, 4) || substr($v1, 9, 4) || substr($v1, 1, 8) || substr($v1, 17), 'hex')};
all_rows('uuid_of_swapped undoes UUID_TO_BIN(x, 1) of MySQL', "$v1\::uuid AS id, $swapped AS swapped",
    q{uuid_of_swapped(swapped) = id});
sorts('As version 6, these keys sort as in MySQL', $swapped, "uuid_v1_to_v6(uuid_of_swapped($swapped))");

all_rows('A MongoDB ObjectId has its time in version 7, and comes back from version 8', 'left(hex, 24) AS id',
    q{objectid_time(id) = epoch + seconds * interval '1 second' AND uuid_time(uuid_v7_of_name(objectid_time(id), id)) = objectid_time(id)
      AND uuid_version(objectid_to_v8(id)) = 8 AND v8_to_objectid(objectid_to_v8(id)) = id});
sorts('As version 8, these keys sort as in MongoDB', q{left(hex, 24) COLLATE "C"}, 'objectid_to_v8(left(hex, 24))');

my $v4 = q{overlay(overlay(left(hex, 20) PLACING '4' FROM 13) PLACING 'a' FROM 17)};
all_rows('A COMB with days since 1900 has its time, and to the millisecond in version 7',
    qq{($v4 || lpad(to_hex(days), 4, '0') || lpad(to_hex(ticks), 8, '0'))::uuid AS id},
    q{abs(extract(epoch FROM comb_time(id)) - ((days - 25567) * 86400 + ticks / 300.0)) < 0.000002
      AND uuid_time(uuid_v7_of_name(comb_time(id), id::text)) = date_trunc('milliseconds', comb_time(id))});
all_rows('A COMB with Unix time has it in version 7, and comes back from that',
    qq{($v4 || lpad(to_hex(ms), 12, '0'))::uuid AS id},
    q{uuid_time(comb_to_v7(id)) = epoch + ms * interval '1 millisecond' AND v7_to_comb(comb_to_v7(id)) = id});

all_rows("A snowflake has its time in version 7, with the epoch $_", "ms << 22 | seconds % 4194304 AS id",
    qq{snowflake_time(id, $_) = epoch + (ms + $_) * interval '1 millisecond'
       AND uuid_time(uuid_v7_of_name(snowflake_time(id, $_), id::text)) = snowflake_time(id, $_)})
    for 0, 1288834974657, 1420070400000;

$node->stop;
done_testing();
