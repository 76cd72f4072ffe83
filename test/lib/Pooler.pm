# pgbouncer in front of a server.
package Pooler;

use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# pgbouncer before 1.24 refuses newer protocols, which libpq 19beta asks for.
$ENV{PGMAXPROTOCOLVERSION} = '3.0';

my ($pgbouncer) = grep { -x } map { "$_/pgbouncer" } split(/:/, $ENV{PATH}), '/usr/sbin';

# start($node, $database, %settings): a pooler of this database with these settings, and its port.
sub start
{
    my ($node, $database, %settings) = @_;
    BAIL_OUT('pgbouncer is missing: install it') unless $pgbouncer;
    my $port = PostgreSQL::Test::Cluster::get_free_port();
    my $file = $node->basedir . "/pgbouncer.$port";
    my $user = $node->safe_psql('postgres', 'SELECT current_user');
    append_to_file("$file.users", qq{"$user" ""\n});
    append_to_file("$file.ini", <<"INI" . join '', map { "$_ = $settings{$_}\n" } sort keys %settings);
[databases]
$database = host=${\$node->host} port=${\$node->port}
[pgbouncer]
listen_addr =
listen_port = $port
unix_socket_dir = ${\$node->host}
auth_type = trust
auth_file = $file.users
logfile = $file.log
INI
    my ($output, $errors);
    my $pool = IPC::Run::start([ $pgbouncer, '--quiet', "$file.ini" ], '<', \undef, '>', \$output, '2>', \$errors);
    for (1 .. 5 * $PostgreSQL::Test::Utils::timeout_default)
    {
        last if system("psql -X -q -d 'host=${\$node->host} port=$port dbname=$database' -c 'SELECT' >/dev/null 2>&1") == 0;
        select undef, undef, undef, 0.2;
    }
    return ($pool, $port);
}

1;
