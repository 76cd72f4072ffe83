# Mutation testing of the SQL of uuidx_migrate: changes one condition, comparison, name, order or row of a UNION in one of
# its functions, and runs the tests in sql/ that use the extension, and those in test/t/migration. They have to find each
# such mutant, but those in test/mutation/survivors. This tests a sample: the first of those that the server accepts, in
# the order of a digest of their lines, which does not change with what stands elsewhere.
#
#   make installcheck REGRESS= PROVE_TESTS=test/sql_mutation.t                                the sample
#   make installcheck REGRESS= PROVE_TESTS='test/sql_mutation.t :: 300 TABLE'                 another number of mutants
#   make installcheck REGRESS= PROVE_TESTS='test/sql_mutation.t :: 300 TABLE sql/keys.sql'    and these tests
#
# TABLE is a file that gets a line for each mutant when its fate is known: its digest, whether it was found and by which
# test, the kind, the source and the function. One that has a line is not tested again, unless that is removed.

use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use File::Find qw(find);
use File::Temp qw(tempdir);
use List::Util qw(first max);
use lib 'test/lib';
use Mutants;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils qw(append_to_file);
use Test::More;
use Time::HiRes qw(time);

my ($count, $table, @tests) = @ARGV;
$count //= 50;
@tests = ((grep { slurp($_) =~ /uuidx_migrate/ } glob 'sql/*.sql'), glob 'test/t/migration/*.pl') if !@tests;

# --- The mutants of a statement ---
my %comparison = ('=' => '<>', '<>' => '=', '!=' => '=', '<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>', '~' => '!~', '!~' => '~',
    'IN' => 'NOT IN', 'NOT IN' => 'IN', 'LIKE' => 'NOT LIKE', 'NOT LIKE' => 'LIKE', 'IS NULL' => 'IS NOT NULL', 'IS NOT NULL' => 'IS NULL',
    'IS DISTINCT FROM' => 'IS NOT DISTINCT FROM', 'IS NOT DISTINCT FROM' => 'IS DISTINCT FROM');
my $token = qr/--[^\n]* | \bE?'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | \$\$ | "[^"]*" | IS\s+(?:NOT\s+)?(?:NULL|DISTINCT\s+FROM)\b | NOT\s+(?:IN|LIKE)\b
    | (?:ORDER|GROUP|PARTITION)\s+BY\b | UNION(?:\s+ALL)?\b | \w+ | (?:<>|<=|>=|=>|:=|!=|!~|::|\|\||->>|->) | \S/x;
# What a condition stands after or before
my %ends = map { $_ => 1 } qw(AND OR WHERE ON HAVING WHEN IF ELSIF ELSE THEN SELECT RETURN QUERY FROM JOIN LEFT CROSS UNION EXCEPT
    INTERSECT LIMIT WINDOW LOOP AS FOR INTO USING WHILE BEGIN ATOMIC ROWS), 'UNION ALL', 'ORDER BY', 'GROUP BY', 'PARTITION BY', ',', ';', ':=', '=>', '$$';
my %begins_condition = map { $_ => 1 } qw(AND OR WHERE ON HAVING WHEN IF ELSIF WHILE);
my $word = qr/(?:\w+|"[^"]*")/;

# The tokens from an offset on: their text, beginning, end, and how many parentheses and CASEs they stand in
sub tokens
{
    my ($sql, $from) = @_;
    my (@tokens, @open, %between);
    pos($sql) = $from;
    while ($sql =~ /$token/g)
    {
        my ($begin, $end) = ($-[0], $+[0]);
        my $text = $& =~ s/\s+/ /gr;
        next if $text =~ /^--/;
        pop @open if $text =~ /^[)\]]$/ || $text eq 'END' && @open && $open[-1] eq 'CASE';
        $between{@open} = 1 if $text eq 'BETWEEN';
        $text = 'AND of BETWEEN' if $text eq 'AND' && delete $between{@open};
        push @tokens, { text => $text, begin => $begin, end => $end, depth => scalar @open };
        push @open, $text if $text =~ /^(?:[(\[]|CASE)$/;
    }
    return @tokens;
}

