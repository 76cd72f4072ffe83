# PostgreSQL runs code of a table's owner as the role that changes the table: in constraints, generated columns, index
# expressions, triggers. A script refuses to go on as a superuser where an ordinary role owns that code.

use strict;
use warnings;
use lib 'test/lib';
use IPC::Run ();
use Migrations;
use Test::More;

my $node = new_server('main', 'max_prepared_transactions = 1');
set_trap($node);
my %back = (conversion => 'v6_to_v1', new_default => 'keys.uuid_generate_v1()');

# Makes mallory's table t anew, with this definition and number of rows.
my $plain = 'CREATE TABLE t (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int DEFAULT 1)';
sub make_table
{
    my ($what, $rows, @definitions) = @_;
    my $made = session($node, 'mallory', join ";\n", 'SET search_path = mallory', 'DROP TABLE IF EXISTS t CASCADE',
        'DROP FUNCTION IF EXISTS t_count', @definitions, "INSERT INTO t (n) SELECT generate_series(1, $rows)");
    is($made->{state}, '', $what) or diag($made->{messages});
    return;
}

# --- Code that runs when rows are written ---
output_of($node, 'mallory', q{
    CREATE FUNCTION mallory.in_check(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$SELECT mallory.spring('in_check')$$;
    CREATE FUNCTION mallory.in_key_check(uuid) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$SELECT mallory.spring('in_key_check')$$;
    CREATE FUNCTION mallory.in_domain(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$SELECT mallory.spring('in_domain')$$;
    CREATE FUNCTION mallory.in_operator(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$SELECT mallory.spring('in_operator')$$;
    CREATE FUNCTION mallory.in_generated(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$SELECT mallory.spring('in_generated')$$;
    CREATE FUNCTION mallory.in_index(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN mallory.spring('in_index'); END$$;
    CREATE FUNCTION mallory.in_predicate(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN mallory.spring('in_predicate'); END$$;
    CREATE FUNCTION mallory.in_partition(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN mallory.spring('in_partition'); END$$;
    CREATE FUNCTION mallory.in_rule(int) RETURNS boolean LANGUAGE sql AS $$SELECT mallory.spring('in_rule')$$;
    CREATE FUNCTION mallory.in_when(int) RETURNS boolean LANGUAGE sql AS $$SELECT mallory.spring('in_when')$$;
    CREATE FUNCTION mallory.in_trigger() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM mallory.spring('in_trigger'); RETURN new; END$$;
    CREATE FUNCTION mallory.in_view(uuid) RETURNS boolean LANGUAGE sql AS $$SELECT mallory.spring('in_view')$$;
    CREATE DOMAIN mallory.positive AS int CHECK (mallory.in_domain(value));
    CREATE OPERATOR mallory.<<< (LEFTARG = int, RIGHTARG = int, FUNCTION = mallory.in_operator);
    CREATE TYPE mallory.mood AS ENUM ('good');
    CREATE FUNCTION mallory.in_cast(mallory.mood) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
        $$BEGIN PERFORM mallory.spring('in_cast'); RETURN 1; END$$;
    CREATE CAST (mallory.mood AS int) WITH FUNCTION mallory.in_cast AS IMPLICIT;
    CREATE DOMAIN mallory.dmood AS mallory.mood;
    CREATE FUNCTION mallory.diff(int, int) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM mallory.spring('diff'); RETURN $1 - $2; END$$;
    CREATE TYPE mallory.span_of AS RANGE (subtype = int, subtype_diff = mallory.diff);
    CREATE TABLE mallory.moods (n int PRIMARY KEY);
    INSERT INTO mallory.moods VALUES (1)});

# The code in each place, the modes in which a superuser would run it, and what the error must name. In the other modes
# PostgreSQL does not run it, or runs it as its owner.
my $trigger = 'EXECUTE FUNCTION mallory.in_trigger()';
my $harmless_trigger = 'EXECUTE FUNCTION suppress_redundant_updates_trigger()';
my @both = ('offline', 'online');
my @kinds = (
    [ 'a CHECK', 'in_check', [ 'online' ], 'ALTER TABLE t ADD CHECK (mallory.in_check(n))' ],
    [ 'a CHECK of the key', 'in_key_check', [@both], 'ALTER TABLE t ADD CHECK (mallory.in_key_check(id))' ],
    [ 'a domain', 'positive', [ 'online' ], 'ALTER TABLE t ADD CHECK (n::mallory.positive > 0)' ],
    [ 'an operator', '<<<', [ 'online' ], 'ALTER TABLE t ADD CHECK (n OPERATOR(mallory.<<<) 5)' ],
    [ 'a generated column', 'in_generated', [ 'online' ], 'ALTER TABLE t ADD g boolean GENERATED ALWAYS AS (mallory.in_generated(n)) STORED' ],
    [ 'an index expression', 'in_index', [ 'online' ], 'CREATE INDEX ON t (mallory.in_index(n))' ],
    [ 'an index predicate', 'in_predicate', [ 'online' ], 'CREATE INDEX ON t (n) WHERE mallory.in_predicate(n)' ],
    [ 'a trigger', 'in_trigger', [ 'online' ], "CREATE TRIGGER own BEFORE UPDATE ON t FOR EACH ROW $trigger" ],
    [ 'a trigger after the statement', 'in_trigger', [ 'online' ], "CREATE TRIGGER own AFTER UPDATE ON t $trigger" ],
    [ 'the condition of a trigger', 'in_when', [ 'online' ],
        "CREATE TRIGGER own BEFORE UPDATE ON t FOR EACH ROW WHEN (mallory.in_when(new.n)) $harmless_trigger" ],
    [ 'a partition key', 'in_partition', [ 'online' ], 'DROP TABLE t',
        'CREATE TABLE t (id uuid DEFAULT keys.uuid_generate_v1(), n int) PARTITION BY LIST (mallory.in_partition(n))',
        'CREATE TABLE t_1 PARTITION OF t FOR VALUES IN (true)' ],
    [ 'a cast of a foreign key', 'mood', [ 'online' ], q{ALTER TABLE t ADD mood mallory.mood DEFAULT 'good' REFERENCES moods}],
    [ 'a foreign key with a cast of a domain', 'dmood', [ 'online' ], 'ALTER TABLE t ADD mood2 mallory.dmood DEFAULT \'good\' REFERENCES mallory.moods' ],
    [ 'an index of ranges', 'diff', [ 'online' ], 'ALTER TABLE t ADD span mallory.span_of DEFAULT \'[1,2]\'', 'CREATE INDEX ON t USING gist (span)' ],
    [ 'a materialized view', '', [], 'CREATE MATERIALIZED VIEW t_keys AS SELECT id FROM t WHERE mallory.in_view(id)' ],
    [ 'a view in a materialized view', '', [], 'CREATE VIEW t_view AS SELECT id FROM t WHERE mallory.in_view(id)',
        'CREATE MATERIALIZED VIEW t_keys AS SELECT * FROM t_view' ],
    [ 'a rule', '', [], 'CREATE RULE own AS ON UPDATE TO t DO ALSO SELECT mallory.in_rule(1)' ]);
for my $kind (@kinds)
{
    my ($name, $named, $modes, @definitions) = @$kind;
    for my $mode (@both)
    {
        make_table("A role has a function in $name.", 500, $plain, @definitions);
        my $run = migrate($node, 'dba', 'mallory.t', mode => $mode);
        fails_with($run, '42501', qr/mallory\.\Q$named\E/, "A script refuses to go on as a superuser, and names it, $mode.")
            if grep { $_ eq $mode } @$modes;
        is(sprung($node), '', "A superuser does not run it, $mode.");
    }
}

# --- Constants of types that run code when a definition is parsed again ---
output_of($node, 'mallory', q{
    CREATE DOMAIN mallory.checked AS int CHECK (mallory.spring('constant'));
    CREATE TYPE mallory.pair AS (n mallory.checked);
    CREATE TYPE mallory.span AS RANGE (subtype = mallory.checked);
    CREATE FUNCTION mallory.pick(mallory.checked[], uuid) RETURNS uuid LANGUAGE sql AS 'SELECT $2'});
my %constants = (composite => q{'(1)'::mallory.pair}, array => q{'{1}'::mallory.checked[]}, range => q{'[1,2]'::mallory.span});
my %places = (
    default => [ 'ALTER TABLE t ALTER id SET DEFAULT mallory.pick(CONSTANT, keys.uuid_generate_v1())' ],
    check => [ 'ALTER TABLE t ADD CHECK (id IS NOT NULL OR CONSTANT IS NULL)' ],
    generated => [ 'ALTER TABLE t ADD g boolean GENERATED ALWAYS AS (id IS NULL OR CONSTANT IS NULL) STORED' ],
    predicate => [ 'CREATE INDEX ON t (n) WHERE id IS NOT NULL OR CONSTANT IS NULL' ],
    statistics => [ 'CREATE STATISTICS t_statistics ON (CASE WHEN CONSTANT IS NOT NULL THEN id END), n FROM t' ],
    view => [ 'CREATE VIEW t_view AS SELECT id, CONSTANT AS c FROM t' ],
    materialized => [ 'CREATE MATERIALIZED VIEW t_keys AS SELECT id, CONSTANT AS c FROM t' ],
    reader => [ 'CREATE MATERIALIZED VIEW t_keys AS SELECT id FROM t', 'CREATE VIEW t_view AS SELECT id, CONSTANT AS c FROM t_keys' ],
    body => [ 'CREATE FUNCTION t_count() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(id) FROM t WHERE CONSTANT IS NOT NULL; END' ],
    argument => [ 'CREATE FUNCTION t_count(text DEFAULT (CONSTANT)::text) RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(id) FROM t; END' ],
    policy => [ 'CREATE POLICY own ON t USING (id IS NOT NULL OR CONSTANT IS NULL)' ],
    rule => [ 'CREATE RULE own AS ON DELETE TO t WHERE old.id IS NULL AND CONSTANT IS NULL DO ALSO NOTHING' ],
    condition => [ "CREATE TRIGGER own AFTER INSERT ON t FOR EACH ROW WHEN (new.id IS NULL AND CONSTANT IS NULL) $harmless_trigger" ]);
for my $case ((map { [ 'array', $_ ] } sort keys %places), (map { [ 'composite', $_ ] } 'argument', 'check', 'reader', 'statistics', 'view'),
    [ 'range', 'view' ])
{
    my ($type, $place) = @$case;
    for my $mode (@both)
    {
        make_table("A role has a constant of a type of its own ($type, $place).", 5, $plain, map { s/CONSTANT/$constants{$type}/gr } @{ $places{$place} });
        migrate($node, 'dba', 'mallory.t', mode => $mode);
        is(sprung($node), '', "A superuser does not parse it ($type, $place, $mode).");
    }
}

# --- Code that comes and goes after the script is written ---
for my $definition ("CREATE TRIGGER own BEFORE UPDATE ON t FOR EACH ROW $trigger", 'ALTER TABLE t ADD CHECK (mallory.in_check(n)) NOT VALID')
{
    make_table('A role has a table without code.', 500, $plain);
    my @steps = steps($node, 'dba', 'mallory.t', mode => 'online');
    my ($fill) = grep { $steps[$_] =~ /^CALL uuidx_migrate\.backfill/m } 0 .. $#steps;
    is(session($node, 'dba', join ";\n", @steps[ 0 .. $fill - 1 ])->{state}, '', 'A superuser begins a migration.');
    output_of($node, 'mallory', "SET search_path = mallory; $definition");
    session($node, 'dba', join ";\n", @steps[ $fill .. $#steps ]);
    is(sprung($node), '', 'The superuser does not run code that the owner has added since.');
}
for my $mode (@both)
{
    make_table('A role has code.', 5, $plain, 'ALTER TABLE t ADD CONSTRAINT own CHECK (mallory.in_key_check(id))');
    my @steps = steps($node, 'dba', 'mallory.t', mode => $mode);
    output_of($node, 'mallory', 'ALTER TABLE mallory.t DROP CONSTRAINT own');
    session($node, 'dba', join ";\n", @steps);
    is(sprung($node), '', "A superuser does not run code of a constraint that was dropped after the script was written, $mode.");
}

make_table('A role has a foreign key to a partitioned table.', 5, 'CREATE TABLE t (id uuid DEFAULT keys.uuid_generate_v1(), n int, PRIMARY KEY (id, n)) PARTITION BY LIST (n)',
    'CREATE TABLE t_1 PARTITION OF t DEFAULT', 'CREATE TABLE t_notes (id uuid, n int, CONSTRAINT own FOREIGN KEY (id, n) REFERENCES t)', 'INSERT INTO t_notes VALUES (NULL, 1)');
my @steps = steps($node, 'dba', 'mallory.t', mode => 'online');
my $validation = pop @steps;
like($validation, qr/'own'|CONSTRAINT own/, 'The last step validates it.');
is(session($node, 'dba', join ";\n", @steps)->{state}, '', 'A superuser exchanges the columns.');
output_of($node, 'mallory', 'ALTER TABLE mallory.t_notes DROP CONSTRAINT own, ADD CONSTRAINT own CHECK (mallory.in_check(n)) NOT VALID');
session($node, 'dba', $validation);
is(sprung($node), '', 'The superuser does not run code of a constraint that took its name.');
output_of($node, 'mallory', 'DROP TABLE mallory.t_notes');

make_table('A role has a foreign key.', 5, $plain, 'CREATE TABLE t_notes (id uuid CONSTRAINT own REFERENCES t)');
@steps = steps($node, 'dba', 'mallory.t', mode => 'online');
my ($validates) = grep { $steps[$_] =~ /validate_constraint\(.*'own_shadow'/ } 0 .. $#steps;
is(session($node, 'dba', join ";\n", @steps[ 0 .. $validates - 1 ])->{state}, '', 'A superuser begins a migration.');
output_of($node, 'mallory', 'CREATE INDEX ON mallory.t ((mallory.in_index(1)))');
fails_with(session($node, 'dba', $steps[$validates]), '42501', qr/mallory\.in_index/, 'A superuser does not validate a foreign key to a table with code.');
is(sprung($node), '', 'The superuser does not run it.');
output_of($node, 'mallory', 'DROP TABLE mallory.t_notes');

# --- Code that runs when rows are read ---
output_of($node, 'mallory', 'DROP TABLE mallory.t');
output_of($node, 'mallory', q{
    CREATE FUNCTION mallory.in_statistics(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN mallory.spring('in_statistics'); END$$;
    CREATE FUNCTION mallory.in_table_check(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN mallory.spring('in_table_check'); END$$;
    CREATE TABLE mallory.t (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), text text DEFAULT gen_random_uuid(), n int, created timestamptz DEFAULT now(), checked mallory.checked[], id_shadow uuid);
    INSERT INTO mallory.t SELECT FROM generate_series(1, 3);
    CREATE INDEX ON mallory.t ((mallory.in_index(1)));
    CREATE INDEX ON mallory.t (n) WHERE mallory.in_predicate(1);
    CREATE STATISTICS mallory.t_statistics ON (mallory.in_statistics(1)), n FROM mallory.t;
    ALTER TABLE mallory.t ADD CHECK (mallory.in_table_check(1)), ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    CREATE POLICY own ON mallory.t USING (false)});
my $dated = q{CASE WHEN checked = '{1}' THEN created ELSE created END};
for my $read ('version_histogram(TABLE, \'id\')', 'suspects(TABLE, \'id\')', 'creation_times(TABLE, \'id\', \'created\')', 'uuid_texts(TABLE, \'text\')',
    'same_uuids(TABLE, \'text\')', 'check_texts(TABLE, \'text\')', 'plan(TABLE, \'text\', \'text_to_uuid\')', 'plan(TABLE, \'id\', \'to_v7\', created => \'created\')',
    'backfill_end_pass(TABLE, \'id\', \'id_shadow\')')
{
    my $run = session($node, 'dba', 'SELECT t::text FROM uuidx_migrate.' . ($read =~ s/TABLE/'mallory.t'/r) . ' AS t');
    is("$run->{state}$run->{messages}", '', "A superuser reads a table of another role: $read.");
    is(sprung($node), '', 'The superuser runs no code of that role.');
}
is(output_of($node, 'dba', q{SELECT count FROM uuidx_migrate.version_histogram('mallory.t', 'id')}), '3', 'Row security hides nothing from the superuser.');
for my $read ("plan('mallory.t', 'id', 'to_v7', created => \$\$$dated\$\$)", "script('mallory.t', 'id', 'online', 'to_v7', created => \$\$$dated\$\$)")
{
    session($node, 'dba', "SELECT t::text FROM uuidx_migrate.$read AS t");
    is(sprung($node), '', "A superuser does not check a constant in an expression: $read.");
}
output_of($node, 'mallory', 'CREATE TABLE mallory.t_notes AS SELECT id FROM mallory.t');
fails_with(session($node, 'dba', q{SELECT uuidx_migrate.check_keys('mallory.t_notes', 'id', 'mallory.t', 'id', false)}), '42501', qr/mallory\.in_index/,
    'A superuser does not compare columns of tables with code.');
is(sprung($node), '', 'The superuser does not run it.');

# --- What is checked stays as it is until the transaction ends ---
make_table('A role has tables.', 5, $plain);
output_of($node, 'mallory', 'CREATE TABLE mallory.parted (id uuid) PARTITION BY RANGE (id); CREATE TABLE mallory.part PARTITION OF mallory.parted DEFAULT');
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE postgres TO mallory');
my @offline = steps($node, 'dba', 'mallory.t', mode => 'offline');
my ($locked) = grep { $offline[$_] =~ /LOCK TABLE/ } 0 .. $#offline;
my $renames = 'ALTER SCHEMA mallory RENAME TO elsewhere';
for my $case ([ q{BEGIN; SELECT uuidx_migrate.lock_and_check('mallory.t', 'ROW EXCLUSIVE', false)}, $renames ],
    [ q{BEGIN; SELECT uuidx_migrate.lock_and_check('mallory.t', 'ROW EXCLUSIVE', false)}, 'CREATE STATISTICS mallory.t_statistics ON (mallory.in_statistics(1)), n FROM mallory.t' ],
    [ q{BEGIN; SELECT uuidx_migrate.lock_and_check('mallory.parted', 'ROW EXCLUSIVE', false)}, 'CREATE INDEX ON mallory.part ((mallory.in_index(1)))' ],
    [ q{BEGIN; SELECT uuidx_migrate.lock_relations('{mallory.t}', 'ACCESS EXCLUSIVE', '1 s')}, $renames ], [ join(";\n", @offline[ 0 .. $locked ]), $renames ],
    [ q{BEGIN; SELECT uuidx_migrate.check_keys('mallory.t_notes', 'id', 'mallory.t_notes', 'id', false)}, 'CREATE INDEX ON mallory.t_notes ((mallory.in_index(1)))' ])
{
    my ($statements, $change) = @$case;
    output_of($node, 'dba', "$statements;\nPREPARE TRANSACTION 'locked'");
    fails_with(session($node, 'mallory', "SET lock_timeout = '100 ms';\n$change"), '55P03', qr/./, "While a superuser has the lock, a role cannot $change.");
    output_of($node, 'dba', q{ROLLBACK PREPARED 'locked'});
}
output_of($node, 'mallory', 'DROP TABLE mallory.t_notes, mallory.parted');

# --- An index that its owner builds CONCURRENTLY ---
make_table('A role has a table.', 100, $plain, 'ALTER TABLE t ADD id_new uuid');
output_of($node, 'mallory', q{BEGIN; UPDATE mallory.t SET n = 2 WHERE n = 1; PREPARE TRANSACTION 'writer'});
my ($errors, @sessions) = ('');
for my $statement ([ 'mallory', 'CREATE INDEX CONCURRENTLY ON mallory.t (n)' ], [ 'dba', q{CALL uuidx_migrate.backfill('mallory.t', 'id', 'id_new')} ])
{
    my ($role, $sql) = @$statement;
    push @sessions, IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', "--username=$role", '--command', 'SET client_min_messages = error', '--command', $sql,
        $node->connstr('postgres') ], '2>>', \$errors);
    ok($node->poll_query_until('postgres', qq{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE usename = '$role' AND wait_event_type = 'Lock')}), "While a transaction is open, this waits: $sql.");
}
# Longer than deadlock_timeout
$node->safe_psql('postgres', q{SELECT pg_sleep(1.2)});
output_of($node, 'mallory', q{ROLLBACK PREPARED 'writer'});
$_->finish for @sessions;
is($errors, '', 'They do not deadlock.');

# --- A view that takes the name of the table ---
my $view = q{ALTER TABLE mallory.t RENAME TO t_old;
    CREATE VIEW mallory.t AS SELECT CASE WHEN mallory.in_view(id) THEN id END AS id, n FROM mallory.t_old WHERE mallory.in_check(1)};
for my $mode (@both)
{
    make_table('A role has a table.', 5, $plain);
    my @steps = steps($node, 'dba', 'mallory.t', mode => $mode);
    output_of($node, 'mallory', $view);
    session($node, 'dba', join(";\n", @steps), on_error_stop => 0);
    is(sprung($node), '', "A superuser does not read a view that took its name after the script was written, $mode.");
    output_of($node, 'mallory', 'DROP VIEW mallory.t; DROP TABLE mallory.t_old');
}
for my $case ([ 'script', sub { join ";\n", @_ } ], [ 'search', sub { q{SELECT * FROM uuidx_migrate.suspects('mallory.t', 'id')} } ])
{
    my ($name, $statements) = @$case;
    make_table('A role has a table.', 5, $plain);
    my $sql = $statements->(steps($node, 'dba', 'mallory.t', mode => 'online'));
    my $renames = IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--username=mallory', '--command', qq{
        BEGIN;
        $view;
        DO \$\$
        BEGIN
            WHILE NOT EXISTS (SELECT FROM pg_locks WHERE relation = 'mallory.t_old'::regclass AND NOT granted) LOOP
                PERFORM pg_sleep(0.01);
            END LOOP;
        END \$\$;
        COMMIT}, $node->connstr('postgres') ]);
    ok($node->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'mallory.t'::regclass AND mode = 'AccessExclusiveLock')}),
        'A role renames its table.');
    session($node, 'dba', $sql, on_error_stop => 0);
    $renames->finish;
    is(sprung($node), '', "A superuser whose $name waits for the table does not read the view either.");
    output_of($node, 'mallory', 'DROP VIEW mallory.t; DROP TABLE mallory.t_old');
}

# --- Creation times and former keys ---
output_of($node, 'mallory', q{
    CREATE TYPE mallory.moment AS ENUM ('2020-01-01 00:00:00+00');
    CREATE FUNCTION mallory.in_time(mallory.moment) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS
        $$BEGIN PERFORM mallory.spring('in_time'); RETURN $1::text::timestamptz; END$$;
    CREATE CAST (mallory.moment AS timestamptz) WITH FUNCTION mallory.in_time AS ASSIGNMENT});
sub make_dated_table
{
    my ($what, $created, @definitions) = @_;
    output_of($node, 'mallory', 'DROP TABLE IF EXISTS mallory.t_id_former');
    make_table($what, 5, "CREATE TABLE t (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int, created $created DEFAULT '2020-01-01 00:00:00+00')", @definitions);
    return;
}
my %dated = (conversion => 'to_v7', created => 'created');
for my $mode (@both)
{
    make_dated_table('A role has creation times with a cast of its own.', 'moment');
    fails_with(migrate($node, 'dba', 'mallory.t', mode => $mode, %dated), '42501', qr/superuser/, "A script refuses to go on as a superuser, $mode.");
    is(sprung($node), '', "A superuser does not run the cast, $mode.");
}
fails_with(session($node, 'dba', q{SELECT * FROM uuidx_migrate.creation_times('mallory.t', 'id', 'created')}), '42501', qr/superuser/, 'A superuser does not count the times.');
is(sprung($node), '', 'A superuser does not run the cast to count.');
my @begun = steps($node, 'mallory', 'mallory.t', mode => 'online', %dated);
my ($index) = grep { $begun[$_] =~ /CREATE UNIQUE INDEX CONCURRENTLY/ } 0 .. $#begun;
is(session($node, 'mallory', join ";\n", @begun[ 0 .. $index ])->{state}, '', 'The owner begins a migration.');
like($node->safe_psql('postgres', 'INSERT INTO mallory.t VALUES (gen_random_uuid(), 1) RETURNING id_shadow'), qr/^016f5e66-e800-7/, 'A superuser inserts a row.');
is(sprung($node), '', 'The cast runs as the owner of the table.');

make_dated_table('A role has creation times.', 'timestamptz');
migrates($node, 'mallory', 'mallory.t', %dated, 'The owner migrates the keys offline.');
output_of($node, 'mallory', q{
    CREATE UNIQUE INDEX ON mallory.t_id_former (key) WHERE mallory.in_predicate(1);
    CREATE INDEX ON mallory.t_id_former (mallory.in_index(1));
    ALTER TABLE mallory.t_id_former ADD CHECK (mallory.in_key_check(key)) NOT VALID;
    ALTER TABLE mallory.t_id_former ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    CREATE POLICY own ON mallory.t_id_former USING (mallory.in_view(key))});
migrates($node, 'dba', 'mallory.t', conversion => 'from_v7', new_default => 'gen_random_uuid()', 'A superuser undoes it.');
is(sprung($node), '', 'The superuser runs no code of the table of the former keys.');

# The function of the creation time is the owner's, but the script does not read its definition.
my $reader = "CREATE FUNCTION t_count(text DEFAULT ($constants{array})::text) RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(id) FROM t; END";
make_dated_table('A role has creation times.', 'timestamptz');
my @dated_steps = steps($node, 'dba', 'mallory.t', mode => 'online', %dated);
is(session($node, 'dba', join ";\n", @dated_steps[ 0 .. $#dated_steps - 2 ])->{state}, '', 'A superuser begins a migration.');
output_of($node, 'mallory', "SET search_path = mallory; $reader");
fails_with(migrate($node, 'dba', 'mallory.t', mode => 'online', %dated), '42501', qr/mallory\.t_count/, 'A superuser does not read the definition of another function.');
is(sprung($node), '', 'The superuser does not parse its constants.');
output_of($node, 'mallory', 'DROP FUNCTION mallory.t_count');
migrates($node, 'dba', 'mallory.t', mode => 'online', %dated, 'Without it, the superuser goes on.');
migrates($node, 'dba', 'mallory.t', mode => 'finish', conversion => 'to_v7', 'The superuser finishes it.');
is($node->safe_psql('postgres', q{SELECT to_regprocedure('mallory.t_id_created(mallory.t)')}), '', 'Its function is gone.');

# --- Who may run it ---
my @code = map { @$_[ 3 .. $#$_ ] } grep { $_->[0] =~ /^(a CHECK|a domain|a generated column|an index.*|a trigger|a materialized view)$/ } @kinds;
my $versions = join ' UNION ALL ', map { "SELECT string_agg(DISTINCT keys.uuid_version(id)::text, ',') FROM mallory.$_" } 't', 't_keys';
for my $mode (@both)
{
    make_table('A role has functions in many places.', 5, $plain, @code);
    output_of($node, 'mallory', 'REFRESH MATERIALIZED VIEW mallory.t_keys');
    my $refused = migrate($node, 'dba', 'mallory.t', mode => $mode);
    unlike($refused->{messages}, qr/pg_catalog\.|suppress_redundant/, "The error does not list functions of PostgreSQL, $mode.");
    sprung($node);
    migrates($node, 'mallory', 'mallory.t', mode => $mode, "The owner migrates the table, $mode.");
    is($node->safe_psql('postgres', $versions), "6\n6", 'Every row is converted.');
    is(sprung($node), '', 'The functions run as their owner.');

    make_table('A role has functions in many places.', 5, $plain, @code);
    output_of($node, 'mallory', 'REFRESH MATERIALIZED VIEW mallory.t_keys');
    migrates($node, 'dba', 'mallory.t', mode => $mode, allow_superuser => 'true', "With allow_superuser => true, a superuser migrates the table, $mode.");
    is($node->safe_psql('postgres', $versions), "6\n6", 'Every row is converted.');
    migrates($node, 'mallory', 'mallory.t', mode => 'finish', 'The owner drops the old columns.') if $mode eq 'online';
}

# --- Functions of PostgreSQL and of a superuser ---
$node->safe_psql('postgres', q{
    CREATE SCHEMA tools;
    GRANT USAGE ON SCHEMA tools TO PUBLIC;
    CREATE FUNCTION tools.is_positive(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 > 0';
    CREATE TABLE tools.numbers (n bigint PRIMARY KEY);
    INSERT INTO tools.numbers VALUES (1);
    GRANT REFERENCES ON tools.numbers TO mallory;
    CREATE FUNCTION tools.touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.touched := now(); RETURN new; END'});
make_table('A role has functions of others in many places.', 5, q{
    CREATE TABLE t (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int CHECK (abs(n) > 0 AND tools.is_positive(n)),
        number int DEFAULT 1 REFERENCES tools.numbers, touched timestamptz, positive boolean GENERATED ALWAYS AS (tools.is_positive(n)) STORED)},
    'CREATE INDEX ON t (abs(n), tools.is_positive(n)) WHERE tools.is_positive(n)',
    'CREATE TRIGGER touch BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION tools.touch()',
    'CREATE MATERIALIZED VIEW t_keys AS SELECT id, abs(n) AS n FROM t WHERE tools.is_positive(n)');
migrates($node, 'dba', 'mallory.t', mode => 'offline', 'A superuser migrates a table with functions of PostgreSQL and of a superuser offline,');
migrates($node, 'dba', 'mallory.t', mode => 'online', %back, 'and back online,');
migrates($node, 'dba', 'mallory.t', mode => 'finish', %back, 'and drops the old columns.');

$node->stop;
done_testing();
