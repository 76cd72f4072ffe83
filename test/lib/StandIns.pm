# Extensions that users come from, or have beside uuidx, and that Debian has no packages of: in their place what
# stands in the folder stand-ins.

package StandIns;

use strict;
use warnings;
use File::Basename qw(basename);
use File::Copy qw(copy);
use File::Spec;
use PostgreSQL::Test::Utils;

# Puts them where the server looks for extensions; one that is there already is the real one.
sub install
{
    my ($share) = run_command([ 'pg_config', '--sharedir' ]);
    for my $file (glob 'test/stand-ins/*.{control,sql}')
    {
        my $target = "$share/extension/" . basename($file);
        -e $target or copy($file, $target) or die "$target: $!";
    }
    return;
}

# Builds planner.c in a folder. Returns the library, for LOAD.
sub planner
{
    my ($folder) = @_;
    my $library = File::Spec->rel2abs("$folder/planner.so");
    my ($headers) = run_command([ 'pg_config', '--includedir-server' ]);
    system('cc', '-shared', '-fPIC', '-O1', "-I$headers", '-o', $library, 'test/stand-ins/planner.c') == 0 or die 'cannot compile';
    return $library;
}

1;
