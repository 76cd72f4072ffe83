# The backfill of a shadow column while others write: it waits for nobody, resumes after a crash, can be
# watched, and its memory does not grow.

use strict;
use warnings;
use IPC::Run ();
use List::Util qw(max);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep);
use Test::More;

my $rows = $ENV{UUIDX_LONG} ? 2_000_000 : 100_000;
# Others write rows up to $written; of the rows after that, one is locked.
my ($written, $resumed, $locked) = map { $_ * $rows } 0.9, 0.925, 0.95;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "restart_after_crash = off\nautovacuum = off\ndeadlock_timeout = '1s'");
$node->start;
$node->safe_psql('postgres', qq{
    CREATE SCHEMA keys;
    CREATE EXTENSION uuidx SCHEMA keys;
    CREATE EXTENSION uuidx_migrate;
    CREATE TABLE orders (id uuid PRIMARY KEY, n int, changed int DEFAULT 0);
    INSERT INTO orders SELECT keys.uuid_v6_to_v1(keys.uuid_generate_v6()), n FROM generate_series(1, $rows) AS n;
    CREATE INDEX ON orders (n);
    ALTER TABLE orders ADD COLUMN id_shadow uuid, ADD CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0) NOT VALID;
    CREATE TRIGGER zzz_id_shadow BEFORE INSERT OR UPDATE ON orders
        FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'error', 'id');
    ALTER TABLE orders ENABLE ALWAYS TRIGGER zzz_id_shadow;
    ANALYZE orders});

my $call = "CALL uuidx_migrate_steps.backfill('orders', '{id}'";
my $progress = "SELECT rows_filled FROM uuidx_migrate.progress WHERE relation = 'orders'::regclass";
my $wrong = 'SELECT count(*) FILTER (WHERE id_shadow IS DISTINCT FROM keys.uuid_v1_to_v6(id)) FROM orders';

sub start_session
{
    my $output = '';
    return { harness => IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--no-align', '--tuples-only',
            '--dbname', $node->connstr('postgres'), map { ('--command', $_) } @_ ], '>&', \$output), output => \$output };
}

sub wait_until
{
    my ($sql) = @_;
    ok($node->poll_query_until('postgres', $sql), "The server comes to: $sql");
}

# --- Killed in the middle ---
my $backfill = start_session("$call, batch_rows => 1000, pause => '50 ms')");
wait_until("SELECT coalesce(($progress), 0) > 5000");
$node->stop('immediate');
$backfill->{harness}->finish;
$node->start;
my $filled = $node->safe_psql('postgres', 'SELECT count(id_shadow) FROM orders');
cmp_ok($filled, '>', 0, 'Batches that were committed are there after the crash.');
cmp_ok($filled, '<', $rows, 'The server is stopped in the middle of the backfill.');
# As if it had stopped where no other session writes. Nothing but the rows says where that is.
$node->safe_psql('postgres', "UPDATE orders SET n = n WHERE n <= $resumed AND id_shadow IS NULL");
my $block = $node->safe_psql('postgres', 'SELECT (min(ctid)::text::point)[0]::bigint FROM orders WHERE id_shadow IS NULL');

# --- Others hold locks, and write ---
my $holder = start_session(qq{BEGIN; UPDATE orders SET changed = -1 WHERE n = $locked; SELECT pg_sleep(1000); ROLLBACK});
wait_until(q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')});
my $pgbench = $node->basedir . '/write.pgbench';
append_to_file($pgbench, qq{\\set third $written / 3
\\set n random(1, :third)
\\set m random(:third + 1, 2 * :third)
\\set k random(2 * :third + 1, $written)
BEGIN;
UPDATE orders SET changed = changed + 1 WHERE n = :n;
UPDATE orders SET changed = changed + 1 WHERE n = :m;
INSERT INTO orders (id, n) SELECT keys.uuid_v6_to_v1(keys.uuid_generate_v6()), -1;
COMMIT;
DELETE FROM orders WHERE n = :k;
});
my $writers_output = '';
my $writers = IPC::Run::start([ 'pgbench', '--no-vacuum', '--client=2', '--jobs=2', '--rate=500', '--latency-limit=1000', '--time=7200',
    '--file', $pgbench, $node->connstr('postgres') ], '>&', \$writers_output);
$backfill = start_session("SET lock_timeout = '500ms'", "SET default_transaction_isolation = 'serializable'", "$call, batch_rows => 5000, pause => '300 ms')");
wait_until("SELECT coalesce(($progress), 0) > 0");
cmp_ok($node->safe_psql('postgres', 'SELECT coalesce(max(next_block), 4000000000) FROM uuidx_migrate.progress'), '>=', $block,
    'The backfill resumes where it stopped.');
# It goes round what is locked, and waits until it is not.
wait_until('SELECT count(*) < 10 FROM orders WHERE id_shadow IS NULL');
$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%changed = -1%'
    AND pid <> pg_backend_pid()});
