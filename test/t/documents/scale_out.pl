# docs/operate/replicas.md, each block on the server that it names: a primary with a standby, a subscriber, shards behind foreign
# tables, a pooler. And what of this does not fit on a page: which rows and conditions postgres_fdw sends, what sessions of
# a pool share, all functions on a standby, and its promotion.

use strict;
use warnings;
use lib 'test/lib';
use Documents;
use IPC::Run ();
use Pooler;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $document = 'docs/operate/replicas.md';
# What psql and the servers find in the service file
my $services = $ENV{PGSERVICEFILE} = PostgreSQL::Test::Utils::tempdir . '/pg_service.conf';
$ENV{PGTZ} = 'UTC';
$ENV{PGDATESTYLE} = 'ISO';

sub new_server
{
    my ($name, @databases) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init(allows_streaming => 'logical', extra => [ '--encoding=UTF8', '--locale=C' ]);
    $node->append_conf('postgresql.conf', "timezone = 'UTC'\nwal_retrieve_retry_interval = '100ms'");
    $node->start;
    for my $database (@databases)
    {
        $node->safe_psql('postgres', qq(CREATE DATABASE "$database"));
        name_service($database, $node, $database);
    }
    return $node;
}

sub name_service
{
    my ($service, $node, $database, $port) = @_;
    $port //= $node->port;
    append_to_file($services, "[$service]\nhost=${\$node->host}\nport=$port\ndbname=$database\n");
    return;
}

# psql's output and errors
sub output_of
{
    my ($service, $sql, @options) = @_;
    IPC::Run::run([ 'psql', '--no-psqlrc', '--quiet', @options, '--dbname', "service=$service" ], '<', \$sql, '>&', \my $output);
    return $output;
}

sub value_of
{
    chomp(my $value = output_of(@_, '--tuples-only', '--no-align'));
    fail("$_[1]: $value") if $value =~ /ERROR:/;
    return $value;
}

my $main = new_server('main', 'primary', 'coordinator');
$main->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($main, 'backup', has_streaming => 1);
$standby->start;
name_service('standby', $standby, 'primary');
my ($pool, $port) = Pooler::start($main, 'primary', pool_mode => 'transaction', default_pool_size => 1);
name_service('pool', $main, 'primary', $port);
(my $session_pool, $port) = Pooler::start($main, 'primary', pool_mode => 'session', default_pool_size => 1, server_reset_query => 'DISCARD ALL');
name_service('session_pool', $main, 'primary', $port);
my $other = new_server('other', 'subscriber', 'shard_1', 'shard_2');

# Waits until the standby and the subscriber have what was committed before.
sub catch_up
{
    $main->wait_for_catchup($standby, 'replay', $main->lsn('insert'));
    $other->poll_query_until('subscriber', q{SELECT count(*) = 0 FROM pg_subscription_rel WHERE srsubstate <> 'r'});
    $main->wait_for_catchup('february')
        if $other->safe_psql('subscriber', 'SELECT count(*) FROM pg_subscription');
    return;
}

# --- The document ---
# Row filters are new in PostgreSQL 15.
my $has_row_filters = $main->safe_psql('postgres', q{SELECT 1 FROM pg_attribute WHERE attrelid = 'pg_publication_rel'::regclass AND attname = 'prqual'});
my %servers = map { $_ => 1 } qw(primary standby subscriber coordinator shard_1 shard_2 pool);
for my $block (grep { $servers{ $_->{mark} } } Documents::examples(slurp_file($document), 'sql'))
{
    next if $block->{section} =~ /^Replicate/ && !$has_row_filters;
    catch_up();
    is(Documents::comparable(output_of($block->{mark}, $block->{content}), $block->{varies}),
        Documents::comparable($block->{expected}, $block->{varies}),
        Documents::place($document, $block));
}

