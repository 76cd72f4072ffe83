# What a script finds by its name is what it was when the script was written: no role can put something of its own in the
# place of what the owner's definitions name, nor take a call, nor lock what belongs to others.

use strict;
use warnings;
use lib 'test/lib';
use Migrations;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('main');
set_trap($node);
$node->safe_psql('postgres', q{
    GRANT CREATE ON DATABASE postgres TO mallory;
    CREATE SCHEMA shared;
    GRANT USAGE ON SCHEMA shared TO PUBLIC;
    GRANT CREATE ON SCHEMA shared TO alice, mallory, dba;
    CREATE SCHEMA AUTHORIZATION dba});
my @both = ('offline', 'online');

# Makes the table t of a role anew, in its own schema, with these objects over it.
sub make_table
{
    my ($role, @definitions) = @_;
    output_of($node, $role, join ";\n", "SET client_min_messages = warning", "DROP TABLE IF EXISTS $role.t CASCADE",
        "CREATE TABLE $role.t (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int DEFAULT 1)",
        "INSERT INTO $role.t SELECT FROM generate_series(1, 5)", @definitions);
    return;
}
my $obstacles = sub { my ($role) = @_; return qq{SELECT DISTINCT o FROM uuidx_migrate.plan('$role.t', 'id', conversion => 'v1_to_v6'), unnest(obstacles) AS o ORDER BY o} };
sub obstacles_of { my ($role) = @_; return output_of($node, $role, $obstacles->($role)) }
sub hints_of { my ($role) = @_; return output_of($node, $role, $obstacles->($role) =~ s/obstacles/hints/r) }
sub version { my ($role) = @_; return $node->safe_psql('postgres', "SELECT DISTINCT keys.uuid_version(id) FROM $role.t") }

