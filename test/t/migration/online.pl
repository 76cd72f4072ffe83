# The online migration: of a whole schema, as the offline one; of a table that serves all the while; and with the
# server stopped in the middle of each kind of step. A script is run again from the top, as it was saved and
# as it is written anew, at every point.

use strict;
use warnings;
use lib 'test/lib';
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Shop;
use Test::More;

my $shop = Shop->new('restart_after_crash = off');
my $node = $shop->{node};
my ($schema, $content, $rows) = ($shop->schema, $shop->content, $shop->joins);
my ($to_v6, $to_v1) = ('v1_to_v6', 'v6_to_v1');

# The statements of a script, and those that finish it.
sub statements
{
    my ($table, $mode, $conversion, @arguments) = @_;
    my $arguments = join ', ', "'$table'", "'id'", "'$mode'", "'$conversion'", @arguments;
    my $output = $shop->query("SELECT sql || E';\\n-- end of step' FROM uuidx_migrate.script($arguments) ORDER BY step");
    return [ split /\n-- end of step\n?/, $output ];
}

sub script
{
    my ($table, $conversion, @arguments) = @_;
    return statements($table, 'online', $conversion, @arguments);
}

sub run_steps
{
    my ($name, @steps) = @_;
    my ($ok, $output, $errors) = $shop->psql(join("\n", 'SET client_min_messages = warning;', 'SET ROLE shop_owner;', @steps),
        '--set=ON_ERROR_STOP=1');
    ok($ok && $errors eq '', $name) or diag($errors);
}

# --- A whole schema ---
my %scripts;
for my $table (@Shop::columns)
{
    $scripts{$table} = script($table, $to_v6);
    run_steps("The script that migrates $table runs.", @{ $scripts{$table} });
    is_deeply(script($table, $to_v6), [], "Nothing is left to do for $table.");
    run_steps("The script of $table does nothing when it is run again.", @{ $scripts{$table} });
    my $finish = statements($table, 'finish', $to_v6);
    run_steps("The old columns of $table are dropped.", @$finish);
    run_steps("Dropping them again does nothing.", @$finish);
}
is($shop->query(q{SELECT count(*) FROM "Mixed Case"."select" WHERE keys.uuid_version("Order") <> 6}), '0',
    'Values that a foreign key NOT VALID never checked are converted.');
ok($shop->content eq $shop->migrated_content($content), 'Every value is uuid_v1_to_v6 of what it was.');
is($shop->joins, $rows, 'Every join returns the same rows.');
is(Shop::sorted($shop->schema), Shop::sorted(Shop::migrated_schema($schema)),
    'Keys, indexes, grants, comments, statistics targets, replica identity and owners are unchanged.');
