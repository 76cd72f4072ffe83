# A Debian that is made anew, in a folder. Run by root in scripts/throwaway-system, with which it goes.
package NewDebian;

use strict;
use warnings;
use Exporter 'import';
use File::Temp qw(tempdir);
use Test::More;

our @EXPORT = qw(succeeds new_debian);

# succeeds(NAME, COMMAND): runs a shell command, and returns what it prints; it passes if it ends well.
sub succeeds
{
    my ($name, $command) = @_;
    my $output = `{ $command\n} 2>&1 </dev/null`;
    is($?, 0, $name) or diag($output), BAIL_OUT($name);
    return $output;
}

# new_debian(RELEASE, PACKAGE...): its folder. Its devices are its own, so that nothing that happens in it can remove the
# machine's.
sub new_debian
{
    my ($release, @packages) = @_;
    my $debian = tempdir();
    chmod 0755, $debian;
    my $include = join ',', 'apt', @packages;
    succeeds("There is a new Debian, $release", <<"END");
mmdebstrap --quiet --variant=apt --include=$include $release $debian &&
mount -t proc proc $debian/proc && mount -t sysfs sysfs $debian/sys && mount -t tmpfs dev $debian/dev && cd $debian/dev && mkdir pts shm &&
cp --archive /dev/fd /dev/full /dev/null /dev/random /dev/std* /dev/tty /dev/urandom /dev/zero . && ln -s pts/ptmx . &&
mount -t devpts -o newinstance,ptmxmode=666 devpts pts && mount -t tmpfs shm shm
END
    return $debian;
}

1;
