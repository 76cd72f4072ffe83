# The documents tell the truth: every SQL block of README.md and docs/ is run, each document in a
# database of its own and in one session, and prints what the text block after it says, or nothing
# where there is none. Where that block is marked "varies", UUIDs and times are compared as such.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use IPC::Run ();
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;

# The fenced blocks of a document: where each begins, the language, what is after it, the content.
sub blocks
{
    my ($text) = @_;
    my @blocks;
    while ($text =~ /^```(\w*)[ ]*(\w*)\n(.*?)^```[ ]*\n(\s*)(?=(```)?)/msg)
    {
        my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
        push @blocks, { line => $line, language => $1, mark => $2, content => $3, next => defined $5 };
    }
    return @blocks;
}

# The statements of a document, each with what it is said to print.
sub statements
{
    my @statements;
    my $last;
    for my $block (blocks(@_))
    {
        if ($last && $block->{language} eq 'text')
        {
            @$last{qw(expected varies)} = ($block->{content}, $block->{mark} eq 'varies');
        }
        $last = undef;
        next unless $block->{language} eq 'sql';
        push @statements, { %$block, expected => '', varies => 0 };
        $last = $statements[-1] if $block->{next};
    }
    return @statements;
}

# What psql prints for each of these blocks, run one after the other.
sub outputs
{
    my ($database, @contents) = @_;
    my $end = "-- the end of a block\n";
    my $input = join '', map { "$_\n\\echo '-- the end of a block'\n" } @contents;
    my $output;
    local $ENV{PGTZ} = 'UTC';
    local $ENV{PGDATESTYLE} = 'ISO';
    IPC::Run::run([ 'psql', '--no-psqlrc', '--quiet', '--dbname', $node->connstr($database) ],
        '<', \$input, '>&', \$output);
    return split /\Q$end\E/, $output, -1;
}

# Markdown is kept without trailing spaces. From PostgreSQL 18 on, a script has NOT NULL as a constraint with a
# name, and so another fingerprint.
sub comparable
{
    my ($text, $varies) = @_;
    $text =~ s/[ \t]+$//mg;
    $text =~ s/\n+\z/\n/;
    $text =~ s/ADD CONSTRAINT \w+_not_null NOT NULL (\w+)/ALTER COLUMN $1 SET NOT NULL/g;
    $text =~ s/'[0-9a-f]{32}'/'fingerprint'/g;
    if ($varies)
    {
        $text =~ s/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/UUID/g;
        $text =~ s/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00/TIME/g;
        $text =~ s/ +/ /g;
        $text =~ s/-+/-/g;
        $text =~ s/ +$//mg;
    }
    return $text;
}

my $number = 0;
for my $document ('README.md', sort glob 'docs/*.md')
{
    my @statements = statements(slurp_file($document));
    my $database = 'document' . ++$number;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    my @outputs = outputs($database, map { $_->{content} } @statements);
    for my $statement (@statements)
    {
        my $output = shift @outputs;
        my ($first_line) = $statement->{content} =~ /^(.*)$/m;
        is(comparable($output, $statement->{varies}),
            comparable($statement->{expected}, $statement->{varies}),
            "$document:$statement->{line}: $first_line");
    }
}

# The reader of the documents would not overlook a block.
my @found = statements(<<'MARKDOWN');
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
MARKDOWN
is_deeply([ map { [ @$_{qw(content expected varies line)} ] } @found ],
    [ [ "SELECT 1;\n", "one\n", 1, 1 ], [ "SELECT 2;\n", '', 0, 10 ] ],
    'blocks are found with what is said to be their output');

done_testing();
