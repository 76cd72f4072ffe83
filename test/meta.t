# What the project's files say of themselves and of one another: META.json is as the PGXN Meta Spec 1.0 wants it, there is
# one version, and the sources of the install scripts are read alike whatever a session has set.

use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use File::Find qw(find);
use File::Temp qw(tempdir);
use JSON::PP qw(decode_json);
use Test::More;
use Text::ParseWords qw(quotewords);

sub text
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!";
    local $/ = undef;
    return scalar <$file>;
}

my ($version) = text('uuidx.control') =~ /^default_version = '(.*)'$/m;
my @extensions = split / /, text('Makefile') =~ /^EXTENSION = (.+)$/m ? $1 : '';
is_deeply([ sort glob '*.control' ], [ sort map { "$_.control" } @extensions ], 'Each extension has a control file');
my $semantic_version = qr/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-[0-9A-Za-z.-]+)?$/;
like($version, $semantic_version, 'uuidx.control has a semantic version');
is((text('CHANGELOG.md') =~ /^## (\S+)/m)[0], $version, 'The newest version in CHANGELOG.md is that');

# --- META.json ---
# The rules of the PGXN Meta Spec 1.0: a key in parentheses may be missing, and '*' stands for any other
my $term = qr{^[^\s/\\\x00-\x1f\x7f]{2,}$};
my ($string, $url) = (qr/\S/, qr{^\w+://\S+$});
my $prerequisites = { map { ("($_)" => { '*' => qr/^[\d.,<>=! ]+$/ }) } qw(requires recommends suggests conflicts) };
my $rules = {
    name => $term,
    version => $semantic_version,
    abstract => $string,
    maintainer => [$string],
    license => qr/^(agpl_3|apache_1_1|apache_2_0|artistic_1|artistic_2|bsd|freebsd|gfdl_1_2|gfdl_1_3|gpl_1|gpl_2|gpl_3|lgpl_2_1
        |lgpl_3_0|mit|mozilla_1_0|mozilla_1_1|openssl|perl_5|postgresql|qpl_1_0|ssleay|sun|zlib|open_source|restricted
        |unrestricted|unknown)$/x,
    provides => { '*' => { file => $string, version => $semantic_version, '(abstract)' => $string, '(docfile)' => $string } },
    'meta-spec' => { version => qr/^1\.0\.0$/, '(url)' => $url },
    '(description)' => $string,
    '(generated_by)' => $string,
    '(release_status)' => qr/^(stable|testing|unstable)$/,
    '(tags)' => [qr{^[^/\\\x00-\x1f\x7f]{1,256}$}],
    '(prereqs)' => { map { ("($_)" => $prerequisites) } qw(configure build test runtime develop) },
    '(resources)' => {
        '(homepage)' => $url,
        '(license)' => [$url],
        '(bugtracker)' => { '(web)' => $url, '(mailto)' => qr/^\S+@\S+$/ },
        '(repository)' => { '(web)' => $url, '(url)' => $url, '(type)' => qr/^[a-z]+$/ } } };

# What in this data is against these rules, by its path
sub misfits
{
    my ($rule, $data, $path) = @_;
    return ref $data eq 'ARRAY' && @$data ? map { misfits($rule->[0], $_, "$path\[]") } @$data : $path if ref $rule eq 'ARRAY';
    return !ref $data && ($data // '') =~ $rule ? () : $path if ref $rule ne 'HASH';
    return $path if ref $data ne 'HASH';
    my @missing = grep { !/^\(|^\*$/ && !exists $data->{$_} } keys %$rule;
    my @wrong = map {
        my $inner = $rule->{$_} // $rule->{"($_)"} // $rule->{'*'};
        $inner ? misfits($inner, $data->{$_}, "$path/$_") : /^x_/i ? () : "$path/$_";
    } keys %$data;
    return map({ "$path/$_ is missing" } @missing), @wrong;
}

my $meta = decode_json(text('META.json'));
is_deeply([ misfits($rules, $meta, '') ], [], 'META.json is as the PGXN Meta Spec wants it');
is_deeply([ sort(misfits($rules, { %$meta, version => '1.0', tag => 'uuid', license => undef, resources => { homepage => 'here' } }, '')) ],
    [qw(/license /resources/homepage /tag /version)], 'which another would not be');
is($meta->{version}, $version, 'Its version is that of uuidx.control');
is_deeply([ sort keys %{ $meta->{resources} } ], [qw(bugtracker homepage repository)], 'It names the homepage, the bug tracker and the repository');
is_deeply([ sort keys %{ $meta->{provides} } ], [ sort @extensions ], 'It provides the extensions of the Makefile');

# --- Entries for other catalogues ---
# They have these versions and extensions, too.
is_deeply({ map { $_ => [ text("packaging/$_") =~ /\b(?:version|package|sql) *= "(\d+\.\d+\.\d+)/g ] } qw(nixpkgs/uuidx.nix cloudnative-pg/metadata.hcl) },
    { 'nixpkgs/uuidx.nix' => [$version], 'cloudnative-pg/metadata.hcl' => [ ($version) x 4 ] }, 'The entries for nixpkgs and CloudNativePG have that version');
my @lines = map { [ quotewords(',', 0, $_) ] } split /\n/, text('packaging/pigsty/extension.csv');
my $columns = shift @lines;
is_deeply([ map { scalar @$_ } @lines ], [ (scalar @$columns) x @extensions ], 'The list for Pigsty has a row for each extension, of all columns');
for my $line (@lines)
{
    my %row;
    @row{@$columns} = map { $_ // '' } @$line;
    my %control = text("$row{name}.control") =~ /^(\w+) *= *'?(.*?)'?$/mg;
    is_deeply([ @row{qw(version rpm_ver deb_ver source trusted relocatable requires en_desc)} ],
        [ ($version) x 3, "uuidx-$version.tar.gz", 't', ($control{relocatable} // '') eq 'true' ? 't' : 'f',
            $control{requires} ? "{$control{requires}}" : '', $control{comment} ],
        "That of $row{name} is as its control file");
}

# --- The sums of packages ---
my $copy = tempdir(CLEANUP => 1);
system("mkdir '$copy/scripts' '$copy/dist' && cp scripts/package scripts/spdx '$copy/scripts' && cp uuidx.control '$copy' &&
    echo one >'$copy/dist/uuidx_1.0~deb.deb' && echo two >'$copy/dist/uuidx.zip' && '$copy/scripts/package' sums &&
    '$copy/scripts/package' sums") == 0 or BAIL_OUT('scripts/package sums fails');
my %sums = reverse text("$copy/dist/SHA256SUMS") =~ /^([0-9a-f]{64})  (.+)$/mg;
is_deeply(\%sums, { 'uuidx_1.0~deb.deb' => sha256_hex("one\n"), 'uuidx.zip' => sha256_hex("two\n") }, 'scripts/package writes the sums of what is in dist/');
my $bill = decode_json(text("$copy/dist/uuidx-$version.spdx.json"));
my %packages = map { $_->{SPDXID} => $_ } @{ $bill->{packages} };
is_deeply({ map { $_->{packageFileName} => $_->{checksums}[0]{checksumValue} } grep { $_->{packageFileName} } values %packages }, \%sums,
    'and a bill of materials with these sums');
is_deeply([ grep { !$packages{$_} && $_ ne 'SPDXRef-DOCUMENT' } map { @$_{qw(spdxElementId relatedSpdxElement)} } @{ $bill->{relationships} } ], [],
    'which names only what it describes');

# --- The Debian package ---
like(text('debian/changelog'), qr/^uuidx \(\Q$version\E-\d+\)/, 'The Debian package has the version of uuidx.control');
my ($packaged) = text('debian/control.in') =~ /The package has the extensions (.*?)\.$/ms;
is_deeply([ sort split /,\s+|\s+and\s+/, $packaged // '' ], [ sort @extensions ], 'It names the extensions of the Makefile');
is((text('debian/control.in') =~ /^Homepage: (.*)$/m)[0], $meta->{resources}{homepage}, 'Its homepage is that of META.json');

# --- Continuous integration ---
my @steps = text('.github/workflows/ci.yml') =~ /^ +-? *run: *(.*)$/mg;
cmp_ok(scalar @steps, '>', 2, 'The workflow has steps');
is_deeply([ grep { !/^(\S+)/ || !-x $1 } @steps ], [], 'Each of them is a command of this project');
my @kinds = map { /^scripts\/package (\w+)/ ? $1 : () } text('.github/workflows/release.yml') =~ /^ +-? *run: *(.*)$/mg;
is_deeply(\@kinds, [ text('scripts/package') =~ /^#   scripts\/package (\w+)/mg ], 'A release has all packages of scripts/package');

# --- The RPM ---
is((text('rpm/uuidx.spec') =~ /^Version: +(\S+)/m)[0], $version, 'The RPM has the version of uuidx.control');
is((text('rpm/uuidx.spec') =~ /^URL: +(\S+)/m)[0], $meta->{resources}{homepage}, 'Its URL is the homepage of META.json');
my ($in_rpm) = text('rpm/uuidx.spec') =~ /The package has the extensions (.*?)\.$/ms;
is_deeply([ sort split /,\s+|\s+and\s+/, $in_rpm // '' ], [ sort @extensions ], 'It names the extensions of the Makefile');

# --- The extensions ---
for my $name (@extensions)
{
    my $provided = $meta->{provides}{$name} // {};
    my %control = text("$name.control") =~ /^(\w+) *= *'?(.*?)'?$/mg;
    like($name, $term, "$name is a term");
    ok(-f ($provided->{$_} // ''), "META.json has a $_ of $name, which exists") for qw(file docfile);
    is($provided->{version}, $version, "META.json has that version of $name");
    is($control{default_version}, $version, "$name.control has that version");
    is($control{comment}, $provided->{abstract}, "The comment of $name.control is the abstract in META.json");
    is($control{trusted}, 'true', "$name is trusted");
    is($control{relocatable}, ($name eq 'uuidx_migrate' ? 'false' : 'true'),
        "$name is " . ($name eq 'uuidx_migrate' ? 'not ' : '') . 'relocatable');
}

like(text('sql-edition/uuidx_sql.control'), qr/^default_version = '\Q$version\E'$/m, 'The SQL edition as an extension has that version');

# --- The sources in C++ and C ---
my $format = `find src test bench -name '*.cpp' -o -name '*.h' -o -name '*.c' | xargs clang-format --dry-run --Werror 2>&1`;
is($?, 0, 'clang-format finds nothing to change') or diag($format);

# --- The sources of the install scripts ---
# PostgreSQL reads a literal of a script before the script can set standard_conforming_strings.
my @backslashes;
find({ no_chdir => 1, wanted => sub {
    return unless /\.sql$/;
    my ($path, $sql) = ($_, text($_));
    while ($sql =~ m{--[^\n]* | /\*.*?\*/ | (\$\w*\$).*?\g1 | \bE'(?:[^'\\]|\\.|'')*' | "[^"]*" | ('[^']*')}gsx)
    {
        my ($literal, $line) = ($2, 1 + (substr($sql, 0, $-[0]) =~ tr/\n//));
        push @backslashes, "$path:$line: $literal" if ($literal // '') =~ /\\/;
    }
} }, 'src');
is_deeply(\@backslashes, [], "No literal in SQL has a backslash but those that begin with E'");

my @long;
find({ no_chdir => 1, wanted => sub {
    return unless /\.sql$/;
    my $line = 0;
    for (split /\n/, text($_)) { $line++; push @long, "$File::Find::name:$line" if length > 120 }
} }, 'src');
is_deeply(\@long, [], 'No line of SQL is longer than 120 columns');
my @wide;
for my $path (glob 'sql/*.sql sql/include/*.sql expected/*.out')
{
    my $line = 0;
    for (split /\n/, text($path)) { $line++; push @wide, "$path:$line" if length > 200 }
}
is_deeply(\@wide, [], 'No line of a test in sql, and of its expected output, is longer than 200 columns');

# The text of an expression in the catalogs is the server's own, and its versions write it differently: what an
# expression reads, expression_facts() says.
my @trees;
my $column = qr/\b(?:adbin|conbin|ev_action|ev_qual|indexprs|indpred|partexprs|polqual|polwithcheck|prqual|prosqlbody
                      |stxexprs|tgqual|typdefaultbin)\b/x;
find({ no_chdir => 1, wanted => sub {
    return unless /\.sql$/;
    my ($path, $sql) = ($_, text($_) =~ s/--.*//gr);
    while ($sql =~ m{$column\s*(?:::\s*text|(?:NOT\s+)?(?:LIKE|ILIKE|SIMILAR)\b|!?~)
                     |\b(?:concat|regexp_\w+)\((?:[\w.]+,\s*)*(?:\w+\.)?$column\s*[,)]
                     |:(?:aliasname|colnames|consttype|funcid|funcresulttype|opfuncid|opno|rtekind|varattno|varno)\b}gx)
    {
        push @trees, "$path:" . (1 + (substr($sql, 0, $-[0]) =~ tr/\n//)) . ": $&";
    }
} }, 'src');
is_deeply(\@trees, [], 'No function in SQL matches the text of an expression in the catalogs');

# PostgreSQL stores a * in a body in standard SQL as the columns that there are: pg_upgrade cannot create the function on a
# server whose catalog has lost one of them.
my @whole;
find({ no_chdir => 1, wanted => sub {
    return unless /\.sql$/;
    my ($path, $sql) = ($_, text($_) =~ s/--.*//gr);
    while ($sql =~ /\b(\w+)\.\*|\bSELECT \*\s+FROM (?:\w+\.)?pg_\w+\b(?!\()|\bpg_\w+%ROWTYPE/g)
    {
        my ($found, $alias, $line) = ($&, $1, 1 + (substr($sql, 0, $-[0]) =~ tr/\n//));
        push @whole, "$path:$line: $found" if !$alias || substr($sql, $+[0]) =~ /^.*?(\w+) +(?:AS +)?\Q$alias\E\b(?!\.)/s && $1 =~ /^pg_/ || $alias =~ /^pg_/;
    }
} }, 'src', 'sql-edition');
is_deeply(\@whole, [], 'No function in SQL reads all columns of a catalog');

# --- What a saved script calls ---
# A script may be run after an update: what it calls is in one folder, and has a COMMENT, as what a user calls has.
my (%folder_of, %has_comment, @called);
my $routine = qr/^CREATE OR REPLACE (?:FUNCTION|PROCEDURE) (\w+)/m;
find({ no_chdir => 1, wanted => sub {
    return unless m{^src/uuidx_migrate/(\w+)/.*\.sql$};
    my ($folder, $sql) = ($1, text($_));
    $has_comment{$_} = 1 for $sql =~ /^COMMENT ON (?:FUNCTION|PROCEDURE|VIEW) (\w+)/mg;
    $folder_of{$_} = $folder for $sql =~ /$routine/g;
    while ($sql =~ /--[^\n]*|'((?:[^']|'')*)'/g) { push @called, ($1 // '') =~ /uuidx_migrate_steps\.(\w+)\(/g }
} }, 'src/uuidx_migrate');
my %is_called = map { $_ => 1 } @called;
is_deeply([ grep { ($folder_of{$_} eq 'api' || $is_called{$_}) && !$has_comment{$_} } sort keys %folder_of ], [], 'What users and saved scripts call has a COMMENT');
cmp_ok(scalar @called, '>', 20, 'Functions write calls into scripts');
is_deeply([ grep { ($folder_of{$_} // '') ne 'runtime' } @called ], [], 'What they call is in the folder runtime');
my %documented = map { $_ => 1 } text('docs/reference/migrate.md') =~ /`(?:uuidx_migrate_steps\.)?(\w+)[(`]/g;
is_deeply([ grep { !$documented{$_} } sort keys %is_called ], [], 'The reference has it');

# --- Who calls a function of uuidx_migrate ---
# "Part of f" in the comment above a function means that f calls it, and nothing else; what one function calls has that.
# A user, a script or C++ may call what has a COMMENT, or is named in C++.
my (%above, %body, %caller_of);
find({ no_chdir => 1, wanted => sub {
    $has_comment{$_} = 1 for /\.cpp$/ ? text($_) =~ /uuidx_migrate_steps\.(\w+)\(/g : ();
    return unless /\.sql$/;
    my $above = '';
    for my $part (split /^(?=CREATE OR REPLACE )/m, text($_))
    {
        my ($name) = $part =~ /^CREATE OR REPLACE (?:FUNCTION|PROCEDURE|VIEW) (\w+)/;
        ($above{$name}, $body{$name}) = ($above, $part =~ s/^ *--.*|^GRANT [^;]*;//mgr) if $name;
        ($above) = $part =~ /((?:^--.*\n)*)\z/m;
    }
} }, 'src/uuidx_migrate');
for my $caller (keys %body) { $caller_of{$_}{$caller} = 1 for grep { $_ ne $caller } $body{$caller} =~ /(\w+)\(/g }
is_deeply([ grep { !$has_comment{$_} && do {
    my @callers = sort keys %{ $caller_of{$_} };
    my @said = grep { defined } $above{$_} =~ /\A-- Part of (\w+)(?: and (\w+))?[:.]/;
    $above{$_} eq '' || (@said || @callers == 1) && "@said" ne "@callers";
} } sort keys %body ], [], 'The comment above a function says which one it is a part of');

# --- What runs as another role than the current user ---
# For each place, what code can run there. Code in a procedural language must not: a session may have compiled it with types
# of its own.
my %as_another = (
    'src/uuidx_migrate/runtime/as_owner.cpp' => 'nothing: become_owner() and restore() themselves',
    'src/uuidx_migrate/runtime/creation_time.cpp' => 'look_up(), by an index',
    'src/uuidx_migrate/runtime/late_keys.cpp' => 'look_up(), by an index',
    'src/uuidx_migrate/runtime/references.cpp' => 'look_up() and look_up_value(), by an index',
    'src/uuidx_migrate/runtime/text_keys.cpp' => 'look_up_value(), by an index',
    'src/uuidx_migrate/runtime/v7_key.cpp' => 'look_up_value(), by an index',
);
my %changes_user;
find({ no_chdir => 1, wanted => sub {
    return unless /\.(?:cpp|h|sql|control)$/;
    my $path = $_;
    my $code = text($path) =~ s{--.*|//.*}{}gr;
    $changes_user{$path} = 1
        if $code =~ /\bbecome_owner\((?!Oid)|\bSetUserId|\bSECURITY DEFINER\b|\bSET (?:LOCAL )?(?:ROLE|SESSION AUTHORIZATION)\b/;
} }, 'src', 'sql-edition');
is_deeply([ sort keys %changes_user ], [ sort keys %as_another ], 'The user changes only where this says what runs');
my @evaluates;
for my $path (sort keys %as_another)
{
    my $code = text($path) =~ s{//.*}{}gr;
    # Between become_owner() and restore()
    push @evaluates, "$path: $_" for map { /\b(SPI_\w+|ExecEval\w+|OidFunctionCall\w+|OidInputFunctionCall|planned|run)\(/g }
        $code =~ /\bbecome_owner\(([^{]*?)\brestore\(/g;
}
is_deeply(\@evaluates, [], 'Where the owner of a table looks something up, no query is planned and no expression evaluated');

# --- The list of messages ---
# What stands in quotes or for a value differs from message to message: the longest part between is in the list.
my $errors = text('docs/reference/errors.md');
my (@unlisted, $messages);
find({ no_chdir => 1, wanted => sub {
    return unless m{^src/(?:server|uuidx)/.*\.(?:cpp|h)$};
    my $code = text($_) =~ s/"\s*\n\s*"//gr;
    for my $message ($code =~ /\berrmsg\(\s*"((?:[^"\\]|\\.)*)"/g)
    {
        my ($longest) = sort { length $b <=> length $a } map { s/^\W+|\W+$//gr } split /\\"[^"]*\\"|%\S+/, $message;
        $messages++;
        push @unlisted, "$_: $message" unless index($errors, $longest) >= 0;
    }
} }, 'src');
cmp_ok($messages, '>', 30, 'uuidx has messages');
is_deeply(\@unlisted, [], 'docs/reference/errors.md has each of them');

# And each message that it lists is in the code, or PostgreSQL's own.
my $code = '';
find({ no_chdir => 1, wanted => sub { $code .= text($_) =~ s/"\s*\n\s*"//gr if /\.(?:cpp|h|sql)$/ } }, 'src');
my @gone;
for my $message (map { /`([^`]+)`/g } $errors =~ /^\| (`.*?`) \| /mg)
{
    my ($longest) = sort { length $b <=> length $a } split /\s*(?:\.\.\.|"[^"]*")\s*/, $message;
    push @gone, $message unless index($code, $longest) >= 0 || $message =~ /^(?:invalid value for parameter|could not (?:obtain|serialize))/;
}
is_deeply(\@gone, [], 'Each message in docs/reference/errors.md is one of the code');

# --- What a migration says ---
# A test shows each obstacle, remark and error, with its detail and hint: of a message, the longest part between its values.
sub letters { return $_[0] =~ s/[^a-zA-Z0-9]+//gr }
my $shown = '';
find({ no_chdir => 1, wanted => sub { $shown .= letters(text($_)) if /\.(?:out|pl)$/ } }, 'expected', 'test/t');
my (@unseen, $said);
find({ no_chdir => 1, wanted => sub {
    my $path = $_;
    my @texts = $path !~ /\.(?:cpp|h)$/ ? () : text($path) =~ s/"\s*\n\s*"//gr =~ /\berr(?:msg|detail|hint)\(\s*"((?:[^"\\]|\\.)*)"/g;
    for my $function (grep { /^[^\n]*(?:obstacle|remark|reason|hint)|\braise\(|\bRAISE EXCEPTION/ } $path =~ /\.sql$/ ? split /^(?=CREATE OR REPLACE )/m, text($path) : ())
    {
        my @literals = grep { defined } $function =~ s/^COMMENT ON .*//msr =~ /--[^\n]*|((?:E?'(?:[^']|'')*'\s*)+)/g;
        push @texts, map { join '', /'((?:[^']|'')*)'/g } grep { !/^E?'\s*(?:SELECT|UPDATE)/ } @literals;
    }
    for my $text (@texts)
    {
        my ($longest) = sort { length $b <=> length $a } split /%(?:\d\$)?[a-zA-Z]|%|\\"[^"]*\\"|\\n/, $text;
        next if ($longest // '') !~ / .* .*[a-z]/;
        $said++;
        push @unseen, "$path: $longest" unless index($shown, letters($longest)) >= 0;
    }
} }, 'src/uuidx_migrate');
cmp_ok($said, '>', 300, 'Migrations have messages');
is_deeply(\@unseen, [], 'A test shows each of them');

# --- Figures ---
# Other pages have their figures from the page of benchmarks, rounded.
my $measured = text('docs/benchmarks/README.md');
sub section_of { return $measured =~ /^#+ \Q$_[0]\E\n(.*?)(?=^##|\z)/ms ? $1 : ''; }

# of(SECTION, ROW, N): the Nth figure of the row that begins so
sub of
{
    my ($section, $row, $n) = @_;
    my ($cells) = section_of($section) =~ /^\| \Q$row\E \| (.*) \|$/m;
    return (split / \| /, $cells // '')[ $n - 1 ];
}

# column(SECTION, N): the figures in the Nth cells of its rows, the smallest first
sub column
{
    my ($section, $n) = @_;
    return sort { $a <=> $b } grep { defined && /^[\d.]+$/ } map { (split / \| /)[ $n - 1 ] } section_of($section) =~ /^\| (.*) \|$/mg;
}
my ($first_call, $in_key, $estimates) = ('The first call in a session', 'Keep the creation time only in the key', 'Estimate the rows of a period');
# What ten million rows in each table take, or a thousand times as many: the seconds by a factor, and GB or TB
sub large
{
    my ($mode, $unit, $factor, $bytes) = @_;
    my ($seconds, $disk, $wal) = map { of('Estimate migrations', "a key, and a column that references it | 10,000,000 | `to_v7` | $mode", $_) } 2, 5, 8;
    return sprintf "%.0f $unit | %.1f $bytes | %.1f $bytes", $seconds * $factor, $wal / 1000, $disk / 1000;
}
my ($recent) = $measured =~ /^\| (last [^|]*?) \|/m;
my ($fastest, $slowest) = (sort { $a <=> $b } map { of($in_key, $_, 3) } 'rows of an hour', 'latest 20', 'min and max', 'page by keyset', 'rows per day')[ 0, -1 ];
my $by_condition = 'Query a day, a month or a year';
my $part = sprintf '%.0f', of('Generate keys', 'uuidv7()', 2);
my ($front, $comparison, $migrations, $online, $generating, $conditions, $partitions, $managed) =
    map { text($_) =~ s/\s+/ /gr } qw(README.md docs/compare.md docs/migrate/README.md docs/migrate/how-it-works.md
        docs/use/generate.md docs/use/query-by-time.md docs/operate/partitions.md docs/operate/managed.md);
my ($by_version) = reverse $measured =~ /^\| 5,000,000 \| (\d+ MB \| .*) \|$/mg;
my ($megabytes, $offline, $seconds) = split / (?:MB )?\| /, $by_version // '';
my $gains = 'What a migration gains';
for my $figure (
    [ $front, 'about an? (\w+) of the time', { 8 => 'eighth', 9 => 'ninth', 10 => 'tenth' }->{$part} ],
    [ $front, '([\d.]+) times the time of `clock_timestamp', sprintf '%.1f', 1 / of('Generate keys', 'clock_timestamp()', 2) ],
    [ $front, 'inserts are ([\d.]+) times as fast', sprintf '%.1f', 1 / of($in_key, 'insert, µs per row', 3) ],
    [ $front, 'rows take ([\d.]+) times the bytes', of($in_key, 'table and indexes, bytes per row', 3) ],
    [ $front, 'Queries take ([\d.]+ to [\d.]+) times as long', "$fastest to $slowest" ],
    [ $front, 'off by at most (\d+) %', sprintf '%.0f', 100 * of($estimates, $recent, 2) - 100 ],
    [ $front, 'off by a factor of up to (\d+)', sprintf '%.0f', of($estimates, $recent, 4) ],
    [ $front, '(\d+) times fewer buffers', sprintf '%.0f', of('Join by period', 'inner join | 1 %', 3) / of('Join by period', 'inner join | 1 %', 1) ],
    [ $front, 'created_at`, in a (third) of the time', abs(of('Join by period', 'inner join | 1 %', 4) / of('Join by period', 'inner join | 1 %', 6) - 1 / 3) < 0.05 ? 'third' : 'other' ],
    map({ my ($key, $text) = @$_; [ $front, "(\\d+),000 (?:rows )?with $text", of('Insert rows into a table that grows', $key, 1) ] }
        [ 'uuid_generate_v7()', 'version 7 keys' ], [ 'bigint identity', 'keys of type `bigint`' ], [ 'gen_random_uuid()', 'random ones' ]),
    [ $comparison, 'up to ([\d.]+) times the time', (column('Plan a query', 4))[-1] ],
    [ $comparison, '([\d.]+ to [\d.]+) times the time\]\([^)]*\) of an INSERT', join ' to ', map { of('Check the keys of new rows', $_, 4) } 'all in one statement', 'a statement for each' ],
    [ $comparison, '([\d.]+) times the size', sprintf '%.1f', of('Insert rows into a table that grows', 'uuid_generate_v7()', 3) / of('Insert rows into a table that grows', 'bigint identity', 3) ],
    [ $migrations, 'about (\d+) seconds offline', sprintf '%.0f', 1024 * $offline / $megabytes ],
    [ $migrations, 'and (\d+) seconds online', sprintf '%.0f', 1024 * $seconds / $megabytes ],
    [ $migrations, 'a row takes ([\d.]+) times the time',
        sprintf '%.1f', of($gains, 'uuid_generate_v7() among random keys', 1) / of($gains, 'gen_random_uuid()', 1) ],
    [ $migrations, '10,000,000 \| offline \| (\d+ s \| [\d.]+ GB \| [\d.]+ GB)', large('offline', 's', 1, 'GB') ],
    [ $migrations, '10,000,000 .* \| \| online \| (\d+ s \| [\d.]+ GB \| [\d.]+ GB)', large('online', 's', 1, 'GB') ],
    [ $migrations, '10,000,000,000 \| offline, [^|]* \| (\d+ hours \| [\d.]+ TB \| [\d.]+ TB)', large('offline', 'hours', 1000 / 3600, 'TB') ],
    [ $migrations, '\| \| online, extrapolated \| (\d+ days \| [\d.]+ TB \| [\d.]+ TB)', large('online', 'days', 1000 / 86400, 'TB') ],
    [ $generating, 'is \[the (fastest) way', of('Generate keys', 'uuid_generate_v7_batch(n)', 1)
        < (sort { $a <=> $b } map { of('Generate keys', $_, 1) } 'uuid_generate_v7()', 'uuidv7()', 'gen_random_uuid()')[0] ? 'fastest' : 'other' ],
    [ $conditions, 'names the zone, \[the query is (faster)', of($by_condition, "`(created AT TIME ZONE 'UTC')::date = '2025-02-10'`", 3)
        < of($by_condition, "`created::date = '2025-02-10'`", 3) ? 'faster' : 'slower' ],
    [ $partitions, '\[On two cores\]\S+, 100 rows a transaction take (more) time',
        of('100 rows a transaction', 'uuid_generate_v7(), hash partitions', 1) < of('100 rows a transaction', 'uuid_generate_v7()', 1) ? 'more' : 'less' ],
    [ $managed, 'in the library (less than one)', (column('Call its functions', 3))[-1] < 1 ? 'less than one' : 'more' ],
    [ $online, 'no client waited longer than a (tenth) of a second',
        sprintf('%.1f', $measured =~ /during `cutover` \| (\d+) ms/ ? $1 / 1000 : 0) eq '0.1' ? 'tenth' : 'other part' ],
    [ $comparison, 'first call in a session\S+ \| ((?:\S+ µs \| ){4})', join '', map { of($first_call, $_, 1) . ' µs | ' }
        'uuid_generate_v7()', 'uuidv7()', 'uuid_ossp.uuid_generate_v4()', 'pg_uuidv7.uuid_generate_v7()' ])
{
    my ($page, $says, $measures) = @$figure;
    is(($page =~ /$says/)[0], $measures, "A page takes its figure from the benchmarks: $says");
}

# --- C++ and SQL of one subject stand side by side ---
# A C function of uuidx_migrate is in the file beside the SQL file that declares it, and of its name; those that are
# uuidx's too are where uuidx has them.
my (%declared, %defined, %is_uuidx);
find({ no_chdir => 1, wanted => sub {
    my ($path, $extension, $kind) = m{^(src/(\w+)/.*)\.(sql|cpp)$} or return;
    if ($kind eq 'sql')
    {
        for my $function (text($_) =~ /AS 'MODULE_PATHNAME', '(\w+)'/g)
        {
            $declared{$function} = $path if $extension eq 'uuidx_migrate';
            $is_uuidx{$function} = 1 if $extension eq 'uuidx';
        }
    }
    else
    {
        $defined{$_} = $path for text($_) =~ /^UUIDX_FUNCTION\((\w+)\)/mg;
    }
} }, 'src');
delete @declared{ keys %is_uuidx };
is_deeply({ map { $_ => $defined{$_} } keys %declared }, \%declared, 'Each C function of uuidx_migrate is beside the SQL that declares it');

# --- The order in which a script makes what an extension has ---
for my $order (glob 'src/*/sql_order')
{
    my ($folder) = $order =~ m{(.*)/};
    my @files;
    find({ no_chdir => 1, wanted => sub { push @files, s{^\Q$folder\E/}{}r if /\.sql$/ } }, $folder);
    is_deeply([ sort grep { !/^#/ } split /\n/, text($order) ], [ sort @files ], "$order has each SQL file of its folder once");
}

done_testing();
