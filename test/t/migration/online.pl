# The online migration of a table that serves all the while; with the server stopped in the middle of a step, after which
# the script is run from the top; and locks that others hold.

use strict;
use warnings;
use lib 'test/lib';
use IPC::Run ();
use Migrations;
use Others;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('main', 'restart_after_crash = off');
my @there = (mode => 'online');
my @back = (conversion => 'v6_to_v1');

sub runs
{
    my ($name, @steps) = @_;
    my $run = session($node, 'alice', join ";\n", @steps);
    is($run->{messages}, '', $name);
    return;
}

# --- Accounts and their entries, while others write ---
my $accounts = $ENV{UUIDX_LONG} ? 500_000 : 20_000;
$node->safe_psql('postgres', 'CREATE SCHEMA bank AUTHORIZATION alice');
output_of($node, 'alice', qq{
    SET search_path = bank;
    CREATE TABLE accounts (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int UNIQUE, changed int DEFAULT 0);
    CREATE INDEX ON accounts (changed, id);
    CREATE TABLE entries (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1mc(),
        account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE);
    CREATE INDEX ON entries (account_id);
    CREATE TABLE events (account_id uuid REFERENCES accounts ON DELETE CASCADE, happened date DEFAULT '2026-01-01')
        PARTITION BY RANGE (happened);
    CREATE TABLE events_2026 PARTITION OF events FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
    CREATE INDEX ON events (account_id);
    INSERT INTO accounts (n) SELECT n FROM generate_series(1, $accounts) AS n;
    INSERT INTO entries (account_id) SELECT id FROM accounts;
    INSERT INTO events (account_id) SELECT id FROM accounts;
    ANALYZE;
    CREATE TABLE first AS SELECT id, n FROM accounts});
my $schema = dump_of($node);

my $file_number = 0;
sub start_steps
{
    my $file = $node->basedir . '/steps' . ++$file_number . '.sql';
    append_to_file($file, join ";\n", @_);
    my $output = '';
    return { harness => IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file', $file,
            '--username=alice', '--dbname', $node->connstr('postgres') ], '>&', \$output), output => \$output };
}

sub cancel_sleeper
{
    $node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE wait_event = 'PgSleep' AND query LIKE '%pg_sleep(1000)%' AND pid <> pg_backend_pid()});
    return;
}

# Rows in which a column is not of this version, or that refer to none.
sub wrong
{
    my ($version) = @_;
    return $node->safe_psql('postgres', qq{
        SELECT (SELECT count(*) FROM bank.accounts WHERE keys.uuid_version(id) <> $version),
               (SELECT count(*) FROM bank.entries AS e LEFT JOIN bank.accounts AS a ON a.id = e.account_id WHERE a.id IS NULL),
               (SELECT count(*) FROM bank.events AS e LEFT JOIN bank.accounts AS a ON a.id = e.account_id WHERE a.id IS NULL),
               (SELECT count(*) FROM bank.accounts JOIN bank.first USING (n)
                WHERE accounts.id <> CASE $version WHEN 1 THEN first.id ELSE keys.uuid_v1_to_v6(first.id) END AND n <= $accounts / 2)});
}

my $others = start_others($node, 'writers', [ qq{\\set n random(1, $accounts / 2)
\\set m random($accounts / 2 + 1, $accounts)
BEGIN;
UPDATE bank.accounts SET changed = changed + 1 WHERE n = :n;
INSERT INTO bank.entries (account_id) SELECT id FROM bank.accounts WHERE n = :n;
INSERT INTO bank.events (account_id) SELECT id FROM bank.accounts WHERE n = :n;
END;
SELECT count(*) FROM bank.entries AS e JOIN bank.accounts AS a ON a.id = e.account_id WHERE a.n = :n;
DELETE FROM bank.entries WHERE id = (SELECT e.id FROM bank.entries AS e JOIN bank.accounts AS a ON a.id = e.account_id WHERE a.n = :n LIMIT 1);
DELETE FROM bank.accounts WHERE n = :m;
INSERT INTO bank.accounts (n) VALUES (:m) ON CONFLICT (n) DO NOTHING;
} ], '--client=3', '--rate=100', '--protocol=prepared');
migrates($node, 'alice', 'bank.accounts', @there, 'A script runs while others write.');
stop_others($others);
is(wrong(6), '0|0|0|0', 'Every row has version 6 and its reference.');
migrates($node, 'alice', 'bank.accounts', @there, @back, 'The script that undoes the migration runs.');
migrates($node, 'alice', 'bank.accounts', mode => 'finish', @back, 'The undo is finished.');
is(wrong(1), '0|0|0|0', 'Every row is as it was.');
is(differences($schema, dump_of($node)), '', 'The schema is as it was.');

