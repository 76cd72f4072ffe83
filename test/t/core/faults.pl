# A clock, a random source, a cipher and hashes that fail: an error with its SQLSTATE, no UUID, and the order goes
# on where it was when they are well again. And a clock that stands still, for two sessions at once.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# A launcher that wakes up to a clock like these may end the server.
$node->append_conf("postgresql.conf", "autovacuum = off\nshared_preload_libraries = 'uuidx'");
my $faults = $node->basedir . '/faults';
mkdir $faults or die "$faults: $!";
my $preload = $node->basedir . '/faults.so';
system("cc -shared -fPIC -O1 -o '$preload' test/t/core/faults.c -ldl") == 0 or die 'cannot compile';
{
    local $ENV{LD_PRELOAD} = $preload;
    local $ENV{UUIDX_FAULTS} = $faults;
    $node->start;
}
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_ossp');

sub clear_faults
{
    unlink glob "$faults/*";
    return;
}

# fails($fault, $value, $sql, $sqlstate, $message): with this fault, the query is an error. It is the
# session that brings the fault about: a server that starts one needs random octets itself.
sub fails
{
    my ($fault, $value, $sql, $sqlstate, $message) = @_;
    my ($status, $out, $err) = $node->psql('postgres', qq{\\set VERBOSITY verbose
        COPY (VALUES ($value)) TO '$faults/$fault';
        $sql});
    clear_faults();
    is($out, '', "With the fault $fault $value, $sql returns nothing");
    like($err, qr/ERROR:  $sqlstate: $message/, "It raises error $sqlstate");
    return;
}

for my $generate ('SELECT uuid_generate_v7()', 'SELECT uuid_generate_v6()',
    'SELECT uuid_generate_v1()', 'SELECT uuid_generate_v1mc()',
    'SET uuidx.v7_order = server; SELECT uuid_generate_v7()',
    q{SELECT uuid_generate_v7('1 day'::interval)}, 'SELECT uuid_generate_v7_batch(2)',
    'SELECT * FROM uuid_generate_v7_batch(2)')
{
    fails('no_clock', 0, $generate, '58000', 'could not read the clock: Invalid argument');
    fails('no_randomness', 0, $generate, '58000', 'could not generate random values');
}
fails('no_randomness', 0, $_, '58000', 'could not generate random values')
    for q{SELECT uuid_generate_v7_at('2026-01-01')}, 'SELECT uuid_generate_v4()';

for my $case ([ 'uuid_v7_of(now(), uuid_max())', 'SHA256' ], [ q{uuid_v7_of_name(now(), 'x')}, 'SHA256' ],
    [ q{uuid_generate_v8(uuid_ns_dns(), 'x')}, 'SHA256' ], [ q{uuid_generate_v3(uuid_ns_dns(), 'x')}, 'MD5' ],
    [ q{uuid_generate_v5(uuid_ns_dns(), 'x')}, 'SHA1' ])
{
    my ($id, $hash) = @$case;
    fails('no_hash', 0, "SELECT $id", '58000', "could not compute $hash hash");
}

my $key = q{'\x2b7e151628aed2a6abf7158809cf4f3c'};
for my $id ("uuid_mask(uuid_max(), $key)", "uuid_unmask(uuid_max(), $key)")
{
    fails('no_cipher', 0, "SELECT $id", '58000', 'could not set up AES');
    fails('no_encryption', 0, "SELECT $id", '58000', 'could not encrypt with AES');
}
is($node->safe_psql('postgres', qq{
        SELECT uuid_mask(uuid_max(), $key) IS NOT NULL;
        COPY (SELECT) TO '$faults/no_cipher';
        SELECT uuid_mask(uuid_max(), $key) IS NOT NULL;
        DO 'BEGIN PERFORM uuid_mask(uuid_max(), decode(repeat(''00'', 16), ''hex'')); EXCEPTION WHEN system_error THEN NULL; END';
        \\! rm $faults/no_cipher
        SELECT uuid_mask(uuid_max(), $key) = uuid_mask(uuid_max(), decode(repeat('00', 16), 'hex'))}),
    "t\nt\nf", 'A key stays set up until there is another one, and works again after a failure');

