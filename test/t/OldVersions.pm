# Versions to update from: the fixtures of test/released, and the update scripts that make joins for them.
package OldVersions;

use strict;
use warnings;
use Fcntl qw(:flock);
use File::Copy qw(copy);
use PostgreSQL::Test::Utils;

our $old = '0.9.0';

# Puts them where the server looks for extensions, and returns the extensions that have one. Tests may run side by side.
sub install
{
    open my $lock, '<', 'Makefile' or die "Makefile: $!";
    flock $lock, LOCK_EX or die "Makefile: $!";
    my ($share) = run_command([ 'pg_config', '--sharedir' ]);
    {
        delete local @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
        my ($output, $errors) = run_command([ 'make', '--silent', 'sql', 'UPDATES=test/released',
            "PG_CONFIG=" . ($ENV{PG_CONFIG} // 'pg_config') ]);
        die "make: $errors" if $errors ne '';
    }
    my @updates = glob "*--$old--*.sql";
    copy($_, "$share/extension/") or die "$_: $!" for @updates, glob "test/released/*--$old.sql";
    unlink @updates;
    return map { /^(\w+)--/ } @updates;
}

1;
