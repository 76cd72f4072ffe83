# One script of several keys: tables of several owners, names that need quotes, scripts that are run late, twice at once, or
# not to the end.

use strict;
use warnings;
use lib 'test/lib';
use IPC::Run ();
use Migrations;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('keys', 'max_connections = 20');
set_trap($node);

# all(ROLE, KEYS, MODE, CONVERSION, ARGUMENTS, WHERE): runs the script of these keys, or a part of it.
sub all
{
    my ($role, $keys, $mode, $conversion, $arguments, $where) = @_;
    my $created = $conversion eq 'to_v7' ? ", created => 'created_at'" : '';
    my $call = sprintf "uuidx_migrate.keys_script('%s', '$mode', '$conversion'$created%s)", $keys =~ s/'/''/gr, $arguments // '';
    return session($node, $role, "WITH s AS MATERIALIZED (SELECT * FROM $call) SELECT sql FROM s " . ($where // '') . ' ORDER BY step \gexec');
}

sub all_run
{
    my $test = pop @_;
    my $run = all(@_);
    is($run->{state}, '', $test) or diag($run->{messages});
    return;
}

# The versions of the keys and references of a schema, as alice sees them
sub versions
{
    my ($schema) = @_;
    return output_of($node, 'alice', qq{
        SELECT format('SELECT %L, keys.uuid_version(%I), count(*) FROM %I.%I GROUP BY 2', '$schema.' || c.relname || '.' || a.attname, a.attname, '$schema', c.relname)
        FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
        WHERE c.relnamespace = '$schema'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relowner = 'alice'::regrole
          AND a.attname !~ '_shadow' AND a.atttypid = 'uuid'::regtype ORDER BY 1 \\gexec}) =~ s/\n/ /gr;
}

# --- Tables of several owners ---
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE postgres TO mallory; GRANT CREATE ON SCHEMA alice TO mallory');
output_of($node, 'alice', q{
    CREATE TABLE alice.customers (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz DEFAULT now());
    CREATE TABLE alice.orders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), customer uuid REFERENCES alice.customers, created_at timestamptz DEFAULT now());
    INSERT INTO alice.customers SELECT FROM generate_series(1, 20);
    INSERT INTO alice.orders (customer) SELECT id FROM alice.customers});
