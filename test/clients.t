# uuidx from the clients of Clients::frameworks: their blocks of docs/clients/. pgjdbc speaks TCP only and connects to 127.0.0.1
# with a password, and so do clients that take a URL. Tools that write migrations from what they find in a database find nothing of
# uuidx.

use strict;
use warnings;
use lib 'test/lib';
use Clients;
use IPC::Run ();
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

$ENV{DATABASE_URL} = "postgres://$ENV{PGUSER}:$password\@127.0.0.1:" . $node->port . '/shop';
Clients::test_section($node, $_) for @Clients::frameworks;

$node->safe_psql('postgres', 'CREATE DATABASE clients');
$ENV{PGDATABASE} = 'clients';
Clients::test_program('autogenerate', [ @Clients::python, 'test/clients/autogenerate_test.py' ]);
Clients::test_program('schema.rb', [ @Clients::ruby, 'test/clients/schema_test.rb' ]);

$node->safe_psql('postgres', 'DROP DATABASE clients');
Clients::create_events($node);
Clients::test_program('JDBC', [ @Clients::java, 'test/clients/JdbcTest.java' ]);

# --- A script without psql ---
my %programs = (
    JDBC => [ @Clients::java, 'test/clients/RunScript.java' ],
    Rails => [ @Clients::ruby, 'test/clients/run_script.rb' ],
    map { $_ => [ @Clients::python, 'test/clients/run_script.py', $_ ] } 'psycopg', 'SQLAlchemy', 'Alembic', 'Django');
$ENV{PGDATABASE} = 'script';
$ENV{SCRIPT} = q{SELECT sql FROM uuidx_migrate.script('customers', 'id', 'online', 'to_v7', created => 'created_at') ORDER BY step};
for my $client (sort keys %programs)
{
    $node->safe_psql('postgres', "CREATE DATABASE $ENV{PGDATABASE}");
    $node->safe_psql($ENV{PGDATABASE}, q{
        CREATE EXTENSION uuidx;
        CREATE EXTENSION uuidx_migrate;
        CREATE TABLE customers (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz NOT NULL DEFAULT now());
        CREATE TABLE orders (customer_id uuid NOT NULL REFERENCES customers);
        CREATE VIEW ordering AS SELECT c.id FROM customers AS c JOIN orders AS o ON o.customer_id = c.id;
        INSERT INTO customers SELECT FROM generate_series(1, 100);
        INSERT INTO orders SELECT id FROM customers});
    IPC::Run::run($programs{$client}, '>', \my $output, '2>', \my $errors);
    is("$? $errors", '0 ', "$client runs the script of an online migration");
    is($node->safe_psql($ENV{PGDATABASE}, 'SELECT uuid_version(id), count(*) FROM ordering GROUP BY 1'), '7|100',
        '    and the keys and references are of version 7');
    $node->safe_psql('postgres', "DROP DATABASE $ENV{PGDATABASE}");
}

$node->stop;
done_testing();
