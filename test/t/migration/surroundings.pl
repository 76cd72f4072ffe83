# What surrounds a migration: triggers, transactions, progress, defaults, clients, uuidx itself, and readers in a database of
# many tables.

use strict;
use warnings;
use lib 'test/lib';
use IPC::Run ();
use Migrations;
use Others;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('main', 'max_prepared_transactions = 1');
my %back = (conversion => 'v6_to_v1', new_default => 'keys.uuid_generate_v1()');

# Makes a table of alice with this many rows of version 1.
sub make_table
{
    my ($name, $rows, $columns) = @_;
    output_of($node, 'alice', "CREATE TABLE alice.$name (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int $columns);
        INSERT INTO alice.$name (n) SELECT generate_series(1, $rows); ANALYZE alice.$name");
    return;
}

# The versions of the UUIDs in a column
sub versions
{
    my ($table, $column) = @_;
    return $node->safe_psql('postgres', "SELECT string_agg(DISTINCT keys.uuid_version($column)::text, ',') FROM alice.$table");
}

# The default of the column id
sub default_of
{
    my ($table) = @_;
    return $node->safe_psql('postgres', "SELECT pg_get_expr(d.adbin, d.adrelid)
        FROM pg_attrdef AS d JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
        WHERE d.adrelid = 'alice.$table'::regclass AND a.attname = 'id'");
}

# --- A trigger keeps the backfill from changing rows ---
make_table('skipped', 1000, '');
output_of($node, 'alice', q{
    CREATE FUNCTION alice.skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN CASE WHEN new.n % 10 <> 0 THEN new END; END';
    CREATE TRIGGER skip BEFORE UPDATE ON alice.skipped FOR EACH ROW EXECUTE FUNCTION alice.skip()});
my $run = session($node, 'alice', join ";\n", q{SET statement_timeout = '60s'}, steps($node, 'alice', 'alice.skipped', mode => 'online'));
fails_with($run, '55000', qr/skipped/, 'A backfill whose updates a trigger skips ends with an error.');
my ($row) = $run->{messages} =~ /(\(\d+,\d+\)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/;
$row //= '';
is(output_of($node, 'alice', "SELECT n % 10 FROM alice.skipped WHERE '$row' IN (ctid::text, id::text)"), '0', 'The error names such a row.');
output_of($node, 'alice', 'DROP TRIGGER skip ON alice.skipped');
migrates($node, 'alice', 'alice.skipped', mode => 'online', 'Without the trigger, the script goes on from there.');
is(versions('skipped', 'id'), '6', 'Every row is converted.');

# --- Triggers that the backfill fires ---
$node->safe_psql('postgres', q{
    CREATE SCHEMA tools;
    GRANT USAGE ON SCHEMA tools TO PUBLIC;
    CREATE FUNCTION tools.touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.updated_at := now(); RETURN new; END';
    CREATE FUNCTION tools.audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO alice.audit VALUES (tg_relid); RETURN NULL; END'});
output_of($node, 'alice', 'CREATE TABLE alice.audit (relation regclass)');
for my $table ('stamped', 'unstamped', 'granted')
{
    make_table($table, 500, q{, updated_at timestamptz DEFAULT '2020-02-02'});
    output_of($node, 'alice', "CREATE TRIGGER touch BEFORE UPDATE ON alice.$table FOR EACH ROW EXECUTE FUNCTION tools.touch();
        CREATE TRIGGER audit AFTER UPDATE ON alice.$table FOR EACH ROW EXECUTE FUNCTION tools.audit()");
}

# How many rows the triggers have changed and logged
sub fired
{
    my ($table) = @_;
    return $node->safe_psql('postgres', "SELECT (SELECT count(*) FROM alice.$table WHERE updated_at <> '2020-02-02'),
        (SELECT count(*) FROM alice.audit WHERE relation = 'alice.$table'::regclass)");
}
like(output_of($node, 'alice', q{SELECT remarks::text FROM uuidx_migrate.plan('alice.stamped', 'id', conversion => 'v1_to_v6')}),
    qr/\btouch\b.*\baudit\b|\baudit\b.*\btouch\b/, 'The plan names the triggers that the backfill fires.');
migrates($node, 'alice', 'alice.stamped', mode => 'online', 'The backfill of a table with triggers');
is(fired('stamped'), '500|500', 'fires them.');
$run = session($node, 'dba', join ";\n", steps($node, 'dba', 'alice.unstamped', mode => 'online', fire_triggers => 'false', trust_owners => 'true'), 'SHOW session_replication_role');
is($run->{state}, '', 'With fire_triggers => false it') or diag($run->{messages});
is(fired('unstamped'), '0|0', 'does not fire them.');
is(versions('unstamped', 'id'), '6', 'Every row is converted.');
like($run->{output}, qr/^origin$/m, 'In the session, triggers fire again.');
fails_with(written($node, 'alice', 'alice.granted', mode => 'online', fire_triggers => 'false'), '42501', qr/session_replication_role/,
    'A role that may not set session_replication_role gets no such script.');
if ($node->safe_psql('postgres', q{SELECT to_regclass('pg_catalog.pg_parameter_acl')}))
{
    $node->safe_psql('postgres', 'GRANT SET ON PARAMETER session_replication_role TO alice');
    migrates($node, 'alice', 'alice.granted', mode => 'online', fire_triggers => 'false', 'A role that may set it runs such a script,');
    is(fired('granted'), '0|0', 'which fires no trigger.');
    $node->safe_psql('postgres', 'REVOKE SET ON PARAMETER session_replication_role FROM alice');
}

# --- Indexes and privileges ---
# What CREATE INDEX and GRANT can say, and the settings of the session that runs the script do not
mkdir $node->basedir . '/slow' or die;
my $nulls = $node->safe_psql('postgres', q{SELECT 'NULLS NOT DISTINCT' FROM pg_attribute WHERE attrelid = 'pg_index'::regclass AND attname = 'indnullsnotdistinct'});
$node->safe_psql('postgres', q{CREATE TABLESPACE slow LOCATION '} . $node->basedir . q{/slow'});
$node->safe_psql('postgres', 'GRANT CREATE ON TABLESPACE slow TO alice');
output_of($node, 'alice', qq{
    SET search_path = alice;
    CREATE TABLE places (id uuid PRIMARY KEY USING INDEX TABLESPACE slow, name text COLLATE "C", n int, UNIQUE $nulls (id, n));
    CREATE INDEX places_of_name ON places (name COLLATE "POSIX" text_pattern_ops DESC, id NULLS FIRST) INCLUDE (n) WITH (fillfactor = 70) TABLESPACE slow;
    CREATE INDEX fast ON places (n, id);
    CREATE UNIQUE INDEX one ON places (n, id) $nulls WHERE name IS NULL;
    CREATE MATERIALIZED VIEW names AS SELECT id, name FROM places;
    CREATE TABLE halls (place_id uuid REFERENCES places, n int, UNIQUE (place_id, n) WITH (fillfactor = 60) USING INDEX TABLESPACE slow) PARTITION BY LIST (n);
    CREATE TABLE halls_1 PARTITION OF halls FOR VALUES IN (1);
    GRANT SELECT (id), UPDATE (id) ON places TO bob WITH GRANT OPTION;
    GRANT SELECT ON names TO bob WITH GRANT OPTION;
    GRANT UPDATE (id) ON places TO mallory});
sub places
{
    return join "\n", $node->safe_psql('postgres',
        q{SELECT c.relname, t.spcname FROM pg_class AS c LEFT JOIN pg_tablespace AS t ON t.oid = c.reltablespace WHERE c.relname !~ '^pg_toast'}),
        grep { !/^SET default_tablespace/ } split /\n/, dump_of($node);
}
my $before = places();
for my $mode ('online', 'finish', 'offline')
{
    if ($mode eq 'offline')
    {
        output_of($node, 'alice', q{
            SET search_path = alice;
            ALTER TABLE places ADD link text GENERATED ALWAYS AS ('/' || id) STORED NOT NULL;
            ALTER TABLE places ADD CONSTRAINT of_link UNIQUE (link) WITH (fillfactor = 60) DEFERRABLE INITIALLY DEFERRED,
                ADD CONSTRAINT other_link EXCLUDE (link WITH =) WITH (fillfactor = 50) WHERE (n > 0),
                ADD CONSTRAINT slow_constraint EXCLUDE (link WITH =) USING INDEX TABLESPACE slow WHERE (n > 0 OR n < 0) DEFERRABLE;
            CREATE INDEX slow_link ON places (n) WITH (fillfactor = 80) TABLESPACE slow WHERE link <> '';
            CREATE INDEX fast_link ON places USING hash (link)});
        $before = places();
    }
    is(session($node, 'alice', 'SET default_tablespace = slow; SELECT sql FROM ' . script_call('alice.places', mode => $mode, ($mode eq 'offline' ? (conversion => 'v6_to_v1') : ()))
            . ' ORDER BY step \gexec')->{state}, '', "A table is migrated, $mode.");
    is(differences($before, places()), '', "Its indexes and privileges are what they were, $mode.") if $mode ne 'online';
}

# --- Tablespaces ---
$node->safe_psql('postgres', 'REVOKE CREATE ON TABLESPACE slow FROM alice');
output_of($node, 'alice', 'ALTER INDEX alice.halls_1_place_id_n_key SET TABLESPACE pg_default');
is(output_of($node, 'alice', q{SELECT DISTINCT concat_ws(': ', o, h) FROM uuidx_migrate.plan('alice.places', 'id', conversion => 'v1_to_v6'), unnest(obstacles, hints) AS u (o, h)
        WHERE o LIKE '%tablespace%' ORDER BY 1}),
    "offline: index halls_1_place_id_n_key of a partition has a tablespace of its own, which would be lost: Use the online mode, or set it again afterwards.\n"
        . 'online: you may not create indexes in tablespace slow: Grant CREATE on the tablespace.', 'A tablespace may be in the way of each mode.');

# --- Transactions ---
make_table('dry', 50, '');
output_of($node, 'alice', 'CREATE TABLE alice.dry_lines (dry_id uuid REFERENCES alice.dry); INSERT INTO alice.dry_lines SELECT id FROM alice.dry');
my $dump = dump_of($node);
my $script = 'SELECT sql FROM ' . script_call('alice.dry', mode => 'offline');
for my $on_error_stop (1, 0)
{
    $run = session($node, 'alice', "BEGIN;\n$script ORDER BY step \\gexec\nROLLBACK", on_error_stop => $on_error_stop);
    fails_with($run, '25001', qr/transaction block/, 'An offline script within a transaction ends with an error.');
    is(versions('dry', 'id'), '1', 'It converts no row.');
    is(differences($dump, dump_of($node)), '', 'It changes nothing else.');
}

# Whatever psql does about an error in it, a script changes all or nothing.
my $offline = join ';', steps($node, 'alice', 'alice.dry', mode => 'offline');
for my $case (
    [ 'An error in its last statement', $offline =~ s/\n(?=\$do\$::)/;\nSELECT 1 \/ 0\n/r, '22012', qr/division by zero/ ],
    [ 'A foreign key that is new', $offline, '55000', qr/not the one that is needed/,
        'CREATE TABLE alice.late (dry_id uuid REFERENCES alice.dry); INSERT INTO alice.late SELECT id FROM alice.dry' ])
{
    my ($what, $statement, $state, $pattern, $change) = @$case;
    output_of($node, 'alice', $change) if $change;
    $dump = dump_of($node);
    fails_with(session($node, 'alice', "\\set ON_ERROR_ROLLBACK on\n$statement;", on_error_stop => 0), $state, $pattern, "$what ends an offline script.");
    is(versions('dry', 'id') . versions('dry_lines', 'dry_id'), '11', 'It converts no row.');
    is(differences($dump, dump_of($node)), '', 'It changes nothing else.');
}

# --- Others that have no session to look for, or no object to be seen ---
make_table('prepared', 10, '');
output_of($node, 'alice', q{CREATE TABLE alice.parts (n int) PARTITION BY LIST (n); CREATE TABLE alice.part PARTITION OF alice.parts DEFAULT;
    BEGIN; UPDATE alice.prepared SET n = 1 WHERE n = 1; INSERT INTO alice.part VALUES (1); PREPARE TRANSACTION 'a bank''s'});
my ($shadow) = grep { /ADD COLUMN/ } steps($node, 'alice', 'alice.prepared', mode => 'online');
$run = session($node, 'alice', "SET client_min_messages = notice; SET statement_timeout = '10s'; $shadow");
fails_with($run, '57014', qr/statement timeout/, 'A step waits for a prepared transaction.');
like($run->{messages}, qr/prepared transaction 'a bank''s'; retrying/, 'It says for which one.');
is(output_of($node, 'alice', "SELECT uuidx_migrate_steps.lockers('{alice.$_}')"), q{sessions that use the tables: prepared transaction 'a bank''s'}, "It also would for $_.")
    for 'parts', 'part';
output_of($node, 'alice', q{ROLLBACK PREPARED 'a bank''s'});

make_table('built', 10, '');
# The server releases the table before the transaction ends that makes an index valid.
my @online = steps($node, 'alice', 'alice.built', mode => 'online');
my ($build) = grep { $online[$_] =~ /CONCURRENTLY/ } 0 .. $#online;
output_of($node, 'alice', join ";\n", @online[ 0 .. $build ]);
my $marks = q{UPDATE pg_index SET indisvalid = %s WHERE indexrelid = 'alice.built_pkey_shadow'::regclass};
$node->safe_psql('postgres', sprintf "$marks; BEGIN; $marks; PREPARE TRANSACTION 'a build'", 'false', 'true');
output_of($node, 'alice', "SET statement_timeout = '60s'; $online[ $build - 1 ]");
$node->safe_psql('postgres', q{COMMIT PREPARED 'a build'});
is($node->safe_psql('postgres', q{SELECT indisvalid FROM pg_index WHERE indexrelid = 'alice.built_pkey_shadow'::regclass}), 't',
    'An index whose build is about to end is not dropped.');

my $analyst = $node->background_psql('postgres', extra_params => [ '--username', 'alice' ]);
for my $reader ([ 'view', 'mine AS SELECT id FROM alice.prepared' ],
    [ 'function', 'pg_temp.mine() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(id) FROM alice.prepared; END' ])
{
    my ($kind, $definition) = @$reader;
    $analyst->query_safe('CREATE ' . ($kind eq 'view' ? 'TEMPORARY ' : '') . "$kind $definition");
    fails_with(written($node, 'alice', 'alice.prepared', mode => $_), '55000', qr/$kind \S+mine(?:\(\))?, which is temporary, belongs to another session: Have that session drop it, or end\./,
        "A temporary $kind of another session is in the way: $_.") for qw(online offline);
}
$analyst->query_safe('DROP VIEW mine; DROP FUNCTION pg_temp.mine');
$analyst->quit;
migrates($node, 'alice', 'alice.prepared', mode => 'online', 'Without it, the script runs.');

# A property graph is not made again. PostgreSQL 19 had them in a beta.
if ($node->safe_psql('postgres', q{SELECT to_regclass('pg_catalog.pg_propgraph_element')}))
{
    make_table('graphed', 10, '');
    output_of($node, 'alice', 'CREATE PROPERTY GRAPH alice.graph VERTEX TABLES (alice.graphed KEY (id))');
    fails_with(written($node, 'alice', 'alice.graphed', mode => $_), '55000', qr/property graph \S*graph depends on the column: Drop it, and create it again afterwards\./,
        "A property graph is in the way: $_.") for qw(online offline);
    output_of($node, 'alice', 'DROP PROPERTY GRAPH alice.graph');
}

# An autovacuum would take as long as the table is large: the server ends it for whoever waits.
make_table('vacuumed', 20000, ') WITH (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1, autovacuum_vacuum_threshold = 0');
output_of($node, 'alice', 'UPDATE alice.vacuumed SET n = n');
$node->safe_psql('postgres', $_) for 'ALTER SYSTEM SET autovacuum = on', q{ALTER SYSTEM SET autovacuum_naptime = '1s'}, 'SELECT pg_reload_conf()';
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_progress_vacuum WHERE relid = 'alice.vacuumed'::regclass}),
    'An autovacuum is under way.');
($shadow) = grep { /ADD COLUMN/ } steps($node, 'alice', 'alice.vacuumed', mode => 'online');
my $log = -s $node->logfile;
output_of($node, 'alice', "SET statement_timeout = '120s'; $shadow");
like(slurp_file($node->logfile, $log), qr/ERROR:  canceling autovacuum task/, 'The script has the server end it.');
$node->safe_psql('postgres', $_) for 'ALTER SYSTEM RESET ALL', 'SELECT pg_reload_conf()';

# --- A transaction writes while an offline script waits for its locks ---
# run_beside_writer(SETTING, COMMITS): what a script that begins with this setting says, while a transaction has inserted
# a row. That commits as soon as the script waits for it, or, without COMMITS, when the script has ended.
sub run_beside_writer
{
    my ($setting, $commits) = @_;
    output_of($node, 'alice', q{
        DROP TABLE IF EXISTS alice.waiting, alice.waiting_lines, alice.waiting_id_former;
        CREATE TABLE alice.waiting (id uuid PRIMARY KEY, created timestamptz NOT NULL DEFAULT now());
        CREATE TABLE alice.waiting_lines (waiting_id uuid REFERENCES alice.waiting);
        INSERT INTO alice.waiting VALUES (gen_random_uuid())});
    my $writer = $node->background_psql('postgres', extra_params => [ '--username', 'alice' ]);
    $writer->query_safe(q{
        BEGIN;
        WITH new AS (INSERT INTO alice.waiting VALUES (gen_random_uuid()) RETURNING id)
        INSERT INTO alice.waiting_lines SELECT id FROM new});
    my $file = $node->basedir . '/beside_writer.sql';
    unlink $file;
    append_to_file($file, "$setting;\nSELECT sql FROM " . script_call('alice.waiting', conversion => 'to_v7', created => 'created') . " ORDER BY step \\gexec\n");
    my $messages = '';
    my $script = IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--username=alice', '--set=VERBOSITY=verbose', '--file', $file, '--dbname', $node->connstr('postgres') ], '>&', \$messages);
    if ($commits)
    {
        ok($node->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted)}), 'A script waits for a transaction.');
        $writer->query_safe('COMMIT');
    }
    $script->finish;
    $writer->query_safe('COMMIT') if !$commits;
    $writer->quit;
    return $messages;
}
my $of_all = q{
    SELECT string_agg(DISTINCT format('%s %s', keys.uuid_version(w.id), l.waiting_id IS NULL), ', ')
    FROM alice.waiting AS w LEFT JOIN alice.waiting_lines AS l ON l.waiting_id = w.id};
unlike(run_beside_writer(q{SET default_transaction_isolation = 'repeatable read'}, 1), qr/ERROR/, 'Under REPEATABLE READ, the script ends without an error.');
is($node->safe_psql('postgres', $of_all), '7 f, 7 t', 'The row of the transaction gets its key, and so does what references it.');
like(run_beside_writer(q{SET lock_timeout = '200ms'}, 0), qr/ERROR:  55P03/, 'The lock_timeout of the session ends a script.');
is($node->safe_psql('postgres', $of_all), '4 f, 4 t', 'It converts no row.');

# The script has locked the first table when the reader of the second one waits for the first.
$node->safe_psql('postgres', q{ALTER ROLE alice SET deadlock_timeout = '5s'});
my $reader = IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--username=dba', '--dbname', $node->connstr('postgres'), '--command', q{
    SET deadlock_timeout = '10min';
    SELECT count(*) FROM alice.waiting_lines;
    DO $$
    BEGIN
        WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP
            PERFORM pg_sleep(0.01);
        END LOOP;
    END $$;
    SELECT count(*) FROM alice.waiting} ]);