# --- What the definitions of an owner name, and who could give the name to something else ---
output_of($node, 'mallory', q{
    CREATE TABLE mallory.o (id uuid, n int);
    CREATE DOMAIN mallory.checked AS int;
    CREATE FUNCTION mallory.same(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
    CREATE FUNCTION mallory.new_key() RETURNS uuid LANGUAGE sql AS 'SELECT gen_random_uuid()';
    CREATE COLLATION mallory.plain (LOCALE = 'C');
    CREATE OPERATOR mallory.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
    CREATE SCHEMA lent;
    GRANT CREATE, USAGE ON SCHEMA lent TO PUBLIC;
    GRANT SELECT ON mallory.o TO PUBLIC});
$node->safe_psql('postgres', q{
    CREATE OPERATOR CLASS mallory.ops FOR TYPE uuid USING btree AS
        OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 uuid_cmp(uuid, uuid);
    ALTER OPERATOR CLASS mallory.ops USING btree OWNER TO mallory;
    ALTER OPERATOR FAMILY mallory.ops USING btree OWNER TO mallory});
for my $role ('dba', 'alice')
{
    output_of($node, $role, "CREATE TYPE $role.span AS RANGE (subtype = mallory.checked)");
    make_table($role);
    is(obstacles_of($role), '', "A table of $role alone has no obstacle.");
    my @cases = (
        [ 'schema lent', "CREATE VIEW lent.v AS SELECT id FROM $role.t" ],
        [ 'schema lent', "CREATE STATISTICS lent.s ON id, n FROM $role.t" ],
        [ 'schema mallory|table mallory.o', "CREATE VIEW $role.v AS SELECT t.id FROM $role.t JOIN mallory.o USING (n)" ],
        [ 'schema mallory|table mallory.o', "CREATE MATERIALIZED VIEW $role.v AS SELECT t.id FROM $role.t JOIN mallory.o USING (n)" ],
        [ 'schema mallory|type mallory.checked|type mallory.checked[]', "CREATE VIEW $role.v AS SELECT id, '{1}'::mallory.checked[] AS c FROM $role.t" ],
        [ 'schema mallory|type mallory.checked', "CREATE VIEW $role.v AS SELECT id, '[1,2)'::$role.span AS c FROM $role.t" ],
        [ 'function mallory.same(integer)|schema mallory', "CREATE VIEW $role.v AS SELECT id, mallory.same(n) AS n FROM $role.t" ],
        [ 'schema mallory|type mallory.checked', "CREATE TYPE $role.pair AS (a mallory.checked, b int)", "CREATE VIEW $role.v AS SELECT id, '(1,2)'::$role.pair AS c FROM $role.t" ],
        [ 'function mallory.same(integer)|schema mallory', "CREATE DOMAIN $role.ours AS int CHECK (mallory.same(VALUE) = 1)", "CREATE VIEW $role.v AS SELECT id, '{1}'::$role.ours[] AS c FROM $role.t" ],
        # Whoever owns the type of a column or an argument could make a cast.
        [ 'schema mallory|type mallory.checked', "ALTER TABLE $role.t ADD c mallory.checked", "CREATE VIEW $role.v AS SELECT id, c FROM $role.t" ],
        [ 'schema mallory|type mallory.checked', "CREATE OR REPLACE FUNCTION $role.same(mallory.checked) RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE VIEW $role.v AS SELECT id, $role.same(NULL) FROM $role.t" ],
        [ 'operator mallory.===(integer,integer)|schema mallory', "CREATE VIEW $role.v AS SELECT id FROM $role.t WHERE n OPERATOR(mallory.===) 1" ],
        [ 'collation mallory.plain|schema mallory', qq{CREATE VIEW $role.v AS SELECT id, n::text COLLATE mallory.plain AS n FROM $role.t} ],
        [ 'function mallory.same(integer)|schema mallory', "CREATE POLICY p ON $role.t USING (id IS NOT NULL AND mallory.same(n) = 1)" ],
        [ 'function mallory.same(integer)|schema mallory', "CREATE RULE r AS ON DELETE TO $role.t WHERE old.id IS NULL AND mallory.same(old.n) = 2 DO ALSO NOTHING" ],
        [ 'function mallory.same(integer)|schema mallory', "CREATE FUNCTION $role.f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(id) FROM $role.t WHERE mallory.same(n) = 1; END" ],
        [ 'function mallory.same(integer)|schema mallory', "CREATE TRIGGER own AFTER INSERT ON $role.t FOR EACH ROW WHEN (new.id IS NULL AND mallory.same(new.n) = 1) EXECUTE FUNCTION suppress_redundant_updates_trigger()" ],
        [ 'function mallory.same(integer)|schema mallory', "ALTER TABLE $role.t ADD CHECK (id IS NOT NULL OR mallory.same(n) = 1)" ],
        [ 'function mallory.same(integer)|schema mallory', "ALTER TABLE $role.t ADD g boolean GENERATED ALWAYS AS (id IS NULL OR mallory.same(n) = 1) STORED" ],
        [ 'function mallory.same(integer)|schema mallory', "CREATE INDEX ON $role.t (mallory.same(n), id)" ],
        # What an UPDATE runs, and no statement names
        [ 'function mallory.same(integer)', "ALTER TABLE $role.t ADD CHECK (mallory.same(n) = 1)" ],
        [ 'function mallory.same(integer)', "ALTER TABLE $role.t ADD g int GENERATED ALWAYS AS (mallory.same(n)) STORED" ],
        [ 'function mallory.same(integer)', "CREATE INDEX ON $role.t (n) WHERE mallory.same(n) = 1" ],
        [ 'operator class mallory.ops for access method btree|schema mallory', "CREATE INDEX ON $role.t (id mallory.ops)" ],
        [ 'function mallory.same(integer)|schema mallory', "CREATE MATERIALIZED VIEW $role.v AS SELECT id, n FROM $role.t", "CREATE INDEX ON $role.v (mallory.same(n))" ]);
    # The rule is the same for any other role.
    @cases = grep { "@$_" =~ /VIEW/ } @cases if $role ne 'dba';
    my @obstacles = split /^next;\n/m, output_of($node, $role, join ";\n", map { my (undef, @definitions) = @$_;
        ('BEGIN', @definitions, $obstacles->($role), 'ROLLBACK', '\echo next') } @cases);
    for my $n (0 .. $#cases)
    {
        my ($named, @definitions) = @{ $cases[$n] };
        my @belongs = $obstacles[$n] =~ /^(.*), which the script names or runs with .*, belongs to mallory$/mg;
        is(join('|', sort @belongs), $named, "$role: $definitions[-1]") or diag($obstacles[$n]);
    }
    my $plan = $obstacles->($role) =~ s/'v1_to_v6'/'v1_to_v6', new_default => 'mallory.new_key()'/r;
    is(join('|', output_of($node, $role, $plan) =~ /^(.*), which the script names or runs with .*, belongs to mallory$/mg), 'function mallory.new_key()|schema mallory', "$role: a new default");
}

# To give a function away gives its code the rights of the new owner: no hint says so.
make_table('dba', 'ALTER TABLE dba.t ADD CHECK (mallory.same(n) = 1)');
is(hints_of('dba'), 'Have a function of dba or of a superuser called instead, or set trust_owners => true if you trust mallory with all your rights.',
    'Whoever trusts no other role names another function.');

# What reads the key has one obstacle, whoever it belongs to.
make_table('dba', 'CREATE VIEW dba.v AS SELECT id FROM dba.t', 'ALTER VIEW dba.v OWNER TO mallory');
is(obstacles_of('dba'), 'view dba.v, which reads a migrated column, belongs to mallory', 'A view of another role is one obstacle, not two.');

# The names that a migration used do not matter to what drops its columns.
make_table('dba');
my %trusting = (conversion => 'to_v7', created => 'to_timestamp(mallory.same(n))', new_default => 'mallory.new_key()');
migrates($node, 'dba', 'dba.t', mode => 'online', %trusting, trust_owners => 'true', 'One migrates with functions of a role that one trusts,');
migrates($node, 'dba', 'dba.t', mode => 'finish', %trusting, 'and need not trust it to finish.');

output_of($node, 'alice', 'CREATE TABLE lent.t (id uuid PRIMARY KEY)');
like(output_of($node, 'alice', q{SELECT unnest(obstacles) FROM uuidx_migrate.plan('lent.t', 'id', conversion => 'to_v7', rows_without_time => 'epoch')}),
    qr/schema lent/, 'A plan says that the schema of the table belongs to another role.');
output_of($node, 'alice', 'DROP TABLE lent.t');

# --- A schema that comes to another role after the script was written, who then gives its names to others ---
# Also a table that becomes a view, up to PostgreSQL 15, has the same obstacle: it belongs to that role.
my $swap = q{ALTER SCHEMA passed RENAME TO passed_old; CREATE SCHEMA passed; GRANT USAGE ON SCHEMA passed TO PUBLIC;
    CREATE FUNCTION passed.same(anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM mallory.spring('same'); RETURN $1; END$$;
    CREATE VIEW passed.v AS SELECT gen_random_uuid() AS id, 1 AS n WHERE mallory.spring('view');
    CREATE VIEW passed.o AS SELECT 1 AS n WHERE mallory.spring('view');
    GRANT ALL ON ALL TABLES IN SCHEMA passed TO PUBLIC};
my @make_passed = (q{CREATE TABLE passed.o AS SELECT 1 AS n;
    CREATE FUNCTION passed.same(anyelement) RETURNS anyelement LANGUAGE sql IMMUTABLE AS 'SELECT $1'});
# It comes to that role at once, or when a script has come to such a step.
for my $case ([ 'dba', 'offline', '' ], [ 'dba', 'online', ': build indexes' ], [ 'dba', 'online', 'REFRESH' ],
    [ 'dba', 'online', ': cutover' ], [ 'alice', 'online', ': cutover' ])
{
    my ($role, $mode, $step) = @$case;
    $node->safe_psql('postgres', "CREATE SCHEMA passed AUTHORIZATION $role; GRANT USAGE ON SCHEMA passed TO PUBLIC");
    output_of($node, $role, @make_passed);
    make_table($role, "CREATE VIEW passed.v AS SELECT id, n FROM $role.t", "CREATE MATERIALIZED VIEW $role.m AS SELECT id, passed.same(o.n) FROM $role.t JOIN passed.o USING (n)",
        "CREATE INDEX ON $role.t (passed.same(id))", "CREATE STATISTICS $role.s ON passed.same(id) FROM $role.t",
        "ALTER TABLE $role.t ADD CONSTRAINT checked CHECK (passed.same(id) IS NOT NULL)");
    my @steps = steps($node, $role, "$role.t", mode => $mode);
    my ($at) = grep { $steps[$_] =~ /$step/ } 0 .. $#steps;
    session($node, $role, join ";\n", @steps[ 0 .. $at - 1 ]) if $at;
    $node->safe_psql('postgres', 'ALTER SCHEMA passed OWNER TO mallory');
    output_of($node, 'mallory', $swap);
    # Whoever goes on after an error comes to the next statement that asks what the names are.
    my @chunks;
    for (@steps[ $at .. $#steps ]) { push @chunks, [] if !@chunks || /CALL|check_/; push @{ $chunks[-1] }, $_ }
    my @states = map { session($node, $role, join ";\n", @$_)->{state} } @chunks;
    is(join(' ', grep { $_ } @states), join(' ', map { '55000' } grep { "@$_" =~ /check_(again|script)/ } @chunks),
        "A script of $role does not go on with what took the names, $mode, $step.") or diag("@states");
    is(sprung($node), '', 'It runs nothing of it.');
    is(version($role), '1', 'No key is converted.');
    session($node, $role, "SELECT * FROM passed.v; SELECT * FROM $role.m");
    $node->safe_psql('postgres', 'DROP SCHEMA passed CASCADE; ALTER SCHEMA passed_old RENAME TO passed');
    sprung($node);
    fails_with(migrate($node, $role, "$role.t", mode => $mode), '55000',
        qr/schema passed, which the script names or runs with [^\n]*, belongs to mallory: Give it to $role or to a superuser, or set trust_owners => true if you trust mallory with all your rights\./,
        'A script is not written either.');
    $node->safe_psql('postgres', "ALTER SCHEMA passed OWNER TO $role");
    migrates($node, $role, "$role.t", mode => $mode, "With the schema of $role, the migration goes on, $mode.");
    is(version($role), '6', 'All keys are converted.');
    if ($step eq ': cutover')
    {
        my @finish = steps($node, $role, "$role.t", mode => 'finish');
        $node->safe_psql('postgres', "ALTER SCHEMA $role OWNER TO mallory");
        fails_with(session($node, $role, join ";\n", @finish), '42501', qr/schema "$role" of relation "t" belongs to role "mallory"\nHINT:  Give the schema to the owner of the relation or to a superuser, or set trust_owners => true if you trust that role with all your rights\./,
            'Nothing is dropped by names that another role could give to others.');
        $node->safe_psql('postgres', "ALTER SCHEMA $role OWNER TO $role");
    }
    output_of($node, $role, 'DROP SCHEMA passed CASCADE');
}

# Between two statements of a cutover, the one that makes a view and the next
$node->safe_psql('postgres', 'CREATE SCHEMA passed AUTHORIZATION dba');
output_of($node, 'dba', @make_passed);
make_table('dba', map { "CREATE VIEW dba.v$_ AS SELECT id, passed.same(n) FROM dba.t JOIN passed.o USING (n)" } 1 .. 3);
$node->safe_psql('postgres', qq{
    CREATE FUNCTION swap() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS \$swap\$
    BEGIN
        IF to_regnamespace('passed_old') IS NULL AND pg_get_viewdef('dba.v1'::regclass) ~ 'same' THEN
            $swap; ALTER SCHEMA passed OWNER TO mallory; ALTER FUNCTION passed.same(anyelement) OWNER TO mallory;
            ALTER VIEW passed.o OWNER TO mallory;
        END IF;
    END \$swap\$});
for my $mode (@both)
{
    my @steps = steps($node, 'dba', 'dba.t', mode => $mode);
    $node->safe_psql('postgres', q{CREATE EVENT TRIGGER swap ON ddl_command_end WHEN TAG IN ('CREATE VIEW') EXECUTE FUNCTION swap()});
    fails_with(session($node, 'dba', join ";\n", @steps), '55000',
        qr/view dba\.v\d would (?:no longer )?depend on [^\n]*\nDETAIL:  Its definition means another object than the one that it was made with\.\nHINT:  Have its definition name the object that it means, or drop or rename the other, and run the script again from the top\./,
        "What was swapped after a statement is noticed, $mode.");
    is(sprung($node), '', 'It is not run.');
    is(version('dba'), '1', 'No key is converted.');
    $node->safe_psql('postgres', 'DROP EVENT TRIGGER swap');
}
migrates($node, 'dba', 'dba.t', mode => 'online', 'Without the swap, the migration goes on.');
$node->safe_psql('postgres', 'DROP FUNCTION swap');
output_of($node, 'dba', 'DROP SCHEMA passed CASCADE');

# --- A function that takes a call, where others may create functions ---
output_of($node, 'dba', q{CREATE FUNCTION shared.pick(anyelement) RETURNS anyelement LANGUAGE sql IMMUTABLE AS 'SELECT $1'});
for my $case (
    [ "view dba.v", "CREATE VIEW dba.v AS SELECT shared.pick(id) AS id FROM dba.t" ],
    [ 'materialized view dba.v', "CREATE MATERIALIZED VIEW dba.v AS SELECT shared.pick(id) AS id FROM dba.t" ],
    [ "policy p on table dba.t", "CREATE POLICY p ON dba.t USING (shared.pick(id) IS NOT NULL)" ],
    [ "function dba.f()", "CREATE OR REPLACE FUNCTION dba.f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(shared.pick(id)) FROM dba.t; END" ],
    [ "trigger own on table dba.t", "CREATE TRIGGER own AFTER INSERT ON dba.t FOR EACH ROW WHEN (shared.pick(new.id) IS NULL) EXECUTE FUNCTION suppress_redundant_updates_trigger()" ])
{
    my ($object, @definitions) = @$case;
    for my $mode ($object =~ /view/ ? @both : 'online')
    {
        make_table('dba', @definitions);
        output_of($node, 'mallory', q{CREATE FUNCTION shared.pick(uuid) RETURNS uuid LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM mallory.spring('pick'); RETURN $1; END$$});
        fails_with(migrate($node, 'dba', 'dba.t', mode => $mode), '55000', qr/(?:\Q$object\E|the twin of a materialized view) would depend on function shared\.pick\(uuid\), as it did not before/, "No function takes a call, $mode: $definitions[-1]");
        is(sprung($node), '', 'None runs.');
        is(version('dba'), '1', 'No key is converted.');
        output_of($node, 'mallory', 'DROP FUNCTION shared.pick(uuid)');
        migrates($node, 'dba', 'dba.t', mode => $mode, 'Without it, the migration goes on.');
    }
}
make_table('dba',
    "CREATE INDEX i ON dba.t (shared.pick(id))",
    "CREATE INDEX partial ON dba.t (n) WHERE shared.pick(id) IS NOT NULL",
    "CREATE STATISTICS dba.s ON (shared.pick(id)), n FROM dba.t",
    "ALTER TABLE dba.t ADD CONSTRAINT c CHECK (shared.pick(id) IS NOT NULL)",
    "ALTER TABLE dba.t ADD g uuid GENERATED ALWAYS AS (shared.pick(id)) STORED",
    "ALTER TABLE dba.t ALTER id SET DEFAULT shared.pick(keys.uuid_generate_v1())");
is(join(', ', obstacles_of('dba') =~ /^[^\n]*mallory[^\n]* may create functions in schema shared, of which ([^\n]*) calls function shared\.pick\(anyelement\)$/mg),
    'column g of table t, column id of table t, constraint c on table t, index i, index partial, statistics object s', 'What runs as it is made is an obstacle where others may create functions.');
like(hints_of('dba'), qr/^Revoke CREATE on schema shared until the migration is finished, or set trust_owners => true if you trust whoever has it with all your rights\.$/m,
    'The hint is to let nobody create them.');
# A definition does not spell out the type of ROW(...).
output_of($node, 'dba', q{CREATE TYPE dba.pair AS (a uuid, b int); CREATE FUNCTION shared.fits(dba.pair) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN true});
make_table('dba', 'ALTER TABLE dba.t ADD CONSTRAINT c CHECK (shared.fits(ROW(id, n)))');
output_of($node, 'mallory', q{CREATE FUNCTION shared.fits(record) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN mallory.spring('fits'); END$$});
fails_with(migrate($node, 'dba', 'dba.t', mode => 'offline'), '55000', qr/mallory[^\n]* may create functions in schema shared, of which constraint c on table [^\n]* calls function shared\.fits\([^\n]*pair\)/,
    'So is a function that takes a row.');
is(sprung($node), '', 'Another one does not take the call.');
output_of($node, 'dba', 'DROP TABLE dba.t CASCADE; DROP FUNCTION shared.pick(anyelement); DROP FUNCTION shared.fits(dba.pair)');

# --- What `created` calls ---
output_of($node, 'mallory', q{CREATE FUNCTION mallory.time_of(int) RETURNS timestamptz LANGUAGE sql IMMUTABLE RETURN timestamptz '2026-01-01 00:00:00+00'});
output_of($node, 'dba', q{CREATE FUNCTION shared.time_at(anyelement, int) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$SELECT timestamptz '2026-01-01 00:00:00+00'$$});
output_of($node, 'dba', q{CREATE FUNCTION shared.time_of(anyelement) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$SELECT timestamptz '2026-01-01 00:00:00+00'$$});
make_table('dba', 'CREATE OPERATOR shared.@@@ (LEFTARG = anyelement, RIGHTARG = int, FUNCTION = shared.time_at)');
for my $case ([ 'mallory.time_of(n)', qr/^function mallory\.time_of\(integer\), which the script names or runs with table t, belongs to mallory$/m ],
    [ 'to_timestamp((n::mallory.checked)::int)', qr/^type mallory\.checked, which the script names or runs with table t, belongs to mallory$/m ],
    [ 'n OPERATOR(shared.@@@) 1', qr/mallory[^\n]* may create functions in schema shared, of which table t calls operator shared\.@@@\(anyelement,integer\)$/m ],
    [ 'shared.time_of(n)', qr/mallory[^\n]* may create functions in schema shared, of which table t calls function shared\.time_of\(anyelement\)$/m ])
{
    my ($created, $obstacle) = @$case;
    like(output_of($node, 'dba', qq{SELECT o FROM uuidx_migrate.plan('dba.t', 'id', conversion => 'to_v7', created => '$created'), unnest(obstacles) AS o}), $obstacle,
        "Others could run their code by an expression for the creation time: $created");
}

# --- Operators that a definition does not name ---
output_of($node, 'dba', q{CREATE TYPE dba.word AS (w text);
    CREATE FUNCTION dba.is(dba.word, dba.word) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN lower(($1).w) = lower(($2).w);
    CREATE OPERATOR dba.= (LEFTARG = dba.word, RIGHTARG = dba.word, FUNCTION = dba.is)});
make_table('dba', 'ALTER TABLE dba.t ADD w dba.word', 'CREATE TABLE dba.words (w dba.word)', 'SET search_path = dba, pg_catalog',
    "CREATE VIEW dba.v_distinct AS SELECT id FROM dba.t WHERE w IS DISTINCT FROM ROW('tea')::dba.word",
    "CREATE VIEW dba.v_nullif AS SELECT id, NULLIF(w, ROW('tea')::dba.word) FROM dba.t",
    "CREATE VIEW dba.v_using AS SELECT id FROM dba.t JOIN dba.words USING (w)",
    "CREATE VIEW dba.v_case AS SELECT id, CASE w WHEN ROW('tea')::dba.word THEN 1 END FROM dba.t",
    "CREATE VIEW dba.v_named AS SELECT id FROM dba.t WHERE w = ROW('tea')::dba.word",
    "ALTER TABLE dba.t ADD CONSTRAINT c CHECK (id IS NOT NULL OR w IS DISTINCT FROM ROW('tea')::dba.word)",
    "CREATE INDEX i ON dba.t (id) WHERE w IS DISTINCT FROM ROW('tea')::dba.word");
is(join(', ', obstacles_of('dba') =~ /^(.*) calls operator =\(word,word\), which its definition does not name$/mg),
    'constraint c on table t, index i, view v_case, view v_distinct, view v_nullif, view v_using',
    'Without its schema in search_path, a definition that does not name an operator would mean another one.');
like(hints_of('dba'), qr/^Write the condition with OPERATOR\(dba\.=\) instead\.$/m, 'The hint is to name it.');
output_of($node, 'dba', 'DROP TABLE dba.t, dba.words CASCADE; DROP OPERATOR dba.= (dba.word, dba.word)');

# --- Settings of a session or a database, on which it depends what a definition means ---
my @meanings = (
    q{CREATE VIEW alice.v AS SELECT id, '{tea,NULL}'::text[] AS a, '\d'::text AS b, '-1 days +02:00:00'::interval AS i, n = NULL AS n FROM alice.t},
    q{ALTER TABLE alice.t ADD CHECK (id IS NOT NULL OR '{tea,NULL}'::text[] = ARRAY['\d'])},
    q{CREATE INDEX parts ON alice.t (id) WHERE '{tea,NULL}'::text[] <> ARRAY['\d']});
my $what_is_meant = q{SELECT pg_get_viewdef(to_regclass('alice.v')), pg_get_constraintdef(oid), pg_get_indexdef('alice.parts'::regclass) FROM pg_constraint WHERE conrelid = 'alice.t'::regclass AND conname = 't_id_check'};
my @settings = ('array_nulls = off', 'transform_null_equals = on', 'xmloption = document', 'IntervalStyle = sql_standard');
push @settings, 'standard_conforming_strings = off', 'escape_string_warning = off' if $node->safe_psql('postgres', 'SHOW server_version_num') < 190000;
# A rewrite reads CHECK constraints and predicates, also where no view is made anew.
for my $case ([ 'online', @meanings ], [ 'offline', @meanings ], [ 'offline', @meanings[ 1, 2 ] ])
{
    my ($mode, @definitions) = @$case;
    make_table('alice', @definitions);
    my $before = $node->safe_psql('postgres', $what_is_meant);
    $node->safe_psql('postgres', "ALTER ROLE alice SET $_") for @settings;
    migrates($node, 'alice', 'alice.t', mode => $mode, "A session with other settings migrates, $mode.");
    is($node->safe_psql('postgres', $what_is_meant), $before, 'Definitions mean what they meant.');
    $node->safe_psql('postgres', 'ALTER ROLE alice RESET ALL');
}
output_of($node, 'alice', 'DROP TABLE alice.t CASCADE');

# --- What belongs to others ---
make_table('dba', 'GRANT USAGE ON SCHEMA dba TO mallory', 'CREATE VIEW dba.v AS SELECT id FROM dba.t', 'GRANT SELECT ON dba.v TO mallory');
my $state = q{SELECT uuidx_migrate_steps.catalog_state('{dba.t}')};
my @states = (output_of($node, 'dba', $state));
output_of($node, 'mallory', 'CREATE MATERIALIZED VIEW mallory.m AS SELECT id FROM dba.v; CREATE PUBLICATION of_mallory');
output_of($node, 'mallory', 'CREATE VIEW mallory.w AS SELECT n FROM dba.t; CREATE FUNCTION mallory.g() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(n) FROM dba.t; END');
push @states, output_of($node, 'dba', $state);
output_of($node, 'dba', 'CREATE PUBLICATION of_dba FOR TABLE dba.t');
push @states, output_of($node, 'dba', $state);
is($states[1], $states[0], 'No publication, view or function of another role has a cutover begin anew,');
isnt($states[2], $states[1], 'only one of the table.');
output_of($node, 'dba', 'DROP PUBLICATION of_dba');
is(output_of($node, 'dba', q{SELECT DISTINCT r FROM uuidx_migrate.plan('dba.t', 'id', conversion => 'v1_to_v6'), unnest(remarks) AS r WHERE r LIKE '%mallory%'}),
    'materialized view mallory.m of another role, which is not refreshed: have its owner refresh it afterwards', 'A remark names a materialized view of another role.');
unlike(join(';', steps($node, 'dba', 'dba.t', mode => $_)), qr/REFRESH/, "The script does not run its query, $_.") for @both;
output_of($node, 'mallory', 'DROP MATERIALIZED VIEW mallory.m; DROP VIEW mallory.w; DROP FUNCTION mallory.g; DROP PUBLICATION of_mallory');
make_table('dba', 'CREATE VIEW dba.v AS SELECT id, n FROM dba.t', 'CREATE VIEW dba.w AS SELECT id, mallory.same(n) FROM dba.v',
    'CREATE MATERIALIZED VIEW dba.m AS SELECT id FROM dba.v', 'CREATE MATERIALIZED VIEW dba.of_others AS TABLE dba.w');
like(output_of($node, 'dba', q{SELECT DISTINCT r FROM uuidx_migrate.plan('dba.t', 'id', conversion => 'v1_to_v6'), unnest(remarks) AS r}),
    qr/^materialized view of_others, which runs functions of other roles and is not refreshed: refresh it afterwards if you trust them$/m, 'A remark names a materialized view whose query runs functions of other roles.');
is(join(', ', join(';', steps($node, 'dba', 'dba.t', mode => $_)) =~ /REFRESH MATERIALIZED VIEW ([\w.]+)/g), 'dba.m', "The script refreshes another one alone, $_.") for @both;
make_table('dba', 'CREATE VIEW dba.w AS SELECT mallory.same(1) AS n', 'CREATE MATERIALIZED VIEW dba.of_others AS SELECT id FROM dba.t JOIN dba.w USING (n)');
is(obstacles_of('dba'), 'materialized view of_others, which is filled again, runs functions of other roles', 'It is an obstacle where the script has to fill it.');
is(hints_of('dba'), 'Drop it, and create it again afterwards, or set trust_owners => true if you trust those roles with all your rights.', 'The hint is to leave that to the user.');

make_table('dba', 'GRANT USAGE ON SCHEMA dba TO mallory', 'GRANT SELECT ON dba.t TO mallory', 'CREATE MATERIALIZED VIEW shared.m AS SELECT id FROM dba.t');
my @with_twin = steps($node, 'dba', 'dba.t', mode => 'online');
my ($twin) = grep { $with_twin[$_] =~ /m_shadow/ } 0 .. $#with_twin;
output_of($node, 'dba', join ";\n", @with_twin[ 0 .. $twin - 1 ]);
output_of($node, 'mallory', 'CREATE MATERIALIZED VIEW shared.m_shadow AS SELECT id_shadow AS id FROM dba.t');
like(obstacles_of('dba'), qr/^online: materialized view shared.m_shadow has a name that the migration needs$/m, 'What another role builds over a shadow column is no twin.');
output_of($node, 'mallory', 'DROP MATERIALIZED VIEW shared.m_shadow');

# Who gives up has a default again whose schema belongs to another role since.
make_table('dba', 'CREATE SCHEMA let_out', q{CREATE FUNCTION let_out.made() RETURNS uuid LANGUAGE sql AS 'SELECT gen_random_uuid()'},
    'ALTER TABLE dba.t ALTER id SET DEFAULT let_out.made()', 'UPDATE dba.t SET id = let_out.made()');
my %to_v7 = (mode => 'online', conversion => 'to_v7', created => 'to_timestamp(1767225600 + n)', new_default => 'keys.uuid_generate_v7()');
output_of($node, 'dba', 'SELECT sql FROM ' . script_call('dba.t', %to_v7) . q{ WHERE phase IN ('check', 'shadow') ORDER BY step \gexec});
output_of($node, 'dba', 'ALTER SCHEMA let_out OWNER TO mallory');
my %give_up = (mode => 'finish', conversion => 'from_v7');
fails_with(written($node, 'dba', 'dba.t', %give_up), '55000',
    qr/^schema let_out, which the script names or runs with table dba.t, belongs to mallory: Give it to dba or to a superuser, or set trust_owners => true if you trust mallory/m,
    'Giving up a migration does not put back a default of another role.');
like(join(';', steps($node, 'dba', 'dba.t', %give_up, trust_owners => 'true')), qr/SET DEFAULT let_out.made\(\)/, 'It may if one trusts that role.');
output_of($node, 'dba', 'ALTER SCHEMA let_out OWNER TO dba');
migrates($node, 'dba', 'dba.t', %give_up, 'A migration is given up.');

# --- A member of the owner, who trusts it, migrates for it ---
make_table('alice');
$node->safe_psql('postgres', 'GRANT alice TO bob');
my @as_member = (conversion => 'to_v7', created => 'to_timestamp(1767225600 + n)', trust_owners => 'true');
output_of($node, 'alice', 'ALTER TABLE alice.t ALTER id SET DEFAULT gen_random_uuid(); UPDATE alice.t SET id = gen_random_uuid()');
for my $mode (@both)
{
    migrates($node, 'bob', 'alice.t', mode => $mode, @as_member, "He migrates, $mode.");
    output_of($node, 'alice', 'INSERT INTO alice.t DEFAULT VALUES');
    is($node->safe_psql('postgres', q{SELECT DISTINCT r.rolname FROM pg_shdepend AS d JOIN pg_roles AS r ON r.oid = d.refobjid WHERE d.deptype = 'o' AND d.dbid <> 0 AND r.rolname = 'bob'
        AND d.objid NOT IN (SELECT oid FROM pg_namespace)}), '', 'Nothing that the script has made is his.');
    migrates($node, 'alice', 'alice.t', mode => $mode, conversion => 'from_v7', "The owner undoes it, $mode.");
    migrates($node, 'alice', 'alice.t', mode => 'finish', conversion => 'from_v7', 'And drops what is left of it.') if $mode eq 'online';
}
$node->safe_psql('postgres', 'REVOKE alice FROM bob');
make_table('dba', 'CREATE FUNCTION dba.f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(id) FROM dba.t; END', 'ALTER FUNCTION dba.f() DEPENDS ON EXTENSION uuidx_ossp');
is(obstacles_of('dba'), 'function f(), which depends on extension uuidx_ossp', 'No dependency on an extension is lost.');
output_of($node, 'dba', 'DROP FUNCTION dba.f()');

# --- Locks ---
make_table('alice', 'GRANT SELECT, INSERT, UPDATE, DELETE ON alice.t TO PUBLIC');
for my $call (q{uuidx_migrate_steps.lock_relation('alice.t'::regclass, 'ACCESS EXCLUSIVE', true)}, q{uuidx_migrate_steps.lock_relation('alice.t'::regclass, 'SHARE UPDATE EXCLUSIVE', false)},
    q{uuidx_migrate_steps.lock_relations('{alice.t}', 'SHARE', NULL, true)}, q{uuidx_migrate_steps.lock_table('alice.t', 'ACCESS EXCLUSIVE', true)})
{
    fails_with(session($node, 'mallory', "SELECT $call"), '42501', qr/must be owner of table t/, "No role locks a table of another one: $call");
}
fails_with(session($node, 'mallory', q{CALL uuidx_migrate_steps.locked('{alice.t}', 'true', 'SELECT 1', trust_owners => true)}), '42501', qr/must be owner of table t/,
    'Nor with statements of its own.');
fails_with(session($node, 'alice', q{SELECT uuidx_migrate_steps.lock_relation('alice.t'::regclass, 'SOME', true)}), '22023', qr/lock mode "SOME" does not exist/, 'The mode must be one.');
fails_with(session($node, 'alice', q{SELECT uuidx_migrate_steps.lock_relation(4294967295, 'SHARE', true)}), '42P01', qr/relation with OID 4294967295 does not exist/, 'So must the relation.');

# --- Dependencies ---
fails_with(session($node, 'alice', q{SELECT uuidx_migrate_steps.check_dependencies('{alice.t}')}), '55000', qr/no dependencies were noted/, 'What was not noted is not compared.');

# --- Privileges that another role than the owner has granted ---
make_table('alice', 'CREATE MATERIALIZED VIEW alice.v AS SELECT id FROM alice.t', 'GRANT SELECT ON alice.v TO bob WITH GRANT OPTION', 'GRANT SELECT (id) ON alice.t TO bob WITH GRANT OPTION');
output_of($node, 'bob', 'GRANT SELECT ON alice.v TO mallory; GRANT SELECT (id) ON alice.t TO mallory');
is(obstacles_of('alice'), "privileges on column id of t, which is created again, were granted by bob\nprivileges on materialized view alice.v, which is created again, were granted by bob",
    'Grants of others are obstacles: they could no longer revoke them.');
is(hints_of('alice'), 'Revoke them, and have the owner grant them.', 'The hint is to let the owner grant them.');

$node->stop;
done_testing();
