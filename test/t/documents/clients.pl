# uuidx from the drivers of Python: their blocks of docs/clients/, and the programs of test/clients/.

use strict;
use warnings;
use lib 'test/lib';
use Clients;
use Test::More;

my $node = Clients::new_server();

# --- The pages ---
is_deeply([ Clients::sections() ], [ sort @Clients::drivers, @Clients::frameworks ],
    'Each section of docs/clients/ with code is tested');
is_deeply([ Clients::strange_blocks() ], [], 'and each of its blocks, unless it has the mark "newer"');
Clients::test_section($node, $_) for @Clients::drivers;

# --- What does not fit on a page ---
my %clients = (
    psycopg => [ @Clients::python, 'test/clients/psycopg_test.py' ],
    asyncpg => [ @Clients::python, 'test/clients/asyncpg_test.py' ],
    SQLAlchemy => [ @Clients::python, 'test/clients/sqlalchemy_test.py' ]);
Clients::create_events($node);
Clients::test_program($_, $clients{$_}) for sort keys %clients;

$node->stop;
done_testing();
