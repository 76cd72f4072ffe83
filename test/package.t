# What uuidx is distributed as: scripts/package builds each package, and each is installed, used and removed. All of
# them install the same files. Run by root in scripts/throwaway-system.
#
# The packages are for Debian's server, and so are the images, unless PG_CONFIG chooses one of PostgreSQL 18 or newer.

use strict;
use warnings;
use lib 'test/lib';
use Cwd qw(getcwd);
use Documents;
use File::Temp qw(tempdir);
use NewDebian qw(succeeds);
use Test::More;

# On the disk: all else in a throwaway system is in memory.
my $project = getcwd();
mkdir 'dist';
my $scratch = tempdir(DIR => "$project/dist", CLEANUP => 1);
chmod 0755, $scratch;

sub write_file
{
    my ($path, $content) = @_;
    open my $file, '>', $path or die "$path: $!";
    print $file $content;
    close $file or die "$path: $!";
}

# The paths of all files in a folder, as it were the root
sub files_in { return split /\n/, `find '$_[0]' ! -type d -printf '/%P\\n'` }

# Those of these paths that are in the folders of a server for libraries and for extensions, as lib/... and share/...
sub of_server
{
    my ($lib, $share, @paths) = @_;
    return [ sort map { m{^\Q$lib\E/(.*)} ? "lib/$1" : m{^\Q$share\E/(.*)} ? "share/$1" : () } @paths ];
}

# A shell script that creates all extensions on a server with these settings, and generates a key
sub script_of_use
{
    my ($bin, @settings) = @_;
    return <<"END";
set -e
PATH=$bin:\$PATH
cd /
data=\$(mktemp -d)
initdb --pgdata=\$data/data --username=postgres --auth=trust --encoding=UTF8 --no-sync >\$data/log
cat >>\$data/data/postgresql.conf <<'CONFIGURATION'
listen_addresses = ''
@{[ join "\n", @settings ]}
CONFIGURATION
pg_ctl --pgdata=\$data/data --log=\$data/log --options="-k \$data" --silent --wait start || cat \$data/log
psql --host=\$data --username=postgres --dbname=postgres --no-psqlrc --quiet --tuples-only --no-align \\
    --set=ON_ERROR_STOP=1 <<'SQL' || status=\$?
SET client_min_messages = warning;
CREATE EXTENSION uuidx;
CREATE EXTENSION uuidx_migrate;
CREATE EXTENSION uuidx_ossp;
CREATE EXTENSION uuidx_pg_uuidv7;
CREATE EXTENSION uuidx_pg18;
SELECT string_agg(extname || ' ' || extversion, ' ' ORDER BY extname) FROM pg_extension WHERE extname ~ '^uuidx';
SELECT uuid_version(uuid_generate_v7());
SQL
pg_ctl --pgdata=\$data/data --silent --mode=fast stop
rm -r \$data
exit \${status:-0}
END
}

my ($version) = `sed -n '/^default_version/p' uuidx.control` =~ /'(.*)'/;
my $of_use = join(' ', map { "$_ $version" } qw(uuidx uuidx_migrate uuidx_ossp uuidx_pg18 uuidx_pg_uuidv7)) . "\n7\n";

# used(NAME, COMMAND, BIN, SETTING...): uuidx works on a server that this command, followed by a script, starts.
sub used
{
    my ($name, $command, @script) = @_;
    write_file("$scratch/use", script_of_use(@script));
    # From PostgreSQL 18 on, uuidx_pg18 gives a notice before.
    like(`$command sh -c "\$(cat $scratch/use)" 2>&1`, qr/^\Q$of_use\E\z/m, $name);
}
my $as_postgres = 'runuser -u postgres --';