# The last token of what begins after a token, or the first of what ends before it, going by 1 or -1
sub extent
{
    my ($tokens, $from, $by) = @_;
    my $depth = $tokens->[$from]{depth};
    my $at = $from + $by;
    $at += $by while $at >= 0 && $at < @$tokens && $tokens->[$at]{depth} >= $depth
        && !($tokens->[$at]{depth} == $depth && $ends{ $tokens->[$at]{text} });
    return $at - $by;
}

sub mutants
{
    my ($sql, $from) = @_;
    my @tokens = tokens($sql, $from);
    my (%mutants, @mutants);
    my $add = sub {
        my ($kind, $first, $last, $replacement) = @_;
        my ($at, $end) = ($tokens[$first]{begin}, $tokens[$last]{end});
        my $mutant = mutant_of($sql, $at, $end - $at, $replacement);
        push @mutants, [ $kind, $at, $end - $at, $replacement ] unless $mutants{ $mutant =~ s/\s+/ /gr }++;
    };
    my $text = sub { substr($sql, $tokens[ $_[0] ]{begin}, $tokens[ $_[1] ]{end} - $tokens[ $_[0] ]{begin}) };
    my $negate = sub {
        my ($first, $last) = @_;
        return if $first > $last || grep { $_->{depth} == $tokens[$first]{depth} && $comparison{ $_->{text} } } @tokens[ $first .. $last ];
        if ($tokens[$first]{text} eq 'NOT') { $add->('negate', $first, $first, '') }
        else { $add->('negate', $first, $last, 'NOT (' . $text->($first, $last) . ')') }
    };
    for my $n (0 .. $#tokens)
    {
        my ($name, $depth) = @{ $tokens[$n] }{qw(text depth)};
        my $last = extent(\@tokens, $n, 1);
        if ($name eq 'AND' || $name eq 'OR')
        {
            $add->('condition', $n, $last, '') if $last > $n;
            my $first = extent(\@tokens, $n, -1);
            if ($first < $n && ($first == 0 || $tokens[ $first - 1 ]{text} !~ /^(?:AND|OR)$/))
            {
                $add->('condition', $first, $n, '');
                $negate->($first, $n - 1);
            }
        }
        $negate->($n + 1, $last) if $begins_condition{$name};
        $add->('comparison', $n, $n, $comparison{$name}) if $comparison{$name};
        if ($name =~ /^UNION/)
        {
            my $end = $n + 1;
            $end++ while $end < @tokens && $tokens[$end]{depth} >= $depth
                && !($tokens[$end]{depth} == $depth && $tokens[$end]{text} =~ /^(?:UNION|EXCEPT|ORDER BY$|;)/);
            $add->('row', $n, $end - 1, '');
            my ($first, $begin) = (undef, $n - 1);
            for (; $begin >= 0 && $tokens[$begin]{depth} >= $depth; $begin--)
            {
                last if $tokens[$begin]{depth} == $depth && $tokens[$begin]{text} =~ /^(?:UNION|EXCEPT|ATOMIC|;|QUERY|\$\$)/;
                $first = $begin if $tokens[$begin]{depth} == $depth && $tokens[$begin]{text} eq 'SELECT';
            }
            $add->('row', $first, $n, '') if defined $first && ($begin < 0 || $tokens[$begin]{text} !~ /^UNION/);
        }
        if ($name eq 'ORDER BY')
        {
            my $desc = $tokens[$last]{text} eq 'DESC';
            $add->('order', $last, $last, $desc ? '' : "$tokens[$last]{text} DESC") if $last > $n && $tokens[$last]{text} !~ /^(?:FIRST|LAST)$/;
        }
        # Two neighbours of the same kind, each a name or a literal: arguments, columns, fields of a row
        if ($name eq ',')
        {
            my ($left, $right) = map { extent(\@tokens, $n, $_) } -1, 1;
            next if $left > $n - 1 || $right < $n + 1 || $left == 0;
            my ($a, $b) = ($text->($left, $n - 1), $text->($n + 1, $right));
            my ($before, $after) = ($tokens[ $left - 1 ]{text}, $tokens[ $right + 1 ]{text} // '');
            next unless $a ne $b && $after =~ /^(?:,|\)|FROM|INTO)$/ && $before =~ /^(?:,|\(|SELECT)$/;
            # The list that they stand in, of which a row is compared with others, or whose order means nothing
            my $list = $left - 1;
            $list-- while $list > 0 && ($tokens[$list]{depth} > $depth || $tokens[$list]{depth} == $depth && ($tokens[$list]{text} eq ',' || !$ends{ $tokens[$list]{text} }));
            next if $tokens[$list]{text} =~ /BY$|^FROM$/ || $list > 0 && $tokens[$list]{text} eq '(' && $tokens[ $list - 1 ]{text} =~ /^(?:(?:NOT )?IN|least|greatest|num_\w+)$/;
            $add->('names', $left, $right, $b . substr($sql, $tokens[ $n - 1 ]{end}, $tokens[ $n + 1 ]{begin} - $tokens[ $n - 1 ]{end}) . $a)
                if ($a =~ /^$word(?:\.$word)*$/ && $b =~ /^$word(?:\.$word)*$/ || $a =~ /^E?'[^']*'$/ && $b =~ /^E?'[^']*'$/);
        }
    }
    return @mutants;
}

# --- All mutants, in the order of their digests ---
my (@mutants, %text_of, %expands);
find({ no_chdir => 1, wanted => sub {
    my ($file) = m{(src/uuidx_migrate/.*\.sql)$} or return;
    for my $part (split /^(?=CREATE OR REPLACE )/m, slurp($file))
    {
        my ($head, $body) = $part =~ /\A(CREATE OR REPLACE .*?\n)((?:BEGIN ATOMIC\n.*?\nEND|AS \$\$\n.*?\n\$\$|RETURN\b.*?|SELECT\b.*?);)(?=\n|\z)/s or next;
        my $statement = "$head$body\n";
        my ($name) = $head =~ /^CREATE OR REPLACE \w+ (\w+)/;
        my $schema = $file =~ m{/api/} ? 'uuidx_migrate' : 'uuidx_migrate_steps';
        # Of PL/pgSQL, what comes after the declarations
        my $begin = $body =~ /^AS \$\$\n(?:DECLARE.*?\n)?BEGIN\n/s ? $+[0] : 0;
        $text_of{$name} .= $body;
        # What the server may expand in the query of a caller
        $expands{$name} = 1 if $head =~ /^CREATE OR REPLACE VIEW/
            || $head =~ /\bLANGUAGE sql\b/ && ($head =~ /\bRETURNS (?:SETOF|TABLE)\b/ ? $head !~ /\bSTRICT\b/ : $body !~ /\ARETURN\b.*\bSELECT\b/s);
        my %times;
        for my $mutant (mutants($statement, length($head) + $begin))
        {
            my ($kind, @change) = @$mutant;
            my $shown = shown($statement, @change);
            push @mutants, { file => $file, function => $name, kind => $kind, shown => $shown, digest => md5_hex($name, $shown, $times{$shown}++),
                search_path => "SET search_path = $schema, uuidx_migrate_steps, uuidx_migrate, pg_catalog, pg_temp;\n",
                original => $statement, sql => mutant_of($statement, @change) };
        }
    }
} }, 'src/uuidx_migrate');
@mutants = sort { $a->{digest} cmp $b->{digest} } @mutants;
# --- A server, and its tests ---
my $node = PostgreSQL::Test::Cluster->new('mutants');
$node->init;
$node->append_conf('postgresql.conf', join "\n", 'autovacuum = off', 'jit = off', 'restart_after_crash = on', q(temp_file_limit = '1GB'),
    q(statement_timeout = '120s'), q(track_functions = 'all'), q(timezone_abbreviations = 'Default'), q(bytea_output = 'hex'), map { "lc_$_ = 'C'" } qw(messages monetary numeric time));
$node->start;
$node->safe_psql('postgres', q(CREATE DATABASE template TEMPLATE template0));
$node->safe_psql('template', 'CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_migrate');
my $database = 'contrib_regression';
# As pg_regress runs psql
my $psql = sprintf "env --unset=LC_ALL --unset=LANG PGHOST=%s PGPORT=%d PGDATABASE=$database PGTZ=PST8PDT PGDATESTYLE='Postgres, MDY' "
    . "PGOPTIONS='-c intervalstyle=postgres_verbose' psql --no-psqlrc --echo-all --quiet --set=HIDE_TABLEAM=on --set=HIDE_TOAST_COMPRESSION=on",
    $node->host, $node->port;
# What a test with servers of its own creates the extension from, and where it keeps them
my ($version) = slurp('uuidx_migrate.control') =~ /^default_version = '(.*)'/m;
chomp(my $sharedir = `"${\($ENV{PG_CONFIG} // 'pg_config')}" --sharedir`);
my $install_script = "$sharedir/extension/uuidx_migrate--$version.sql";
my $installed = slurp($install_script);
END { write_file($install_script, $installed) if defined $installed }
my $folder = tempdir(CLEANUP => 1);
my $perl = "env TESTDIR=$folder TESTDATADIR=$folder TESTLOGDIR=$folder $^X " . join ' ', map { "-I$_" } @INC;

# A new database like the template, without what a test has left in the server
sub renew
{
    my $renewal = qq(DROP DATABASE IF EXISTS $database WITH (FORCE);
        SELECT format(v, rolname) FROM pg_roles, (VALUES ('DROP OWNED BY %I CASCADE'), ('DROP ROLE %I')) AS v (v)
        WHERE rolname LIKE 'regress%' ORDER BY v \\gexec
        CREATE DATABASE $database TEMPLATE template);
    return if $node->psql('postgres', $renewal) == 0;
    # The server has crashed, a session does not end, or a subscription is left.
    $node->stop('immediate');
    $node->start;
    $node->psql($database, q(SELECT format('ALTER SUBSCRIPTION %1$I DISABLE; ALTER SUBSCRIPTION %1$I SET (slot_name = NONE); DROP SUBSCRIPTION %1$I', subname)
        FROM pg_subscription WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()) \gexec));
    $node->safe_psql('postgres', $renewal);
    return;
}

# Whether a test passes with some mutants, up to its first difference: psql ends when nobody reads what it writes.
sub passes
{
    my ($test, $seconds, @some) = @_;
    if ($test =~ /\.pl$/)
    {
        my $script = $installed;
        substr($script, index($script, $_->{original}), length $_->{original}) = $_->{sql} for @some;
        write_file($install_script, $script);
        return runs("rm -rf $folder/*; timeout $seconds $perl $test");
    }
    renew();
    return $node->psql($database, join('', map { $_->{search_path}, $_->{sql} } @some), on_error_stop => 1) == 0
        && runs("timeout $seconds $psql <$test 2>&1 | cmp --silent - " . $test =~ s{^sql/(.*)\.sql$}{expected/$1.out}r);
}

# Without a mutant, they pass; how long each takes, and which functions one in sql/ calls. The server does not count calls
# that it expands in a query, so a test may also call what it names, or what a function names that it calls.
my (%seconds, %calls);
for my $test (@tests)
{
    my $start = time;
    (first { passes($test, 1200) } 1, 2) or BAIL_OUT("$test fails without a mutant");
    $seconds{$test} = time - $start;
    next if $test =~ /\.pl$/;
    $node->poll_query_until($database, 'SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = current_database()');
    my @called = split /\n/, $node->safe_psql($database, q(SELECT DISTINCT funcname FROM pg_stat_user_functions WHERE schemaname LIKE 'uuidx_migrate%'));
    $calls{$test} = { map { $_ => 1 } @called };
    my @texts = ((map { slurp($_) } $test, glob 'sql/include/*.sql'), map { $text_of{$_} // '' } @called);
    while (defined(my $text = shift @texts))
    {
        push @texts, map { $text_of{$_} } grep { $expands{$_} && !$calls{$test}{$_}++ } $text =~ /\w+/g;
    }
}
note(join ', ', map { sprintf '%s %.1f s', $_, $seconds{$_} } sort { $seconds{$a} <=> $seconds{$b} } @tests);

# Those of some mutants that a test finds. It meets several at once, each of another function, and half of them if it fails.
sub found_by
{
    my ($test, @some) = @_;
    return if passes($test, 60 + 10 * $seconds{$test}, @some);
    return @some if @some == 1;
    my @half = splice @some, 0, @some / 2;
    return (found_by($test, @half), found_by($test, @some));
}

# The sample, and what is known of it
my %line_of = map { (split /\t/)[0] => [ split /\t/ ] } defined $table && -e $table ? split /\n/, slurp($table) : ();
sub record
{
    my ($mutant, $fate, $by) = @_;
    @$mutant{qw(fate by)} = ($fate, $by);
    append_to_file($table, join("\t", $mutant->{digest}, $fate, $by, @$mutant{qw(kind file function)}) . "\n") if defined $table;
    return;
}
my @sample;
for my $mutant (@mutants)
{
    last if @sample == $count;
    my $line = $line_of{ $mutant->{digest} };
    @$mutant{qw(fate by)} = @$line[ 1, 2 ] if $line;
    record($mutant, 'rejected', '') if !$line && $node->psql('template', "BEGIN;\n$mutant->{search_path}$mutant->{sql}\nROLLBACK", on_error_stop => 1) != 0;
    push @sample, $mutant unless ($mutant->{fate} // '') eq 'rejected';
}

# In rounds of mutants of different functions. A test meets so many at once that it may find one of them; those that find
# most in their time are first.
my (%met, %finds);
my $chance_of = sub { my ($test) = @_; return (1 + ($finds{$test} // 0)) / (2 + ($met{$test} // 0)) };
my @left = grep { !defined $_->{fate} } @sample;
while (@left)
{
    my (%functions, @round, @later);
    push @{ @round < 50 && !$functions{ $_->{function} }++ ? \@round : \@later }, $_ for @left;
    @left = @later;
    my %worth = map { $_ => $chance_of->($_) / $seconds{$_} } @tests;
    for my $test (sort { $worth{$b} <=> $worth{$a} } @tests)
    {
        my @met = grep { !defined $_->{fate} && (!$calls{$test} || $calls{$test}{ $_->{function} }) } @round;
        while (my @some = splice @met, 0, max(1, int(1 / $chance_of->($test))))
        {
            $met{$test} += @some;
            record($_, 'found', $test), $finds{$test}++ for found_by($test, @some);
        }
    }
    record($_, 'survived', '') for grep { !defined $_->{fate} } @round;
}

# Compared with the survivors that are known
my %known = known(qr/^src\/uuidx_migrate.*\.sql$/);
my %is_there = map { $_->{file} . $_->{shown} => 1 } @mutants;
is_deeply([ grep { !$is_there{$_} } map { my $file = $_; map { $file . $_ } @{ $known{$file} } } sort keys %known ], [], 'Each survivor is a mutant');
for my $mutant (@sample)
{
    my ($file, $function, $kind, $shown, $by) = @$mutant{qw(file function kind shown by)};
    my $is_known = grep { $_ eq $shown } @{ $known{$file} // [] };
    ok(($mutant->{fate} eq 'found') == !$is_known, "$file: $function: $kind" . ($by && ": $by"))
        or diag($is_known ? 'This does not survive:' : 'No test finds:', "\n$file\n$shown");
}
note(sprintf '%d of %d mutants were found', scalar(grep { $_->{fate} eq 'found' } @sample), scalar @sample);
done_testing();
