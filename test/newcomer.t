# The two commands of the README on a new Debian, which has nothing that they need: a package that scripts/ forgets is
# missing only there. Run by root in scripts/throwaway-system.

use strict;
use warnings;
use lib 'test/lib';
use Cwd qw(getcwd);
use NewDebian;
use Test::More;

chomp(my $release = `. /etc/os-release && echo "\$VERSION_CODENAME"`);
my $debian = new_debian($release);
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