output_of($node, 'mallory', q{
    CREATE DOMAIN mallory.moment AS timestamptz CHECK (mallory.spring('domain'));
    CREATE FUNCTION mallory.of(mallory.moment) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM mallory.spring('cast'); RETURN now(); END $$;
    CREATE TABLE alice.wanted (id uuid PRIMARY KEY, created_at mallory.moment, CHECK (mallory.spring('check') OR id IS NULL));
    CREATE INDEX ON alice.wanted ((mallory.spring('index') OR id IS NULL));
    INSERT INTO alice.wanted VALUES (gen_random_uuid(), now());
    CREATE SCHEMA "alice; DROP TABLE alice.orders";
    CREATE TABLE alice."customers
DROP TABLE alice.orders; --" (id uuid PRIMARY KEY)});
sprung($node);
for my $role ('alice', 'dba')
{
    my $run = session($node, $role, q{SELECT key, obstacles FROM uuidx_migrate.keys_plan('{alice}', 'online', 'to_v7', created => 'created_at')});
    is($run->{state}, '', "$role sees the plan of tables of several owners.");
    like($run->{output}, qr/alice\.wanted\.id\|.*belongs to mallory/, "$role sees which table is of another owner.");
}
for my $mode ('offline', 'online')
{
    fails_with(all('alice', '{alice}', $mode, 'to_v7'), '55000', qr/2 of 4 keys.*alice\.wanted\.id: .*table alice\.wanted belongs to mallory/s, "A table of another owner stops the script, $mode.");
    fails_with(all('dba', '{alice}', $mode, 'to_v7', ', leave_out => true'), '55000', qr/4 of 4 keys/, "A superuser who owns none of the tables writes no script, $mode.");
}
session($node, 'dba', qq{SELECT * FROM uuidx_migrate.$_('{alice}', conversion => 'to_v7', created => 'CASE WHEN mallory.spring(''expression'') THEN created_at END')})
    for 'keys_plan', 'keys_script';
my $written = session($node, 'alice', q{SELECT sql FROM uuidx_migrate.keys_script('{alice}', 'online', 'to_v7', created => 'created_at', leave_out => true) WHERE step = 1});
like($written->{output}, qr/^-- Left out: alice\.wanted\.id: /m, 'The script says what it leaves out.');
like(join(' ', grep { !/^--/ } split /\n/, $written->{output}), qr/^SELECT uuidx_migrate_steps\.check_script\([^;]*::pg_catalog\.jsonb\)$/,
    'No name of a table that is left out ends the comment.');
all_run('alice', '{alice}', 'online', 'to_v7', ', leave_out => true', 'The script of the other tables runs.');
is(versions('alice'), 'alice.customers.id|7|20 alice.orders.customer|7|20 alice.orders.id|7|20', 'Their keys are migrated.');
all_run('alice', '{alice}', 'finish', 'to_v7', ', leave_out => true', 'It is finished.');
is(sprung($node), '', 'Nobody has run code of mallory.');

# --- Names that need quotes ---
my @odd = (q{s "%s.$x$}, qq{t'%I"\n;\\}, q{k.%1$s--"}, q{c'.%L "$do$});
my ($schema, $table, $key, $column) = map { quoted($_) } @odd;
output_of($node, 'alice', qq{
    CREATE SCHEMA odd;
    CREATE TABLE odd.$table ($key uuid PRIMARY KEY DEFAULT gen_random_uuid(), "created at%" timestamptz DEFAULT now(), $column uuid REFERENCES odd.$table, also uuid);
    CREATE INDEX ON odd.$table (($column\::text)) WHERE $key IS NOT NULL;
    INSERT INTO odd.$table SELECT FROM generate_series(1, 10);
    UPDATE odd.$table SET $column = $key, also = $key}) if $node->safe_psql('postgres', 'GRANT CREATE ON DATABASE postgres TO alice') eq '';
output_of($node, 'alice', "ALTER SCHEMA odd RENAME TO $schema");
my $name = "$schema.$table.$key";
my $odd_options = sprintf q{, created => '"created at%%"', options => jsonb_build_object('%s', jsonb_build_object('also', jsonb_build_array('%s')))}, map { s/'/''/gr } $name, "$schema.$table.also";
my $odd_keys = '{"' . ($schema =~ s/(["\\])/\\$1/gr) . '"}';
for my $mode ('online', 'finish', 'offline', 'finish')
{
    $node->safe_psql('postgres', qq{UPDATE $schema.$table SET $key = gen_random_uuid(), $column = NULL, also = NULL; UPDATE $schema.$table SET $column = $key, also = $key}) if $mode eq 'offline';
    my $run = session($node, 'alice', "SELECT sql FROM uuidx_migrate.keys_script('$odd_keys', '$mode', 'to_v7'$odd_options) ORDER BY step \\gexec");
    is($run->{state}, '', "A schema, a table and columns with odd names: $mode.") or diag($run->{messages});
    is(output_of($node, 'alice', "SELECT count(*) FROM $schema.$table WHERE keys.uuid_version($key) = 7 AND $column = $key AND also = $key"), '10', "$mode: the columns are right.");
}

# --- A script that is run late ---
output_of($node, 'alice', q{
    CREATE SCHEMA shop;
    CREATE TABLE shop.a (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz DEFAULT now());
    CREATE TABLE shop.b (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), a uuid REFERENCES shop.a, created_at timestamptz DEFAULT now());
    CREATE TABLE shop.c (b uuid REFERENCES shop.b, a uuid REFERENCES shop.a, n int PRIMARY KEY);
    INSERT INTO shop.a SELECT FROM generate_series(1, 2000);
    INSERT INTO shop.b (a) SELECT id FROM shop.a;
    INSERT INTO shop.c SELECT id, a, row_number() OVER () FROM shop.b});
my $before = 'shop.a.id|4|2000 shop.b.a|4|2000 shop.b.id|4|2000 shop.c.a|4|2000 shop.c.b|4|2000';
my %changes = (
    'an index' => [ 'CREATE INDEX late ON shop.c (a)', 'DROP INDEX shop.late' ],
    'a reference' => [ 'CREATE TABLE shop.late (a uuid REFERENCES shop.a)', 'DROP TABLE shop.late' ],
    'a view' => [ 'CREATE VIEW shop.late AS SELECT a FROM shop.c', 'DROP VIEW shop.late' ],
    'another name' => [ 'ALTER TABLE shop.c RENAME a TO late', 'ALTER TABLE shop.c RENAME late TO a' ]);
for my $mode ('offline', 'online')
{
    # Offline, PostgreSQL builds all indexes that it finds.
    for my $change (grep { $mode eq 'online' || $_ ne 'an index' } sort keys %changes)
    {
        my $run = session($node, 'alice', qq{
            CREATE TEMP TABLE saved AS SELECT step, sql FROM uuidx_migrate.keys_script('{shop}', '$mode', 'to_v7', created => 'created_at');
            $changes{$change}[0];
            SELECT sql FROM saved ORDER BY step \\gexec});
        like($run->{state}, qr/^(55000|42703)$/, "A saved script fails after $change, $mode.") or diag($run->{messages});
        output_of($node, 'alice', $changes{$change}[1]);
        is(versions('shop'), $before, "$mode after $change: it has changed nothing.");
    }
}
# In the middle of it
all_run('alice', '{shop}', 'online', 'to_v7', '', q{WHERE phase IN ('check', 'shadow', 'fill', 'validate', 'key')}, 'The first half of a script runs.');
my $late = session($node, 'alice', q{
    CREATE TEMP TABLE saved AS SELECT step, sql FROM uuidx_migrate.keys_script('{shop}', 'online', 'to_v7', created => 'created_at') WHERE phase NOT IN ('check', 'shadow', 'fill', 'validate', 'key');
    CREATE INDEX late ON shop.c (a);
    SELECT sql FROM saved ORDER BY step \gexec});
fails_with($late, '55000', qr/Write the script anew/, 'An index that was made in the middle stops the cutover.');

# --- Twice at once ---
my @sessions;
for my $n (1, 2)
{
    my $file = $node->basedir . "/at_once_$n.sql";
    append_to_file($file, q{SET client_min_messages = warning;
        SELECT sql FROM uuidx_migrate.keys_script('{shop}', 'online', 'to_v7', created => 'created_at') ORDER BY step \gexec});
    my $messages = '';
    push @sessions, { messages => \$messages, harness => IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--set=VERBOSITY=verbose', '--username=alice', '--file', $file, $node->connstr('postgres') ],
        '>', \my $output, '2>', \$messages) };
}
$_->{harness}->finish for @sessions;
note("A session ended with: ${ $_->{messages} }") for @sessions;
# Each may find what the other has changed or is still building, or be the victim of a deadlock of two CREATE INDEX
# CONCURRENTLY. An internal error (class XX) or a lost connection would be a fault.
unlike(join('', map { ${ $_->{messages} } } @sessions), qr/ERROR:  XX|FATAL|PANIC|server closed/, 'Two scripts at once have no internal error.');
all_run('alice', '{shop}', 'online', 'to_v7', '', 'Written anew, the script ends what is left.');
is(versions('shop'), 'shop.a.id|7|2000 shop.b.a|7|2000 shop.b.id|7|2000 shop.c.a|7|2000 shop.c.b|7|2000', 'All keys and references are migrated.');
is(output_of($node, 'alice', 'SELECT count(*) FROM shop.c JOIN shop.b ON b.id = c.b AND b.a = c.a JOIN shop.a ON a.id = c.a'), '2000', 'Each reference is right.');

# --- Some of the keys, in other schemas, by themselves ---
all_run('alice', '{shop.b.id}', 'finish', 'to_v7', '', 'One of the keys is finished.');
all_run('alice', '{shop.a.id}', 'online', 'from_v7', '', 'Another is undone.');
is(versions('shop'), 'shop.a.id|4|2000 shop.b.a|4|2000 shop.b.id|7|2000 shop.c.a|4|2000 shop.c.b|7|2000', 'Each is as it should be.');
all_run('alice', '{shop}', 'finish', 'from_v7', '', 'All keys are finished, also where one is already.');
output_of($node, 'alice', 'CREATE TABLE public.alone (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz DEFAULT now()); INSERT INTO public.alone SELECT FROM generate_series(1, 3)')
    if $node->safe_psql('postgres', 'GRANT CREATE ON SCHEMA public TO alice') eq '';
all_run('alice', '{public.alone.id,shop.a.id}', 'online', 'to_v7', '', 'Keys of two schemas, one of which nothing references, have one script.');
is(output_of($node, 'alice', 'SELECT count(*) FROM public.alone WHERE keys.uuid_is_v7(id)') . versions('shop'), '3shop.a.id|7|2000 shop.b.a|7|2000 shop.b.id|7|2000 shop.c.a|7|2000 shop.c.b|7|2000', 'They are migrated.');
is(sprung($node), '', 'Nobody has run code of mallory.');

done_testing();
