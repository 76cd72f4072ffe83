# psql goes on after an error. Whichever step of a script fails, clients can write to all tables while the others run and
# after that, and what there is of the migration can be given up.

use strict;
use warnings;
use lib 'test/lib';
use Migrations;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('failed_steps');
$node->safe_psql('postgres', 'CREATE SCHEMA kept AUTHORIZATION alice');
output_of($node, 'alice', q{
    CREATE TABLE kept.steps (conversion text, run int, step int, phase text, sql text);
    CREATE TABLE kept.catalogs (state text, entries text);
    CREATE VIEW kept.entries AS
    SELECT string_agg(e, E'\n' ORDER BY e) AS entries
    FROM (SELECT format('%s %s %s', c.relkind, c.relname, c.relreplident) FROM pg_class AS c WHERE c.relnamespace = 'alice'::regnamespace
          UNION ALL
          SELECT format('%s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
                        (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef AS d WHERE (d.adrelid, d.adnum) = (a.attrelid, a.attnum)))
          FROM pg_attribute AS a, pg_class AS c
          WHERE c.oid = a.attrelid AND c.relnamespace = 'alice'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
          UNION ALL
          SELECT format('%s %s %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) FROM pg_constraint AS k
          WHERE k.connamespace = 'alice'::regnamespace
          UNION ALL
          SELECT pg_get_indexdef(i.indexrelid) || i.indisvalid FROM pg_index AS i, pg_class AS c
          WHERE c.oid = i.indexrelid AND c.relnamespace = 'alice'::regnamespace
          UNION ALL
          SELECT pg_get_triggerdef(t.oid) FROM pg_trigger AS t, pg_class AS c
          WHERE c.oid = t.tgrelid AND c.relnamespace = 'alice'::regnamespace AND NOT t.tgisinternal
          UNION ALL
          SELECT p.proname::text FROM pg_proc AS p WHERE p.pronamespace = 'alice'::regnamespace) AS u (e)});

# One partition has its columns in another order; one reference stands in the table of the key, and one has no foreign key.
sub tables
{
    my ($type, $default) = @_;
    return qq{
        DROP TABLE IF EXISTS alice.notes, alice.orders, alice.orders_1, alice.customers CASCADE;
        CREATE TABLE alice.customers (id $type PRIMARY KEY $default, name text, created timestamptz DEFAULT now(),
            first $type REFERENCES alice.customers ON DELETE SET NULL);
        CREATE TABLE alice.orders (customer $type NOT NULL REFERENCES alice.customers ON DELETE CASCADE, n int DEFAULT 0, year int,
            CONSTRAINT c CHECK (customer IS NOT NULL OR n > 0)) PARTITION BY LIST (year);
        CREATE TABLE alice.orders_1 (year int, n int, customer $type CONSTRAINT orders_customer_not_null NOT NULL, CONSTRAINT c CHECK (customer IS NOT NULL OR n > 0));
        ALTER TABLE alice.orders ATTACH PARTITION alice.orders_1 FOR VALUES IN (1);
        CREATE INDEX ON alice.orders (customer, n);
        CREATE TABLE alice.notes (customer $type);
        INSERT INTO alice.customers (name) SELECT n FROM generate_series(1, 5) AS n;
        UPDATE alice.customers SET first = (SELECT min(id::text)::$type FROM alice.customers);
        INSERT INTO alice.orders (customer, year) SELECT id, 1 FROM alice.customers;
        INSERT INTO alice.notes (customer) SELECT id FROM alice.customers;
    };
}

my $writes = q{
    INSERT INTO alice.customers (name, first) SELECT 'new', id FROM alice.customers ORDER BY name LIMIT 1;
    INSERT INTO alice.orders (customer, n, year) SELECT id, 1, 1 FROM alice.customers;
    INSERT INTO alice.notes (customer) SELECT id FROM alice.customers;
    UPDATE alice.customers SET name = name || '.', first = id;
    UPDATE alice.orders SET customer = (SELECT id FROM alice.customers WHERE name LIKE 'new%' LIMIT 1);
    UPDATE alice.notes SET customer = (SELECT id FROM alice.customers WHERE name LIKE '1%');
    DELETE FROM alice.orders WHERE n = 1;
    DELETE FROM alice.notes;
    DELETE FROM alice.customers WHERE name LIKE '2%';
};

# A script online for a conversion, as it was kept; with a step that fails, if one is given. Its other steps run nevertheless.
sub script
{
    my ($conversion, $step) = (@_, 0);
    return "SELECT CASE step WHEN $step THEN 'SELECT 1/0' ELSE sql END FROM kept.steps WHERE conversion = '$conversion' ORDER BY step \\gexec\n";
}

# The script that finishes one, with a step that fails, if one is given
sub finish
{
    my ($conversion, $step) = (@_, 0);
    my $call = script_call('alice.customers', mode => 'finish', conversion => $conversion, also => '{alice.notes.customer}');
    return "SELECT CASE step WHEN $step THEN 'SELECT 1/0' ELSE sql END FROM $call ORDER BY step \\gexec\n";
}

# Steps of a script that fails: those at which a run of steps of one of these phases begins or ends; all with UUIDX_LONG.
sub chosen
{
    my ($conversion, @phases) = @_;
    return split /\n/, output_of($node, 'alice', $ENV{UUIDX_LONG}
        ? "SELECT step FROM kept.steps WHERE conversion = '$conversion' ORDER BY step"
        : "SELECT DISTINCT unnest(CASE WHEN phase = 'shadow' THEN ARRAY[min(step), max(step)] ELSE ARRAY[max(step)] END) AS step
           FROM kept.steps WHERE conversion = '$conversion' AND phase = ANY ('{@{[ join ',', @phases ]}}') GROUP BY run, phase ORDER BY step");
}

# Runs SQL in one session, to the end: the messages of each part that has a name, and what is printed.
sub parts
{
    my (@parts) = @_;
    my $sql = join '', map { "\\warn == $parts[2 * $_]\n$parts[2 * $_ + 1];\n" } 0 .. @parts / 2 - 1;
    my $run = session($node, 'alice', $sql, on_error_stop => 0);
    my (undef, %messages) = split /^== (.*)(?:\n|\z)/m, $run->{messages}, -1;
    return \%messages, $run->{output};
}

# Whether what a migration has left can be finished, and nothing is left of it: its tables are as before or after it.
sub is_finished
{
    my ($test, $conversion, $messages, $output) = @_;
    is($messages->{writes} . $messages->{again}, '', "$test: all write meanwhile.");
    my @errors = grep { !/there is nothing to finish/ } $messages->{finish} =~ /ERROR:  (.*)/g;
    is("@errors", '', "$test: what it has left is finished.");
    like($output, qr/^(?:before|after) $conversion\|/m, "$test: nothing is left.") or diag($output);
    return;
}

my @phases = qw(shadow fill validate key proof index cutover after);
for ([ 'to_v7', 'from_v7', 'uuid', 'DEFAULT gen_random_uuid()', \@phases, [ 'cutover' ], created => 'created' ],
    [ 'bigint_to_v7', 'v7_to_bigint', 'bigint', 'GENERATED BY DEFAULT AS IDENTITY', [ 'shadow' ], [ 'index', 'cutover' ], created => 'created' ],
    [ 'v1_to_v6', 'v6_to_v1', 'uuid', 'DEFAULT keys.uuid_generate_v1()', [ 'shadow', 'fill' ], [ 'cutover' ] ],
    [ 'text_to_uuid', 'uuid_to_text', 'text', 'DEFAULT gen_random_uuid()', ['shadow'], [] ])
{
    my ($there, $back, $type, $default, $phases_there, $phases_back, @options) = @$_;
    my $tables = tables($type, $default);
    my $keep = sub {
        my ($conversion, @options) = @_;
        return "INSERT INTO kept.steps SELECT '$conversion', count(*) FILTER (WHERE sql LIKE '-- % of %') OVER (ORDER BY step), step, phase, sql FROM "
            . script_call('alice.customers', mode => 'online', conversion => $conversion, also => '{alice.notes.customer}', @options);
    };
    my $note = sub { return "INSERT INTO kept.catalogs SELECT '$_[0] $there', entries FROM kept.entries" };
    my $state = "SELECT c.state, e.entries FROM kept.entries AS e LEFT JOIN kept.catalogs AS c ON c.entries = e.entries AND c.state LIKE '%$there'";
    my ($messages) = parts(tables => $tables . $note->('before'), keep => $keep->($there, @options), there => script($there),
        back => $keep->($back), finish => finish($there), after => $note->('after'));
    is(join('', values %$messages), '', "$there: a migration is finished.");

    for my $way ([ '', $there, @$phases_there ], [ script($there), $back, @$phases_back ])
    {
        my ($earlier, $conversion, @phases) = @$way;
        for my $step (chosen($conversion, @phases))
        {
            is_finished("$conversion: step $step fails", $there, parts(tables => $tables . $earlier, script => script($conversion, $step),
                writes => $writes, finish => finish($there) . finish($back), again => $writes, state => $state));
        }
    }
    # What a partition lacks, its table does not make in its place.
    for my $part ([ 'ADD CONSTRAINT', '%add_missing_constraint(%' ], [ 'VALIDATE CONSTRAINT', '%validate_constraint(r%' ],
        [ 'CREATE INDEX', 'CREATE INDEX % ON alice.orders_1 %' ])
    {
        my ($what, $like) = @$part;
        my ($messages, $output) = parts(tables => $tables,
            script => "SELECT CASE WHEN sql LIKE '$like' THEN 'SELECT 1/0' ELSE sql END FROM kept.steps WHERE conversion = '$there' ORDER BY step \\gexec\n",
            state => q{SELECT 'made: constraint ' || conname FROM pg_constraint WHERE conrelid = 'alice.orders'::regclass AND conname LIKE '%\_shadow%' AND contype = 'f'
                UNION ALL SELECT 'made: index ' || indexrelid::regclass FROM pg_index WHERE indrelid = 'alice.orders'::regclass AND indexrelid::regclass::text LIKE '%\_shadow'},
            again => script($there), finish => finish($there), end => $state);
        like($messages->{script}, qr/ERROR:  55000: (?:constraint "\S+" of alice\.orders_1 is not (?:there|validated)|index alice\.\S+ is not built)\nHINT/,
            "$there: $what of a partition fails.");
        unlike($output, $what eq 'CREATE INDEX' ? qr/^made: index/m : qr/^made: constraint/m, "$there: $what of its table does not take place.");
        is($messages->{again} . $messages->{finish}, '', "$there: the script goes on from the top.");
        like($output, qr/^after $there\|/m, "$there: the migration is finished.") or diag($output);
    }
    # The first table that is finished is one that references the key.
    my ($cutover) = output_of($node, 'alice', "SELECT step FROM kept.steps WHERE conversion = '$there' AND phase = 'cutover'");
    is_finished("$there: a step of what gives it up fails", $there, parts(tables => $tables, script => script($there, $cutover),
        first => finish($back, 1), writes => $writes, finish => finish($back), again => $writes, state => $state));
}

done_testing();
