# scripts/demo as a person runs it: in a terminal of 80 columns; what scripts/test says of tests that fail or are skipped;
# the pictures of the documents; and the benchmarks, in --long.

use strict;
use warnings;
use File::Basename qw(basename);
use File::Temp qw(tempdir);
use Test::More;

# Runs a shell command in a terminal, and returns what it prints; it passes if it ends well.
sub runs_in_terminal
{
    my ($name, $command) = @_;
    local $ENV{TERM} = 'xterm';
    my $output = `timeout 300 script --quiet --return --command "stty cols 80 rows 24; $command" /dev/null 2>&1 </dev/null`;
    is($?, 0, $name) or diag($output);
    return $output;
}

# The folder that each makes has a copy of the project, and does not stay, even if that of the suite does.
delete $ENV{KEEP};
my $mark = ".tested-by-$$";
open my $file, '>', $mark or die "$mark: $!";
close $file;
my $output = runs_in_terminal('scripts/demo ends well in a terminal', 'scripts/demo');
like($output, qr/^3\. .*Index Cond: \(id >= uuid_v7_after/ms, 'It shows a period that uses the primary key');
my ($before, $after) = map { [ /\d{4}-\d\d-\d\d [0-9:.]+(?=\+00)/g ] } $output =~ /^5\. (.*?)^6\. (.*)/ms;
is(scalar @{ $before // [] }, 8, 'It has eight keys of version 1');
isnt("@$before", join(' ', sort @$before), 'They are not in chronological order');
is("@$after", join(' ', sort @$before), 'As keys of version 6, they are');
$output = runs_in_terminal('scripts/demo --psql ends well in a terminal',
    q{echo 'SELECT uuid_version(uuid_generate_v7());' | scripts/demo --psql});
like($output, qr/^ +7\s*$/m, 'It leads to a psql where uuidx is installed');
is_deeply([ grep { -e "$_/uuidx/$mark" } glob(($ENV{UUIDX_FOLDERS} // '/tmp') . '/uuidx.*') ], [], 'They leave no folder behind');
unlink $mark or die "$mark: $!";

# A copy of the project with other tests
my $copy = tempdir(CLEANUP => 1);
system('cp', '--recursive', '.', $copy) == 0 or die 'cannot copy';
sub add_test
{
    my ($name, $content) = @_;
    open my $test, '>', "$copy/test/t/core/$name.pl" or die "$name: $!";
    print $test "use strict;\nuse warnings;\nuse Test::More;\n$content";
    close $test;
    return "test/t/core/$name.pl";
}
my $dies = add_test('dies', <<'END');
use PostgreSQL::Test::Cluster;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
ok(1, 'It has begun');
$node->safe_psql('postgres', 'SELECT is_no_column');
END
my $skips = add_test('skips', <<'END');
SKIP: { skip 'there is no moon', 1; }
ok(1, 'The rest');
done_testing();
END
my $tested = `'$copy/scripts/test' $dies $skips 2>&1`;
isnt($?, 0, 'scripts/test fails if a test dies');
like($tested, qr/^error running SQL: .*column "is_no_column" does not exist/m, 'The log of that test says why');
like($tested, qr/ERROR:  column "is_no_column" does not exist.*\n.* STATEMENT:  SELECT is_no_column$/m, 'and so does that of its server');
like($tested, qr/^    skipped in \Q$skips\E: there is no moon$/m, 'What was skipped has its reason');
like($tested, qr/^2 passed, 1 failed\Z/m, 'The last line has the sums');

my $drawn = tempdir(CLEANUP => 1);
is(system('docs/pictures/draw', $drawn), 0, 'docs/pictures/draw ends well');
my @pictures = map { basename($_) } glob "$drawn/*.svg";
cmp_ok(scalar @pictures, '>', 0, 'It draws pictures');
is(system('cmp', '--silent', "$drawn/$_", "docs/pictures/$_"), 0, "docs/pictures/$_ is what it draws") for @pictures;

# Their documents and charts go into the copy of the project that is tested. So few rows tell nothing about the goals.
if ($ENV{UUIDX_LONG})
{
    my %few = (insert => '1 1 4', locks => '1 10', 'sql-edition' => '1 0.02 1');
    for my $benchmark (qw(generate insert growth read time created joins migrate rekey keys locks sql-edition))
    {
        my $arguments = $few{$benchmark} // '1 0.02';
        my $output = `bench/$benchmark $arguments 2>&1`;
        ok($? == 0 || $output =~ /verdict/, "bench/$benchmark runs to its goals") or diag($output);
    }
}

done_testing();
