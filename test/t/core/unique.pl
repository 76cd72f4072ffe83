# Uniqueness: four sessions at once, with the module preloaded by the postmaster. Their UUIDs are
# sorted and compared, not hashed. `scripts/test --long` makes 20 million by each generator, and not 80,000.
# Eight sessions whose keys are merged, and not stored: a billion for each method and order, and not 160,000.

use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $each = $ENV{UUIDX_LONG} ? 5_000_000 : 20_000;
my $sessions = 4;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "shared_buffers = 512MB\nmax_wal_size = 4GB\nwork_mem = 256MB");

for my $preload ('', 'uuidx')
{
    $node->append_conf('postgresql.conf', "shared_preload_libraries = '$preload'");
    $preload ? $node->restart : $node->start;
    $node->safe_psql('postgres', 'CREATE EXTENSION IF NOT EXISTS uuidx; CREATE EXTENSION IF NOT EXISTS uuidx_ossp');
    my $where = $preload ? 'preloaded' : 'loaded by each session';

    # Shared memory needs preloading on older servers.
    my $node_setting = q{SET uuidx.node = '02:00:5e:10:00:00';};
    my @shared = $preload ? (['uuid_generate_v7()', 'SET uuidx.v7_order = server;'],
        ['uuid_generate_v6()', $node_setting], ['uuid_generate_v1()', $node_setting]) : ();
    for my $case (@shared, map { ["uuid_generate_$_()", ''] } 'v7', 'v6', 'v1', 'v1mc', 'v4')
    {
        my ($default, $setting) = @$case;
        $node->safe_psql('postgres',
            "CREATE UNLOGGED TABLE made (session int, id uuid DEFAULT $default)");
        my @running = map {
            IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c',
                "$setting INSERT INTO made (session) SELECT $_ FROM generate_series(1, $each)" ],
                '<', \undef)
        } 1 .. $sessions;
        my $what = "$default of a module $where" . ($setting && ", after $setting");
        ok(IPC::Run::finish($_), "A session generates by $what") for @running;
        is($node->safe_psql('postgres', q{
                SELECT count(*), count(*) FILTER (WHERE id = before)
                FROM (SELECT id, lag(id) OVER (ORDER BY id) AS before FROM made) AS o}),
            $each * $sessions . '|0', "No two of all sessions' UUIDs are the same by $what");
        $node->safe_psql('postgres', 'DROP TABLE made');
    }
}

# Each session writes its keys in the order in which it generates them; so a merge of the sessions is sorted, and no key in
# it equals the one before.
my $of_each = $ENV{UUIDX_LONG} ? 125_000_000 : 20_000;
for my $settings ((map { "v7_method = $_" } qw(precision counter monotonic_random)), 'v7_node_id = 7', 'v7_order = server')
{
    my $session = "<(psql -X -q -c 'SET uuidx.$settings' -c 'COPY (SELECT uuid_generate_v7_batch($of_each)) TO STDOUT')";
    local @ENV{ 'PGHOST', 'PGPORT', 'PGDATABASE', 'LC_ALL' } = ($node->host, $node->port, 'postgres', 'C');
    open my $merged, '-|', 'bash', '-c', 'sort --merge' . " $session" x 8 or die "bash: $!";
    my ($made, $wrong, $before) = (0, 0, '');
    while (my $id = <$merged>)
    {
        ++$made;
        ++$wrong if $id le $before;
        $before = $id;
    }
    close $merged or die 'sort failed';
    is("$made|$wrong", 8 * $of_each . '|0', "No two of $made keys that 8 sessions generate with $settings are the same.");
}

$node->stop;
done_testing();
