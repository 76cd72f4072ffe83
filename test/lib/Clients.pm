# Real clients: a server for them, the blocks of docs/clients/, which run as they stand, and programs that test what
# does not fit on a page.
package Clients;

use strict;
use warnings;
use Cwd 'abs_path';
use Documents;
use File::Basename 'dirname';
use File::Path 'make_path';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The sections of the pages that test/t/documents/clients.pl runs, and those that test/clients.t runs
our @drivers = ('psycopg 3', 'asyncpg', 'SQLAlchemy', 'Declare the creation time as a column', 'Serve masked keys over HTTP');
our @frameworks = (
    'JDBC', 'Django', 'Rails', 'node-postgres', 'TypeORM', 'Sequelize', 'MikroORM', 'pgx', 'sqlx', 'PDO', 'Laravel');

# The drivers are installed for Debian's Python and Ruby, which need not be the first in PATH. UsePerfData would make
# the JVM write into /tmp.
my $programs = abs_path('test/clients');
my $directory = abs_path(PostgreSQL::Test::Utils::tempdir);
our @python = ('/usr/bin/python3', '-B');
our @ruby = ('/usr/bin/ruby', '-ractive_record');
our @java = ('java', '-XX:-UsePerfData', '-XX:TieredStopAtLevel=1', '-Duser.timezone=UTC',
    '-cp', "$directory:/usr/share/java/postgresql.jar");

# What is in the README of the folder holds for all pages: the example tables, and the SQL of its section of the same
# name.
my $common = 'docs/clients/README.md';
my %pages = map { $_ => slurp_file($_) } glob 'docs/clients/*.md';
my $separator = '-- the end of a block';

