# Mutation testing: breaks one operator, constant or statement at a time, and runs the tests of the file. They have to
# find each such mutant, unless the compiler rejects it, but those in test/mutation/survivors. An entry there has the
# lines that a mutant replaces, after "- ", its own lines, after "+ ", and the reason why no test finds it.
#
#   make installcheck REGRESS= PROVE_TESTS=test/mutation.t                              all files
#   make installcheck REGRESS= PROVE_TESTS='test/mutation.t :: src/core/hex.h ...'      these files

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename);
use File::Temp qw(tempdir);
use lib 'test/lib';
use Mutants;
use POSIX ();
use PostgreSQL::Test::Cluster;
use Test::More;

# Not more UUIDs than a mutant needs
delete $ENV{UUIDX_LONG};
my $makefile = abs_path('test/mutation/Makefile');
# Files of src/core without behaviour of their own
my $left_out = qr/^(?:no_postgres\.h|vectors\.(?:cpp|h))$/;
# The tests in sql/ of a file of an extension, for those that run without a server of their own
my %regress = map { $_ => [$_] } qw(aggregate convert encode generate guard mask ossp pg_uuidv7 query read time_order);
push @{ $regress{encode} }, 'typeid';
push @{ $regress{read} }, 'generate';
push @{ $regress{generate} }, 'settings';
push @{ $regress{query} }, 'plans', 'time_order', 'time_predicates';
# The unit tests of a file of src/core, where they are not those of its name
my %unit = (draft01 => ['inspect'], hex => [ 'text', 'node' ], timestamp => [ 'timestamp', 'bounds' ]);
my @files = @ARGV ? @ARGV : ((grep { basename($_) !~ $left_out } glob 'src/core/*.{h,cpp}'), map { glob "src/uuidx*/$_.cpp" } sort keys %regress);

# What takes the place of an operator or a name
my %binary = (
    '==' => '!=', '!=' => '==', '<' => '<= >=', '<=' => '< >', '>' => '>= <=', '>=' => '> <', '&&' => '||', '||' => '&&',
    '+' => '-', '-' => '+', '*' => '/', '/' => '*', '%' => '*', '&' => '|', '|' => '&', '^' => '|', '<<' => '>>', '>>' => '<<',
    '+=' => '-=', '-=' => '+=', '*=' => '/=', '&=' => '|=', '|=' => '&=', '^=' => '|=', '<<=' => '>>=', '>>=' => '<<=');
my %unary = ('!' => '', '~' => '', '-' => '', '++' => '--', '--' => '++');
my %name = (true => 'false', false => 'true', min => 'max', max => 'min', floor => 'ceil', ceil => 'floor');

