# The examples of a document: blocks of code, each with what it is said to print.
package Documents;

use strict;
use warnings;
use File::Basename qw(dirname);
use File::Find ();

# all(EXTENSION...): README.md, and the files of docs/ and all folders under it whose names end so
sub all
{
    my $endings = join '|', @_;
    my @files;
    File::Find::find({ no_chdir => 1, wanted => sub { push @files, $_ if -f && /\.($endings)$/ } }, 'docs');
    return 'README.md', sort @files;
}

# The fenced blocks of a document: the section, the line where each begins, the language, the mark
# after it, the content. The mark of a block of SQL names the server on which it runs; a number is the
# first version that can run it.
sub blocks
{
    my ($text) = @_;
    my $section = '';
    my @blocks;
    while ($text =~ /^(?:\#\# ([^\n]+)\n|```(\w*)[ ]*(\w*)\n(.*?)^```[ ]*\n(\s*)(?=(```)?))/msg)
    {
        if (defined $1)
        {
            $section = $1;
            next;
        }
        my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
        push @blocks, { section => $section, line => $line, language => $2, mark => $3,
            content => $4, next => defined $6 };
    }
    return @blocks;
}

# The blocks of these languages, each with what the text block after it says, or nothing where there
# is none.
sub examples
{
    my ($text, @languages) = @_;
    my @examples;
    my $last;
    for my $block (blocks($text))
    {
        if ($last && $block->{language} eq 'text')
        {
            @$last{qw(expected varies)} = ($block->{content}, $block->{mark} eq 'varies');
        }
        $last = undef;
        next unless grep { $_ eq $block->{language} } @languages;
        push @examples, { %$block, expected => '', varies => 0 };
        $last = $examples[-1] if $block->{next};
    }
    return @examples;
}

# examples_for(SERVER, TEXT, LANGUAGE...): those without a mark, and those for this version
sub examples_for
{
    my ($node, $text, @languages) = @_;
    my $version = int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);
    return grep { $_->{mark} =~ /^\d*$/ && $version >= ($_->{mark} || 0) } examples($text, @languages);
}

# anchors(TEXT): what the links to the sections of a document end with
sub anchors
{
    my ($text) = @_;
    $text =~ s/^```.*?^```[ ]*$//msg;
    return map { lc =~ s/[^\w -]//gr =~ tr/ /-/r } $text =~ /^#+ (.*)$/mg;
}

# broken_links(DOCUMENT): the links that lead to no file, or to no section of it
sub broken_links
{
    my ($document) = @_;
    my $text = slurp($document);
    $text =~ s/^```.*?^```[ ]*$//msg;
    my @broken;
    while ($text =~ /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)
    {
        my ($path, $anchor) = ($1, $2);
        my $file = $path eq '' ? $document : dirname($document) . "/$path";
        push @broken, $path . (defined $anchor ? "#$anchor" : '')
            unless -e $file && (!defined $anchor || grep { $_ eq $anchor } anchors(slurp($file)));
    }
    return @broken;
}

sub slurp
{
    local (@ARGV, $/) = @_;
    return scalar <>;
}

# Where an example is, for the name of its test.
sub place
{
    my ($document, $example) = @_;
    my ($first_line) = $example->{content} =~ /^(.*)$/m;
    return "Line $example->{line} of $document prints what the document says: $first_line";
}

# Markdown is kept without trailing spaces. Servers name an InitPlan and its result differently: up to PostgreSQL 16,
# "InitPlan 1 (returns $0)" and $0; then "InitPlan 1" and (InitPlan 1).col1; from 19 on, "InitPlan array_1" and
# (array_1).col1, so that a plan can be wider. Up to 14, postgres_fdw sends the types of constants.
sub comparable
{
    my ($text, $varies) = @_;
    $text =~ s/[ \t]+$//mg;
    $text =~ s/\n+\z/\n/;
    $text =~ s{^( *Remote SQL.*)}{$1 =~ s/'::uuid/'/gr}gme;
    $text =~ s/^ *QUERY PLAN\n-+$/QUERY PLAN/mg;
    $text =~ s/\((?:InitPlan )?(?:[a-z]+_)?(\d+)\)\.col1/'$' . ($1 - 1)/ge;
    $text =~ s/InitPlan (?:[a-z]+_)?(\d+)(?: \(returns \$\d+\))?/InitPlan $1/g;
    if ($varies)
    {
        $text =~ s/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/UUID/g;
        $text =~ s/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00(:00)?/TIME/g;
        $text =~ s/ +/ /g;
        $text =~ s/-+/-/g;
        $text =~ s/ +$//mg;
    }
    return $text;
}

1;
