# What is set before the library is loaded is never ignored, whoever sets it: where the order, the number or the node cannot
# be used, no key is generated. The number from the environment of the server.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'uuidx.v7_node_id = 5');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_ossp; CREATE EXTENSION uuidx_pg_uuidv7; CREATE ROLE clerk LOGIN');
my $number = 'SELECT uuid_v7_node_id(uuid_generate_v7())';
my @version_7 =
    ('uuid_generate_v7()', q{uuid_generate_v7('1 day'::interval)}, 'uuid_generate_v7_at(now())', 'uuid_generate_v7_batch(2)');
my @of_node = ('uuid_generate_v6()', 'uuid_generate_v1()', 'uuid_generator_state(6)');

# with_options($options, $code): runs it with PGOPTIONS.
sub with_options
{
    my ($options, $code) = @_;
    local $ENV{PGOPTIONS} = $options;
    return $code->();
}

# refuses($sql, $setting, $value, $setter, $what): the SQL fails with 22023, which names the setting and who has set it.
sub refuses
{
    my ($sql, $setting, $value, $setter, $what) = @_;
    my ($status, $output, $errors) = $node->psql('postgres', "\\set VERBOSITY verbose\n$sql");
    my $primary = qr/ERROR:  22023: cannot generate UUIDs with this value of "\Q$setting\E": "\Q$value\E"/;
    like("$output\n$errors", qr/\A\n.*$primary\nDETAIL:  .* It was set by $setter\.\n/, "$what: $sql");
    return;
}

is($node->safe_psql('postgres', $number), 5, 'The number of the configuration file is in the keys.');
is($node->safe_psql('postgres', q{SELECT DISTINCT uuid_v7_node_id(uuid_timestamptz_to_v7(now())) FROM generate_series(1, 10)}), 5,
    "It is in those of pg_uuidv7's functions, too.");

# --- The number ---
my $worker = q{SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;};
$node->safe_psql('postgres', q{CREATE TABLE numbers AS SELECT n FROM generate_series(1, 50000) AS n;
    ALTER TABLE numbers SET (parallel_workers = 2); ANALYZE numbers; GRANT SELECT ON numbers TO clerk});
my $in_workers = "$worker SELECT count(uuid_generate_v7()) FROM numbers";
like($node->safe_psql('postgres', "$worker EXPLAIN (COSTS off) SELECT count(uuid_generate_v7()) FROM numbers"),
    qr/Partial Aggregate/, 'Workers generate keys.');

with_options('-c uuidx.v7_node_id=7', sub {
    refuses("SELECT $_", 'uuidx.v7_node_id', 7, 'the client, when it connected', 'PGOPTIONS') for @version_7;
    refuses($in_workers, 'uuidx.v7_node_id', 7, 'the client, when it connected', 'Parallel workers');
    refuses("SET ROLE clerk; SELECT uuid_generate_v7()", 'uuidx.v7_node_id', 7, 'the client, when it connected', 'Another role');
    is($node->safe_psql('postgres', "$worker SELECT count(uuid_is_v7(uuid_max())) FROM numbers"), 50000,
        'Nothing else is refused, in workers either.');
    # A session loads the configuration between two statements.
    my $wait = q{SELECT pg_sleep(0.1) WHERE pg_conf_load_time() = :'loaded' \g /dev/null} . "\n";
    my ($status, $shown, $errors) = $node->psql('postgres', q{SELECT uuid_generate_v7(); ALTER SYSTEM SET uuidx.v7_node_id = 6;
        SELECT pg_conf_load_time() AS loaded \gset
        SELECT pg_reload_conf() \g /dev/null
        } . $wait x (10 * $PostgreSQL::Test::Utils::timeout_default) . q{
        SELECT pg_conf_load_time() > :'loaded'; SHOW uuidx.v7_node_id; SELECT uuid_generate_v7()}, on_error_stop => 0);
    is($shown, "t\n7", 'A reload does not hide what the client has set.');
    is(() = $errors =~ /cannot generate UUIDs/g, 2, 'Nor does it bring the session a number.');
    is(with_options('', sub { $node->safe_psql('postgres', $number) }), 6, 'It does for other sessions.');
    $node->safe_psql('postgres', 'ALTER SYSTEM RESET uuidx.v7_node_id; SELECT pg_reload_conf()');
    $node->restart;
});
with_options('-c uuidx.v7_node_id=-1', sub {
    refuses('SELECT uuid_generate_v7()', 'uuidx.v7_node_id', -1, 'the client, when it connected', 'PGOPTIONS') });
