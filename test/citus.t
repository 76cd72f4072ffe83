# Citus: a coordinator and two workers. The blocks of docs/scale-out.md, and what else uuidx does on such a cluster.

use strict;
use warnings;
use lib 'test/lib';
use Documents;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

$ENV{PGTZ} = 'UTC';
$ENV{PGDATESTYLE} = 'ISO';
my @nodes = map { PostgreSQL::Test::Cluster->new($_) } 'coordinator', 'worker_1', 'worker_2';
my $coordinator = $nodes[0];
my $node_id = 0;
for my $node (@nodes)
{
    $node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
    # Its keys tell which node made them.
    $node->append_conf('postgresql.conf', 'uuidx.v7_node_id = ' . $node_id++);
    $node->append_conf('postgresql.conf', "shared_preload_libraries = 'citus'\ncitus.node_conninfo = 'sslmode=disable'\nwal_level = logical\n"
        . "citus.local_hostname = '${\$node->host}'");
    $node->start;
    $node->safe_psql('postgres', 'CREATE EXTENSION citus');
}
$coordinator->safe_psql('postgres', "SELECT citus_set_coordinator_host('${\$coordinator->host}', ${\$coordinator->port})");
$coordinator->safe_psql('postgres', "SELECT citus_add_node('${\$_->host}', ${\$_->port})") for @nodes[1, 2];

sub output_of
{
    my ($sql) = @_;
    IPC::Run::run([ 'psql', '--no-psqlrc', '--quiet', '--dbname', $coordinator->connstr('postgres') ], '<', \$sql, '>&', \my $output);
    return $output;
}

sub value_of { return $coordinator->safe_psql('postgres', @_) }

# The document has other nodes and shards.
sub comparable
{
    my ($text) = @_;
    $text =~ s/Node: host=\S+ port=\d+ dbname=\w+/Node/g;
    $text =~ s/_\d{6}\b/_SHARD/g;
    return Documents::comparable($text, 1);
}

my $document = 'docs/scale-out.md';
for my $block (grep { $_->{mark} eq 'citus' } Documents::examples(slurp_file($document), 'sql'))
{
    is(comparable(output_of($block->{content})), comparable($block->{expected}), Documents::place($document, $block));
}

