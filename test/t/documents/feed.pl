# The feed of docs/use/more-queries.md: a reader that continues after the last key misses a row whose transaction
# commits late; one that follows the transactions reads every row exactly once.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'max_prepared_transactions = 2');
$node->start;

my $document = slurp_file('docs/use/more-queries.md');
my ($feed) = $document =~ /^(CREATE TABLE feed .*?^CREATE INDEX ON feed .*?\n)/ms
    or die 'docs/use/more-queries.md has no table feed';
my ($next_rows) = $document =~ /^PREPARE next_rows\(xid8, uuid\) AS\n(.*?);\n/ms
    or die 'docs/use/more-queries.md has no query next_rows';
$node->safe_psql('postgres', "CREATE EXTENSION uuidx; $feed");

my %last = (key => '00000000-0000-0000-0000-000000000000',
    xid => '0', id => '00000000-0000-0000-0000-000000000000');

# The items that each reader gets next.
sub read_by_key
{
    my @rows = map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres',
        "SELECT id, item FROM feed WHERE id > '$last{key}' ORDER BY id");
    $last{key} = $rows[-1][0] if @rows;
    return join ',', map { $_->[1] } @rows;
}

sub read_by_transaction
{
    my @rows = map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres',
        "PREPARE next_rows(xid8, uuid) AS $next_rows; EXECUTE next_rows('$last{xid}', '$last{id}')");
    @last{qw(xid id)} = @{ $rows[-1] }[ 0, 1 ] if @rows;
    return join ',', map { $_->[2] } @rows;
}

sub insert { return "INSERT INTO feed (item) VALUES ('$_[0]');"; }

$node->safe_psql('postgres', insert('first'));
is(read_by_key(), 'first', 'a reader by key gets the first row');
is(read_by_transaction(), 'first', 'a reader by transaction gets the first row');

$node->safe_psql('postgres', 'BEGIN;' . insert('late') . q{PREPARE TRANSACTION 'late'});
$node->safe_psql('postgres', insert('second'));
is(read_by_key(), 'second', 'a reader by key goes past a row that is not committed yet');
is(read_by_transaction(), '', 'a reader by transaction waits for the open transaction');

$node->safe_psql('postgres', q{COMMIT PREPARED 'late'});
$node->safe_psql('postgres', insert('third'));
is(read_by_key(), 'third', 'a reader by key never gets the row that was committed late');
is(read_by_transaction(), 'late,second,third', 'a reader by transaction gets it, and the rows after it');
is(read_by_transaction(), '', 'a reader by transaction gets no row twice');

done_testing();
