# A server for Windows, under Wine, whose clock ServerOrder sets.
package WindowsServer;

use strict;
use warnings;
use parent -norequire, 'PostgreSQL::Test::Cluster';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# new(NAME, FOLDER, PREFIX...): the server in this folder, whose programs these words run. What they get is in one place
# for them and for the test.
sub new
{
    my ($class, $name, $folder, @prefix) = @_;
    my $self = PostgreSQL::Test::Cluster::new($class, $name);
    @{$self}{qw(_host _folder _prefix)} = ('127.0.0.1', $folder, \@prefix);
    return $self;
}

# Its output is in a file: what runs on would keep a pipe open.
sub run
{
    my ($self, $program, @arguments) = @_;
    local @ENV{qw(WINEPREFIX WINEDEBUG HOME)} = ($self->basedir . '/wine', '-all', $self->basedir);
    delete local $ENV{TMPDIR};
    my $command = join ' ', @{ $self->{_prefix} }, '/usr/lib/wine/wine64', "$self->{_folder}/bin/$program.exe", @arguments;
    return system("$command >>" . $self->basedir . '/out 2>&1 </dev/null') == 0;
}

sub init
{
    my ($self) = @_;
    my @options = ('--no-sync', '--auth=trust', '--encoding=UTF8', '--locale=C', '--username=postgres', '--pgdata=' . $self->data_dir);
    $self->run('initdb', @options) or BAIL_OUT(slurp_file($self->basedir . '/out'));
    $self->append_conf('postgresql.conf', join "\n", "listen_addresses = '127.0.0.1'", 'port = ' . $self->port,
        'fsync = off', 'jit = off', "unix_socket_directories = ''", 'max_parallel_maintenance_workers = 0');
    return;
}

sub start
{
    my ($self) = @_;
    $self->{_running} = 1;
    return $self->run('pg_ctl', '--wait', '--pgdata=' . $self->data_dir, '--log=' . $self->logfile, 'start') && $self->await;
}

# await(): whether it takes connections at last
sub await
{
    my ($self) = @_;
    my $tries = 0;
    until (system('pg_isready', '--quiet', '--host', $self->host, '--port', $self->port) == 0)
    {
        return 0 if ++$tries > 10 * $PostgreSQL::Test::Utils::timeout_default;
        select undef, undef, undef, 0.1;
    }
    return 1;
}

sub stop
{
    my ($self, $mode) = @_;
    return 1 unless delete $self->{_running};
    return $self->run('pg_ctl', '--wait', '--pgdata=' . $self->data_dir, "--mode=$mode", 'stop');
}

# processes(PATTERN): those of the server whose arguments fit it. Others end meanwhile.
sub processes
{
    my ($self, $pattern) = @_;
    my $file;
    return grep { open($file, '<', "/proc/$_/cmdline") && (<$file> // '') =~ m{^\w:\Q$self->{_folder}\E/bin/postgres\.exe\0.*$pattern} }
        map { m{(\d+)} } glob '/proc/[0-9]*';
}

# kill9(): all of its processes end at once.
sub kill9
{
    my ($self) = @_;
    kill 'KILL', $self->processes('');
    select undef, undef, undef, 0.1 while $self->processes('');
    delete $self->{_running};
    return;
}

1;
