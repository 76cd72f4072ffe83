# The order of the server outlasts restarts, crashes of a session and of the whole server, and a clock that was set back
# meanwhile; fixed nodes repeat no UUID. What happens if the file with the mark is damaged, or cannot be read or written.

use strict;
use warnings;
use lib 'test/lib';
use POSIX qw(mkfifo);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my $rounds = $ENV{UUIDX_LONG} ? 10 : 1;
my $a_node = q{SET uuidx.node = '02:00:5e:10:00:00';};

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf',
    ServerOrder::preload($node) . "autovacuum = off\nrestart_after_crash = on\nuuidx.max_clock_ahead = -1\nfsync = on");
ServerOrder::start_with_clock($node, 0);
ServerOrder::create_stream($node);
$node->safe_psql('postgres', 'CREATE TABLE of_node (id uuid); CREATE EXTENSION uuidx_ossp');

my $of_node = 0;
sub generate_of_node
{
    $node->safe_psql('postgres', "$a_node INSERT INTO of_node SELECT uuid_generate_v6() FROM generate_series(1, 2000);
        INSERT INTO of_node SELECT uuid_v1_to_v6(uuid_generate_v1()) FROM generate_series(1, 2000)");
    $of_node += 4000;
    return;
}

# crash_meanwhile($crash): sessions fill the stream, and $crash->(the processes of their backends) while they do.
sub crash_meanwhile
{
    my ($crash) = @_;
    my @running = ServerOrder::start_filling($node, 3, 1_000_000, 20);
    my $backends = q{SELECT pid FROM pg_stat_activity WHERE query LIKE 'CALL fill%'};
    $node->poll_query_until('postgres', "SELECT count(*) = 3 FROM ($backends) AS b") or die 'nobody fills the stream';
    sleep 2;
    $crash->(split /\n/, $node->safe_psql('postgres', $backends));
    is(ServerOrder::finish(@running), 3, 'The crash ends the sessions that fill the stream.');
    return;
}

# check($what): no inversion so far.
sub check
{
    my ($what) = @_;
    ServerOrder::finish(ServerOrder::start_filling($node, 2, 20, 20));
    my ($keys, $inversions) = split /\|/, ServerOrder::inversions($node);
    is($inversions, 0, "The order of $keys keys goes on $what.");
    generate_of_node();
    is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM of_node'), "$of_node|$of_node", "No UUID of a fixed node is repeated $what.");
    return;
}

check('at first');
for my $round (1 .. $rounds)
{
    # A session is killed while it generates; the server ends all others and starts again by itself.
    crash_meanwhile(sub {
        ServerOrder::set_clock($node, -600);
        kill 'KILL', $_[0];
    });
    # Not poll_query_until: a psql that cannot connect ends before it reads the query, and that may end this test.
    my $tries = 0;
    select undef, undef, undef, 0.1 until system('pg_isready', '--quiet', '--host', $node->host, '--port', $node->port) == 0 || ++$tries > 600;
    check('after a session was killed, and the clock set back 10 minutes');

    my $server = $node->{_pid};
    # The others of its processes would end when they notice that, but one that waits for a lock of a killed session never does.
    crash_meanwhile(sub {
        my @all = split /\n/, $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
        $node->kill9;
        kill 'KILL', @all;
    });
    # Until all are gone, the server cannot start.
    select undef, undef, undef, 0.1 while kill 0, $server;
    $tries = 0;
    sleep 1 until ServerOrder::start_with_clock($node, -3600, fail_ok => 1) || ++$tries > 60;
    check('after the server was killed, with a clock that was set back an hour');

    $node->stop('fast');
    ServerOrder::start_with_clock($node, -7200);
    check('after a restart, with a clock that was set back two hours');
    $node->stop('immediate');
    ServerOrder::start_with_clock($node, 0);
    check('after a restart, with a clock that is right again');
}

# --- The file ---
my $file = $node->data_dir . '/uuidx.mark';
my $generate = 'SET uuidx.v7_order = server; SELECT uuid_generate_v7()';
sub error_of
{
    my ($sql) = @_;
    my ($status, $output, $errors) = $node->psql('postgres', "\\set VERBOSITY verbose\n$sql");
    return $errors =~ /ERROR:  (.*?)(?:\nLOCATION|\z)/s ? $1 : "no error but $output";
}

# A directory in its place
rename $file, "$file.moved" or die "$file: $!";
mkdir $file or die "$file: $!";
select undef, undef, undef, 1;
like(error_of($generate), qr/^\w{5}: could not write file "uuidx.mark": Is a directory/, 'There is no key while the mark cannot be written.');
like(error_of("$a_node SELECT uuid_generate_v6()"), qr/could not write file/, 'Nor is there one of a fixed node.');
like(error_of('SELECT uuid_generator_advance(now())'), qr/could not write file/, 'Nor is the generator advanced,');
like(error_of('SELECT uuid_generator_reset()'), qr/could not write file/, 'or reset.');
like($node->safe_psql('postgres', 'SELECT uuid_generate_v7()'), qr/^[-0-9a-f]{36}$/, 'The order of the session does not need it.');
rmdir $file or die "$file: $!";
rename "$file.moved", $file or die "$file: $!";
check('when it can be written again');

# It is written in place, which needs no room on the disk.
my @before = (stat $file)[ 1, 7 ];
check('in the same file') for 1 .. 2;
is_deeply([ (stat $file)[ 1, 7 ] ], \@before, 'The file stays the same one, of the same size.');

# damage($contents): stops the server, and starts it with this in the file, and a clock that is an hour behind.
sub damage
{
    my ($damaged) = @_;
    $node->stop;
    open my $out, '>:raw', $file or die "$file: $!";
    print $out $damaged;
    close $out;
    ServerOrder::start_with_clock($node, -3600);
    return;
}

my $contents = slurp_file($file);
for my $slot (0, 4096)
{
    my $damaged = $contents;
    substr($damaged, $slot + 16, 1) ^= "\x01";
    damage($damaged);
    check("if the slot at $slot was cut off while it was written");
}
for my $case ([ sub { substr($_[0], $_ + 16, 1) ^= "\x01" for 0, 4096 }, 'damaged' ], [ sub { $_[0] = substr($_[0], 0, 20) }, 'cut off' ],
    [ sub { $_[0] = '' }, 'empty' ], [ sub { substr($_[0], $_, 1) ^= "\x07" for 0, 4096 }, 'of another version' ])
{
    my $damaged = $contents;
    $case->[0]->($damaged);
    damage($damaged);
    like(error_of($generate), qr/^XX001: file "uuidx.mark" is corrupted\nHINT:  Remove it: UUIDs go on behind the mark of each database\.$/,
        "There is no key if the file is $case->[1].");
}
like(error_of("$a_node SELECT uuid_generate_v6()"), qr/^XX001/, 'There is none of a fixed node either.');
unlink $file or die "$file: $!";
check('after the file was removed');

# A FIFO, which nobody else opens, keeps no session waiting with the lock held.
for my $fifo ("$file.tmp", $file)
{
    $node->stop;
    unlink $file;
    mkfifo($fifo, 0600) or die "$fifo: $!";
    $node->start;
    like(error_of("SET statement_timeout = '60 s'; $generate"), qr/^\w{5}: could not (?:read|write) file "uuidx.mark": (?!canceling)/, "There is no key if $fifo is a FIFO.");
    unlink $fifo or die "$fifo: $!";
}
check('after it was removed');

SKIP: {
    skip 'root can read every file', 1 if $> == 0;
    $node->stop;
    chmod 0, $file or die "$file: $!";
    $node->start;
    like(error_of($generate), qr/^42501: could not read file "uuidx.mark": Permission denied/, 'There is no key if the file cannot be read.');
    chmod 0600, $file or die "$file: $!";
    check('when it can be read again');
}

$node->stop;
done_testing();
