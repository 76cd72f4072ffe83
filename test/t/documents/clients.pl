# uuidx from the drivers of Python and Java: their blocks of docs/clients/, and the programs of test/clients/. The
# Python drivers use the Unix socket; pgjdbc speaks TCP only and connects to 127.0.0.1 with a password.

use strict;
use warnings;
use lib 'test/lib';
use Clients;
use Test::More;

my $node = Clients::new_server("listen_addresses = '127.0.0.1'");
my $password = $node->safe_psql('postgres', 'SELECT gen_random_uuid()');
$node->safe_psql('postgres', qq(ALTER ROLE "$ENV{PGUSER}" PASSWORD '$password'));
unlink $node->data_dir . '/pg_hba.conf';
$node->append_conf('pg_hba.conf', "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256");
$node->reload;

# pgjdbc finds the server by a file in its class path.
Clients::write_file('org/postgresql/driverconfig.properties',
    join "\n", 'PGHOST=127.0.0.1', 'PGPORT=' . $node->port, "user=$ENV{PGUSER}", "password=$password");

# --- The pages ---
is_deeply([ Clients::sections() ], [ sort @Clients::drivers, @Clients::frameworks ],
    'Each section of docs/clients/ with code is tested');
is_deeply([ Clients::strange_blocks() ], [], 'and each of its blocks, unless it has the mark "newer"');
Clients::test_section($node, $_) for @Clients::drivers;

# --- What does not fit on a page ---
my %clients = (
    psycopg => [ @Clients::python, 'test/clients/psycopg_test.py' ],
    asyncpg => [ @Clients::python, 'test/clients/asyncpg_test.py' ],
    SQLAlchemy => [ @Clients::python, 'test/clients/sqlalchemy_test.py' ],
    JDBC => [ @Clients::java, 'test/clients/JdbcTest.java' ]);
$node->safe_psql('postgres', 'CREATE DATABASE clients');
$node->safe_psql('clients', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE events (id uuid PRIMARY KEY, minute int);
    INSERT INTO events
    SELECT uuid_generate_v7_at(timestamptz '2026-01-01 00:00:00+00' + n * interval '1 minute'), n
    FROM generate_series(0, 10 * 24 * 60 - 1) AS n;
    VACUUM ANALYZE events});
$ENV{PGDATABASE} = 'clients';
Clients::test_program($_, $clients{$_}) for sort keys %clients;

$node->stop;
done_testing();
