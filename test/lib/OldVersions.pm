# Versions to update from: those that were released, whose install scripts are in test/released, and version 0.9.0,
# which never was. Its install scripts are the present ones, which test/earlier makes older; its update scripts are built
# as those of released versions are.
package OldVersions;

use strict;
use warnings;
use Fcntl qw(:flock);
use File::Basename qw(basename);
use File::Copy qw(copy);
use PostgreSQL::Test::Utils;

our $earlier = '0.9.0';

# Puts them where the server looks for extensions; returns a pair of extension and version for each. Tests may run side
# by side.
sub install
{
    open my $lock, '<', 'Makefile' or die "Makefile: $!";
    flock $lock, LOCK_EX or die "Makefile: $!";
    my ($share) = run_command([ 'pg_config', '--sharedir' ]);
    {
        delete local @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
        my ($output, $errors) = run_command([ 'make', '--silent', 'sql', 'UPDATES=test/earlier',
            "UPDATE_FROM=$earlier", 'PG_CONFIG=' . ($ENV{PG_CONFIG} // 'pg_config') ]);
        die "make: $errors" if $errors ne '';
    }
    my @updates = glob "*--$earlier--*.sql";
    my @released = glob 'test/released/*.sql';
    copy($_, "$share/extension/") or die "$_: $!" for @updates, @released;
    unlink @updates;
    my @names = map { /^(\w+)\.control$/ } glob '*.control';
    write_earlier($_, "$share/extension/$_--$earlier.sql") for @names;
    return (map { [ $_, $earlier ] } @names), map { [ basename($_) =~ /^(\w+)--([\d.]+)\.sql$/ ] } @released;
}

# write_earlier($name, $file): the present install script with the changes, which run before the objects leave the
# private schema.
sub write_earlier
{
    my ($name, $file) = @_;
    my @changes = grep { -e $_ } 'test/earlier/all.sql', "test/earlier/$name--$earlier.sql";
    my ($version) = slurp_file("$name.control") =~ /default_version = '(.*)'/;
    my ($last) = slurp_file('src/script/move_out.sql') =~ /(.*\n)/;
    my ($before, $after) = split /^(?=\Q$last\E)/m, slurp_file("$name--$version.sql");
    append_to_file("$file.$$", join '', $before, (map { slurp_file($_) } @changes), $after);
    rename "$file.$$", $file or die "$file: $!";
    return;
}

1;