# --- The server is stopped in the middle of a step ---
my @script = steps($node, 'alice', 'bank.accounts', @there);
sub stopped_in
{
    my ($what, $pattern, $until) = @_;
    my $step = (grep { $script[$_] =~ $pattern } 0 .. $#script)[0];
    runs("The steps before $what run.", @script[ 0 .. $step - 1 ]);
    my $session = start_steps($script[$step]);
    ok($node->poll_query_until('postgres', $until), "The server is stopped in the middle of $what.");
    $node->stop('immediate');
    $session->{harness}->finish;
    $node->start;
    is(wrong(1), '0|0|0|0', 'After the restart, every row is as it was before.');
}

# The last batch sleeps.
my $last = $node->safe_psql('postgres', 'SELECT n FROM bank.accounts ORDER BY hashtid(ctid) & 7 DESC, ctid DESC LIMIT 1');
$node->safe_psql('postgres', qq{
    CREATE FUNCTION bank.sleep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1000); RETURN new; END';
    CREATE TRIGGER sleep BEFORE UPDATE ON bank.accounts FOR EACH ROW WHEN (new.n = $last) EXECUTE FUNCTION bank.sleep()});
my $sleeps = q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')};
stopped_in('the backfill', qr/CALL \S+backfill\('bank\.accounts'/, $sleeps);
my $filled = $node->safe_psql('postgres', 'SELECT count(id_shadow) FROM bank.accounts');
cmp_ok($filled, '>', 0, 'Some rows are filled.');
cmp_ok($filled, '<', $accounts, 'Some rows are not filled.');
$node->safe_psql('postgres', 'DROP TRIGGER sleep ON bank.accounts');

my $transaction = start_steps(q{BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM bank.first; SELECT pg_sleep(1000);});
ok($node->poll_query_until('postgres', $sleeps), 'A transaction holds an old snapshot.');
stopped_in('the build of an index', qr/CREATE INDEX CONCURRENTLY IF NOT EXISTS accounts_changed_id_idx_shadow/,
    q{SELECT EXISTS (SELECT FROM pg_stat_progress_create_index WHERE phase = 'waiting for old snapshots')});
$transaction->{harness}->finish;
is($node->safe_psql('postgres', q{SELECT indisvalid FROM pg_index WHERE indexrelid = 'bank.accounts_changed_id_idx_shadow'::regclass}), 'f',
    'The interrupted build leaves an invalid index.');

$node->safe_psql('postgres', q{
    CREATE FUNCTION bank.sleep_in_ddl() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1000); END';
    CREATE EVENT TRIGGER sleep ON ddl_command_end WHEN TAG IN ('ALTER INDEX') EXECUTE FUNCTION bank.sleep_in_ddl()});
stopped_in('the cutover', qr/RENAME COLUMN/, $sleeps);
$node->safe_psql('postgres', 'DROP EVENT TRIGGER sleep');

# --- Somebody holds a lock ---
my $holder = start_steps(q{BEGIN; SELECT count(*) FROM bank.events; SELECT pg_sleep(1000); COMMIT;});
ok($node->poll_query_until('postgres', $sleeps), 'A transaction reads a table of the cutover.');
my $session = start_steps(@script);
my $second = start_steps(grep { /RENAME COLUMN/ } @script);
my $retries = qr/NOTICE:  not all locks were granted within 00:00:00\.1; sessions that use the tables: (?:process \d+(?:, )?)+; retrying/;
pump_until($session->{harness}, IPC::Run::timer($PostgreSQL::Test::Utils::timeout_default), $session->{output}, $retries);
like(${ $session->{output} }, $retries, 'The cutover gives up its locks, says for whom it waits, and retries.');
runs('Others read and write meanwhile.', 'SELECT count(*) FROM bank.accounts WHERE n = 1',
    'UPDATE bank.entries SET account_id = account_id WHERE false');
is($node->safe_psql('postgres', $sleeps), 't', 'The transaction has not ended.');
cancel_sleeper();
$holder->{harness}->finish;
$session->{harness}->finish;
unlike(${ $session->{output} }, qr/ERROR/, 'The cutover gets its locks in the end.');
$second->{harness}->finish;
unlike(${ $second->{output} }, qr/ERROR/, 'Another cutover that waited too sees that it is done.');

