# What the build promises, each with a build of its own.

use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;

my $scratch = tempdir(CLEANUP => 1);

# Runs a shell command, and returns what it prints; it passes if it ends well.
sub succeeds
{
    my ($name, $command) = @_;
    my $output = `{ $command; } 2>&1`;
    is($?, 0, $name) or diag($output);
    return $output;
}

# Builds a copy of this tree, which make finds done where these arguments are those that built the tree.
sub builds
{
    my ($name, $copy, $arguments) = @_;
    mkdir "$scratch/$copy" or die "$scratch/$copy: $!";
    return succeeds($name, "cp --archive Makefile META.json.in src \$(ls .built-for) '$scratch/$copy' &&
        make --silent --directory='$scratch/$copy' WERROR=-Werror with_llvm=no $arguments");
}

for my $case ([ 'g++', 'CXX=g++' ], [ 'clang++', 'CXX=clang++ CC=clang' ])
{
    my ($compiler, $arguments) = @$case;
    builds("$compiler builds the module without a warning", $compiler, $arguments);
    my $module = "$scratch/$compiler/uuidx.so";
    my @needed = grep { !/^(libc|libm|ld-linux.*)\.so/ } `readelf --dynamic $module` =~ /\(NEEDED\).*\[(.*)\]/g;
    like("@needed", qr/^libcrypto\.so\.\S+$/, "The module built by $compiler needs libcrypto, and not libstdc++");
    my @exported = map { (split)[0] } `nm --dynamic --defined-only --format=posix $module`;
    cmp_ok(scalar(@exported), '>', 100, "The module built by $compiler exports its SQL functions");
    is_deeply([ grep { !/^((pg_finfo_)?uuidx_\w+|Pg_magic_func|_PG_init)$/ } @exported ], [], 'It exports nothing else');
}
# CXXFLAGS, not COPT, which is for C alone until PostgreSQL 16.
builds('g++ builds the module with -O1 and the sanitizers', 'sanitized',
    q{CXX='g++ -fsanitize=address,undefined' CXXFLAGS=-O1 COPT=-fsanitize=address,undefined});

succeeds('The layouts of UUIDs compile for a big-endian machine, where each is checked',
    's390x-linux-gnu-g++ -std=c++20 -Isrc -fsyntax-only src/core/vectors.cpp');

SKIP: {
    my ($makefiles) = `\${PG_CONFIG:-pg_config} --pgxs` =~ m{(.*)/makefiles/};
    skip 'this server was built without LLVM', 1
        if system("grep --quiet '^with_llvm[[:space:]]*=[[:space:]]*yes' '$makefiles/Makefile.global'") != 0;
    succeeds('Each object has LLVM bitcode beside it',
        'make --silent && for object in src/*/*.o; do test -s "${object%.o}.bc" || { echo "$object has none"; exit 1; }; done');
}

# make stops with this sentence, and says nothing else.
sub stops_with
{
    my ($name, $sentence, $arguments) = @_;
    my $output = `make --silent $arguments 2>&1`;
    isnt($?, 0, $name);
    like($output, qr/^.*\Q$sentence\E.*\n\z/, 'It prints that and nothing else');
    return;
}

my $no_headers = "$scratch/pg_config";
open my $file, '>', $no_headers or die "$no_headers: $!";
print $file "#!/bin/sh\ncase \$1 in --version) echo PostgreSQL 15.0 ;; *) echo /nowhere ;; esac\n";
close $file;
chmod 0755, $no_headers;

stops_with('Without pg_config, make says what to install', 'install PostgreSQL 14 or newer', 'PG_CONFIG=/nowhere/pg_config');
stops_with("Without the server's headers, make says what to install",
    'the development files of PostgreSQL 15.0 are missing: install them', "PG_CONFIG=$no_headers");
stops_with('Without a compiler, make says what to install', 'install it (Debian: g++)', 'CXX=/nowhere/g++');
stops_with('Without the headers of OpenSSL, make says what to install', 'install them (Debian: libssl-dev)',
    q{CXX='g++ -nostdinc'});

succeeds('clang-format finds nothing to change', q{find src test bench -name '*.cpp' -o -name '*.h' -o -name '*.c' |
    xargs clang-format --dry-run --Werror});

done_testing();
