# The two commands of the README on a new Debian, which has nothing that they need: a package that scripts/ forgets is
# missing only there. Run by root in scripts/throwaway-system.

use strict;
use warnings;
use Cwd qw(getcwd);
use File::Temp qw(tempdir);
use Test::More;

# It goes with the throwaway system.
my $debian = tempdir();
chmod 0755, $debian;

# Runs a shell command, and returns what it prints; it passes if it ends well.
sub succeeds
{
    my ($name, $command) = @_;
    my $output = `{ $command\n} 2>&1 </dev/null`;
    is($?, 0, $name) or diag($output), BAIL_OUT($name);
    return $output;
}

# Its devices are its own, so that nothing that happens in it can remove the machine's.
succeeds('There is a new Debian', <<"END");
. /etc/os-release && mmdebstrap --quiet --variant=apt "\$VERSION_CODENAME" $debian &&
mount -t proc proc $debian/proc && mount -t sysfs sysfs $debian/sys && mount -t tmpfs dev $debian/dev && cd $debian/dev && mkdir pts shm &&
cp --archive /dev/fd /dev/full /dev/null /dev/random /dev/std* /dev/tty /dev/urandom /dev/zero . && ln -s pts/ptmx . &&
mount -t devpts -o newinstance,ptmxmode=666 devpts pts && mount -t tmpfs shm shm
END
my $project = getcwd();
for my $command ('scripts/demo', 'scripts/test')
{
    my $began = time;
    my $output = succeeds("$command ends well",
        "cp --archive --no-target-directory $project $debian/uuidx && chroot $debian env -i sh -c 'cd /uuidx && $command'");
    note($output =~ s/.*(?=^building: )//msr, "$command took ", time - $began, ' s');
    like($output, qr/^\d+ passed, 0 failed$/m, 'It says that no test failed') if $command eq 'scripts/test';
}

done_testing();
