# Keys that the old primary generated and that did not reach the standby: the statement of docs/use/order.md advances the
# standby beyond them, although its clock is a minute behind. The order goes on by itself behind the keys that it got, also if
# the clocks differ by more than an hour.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my ($recipe) = slurp_file('docs/use/order.md') =~ /(SELECT uuid_generator_advance_all\([^;]*;)/;
ok($recipe, 'The document has a statement for keys that were lost.');

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', ServerOrder::preload($primary));
ServerOrder::start_with_clock($primary, 0);
ServerOrder::create_stream($primary);
$primary->safe_psql('postgres', 'ALTER TABLE stream ADD CHECK (uuid_is_v7(id)); CREATE INDEX ON stream (id)');
ServerOrder::finish(ServerOrder::start_filling($primary, 1, 10, 20));
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
ServerOrder::start_with_clock($standby, -60);
my $next = PostgreSQL::Test::Cluster->new('next');
$next->init_from_backup($primary, 'backup', has_streaming => 1);
ServerOrder::start_with_clock($next, -60);
my $slow = PostgreSQL::Test::Cluster->new('slow');
$slow->init_from_backup($primary, 'backup', has_streaming => 1);
ServerOrder::start_with_clock($slow, -7200);
ServerOrder::finish(ServerOrder::start_filling($primary, 1, 10, 20));
$primary->wait_for_catchup($_, 'replay', $primary->lsn('insert')) for $standby, $next, $slow;

# The standby last, so that it has all WAL that the next one has, and that one can follow it.
for my $node ($next, $standby)
{
    $node->safe_psql('postgres', q{ALTER SYSTEM SET primary_conninfo = ''});
    $node->safe_psql('postgres', 'SELECT pg_reload_conf()');
    $node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pg_stat_wal_receiver');
}
ServerOrder::finish(ServerOrder::start_filling($primary, 2, 10, 20));
sleep 3;
ServerOrder::finish(ServerOrder::start_filling($primary, 2, 10, 20));
my $lost = $primary->safe_psql('postgres', 'SELECT max(id) FROM stream');
$primary->stop('immediate');
$standby->promote;

my $is_later = "SET uuidx.v7_order = server; SELECT uuid_generate_v7() > '$lost'";
is($standby->safe_psql('postgres', 'SELECT count(*) FROM stream'), 400, 'The standby has not got all keys.');
is($standby->safe_psql('postgres', 'SET uuidx.v7_order = server; SELECT uuid_generate_v7() > (SELECT max(id) FROM stream)'), 't',
    'Its first key is greater than those that it has got.');
my $ahead = qr/LOG:  version 7 UUIDs are ahead of the system's clock by more than "uuidx.max_clock_ahead"
.*DETAIL:  They go on at .*, behind those of this database before the server was started or promoted\./;
is(() = slurp_file($standby->logfile) =~ /$ahead/g, 1, 'That it is far ahead of the clock is logged.');
is($standby->safe_psql('postgres', $is_later), 'f', 'Without the statement, a new key is smaller than a lost one.');
$standby->safe_psql('postgres', $recipe);
is($standby->safe_psql('postgres', $is_later), 't', 'After it, it is greater.');

# A standby that got as much has the advance, too.
$next->safe_psql('postgres', q{ALTER SYSTEM SET primary_conninfo = '} . $standby->connstr . q{ application_name=next'});
$next->safe_psql('postgres', 'SELECT pg_reload_conf()');
ServerOrder::finish(ServerOrder::start_filling($standby, 2, 10, 20));
$standby->wait_for_catchup($next, 'replay', $standby->lsn('insert'));
$standby->stop('immediate');
$next->promote;
is($next->safe_psql('postgres', 'SET uuidx.v7_order = server; SELECT uuid_generate_v7() > (SELECT max(id) FROM stream)'), 't',
    'After another promotion, a new key is greater than those that exist.');

# A clock that is two hours behind
is($slow->safe_psql('postgres', q{SELECT now() + interval '10 s' AS moment \gset
    SELECT uuid_generator_advance(timestamptz :'moment') \g /dev/null
    SET uuidx.v7_order = server; SELECT pg_is_in_recovery(), uuid_time(uuid_generate_v7()) > :'moment'}), 't|t',
    'A standby in recovery is advanced, too.');
is($slow->safe_psql('postgres', q{SELECT uuid_generator_advance_all('-2 hours') = uuid_v7_time_us(max(id)) - interval '2 hours' FROM stream}), 't',
    'It also reads the greatest key.');
$slow->promote;
is($slow->safe_psql('postgres', 'SET uuidx.v7_order = server; SELECT uuid_generate_v7() > (SELECT max(id) FROM stream)'), 't',
    'The order also goes on behind keys that are more than an hour ahead.');
like(slurp_file($slow->logfile), $ahead, 'That is logged, too.');

$_->stop for $next, $slow;
done_testing();