sub any_of { return join '|', map { quotemeta } sort { length $b <=> length $a } @_ }
my ($binary, $unary, $name) = map { any_of(keys %$_) } \%binary, \%unary, \%name;
# A statement, but no declaration, in the lines after another one, a block, a condition or a label
my $declaration = qr/(?!return\b)\w[\w:<>,*& ]* \w+(?:\[.*\])?(?: =|[;{(])/;
my $statement = qr/(?<=[;{}):]|else)\s*\n\s*\K(?!(?:if|else|for|while|do|case|default|private|public|friend|using|template)\b|$declaration)
    (?!return\b[^;]*;(?: \}\)[^;]*;)?\n\s*\})[\w*:+(-](?:[^;{}]|\{[^{}\n]*\})*;(?=\n)/x;
my @mutations = (
    # clang-format puts spaces around binary operators, and not around anything else that has their characters.
    [ qr/(?<=\s)(?:$binary)(?=\s)/, sub { split / /, $binary{$_[0]} } ],
    [ qr/(?<=[\s(\[{])(?:$unary)(?=[\w(*])|(?<=\w)(?:\+\+|--)/, sub { $unary{$_[0]} } ],
    [ qr/(?<=std::|chrono::)(?:$name)\b|\b(?:true|false)\b/, sub { $name{$_[0]} } ],
    [ qr/(?<![\w.'])\d[\w']*/, sub { "($_[0] + 1)" } ],
    [ $statement, sub { ';' } ]);

# The source with nothing to change in what is no code, in what the compiler checks, and in the number of the only argument
sub blanked
{
    my ($code) = @_;
    $code =~ s{("|(?<!\w)'(?!\w*'\d))((?:\\.|(?!\g1)[^\\])*)\g1|//.*|^\#.*|\bstatic_assert\b[^;]*;|\bBits<\d+, \d+>|\bPG_GETARG_POINTER\(0\)}{
        defined $1 ? $1 . '_' x length($2) . $1 : $& =~ s/[^\n]/ /gr}gem;
    return $code;
}

# The mutants of a source, after the original: for each, the offset and the length of what it replaces, and by what
sub mutants
{
    my ($code) = @_;
    my @mutants;
    for my $mutation (@mutations)
    {
        my ($pattern, $replacements) = @$mutation;
        while ($code =~ /$pattern/g)
        {
            my ($at, $found) = ($-[0], $&);
            push @mutants, map { [ $at, length $found, $_ ] } $replacements->($found);
        }
    }
    return [ 0, 0, '' ], sort { $a->[0] <=> $b->[0] } @mutants;
}

my (%code, %mutants);
for my $file (@files)
{
    $code{$file} = slurp($file);
    $mutants{$file} = [ mutants(blanked($code{$file})) ];
}

# How a file of src/core is compiled with its tests, in a folder, and how it passes them
sub of_core
{
    my ($folder, $name) = @_;
    my @tests = @{ $unit{$name} // [$name] };
    my $make = sub { runs("make --silent --jobs=1 --directory=$folder --file=$makefile @_") };
    return {
        compiles => sub { $make->(map { "plain/${_}_test" } @tests) },
        passes => sub { $make->((map { "$_.plain" } @tests), 'plain/vectors.o', map { "$_.sanitized" } @tests) },
    };
}

# The same for a file of an extension. A server that crashes starts again, and one whose session waits is made to.
my $node;
sub of_shims
{
    my ($folder, $name) = @_;
    my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
    return {
        compiles => sub {
            runs("make --silent --jobs=1 --directory=$folder CXXFLAGS=-O0 with_llvm=no uuidx.so && "
                . "cp $folder/uuidx.so \$($pg_config --pkglibdir)");
        },
        passes => sub {
            local @ENV{qw(PGHOST PGPORT PGOPTIONS)} = ($node->host, $node->port, '-c statement_timeout=20s');
            $node->poll_query_until('postgres', 'SELECT true');
            return 1 if runs("timeout 120 $ENV{PG_REGRESS} --bindir= --dbname=contrib_regression --inputdir=. --outputdir=$folder "
                    . "--load-extension=uuidx --load-extension=uuidx_migrate --encoding=UTF8 --no-locale @{ $regress{$name} }");
            $node->stop('immediate'), $node->start if $? >> 8 == 124;
            return 0;
        } };
}

pipe(my $results, my $to_results) or die "pipe: $!";

# Starts a process that tests mutants of some files in a folder of its own: from number $first on, each $step-th. It
# writes each one's file, number and fate to the pipe.
sub start_testing
{
    my ($tests_of, $first, $step, @some) = @_;
    my $folder = tempdir(CLEANUP => 1);
    system('cp', '-a', 'Makefile', glob('*.control'), 'src', $folder) == 0 or BAIL_OUT('cannot copy the source');
    defined(my $pid = fork) or die "cannot fork: $!";
    return if $pid;
    for my $file (@some)
    {
        my $tests = $tests_of->($folder, basename($file) =~ /^(\w+)/);
        for (my $number = $first; $number < @{ $mutants{$file} }; $number += $step)
        {
            write_file("$folder/$file", mutant_of($code{$file}, @{ $mutants{$file}[$number] }));
            my $fate = !$tests->{compiles}->() ? 'rejected' : $tests->{passes}->() ? 'survived' : 'found';
            syswrite $to_results, "$file $number $fate\n";
        }
        write_file("$folder/$file", $code{$file});
    }
    POSIX::_exit(0);
}

# Compares the survivors of a file with those that are known.
my %known = known(qr/\.(?:cpp|h)$/);
my (%fates, %tested);
sub compare
{
    my ($file) = @_;
    my ($original, @fates) = @{ $fates{$file} };
    my (%count, %balance);
    $count{$_}++ for @fates;
    $balance{ shown($code{$file}, @{ $mutants{$file}[ $_ + 1 ] }) }++ for grep { $fates[$_] eq 'survived' } 0 .. $#fates;
    $balance{$_}-- for @{ delete $known{$file} // [] };
    my @unknown = map { "\n$file\n$_" } grep { $balance{$_} > 0 } sort keys %balance;
    my @gone = map { "\n$file\n$_" } grep { $balance{$_} < 0 } sort keys %balance;
    my $counts = join ', ', map { "$count{$_} $_" } sort keys %count;
    ok($original eq 'survived' && !@unknown && !@gone, "$file: the tests find the mutants that they are to find ($counts)")
        or diag($original eq 'survived' ? () : "The tests fail without a mutant.\n",
        @unknown ? ("No test finds:", @unknown) : (), @gone ? ("These do not survive:", @gone) : ());
    return;
}

my @shims = grep { !m{^src/core/} } @files;
my @core = grep { m{^src/core/} } @files;
if (@shims)
{
    $node = PostgreSQL::Test::Cluster->new('shims');
    $node->init;
    $node->append_conf('postgresql.conf', "restart_after_crash = on\ntemp_file_limit = '200MB'");
    $node->start;
    start_testing(\&of_shims, 0, 1, @shims);
}
chomp(my $processors = `nproc`);
start_testing(\&of_core, $_, $processors, @core) for 0 .. $processors - 1;
close $to_results;

plan tests => @files + !@ARGV;
while (my $result = readline $results)
{
    my ($file, $number, $fate) = split ' ', $result;
    $fates{$file}[$number] = $fate;
    compare($file) if ++$tested{$file} == @{ $mutants{$file} };
}
is_deeply([ keys %known ], [], 'Each file with survivors is there') if !@ARGV;
