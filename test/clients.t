# uuidx from Django, Ruby on Rails, node-postgres and pgx: their blocks of docs/clients.md.

use strict;
use warnings;
use lib 'test/t';
use Clients;
use Test::More;

my $node = Clients::new_server();
Clients::test_section($node, $_) for @Clients::frameworks;

$node->stop;
done_testing();