is($shop->query(q{SELECT count(*) FROM pg_index AS i JOIN pg_attribute AS k ON k.attrelid = i.indexrelid
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.attnum - 1]
        WHERE a.attname <> k.attname}), '0', q{The columns of indexes have the names of their table's columns.});
my ($ok, $output, $errors) = $shop->psql(join "\n", '\set ON_ERROR_STOP 1', @{ $scripts{'shop.orders'} });
like($errors, qr/^ERROR:  column "Order" of table "Mixed Case"\."select" has UUIDs that are not of version 1\n/,
    'A script that is run again after its last step stops at the first.');

for my $table (@Shop::columns)
{
    my $former = $table eq 'shop.orders' ? 'public.uuid_generate_v1mc()' : 'public.uuid_generate_v1()';
    run_steps("The script that migrates $table back runs.", @{ script($table, $to_v1, "new_default => '$former'") });
    run_steps("It is finished.", @{ statements($table, 'finish', $to_v1) });
}
$shop->query('ALTER TABLE ONLY shop.payments_2026 ALTER COLUMN id SET DEFAULT public.uuid_generate_v1mc()');
is(Shop::sorted($shop->schema), Shop::sorted($schema), 'After the undo, the schema is the original one.');
ok($shop->content eq $content, 'After the undo, every value is the original one.');
is($shop->query('SELECT count(*) FROM uuidx_migrate.progress'), '0', 'After the undo, no progress is recorded.');

# --- From the top after every step ---
my @steps = @{ script('shop.orders', $to_v6) };
for my $n (0 .. $#steps)
{
    run_steps("The steps up to number $n run from the top.", @steps[ 0 .. $n ]);
    run_steps('A script that is written anew at that point runs.', @{ script('shop.orders', $to_v6) }) if $n == $#steps - 1;
}
run_steps('The script that undoes the migration runs, and gives back the former default.', @{ script('shop.orders', $to_v1) });
run_steps('The undo is finished.', @{ statements('shop.orders', 'finish', $to_v1) });
is(Shop::sorted($shop->schema), Shop::sorted($schema), 'After the undo, the schema is the original one.');
ok($shop->content eq $content, 'After the undo, every value is the original one.');

# --- Accounts and their entries, while others write ---
my $accounts = $ENV{UUIDX_LONG} ? 500_000 : 50_000;
$shop->query(qq{
    CREATE SCHEMA bank AUTHORIZATION shop_owner;
    SET ROLE shop_owner;
    SET search_path = bank, public;
    CREATE TABLE accounts (id uuid PRIMARY KEY DEFAULT uuid_generate_v1(), n int UNIQUE, changed int DEFAULT 0);
    CREATE INDEX ON accounts (changed, id);
    CREATE TABLE entries (id uuid PRIMARY KEY DEFAULT uuid_generate_v1mc(),
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
my $bank_schema = $shop->schema;

append_to_file($node->basedir . '/write.pgbench', qq{\\set n random(1, $accounts / 2)
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
});

my $file_number = 0;
sub start_steps
{
    my $file = $node->basedir . '/steps' . ++$file_number . '.sql';
    append_to_file($file, join "\n", 'SET ROLE shop_owner;', @_);
    my $output = '';
    return { harness => IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file', $file,
            '--dbname', $node->connstr('postgres') ], '>&', \$output), output => \$output };
}

# Rows in which a column is not of this version, or that refer to none.
sub wrong
{
    my ($version) = @_;
    return $shop->query(qq{
        SELECT (SELECT count(*) FROM bank.accounts WHERE keys.uuid_version(id) <> $version),
               (SELECT count(*) FROM bank.entries AS e LEFT JOIN bank.accounts AS a ON a.id = e.account_id WHERE a.id IS NULL),
               (SELECT count(*) FROM bank.events AS e LEFT JOIN bank.accounts AS a ON a.id = e.account_id WHERE a.id IS NULL),
               (SELECT count(*) FROM bank.accounts JOIN bank.first USING (n)
                WHERE accounts.id <> CASE $version WHEN 1 THEN first.id ELSE keys.uuid_v1_to_v6(first.id) END AND n <= $accounts / 2)});
}

my $written = '';
my $writers = IPC::Run::start([ 'pgbench', '--no-vacuum', '--client=3', '--jobs=2', '--time=1000', '--protocol=prepared',
        '--file', $node->basedir . '/write.pgbench', $node->connstr('postgres') ], '>&', \$written);
run_steps('A script runs while others write.', @{ script('bank.accounts', $to_v6) });
$writers->pump_nb;
ok($writers->pumpable, 'The others write until its end.');
$writers->signal('ALRM'); # which is how pgbench's time ends
$writers->finish;
like($written, qr/number of transactions actually processed: [1-9]/, 'The others have written.');
unlike($written, qr/error|abort/i, 'No statement of the others fails.');
note($written);
is(wrong(6), '0|0|0|0', 'Every row has version 6 and its reference.');
run_steps('The script that undoes the migration runs.', @{ script('bank.accounts', $to_v1) });
run_steps('The undo is finished.', @{ statements('bank.accounts', 'finish', $to_v1) });
is(wrong(1), '0|0|0|0', 'Every row is as it was.');
is(Shop::sorted($shop->schema), Shop::sorted($bank_schema), 'The schema is as it was.');

# --- The server is stopped in the middle of a step ---
my $script = script('bank.accounts', $to_v6);
sub stopped_in
{
    my ($what, $pattern, $until) = @_;
    my $step = (grep { $script->[$_] =~ $pattern } 0 .. $#$script)[0];
    run_steps("The steps before $what run.", @$script[ 0 .. $step - 1 ]);
    my $session = start_steps($script->[$step]);
    ok($node->poll_query_until('postgres', $until), "The server is stopped in the middle of $what.");
    $node->stop('immediate');
    $session->{harness}->finish;
    $node->start;
    is(wrong(1), '0|0|0|0', 'After the restart, every row is as it was before.');
}

# The last batch sleeps.
my $last = $shop->query('SELECT n FROM bank.accounts ORDER BY hashtid(ctid) & 7 DESC, ctid DESC LIMIT 1');
$shop->query(qq{
    CREATE FUNCTION bank.sleep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1000); RETURN new; END';
    CREATE TRIGGER sleep BEFORE UPDATE ON bank.accounts FOR EACH ROW WHEN (new.n = $last) EXECUTE FUNCTION bank.sleep()});
my $sleeps = q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')};
stopped_in('the backfill', qr/CALL \S+backfill\('bank\.accounts'/, $sleeps);
my $filled = $shop->query('SELECT count(id_shadow) FROM bank.accounts');
cmp_ok($filled, '>', 0, 'Some rows are filled.');
cmp_ok($filled, '<', $accounts, 'Some rows are not filled.');
$shop->query('DROP TRIGGER sleep ON bank.accounts');

my $transaction = start_steps(q{BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM bank.first; SELECT pg_sleep(1000);});
ok($node->poll_query_until('postgres', $sleeps), 'A transaction holds an old snapshot.');
stopped_in('the build of an index', qr/CREATE INDEX CONCURRENTLY IF NOT EXISTS accounts_changed_id_idx_shadow/,
    q{SELECT EXISTS (SELECT FROM pg_stat_progress_create_index WHERE phase = 'waiting for old snapshots')});
$transaction->{harness}->finish;
is($shop->query(q{SELECT indisvalid FROM pg_index WHERE indexrelid = 'bank.accounts_changed_id_idx_shadow'::regclass}), 'f',
    'The interrupted build leaves an invalid index.');

$shop->query(q{
    CREATE FUNCTION bank.sleep_in_ddl() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1000); END';
    CREATE EVENT TRIGGER sleep ON ddl_command_end WHEN TAG IN ('ALTER INDEX') EXECUTE FUNCTION bank.sleep_in_ddl()});
stopped_in('the exchange', qr/RENAME COLUMN/, $sleeps);
$shop->query('DROP EVENT TRIGGER sleep');

# --- Somebody holds a lock ---
my $holder = start_steps(q{BEGIN; SELECT count(*) FROM bank.events; SELECT pg_sleep(1000); COMMIT;});
ok($node->poll_query_until('postgres', $sleeps), 'A transaction reads a table of the exchange.');
my $session = start_steps(@$script);
my $second = start_steps(grep { /RENAME COLUMN/ } @$script);
my $retries = qr/NOTICE:  not all locks were granted within 00:00:00\.1; sessions that use the tables: [\d, ]+; retrying/;
pump_until($session->{harness}, IPC::Run::timer(180), $session->{output}, $retries);
like(${ $session->{output} }, $retries, 'The exchange gives up its locks, says for whom it waits, and retries.');
my ($ok_read, $output_read, $errors_read) = $shop->psql('SELECT count(*) FROM bank.accounts WHERE n = 1; UPDATE bank.entries SET account_id = account_id WHERE false');
ok($ok_read, 'Others read and write meanwhile.') or diag($errors_read);
is($shop->query($sleeps), 't', 'The transaction has not ended.');
$shop->query(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%pg_sleep(1000)%' AND pid <> pg_backend_pid()});
$holder->{harness}->finish;
$session->{harness}->finish;
unlike(${ $session->{output} }, qr/ERROR/, 'The exchange gets its locks in the end.');
$second->{harness}->finish;
unlike(${ $second->{output} }, qr/ERROR/, 'Another exchange that waited too sees that it is done.');
is(wrong(6), '0|0|0|0', 'Every row has version 6 and its reference.');
is($shop->query('SELECT count(*) FROM pg_constraint WHERE NOT convalidated AND contype = \'f\' AND connamespace = \'bank\'::regnamespace'), '0',
    'Every foreign key is validated.');

# --- Others lock the same tables in another order ---
my $locks = "CALL uuidx_migrate.locked(ARRAY['bank.accounts', 'bank.entries']::regclass[], 'true', 'SELECT 1', mode => 'SHARE ROW EXCLUSIVE', %s);";
$holder = start_steps(q{BEGIN; LOCK TABLE bank.entries IN ROW EXCLUSIVE MODE; SELECT pg_sleep(1); LOCK TABLE bank.accounts IN ROW EXCLUSIVE MODE; COMMIT;});
ok($node->poll_query_until('postgres', $sleeps), 'A transaction has one of two locks.');
my ($ok_locked, $output_locked, $errors_locked) = $shop->psql("SET statement_timeout = '60 s'; SET client_min_messages = notice;\n" . sprintf $locks, q{max_wait => '20 ms', pause => '1 hour'});
ok($ok_locked, 'Between two attempts that wait for both, they are taken as soon as they are free.') or diag($errors_locked);
like($errors_locked, qr/not all locks were granted within 00:00:00\.02/, 'The first attempt has waited.');
$holder->{harness}->finish;
$holder = start_steps(q{BEGIN; LOCK TABLE bank.entries IN ROW EXCLUSIVE MODE; SELECT pg_sleep(1000); COMMIT;});
ok($node->poll_query_until('postgres', $sleeps), 'A transaction keeps one of two locks.');
$session = start_steps(sprintf $locks, q{max_wait => '0.3 s', pause => '0.3 s'});
ok($node->poll_query_until('postgres', q{
    SELECT EXISTS (SELECT FROM pg_locks AS w WHERE w.relation = 'bank.entries'::regclass AND NOT w.granted
                   AND NOT EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = w.pid AND l.relation = 'bank.accounts'::regclass))}),
    'Every other attempt asks for it first, and keeps nobody from the other table.');
$shop->query(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%pg_sleep(1000)%' AND pid <> pg_backend_pid()});
$holder->{harness}->finish;
$session->{harness}->finish;
unlike(${ $session->{output} }, qr/ERROR/, 'It gets the locks in the end.');
run_steps('The old columns are dropped.', @{ statements('bank.accounts', 'finish', $to_v6) });
$shop->query('DROP FUNCTION bank.sleep, bank.sleep_in_ddl');
$bank_schema =~ s/(CREATE TABLE bank\.accounts .*?DEFAULT )public\.uuid_generate_v1\(\)/$1keys.uuid_generate_v6()/s;
is(Shop::sorted($shop->schema), Shop::sorted($bank_schema), 'Everything else is as before.');

done_testing();
