# Fuzzes the core: each target of libFuzzer for two seconds, or for an hour with `scripts/test --long`, from its corpus.

use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;

my $seconds = $ENV{UUIDX_LONG} ? 3600 : 2;
my $found = tempdir(CLEANUP => 1);
my $output = `make --silent --jobs=2 --directory=test/fuzz WERROR=-Werror 2>&1`;
is($?, 0, 'The targets build without warnings') or BAIL_OUT($output);

for my $target (map { m{(\w+)\.cpp} } glob 'test/fuzz/*.cpp')
{
    mkdir "$found/$target" or die "$found/$target: $!";
    $output = `test/fuzz/build/$target -max_total_time=$seconds -max_len=256 -artifact_prefix=$found/ $found/$target test/fuzz/corpus/$target 2>&1`;
    is($?, 0, "$target: no input fails") or diag($output);
    my ($inputs) = $output =~ /^Done (\d+) runs/m;
    cmp_ok($inputs // 0, '>', 1000, "$target: it ran on many inputs");
}

done_testing();
