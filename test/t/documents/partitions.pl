# docs/operate/partitions.md: a table becomes partitioned while rows are inserted, partitions are made ahead, and old ones dropped.

use strict;
use warnings;
use lib 'test/lib';
use Documents;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "timezone = 'UTC'");
$node->start;

# The blocks of a section, as one script
sub script_of
{
    my ($section) = @_;
    my @blocks = grep { $_->{section} eq $section && !$_->{mark} } Documents::examples(slurp_file('docs/operate/partitions.md'), 'sql');
    return map { $_->{content} } @blocks;
}

# A script that stops at the first error
sub runs
{
    my ($script, $test) = @_;
    my ($status, $output, $errors) = $node->psql('postgres', $script, on_error_stop => 1);
    is("$status $errors", '0 ', $test);
    return;
}

my ($create, @convert) = script_of('Partition a table that is in use');
my ($ahead, $retention) = script_of('Create and drop partitions with SQL');
runs($create, 'There is a table.');
$node->safe_psql('postgres', 'CREATE INDEX ON events (item); CREATE TABLE made (id uuid, item text)');
my $files = $node->safe_psql('postgres', q{SELECT array_agg(relfilenode ORDER BY indexrelid) FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid = 'events'::regclass});

# start_clients($sql), stop_clients(...): clients that run this again and again, and what pgbench said of it.
sub start_clients
{
    my ($sql) = @_;
    my $output = '';
    my $script = $node->basedir . '/client.sql';
    unlink $script;
    append_to_file($script, $sql);
    my $pgbench = IPC::Run::start([ 'pgbench', '--no-vacuum', '--client=4', '--protocol=prepared', '--rate=200', '--time=7200', "--file=$script",
            $node->connstr('postgres') ], '<', \undef, '>&', \$output);
    return ($pgbench, \$output);
}

sub stop_clients
{
    my ($pgbench, $output) = @_;
    $pgbench->signal('ALRM'); # which is how pgbench's time ends; a test in the background of a shell ignores INT
    $pgbench->finish;
    return $$output;
}

sub rows_come
{
    my ($rows) = $node->safe_psql('postgres', 'SELECT count(*) FROM made');
    return $node->poll_query_until('postgres', "SELECT count(*) > $rows + 100 FROM made");
}

# --- Conversion, while rows are inserted ---
my @clients = start_clients(q{
    WITH row AS (INSERT INTO events (item) VALUES ('new') RETURNING *) INSERT INTO made SELECT * FROM row;
    SELECT count(*) FROM events WHERE uuid_time(id) > now() - interval '10 seconds';});
rows_come();
my ($status, undef, $messages) = $node->psql('postgres', "SET client_min_messages = debug1;\n" . join('', @convert), on_error_stop => 1);
is($status, 0, 'The table becomes partitioned while rows are inserted.');
like($messages, qr/partition constraint for table "old_events" is implied by existing constraints/, 'Its rows are not read under the lock.');
runs($ahead, 'Partitions are made ahead.');
ok(rows_come(), 'The clients go on.');
unlike(stop_clients(@clients), qr/ERROR/, 'They get no error.');

is($node->safe_psql('postgres', q{SELECT relkind FROM pg_class WHERE oid = 'events'::regclass}), 'p', 'The table is partitioned.');
is($node->safe_psql('postgres', q{SELECT array_agg(relfilenode ORDER BY indexrelid) FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid = 'old_events'::regclass}), $files, 'No index was built again.');
is($node->safe_psql('postgres', q{SELECT (SELECT count(*) FROM events) - (SELECT count(*) FROM made), count(*) FROM (TABLE made EXCEPT TABLE events) AS lost}),
    '401|0', 'It has all rows.');

# --- Partitions made ahead ---
my $partitions = q{SELECT string_agg(CASE inhrelid::regclass::text WHEN 'old_events' THEN 'old' ELSE 'new' END, ' ' ORDER BY c.oid)
    FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid WHERE inhparent = 'events'::regclass};
my $made = $node->safe_psql('postgres', $partitions);
like($made, qr/^old( new){4}$/, 'It has the old table and partitions for the months to come.');
runs($ahead, 'When they are there,');
is($node->safe_psql('postgres', $partitions), $made, 'none is made.');
is($node->safe_psql('postgres', q{
        INSERT INTO events SELECT uuid_generate_v7_at(date_trunc('month', now() + interval '3 months') + n * interval '28 days'), 'later'
        FROM generate_series(0, 1) AS n
        RETURNING tableoid::regclass::text = to_char(uuid_time(id), '"events_"YYYY_MM')}), "t\nt", 'Each takes the keys of its month.');

