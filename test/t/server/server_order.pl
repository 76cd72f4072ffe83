# uuidx.v7_order = server: one order of all sessions; what it needs, and what it does not go with; how the generator is
# advanced and reset. Fixed nodes, whose UUIDs come from such an order, too, and the server's number. `scripts/test --long`
# makes 10 million keys in the stream.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my ($sessions, $turns, $keys) = $ENV{UUIDX_LONG} ? (4, 25_000, 100) : (4, 200, 20);
my $all = $sessions * $turns * $keys;
my $a_node = q{SET uuidx.node = '02:00:5e:10:00:00';};

# error_of($node, $sql): the SQLSTATE and the message of the first error.
sub error_of
{
    my ($node, $sql) = @_;
    my ($status, $output, $errors) = $node->psql('postgres', "\\set VERBOSITY verbose\n$sql");
    return $errors =~ /ERROR:  (.*?)(?:\nLOCATION|\z)/s ? $1 : "no error but $output";
}

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "shared_buffers = 256MB\nmax_wal_size = 4GB\nautovacuum = off");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_ossp');

# --- Without preloading ---
if (my $preload = ServerOrder::preload($node))
{
    my $hint = qr/HINT:  On PostgreSQL 14 to 16, add "uuidx" to shared_preload_libraries, and restart the server/;
    my $refused = qr/^55000: this value of "uuidx.v7_order" needs shared memory\n$hint/;
    my $no_order = qr/^55000: uuidx has no shared memory\n$hint/;
    like(error_of($node, q{LOAD 'uuidx'; SET uuidx.v7_order = server}), $refused, 'SET tells that the module must be preloaded.');
    like(error_of($node, "LOAD 'uuidx'; $a_node"),
        qr/^55000: this value of "uuidx.node" needs shared memory\n$hint/, 'So does the SET of a fixed node.');
    like(error_of($node, "SET uuidx.v7_order = server; SELECT $_"), $refused, "Set before the module is loaded, $_ tells.")
        for 'uuid_generate_v7()', q{uuid_generate_v7('1 day'::interval)}, 'uuid_generate_v7_batch(2)', 'uuid_generator_state()';
    like(error_of($node, "SELECT uuid_generate_v7_batch(2); SELECT uuid_generator_advance(now())"), $no_order,
        'There is nothing to advance.');
    is($node->safe_psql('postgres', 'SELECT uuid_generator_reset() IS NOT NULL'), 't', 'The session can be reset.');
    for my $place ('ROLE current_user', 'DATABASE postgres', 'FUNCTION current_order()')
    {
        $node->safe_psql('postgres', q{CREATE OR REPLACE FUNCTION current_order() RETURNS text LANGUAGE sql AS $$SELECT current_setting('uuidx.v7_order')$$});
        like(error_of($node, "LOAD 'uuidx'; ALTER $place SET uuidx.v7_order = server"), $refused, "ALTER $place refuses it, too.");
        is($node->safe_psql('postgres', "LOAD 'uuidx'; ALTER $place SET uuidx.v7_order = session; ALTER $place RESET uuidx.v7_order;
                SHOW uuidx.v7_order"), 'session', "ALTER $place takes the order of a session.");
    }
    for my $place ('ROLE current_user', 'DATABASE postgres')
    {
        $node->safe_psql('postgres', "ALTER $place SET uuidx.v7_order = server");
        like(error_of($node, 'SELECT uuid_generate_v7()'), $refused, "The first key tells if ALTER $place could not.");
        $node->safe_psql('postgres', "ALTER $place RESET uuidx.v7_order");
    }
    $node->append_conf('postgresql.conf', $preload);
    $node->restart;
}

is($node->safe_psql('postgres', q{
        LOAD 'uuidx';
        ALTER DATABASE postgres SET uuidx.v7_order = server;
        \c
        SHOW uuidx.v7_order; SELECT scope FROM uuid_generator_state();
        ALTER DATABASE postgres RESET uuidx.v7_order}), "server\nserver", 'A database has this order where there is shared memory.');

# --- One order ---
ServerOrder::create_stream($node);
is(ServerOrder::finish(ServerOrder::start_filling($node, $sessions, $turns, $keys)), 0, "$sessions sessions fill a stream.");
is(ServerOrder::inversions($node), "$all|0", 'Each key is greater than all before it.');

$node->safe_psql('postgres', q{
    CREATE TABLE numbers AS SELECT n FROM generate_series(1, 50000) AS n;
    ANALYZE numbers;
    ALTER TABLE numbers SET (parallel_workers = 2);
    ALTER ROLE current_user SET parallel_setup_cost = 0;
    ALTER ROLE current_user SET parallel_tuple_cost = 0;
    ALTER ROLE current_user SET min_parallel_table_scan_size = 0});
is($node->safe_psql('postgres', q{
        SET uuidx.v7_order = server;
        SELECT uuid_generate_v7() AS before \gset
        CREATE TABLE of_workers AS SELECT uuid_generate_v7() AS id FROM numbers;
        SELECT count(*), count(DISTINCT (left(id::text, 19), get_byte(uuid_send(id), 8) >> 2)), min(id) > :'before', max(id) < uuid_generate_v7() FROM of_workers}),
    '50000|50000|t|t', 'The keys of parallel workers are between those before and after them, no two with the same time and counter.');

is($node->safe_psql('postgres', q{
        CREATE TABLE made (n int GENERATED ALWAYS AS IDENTITY, id uuid DEFAULT uuid_generate_v7());
        INSERT INTO made SELECT FROM generate_series(1, 1000);
        SET uuidx.v7_order = server;
        INSERT INTO made SELECT FROM generate_series(1, 1000);
        BEGIN; SET LOCAL uuidx.v7_order = session; SET LOCAL uuidx.v7_method = counter;
        INSERT INTO made SELECT FROM generate_series(1, 1000); COMMIT;
        INSERT INTO made SELECT FROM generate_series(1, 1000);
        RESET uuidx.v7_order;
        INSERT INTO made SELECT FROM generate_series(1, 1000);
        SELECT count(*), count(*) FILTER (WHERE id <= before) FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS m}),
    '5000|0', 'The order of a session goes on when it changes to the order of the server and back.');
for my $method ('counter', 'monotonic_random')
{
    like(error_of($node, "SET uuidx.v7_method = $method; SET uuidx.v7_order = server; SELECT uuid_generate_v7()"),
        qr/^22023: "uuidx.v7_method" must be "precision" if "uuidx.v7_order" is "server"/, "The method $method does not go with it.");
}

# --- Fixed nodes ---
is($node->safe_psql('postgres', qq{
        $a_node
        CREATE TABLE of_nodes (n int GENERATED ALWAYS AS IDENTITY, node text DEFAULT current_setting('uuidx.node'), id uuid);
        INSERT INTO of_nodes (id) SELECT uuid_generate_v6() FROM generate_series(1, 5000);
        INSERT INTO of_nodes (id) SELECT uuid_v1_to_v6(uuid_generate_v1()) FROM generate_series(1, 5000);
        SET uuidx.node = random;
        INSERT INTO of_nodes (id) SELECT uuid_generate_v6() FROM generate_series(1, 5000);
        SET uuidx.node = '02005E100001';
        INSERT INTO of_nodes (id) SELECT uuid_generate_v6() FROM generate_series(1, 5000);
        SELECT count(*), count(*) FILTER (WHERE id <= before) FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM of_nodes) AS m}),
    '20000|0', 'Versions 1 and 6 increase in a session whatever its node.');
is($node->safe_psql('postgres', q{SELECT node, count(DISTINCT uuid_extract_node(id)) > 1, count(DISTINCT uuid_extract_clock_seq(id) & 1023) > 1
        FROM of_nodes GROUP BY 1 ORDER BY 1}),
    "02005E100001|f|f\n02:00:5e:10:00:00|f|f\nrandom|t|t", 'A fixed node stays, with the last 10 bits of the clock sequence.');
is($node->safe_psql('postgres', qq{$a_node SELECT count(DISTINCT uuid_generate_v6_at('2026-01-01')),
            bool_or(uuid_extract_node(uuid_generate_v1mc()) = '02:00:5e:10:00:00') FROM generate_series(1, 1000)}),
    '1000|f', 'What has random nodes has them still.');
# --- The mark of a database ---
$node->safe_psql('postgres', q{CREATE DATABASE marks; CREATE ROLE tenant; GRANT CREATE ON DATABASE marks TO tenant});
my $key = 'SET uuidx.v7_order = server; SELECT uuid_generate_v7()';
my $other_key = 'SET uuidx.v7_order = server; SELECT public.uuidv7()';
sub no_mark
{
    my ($sql, $version, $what) = @_;
    my (undef, $output, $errors) = $node->psql('marks', "\\set VERBOSITY verbose\n$sql");
    like("$output\n$errors", qr/^\n.*ERROR:  55000: server-wide order needs sequence "uuid_v${version}_mark" of extension "uuidx"\nHINT:  Create the extension in this database; if it lacks the sequence, drop it first\.\n/, $what);
    return;
}
$node->safe_psql('marks', 'SET client_min_messages = warning; CREATE EXTENSION uuidx_pg18 SCHEMA public; CREATE EXTENSION uuidx_ossp');
no_mark($other_key, 7, 'A database without the extension has no mark, and gets no key.');
like($node->safe_psql('marks', "$a_node SELECT uuid_generate_v1()"), qr/^[-0-9a-f]{36}$/, 'UUIDs of fixed nodes are made without one.');
$node->safe_psql('marks', "BEGIN; CREATE EXTENSION uuidx; SAVEPOINT s; $key; ROLLBACK TO s; $key; ROLLBACK");
no_mark($other_key, 7, 'Nor does it after a transaction that created the extension is rolled back.');
my $row = q{SELECT last_value > 0 AND log_cnt > 0 AND NOT is_called FROM uuid_v7_mark};
is($node->safe_psql('marks', "SET uuidx.v7_order = server; BEGIN; CREATE EXTENSION uuidx; SELECT uuid_generate_v7() \\g /dev/null
        COMMIT; $row; DROP EXTENSION uuidx; CREATE EXTENSION uuidx; SELECT uuid_generate_v7() \\g /dev/null
        $row"), "t\nt", 'The transaction that creates the extension writes the mark, and so does a session that knew another one.');
is($node->safe_psql('marks', "SET default_transaction_read_only = on; SET uuidx.v7_order = server;
        SELECT pg_sleep(1.1); SELECT uuid_generate_v7() \\g /dev/null
        $row"), "\nt", 'So does a transaction that only reads.');
is($node->safe_psql('marks', q{SET ROLE tenant; SELECT bool_or(has_sequence_privilege(s, p)) FROM
        unnest(ARRAY['uuid_v7_mark', 'uuid_v6_mark']) AS s, unnest(ARRAY['SELECT', 'USAGE', 'UPDATE']) AS p}), 'f', 'Nobody else has rights on it.');
# A setval() of a superuser, or of a subscription, is inherited.
is($node->safe_psql('marks', q{SET uuidx.v7_order = server; SET uuidx.max_clock_ahead = -1; SELECT uuid_generate_v7() \g /dev/null
        SELECT setval('uuid_v7_mark', last_value + (60000::bigint << 16)) IS NOT NULL FROM uuid_v7_mark;
        \c
        SET uuidx.v7_order = server; SET uuidx.max_clock_ahead = -1;
        SELECT uuid_time(uuid_generate_v7()) > now() + interval '20 s';
        SELECT uuid_generator_reset()}), "t\nt\n", 'A mark that was set is inherited.');
# An owner of the extension cannot give it a sequence of his own.
$node->safe_psql('marks', 'DROP EXTENSION uuidx; GRANT CREATE ON SCHEMA public TO tenant');
$node->safe_psql('marks', 'SET ROLE tenant; CREATE EXTENSION uuidx');
$node->safe_psql('marks', 'ALTER EXTENSION uuidx DROP SEQUENCE uuid_v7_mark; DROP SEQUENCE uuid_v7_mark');
no_mark($key, 7, 'Without the sequence, there is no key.');
$node->safe_psql('marks', 'SET ROLE tenant; CREATE SEQUENCE uuid_v7_mark; ALTER EXTENSION uuidx ADD SEQUENCE uuid_v7_mark');
no_mark($key, 7, 'A sequence of the owner of the extension is none.');
$node->safe_psql('marks', 'ALTER EXTENSION uuidx DROP SEQUENCE uuid_v6_mark; DROP SEQUENCE uuid_v6_mark');
no_mark("$a_node SELECT uuid_generate_v1()", 6, 'With the extension, a fixed node needs the other one.');
no_mark('SELECT uuid_generator_reset()', 7, 'So does a reset.');

# --- The server's number ---
$node->append_conf('postgresql.conf', "uuidx.v7_node_id = 43981");
$node->restart;
is($node->safe_psql('postgres', q{
        CREATE TABLE numbered (n int GENERATED ALWAYS AS IDENTITY, id uuid);
        INSERT INTO numbered (id) SELECT uuid_generate_v7() FROM generate_series(1, 1000);
        INSERT INTO numbered (id) SELECT uuid_generate_v7_batch(1000);
        SET uuidx.v7_order = server;
        INSERT INTO numbered (id) SELECT uuid_generate_v7() FROM generate_series(1, 1000);
        INSERT INTO numbered (id) SELECT * FROM uuid_generate_v7_batch(1000);
        SELECT count(*), count(*) FILTER (WHERE id <= before), count(*) FILTER (WHERE uuid_v7_node_id(id) = 43981),
            count(DISTINCT right(id::text, 10)), uuid_v7_node_id(uuid_generate_v7_at('2026-01-01'))
        FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM numbered) AS m}),
    '4000|0|4000|4000|43981', 'Keys of a server with a number have it in both orders, and increase.');
like(error_of($node, 'SET uuidx.v7_method = counter; SELECT uuid_generate_v7()'),
    qr/^22023: "uuidx.v7_method" must be "precision" if .* "uuidx.v7_node_id" is set/, 'No other method goes with a number.');
$node->append_conf('postgresql.conf', "uuidx.v7_node_id = -1");
$node->restart;

# --- Advance and reset ---
my $state = 'FROM uuid_generator_state()';
is($node->safe_psql('postgres', qq{
        SET uuidx.v7_order = server;
        SELECT uuid_generate_v7() AS first \\gset
        SELECT scope, last_timestamp = uuid_v7_time_us(last_uuid), last_uuid >= :'first', uuid_v7_time_us(last_uuid) = uuid_v7_time_us(:'first'),
            mark - last_timestamp BETWEEN '0.4 s' AND '1.1 s', generated $state}),
    'server|t|t|t|t|1', 'The state shows the last key of the server and the mark ahead of it.');
$node->safe_psql('postgres', q{
    CREATE ROLE clerk;
    GRANT EXECUTE ON FUNCTION uuid_generator_advance(uuid, boolean), uuid_generator_advance(timestamptz, boolean) TO clerk;
    CREATE TABLE orders (id uuid);
    GRANT SELECT ON orders TO clerk;
    INSERT INTO orders SELECT uuid_generate_v7_at(now() + n * interval '1 min') FROM generate_series(1, 100) AS n});
is($node->safe_psql('postgres', qq{
        SET ROLE clerk;
        SET uuidx.max_clock_ahead = -1;
        SELECT uuid_generator_advance(max(id)) FROM orders \\g /dev/null
        SET uuidx.v7_order = server;
        SELECT max(id) < uuid_generate_v7() FROM orders;
        SELECT ahead_of_clock BETWEEN '99 min' AND '100 min' $state}),
    "t\nt", 'A role that may do so advances the generator beyond the keys of a table.');
is($node->safe_psql('postgres', qq{
        $a_node
        SET uuidx.max_clock_ahead = -1;
        SELECT now() + interval '2 h' AS moment \\gset
        SELECT uuid_generator_advance(timestamptz :'moment') \\g /dev/null
        SET uuidx.v7_order = server;
        SELECT uuid_time(uuid_generate_v7()) - :'moment', uuid_time(uuid_generate_v6()) > :'moment'}) =~ /^00:00:00(?:\.\d+)?\|t$/, 1,
    'The time of a key is later than the moment to which the generator was advanced.');
is($node->safe_psql('postgres', qq{
        SET uuidx.max_clock_ahead = -1;
        SELECT uuid_generator_advance(uuid_generate_v7_at(now() + interval '2 days'), force => true),
            uuid_generator_advance(uuid_generate_v6_at(now() + interval '2 days'), force => true) \\g /dev/null
        $a_node SET uuidx.v7_order = server;
        SELECT uuid_time(uuid_generate_v7()) > now() + interval '47 h', uuid_time(uuid_generate_v6()) > now() + interval '47 h'}),
    't|t', 'With force, it is advanced more than a day.');

# It is ahead of the clock now: a session is warned once, and the log has it.
my $log = -s $node->logfile;
my ($status, $output, $warnings) = $node->psql('postgres', q{SET uuidx.v7_order = server;
    SELECT uuid_generate_v7(); SELECT uuid_generate_v7(); SELECT count(*) FROM uuid_generate_v7_batch(100)});
my $warning = qr/WARNING:  version 7 UUIDs are ahead of the system's clock by more than "uuidx.max_clock_ahead"/;
is(() = $warnings =~ /$warning/g, 1, 'A session whose generator is far ahead of the clock is warned once.');
is(() = slurp_file($node->logfile, $log) =~ /$warning/g, 1, 'So is the log.');
is(($node->psql('postgres', q{SET uuidx.v7_order = server; SET uuidx.max_clock_ahead = '49 h'; SELECT uuid_generate_v7()}))[2], '',
    'It is not if it may be so far ahead.');

is($node->safe_psql('postgres', qq{
        SELECT uuid_generator_reset() \\g /dev/null
        SET uuidx.v7_order = server;
        $a_node
        SELECT abs(extract(epoch FROM uuid_time(uuid_generate_v7()) - clock_timestamp())) < 10,
            abs(extract(epoch FROM uuid_time(uuid_generate_v6()) - clock_timestamp())) < 10}),
    't|t', 'After a reset, the generators are on time.');
is($node->safe_psql('postgres', q{SELECT count(*) FROM of_nodes WHERE uuid_extract_clock_seq(id) & 1023
        = (SELECT uuid_extract_clock_seq(uuid_generate_v6()) & 1023 FROM set_config('uuidx.node', '02:00:5e:10:00:00', false) OFFSET 0)
        AND node <> 'random'}) , 0, 'Fixed nodes have another clock sequence.');
$node->restart;
is($node->safe_psql('postgres', q{SET uuidx.v7_order = server; SELECT uuid_time(uuid_generate_v7()) < now() + interval '1 min'}), 't',
    'A restart does not bring back what was before the reset.');

$node->stop;
done_testing();