for my $case ([7, -1], [7, 281_474_976_711], [6, -12_219_292_801], [6, 103_072_857_661],
    [1, -12_219_292_801], [1, 103_072_857_661])
{
    my ($version, $seconds) = @$case;
    fails('clock_at', $seconds, "SELECT uuid_generate_v$version()", '22008',
        "the system's clock is out of range for version $version UUIDs");
}

# Between two UUIDs of a session, everything fails; the second is greater all the same.
is($node->safe_psql('postgres', qq{
        CREATE TABLE made (n int GENERATED ALWAYS AS IDENTITY, id uuid DEFAULT uuid_generate_v7());
        INSERT INTO made DEFAULT VALUES;
        COPY (SELECT) TO '$faults/no_clock';
        DO 'BEGIN INSERT INTO made DEFAULT VALUES; EXCEPTION WHEN system_error THEN NULL; END';
        \\! rm $faults/no_clock
        COPY (SELECT -5) TO '$faults/clock_at';
        INSERT INTO made DEFAULT VALUES;
        COPY (SELECT 1000000000) TO '$faults/clock_at';
        INSERT INTO made SELECT FROM generate_series(1, 50000);
        SELECT count(*), count(*) FILTER (WHERE id <= before)
        FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS o}),
    '50002|0', 'The order goes on after failures, and with a clock before 1970');
clear_faults();

# The machine's MAC address is the node where that is asked for: one that the system lists, of an interface
# that is not the loopback's. Where there is none, that is the error; and a node that was set before stays.
my @listed = map { slurp_file($_) =~ /^((?!00:00:00:00:00:00)(?:[0-9a-f]{2}:?){6})$/ ? $1 : () }
    glob '/sys/class/net/*/address';
my $mac = 'SET uuidx.node = mac; SELECT uuid_extract_node(uuid_generate_v1()), uuid_extract_node(uuid_generate_v6())';
SKIP: {
    skip 'this machine has no MAC address', 4 unless @listed;
    my ($of_v1, $of_v6) = split /\|/, $node->safe_psql('postgres', "LOAD 'uuidx'; $mac");
    ok(scalar(grep { $_ eq $of_v1 } @listed), "The node $of_v1 of version 1 is one of @listed");
    is($of_v6, $of_v1, 'Version 6 has the same');
    is($node->safe_psql('postgres', "SELECT uuid_extract_node(uuid_generate_v1()) = '$of_v1'"), 'f',
        'No session has it that did not ask for it');
    is($node->safe_psql('postgres', q{LOAD 'uuidx'; SET uuidx.node = mac; SET uuidx.node = random;
            SELECT count(DISTINCT uuid_extract_node(uuid_generate_v1())) FROM generate_series(1, 10)}),
        '10', 'No session has it when it asks for it no longer');
}
fails('no_interfaces', 0, q{LOAD 'uuidx'; SET uuidx.node = mac}, '22023',
    'invalid value for parameter "uuidx.node": "mac"\nDETAIL:  No MAC address of this machine was found');

# In one and the same tick, which all of these are made in, the sessions' UUIDs differ.
PostgreSQL::Test::Utils::append_to_file("$faults/clock_at", '1700000000');
my $standing = 'SELECT uuid_generate_v7() FROM generate_series(1, 5000)';
my @ids = map { split /\n/, $node->safe_psql('postgres', $standing) } 1 .. 4;
my %different = map { $_ => 1 } @ids;
is(scalar @ids, 20_000, 'Four sessions make UUIDs while the clock stands still');
is(scalar keys %different, 20_000, 'No two are the same');
is(scalar(grep { !/^018bcfe5-6800-7000-/ } @ids), 0, 'All are of one tick');
clear_faults();

$node->stop;
done_testing();