# A partition is created and attached in one transaction: when that failed, the next day has it again.
my $name = $node->safe_psql('postgres', q{SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'events'::regclass ORDER BY inhrelid DESC LIMIT 1});
$node->safe_psql('postgres', "DROP TABLE $name");
$node->safe_psql('postgres', q{
    CREATE FUNCTION fail() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
    CREATE EVENT TRIGGER fail ON ddl_command_start WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION fail()});
$node->psql('postgres', $ahead);
is($node->safe_psql('postgres', "SELECT to_regclass('$name') IS NULL"), 't', 'When a partition cannot be attached, it is not there.');
$node->safe_psql('postgres', 'DROP EVENT TRIGGER fail');
runs($ahead, 'The next time,');
is($node->safe_psql('postgres', $partitions), $made, 'it is made and attached.');
$node->safe_psql('postgres', "ALTER TABLE events DETACH PARTITION $name");
my (undef, undef, $errors) = $node->psql('postgres', $ahead);
like($errors, qr/ERROR:  relation "$name" already exists/, 'A table of that name, which is no partition, is an error, and is not attached.');
$node->safe_psql('postgres', "DROP TABLE $name");
runs($ahead, 'It is made again.');

# --- Old ones dropped, while rows are read ---
runs($retention, 'Partitions are dropped by age,');
is($node->safe_psql('postgres', $partitions), $made, 'but none while one of its rows is not old enough.');
@clients = start_clients(q{SELECT count(*) FROM events WHERE uuid_time(id) > now() - interval '1 day'; INSERT INTO made VALUES (NULL, '');} . "\n");
rows_come();
(my $in_a_year = $retention) =~ s/now\(\)/(date_trunc('month', now()) + interval '13 months')/;
runs($in_a_year, 'In a year, the old table is dropped,');
is($node->safe_psql('postgres', $partitions), $made =~ s/^old //r, 'and nothing else.');
ok(rows_come(), 'The readers go on.');
unlike(stop_clients(@clients), qr/ERROR/, 'They get no error.');

# --- A partition whose detachment was interrupted ---
$node->safe_psql('postgres', q{CREATE TABLE events_1979_01 PARTITION OF events
    FOR VALUES FROM (uuid_v7_from('1979-01-01')) TO (uuid_v7_from('1979-02-01'))});
my @psql = ('psql', '--no-psqlrc', '--quiet', '--tuples-only', '--dbname', $node->connstr('postgres'));
my $read = "BEGIN; SELECT count(*) FROM events;\n";
my $reader = IPC::Run::start([@psql], '<', \$read, '>', \my $count);
$reader->pump until $count =~ /\n/;
my $detach = IPC::Run::start([ @psql, '--command=ALTER TABLE events DETACH PARTITION events_1979_01 CONCURRENTLY' ], '<', \undef, '2>', \my $cancelled);
ok($node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_inherits WHERE inhdetachpending'), 'DETACH waits for a reader.');
$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'ALTER TABLE events DETACH%'});
$detach->finish;
$read .= "COMMIT;\n";
$reader->finish;
runs('ALTER TABLE events DETACH PARTITION events_1979_01 FINALIZE; DROP TABLE events_1979_01', 'When that was interrupted, FINALIZE ends it.');

# --- An identity column, and a trigger ---
$node->safe_psql('postgres', 'DROP TABLE events');
my $document = slurp_file('docs/operate/partitions.md') =~ s/\s+/ /gr;
my @identity = ('ALTER TABLE old_events ALTER n DROP IDENTITY', q{SELECT setval(pg_get_serial_sequence('events', 'n'), max(n)) FROM old_events});
like($document, qr/\Q$_\E/, "The document has: $_") for @identity;
my $trigger = 'CREATE TRIGGER shout BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION shout()';
$node->safe_psql('postgres', $create =~ s/^CREATE EXTENSION.*\n//mr =~ s/(item text NOT NULL)/$1, n bigint GENERATED ALWAYS AS IDENTITY/r
        =~ s/INSERT INTO events/$& (id, item)/r . ";
    CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN NEW.item := NEW.item || '!'; RETURN NEW; END \$\$;
    $trigger");
my $also = join ";\n", @identity, 'DROP TRIGGER shout ON old_events', $trigger, '';
runs(join('', @convert) =~ s/(?=ALTER TABLE events ATTACH)/$also/r, 'A table with an identity column and a trigger becomes partitioned,');
runs($ahead, 'its partitions are made,');
is($node->safe_psql('postgres', q{INSERT INTO events (id, item) SELECT uuid_generate_v7_at(now() + n * interval '1 month'), 'new' FROM generate_series(0, 2) AS n
    RETURNING n, item}), "402|new!\n403|new!\n404|new!", 'and its sequence and its trigger go on.');

$node->stop;
done_testing();
