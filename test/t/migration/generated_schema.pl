# Each key of a schema that GeneratedSchema makes becomes version 7, and is undone: offline, and online while others write
# and a job makes partitions. `scripts/test --long` makes 130 tables with 470 columns. UUIDX_SEED=N makes the schema of a
# failure again.

use strict;
use warnings;
use lib 'test/lib';
use GeneratedSchema;
use JSON::PP;
use Migrations;
use Others;
use PostgreSQL::Test::Utils;
use Test::More;

my $long = $ENV{UUIDX_LONG};
# How often in a second others write, and after how many seconds the job makes a partition, for which a script may have to be
# written anew
my ($rate, $period) = $long ? (200, 3) : (10, 10);
my $seed = $ENV{UUIDX_SEED} // ($long ? int rand 1_000_000 : 1);
my $schema = GeneratedSchema->new(seed => $seed, rows => 100, $long ? (tables => 130, columns => 470) : (tables => 8, columns => 28));
my @keys = $schema->keys_of;
my $what = "The schema of UUIDX_SEED=$seed";
note($what);

my $node = new_server('generated_schema', 'max_connections = 20', 'max_locks_per_transaction = 512', 'deadlock_timeout = 100ms');
$node->safe_psql('postgres', 'CREATE SCHEMA app AUTHORIZATION alice');
output_of($node, 'alice', join ";\n", $schema->statements);
cmp_ok($schema->columns, '>=', $long ? 470 : 28, "$what has so many columns.");
my $dump = dump_of($node);

# Number and key of each row, a line each, but for rows that may be deleted or came later
sub content
{
    my $parts = join "\nUNION ALL ", map { "SELECT '$_->{name}', n, id FROM app.$_->{name} WHERE n < $schema->{rows} AND n % 2 = 1" } @keys;
    return output_of($node, 'alice', "$parts ORDER BY 1, 2");
}
my $content = content();

# How many rows there are in each table, without those that came later
sub counts
{
    return output_of($node, 'alice', join "\nUNION ALL ",
        map { "SELECT '$_->{name}', count(*) FROM app.$_->{name} WHERE n < $schema->{rows} AND n % 2 = 1" } @{ $schema->{tables} });
}
my $counts = counts();

sub wrong { return output_of($node, 'alice', $schema->wrong) }
is(wrong(), '', "$what has no wrong reference at first.");

# Rows whose keys are not of version 7, or that do not have the time of the row
sub not_moved
{
    return output_of($node, 'alice', join "\nUNION ALL ", map {
        qq{SELECT '$_->{name}', n, id FROM app.$_->{name} WHERE keys.uuid_version(id) <> 7
           OR n < $schema->{rows} AND keys.uuid_time(id) <> date_trunc('milliseconds', created_at)}
    } @_);
}

# A script that does not know of a partition made since has to be written anew, and so has one whose build of an index was
# the victim of a deadlock with a job that makes a partition.
sub moves
{
    my ($key, $mode, $conversion) = @_;
    my @items = $schema->items_of($key);
    my %options = (mode => $mode, conversion => $conversion, ($conversion eq 'to_v7' ? (created => 'created_at') : ()),
        (@items ? (also => '{' . join(',', @items) . '}', other_values => 'keep') : ()),
        ($mode eq 'offline' && $conversion eq 'from_v7' ? (new_default => 'gen_random_uuid()') : ()));
    my ($tries, $run) = (0);
    do
    {
        $run = migrate($node, 'alice', "app.$key->{name}", %options);
    } while ($run->{messages} =~ /Write the script anew|deadlock detected/ && ++$tries < 100);
    is($run->{state}, '', "$what: $key->{name} runs $mode $conversion.") or diag($run->{messages});
    return;
}

sub is_as_before
{
    my ($when) = @_;
    is(differences($dump, dump_of($node)), '', "$what: $when, the schema is as before.");
    is(differences($content, content()), '', "$what: $when, the keys are as before.");
    is(differences($counts, counts()), '', "$what: $when, all rows are there.");
    is(wrong(), '', "$what: $when, each reference is right.");
    return;
}

# --- Offline ---
my @one_by_one = $long ? @keys : @keys[ 0, 1 ];
for my $key (@one_by_one)
{
    moves($key, 'offline', 'to_v7');
}
is(not_moved(@one_by_one), '', "$what: after an offline migration, each key has version 7 and the time of its row.");
is(wrong(), '', "$what: after an offline migration, each reference is right.");
for my $key (reverse @one_by_one)
{
    moves($key, 'offline', 'from_v7');
}
is_as_before('after an offline migration and its undo');

# --- Online ---
# A job that makes a partition can get into a deadlock with CREATE INDEX CONCURRENTLY, after which it tries again.
my $can_retry = can_retry($node);
my @tries = $can_retry ? '--max-tries=20' : ();
my @others = start_others($node, 'writers', [ $schema->writes ], '--client=2', "--rate=$rate", @tries);
if ($can_retry)
{
    push @others, start_others($node, 'jobs', [ $schema->job($period, $long ? 1_000_000 : 4) ], '--rate=1', @tries);
    ok($node->poll_query_until('postgres', 'SELECT is_called FROM app.period'), "$what: the job begins.");
}
for my $key (@one_by_one)
{
    moves($key, 'online', 'to_v7');
    is(not_moved($key), '', "$what: each key of $key->{name} has version 7 and the time of its row.");
    is(wrong(), '', "$what: after an online migration of $key->{name}, each reference is right.");
    moves($key, 'online', 'from_v7');
    moves($key, 'finish', 'from_v7');
}
stop_others(@others);