# The blocks of SQL in a section of a page, for this server
sub sql_of
{
    my ($node, $page, $section) = @_;
    my @statements = Documents::examples_for($node, $pages{$page} // slurp_file($page), 'sql');
    return map { $_->{content} } grep { $_->{section} eq $section } @statements;
}

# new_server(CONFIGURATION...): a server that libpq, and what works like it, finds by the environment
sub new_server
{
    my $node = PostgreSQL::Test::Cluster->new('main');
    $node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
    $node->append_conf('postgresql.conf', join "\n", "timezone = 'UTC'", @_);
    $node->start;
    $ENV{PGHOST} = $node->host;
    $ENV{PGPORT} = $node->port;
    $ENV{PGUSER} = $node->safe_psql('postgres', 'SELECT current_user');
    $ENV{PGTZ} = $ENV{TZ} = 'UTC';
    return $node;
}

# create_events(SERVER): a database for the programs, with a row for each minute of ten days
sub create_events
{
    my ($node) = @_;
    $node->safe_psql('postgres', 'CREATE DATABASE clients');
    $node->safe_psql('clients', q{
        CREATE EXTENSION uuidx;
        CREATE TABLE events (id uuid PRIMARY KEY, minute int);
        INSERT INTO events
        SELECT uuid_generate_v7_at(timestamptz '2026-01-01 00:00:00+00' + n * interval '1 minute'), n
        FROM generate_series(0, 10 * 24 * 60 - 1) AS n;
        VACUUM ANALYZE events});
    $ENV{PGDATABASE} = 'clients';
    return;
}

# write_file(NAME, CONTENT): a file in the folder in which the clients run
sub write_file
{
    my ($name, $content) = @_;
    make_path(dirname("$directory/$name"));
    open my $file, '>', "$directory/$name" or die "$directory/$name: $!";
    print $file $content;
    close $file or die "$directory/$name: $!";
    return $name;
}

# What a command prints, errors too
sub output_of
{
    my ($command, $input) = (@_, '');
    IPC::Run::run($command, '<', \$input, '>&', \my $output, init => sub { chdir $directory });
    return $output;
}

# A program of these blocks, each with a statement after it that prints the separator
sub with_separators
{
    my ($statement, @blocks) = @_;
    return join '', map { "$_\n$statement\n" } @blocks;
}

# Run these blocks one after the other in one program, and return what it prints, with the separator after each block.
my %run = (
    python => sub {
        return output_of([ @python, "$programs/run_blocks.py", $separator ], with_separators($separator, @_));
    },
    ruby => sub { return output_of([ @ruby, "$programs/run_blocks.rb", $separator ], with_separators($separator, @_)) },
    java => sub {
        my ($imports, $statements) = ('', '');
        for my $block (@_)
        {
            $imports .= $1 while $block =~ /^(import .*;\n)/mg;
            $statements .= $block =~ s/^import .*;\n//mgr;
            $statements .= qq(System.out.println("$separator");\n);
        }
        return output_of([ @java, write_file('Blocks.java', "${imports}class Blocks {
            public static void main(String[] arguments) throws Exception {\n$statements}}") ]);
    },
    # `import` looks for packages beside the program.
    typescript => sub {
        -e "$directory/node_modules" or symlink $ENV{UUIDX_NPM}, "$directory/node_modules" or die "$directory/node_modules: $!";
        write_file('tsconfig.json', '{"compilerOptions": {"experimentalDecorators": true}}');
        my $blocks = write_file('blocks.mts', with_separators(qq(console.log("$separator");), @_));
        return output_of([ "$directory/node_modules/.bin/tsx", $blocks ]);
    },
    php => sub {
        return output_of([ 'php', write_file('blocks.php', "<?php\n" . with_separators(qq(echo "$separator\\n";), @_)) ]);
    },
    # The blocks are one program, which prints all at its end. Debian's packages are older than Go's modules.
    go => sub {
        local @ENV{qw(GO111MODULE GOPATH GOCACHE)} = ('off', '/usr/share/gocode', "$directory/go");
        my $output = output_of([ 'go', 'run', write_file('main.go', join "\n", @_) ]);
        return "$separator\n" x $#_ . "$output$separator\n";
    });
$run{javascript} = $run{typescript};

# What a section builds on: so many blocks of SQL of another page's section
my %built_on = ('Serve masked keys over HTTP' => [ 'docs/use/show-keys.md', 'Mask keys', 2 ]);

# These frameworks create the tables themselves, in a block that runs before those of the page.
my %migrate = (Django => 'migrate_django.py', Rails => 'migrate_rails.rb', Laravel => 'migrate_laravel.php');

# blocks(PAGE): its blocks that show code, but not those for programs that are not run here, which have the mark "newer"
sub blocks
{
    my ($page) = @_;
    return grep { $_->{language} !~ /^(?:|text|sql|sh)$/ && $_->{mark} ne 'newer' } Documents::blocks($pages{$page});
}

# The sections of all pages that have such blocks
sub sections
{
    my %sections = map { $_->{section} => 1 } map { blocks($_) } keys %pages;
    return sort keys %sections;
}

# Where such blocks are in languages that do not run here
sub strange_blocks
{
    my @places;
    for my $page (sort keys %pages)
    {
        push @places, map { Documents::place($page, $_) } grep { !$run{ $_->{language} } } blocks($page);
    }
    return @places;
}

# test_section(SERVER, SECTION): the section's blocks print what its page says, in a new database. A block whose
# first line is a comment with a file's name is a file of a framework's project. One with the mark "newer" needs other
# packages than Debian's.
my $file_name = qr{\A(?:#|//) (\S+/\S+)\n};
sub test_section
{
    my ($node, $section) = @_;
    my ($page) = grep { $_ ne $common && $pages{$_} =~ /^## \Q$section\E$/m } sort keys %pages;
    my @blocks = grep { $_->{section} eq $section } Documents::examples_for($node, $pages{$page}, keys %run) or return;
    my $run = $run{ $blocks[0]{language} };
    my @migrate = map { slurp_file("$programs/$_") } $migrate{$section} // ();

    $node->safe_psql('postgres', 'DROP DATABASE IF EXISTS shop');
    $node->safe_psql('postgres', 'CREATE DATABASE shop');
    for my $file (grep { $_->{content} =~ $file_name } @blocks)
    {
        my ($name) = $file->{content} =~ $file_name;
        write_file($name, ($file->{language} eq 'php' ? "<?php\n" : '') . $file->{content});
    }
    @blocks = grep { $_->{content} !~ $file_name } @blocks;
    if (@migrate)
    {
        is($run->(@migrate), "$separator\n", "the migrations for $section run");
    }
    # The rows, and the tables that the page has not created
    my @statements = sql_of($node, $common, 'Create the example table');
    if (my ($other, $other_section, $count) = @{ $built_on{$section} // [] })
    {
        push @statements, (sql_of($node, $other, $other_section))[ 0 .. $count - 1 ];
    }
    s/^(CREATE (?:TABLE|EXTENSION)) /$1 IF NOT EXISTS /mg for @statements;
    $node->safe_psql('shop', join '', @statements, map { sql_of($node, $_, $section) } $common, $page);

    my $rows_read = "SELECT t.seq_tup_read + sum(i.idx_tup_read)
        FROM pg_stat_user_tables AS t JOIN pg_stat_user_indexes AS i USING (relid) WHERE t.relname = 'orders' GROUP BY t.seq_tup_read";
    my $before = $node->safe_psql('shop', $rows_read);
    my @outputs = split /\Q$separator\E\n/, $run->(@migrate, map { $_->{content} } @blocks), -1;
    splice @outputs, 0, @migrate;
    for my $block (@blocks)
    {
        is(Documents::comparable(shift @outputs // '', $block->{varies}),
            Documents::comparable($block->{expected}, $block->{varies}),
            Documents::place($page, $block));
    }
    is(join('', @outputs), '', "the blocks for $section print nothing else");
    cmp_ok($node->safe_psql('shop', $rows_read) - $before, '<', 20_000, '    and read the rows of a few days, of 90');
    return;
}

# test_program(NAME, COMMAND): the program prints "ok - WHAT" or "not ok - WHAT" for each of its tests, and "done" at
# its end.
sub test_program
{
    my ($name, $command) = @_;
    IPC::Run::run($command, '>', \my $output, '2>', \my $errors);
    my $status = $?;
    for my $line (split /\n/, $output)
    {
        if ($line =~ /^(not )?ok - (.*)/)
        {
            ok(!$1, "$name: $2");
        }
        else
        {
            diag($line) if $line =~ /^# (?:got|expected)/;
        }
    }
    is("$status $errors", '0 ', "the program for $name exits with 0 and writes nothing to stderr");
    like($output, qr/^done\Z/m, "the program for $name runs to its end");
    return;
}

1;
