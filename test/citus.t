# Citus: a coordinator and two workers. The blocks of docs/operate/replicas.md, and what else uuidx does on such a cluster.

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

my $document = 'docs/operate/replicas.md';
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

my $hours = q{SELECT DISTINCT extract(hour FROM day AT TIME ZONE 'UTC') FROM};
is(value_of("SET timezone = 'Asia/Tokyo'; $hours (SELECT date_trunc('day', uuid_time(id)$_->[0]) AS day FROM orders GROUP BY 1) AS days"),
    $_->[1], $_->[2])
    for [ '', 0, 'A day without a time zone is one of a worker,' ], [ q{, 'Asia/Tokyo'}, 15, 'and with one the same on all nodes.' ];
for my $path (Documents::all('md'))
{
    unlike(slurp_file($path), qr/date_trunc\('\w+', uuid_time\(\w+\)\)/, "$path names the time zone of days.");
}
like(value_of("EXPLAIN (COSTS OFF) SELECT $_->[0] FROM orders $_->[1]"), $_->[2], "The scan of a shard for $_->[0] $_->[1]")
    for [ 'id', 'ORDER BY id DESC LIMIT 1', qr/Index Only Scan Backward/ ], [ 'max(uuid_time(id))', '', qr/Index Only Scan Backward/ ],
    [ 'max(id)', '', qr/Seq Scan/ ], [ 'min(id)', '', qr/Seq Scan/ ];

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

is($nodes[1]->safe_psql('postgres', q{INSERT INTO made (n, how) VALUES (4, 'worker') RETURNING uuid_v7_node_id(id)}), 1,
    'A worker makes the keys of rows that its clients insert.');
like(output_of("CREATE TRIGGER guard BEFORE INSERT ON made FOR EACH ROW EXECUTE FUNCTION uuid_guard('id', '5 minutes')"),
    qr/ERROR:  triggers are not supported on distributed tables/, 'A distributed table can have no trigger,');
like(output_of("INSERT INTO orders VALUES ('$_->[0]')"), $_->[1], $_->[2])
    for [ '00000000-0000-4000-8000-000000000000', qr/violates check constraint/, 'but its CHECK constraint refuses other versions,' ],
    [ 'f0000000-0000-7000-8000-000000000000', qr/^$/, 'though not keys from the future.' ];

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
    'CHECK (uuid_is_v7(id)), PRIMARY KEY (id), uuid_generate_v7()', 'with its constraint, its index and its default.');

# --- Partitions ---
value_of(q{
    CREATE TABLE events (id uuid PRIMARY KEY DEFAULT uuid_generate_v7() CHECK (uuid_is_v7(id)), item text) PARTITION BY RANGE (id);
    CREATE TABLE events_1979_01 PARTITION OF events FOR VALUES FROM (uuid_v7_from('1979-01-01')) TO (uuid_v7_from('1979-02-01'));
    SELECT create_distributed_table('events', 'id')});
like(output_of(q{SELECT create_time_partitions('events', '1 month', now() + interval '3 months')}), qr/ERROR:  type of the partition column/,
    'create_time_partitions refuses a uuid,');
my ($ahead, $retention) = map { $_->{content} } grep { $_->{section} eq 'Create and drop partitions with SQL' && !$_->{mark} }
    Documents::examples(slurp_file('docs/operate/partitions.md'), 'sql');
is(output_of($ahead), '', 'SQL makes partitions ahead,');
is(value_of(q{SELECT count(*) FROM citus_tables WHERE table_name::text LIKE 'events_2%' AND distribution_column = 'id'}), 4,
    'which are distributed as their table is.');
is(value_of(q{
        INSERT INTO events SELECT uuid_generate_v7_at(date_trunc('month', now() + interval '2 months') + n * interval '1 hour') FROM generate_series(1, 100) AS n;
        SELECT count(*) FROM events_} . value_of(q{SELECT to_char(now() + interval '2 months', 'YYYY_MM')})), 100, 'They take the keys of their month.');