my %places = ('ROLE current_user' => 'ALTER ROLE', 'DATABASE postgres' => 'ALTER DATABASE', 'ROLE ALL' => 'ALTER ROLE ALL',
    'ROLE current_user IN DATABASE postgres' => 'ALTER ROLE IN DATABASE');
for my $place (sort keys %places)
{
    $node->safe_psql('postgres', "ALTER $place SET uuidx.v7_node_id = 7");
    refuses("SELECT $_", 'uuidx.v7_node_id', 7, $places{$place}, "ALTER $place") for @version_7;
    refuses($in_workers, 'uuidx.v7_node_id', 7, $places{$place}, "ALTER $place, in parallel workers");
    $node->safe_psql('postgres', "ALTER $place RESET uuidx.v7_node_id");
    is($node->safe_psql('postgres', $number), 5, 'When that is taken back, the number is there again.');
}
refuses('SET uuidx.v7_node_id = 7; SELECT uuid_generate_v7()', 'uuidx.v7_node_id', 7, 'SET', 'SET');
is($node->safe_psql('postgres', "SET uuidx.v7_node_id = 7; LOAD 'uuidx'; RESET uuidx.v7_node_id; $number"), 5, 'RESET brings the number back.');

# --- The order and the node ---
for my $case ([ 'uuidx.v7_order', 'sever', [ grep { !/_at/ } @version_7 ] ], [ 'uuidx.node', 'eth0', \@of_node ])
{
    my ($setting, $value, $calls) = @$case;
    with_options("-c $setting=$value", sub {
        refuses("SELECT $_", $setting, $value, 'the client, when it connected', 'PGOPTIONS') for @$calls });
    for my $place (sort keys %places)
    {
        $node->safe_psql('postgres', "ALTER $place SET $setting = $value");
        refuses("SELECT $_", $setting, $value, $places{$place}, "ALTER $place") for @$calls;
        $node->safe_psql('postgres', "ALTER $place RESET $setting");
    }
}
$node->safe_psql('postgres', q{ALTER DATABASE postgres SET uuidx.node = '02:00:5e:10:00:00'});
refuses('SELECT uuid_generate_v6()', 'uuidx.node', '02:00:5e:10:00:00', 'ALTER DATABASE', 'A fixed node in the catalogs');
like($node->safe_psql('postgres', 'SELECT uuid_generate_v1mc(); SET uuidx.node = random; SELECT uuid_generate_v6()'), qr/^[-0-9a-f]{36}\n[-0-9a-f]{36}$/,
    'What needs no node works, and the session may choose another.');
$node->safe_psql('postgres', 'ALTER DATABASE postgres RESET uuidx.node');