# --- Queries ---
sub plan_of { return value_of("EXPLAIN (COSTS OFF) SELECT item FROM orders WHERE $_[0]") }
my $day = q{'[2026-02-10 00:00+00,2026-02-11 00:00+00)'};
my $cond = qr/Index Cond: \(\(id >= .*\) AND \(id <=? /;
like(plan_of($_), $cond, "Shards use their index: $_")
    for q{uuid_time(id) >= '2026-02-10' AND uuid_time(id) < '2026-02-11'}, "uuid_time(id) <@ tstzrange $day", "uuid_time(id) <@ (SELECT tstzrange $day)",
    "uuid_v7_in(id, $day)", q{uuid_time(id) BETWEEN now() - interval '7 days' AND now()};
like(plan_of("uuid_v7_in(id, (SELECT tstzrange $day))"), qr/Seq Scan.*\n\s+Filter: uuid_v7_in/, 'They do not for uuid_v7_in with a subquery.');

# The first row of a day in Tokyo, where workers have another time zone
my $first = q{SET timezone = 'Asia/Tokyo'; SELECT min(uuid_time(id)) AT TIME ZONE 'UTC' FROM orders WHERE uuid_time(id) >=};
is(value_of("$first '2026-02-10'"), '2026-02-09 15:00:00', 'A timestamptz means the same moment on all nodes.');
is(value_of("$first date '2026-02-10'"), '2026-02-10 00:00:00', 'A date is midnight in the time zone of a worker.');

# --- Keys ---
value_of(q{
    CREATE TABLE numbers (n int PRIMARY KEY);
    SELECT create_distributed_table('numbers', 'n');
    INSERT INTO numbers SELECT generate_series(1, 10000);
    CREATE TABLE made (id uuid PRIMARY KEY DEFAULT uuid_generate_v7(), n int, how text);
    SELECT create_distributed_table('made', 'id');
    INSERT INTO made (n, how) VALUES (1, 'values'), (2, 'values'), (3, 'values');
    INSERT INTO made (n, how) SELECT n, 'local' FROM generate_series(1, 100) AS n;
    INSERT INTO made (n, how) SELECT n, 'distributed' FROM numbers});
is(value_of(q{SELECT how, string_agg(DISTINCT uuid_v7_node_id(id)::text, ' '), count(DISTINCT id) FROM made GROUP BY how ORDER BY how}),
    "distributed|1 2|10000\nlocal|0|100\nvalues|0|3", 'The coordinator makes the keys of rows that it inserts, workers those of rows that they copy.');

value_of('ALTER ROLE current_user SET uuidx.v7_method = counter');
is(value_of(q{SELECT DISTINCT result FROM run_command_on_all_nodes('SELECT setconfig FROM pg_db_role_setting')}),
    '{uuidx.v7_method=counter}', 'ALTER ROLE sets a setting on all nodes,');
value_of('ALTER ROLE current_user RESET uuidx.v7_method');
like(output_of("SELECT FROM uuid_generate_v7(); ALTER ROLE current_user SET $_"), qr/ERROR:/, "but not one that belongs to a node: $_")
    for q{uuidx.node = '02:00:5e:10:00:00'}, 'uuidx.v7_node_id = 3';

# --- Shards that move ---
my ($shard, $from) = split /\|/, value_of(q{SELECT shardid, groupid FROM pg_dist_placement JOIN pg_dist_shard USING (shardid)
    WHERE logicalrelid = 'orders'::regclass ORDER BY shardid LIMIT 1});
value_of("SELECT citus_move_shard_placement($shard, f.nodeid, t.nodeid, 'block_writes')
    FROM pg_dist_node AS f, pg_dist_node AS t WHERE f.groupid = $from AND t.groupid NOT IN (0, $from)");
is(value_of("SELECT groupid <> $from FROM pg_dist_placement WHERE shardid = $shard"), 't', 'A shard moves,');
is(value_of(q{SELECT DISTINCT result FROM run_command_on_placements('orders', $$
        SELECT string_agg(pg_get_constraintdef(oid), ', ' ORDER BY contype) || ', ' || (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = '%1$s'::regclass)
        FROM pg_constraint WHERE conrelid = '%1$s'::regclass AND contype <> 'n'$$)}),
    'CHECK ((uuid_version(id) = 7)), PRIMARY KEY (id), uuid_generate_v7()', 'with its constraint, its index and its default.');

# --- Migrations ---
value_of(q{
    CREATE EXTENSION uuidx_migrate;
    CREATE TABLE visitors (id uuid PRIMARY KEY);
    CREATE TABLE visits (id uuid, visitor_id uuid REFERENCES visitors, PRIMARY KEY (id, visitor_id));
    INSERT INTO visitors SELECT uuid_v6_to_v1(uuid_generate_v6()) FROM generate_series(1, 100);
    INSERT INTO visits SELECT uuid_v6_to_v1(uuid_generate_v6()), id FROM visitors;
    SELECT create_distributed_table('visitors', 'id');
    SELECT create_distributed_table('visits', 'visitor_id', colocate_with => 'visitors');
    CREATE ROLE nobody});
my $obstacles = q{SELECT relation, o, h FROM uuidx_migrate.plan('visitors', 'id') AS p, unnest(p.obstacles, p.hints) AS u (o, h)};
is(value_of($obstacles), join("\n", map { "$_|Citus manages table $_|Run undistribute_table, migrate, and distribute the table again." } qw(visitors visits)),
    'Distributed tables are obstacles to a migration,');
like(value_of("SET ROLE nobody; $obstacles"), qr/^visitors\|Citus manages table visitors\|/m, 'also for a role without privileges.');
output_of(q{
    SELECT undistribute_table('visitors', cascade_via_foreign_keys => true);
    SELECT sql FROM uuidx_migrate.script('visitors', 'id') ORDER BY step \gexec
    SELECT create_distributed_table('visitors', 'id');
    SELECT create_distributed_table('visits', 'visitor_id', colocate_with => 'visitors');});
is(value_of(q{SELECT DISTINCT uuid_version(v.id), count(*) FROM visitors AS v JOIN visits ON visitor_id = v.id GROUP BY 1}), '6|100',
    'They are migrated after undistribute_table,');
is(value_of(q{SELECT count(*) FROM citus_tables WHERE table_name::text IN ('visitors', 'visits')}), 2, 'and distributed again.');
value_of('CREATE TABLE kinds (id uuid PRIMARY KEY)');
value_of(q{SELECT create_reference_table('kinds')});
like(value_of($obstacles =~ s/visitors/kinds/r), qr/^kinds\|Citus manages table kinds\|/, 'So are reference tables.');

# --- uuidx before citus ---
$_->safe_psql('postgres', 'CREATE DATABASE late') for @nodes;
$coordinator->safe_psql('late', 'CREATE EXTENSION uuidx');
$_->safe_psql('late', 'CREATE EXTENSION citus') for @nodes;
$coordinator->safe_psql('late', "SELECT citus_set_coordinator_host('${\$coordinator->host}', ${\$coordinator->port})");
$coordinator->safe_psql('late', "SELECT citus_add_node('${\$_->host}', ${\$_->port})") for @nodes[1, 2];
my $has_uuidx = q{SELECT string_agg(result, ' ' ORDER BY nodeid) FROM run_command_on_all_nodes($$SELECT count(*) FROM pg_extension WHERE extname = 'uuidx'$$)};
is($coordinator->safe_psql('late', $has_uuidx), '1 0 0', 'An older uuidx is only on the coordinator,');
$coordinator->safe_psql('late', q{CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT uuid_generate_v7()); SELECT create_distributed_table('orders', 'id')});
is($coordinator->safe_psql('late', $has_uuidx), '1 1 1', 'until a distributed table depends on it.');

$_->stop for @nodes;
done_testing();
