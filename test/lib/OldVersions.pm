# Versions to update from: their install scripts are in test/released. The update scripts of those that were released are
# installed with uuidx; those of version 0.9.0, which was never published, are made here.
package OldVersions;

use strict;
use warnings;
use Fcntl qw(:flock);
use File::Copy qw(copy);
use PostgreSQL::Test::Utils;

our $frozen = '0.9.0';

# Puts them where the server looks for extensions; returns a pair of extension and version for each. Tests may run side
# by side.
sub install
{
    open my $lock, '<', 'Makefile' or die "Makefile: $!";
    flock $lock, LOCK_EX or die "Makefile: $!";
    my ($share) = run_command([ 'pg_config', '--sharedir' ]);
    {
        delete local @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
        my ($output, $errors) = run_command([ 'make', '--silent', 'sql', 'UPDATES=test/released',
            "UPDATE_FROM=$frozen", 'PG_CONFIG=' . ($ENV{PG_CONFIG} // 'pg_config') ]);
        die "make: $errors" if $errors ne '';
    }
    my @updates = glob "*--$frozen--*.sql";
    my @old = grep { !/\.(before|after)\.sql$/ } glob 'test/released/*.sql';
    copy($_, "$share/extension/") or die "$_: $!" for @updates, @old;
    unlink @updates;
    return map { [ m{(\w+)--([\d.]+)\.sql$} ] } @old;
}

1;
