# A distribution of the tree as it is, the Debian packages that are built from it, and the tests of an installed package.
# Run by root in scripts/throwaway-system.

use strict;
use warnings;
use lib 'test/lib';
use Cwd qw(getcwd);
use Documents;
use File::Temp qw(tempdir);
use Test::More;

my $scratch = tempdir(CLEANUP => 1);

# Runs a shell command, and returns what it prints; it passes if it ends well.
sub succeeds
{
    my ($name, $command) = @_;
    my $output = `{ $command; } 2>&1`;
    is($?, 0, $name) or BAIL_OUT($output);
    return $output;
}

my ($version) = `make --silent META.json && cat META.json` =~ /"version": "(.*)"/;
my $name = "uuidx-$version";

# --- The distribution ---
@ENV{'GIT_DIR', 'GIT_WORK_TREE'} = ("$scratch/git", getcwd());
succeeds('make dist packs what is committed', "git init --quiet && git add . &&
    git -c user.name=test -c user.email=test commit --quiet --message=test && make --silent dist");
delete @ENV{'GIT_DIR', 'GIT_WORK_TREE'};
my @packed = split /\n/, succeeds('It can be unpacked', "unzip -Z1 dist/$name.zip && unzip -q dist/$name.zip -d $scratch");
is_deeply([ grep { !m{^\Q$name\E/} } @packed ], [], 'All of it is in one folder, of its name and version');
is_deeply([ grep { m{/\.(git|ci)} } @packed ], [], 'It has no files of git and CI');
is(`cat '$scratch/$name/META.json'`, `cat META.json`, 'It has META.json');

# --- The packages ---
chdir "$scratch/$name" or die "$scratch/$name: $!";
my @servers = split /\n/, `pg_buildext supported-versions`;
ok(scalar @servers, "It is built for PostgreSQL @servers");
succeeds('dpkg-buildpackage builds the packages', 'dpkg-buildpackage -us -uc -b');
# This tag is for packages that Debian takes.
is(`lintian --allow-root --fail-on=warning,error --suppress-tags=initial-upload-closes-no-bugs ../*.changes 2>&1`, '',
    'lintian finds nothing');

my @shared = split ' ', `make --silent --eval='shared: ; \@echo \$(controls) \$(DATA_built)' shared`;
cmp_ok(scalar @shared, '>=', 10, 'The Makefile has five extensions, each with a control file and an install script');
my @bitcode = map { s/\.cpp$/.bc/r } glob 'src/core/*.cpp src/pg/*.cpp';
my @documents = ('SECURITY.md', Documents::all('md', 'svg'));
for my $server (@servers)
{
    my $package = "postgresql-$server-uuidx";
    my %has = map { $_ => 1 } `dpkg-deb --contents ../${package}_*.deb` =~ m{ \./(\S*[^/\s])$}mg;
    is_deeply([ grep { !$has{$_} } "usr/lib/postgresql/$server/lib/uuidx.so",
            "usr/lib/postgresql/$server/lib/bitcode/uuidx.index.bc",
            (map { "usr/lib/postgresql/$server/lib/bitcode/uuidx/$_" } @bitcode),
            (map { "usr/share/postgresql/$server/extension/$_" } @shared, qw(uuidx.sql uuidx-adopt.sql)),
            (map { "usr/share/doc/$package/$_" } @documents, 'copyright', 'changelog.gz') ],
        [], "$package has the module, its bitcode, all extensions and the documents");
}

# --- The installed package ---
my $tests = () = glob 'sql/*.sql';
my $output = succeeds('autopkgtest installs the packages, and the tests in debian/tests pass',
    'autopkgtest ../*.deb . -- null');
is(scalar(() = $output =~ /All $tests tests passed/g), scalar @servers,
    "These are pg_regress's $tests tests");

chdir '/';
done_testing();
