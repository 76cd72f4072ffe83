# The feed of docs/time.md: a reader who goes on after the last key loses a row whose transaction
# commits late; one who follows the transactions gets every row, and each once.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'max_prepared_transactions = 2');
$node->start;

my $document = slurp_file('docs/time.md');
my ($feed) = $document =~ /^(CREATE TABLE feed .*?^CREATE INDEX ON feed .*?\n)/ms
    or die 'docs/time.md has no table feed';
my ($next_rows) = $document =~ /^PREPARE next_rows\(xid8, uuid\) AS\n(.*?);\n/ms
    or die 'docs/time.md has no query next_rows';
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
is(read_by_key(), 'first', 'by key: the first row');
is(read_by_transaction(), 'first', 'by transaction: the first row');

$node->safe_psql('postgres', 'BEGIN;' . insert('late') . q{PREPARE TRANSACTION 'late'});
$node->safe_psql('postgres', insert('second'));
is(read_by_key(), 'second', 'by key: a row is passed by that is not yet committed');
is(read_by_transaction(), '', 'by transaction: the feed waits');

$node->safe_psql('postgres', q{COMMIT PREPARED 'late'});
$node->safe_psql('postgres', insert('third'));
is(read_by_key(), 'third', 'by key: it is lost');
is(read_by_transaction(), 'late,second,third', 'by transaction: all have come');
is(read_by_transaction(), '', 'and come once');

done_testing();