ok($node->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')}), 'A transaction reads a table.');
$run = session($node, 'alice', 'SET client_min_messages = notice; SELECT sql FROM ' . script_call('alice.waiting', conversion => 'to_v7', created => 'created') . ' \gexec');
ok($reader->finish, 'A script lets the transaction go on in a deadlock,');
like($run->{messages}, qr/not all locks were granted because of a deadlock; .*; retrying/, 'says so,');
is($run->{state} . $node->safe_psql('postgres', $of_all), '7 f, 7 t', 'and migrates the table afterwards.');
$node->safe_psql('postgres', 'ALTER ROLE alice RESET deadlock_timeout');
output_of($node, 'alice', 'DROP TABLE alice.waiting, alice.waiting_lines, alice.waiting_id_former, alice.late');

$dump = dump_of($node);
output_of($node, 'alice', q{INSERT INTO alice.dry VALUES ('919108f7-52d1-4320-9bac-f847db4148a8')});
fails_with(migrate($node, 'alice', 'alice.dry', mode => 'offline'), '22023',
    qr/has UUIDs that are not of version 1\nDETAIL:  Their number is 1; one of them is "919108f7-52d1-4320-9bac-f847db4148a8"\./,
    'A value of another version ends it, too.');
is(differences($dump, dump_of($node)), '', 'It changes nothing.');
output_of($node, 'alice', q{DELETE FROM alice.dry WHERE id = '919108f7-52d1-4320-9bac-f847db4148a8'});

# Each CALL of an online script in a transaction block, and then outside of it
my @steps = steps($node, 'alice', 'alice.dry', mode => 'online');
for my $step (@steps)
{
    if (my ($procedure) = $step =~ /^CALL uuidx_migrate_steps\.(\w+)/m)
    {
        fails_with(session($node, 'alice', "BEGIN; $step; COMMIT"), '25001', qr/$procedure.*transaction block|transaction block.*$procedure/,
            "CALL $procedure within a transaction ends with an error.");
    }
    is(session($node, 'alice', $step)->{state}, '', 'The step runs outside of it.');
}
is(versions('dry', 'id'), '6', 'Every row is converted.');
$dump = dump_of($node);
session($node, 'alice', join ";\n", @steps);
is(differences($dump, dump_of($node)), "+CREATE UNIQUE INDEX dry_pkey_shadow ON alice.dry USING btree (id_shadow);",
    "After its cutover, a saved script that runs again builds an index that goes with the old column, and nothing else.");
migrates($node, 'alice', 'alice.dry', mode => 'finish', 'The old columns are dropped.');

# --- Progress ---
make_table('counted', 1000, '');
output_of($node, 'alice', q{
    CREATE TABLE alice.seen (rows_filled bigint);
    CREATE FUNCTION alice.see() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO alice.seen SELECT p.rows_filled FROM uuidx_migrate.progress AS p WHERE p.relation = tg_relid; RETURN NULL; END';
    CREATE TRIGGER see AFTER UPDATE ON alice.counted FOR EACH ROW WHEN (new.n % 100 = 0) EXECUTE FUNCTION alice.see()});
for my $way ({}, {%back})
{
    # In batches of a block each
    @steps = map { s/, batch_rows => \d+//r =~ s/(CALL uuidx_migrate_steps\.backfill\([^;]*)\)/$1, batch_rows => 200)/r }
        steps($node, 'alice', 'alice.counted', mode => 'online', %$way);
    output_of($node, 'alice', 'TRUNCATE alice.seen');
    $run = session($node, 'alice', join ";\n", @steps);
    is($run->{state}, '', 'A script fills the table in batches.') or diag($run->{messages});
    is($node->safe_psql('postgres', 'SELECT count(*) > 3, min(rows_filled) = 0, max(rows_filled) BETWEEN 100 AND 999 FROM alice.seen'), 't|t|t',
        'progress counts the rows of this backfill.');
    is($node->safe_psql('postgres', 'SELECT count(*) FROM uuidx_migrate.progress'), '0', 'After it, progress is empty.');
    migrates($node, 'alice', 'alice.counted', mode => 'finish', %$way, 'The old columns are dropped.');
}

# --- Defaults ---
make_table('defaulted', 10, ', replaces uuid REFERENCES alice.defaulted');
for my $mode ('offline', 'online')
{
    migrates($node, 'alice', 'alice.defaulted', mode => $mode, new_default => 'keys.uuid_generate_v7()', "A script sets the default new_default, $mode.");
    is(default_of('defaulted'), 'keys.uuid_generate_v7()', 'The column has it.');
    is(versions('defaulted', 'id'), '6', 'The rows are converted.');
    migrates($node, 'alice', 'alice.defaulted', mode => 'finish', 'The old columns are dropped.') if $mode eq 'online';
    migrates($node, 'alice', 'alice.defaulted', %back, 'The undo sets it too.');
    is(default_of('defaulted'), 'keys.uuid_generate_v1()', 'The column has the former default.');
}
migrates($node, 'alice', 'alice.defaulted', mode => 'offline', 'A script sets the default that generates version 6.');
is(default_of('defaulted'), 'keys.uuid_generate_v6()', 'The column has it.');
fails_with(written($node, 'alice', 'alice.defaulted', conversion => 'v6_to_v1'), '55000', qr/uuid_generate_v6(?s:.*)new_default/,
    'To undo that without new_default is an error, which says so.');
migrates($node, 'alice', 'alice.defaulted', %back, 'With new_default, it is undone.');
migrates($node, 'alice', 'alice.defaulted', mode => 'online', 'After an online cutover,');
migrates($node, 'alice', 'alice.defaulted', mode => 'online', conversion => 'v6_to_v1', 'the undo needs no new_default:');
is(default_of('defaulted'), 'keys.uuid_generate_v1()', 'the former default comes back from the old column.');
migrates($node, 'alice', 'alice.defaulted', mode => 'finish', conversion => 'v6_to_v1', 'The old columns are dropped.');

# --- Clients that know the old values ---
make_table('clients', 10, '');
output_of($node, 'alice', q{
    CREATE TABLE alice.client_orders (n int, client_id uuid REFERENCES alice.clients);
    INSERT INTO alice.client_orders SELECT n, id FROM alice.clients;
    CREATE TABLE alice.known AS SELECT n, id AS v1, keys.uuid_v1_to_v6(id) AS v6 FROM alice.clients});

# Clients write UUIDs of one version, and find those of another in their place.
sub clients_write
{
    my ($version, $stored) = @_;
    $run = session($node, 'alice', qq{
        BEGIN;
        DELETE FROM alice.client_orders WHERE n <= 5;
        INSERT INTO alice.client_orders (n, client_id) SELECT n, v$version FROM alice.known WHERE n <= 5;
        UPDATE alice.client_orders AS o SET client_id = k.v$version FROM alice.known AS k WHERE k.n = o.n AND o.n > 7;
        INSERT INTO alice.client_orders (n, client_id) VALUES (12, NULL);
        DELETE FROM alice.clients WHERE n = 11;
        INSERT INTO alice.clients (id, n) SELECT CASE $version WHEN 1 THEN keys.uuid_generate_v1() ELSE keys.uuid_generate_v6() END, 11;
        COMMIT});
    is($run->{state}, '', "Clients write UUIDs of version $version.") or diag($run->{messages});
    is(versions('clients', 'id') . versions('client_orders', 'client_id'), "$stored$stored", "They are stored as version $stored.");
    is($node->safe_psql('postgres', "SELECT count(*) FROM alice.client_orders AS o JOIN alice.known AS k ON k.n = o.n AND k.v$stored = o.client_id"), '10',
        'Each reference is to the same row.');
    return;
}
migrates($node, 'alice', 'alice.clients', mode => 'online', 'A table and its references are migrated online.');
clients_write(1, 6);
clients_write(6, 6);
migrates($node, 'alice', 'alice.clients', mode => 'online', conversion => 'v6_to_v1', 'They are migrated back online.');
clients_write(1, 1);
clients_write(6, 1);
migrates($node, 'alice', 'alice.clients', mode => 'finish', conversion => 'v6_to_v1', 'The old columns are dropped.');
fails_with(session($node, 'alice', 'INSERT INTO alice.client_orders (n, client_id) SELECT n, v6 FROM alice.known'), '23503', qr/client_orders/,
    'After that, nothing is converted.');

# --- uuidx moves to another schema ---
$node->safe_psql('postgres', 'CREATE SCHEMA moved; GRANT USAGE ON SCHEMA moved TO PUBLIC');
make_table('moving', 100, ', replaces uuid REFERENCES alice.moving');
output_of($node, 'alice', 'CREATE INDEX ON alice.moving (n, id)');
$node->safe_psql('postgres', 'ALTER EXTENSION uuidx SET SCHEMA moved');
migrates($node, 'alice', 'alice.moving', mode => 'offline', 'After uuidx was moved to another schema, a table is migrated offline,');
is(default_of('moving'), 'moved.uuid_generate_v6()', 'and its default is the function there.');
@steps = steps($node, 'alice', 'alice.moving', mode => 'online', %back);
my ($half) = grep { $steps[$_] =~ /^CREATE .*INDEX/m } 0 .. $#steps;
$run = session($node, 'alice', join ";\n", @steps[ 0 .. $half ]);
is($run->{state}, '', 'A script runs to the first index.') or diag($run->{messages});
$node->safe_psql('postgres', 'ALTER EXTENSION uuidx SET SCHEMA keys');
session($node, 'alice', join ";\n", @steps[ $half + 1 .. $#steps ]);
migrates($node, 'alice', 'alice.moving', mode => 'online', %back, 'After uuidx was moved in the middle of an online script, one that is written anew ends it.');
is(versions('moving', 'id'), '1', 'Every row is converted.');
$node->safe_psql('postgres', 'ALTER EXTENSION uuidx SET SCHEMA moved');
output_of($node, 'alice', 'INSERT INTO alice.moving (n) VALUES (101)');
migrates($node, 'alice', 'alice.moving', mode => 'online', 'After it was moved once more, the cutover is undone,');
migrates($node, 'alice', 'alice.moving', mode => 'finish', 'and the old columns are dropped.');
$node->safe_psql('postgres', 'ALTER EXTENSION uuidx SET SCHEMA keys');
is(versions('moving', 'id'), '6', 'Every row is converted.');

# --- Default privileges by which nobody may execute a new function ---
# The functions of constraints and triggers, which each writer calls, have been granted; those of defaults are obstacles.
$node->safe_psql('postgres', 'CREATE DATABASE hardened');
my $hardened = q{
    CREATE EXTENSION uuidx_migrate CASCADE;
    CREATE EXTENSION uuidx_ossp;
    CREATE TABLE old_keys (id uuid PRIMARY KEY DEFAULT uuid_generate_v1(), n int);
    CREATE TABLE texts (id text PRIMARY KEY, n int);
    CREATE TABLE numbers (id int PRIMARY KEY, n int, created timestamptz DEFAULT now());
    CREATE TABLE of_numbers (number int REFERENCES numbers DEFERRABLE INITIALLY DEFERRED, n int);
    CREATE TABLE keys (id uuid PRIMARY KEY, n int, created timestamptz DEFAULT now());
    CREATE TABLE of_keys (key uuid REFERENCES keys DEFERRABLE INITIALLY DEFERRED, named text, n int);
    GRANT EXECUTE ON FUNCTION uuid_generate_v1() TO bob;
    GRANT SELECT, INSERT, UPDATE, DELETE ON old_keys, texts, numbers, of_numbers, keys, of_keys TO bob;
    SELECT DISTINCT o || ' - ' || h FROM uuidx_migrate.plan('old_keys', 'id', conversion => 'v1_to_v6'), unnest(obstacles, hints) AS u (o, h);
    SELECT DISTINCT substring(h, 'Run (.*)\.') FROM uuidx_migrate.plan('old_keys', 'id', conversion => 'v1_to_v6'), unnest(hints) AS h \gexec
    SELECT sql FROM uuidx_migrate.script('old_keys', 'id', 'online', 'v1_to_v6', other_values => 'keep') ORDER BY step \gexec
} . join('', map { "SELECT sql FROM uuidx_migrate.script($_) WHERE phase NOT IN ('cutover', 'after') ORDER BY step \\gexec\n" }
    q{'texts', 'id', 'online', 'text_to_uuid'}, q{'numbers', 'id', 'online', 'bigint_to_v7', created => 'created'},
    q{'keys', 'id', 'online', 'to_v7', created => 'created', also => '{of_keys.named}', other_values => 'keep'}) . q{
    SET ROLE bob;
    INSERT INTO old_keys (n) VALUES (1);
    INSERT INTO texts VALUES ('00000000-0000-4000-8000-000000000001', 1);
    INSERT INTO numbers VALUES (1, 1);
    INSERT INTO of_numbers VALUES (1, 1);
    INSERT INTO keys VALUES ('00000000-0000-4000-8000-000000000001', 1);
    INSERT INTO of_keys SELECT id, 'of ' || id, 1 FROM keys;
    BEGIN;
    DELETE FROM numbers;
    INSERT INTO numbers VALUES (1, 1);
    DELETE FROM keys;
    INSERT INTO keys VALUES ('00000000-0000-4000-8000-000000000001', 1);
    COMMIT;} . join('', map { "UPDATE $_ SET n = 2; DELETE FROM $_;" } qw(old_keys texts of_numbers numbers of_keys keys));
my ($status, $output, $messages) = $node->psql('hardened', "SET client_min_messages = warning;
    ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;\n$hardened", timeout => $PostgreSQL::Test::Utils::timeout_default);
is($output =~ s/\n+$//r, 'bob may insert rows into table old_keys, and may not call uuid_generate_v6(), which the default of column id calls afterwards'
    . ' - Run GRANT EXECUTE ON FUNCTION uuid_generate_v6() TO bob.', 'A default that a writer could not call afterwards is an obstacle, in the hardened database.');
is("$status $messages", '0 ', 'With the privilege of the hint, and before the cutover of others, he goes on writing.');

# --- Readers, in a database of many tables ---
output_of($node, 'alice', q{
    DO $$
    BEGIN
        FOR i IN 1..100 LOOP
            EXECUTE format('CREATE TABLE alice.other_%s (id uuid PRIMARY KEY, %s)', i,
                           (SELECT string_agg('c' || n || ' int', ', ') FROM generate_series(1, 15) AS n));
        END LOOP;
        CREATE TABLE alice.busy_0 (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1());
        FOR i IN 1..10 LOOP
            EXECUTE format('CREATE TABLE alice.busy_%s (id uuid PRIMARY KEY REFERENCES alice.busy_0)', i);
        END LOOP;
    END $$});
my $readers = start_others($node, 'readers', [ join "\n", q{SET statement_timeout = '60s';}, map { "SELECT count(*) FROM alice.busy_$_;" } 0 .. 10 ], '--client=2');
migrates($node, 'alice', 'alice.busy_0', mode => 'online', 'A table with many references is migrated in a database of many tables, and no reader waits for long.');
stop_others($readers);

$node->stop;
done_testing();