# Partitions that were made in the middle of a migration are like those that were there before.
is(output_of($node, 'alice', q{
    SELECT partitioned, string_agg(name, ' ') FROM (
        SELECT p.oid::regclass AS partitioned, c.relname AS name,
               (SELECT string_agg(concat_ws(' ', a.attname, a.attnotnull, pg_get_expr(d.adbin, d.adrelid)), ',' ORDER BY a.attname)
                FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
               (SELECT count(*) FROM pg_index AS i WHERE i.indrelid = c.oid) AS indexes,
               (SELECT count(*) FROM pg_constraint AS k WHERE k.conrelid = c.oid) AS constraints,
               (SELECT count(*) FROM pg_trigger AS t WHERE t.tgrelid = c.oid) AS triggers
        FROM pg_class AS p JOIN pg_inherits AS h ON h.inhparent = p.oid JOIN pg_class AS c ON c.oid = h.inhrelid
        WHERE p.relkind = 'p' AND c.relkind = 'r') AS d
    GROUP BY partitioned HAVING count(DISTINCT (columns, indexes, constraints, triggers)) > 1}), '', "$what: all partitions of a table are alike.");
output_of($node, 'alice', q{
    SELECT format('ALTER TABLE %s DETACH PARTITION %s', inhparent::regclass, inhrelid::regclass), format('DROP TABLE %s', inhrelid::regclass)
    FROM pg_inherits WHERE inhrelid::regclass::text ~ '^app\.t\d+_p\d+$' \gexec});
is_as_before('after an online migration and its undo');

# --- All keys by one call ---
my %option_of = map { my @items = $schema->items_of($_); ("app.$_->{name}.id" => @items ? { also => \@items, other_values => 'keep' } : {}) } @keys;

# all_move(MODE, CONVERSION, PHASE): all keys that can be; up to the first step of this phase
sub all_move
{
    my ($mode, $conversion, $phase) = @_;
    my $options = encode_json({ map { $_ => { %{ $option_of{$_} }, $mode eq 'offline' && $conversion eq 'from_v7' ? (new_default => 'gen_random_uuid()') : () } } keys %option_of });
    my $created = $conversion eq 'to_v7' ? ", created => 'created_at'" : '';
    my $call = "uuidx_migrate.keys_script('{app}', '$mode', '$conversion', leave_out => true, options => '$options'$created)";
    my $until = $phase ? "WHERE step <= (SELECT min(step) FROM s WHERE phase = '$phase')" : '';
    my ($tries, $run) = (0);
    do
    {
        $run = session($node, 'alice', "WITH s AS MATERIALIZED (SELECT * FROM $call) SELECT sql FROM s $until ORDER BY step \\gexec");
    } while ($run->{messages} =~ /Write the script anew|deadlock detected/ && ++$tries < 20);
    is($run->{state}, '', "$what: one script of all keys runs $mode $conversion" . ($phase ? " to the phase $phase." : '.')) or diag($run->{messages});
    return;
}
# Online, a column that holds the keys of several tables keeps these out.
my %keys_in;
for my $key (@keys)
{
    push @{ $keys_in{$_} }, $key for $schema->items_of($key);
}
my %shares = map { $_->{name} => 1 } map { @$_ > 1 ? @$_ : () } values %keys_in;
my @online = grep { !$shares{ $_->{name} } } @keys;

all_move('offline', 'to_v7');
is(not_moved(@keys), '', "$what: after one offline script, each key has version 7 and the time of its row.");
is(wrong(), '', "$what: after one offline script, each reference is right.");
all_move('offline', 'from_v7');
is_as_before('after one offline script and its undo');

@others = start_others($node, 'writers beside all keys', [ $schema->writes ], '--client=2', "--rate=$rate", @tries);
all_move('online', 'to_v7', $_) for $long ? qw(shadow fill validate key index proof cutover after) : 'index';
all_move('online', 'to_v7');
is(not_moved(@online), '', "$what: after one online script, each key has version 7 and the time of its row.");
is(wrong(), '', "$what: after one online script, each reference is right.");
all_move('online', 'from_v7', $_) for $long ? qw(index cutover) : ();
all_move('online', 'from_v7');
all_move('finish', 'from_v7');
is(wrong(), '', "$what: after its undo, each reference is right.");
if ($long)
{
    all_move('online', 'to_v7', 'proof');
    all_move('finish', 'from_v7');
}
stop_others(@others);
is_as_before('after one online script and its undo, or another that was given up');

# --- To stay ---
moves($_, 'online', 'to_v7'), moves($_, 'finish', 'to_v7') for $long ? @keys : $keys[2];
is(wrong(), '', "$what: after all migrations, each reference is right.");
is(differences($dump, dump_of($node)) =~ s/^\+ +id uuid DEFAULT keys\.uuid_generate_v7\(\) NOT NULL\n?|^- +id uuid DEFAULT gen_random_uuid\(\) NOT NULL\n?//gmr, '',
    "$what: after all migrations, only the defaults are other ones.");

done_testing();
