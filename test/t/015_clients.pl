# uuidx from real clients: this test runs the blocks of docs/clients.md as they stand and compares what they print
# with the document; the programs of test/t/clients/ test what does not fit on a page. The Python drivers use the
# Unix socket; pgjdbc speaks TCP only and connects to 127.0.0.1 with a password.

use strict;
use warnings;
use lib 'test/t';
use Documents;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The drivers are installed for Debian's Python, which need not be the first python3 in PATH. UsePerfData would make the
# JVM write into /tmp.
my @python = ('/usr/bin/python3', '-B');
my $directory = PostgreSQL::Test::Utils::tempdir;
my @java = ('java', '-XX:-UsePerfData', '-XX:TieredStopAtLevel=1', '-Duser.timezone=UTC',
    '-cp', "$directory:/usr/share/java/postgresql.jar");
my $separator = '-- the end of a block';

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "listen_addresses = '127.0.0.1'\ntimezone = 'UTC'");
unlink $node->data_dir . '/pg_hba.conf';
$node->append_conf('pg_hba.conf', "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256");
$node->start;
my ($user, $password) =
    split /\|/, $node->safe_psql('postgres', 'SELECT current_user, gen_random_uuid()');
$node->safe_psql('postgres', qq(ALTER ROLE "$user" PASSWORD '$password'));

# libpq and asyncpg find the server by the environment, pgjdbc by a file in its class path.
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGUSER} = $user;
$ENV{PGTZ} = $ENV{TZ} = 'UTC';
mkdir "$directory/$_" for 'org', 'org/postgresql';
write_file('org/postgresql/driverconfig.properties',
    join "\n", 'PGHOST=127.0.0.1', 'PGPORT=' . $node->port, "user=$user", "password=$password");

sub write_file
{
    my ($name, $content) = @_;
    open my $file, '>', "$directory/$name" or die "$directory/$name: $!";
    print $file $content;
    close $file or die "$directory/$name: $!";
    return "$directory/$name";
}

# Run these blocks one after the other in one program and return what each prints.
my %outputs = (
    python => sub {
        my $input = join '', map { "$_$separator\n" } @_;
        IPC::Run::run([ @python, 'test/t/clients/run_blocks.py', $separator ],
            '<', \$input, '>&', \my $output);
        return $output;
    },
    java => sub {
        my ($imports, $statements) = ('', '');
        for my $block (@_)
        {
            $imports .= $1 while $block =~ /^(import .*;\n)/mg;
            $statements .= $block =~ s/^import .*;\n//mgr;
            $statements .= qq(System.out.println("$separator");\n);
        }
        my $program = write_file('Blocks.java', "${imports}class Blocks {
            public static void main(String[] arguments) throws Exception {\n$statements}}");
        IPC::Run::run([ @java, $program ], '>&', \my $output);
        return $output;
    });

# --- The document ---
my $document = 'docs/clients.md';
my $text = slurp_file($document);
$node->safe_psql('postgres', 'CREATE DATABASE shop');
$node->safe_psql('shop', join '', map { $_->{content} } Documents::examples($text, 'sql'));
my (@sections, %examples);
for my $example (Documents::examples($text, keys %outputs))
{
    my $section = $example->{section};
    push @sections, $section unless $examples{$section};
    push @{ $examples{$section} }, $example;
}
is_deeply(\@sections, [ 'psycopg 3', 'asyncpg', 'SQLAlchemy', 'JDBC', 'Serve masked keys over HTTP' ],
    'docs/clients.md has blocks for psycopg 3, asyncpg, SQLAlchemy, JDBC and an HTTP server');
for my $section (@sections)
{
    my @blocks = @{ $examples{$section} };
    my $output = $outputs{ $blocks[0]{language} }->(map { $_->{content} } @blocks);
    my @outputs = split /\Q$separator\E\n/, $output, -1;
    for my $block (@blocks)
    {
        is(Documents::comparable(shift @outputs // '', $block->{varies}),
            Documents::comparable($block->{expected}, $block->{varies}),
            Documents::place($document, $block));
    }
    is(join('', @outputs), '', "the blocks for $section print nothing else");
}

# --- What does not fit on a page ---
my %clients = (
    psycopg => [ @python, 'test/t/clients/psycopg_test.py' ],
    asyncpg => [ @python, 'test/t/clients/asyncpg_test.py' ],
    SQLAlchemy => [ @python, 'test/t/clients/sqlalchemy_test.py' ],
    JDBC => [ @java, 'test/t/clients/JdbcTest.java' ]);
$node->safe_psql('postgres', 'CREATE DATABASE clients');
$node->safe_psql('clients', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE events (id uuid PRIMARY KEY, minute int);
    INSERT INTO events
    SELECT uuid_generate_v7_at(timestamptz '2026-01-01 00:00:00+00' + n * interval '1 minute'), n
    FROM generate_series(0, 10 * 24 * 60 - 1) AS n;
    VACUUM ANALYZE events});
$ENV{PGDATABASE} = 'clients';
for my $client (sort keys %clients)
{
    IPC::Run::run($clients{$client}, '>', \my $output, '2>', \my $errors);
    my $status = $?;
    for my $line (split /\n/, $output)
    {
        if ($line =~ /^(not )?ok - (.*)/)
        {
            ok(!$1, "$client: $2");
        }
        else
        {
            diag($line) if $line =~ /^# (?:got|expected)/;
        }
    }
    is("$status $errors", '0 ', "the program for $client exits with 0 and writes nothing to stderr");
    like($output, qr/^done\Z/m, "the program for $client runs to its end");
}

$node->stop;
done_testing();
