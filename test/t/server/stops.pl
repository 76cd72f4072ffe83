# A promoted server that is stopped before its first key goes on behind the keys of the old primary, and so does the one
# that is promoted after it, although their clocks are behind.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my ($sessions, $turns, $keys) = (2, $ENV{UUIDX_LONG} ? 500 : 20, 20);

# fill($node, $what): sessions fill the stream, and each key is greater than all before it.
sub fill
{
    my ($node, $what) = @_;
    is(ServerOrder::finish(ServerOrder::start_filling($node, $sessions, $turns, $keys)), 0, 'Sessions fill the stream.');
    is((split /\|/, ServerOrder::inversions($node))[1], 0, "The order goes on $what.");
    return;
}

# fail_over($from, $to, $stop, @standbys): the primary crashes, one of its standbys takes its place, and is stopped at once.
sub fail_over
{
    my ($from, $to, $stop, @standbys) = @_;
    $from->wait_for_catchup($_, 'replay', $from->lsn('insert')) for @standbys;
    # Before any other one, it does: then the primary may crash under load.
    my @running = $stop eq 'immediate' ? () : ServerOrder::start_filling($from, $sessions, 1_000_000, $keys);
    sleep 1 if @running;
    $from->stop('immediate');
    ServerOrder::finish(@running);
    $to->promote;
    $to->stop($stop);
    ServerOrder::start_with_clock($to, $to->{clock});
    return;
}

my $a = PostgreSQL::Test::Cluster->new('a');
$a->init(allows_streaming => 1);
$a->append_conf('postgresql.conf', ServerOrder::preload($a) . "uuidx.v7_order = server\nuuidx.max_clock_ahead = -1");
ServerOrder::start_with_clock($a, 0);
ServerOrder::create_stream($a);
$a->backup('backup');
my ($b, $c) = map { PostgreSQL::Test::Cluster->new($_) } 'b', 'c';
($b->{clock}, $c->{clock}) = (-60, -5);
for my $standby ($b, $c)
{
    $standby->init_from_backup($a, 'backup', has_streaming => 1);
    ServerOrder::start_with_clock($standby, $standby->{clock});
}
fill($a, 'on the primary');
fail_over($a, $b, 'immediate', $b, $c);
fill($b, 'after a promotion and an immediate shutdown, with a clock that is 60 s behind');

# The keys of b are a minute ahead of its commits.
$c->append_conf('postgresql.conf', "primary_conninfo = '" . $b->connstr . " application_name=c'");
$c->reload;
fill($b, 'while another standby follows');
fail_over($b, $c, 'fast', $c);
fill($c, 'after a second promotion, under load, and a fast shutdown, with a clock that is 5 s behind');
$c->stop;
done_testing();