# What the statements are to do happens between the look at the condition and the locks.
output_of($node, 'alice', q{
    CREATE TABLE bank.raced ();
    CREATE TABLE bank.may_go_on ();
    CREATE FUNCTION bank.wait() RETURNS boolean LANGUAGE plpgsql AS
        'BEGIN WHILE NOT EXISTS (SELECT FROM bank.may_go_on) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN true; END'});
my $raced = start_steps(q{CALL uuidx_migrate_steps.locked('{bank.raced}', $$(SELECT count(*) = 0 FROM pg_catalog.pg_attribute
    WHERE attrelid = 'bank.raced'::pg_catalog.regclass AND attname = 'done') AND bank.wait()$$,
    'ALTER TABLE bank.raced ADD done pg_catalog.bool', before => 'SELECT')});
ok($node->poll_query_until('postgres', $sleeps), 'A session looks whether statements are due.');
$node->safe_psql('postgres', 'ALTER TABLE bank.raced ADD done bool; INSERT INTO bank.may_go_on DEFAULT VALUES');
$raced->{harness}->finish;
unlike(${ $raced->{output} }, qr/ERROR/, 'It sees that they are not due any more.');
$node->safe_psql('postgres', 'DROP TABLE bank.raced; TRUNCATE bank.may_go_on');
is(wrong(6), '0|0|0|0', 'Every row has version 6 and its reference.');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_constraint WHERE NOT convalidated AND contype = \'f\' AND connamespace = \'bank\'::regnamespace'), '0',
    'Every foreign key is validated.');

# --- Others lock the same tables in another order ---
my $locks = "CALL uuidx_migrate_steps.locked(ARRAY['bank.accounts', 'bank.entries']::regclass[], 'true', 'SELECT 1', mode => 'SHARE ROW EXCLUSIVE', %s);";
$holder = start_steps(q{BEGIN; LOCK TABLE bank.entries IN ROW EXCLUSIVE MODE; SELECT bank.wait(); LOCK TABLE bank.accounts IN ROW EXCLUSIVE MODE; COMMIT;});
ok($node->poll_query_until('postgres', $sleeps), 'A transaction has one of two locks.');
$session = start_steps(sprintf $locks, q{max_wait => '20 ms', pause => '1 hour'});
pump_until($session->{harness}, IPC::Run::timer($PostgreSQL::Test::Utils::timeout_default), $session->{output}, qr/\n/);
like(${ $session->{output} }, qr/not all locks were granted within 00:00:00\.02/, 'The first attempt has waited.');
$node->safe_psql('postgres', 'INSERT INTO bank.may_go_on DEFAULT VALUES');
$holder->{harness}->finish;
$session->{harness}->finish;
unlike(${ $session->{output} }, qr/ERROR/, 'Between two attempts that wait for both, they are taken as soon as they are free.');
$holder = start_steps(q{BEGIN; LOCK TABLE bank.entries IN ROW EXCLUSIVE MODE; SELECT pg_sleep(1000); COMMIT;});
ok($node->poll_query_until('postgres', $sleeps), 'A transaction keeps one of two locks.');
$session = start_steps(sprintf $locks, q{max_wait => '0.3 s', pause => '0.3 s'});
ok($node->poll_query_until('postgres', q{
    SELECT EXISTS (SELECT FROM pg_locks AS w WHERE w.relation = 'bank.entries'::regclass AND NOT w.granted
                   AND NOT EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = w.pid AND l.relation = 'bank.accounts'::regclass))}),
    'Every other attempt asks for it first, and keeps nobody from the other table.');
cancel_sleeper();
$holder->{harness}->finish;
$session->{harness}->finish;
unlike(${ $session->{output} }, qr/ERROR/, 'It gets the locks in the end.');
migrates($node, 'alice', 'bank.accounts', mode => 'finish', 'The old columns are dropped.');
$node->safe_psql('postgres', 'DROP FUNCTION bank.sleep, bank.sleep_in_ddl, bank.wait; DROP TABLE bank.may_go_on');
is(differences($schema, dump_of($node)),
    "-    id uuid DEFAULT keys.uuid_generate_v1() NOT NULL\n+    id uuid DEFAULT keys.uuid_generate_v6() NOT NULL", 'But for the default, everything is as before.');

$node->stop;
done_testing();