if ($has_row_filters)
{
    output_of('primary', q{INSERT INTO orders VALUES (uuid_generate_v7_at('2026-02-28 23:59:59.999+00'), 'in'), (uuid_generate_v7_at('2026-03-01 00:00+00'), 'out')});
    catch_up();
    is(value_of('subscriber', q{SELECT string_agg(item, ' ') FROM orders WHERE item IN ('in', 'out')}), 'in',
        'New rows of the period are replicated, and no others.');
    is(value_of('subscriber', 'SELECT count(*) FROM pg_extension WHERE extname LIKE $$uuidx%$$'), 0, 'The subscriber has no extension of uuidx.');
    like(output_of('primary', q{CREATE PUBLICATION p FOR TABLE orders WHERE (id >= uuid_v7_from('2026-02-01'))}),
        qr/ERROR:  invalid publication WHERE expression/, 'A row filter cannot call functions of uuidx.');
}

# --- Foreign tables ---
my $analyze = 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF)';
sub set_extensions
{
    my ($action) = @_;
    output_of('coordinator', "ALTER SERVER shard_$_ OPTIONS ($action)") for 1, 2;
    return;
}

# sends_all($condition): on the coordinator, half of February, of which nothing is left to test.
sub sends_all
{
    my ($condition) = @_;
    my $plan = output_of('coordinator', "SET plan_cache_mode = force_generic_plan;
        PREPARE query(timestamptz, timestamptz) AS SELECT item FROM orders WHERE $condition;
        $analyze EXECUTE query('2026-02-15 00:00+00', now())");
    like($plan, qr/orders_2026_02 \S+ \(actual rows=336(?:\.00)? loops=1\)/, "A shard sends only rows with $condition.") or diag($plan);
    like($plan, qr/orders_2026_01 \S+ \(never executed\)|Subplans Removed: 1/, 'The other shard is not asked.');
    unlike($plan, qr/Filter/, 'The condition is sent as a whole.');
    return;
}

my $ago = '(now() - ($2 - $1))';
sends_all("id >= (SELECT uuid_v7_from($ago))");
my $far = 'SELECT FROM orders WHERE uuid_time(id) >';
like(output_of('coordinator', "$analyze $far now() - interval '10 years'"), qr/Filter: \(\S+ >= uuid_v7_after\(/, 'now() is not sent.');
set_extensions(q{ADD extensions 'uuidx'});
sends_all("uuid_time(id) >= (SELECT $ago)");
sends_all('uuid_time(id) >= $1');
like(output_of('coordinator', "$analyze $far $_"), qr/Filter: \(\S+ >= uuid_v7_after\(/, "Not even to a server that has uuidx; neither is $_.")
    for q{now() - interval '10 years'}, q{date '2016-01-01'};

output_of('coordinator', q{
    CREATE FOREIGN TABLE plain (id uuid, item text) SERVER shard_2 OPTIONS (table_name 'orders_2026_02');
    CREATE FOREIGN TABLE checked (id uuid CHECK (uuid_version(id) = 7), item text) SERVER shard_2 OPTIONS (table_name 'orders_2026_02')});
my $recent = q{uuid_time(id) >= (SELECT timestamptz '2026-02-15 00:00+00')};
for my $table ('plain', 'checked')
{
    is(value_of('coordinator', "SELECT count(*) FROM $table WHERE $recent"), 336, "The foreign table $table has the rows,");
    like(output_of('coordinator', "EXPLAIN (VERBOSE) SELECT count(*) FROM $table WHERE $recent"), qr/Relations: Aggregate on/,
        'which are counted where they are.');
}
set_extensions('DROP extensions');
like(output_of('coordinator', q{EXPLAIN (VERBOSE) SELECT id FROM checked WHERE uuid_time(id) >= '2026-02-15'}),
    qr/Filter: uuid_is_v7\S+\n\s+Remote SQL: .* WHERE \(\(id >= '019c5e98-[-\w]+'(?:::uuid)?\)\)\n/,
    'Without the option, a CHECK constraint lets constants be sent.');

output_of('shard_2', q{
    DROP EXTENSION uuidx;
    CREATE TABLE mixed (id uuid);
    INSERT INTO mixed VALUES ('f19108f7-52d1-4320-9bac-f847db4148a8')});
output_of('coordinator', 'CREATE FOREIGN TABLE mixed (id uuid CHECK ((uuid_version(id) = 7) IS TRUE)) SERVER shard_2');
is(value_of('coordinator', q{SELECT count(*) FROM mixed WHERE uuid_time(id) >= '2026-02-15'}), 1,
    'A CHECK constraint of a foreign table is relied on, not tested.');
set_extensions(q{ADD extensions 'uuidx'});
my $checked = q{SELECT count(*) FROM checked WHERE uuid_time(id) >= '2026-02-15'};
my $missing = qr/ERROR:  function public\.uuid_is_v7\(uuid\) does not exist/;
like(output_of('coordinator', $checked), $missing, 'With it, a server must have the extension,');
output_of('shard_2', 'CREATE SCHEMA elsewhere; CREATE EXTENSION uuidx SCHEMA elsewhere');
like(output_of('coordinator', $checked), $missing, 'in a schema of the same name.');
output_of('shard_2', q{CREATE FUNCTION public.uuid_is_v7(uuid) RETURNS boolean LANGUAGE sql RETURN false});
is(value_of('coordinator', $checked), 0, 'Else it calls what another role created there.');

# --- Pools ---
is(value_of('pool', 'SHOW uuidx.v7_method'), 'precision', 'In transaction mode, SET LOCAL ends with the transaction.');
output_of('pool', 'SET uuidx.v7_method = counter');
is(value_of('pool', 'SHOW uuidx.v7_method'), 'counter', 'SET does not: the next client gets it.');
my ($pid, $id) = split /\|/, value_of('session_pool', 'SET uuidx.v7_method = counter; SELECT pg_backend_pid(), max(uuid_generate_v7()) FROM generate_series(1, 1000)');
is(value_of('session_pool', "SELECT pg_backend_pid(), uuid_generate_v7() > '$id', current_setting('uuidx.v7_method')"), "$pid|t|precision",
    'In session mode, the next client in a session gets greater keys, and the settings of the configuration.');

# --- A standby, and its promotion ---
my $readers = q{
    SELECT uuid_version(id), uuid_variant(id), uuid_time(id), uuid_extract_timestamp(id), uuid_v7_time_us(id), uuid_v7_node_id(id),
        uuid_v8_time(id), uuid_draft01_time(id), uuid_extract_clock_seq(id), uuid_extract_node(id), uuid_inspect(id),
        uuid_encode(id, 'ulid'), uuid_decode(uuid_encode(id, 'base58'), 'base58'), uuid_to_typeid(id, 'item'),
        uuid_from_typeid(uuid_to_typeid(id, 'item')), uuid_mask(id, '\x000102030405060708090a0b0c0d0e0f'),
        uuid_v7_of('2026-01-01', id), uuid_v7_of_name('2026-01-01', 'tea'), uuid_generate_v8(id, 'tea'),
        uuid_v7_in(id, '[2026-01-01,2027-01-01)'), uuid_v6_in(id, '[1990-01-01,2027-01-01)')
    FROM unnest('{c232ab00-9414-11ec-b3c8-9f6bdeced846,1ec9414c-232a-6b00-b3c8-9f6bdeced846,017f22e2-79b0-7cc3-98c4-dc0c0c07398f,
        919108f7-52d1-4320-9bac-f847db4148a8,2489e9ad-2ee2-8e00-8ec9-32d5f69181c0}'::uuid[]) AS id};
catch_up();
is(value_of('standby', $readers), value_of('primary', $readers), 'All readers return the same on a standby as on its primary.');
is(value_of('standby', q{
        SELECT string_agg(uuid_version(id)::text, ' ') FROM unnest(ARRAY[uuid_generate_v7(), uuid_generate_v7('1 day'), uuid_generate_v7_at(now()),
            uuid_generate_v6(), uuid_generate_v6_at(now()), uuid_generate_v8('\x00112233445566778899aabbccddeeff'), uuid_generate_v8_at(now())]
            || ARRAY(SELECT uuid_generate_v7_batch(2))) AS id}), '7 7 7 6 6 8 8 7 7', 'All generators work on a standby.');
is(value_of('standby', q{
        SELECT uuid_generate_v7() AS v7, uuid_generate_v6() AS v6 \gset
        SELECT pg_is_in_recovery(), pg_promote(), pg_is_in_recovery(), uuid_generate_v7() > :'v7', uuid_generate_v6() > :'v6'}), 't|t|f|t|t',
    'A session of the standby goes on over its promotion.');

$_->kill_kill for $pool, $session_pool;
# A primary waits for its subscribers before it stops.
$_->stop for $standby, $other, $main;
done_testing();
