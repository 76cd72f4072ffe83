# PostgreSQL runs code of a table's owner as the role that changes the table: in constraints, generated columns, index
# expressions, triggers. So a plan reads rows, and a script runs, only in a session of the owner.

use strict;
use warnings;
use lib 'test/lib';
use IPC::Run ();
use Migrations;
use PostgreSQL::Test::Utils;
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
        'DROP FUNCTION IF EXISTS t_count, t_counted', @definitions, "INSERT INTO t (n) SELECT generate_series(1, $rows)");
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
    CREATE FUNCTION mallory.in_when(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$SELECT mallory.spring('in_when')$$;
    CREATE FUNCTION mallory.in_trigger() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM mallory.spring('in_trigger'); RETURN new; END$$;
    CREATE FUNCTION mallory.in_view(uuid) RETURNS boolean LANGUAGE sql AS $$SELECT mallory.spring('in_view')$$;
    CREATE DOMAIN mallory.positive AS int CHECK (mallory.in_domain(value));
    CREATE DOMAIN mallory.key AS uuid CHECK (mallory.in_domain(1));
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

# The code in each place; some of it leaves no dependency in the catalogs.
my $trigger = 'EXECUTE FUNCTION mallory.in_trigger()';
my $harmless_trigger = 'EXECUTE FUNCTION suppress_redundant_updates_trigger()';
my @both = ('offline', 'online');
# What refuses a superuser is the same in both, and whatever else there is in the table.
my ($long, @modes) = $ENV{UUIDX_LONG} ? (1, @both) : (0, 'online');
output_of($node, 'mallory', q{
    CREATE TYPE mallory.checked_row AS (n mallory.positive);
    CREATE TABLE mallory.trapped (id uuid, n int);
    CREATE INDEX ON mallory.trapped ((mallory.in_index(1)))});
my $positive = $node->safe_psql('postgres', q{SELECT 'mallory.positive'::regtype::oid});
my @in_literals = ([ 'a CHECK with a row in a literal', 'ALTER TABLE t ADD r mallory.checked_row',
        q{ALTER TABLE t ADD CHECK (jsonb_populate_record(r, '{"n": 1}') IS NOT NULL)} ],
    [ 'a CHECK with a domain in an argument', "ALTER TABLE t ADD CHECK (domain_in('1', $positive, -1) IS NOT NULL)" ]);
push @in_literals, [ 'a CHECK with a domain in a literal', q{ALTER TABLE t ADD CHECK (pg_input_is_valid('1', 'mallory.positive'))} ]
    if $node->safe_psql('postgres', q{SELECT to_regprocedure('pg_catalog.pg_input_is_valid(text, text)')});
my @kinds = (@in_literals,
    [ 'a CHECK that calls our function', q{ALTER TABLE t ADD CHECK (uuidx_migrate_steps.check_keys('mallory.trapped', 'id', 'mallory.trapped', 'id', true) IS NOT NULL)} ],
    [ 'a CHECK', 'ALTER TABLE t ADD CHECK (mallory.in_check(n))' ],
    [ 'a CHECK of the key', 'ALTER TABLE t ADD CHECK (mallory.in_key_check(id))' ],
    [ 'a domain', 'ALTER TABLE t ADD CHECK (n::mallory.positive > 0)' ],
    [ 'a domain of keys', 'ALTER TABLE t ADD CHECK (id::mallory.key IS NOT NULL)' ],
    [ 'an operator', 'ALTER TABLE t ADD CHECK (n OPERATOR(mallory.<<<) 5)' ],
    [ 'a generated column', 'ALTER TABLE t ADD g boolean GENERATED ALWAYS AS (mallory.in_generated(n)) STORED' ],
    [ 'an index expression', 'CREATE INDEX ON t (mallory.in_index(n))' ],
    [ 'an index predicate', 'CREATE INDEX ON t (n) WHERE mallory.in_predicate(n)' ],
    [ 'a trigger', "CREATE TRIGGER own BEFORE UPDATE ON t FOR EACH ROW $trigger" ],
    [ 'a trigger after the statement', "CREATE TRIGGER after_statement AFTER UPDATE ON t $trigger" ],
    [ 'the condition of a trigger',
        "CREATE TRIGGER condition BEFORE UPDATE ON t FOR EACH ROW WHEN (mallory.in_when(new.n)) $harmless_trigger" ],
    [ 'a cast of a foreign key', q{ALTER TABLE t ADD mood mallory.mood DEFAULT 'good' REFERENCES moods}],
    [ 'a foreign key with a cast of a domain', 'ALTER TABLE t ADD mood2 mallory.dmood DEFAULT \'good\' REFERENCES mallory.moods' ],
    [ 'an index of ranges', 'ALTER TABLE t ADD span mallory.span_of DEFAULT \'[1,2]\'', 'CREATE INDEX ON t USING gist (span)' ],
    [ 'a materialized view', 'CREATE MATERIALIZED VIEW t_keys AS SELECT id FROM t WHERE mallory.in_view(id)' ],
    [ 'a view in a materialized view', 'CREATE VIEW t_view AS SELECT id FROM t WHERE mallory.in_view(id)',
        'CREATE MATERIALIZED VIEW t_view_keys AS SELECT * FROM t_view' ]);
my @alone = ([ 'a partition key', 'DROP TABLE t',
        'CREATE TABLE t (id uuid DEFAULT keys.uuid_generate_v1(), n int) PARTITION BY LIST (mallory.in_partition(n))',
        'CREATE TABLE t_1 PARTITION OF t FOR VALUES IN (true)' ],
    [ 'a rule', 'CREATE RULE own AS ON UPDATE TO t DO ALSO SELECT mallory.in_rule(1)' ]);
my @tables = ([ 'all places', map { @$_[ 1 .. $#$_ ] } @kinds ], @alone, $long ? @kinds : ());
# as_owner(SQL): a superuser becomes mallory, in the two ways that can be undone.
sub as_owner
{
    my ($sql) = @_;
    return map { "SET $_ mallory;\n$sql" } 'ROLE', 'SESSION AUTHORIZATION';
}

# as_superuser(SQL...): a superuser runs each of these, also after an error.
sub as_superuser
{
    return session($node, 'dba', join("\n;\nROLLBACK;\nRESET SESSION AUTHORIZATION;\nRESET ROLE;\n", @_), on_error_stop => 0);
}

# all_fail(SESSION, SQLSTATE, PATTERN, COUNT, TEST): the session must have had so many errors, which are like that.
sub all_fail
{
    my ($run, $state, $pattern, $count, $test) = @_;
    my @errors = split /^(?=[^\n]*ERROR:  )/m, $run->{messages};
    is(scalar(grep { /ERROR:  $state: .*$pattern/s } @errors), $count, $test) or diag($run->{messages});
    return;
}

for my $table (@tables)
{
    my ($name, @definitions) = @$table;
    for my $mode (@modes)
    {
        make_table("A role has a function in $name.", 20, $plain, @definitions);
        my $script = 'SELECT sql FROM ' . script_call('mallory.t', mode => $mode) . ' ORDER BY step \gexec';
        all_fail(as_superuser($script, as_owner($script)), '55000', qr/table mallory\.t belongs to mallory.*: Connect as mallory/s, 3,
            "A superuser gets no script, $mode: $name.");
        is(sprung($node), '', 'A superuser does not run it.');
        my $written = written($node, 'mallory', 'mallory.t', mode => $mode);
        is($written->{state}, "$name, $mode" eq 'a rule, online' ? '55000' : '', "The owner gets one, $mode, but not online with a rule.") or diag($written->{messages});
        as_superuser(as_owner(join ';', split /-- end of step/, $written->{output}));
        is(sprung($node), '', 'Nor with a script of the owner.');
    }
}

# A generated column of the shadow changes in the backfill, and with it what references it, whose trigger waits for the end of
# the transaction.
make_table('A role has a table.', 20, $plain);
my ($shadow) = grep { /ADD COLUMN id_shadow/ } steps($node, 'mallory', 'mallory.t', mode => 'online');
output_of($node, 'mallory', $shadow);
output_of($node, 'mallory', q{
    ALTER TABLE mallory.t ADD g text GENERATED ALWAYS AS (coalesce(id_shadow::text, n::text)) STORED UNIQUE;
    CREATE TABLE mallory.watchers (g text REFERENCES mallory.t (g) ON UPDATE CASCADE);
    INSERT INTO mallory.watchers SELECT g FROM mallory.t;
    CREATE CONSTRAINT TRIGGER own AFTER UPDATE ON mallory.watchers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION mallory.in_trigger()});
session($node, 'dba', q{CALL uuidx_migrate_steps.backfill('mallory.t', '{id}')});
is(sprung($node), '', 'A superuser who fills a shadow fires no trigger by a cascade.');

# --- Constants of types that run code when a definition is parsed again ---
output_of($node, 'mallory', q{
    CREATE DOMAIN mallory.checked AS int CHECK (mallory.spring('constant'));
    CREATE TYPE mallory.pair AS (n mallory.checked);
    CREATE TYPE mallory.span AS RANGE (subtype = mallory.checked);
    CREATE FUNCTION mallory.pick(mallory.checked[], uuid) RETURNS uuid LANGUAGE sql AS 'SELECT $2'});
my %places = (
    default => [ 'ALTER TABLE t ALTER id SET DEFAULT mallory.pick(CONSTANT, keys.uuid_generate_v1())' ],
    check => [ 'ALTER TABLE t ADD CHECK (id IS NOT NULL OR CONSTANT IS NULL)' ],
    generated => [ 'ALTER TABLE t ADD g boolean GENERATED ALWAYS AS (id IS NULL OR CONSTANT IS NULL) STORED' ],
    predicate => [ 'CREATE INDEX ON t (n) WHERE id IS NOT NULL OR CONSTANT IS NULL' ],
    statistics => [ 'CREATE STATISTICS t_statistics ON (CASE WHEN CONSTANT IS NOT NULL THEN id END), n FROM t' ],
    view => [ 'CREATE VIEW t_view AS SELECT id, CONSTANT AS c FROM t' ],
    materialized => [ 'CREATE MATERIALIZED VIEW t_keys AS SELECT id, CONSTANT AS c FROM t' ],
    reader => [ 'CREATE MATERIALIZED VIEW t_read AS SELECT id FROM t', 'CREATE VIEW t_reader AS SELECT id, CONSTANT AS c FROM t_read' ],
    body => [ 'CREATE FUNCTION t_count() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(id) FROM t WHERE CONSTANT IS NOT NULL; END' ],
    argument => [ 'CREATE FUNCTION t_counted(text DEFAULT (CONSTANT)::text) RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(id) FROM t; END' ],
    policy => [ 'CREATE POLICY own ON t USING (id IS NOT NULL OR CONSTANT IS NULL)' ],
    rule => [ 'CREATE RULE own AS ON DELETE TO t WHERE old.id IS NULL AND CONSTANT IS NULL DO ALSO NOTHING' ],
    condition => [ "CREATE TRIGGER own AFTER INSERT ON t FOR EACH ROW WHEN (new.id IS NULL AND CONSTANT IS NULL) $harmless_trigger" ]);
my %constants = (composite => [ q{'(1)'::mallory.pair}, qw(argument check reader statistics view) ],
    array => [ q{'{1}'::mallory.checked[]}, sort keys %places ], range => [ q{'[1,2]'::mallory.span}, 'view' ]);
for my $type (sort keys %constants)
{
    my ($constant, @all) = @{ $constants{$type} };
    for my $in (\@all, $long ? map { [$_] } @all : ())
    {
        for my $mode (@modes)
        {
            make_table("A role has constants of a type of its own ($type, @$in).", 5, $plain, map { s/CONSTANT/$constant/gr } map { @{ $places{$_} } } @$in);
            my $script = 'SELECT sql FROM ' . script_call('mallory.t', mode => $mode) . ' ORDER BY step \gexec';
            as_superuser(as_owner($script), $script);
            is(sprung($node), '', "A superuser does not parse it ($type, @$in, $mode).");
        }
    }
}

# --- A table that changes hands after the script is written ---
output_of($node, 'dba', 'CREATE SCHEMA shared; GRANT USAGE ON SCHEMA shared TO PUBLIC');
for my $mode (@both)
{
    output_of($node, 'dba', 'CREATE TABLE shared.t (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int DEFAULT 1); INSERT INTO shared.t SELECT FROM generate_series(1, 5)');
    my @steps = steps($node, 'dba', 'shared.t', mode => $mode);
    output_of($node, 'dba', 'ALTER TABLE shared.t OWNER TO mallory');
    output_of($node, 'mallory', "ALTER TABLE shared.t ADD CHECK (mallory.in_check(n)) NOT VALID; CREATE TRIGGER own BEFORE UPDATE ON shared.t FOR EACH ROW $trigger");
    session($node, 'dba', join(";\n", @steps), on_error_stop => 0);
    is(sprung($node), '', "A superuser does not run code of a role that got the table after the script was written, $mode.");
    output_of($node, 'dba', 'DROP TABLE shared.t');
}

# --- Tables of a superuser, and who else can have code run by whoever writes to them ---
output_of($node, 'dba', q{
    CREATE TABLE shared.t (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int UNIQUE);
    CREATE TABLE public.of_all (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1());
    CREATE TABLE mallory.of_dba (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1())});
sub obstacles_of { my ($role, $table) = @_; return output_of($node, $role, "SELECT unnest(obstacles) FROM uuidx_migrate.plan('$table', 'id', conversion => 'v1_to_v6')") }
is(obstacles_of('dba', 'shared.t'), '', 'A table of a superuser in a schema of a superuser has no obstacle,');
is(obstacles_of('dba', 'public.of_all'), '', 'nor one in a schema of the database owner, who is a superuser.');
is(obstacles_of('dba', 'mallory.of_dba'), 'schema mallory, which the script names or runs with table mallory.of_dba, belongs to mallory', 'A schema of another role is one.');
for my $grant ([ 'TRIGGER ON shared.t', 'mallory', 'TRIGGER' ], [ 'REFERENCES (n) ON shared.t', 'mallory', 'REFERENCES' ], [ 'REFERENCES ON shared.t', 'PUBLIC', 'REFERENCES' ])
{
    my ($privilege, $role, $named) = @$grant;
    output_of($node, 'dba', "GRANT $privilege TO $role");
    is(output_of($node, 'dba', q{SELECT concat_ws(': ', o, h) FROM uuidx_migrate.plan('shared.t', 'id', conversion => 'v1_to_v6'), unnest(obstacles, hints) AS u (o, h)}),
        "$named on table shared.t is granted to $role: Revoke it until the migration is finished.", "GRANT $privilege TO $role is an obstacle.");
    output_of($node, 'dba', "REVOKE $privilege FROM $role; GRANT $privilege TO postgres");
    is(obstacles_of('dba', 'shared.t'), '', 'Not to another superuser.');
}
output_of($node, 'dba', 'DROP TABLE shared.t, public.of_all, mallory.of_dba');
output_of($node, 'alice', 'CREATE TABLE alice.granted (id uuid PRIMARY KEY); GRANT TRIGGER ON alice.granted TO bob; GRANT REFERENCES ON alice.granted TO mallory');
is(obstacles_of('alice', 'alice.granted'), '', 'For another owner, such a grant is none.');
like(output_of($node, 'alice', q{SELECT r FROM uuidx_migrate.plan('alice.granted', 'id', conversion => 'v1_to_v6') AS p, unnest(p.remarks) AS u (r) WHERE r LIKE '%granted%'}),
    qr/^with these privileges, others can have the backfill run their code: REFERENCES on table (?:alice\.)?granted is granted to mallory, TRIGGER on table (?:alice\.)?granted is granted to bob$/, 'The plan remarks on them, once.');

# --- Whose tables they are ---
$node->safe_psql('postgres', 'CREATE ROLE silent; GRANT silent TO alice; GRANT CREATE, USAGE ON SCHEMA shared TO silent, alice, bob');
output_of($node, 'alice', 'SET ROLE silent; CREATE TABLE shared.t (id uuid PRIMARY KEY)');
my $hint = sub { my ($role) = @_; return output_of($node, $role, "SELECT unnest(hints) FROM uuidx_migrate.plan('shared.t', 'id', conversion => 'v1_to_v6')") };
like($hint->('alice'), qr/^Give all tables to a role that can log in/, 'A role that cannot log in cannot run a script.');
output_of($node, 'dba', 'ALTER TABLE shared.t OWNER TO alice; GRANT REFERENCES ON shared.t TO bob');
output_of($node, 'bob', 'CREATE TABLE shared.notes (id uuid REFERENCES shared.t)');
like($hint->('alice'), qr/^Give all tables one owner/, 'Nor can one of several owners.');
is(output_of($node, 'mallory', q{SELECT string_agg(relation || '.' || column_name, ' ' ORDER BY relation::text) FROM uuidx_migrate.plan('shared.t', 'id', conversion => 'v1_to_v6')}),
    'shared.notes.id shared.t.id', 'A plan for others lists the columns.');
output_of($node, 'dba', 'DROP TABLE shared.notes, shared.t');

# --- Code that runs when rows are read ---
output_of($node, 'mallory', 'DROP TABLE mallory.t CASCADE');
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
for my $read ('version_histogram(TABLE, \'id\')', 'creation_times(TABLE, \'id\', \'created\')', 'uuid_texts(TABLE, \'text\')', 'same_uuids(TABLE, \'text\')',
    'check_texts(TABLE, \'text\', false)', 'check_values(TABLE, \'id\', \'v1_to_v6\', false)', 'check_keys(TABLE, \'id\', TABLE, \'id\', false)', 'other_values(TABLE, \'text\', NULL, NULL, NULL, false)',
    'validate_constraint(TABLE, \'own\', false)')
{
    my $schema = $read =~ /^(check|other|backfill|validate)_/ ? 'uuidx_migrate_steps' : 'uuidx_migrate';
    my $sql = "SELECT t::text FROM $schema." . ($read =~ s/TABLE/'mallory.t'/gr) . ' AS t';
    all_fail(as_superuser($sql, as_owner($sql)), '42501', qr/mallory/, 3, "A superuser does not read a table of another role: $read.");
    is(sprung($node), '', 'The superuser runs no code of that role.');
}
for my $read ('plan(TABLE, \'text\', conversion => \'text_to_uuid\')', 'plan(TABLE, \'id\', conversion => \'to_v7\', created => \'created\')', "plan(TABLE, 'id', conversion => 'to_v7', created => \$\$$dated\$\$)",
    'find_references(TABLE, \'id\')')
{
    my $sql = 'SELECT t::text FROM uuidx_migrate.' . ($read =~ s/TABLE/'mallory.t'/gr) . ' AS t';
    is(session($node, 'dba', $_)->{state}, '', "This reads no row of others, or as its owner: $read.") for $sql, $read =~ /^plan/ ? as_owner($sql) : ();
    is(sprung($node), '', 'A superuser runs no code of another role.');
}
output_of($node, 'alice', 'CREATE TABLE alice.secret (id uuid)');
fails_with(session($node, 'mallory', q{SELECT uuidx_migrate_steps.sampled_values('alice.secret', 'id')}), '42501', qr/secret/,
    'Nobody reads with the rights of another role.');

# --- A schema that comes to another role, who gives its name to another ---
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE postgres TO mallory');
output_of($node, 'mallory', 'CREATE TABLE mallory.decoy AS SELECT gen_random_uuid() AS id, 1 AS n');
my $swap = q{ALTER SCHEMA lent RENAME TO lent_old; CREATE SCHEMA lent; GRANT CREATE, USAGE ON SCHEMA lent TO PUBLIC;
    CREATE VIEW lent.t AS SELECT CASE WHEN mallory.in_view(id) THEN id END AS id, n FROM mallory.decoy WHERE mallory.in_check(1)};
my $back_again = 'DROP SCHEMA lent CASCADE; ALTER SCHEMA lent_old RENAME TO lent';
for my $mode (@both)
{
    output_of($node, 'dba', 'CREATE SCHEMA lent; GRANT CREATE, USAGE ON SCHEMA lent TO PUBLIC');
    output_of($node, 'alice', "CREATE TABLE lent.t (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int DEFAULT 1); INSERT INTO lent.t SELECT FROM generate_series(1, 5)");
    my @steps = steps($node, 'alice', 'lent.t', mode => $mode);
    output_of($node, 'dba', 'ALTER SCHEMA lent OWNER TO mallory');
    output_of($node, 'mallory', $swap);
    session($node, 'alice', join(";\n", @steps), on_error_stop => 0);
    is(sprung($node), '', "An owner does not read a view that took the table's name after the script was written, $mode.");
    output_of($node, 'mallory', $back_again);
    # While the script waits for the table
    output_of($node, 'dba', 'ALTER SCHEMA lent OWNER TO dba');
    output_of($node, 'alice', "BEGIN; LOCK TABLE lent.t IN ACCESS EXCLUSIVE MODE; PREPARE TRANSACTION 'locked'");
    my $errors = '';
    my $file = $node->basedir . '/waits.sql';
    unlink $file;
    append_to_file($file, join ";\n", @steps, '');
    my $waits = IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--username=alice', '--file', $file, $node->connstr('postgres') ], '>', '/dev/null', '2>', \$errors);
    ok($node->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'lent.t'::regclass AND NOT granted)}), "A script waits for its table, $mode.");
    fails_with(session($node, 'alice', q{SELECT uuidx_migrate_steps.lock_relation('lent.t'::regclass, 'ACCESS SHARE', false)}), '55P03',
        qr/could not obtain lock on relation "t"/, 'Another session need not wait.');
    output_of($node, 'dba', 'ALTER SCHEMA lent OWNER TO mallory');
    output_of($node, 'mallory', $swap);
    output_of($node, 'alice', q{ROLLBACK PREPARED 'locked'});
    $waits->finish;
    like($errors, qr/schema "lent_old" of relation "t" belongs to role "mallory"/, 'It goes no further.');
    is(sprung($node), '', 'It does not read a view that took its name meanwhile.');
    output_of($node, 'mallory', $back_again);
    output_of($node, 'dba', 'DROP SCHEMA lent CASCADE');
}

# --- A default whose function is in a schema of another role ---
$node->safe_psql('postgres', 'ALTER SCHEMA keys OWNER TO mallory');
output_of($node, 'alice', 'CREATE TABLE alice.ids (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int); INSERT INTO alice.ids SELECT FROM generate_series(1, 5)');
fails_with(migrate($node, 'alice', 'alice.ids'), '55000', qr/schema keys, which the script names or runs with [^\n]*table [^\n]*ids, belongs to mallory/, 'Its name could be given to another function.');
$node->safe_psql('postgres', 'ALTER SCHEMA keys OWNER TO postgres');

# --- Creation times ---
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
make_dated_table('A role has creation times with a cast of its own.', 'moment');
my @begun = steps($node, 'mallory', 'mallory.t', mode => 'online', %dated);
my ($index) = grep { $begun[$_] =~ /CREATE UNIQUE INDEX CONCURRENTLY/ } 0 .. $#begun;
is(session($node, 'mallory', join ";\n", @begun[ 0 .. $index ])->{state}, '', 'The owner begins a migration.');
like($node->safe_psql('postgres', 'INSERT INTO mallory.t VALUES (gen_random_uuid(), 1) RETURNING id_shadow'), qr/^016f5e66-e800-7/, 'A superuser inserts a row.');
is(sprung($node), 'in_time sprung as postgres', 'The cast runs as whoever inserts the row, as in a CHECK constraint.');

# --- Who may run it ---
my @code = map { @$_[ 1 .. $#$_ ] } grep { $_->[0] =~ /^(a CHECK|a domain|a generated column|an index.*|a trigger|a materialized view)$/ } @kinds;
my $versions = join ' UNION ALL ', map { "SELECT string_agg(DISTINCT keys.uuid_version(id)::text, ',') FROM mallory.$_" } 't', 't_keys';
for my $mode (@both)
{
    make_table('A role has functions in many places.', 5, $plain, @code);
    output_of($node, 'mallory', 'REFRESH MATERIALIZED VIEW mallory.t_keys');
    migrates($node, 'mallory', 'mallory.t', mode => $mode, "The owner migrates the table, $mode.");
    is($node->safe_psql('postgres', $versions), "6\n6", 'Every row is converted.');
    is(sprung($node), '', 'The functions run as their owner.');

    make_table('A role has functions in many places.', 5, $plain, @code);
    output_of($node, 'mallory', 'REFRESH MATERIALIZED VIEW mallory.t_keys');
    migrates($node, 'dba', 'mallory.t', mode => $mode, trust_owners => 'true', "With trust_owners => true, a superuser migrates the table, $mode.");
    is($node->safe_psql('postgres', $versions), "6\n6", 'Every row is converted.');
    migrates($node, 'mallory', 'mallory.t', mode => 'finish', 'The owner drops the old columns.') if $mode eq 'online';
}

$node->stop;
done_testing();
