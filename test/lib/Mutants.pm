# What test/mutation.t and test/sql_mutation.t have in common: a mutant of a source is an offset, the length of what it
# replaces, and what takes its place; survivors that are known are in test/mutation/survivors.
package Mutants;

use strict;
use warnings;
use Exporter qw(import);
our @EXPORT = qw(slurp write_file mutant_of shown known runs);

sub slurp
{
    my ($file) = @_;
    open my $handle, '<', $file or die "$file: $!";
    local $/;
    return scalar <$handle>;
}

sub write_file
{
    my ($file, $text) = @_;
    open my $handle, '>', $file or die "$file: $!";
    print $handle $text;
    close $handle or die "$file: $!";
    return;
}

sub mutant_of
{
    my ($code, $at, $length, $replacement) = @_;
    substr($code, $at, $length) = $replacement;
    return $code;
}

# The lines that a mutant replaces, and its own, as in an entry of test/mutation/survivors; those of a statement that it
# removes with the line before.
sub shown
{
    my ($code, $at, $length, $replacement) = @_;
    my $begin = rindex($code, "\n", $at - 1) + 1;
    $begin = rindex($code, "\n", $begin - 2) + 1 if $replacement eq ';';
    my $lines = substr($code, $begin, index($code, "\n", $at + $length - 1) - $begin);
    my ($indent) = sort { length $a <=> length $b } $lines =~ /^( *)(?=\S)/mg;
    my ($before, $after) = map { s/^$indent//gmr } $lines, mutant_of($lines, $at - $begin, $length, $replacement);
    my @after = grep { /\S/ } split /\n/, $after;
    return join '', (map { "- $_\n" } split /\n/, $before), map { "+ $_\n" } @after ? @after : '';
}

# The survivors of test/mutation/survivors, for each file whose name matches a pattern
sub known
{
    my ($pattern) = @_;
    my %known;
    for my $entry (split /\n{2,}/, slurp('test/mutation/survivors'))
    {
        my ($file, $mutants) = $entry =~ /^(src\S+)\n((?:[-+] .*\n)+)\S/ or next;
        push @{ $known{$file} }, $mutants =~ /(?:^- .*\n)+(?:^\+ .*\n)+/mg if $file =~ $pattern;
    }
    return %known;
}

# Runs a shell command, and returns whether it succeeds.
sub runs
{
    my ($command) = @_;
    return system("{ $command; } >/dev/null 2>&1") == 0;
}

1;