# --- The distribution ---
my $name = "uuidx-$version";
@ENV{'GIT_DIR', 'GIT_WORK_TREE'} = ("$scratch/git", $project);
succeeds('There is a commit', 'git init --quiet && git add . &&
    git -c user.name=test -c user.email=test commit --quiet --message=test');
succeeds('scripts/package packs what is committed', 'scripts/package zip');
my @packed = split /\n/,
    succeeds('It can be unpacked', "unzip -Z1 dist/$name.zip && unzip -q dist/$name.zip -d $scratch");
is_deeply([ grep { !m{^\Q$name\E/} } @packed ], [], 'All of it is in one folder, of its name and version');
is_deeply([ grep { m{^[^/]*/(?:\.git|\.ci|packaging)} } @packed ], [], 'It has no files of git, CI and other catalogues');
ok(-f "$scratch/$name/$_", "It has $_ at its top") for 'META.json', 'Makefile', 'uuidx.control';

# --- make install ---
my ($server) = `pg_buildext supported-versions` =~ /(\d+)\n\z/;
my $bin = "/usr/lib/postgresql/$server/bin";
my @of_debian = ("/usr/lib/postgresql/$server/lib", "/usr/share/postgresql/$server");
my $given = delete $ENV{PG_CONFIG};
delete $ENV{WERROR};  # as users build it
my $make = "make --silent --directory=$scratch/$name PG_CONFIG=$bin/pg_config";
succeeds("make builds it for PostgreSQL $server", "$make all");
succeeds('make install', "$make install DESTDIR=$scratch/installed");
my $installed = of_server(@of_debian, files_in("$scratch/installed"));
my @named = split ' ', `$make --eval='named: ; \@echo \$(EXTENSION:=.control) \$(DATA_built) \$(notdir \$(DATA))' named`;
cmp_ok(scalar @named, '>=', 12, 'The Makefile has five extensions and the SQL edition');
is_deeply($installed, [ sort 'lib/uuidx.so', 'lib/bitcode/uuidx.index.bc',
        (map { 'lib/bitcode/uuidx/' . s/\.cpp$/.bc/r } glob 'src/*/*.cpp src/*/*/*.cpp'),
        map { "share/extension/$_" } @named ],
    'make install installs the module, its bitcode, all extensions and the SQL edition');

sub none_is_left
{
    my ($when) = @_;
    is_deeply([ grep { m{/uuidx} } map { files_in($_) } @of_debian ], [], "$when, the server has nothing of uuidx");
}

none_is_left('Before the first installation');
succeeds('They are installed', "$make install");
used('What make install installs can be used', $as_postgres, $bin);
succeeds('make uninstall', "$make uninstall");
none_is_left('After make uninstall');

my @documents = ('SECURITY.md', Documents::all('md', 'svg'));
# has_all(PACKAGE, DOCUMENTS, SERVER, PATH...): a package of these paths has what make install installs in the folders of
# a server, and the documents in their folder.
sub has_all
{
    my ($package, $folder, $of_server, @paths) = @_;
    is_deeply(of_server(@$of_server, @paths), $installed, "$package has the files that make install installs");
    my %has = map { $_ => 1 } @paths;
    is_deeply([ grep { !$has{"$folder/$_"} } @documents ], [], "$package has the documents");
}

# --- .deb ---
mkdir "$scratch/debian";
succeeds('pg_buildext writes the control file for the servers that PGDG has', "cp -r debian $scratch/debian/ &&
    cd $scratch/debian && PG_SUPPORTED_VERSIONS='14 15 16 17 18' pg_buildext updatecontrol");
is_deeply([ `cat $scratch/debian/debian/control` =~ /^Package: (.*)$/mg ], [ map { "postgresql-$_-uuidx" } 14 .. 18 ],
    'It has a package for each');
succeeds('scripts/package builds the package of Debian', 'scripts/package deb');
# This tag is for packages that Debian takes.
my $lintian = 'lintian --allow-root --fail-on=warning,error --suppress-tags=initial-upload-closes-no-bugs';
is(`$lintian dist/*.changes 2>&1`, '', 'lintian finds nothing');
my $package = "postgresql-$server-uuidx";
my @contents = `dpkg-deb --contents dist/${package}_*.deb` =~ m{ \.(/\S*[^/\s])$}mg;
has_all($package, "/usr/share/doc/$package", \@of_debian, @contents);
is_deeply([ sort grep { m{/(?:copyright|changelog.*)$} } @contents ],
    [ map { "/usr/share/doc/$package/$_" } qw(changelog.Debian.gz changelog.gz copyright) ],
    'and its licence and changes');
my $tests = () = glob 'sql/*.sql';
my $output = succeeds('autopkgtest installs it, and the tests in debian/tests pass',
    "autopkgtest $project/dist/*.deb $scratch/$name/ -- null");
like($output, qr/All $tests tests passed/, "These are pg_regress's $tests tests");
used('It can be used', $as_postgres, $bin);
succeeds('It is removed', "apt-get -qq purge --yes $package");
none_is_left('After that');

# --- RPM ---
# PGDG's layout, over Debian's server. Fedora's flags, but for those that are in files of Fedora.
my $pgsql = "/usr/pgsql-$server";
my $flags = '-O2 -flto=auto -ffat-lto-objects -fexceptions -g -grecord-gcc-switches -pipe -Wall'
    . ' -Werror=format-security -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS'
    . ' -fstack-protector-strong -fasynchronous-unwind-tables -fstack-clash-protection';
succeeds("A server of Debian has the layout of PGDG's",
    "mkdir --parents $pgsql/bin && ln -s $of_debian[0] $pgsql/lib && ln -s $of_debian[1] $pgsql/share");
write_file("$pgsql/bin/pg_config", <<"END");
#!/bin/sh
$bin/pg_config "\$@" | sed 's,^$of_debian[0]\$,$pgsql/lib,; s,^$of_debian[1]\$,$pgsql/share,'
END
chmod 0755, "$pgsql/bin/pg_config";
$output = succeeds("scripts/package builds the RPM with --nodeps and Fedora's flags",
    "scripts/package rpm $server --nodeps --define 'optflags $flags'");
like($output, qr/^\S*g\+\+ .*-D_GLIBCXX_ASSERTIONS .*-fno-exceptions .*-o src\/uuidx\/generate\.o/m, 'g++ gets the flags');
@contents = `rpm --query --queryformat '[%{FILEMODES:perms} %{FILENAMES}\n]' --package dist/*.rpm` =~ /^[^d]\S* (.*)$/mg;
my ($documentation) = grep { m{/README\.md$} } @contents;
has_all("uuidx_$server.rpm", $documentation =~ s{/README\.md$}{}r, [ "$pgsql/lib", "$pgsql/share" ], @contents);
like(`rpm --query --requires --package dist/uuidx_$server-$version-*.rpm`, qr/^postgresql$server-server$/m,
    "It needs PGDG's server");
succeeds('rpm installs it', 'rpm --force-debian --install --nodeps dist/*.rpm');
used('It can be used', $as_postgres, $bin);
succeeds('rpm removes it', "rpm --force-debian --erase uuidx_$server-llvmjit uuidx_$server");
none_is_left('After that');

# --- Images ---
# The base: Debian with its server, and the one that PG_CONFIG chooses beside it, whose development files count as
# installed from a package.
my ($major) = ($given ? `$given --version` : '') =~ / (\d+)/;
my $hooks = '';
if (($major // 0) >= 18)
{
    # throwaway.sh has copied it.
    my ($place) = $given =~ m{^(?:/tmp/uuidx\.\w+/server)?(/.*)/bin/pg_config$};
    my $stand_in = "postgresql-server-dev-$major";
    mkdir $_ for "$scratch/$stand_in", "$scratch/$stand_in/DEBIAN";
    write_file("$scratch/$stand_in/DEBIAN/control", <<"END");
Package: $stand_in
Version: $major
Architecture: all
Maintainer: test <test\@localhost>
Depends: ccache, clang, llvm
Description: stands for the files in $place
END
    succeeds("A package stands for the files in $place", "dpkg-deb --build $scratch/$stand_in");
    $bin = "$place/bin";
    $hooks = join ' ', map { "--customize-hook='$_'" } "mkdir -p \"\$1$place\"", "cp -r $place/. \"\$1$place\"",
        "ln -s $place \"\$1/usr/lib/postgresql/$major\"", "copy-in $scratch/$stand_in.deb /tmp",
        "chroot \"\$1\" apt-get install --yes /tmp/$stand_in.deb";
}
else
{
    $major = $server;
}
my @in_image = map { `$bin/pg_config --$_` =~ s/\n//r } qw(pkglibdir sharedir);
$installed = [ grep { !m{^lib/bitcode/} } @$installed ] unless `$bin/pg_config --configure` =~ /--with-llvm/;

@ENV{'CONTAINERS_STORAGE_CONF', 'BUILDAH_ISOLATION'} = ("$scratch/storage.conf", 'chroot');
for my $driver ('overlay', 'vfs')  # vfs is slow, and works on any file system.
{
    write_file("$scratch/storage.conf",
        qq([storage]\ndriver = "$driver"\ngraphroot = "$scratch/images"\nrunroot = "$scratch/containers"\n));
    last if system('buildah info >/dev/null 2>&1') == 0;
}
succeeds('A base image is made from the packages of Debian', <<"END");
. /etc/os-release &&
mmdebstrap --quiet --variant=apt --include=postgresql-$server $hooks \\
    --essential-hook='mkdir -p "\$1/etc/postgresql-common/createcluster.d"' \\
    --essential-hook='echo "create_main_cluster = false" >"\$1/etc/postgresql-common/createcluster.d/none.conf"' \\
    "\$VERSION_CODENAME" $scratch/base.tar &&
base=\$(buildah from scratch) && buildah add --quiet "\$base" $scratch/base.tar / &&
buildah commit --quiet --rm "\$base" localhost/base
END
succeeds("scripts/package builds the images of the Dockerfile for PostgreSQL $major",
    "scripts/package images $major --build-arg BASE=localhost/base");
is_deeply([ map { m{/(uuidx-[a-z]+)[^/]*$} } glob 'dist/*.tar' ], [ 'uuidx-extension', 'uuidx-server' ],
    'Each is in a file, too');

# Containers that are mounted would stay, and their folders with them.
END { local $?; system 'buildah rm --all >/dev/null 2>&1' }

# The container of an image, and where its files are
sub container
{
    my ($image) = @_;
    my ($container) = `buildah from $image` =~ /(\S+)\n\z/;
    return ($container, `buildah mount $container` =~ /(\S+)/);
}

my (undef, $base) = container('localhost/base');
my ($container, $root) = container("localhost/uuidx-server:$version-pg$major");
my %in_base = map { $_ => 1 } files_in($base);
my @added = grep { !$in_base{$_} } files_in($root);
has_all('The image of a server', '/usr/share/doc/uuidx', \@in_image, @added);
my $expected = join '|', map { quotemeta } @in_image, '/usr/share/doc/uuidx';
is_deeply([ grep { !m{^(?:$expected)/} } @added ], [], 'and nothing else, such as a compiler');
used('uuidx can be used in a container of it', "buildah run --user postgres $container --", $bin);

my (undef, $mounted) = container("localhost/uuidx-extension:$version-pg$major");
my @in_extension = files_in($mounted);
is_deeply(of_server('/lib', '/share', @in_extension), $installed,
    'The image of the extension has the files that make install installs');
is_deeply([ grep { !m{^/(?:lib|share/extension)/} } @in_extension ], ['/licenses/uuidx/LICENSE'],
    'and its licence, and nothing else');
my $unpacked = "$scratch/extension";
succeeds('It is unpacked', "cp -r $mounted $unpacked");
my @library_path = ("dynamic_library_path = '$unpacked/lib:\$libdir'", "shared_preload_libraries = 'uuidx'");
if ($major >= 18)
{
    used("PostgreSQL $major finds it by extension_control_path", $as_postgres, $bin, @library_path,
        "extension_control_path = '\$system:$unpacked/share'");
}
else
{
    # Such a server looks for control files in its own folder alone, and takes $libdir in them at its word.
    my $folder = "$of_debian[1]/extension";
    succeeds("PostgreSQL $major has no extension_control_path: copies of the control files and scripts stand for it",
        "cp $unpacked/share/extension/* $folder && sed -i 's,\\\$libdir/,,' $folder/uuidx*.control");
    used("PostgreSQL $major finds its library by dynamic_library_path", $as_postgres, $bin, @library_path);
    succeeds('The copies are removed', "rm $folder/uuidx*");
}
none_is_left('Without the image');

# --- The sums ---
succeeds('scripts/package writes SHA-256 sums and a bill of materials of all that', 'scripts/package sums && cd dist && sha256sum --check SHA256SUMS');
my @packages = grep { !m{/(?:SHA256SUMS|[^/]*\.spdx\.json)$} && -f } glob 'dist/*';
is(scalar(() = `cat dist/*.spdx.json` =~ /"packageFileName"/g), scalar @packages, 'which has each of these files');

done_testing();