$backfill->{harness}->finish;
$holder->{harness}->finish;
unlike(${ $backfill->{output} }, qr/ERROR/, 'The backfill waits for no lock.');
like(${ $backfill->{output} }, qr{^NOTICE:  public\.orders: \d+ rows, 100\.0 %, \d+ rows/s, 00:00:00 left$}m, 'The backfill reports its progress.');
$writers->signal('ALRM'); # which is how pgbench's time ends
$writers->finish;
like($writers_output, qr/number of transactions actually processed: [1-9]/, 'Other sessions write meanwhile.');
unlike($writers_output, qr/ERROR|aborted|number of failed transactions: [1-9]/, 'No statement of the other sessions fails.');
is($node->safe_psql('postgres', $wrong), '0', 'Every row is right, also rows that were locked or written meanwhile.');

# --- Memory, as the server logs it of the backend, after some batches and after many ---
# A batch has at least a block, and so there are many if a block has few rows.
my $blocks = $ENV{UUIDX_LONG} ? 20_000 : 1_000;
$node->safe_psql('postgres', qq{
    CREATE TABLE sparse (id uuid, filler text DEFAULT repeat('x', 1500), id_shadow uuid) WITH (fillfactor = 50);
    ALTER TABLE sparse ADD CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0) NOT VALID;
    INSERT INTO sparse SELECT keys.uuid_v6_to_v1(keys.uuid_generate_v6()) FROM generate_series(1, 2 * $blocks);
    CREATE TRIGGER zzz_id_shadow BEFORE INSERT OR UPDATE ON sparse
        FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'error', 'id');
    ALTER TABLE sparse ENABLE ALWAYS TRIGGER zzz_id_shadow;
    ANALYZE sparse});
# As long as a row is locked, it does not end.
$holder = start_session(q{BEGIN; SELECT FROM sparse LIMIT 1 FOR UPDATE; SELECT pg_sleep(1000); ROLLBACK});
wait_until(q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%FOR UPDATE; SELECT pg_sleep%')});
$backfill = start_session(q{CALL uuidx_migrate_steps.backfill('sparse', '{id}', batch_rows => 1, pause => '1 ms')});
# The server logs it at any step of a batch, with or without the plans that the session has made.
sub logged_memory
{
    my $logged = -s $node->logfile;
    $node->safe_psql('postgres', q{SELECT pg_log_backend_memory_contexts(pid) FROM pg_stat_activity
        WHERE query LIKE 'CALL %batch_rows => 1,%' AND pid <> pg_backend_pid()});
    my $total = qr/Grand total: (\d+) bytes/;
    for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
    {
        return $1 if substr(slurp_file($node->logfile), $logged) =~ $total;
        sleep 0.1;
    }
    return;
}
my @memory;
for my $share (0.05, 0.95)
{
    wait_until("SELECT count(id_shadow) > $share * count(*) FROM sparse");
    push @memory, max(map { logged_memory() } 1 .. 10);
}
$node->stop('immediate');
$backfill->{harness}->finish;
$holder->{harness}->finish;
is(scalar(grep { defined } @memory), 2, 'The server logs the memory of the backfill twice.');
cmp_ok($memory[1], '<', $memory[0] + 2_000_000, "Many batches take no more memory than few: @memory bytes.");

done_testing();
