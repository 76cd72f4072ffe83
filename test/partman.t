# The partitions of docs/operate/partitions.md with pg_partman, which Debian 12 has too old.

use strict;
use warnings;
use lib 'test/lib';
use Documents;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "timezone = 'UTC'");
$node->start;

my $document = 'docs/operate/partitions.md';
for my $block (grep { $_->{section} =~ /^Partition a table|pg_partman$/ } Documents::examples(slurp_file($document), 'sql'))
{
    # One session ran all blocks there.
    my $sql = q{SELECT date_trunc('month', now() + interval '1 month') AS next_month \gset} . "\n$block->{content}";
    IPC::Run::run([ 'psql', '--no-psqlrc', '--quiet', '--dbname', $node->connstr('postgres') ], '<', \$sql, '>&', \my $output);
    is(Documents::comparable($output, 0), Documents::comparable($block->{expected}, 0), Documents::place($document, $block));
}

my $partitions = q{SELECT string_agg(inhrelid::regclass::text, ' ' ORDER BY inhrelid) FROM pg_inherits WHERE inhparent = 'events'::regclass};
my $made = $node->safe_psql('postgres', $partitions);
like($made, qr/^old_events( events_p\d{6}01)+$/, 'pg_partman makes partitions behind the old table.');
$node->safe_psql('postgres', q{DELETE FROM events WHERE uuid_time(id) > now() - interval '6 months';
    UPDATE partman.part_config SET premake = 8, infinite_time_partitions = false; CALL partman.run_maintenance_proc()});
is($node->safe_psql('postgres', $partitions), $made, 'With old rows in the old table, maintenance makes no others,');
$node->safe_psql('postgres', q{UPDATE partman.part_config SET infinite_time_partitions = true; CALL partman.run_maintenance_proc()});
my $more = $node->safe_psql('postgres', $partitions);
like($more, qr/^$made( events_p\d{6}01)+$/, 'except with infinite_time_partitions.');
is($node->safe_psql('postgres', q{
        INSERT INTO events SELECT uuid_generate_v7_at(now() + interval '2 months'), 'later'
        RETURNING tableoid::regclass::text = to_char(uuid_time(id), '"events_p"YYYYMM01')}), 't', 'Each takes the keys of its month.');
$node->safe_psql('postgres', q{UPDATE partman.part_config SET retention = '1 year', retention_keep_table = false; CALL partman.run_maintenance_proc()});
unlike($node->safe_psql('postgres', $partitions), qr/old_events/, 'With a retention, it drops the old table, although that has new rows.');

$node->stop;
done_testing();
