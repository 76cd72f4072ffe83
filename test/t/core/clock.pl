# A clock that steps back an hour and forward a day while a session generates: the order holds, the
# state tells, and the time is right again when the clock has caught up. The server's clock is
# libfaketime's, which adds what a file says; the session itself writes that file.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($libfaketime) = glob '/usr/lib/*/faketime/libfaketime.so.1';
BAIL_OUT('libfaketime is missing: install it') unless $libfaketime;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
my $offset = $node->basedir . '/offset';
PostgreSQL::Test::Utils::append_to_file($offset, "+0\n");
{
    local $ENV{LD_PRELOAD} = $libfaketime;
    local $ENV{FAKETIME_TIMESTAMP_FILE} = $offset;
    local $ENV{FAKETIME_NO_CACHE} = 1;
    local $ENV{FAKETIME_DONT_FAKE_MONOTONIC} = 1;
    $node->start;
}
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_ossp');

my @steps = (
    ['on time', '+0', 0],
    ['an hour back', '-3600', 3600],
    ['on time again', '+0', 0],
    ['a day forward', '+86400', 0],
    ['a day back', '+0', 86400],
    ['an hour of it caught up', '+3600', 82800],
    ['all of it caught up', '+86401', 0],
);

for my $case ([7, 'precision'], [7, 'counter'], [7, 'monotonic_random'], [6, 'precision'], [1, 'precision'])
{
    my ($version, $method) = @$case;
    # What sorts by time: version 1 does not.
    my $sorts = $version == 1 ? 'uuid_v1_to_v6(id)' : 'id';
    my $sql = qq{SET uuidx.v7_method = $method;
        CREATE TABLE made (n bigint GENERATED ALWAYS AS IDENTITY, step int, id uuid,
            ahead float);\n};
    for my $i (0 .. $#steps)
    {
        $sql .= qq{COPY (VALUES ('$steps[$i][1]')) TO '$offset';
            INSERT INTO made (step, id) SELECT $i, uuid_generate_v$version()
                FROM generate_series(1, 5000);
            INSERT INTO made (step, id, ahead) SELECT $i, uuid_generate_v$version(),
                extract(epoch FROM ahead_of_clock) FROM uuid_generator_state($version);
            UPDATE made SET ahead = coalesce(ahead, extract(epoch FROM uuid_time(id) - clock_timestamp()))
                WHERE step = $i;\n};
    }
    $node->safe_psql('postgres', $sql);
    my $what = "Version $version by method $method";
    is($node->safe_psql('postgres', qq{
            SELECT count(*), count(*) FILTER (WHERE now <= before)
            FROM (SELECT $sorts AS now, lag($sorts) OVER (ORDER BY n) AS before FROM made) AS o}),
        5001 * @steps . '|0', "$what always increases");
    for my $i (0 .. $#steps)
    {
        my ($step, undef, $ahead) = @{ $steps[$i] };
        my ($least, $most) = split /\|/, $node->safe_psql('postgres',
            "SELECT min(ahead), max(ahead) FROM made WHERE step = $i");
        # All that the test itself takes is time that the clock catches up.
        ok($least > $ahead - 60 && $most < $ahead + 1,
            "$what is $ahead s ahead of the clock that is $step");
        note("$least to $most s");
    }
    $node->safe_psql('postgres', qq{DROP TABLE made; COPY (VALUES ('+0')) TO '$offset'});
}

$node->stop;
done_testing();