# --- The environment ---
# restart_with($value, $setting): restarts with that number in the configuration, and the variable in the environment.
sub restart_with
{
    my ($value, $setting) = @_;
    $node->append_conf('postgresql.conf', "uuidx.v7_node_id = '$setting'");
    local $ENV{POD_NAME} = $value;
    delete $ENV{POD_NAME} unless defined $value;
    $node->restart;
    return;
}
for my $preload ('', "shared_preload_libraries = 'uuidx'")
{
    my $how = $preload ? 'preloaded' : 'not preloaded';
    $node->append_conf('postgresql.conf', $preload);
    for my $case ([ '12', 12 ], [ 'orders-db-3', 3 ], [ 'orders-0', 0 ], [ 'orders-65535', 65535 ])
    {
        restart_with($case->[0], 'env:POD_NAME');
        is($node->safe_psql('postgres', $number), $case->[1], "$how: $case->[0] has the number $case->[1].");
    }
    is($node->safe_psql('postgres', "$worker SELECT count(*) FILTER (WHERE uuid_v7_node_id(uuid_generate_v7()) = 65535)
        FROM numbers"), 50000, 'In parallel workers, too.');
    for my $value (undef, '', '-3', 'orders', 'orders-', 'orders-65536', 'orders-3x', '7 ')
    {
        restart_with($value, 'env:POD_NAME');
        refuses('SELECT uuid_generate_v7()', 'uuidx.v7_node_id', 'env:POD_NAME', 'the configuration file',
            "$how, " . ($value // 'no variable'));
    }
    for my $setting ('env:', 'pod-3', '65536', '-2')
    {
        restart_with('orders-3', $setting);
        refuses('SELECT uuid_generate_v7()', 'uuidx.v7_node_id', $setting, 'the configuration file', $how);
    }
    restart_with(undef, 5);
}

# --- Preloaded ---
with_options('-c uuidx.v7_node_id=7', sub {
    $node->connect_fails($node->connstr('postgres'), 'Preloaded, a client cannot connect with a number.',
        expected_stderr => qr/FATAL:  invalid value for parameter "uuidx.v7_node_id": "7"/) });
$node->append_conf('postgresql.conf', "uuidx.v7_node_id = 'pod'");
$node->reload;
is($node->safe_psql('postgres', $number), 5, 'A reload does not change the number to what is none.');

# --- What uuid_explain says of new sessions, where PostgreSQL's own function is in a virtual column ---
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\nuuidx.v7_node_id = -1");
$node->restart;
SKIP: {
    skip 'this server is older than PostgreSQL 18', 10 if $node->safe_psql('postgres', 'SHOW server_version_num') < 180000;
    $node->safe_psql('postgres', q{
        CREATE ROLE app LOGIN;
        GRANT pg_read_all_settings TO app;
        CREATE TABLE virtual (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), created timestamptz(3) GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL);
        CREATE TABLE plain (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)))});
    my $hint = sub { my ($table, $role) = @_; return $node->safe_psql('postgres', "SET ROLE $role; SELECT hint FROM uuid_explain('$table')") };
    is($hint->('plain', 'app'), '', 'A table without a virtual column needs no library.');
    for my $case (
        [ undef, q{ALTER DATABASE postgres SET session_preload_libraries = 'uuidx'} ],
        [ q{ALTER DATABASE postgres SET session_preload_libraries = '$libdir/plpgsql'}, q{ALTER DATABASE postgres SET session_preload_libraries = '$libdir/plpgsql', 'uuidx'} ],
        [ q{ALTER ROLE app SET session_preload_libraries = plpgsql}, q{ALTER ROLE app SET session_preload_libraries = 'plpgsql', 'uuidx'} ],
        [ q{ALTER ROLE app IN DATABASE postgres SET session_preload_libraries = ''}, q{ALTER ROLE app IN DATABASE postgres SET session_preload_libraries = 'uuidx'} ])
    {
        my ($setting, $statement) = @$case;
        $node->safe_psql('postgres', $setting) if $setting;
        like($hint->('virtual', 'app'), qr/run \Q$statement\E as a superuser, and connect again\.$/, 'What is set, and where, decides on the hint.');
        # To the letter
        $node->safe_psql('postgres', $statement);
        is($hint->('virtual', 'app'), '', 'The statement is what was missing.');
    }
    $node->safe_psql('postgres', q{ALTER ROLE app IN DATABASE postgres SET session_preload_libraries = 'plpgsql'; REVOKE pg_read_all_settings FROM app});
    like($hint->('virtual', 'app'), qr/SET session_preload_libraries = \.\.\., 'uuidx' as/, 'Who may not read the setting does not learn its value.');
}

$node->stop;
done_testing();