like(output_of($retention), qr/ERROR:  ALTER TABLE .. DETACH PARTITION .. CONCURRENTLY/, 'Citus cannot detach a partition concurrently,');
value_of(q{CREATE TABLE events_1979_02 PARTITION OF events FOR VALUES FROM (uuid_v7_from('1979-02-01')) TO (uuid_v7_from('1979-03-01'))});
is(output_of($retention =~ s/pg_catalog\.format\('ALTER TABLE[^)]*\),\s*//r), '', 'but drop it.');
is(value_of(q{SELECT count(*) FROM citus_tables WHERE table_name::text LIKE 'events_1979%'}), 0, 'The old ones are gone.');

# --- Migrations ---
value_of(q{
    CREATE EXTENSION uuidx_migrate;
    CREATE TABLE kinds (id uuid PRIMARY KEY);
    CREATE TABLE visitors (id uuid PRIMARY KEY, kind_id uuid REFERENCES kinds);
    CREATE TABLE visits (id uuid, visitor_id uuid REFERENCES visitors, PRIMARY KEY (id, visitor_id));
    INSERT INTO kinds SELECT uuid_v6_to_v1(uuid_generate_v6());
    INSERT INTO visitors SELECT uuid_v6_to_v1(uuid_generate_v6()), id FROM kinds, generate_series(1, 100);
    INSERT INTO visits SELECT uuid_v6_to_v1(uuid_generate_v6()), id FROM visitors;
    SET citus.enable_local_reference_table_foreign_keys = off;
    SET citus.multi_shard_modify_mode = 'sequential';
    SELECT create_reference_table('kinds');
    SELECT create_distributed_table('visitors', 'id');
    SELECT create_distributed_table('visits', 'visitor_id', colocate_with => 'visitors');
    CREATE TABLE local (id uuid PRIMARY KEY, id_shadow uuid);
    SELECT citus_add_local_table_to_metadata('local');
    CREATE ROLE nobody});
my $obstacles = q{SELECT relation, o, h FROM uuidx_migrate.plan('visitors', 'id', conversion => 'v1_to_v6') AS p, unnest(p.obstacles, p.hints) AS u (o, h)};
my $hint = 'On the coordinator, run undistribute_table, migrate, and distribute the table again.';
is(value_of($obstacles), join("\n", map { "$_|Citus manages table $_|$hint" } qw(visitors visits)), 'Distributed tables are obstacles to a migration,');
like(value_of("SET ROLE nobody; $obstacles"), qr/^visitors\|Citus manages table visitors\|/m, 'also for a role without privileges.');
like(value_of($obstacles =~ s/visitors/$_/r), qr/^$_\|Citus manages table $_\|/m, 'So are reference and local tables.') for 'kinds', 'local';
like(output_of("CALL uuidx_migrate_steps.backfill('$_', '{id}')"), qr/ERROR:  Citus manages table public\.$_\nHINT:  $hint\n$/,
    "No shadow column is filled of table $_.") for 'visitors', 'kinds', 'local';
my $shard_of = q{SELECT shard_name(logicalrelid, min(shardid)) FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
    WHERE groupid = 1 AND logicalrelid = '%s'::regclass GROUP BY logicalrelid};
for my $shard (map { value_of(sprintf $shard_of, $_) } 'visitors', 'kinds')
{
    like(($nodes[1]->psql('postgres', $_))[2], qr/ERROR:  public\.$shard is a shard of a table that Citus manages/, "On a worker: $_")
        for "SELECT * FROM uuidx_migrate.plan('$shard', 'id', conversion => 'v1_to_v6')", "SELECT * FROM uuidx_migrate.script('$shard', 'id', conversion => 'v1_to_v6')",
        "CALL uuidx_migrate_steps.backfill('$shard', '{id}')", "SELECT * FROM uuidx_migrate.version_histogram('$shard', 'id')";
}
my ($migration) = grep { $_->{mark} eq 'citus' } Documents::examples(slurp_file($document), 'psql');
unlike(output_of($migration->{content}), qr/ERROR/, 'A chain with a reference table migrates as the document says.');
is(value_of(q{SELECT uuid_version(k.id), uuid_version(v.id), count(*)
        FROM kinds AS k JOIN visitors AS v ON kind_id = k.id JOIN visits ON visitor_id = v.id GROUP BY 1, 2}), '6|6|100', 'All its keys are migrated,');
is(value_of(q{SELECT table_name, citus_table_type FROM citus_tables WHERE table_name::text ~ '^(kinds|visit)' ORDER BY table_name::text}),
    "kinds|reference\nvisitors|distributed\nvisits|distributed", 'and its tables are distributed again.');

# --- Defaults ---
my $functions = q{'uuid_generate_v7()', 'uuid_generate_v6()'};
value_of(q{CREATE TABLE marked (n int PRIMARY KEY, id uuid DEFAULT uuid_generate_v7()); SELECT create_reference_table('marked')});
my $plan = "SELECT object, obstacle FROM uuidx_migrate.default_plan($functions) WHERE object ~ '\\.ma(de|rked)'";
is(value_of($plan), join("\n",
        'table column public.made.id|Citus distributes the table by this column: run undistribute_table, change the default, and distribute the table again',
        'table column public.marked.id|Citus manages the table: set the default on the coordinator when all nodes have the new function'),
    'The plan of defaults says what to do about each, and nothing of shards.');
output_of("SELECT undistribute_table('made'); SELECT uuidx_migrate.change_defaults($functions); SELECT create_distributed_table('made', 'id');
    ALTER TABLE marked ALTER id SET DEFAULT uuid_generate_v6()");
is(value_of($plan), '', 'Both can be done.');
is(value_of(q{INSERT INTO made (n, how) VALUES (5, 'six') RETURNING uuid_version(id)}), 6, 'The default is another one,');
is(value_of(q{SELECT citus_table_type FROM citus_tables WHERE table_name::text = 'made'}), 'distributed', 'and the table is distributed again.');

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
