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

# A copy of what make builds from, and of these files
sub copy_of_tree
{
    my ($name, $built) = @_;
    mkdir "$scratch/$name" or die "$scratch/$name: $!";
    system("cp --archive Makefile uuidx*.control src sql-edition $built '$scratch/$name'") == 0 or die 'cannot copy';
    return "$scratch/$name";
}

# Builds a copy of this tree, which make finds done where these arguments are those that built the tree.
sub builds
{
    my ($name, $copy, $arguments) = @_;
    my $directory = copy_of_tree($copy, -e '.built-for' ? '.built-for' : '');
    return succeeds($name, "make --silent --directory='$directory' WERROR=-Werror with_llvm=no $arguments");
}

# A server that has nothing of the C++ library in its process loads the module: a program in C, which has the server's
# symbols, does.
sub loads_without_cxx
{
    my ($name, $module) = @_;
    my $program = "$scratch/load";
    my %server = map { (split)[0] => 1 } `nm --dynamic --defined-only --format=posix \$(\${PG_CONFIG:-pg_config} --bindir)/postgres`;
    my @symbols = grep { $server{$_} } map { (split)[0] } `nm --dynamic --undefined-only --format=posix '$module'`;
    cmp_ok(scalar @symbols, '>', 100, 'The module uses symbols of the server');
    open my $source, '>', "$program.c" or die "$program.c: $!";
    print $source "#include <dlfcn.h>\n#include <stdio.h>\n", map { "char $_;\n" } @symbols;
    print $source 'int main(int count, char **paths) { return !dlopen(paths[1], RTLD_NOW) && puts(dlerror()); }', "\n";
    close $source;
    succeeds('A program with these symbols compiles', "cc -fno-builtin -w -rdynamic -o '$program' '$program.c'");
    succeeds($name, "'$program' '$module'");
    return;
}

my @cases = ([ 'g++', 'CXX=g++' ], [ 'clang++ -O0', 'CXX=clang++ CC=clang CXXFLAGS=-O0' ]);
push @cases, [ 'g++ -O0', 'CXX=g++ CXXFLAGS=-O0' ], [ 'g++ -O1', 'CXX=g++ CXXFLAGS=-O1' ], [ 'g++ -O3', 'CXX=g++ CXXFLAGS=-O3' ],
    [ 'g++ with assertions', 'CXX=g++ CXXFLAGS="-O2 -D_GLIBCXX_ASSERTIONS"' ],
    [ 'clang++', 'CXX=clang++ CC=clang' ] if $ENV{UUIDX_LONG};
for my $case (@cases)
{
    my ($compiler, $arguments) = @$case;
    builds("$compiler builds the module without a warning", $compiler, $arguments);
    my $module = "$scratch/$compiler/uuidx.so";
    my @needed = grep { !/^(libc|libm|ld-linux.*)\.so/ } `readelf --dynamic '$module'` =~ /\(NEEDED\).*\[(.*)\]/g;
    like("@needed", qr/^libcrypto\.so\.\S+$/, "The module that $compiler builds needs libcrypto, and not libstdc++");
    loads_without_cxx('It loads where the C++ library is not', $module);
    my @exported = map { (split)[0] } `nm --dynamic --defined-only --format=posix '$module'`;
    cmp_ok(scalar(@exported), '>', 100, 'It exports its SQL functions');
    is_deeply([ grep { !/^((pg_finfo_)?uuidx_\w+|Pg_magic_func|_PG_init)$/ } @exported ], [], 'It exports nothing else');
}
# Without these flags, the compiler may take a node that PostgreSQL has written for another.
my $flags = copy_of_tree('flags', 'windows');
for my $case ([ 'With other CXXFLAGS', '.', 'src/core/random.o CXXFLAGS=-O2' ], [ 'For Windows', 'windows', 'build/objects/core/random.o SERVER=/nowhere' ])
{
    my ($name, $folder, $arguments) = @$case;
    my ($command) = `make --dry-run --always-make --directory='$flags/$folder' $arguments 2>/dev/null` =~ /^(.*-c -o \S*random\.o .*)/m;
    like($command, qr/ -fno-strict-aliasing -fwrapv /, "$name, pointers of different types may be to the same node");
}
like(`make --dry-run --always-make --directory='$flags' PORTNAME=darwin .without-cxx 2>/dev/null`, qr/^nm --undefined-only --format=posix uuidx\.\S+ >/m,
    'For macOS, nm is not asked for dynamic symbols, which a library has none of there');
# CXXFLAGS, not COPT, which is for C alone until PostgreSQL 16. The unit tests build the core with the sanitizers.
builds('g++ builds the module with -O1 and the sanitizers', 'sanitized',
    q{CXX='g++ -fsanitize=address,undefined' CXXFLAGS=-O1 COPT=-fsanitize=address,undefined}) if $ENV{UUIDX_LONG};

SKIP: {
    skip 'the module was built without LLVM bitcode', 1 unless glob 'src/core/*.bc';
    succeeds('Each object has LLVM bitcode beside it',
        'make --silent && for object in src/*/*.o src/*/*/*.o; do test -s "${object%.o}.bc" || { echo "$object has none"; exit 1; }; done');
}

# make in a new copy of the tree stops, and says this.
my $stopped = copy_of_tree('stopped', '');
sub stops_with
{
    my ($name, $sentence, $arguments) = @_;
    my $output = `make --silent --directory='$stopped' with_llvm=no $arguments 2>&1`;
    isnt($?, 0, $name);
    like($output, qr/\Q$sentence\E/, 'It says so');
    return;
}

sub write_file
{
    my ($path, $content) = @_;
    open my $file, '>', $path or die "$path: $!";
    print $file $content;
    close $file;
    return;
}

my $no_headers = "$scratch/pg_config";
write_file($no_headers, "#!/bin/sh\ncase \$1 in --version) echo PostgreSQL 15.0 ;; *) echo /nowhere ;; esac\n");
chmod 0755, $no_headers;

stops_with('Without pg_config, make says what to install', 'install PostgreSQL 14 or newer', 'PG_CONFIG=/nowhere/pg_config');
stops_with("Without the server's headers, make says what to install",
    'the development files of PostgreSQL 15.0 are missing: install them', "PG_CONFIG=$no_headers");
stops_with('Without the headers of OpenSSL, make says what to install', 'needs OpenSSL 1.1.1 or newer with its headers',
    q{CXX='g++ -nostdinc'});
stops_with('With a compiler that does not know C++20, make says what to install', 'install g++ 11, clang 14 or newer',
    q{CXX='g++ -U__cplusplus -D__cplusplus=201703L'});
# Of the C++ library, in a function that no optimization removes
system("find '$stopped/src' -name '*.cpp' -delete") == 0 or die 'cannot remove';
write_file("$stopped/src/server/throws.cpp", <<'END');
#include <string_view>
extern "C" __attribute__((visibility("default"))) std::size_t uuidx_throws(const char* text, std::size_t at) {
    return std::string_view{text}.substr(at).size();
}
END
stops_with('A module that uses a function of the C++ library is refused',
    'src/server/throws.o uses std::__throw_out_of_range_fmt(char const*, ...) of the C++ library', 'CXX=g++');
stops_with('Linked with that library, it is refused too', 'src/server/throws.o uses std::__throw_out_of_range_fmt',
    q{CXX=g++ CXXFLAGS="-DTEXT=\\\\\\"it\\\\'s\\\\\\"" LDFLAGS='-Wl,--no-as-needed -lstdc++'});
stops_with('What nm cannot read is refused', '/nowhere', 'CXX=g++ NM=/nowhere');

done_testing();
