# The documents tell the truth: every SQL block of README.md and of docs/ with its folders is run, each document in a
# database of its own and in one session, and prints what the text block after it says, or nothing
# where there is none. Where that block is marked "varies", UUIDs and times are compared as such.
# Blocks of psql, with which a page about a migration begins, run on a table of their own.
# Blocks for a server that they name run elsewhere: test/t/documents/scale_out.pl has those of docs/operate/replicas.md. Those for
# a version, such as 18, run here if the server has it or a newer one.

use strict;
use warnings;
use lib 'test/lib';
use Documents;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use StandIns;
use Test::More;

StandIns::install();
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
# As readers have it
$node->append_conf('postgresql.conf', 'wal_level = replica');
$node->start;
# Older servers need this for docs/use/order.md. On newer ones, a session loads uuidx when the document says so.
if ($node->safe_psql('postgres', 'SHOW server_version_num') < 170000)
{
    $node->append_conf('postgresql.conf', "shared_preload_libraries = 'uuidx'");
    $node->restart;
}

# The page for servers on which readers are no superusers is run by such a role, who owns the database.
$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN');
my %reader = ('docs/operate/managed.md' => 'tenant');

# What psql prints for each of these blocks, run one after the other by this role.
sub outputs
{
    my ($database, $role, @contents) = @_;
    my $end = "-- the end of a block\n";
    my $input = join '', map { "$_\n\\echo '-- the end of a block'\n" } @contents;
    my $output;
    local $ENV{PGTZ} = 'UTC';
    local $ENV{PGDATESTYLE} = 'ISO';
    IPC::Run::run([ 'psql', '--no-psqlrc', '--quiet', "--username=$role", '--dbname', $node->connstr($database) ],
        '<', \$input, '>&', \$output);
    return split /\Q$end\E/, $output, -1;
}

# No document turns a planner method off: its plans are those that readers get.
my $methods = join '|', split /\n/, $node->safe_psql('postgres', q{SELECT name FROM pg_settings WHERE name LIKE 'enable\_%'});

my $number = 0;
my @run;
for my $document (Documents::all('md'))
{
    push @run, $document;
    unlike(slurp_file($document), qr/\b($methods)\b/, "$document changes no planner method");
    my @statements = Documents::examples_for($node, slurp_file($document), 'sql');
    my $database = 'document' . ++$number;
    my $role = $reader{$document} // getpwuid($>);
    $node->safe_psql('postgres', "CREATE DATABASE $database OWNER \"$role\"");
    my @outputs = outputs($database, $role, map { $_->{content} } @statements);
    for my $statement (@statements)
    {
        my $output = shift @outputs;
        is(Documents::comparable($output, $statement->{varies}),
            Documents::comparable($statement->{expected}, $statement->{varies}),
            Documents::place($document, $statement));
    }
}

is_deeply(\@run, [ split /\n/, `find README.md docs -name '*.md' | LC_ALL=C sort` ], 'No document is left out, in whatever folder it is');

is_deeply([ Documents::broken_links($_) ], [], "The links of $_ lead to files and sections") for @run, glob '[!R]*.md';

like(slurp_file($_), qr/\A# [^\n]*\n\n(?:(?:.+\n)+\n)?On a managed server, .*README\.md#use-the-sql-edition/, "The top of $_ says what to write there")
    for grep { !/README/ } glob 'docs/clients/*.md';

# The shortest way through a migration runs on a table with the names of that block, and leaves no old column.
for my $way (
    [ 'docs/migrate/version-1.md', 'customers', 'id uuid', q{'c232ab00-9414-11ec-b3c8-9f6bdeced846'}, '6' ],
    [ 'docs/migrate/to-version-7.md', 'customers', 'id uuid, created_at timestamptz DEFAULT now()', 'gen_random_uuid()', '7' ],
    [ 'docs/migrate/numbers.md', 'customers', 'id bigint, created_at timestamptz DEFAULT now()', '42', '7' ],
    [ 'docs/migrate/text.md', 'authors', 'id text', 'gen_random_uuid()', '4' ])
{
    my ($document, $table, $columns, $key, $version) = @$way;
    my $database = 'document' . ++$number;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, "CREATE TABLE $table ($columns, PRIMARY KEY (id)); INSERT INTO $table (id) SELECT $key");
    my $input = join '', map { $_->{content} } Documents::examples(slurp_file($document), 'psql');
    IPC::Run::run([ 'psql', '--no-psqlrc', '--quiet', '--dbname', $node->connstr($database) ], '<', \$input, '>&', \my $output);
    is($node->safe_psql($database, "SELECT uuid_version(id), to_jsonb(t) ? 'id_shadow' FROM $table AS t"), "$version|f",
        "The shortest way of $document moves the keys")
        or diag($output);
}

# The reader of the documents would not overlook a block.
my @found = Documents::examples(<<'MARKDOWN', 'sql', 'python');
```sql
SELECT 1;
```

```text varies
one
```
Prose.

```sql
SELECT 2;
```
Prose.

```text
not of it
```
```sh
make
```

## Another section
```python
## not a heading
```
MARKDOWN
is_deeply([ map { [ @$_{qw(content expected varies line section)} ] } @found ],
    [ [ "SELECT 1;\n", "one\n", 1, 1, '' ], [ "SELECT 2;\n", '', 0, 10, '' ],
        [ "## not a heading\n", '', 0, 23, 'Another section' ] ],
    'The blocks of a document are found, each with its expected output');

done_testing();
