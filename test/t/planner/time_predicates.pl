# Predicates on the creation time: what needs sessions of its own, or a newer server. sql/time_predicates.sql has the rest.

use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE events (id uuid PRIMARY KEY CHECK (uuid_version(id) = 7), n int);
    INSERT INTO events SELECT uuid_generate_v7_at('2026-01-01'::timestamptz + n * interval '1 min'), n FROM generate_series(1, 10000) AS n;
    VACUUM ANALYZE events});

# A session of its own, which has not loaded the library before
sub plan_of { return $node->safe_psql('postgres', "EXPLAIN (COSTS OFF) $_[0]") }
my $recent = q{SELECT * FROM events WHERE uuid_time(id) > '2026-01-07 00:00:00+00'};
my $indexed = qr/Index Cond: \(id >= '019b95c0-d001-7000-8000-000000000000'::uuid\)/;
like(plan_of($recent), $indexed, 'The first query of a session uses the index.');
$node->append_conf('postgresql.conf', 'uuidx.time_planning = off');
$node->reload;
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_file_settings WHERE name = 'uuidx.time_planning'});
unlike(plan_of($recent), $indexed, 'The configuration can switch it off for sessions that load the library later.');
$node->append_conf('postgresql.conf', 'uuidx.time_planning = on');
$node->reload;

# psql as a child process that goes on while the test does
sub start_psql
{
    my ($in, $out) = @_;
    my @psql = qw(psql --no-psqlrc --quiet --no-align --tuples-only --dbname);
    return IPC::Run::start([ @psql, $node->connstr('postgres') ], $in, $out, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
}

my ($update, $updated, $select, $selected) = ('', '', '', '');
my $first = start_psql(\$update, \$updated);
$update .= q{BEGIN;
    UPDATE events SET id = uuid_generate_v7_at('2025-01-01') WHERE n = 9999;
    UPDATE events SET n = -1 WHERE n = 9998;
    SELECT 'updated';
};
$first->pump until $updated =~ /updated/;
my $second = start_psql(\$select, \$selected);
$select .= q{SELECT n FROM events WHERE uuid_time(id) >= timestamptz '2026-01-01' + interval '9998 min' FOR UPDATE;} . "\n";
$second->pump_nb;
ok($node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'}),
    'SELECT FOR UPDATE waits for a transaction that has changed a row.');
$update .= "COMMIT;\n";
$first->finish;
$second->finish;
is($selected, "-1\n10000\n", 'The rows that it returns satisfy the predicate as they are now.');

my $server = $node->safe_psql('postgres', 'SHOW server_version_num');
if ($server >= 180000)
{
    like(plan_of(q{SELECT FROM events WHERE pg_catalog.uuid_extract_timestamp(id) > '2026-01-07 00:00:00+00' AND uuid_time(id) IS NOT NULL}),
        $indexed, q{The server's function uses the index once the library is loaded.});
    $node->safe_psql('postgres', q{
        CREATE TABLE ordered (id uuid, created timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL);
        CREATE INDEX ON ordered (id uuid_time_ops);
        INSERT INTO ordered SELECT id FROM events;
        INSERT INTO ordered SELECT uuid_generate_v6_at(uuid_time(id)) FROM events;
        VACUUM ANALYZE ordered});
    $node->safe_psql('postgres', q{
        CREATE TABLE checked (id uuid PRIMARY KEY CHECK (uuid_version(id) IN (6, 7)));
        INSERT INTO checked SELECT id FROM ordered;
        VACUUM ANALYZE checked});
    for my $table (qw(ordered checked))
    {
        my $times = qq{FROM $table WHERE pg_catalog.uuid_extract_timestamp(id) > '2026-01-07 12:00:00+00' AND uuid_time(id) IS NOT NULL};
        my $count = $node->safe_psql('postgres', "SELECT count(*) $times");
        is($count, $node->safe_psql('postgres', "SET uuidx.time_planning = off; SELECT count(*) $times"),
            "The rows of $table are those that the server's function selects.");
        my $rechecked = $server >= 200000 ? 'uuid_extract_timestamp' : $table eq 'ordered' ? 'uuid_v1_or_v7_recheck' : 'uuid_is_v7';
        my $has_recheck = $server >= 200000 && $table eq 'ordered' ? \&unlike : \&like;
        $has_recheck->(plan_of("SELECT $times"), qr/\b$rechecked\(id\)/, 'The plan tests what the bounds leave open.');
    }
    like(plan_of(q{SELECT FROM ordered WHERE created > '2026-01-07 12:00:00+00' AND uuid_time(id) IS NOT NULL}), qr/Cond: \(\(id >=~/,
        'A virtual generated column that is the time uses the index.');
    like(plan_of(q{SELECT created, count(*) FROM ordered WHERE created > '2026-01-07' AND uuid_time(id) IS NOT NULL GROUP BY ROLLUP (created)}),
        qr/Cond: \(\(id >=~/, 'So it does in a query with grouping sets.');
    like(plan_of(q{SELECT FROM events AS a JOIN events AS b USING (id) WHERE uuid_time(a.id) > '2026-01-07 00:00:00+00'}),
        qr/^Index Only Scan[^\n]*\n +$indexed/, 'A self-join is eliminated.');
    $node->safe_psql('postgres', q{
        CREATE TABLE unenforced (id uuid PRIMARY KEY, CHECK (uuid_version(id) = 7) NOT ENFORCED);
        INSERT INTO unenforced SELECT id FROM ordered});
    unlike(plan_of(q{SELECT FROM unenforced WHERE uuid_time(id) > '2026-01-07'}), qr/Cond/,
        'A constraint that is not enforced proves nothing.');
    unlike($node->safe_psql('postgres', q{SELECT hint FROM uuid_explain('unenforced')}), qr/Validate/, 'Nor can it be validated.');
}

$node->stop;
done_testing();
