# uuidx from Django, Rails, node-postgres, pgx, PDO and Laravel: their blocks of docs/clients/. Tools that write
# migrations from what they find in a database find nothing of uuidx.

use strict;
use warnings;
use lib 'test/lib';
use Clients;
use Test::More;

my $node = Clients::new_server();
Clients::test_section($node, $_) for @Clients::frameworks;

$node->safe_psql('postgres', 'CREATE DATABASE clients');
$ENV{PGDATABASE} = 'clients';
Clients::test_program('autogenerate', [ @Clients::python, 'test/clients/autogenerate_test.py' ]);
Clients::test_program('schema.rb', [ @Clients::ruby, 'test/clients/schema_test.rb' ]);

$node->stop;
done_testing();
