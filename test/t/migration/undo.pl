# An undo or a finish that leaves out a column of the script before it is refused, whatever has happened to the column since:
# it would drop what says whose keys that has.

use strict;
use warnings;
use lib 'test/lib';
use Migrations;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('main');
# In one name is what could be taken for a number or an end, and one has no room for more.
my ($odd, $long) = (quoted(q{2 account's "\000"}), 'x' x 63);
my @columns = ('alice.tags.account', "alice.tags.$odd", "alice.tags.$long");

# also(COLUMN...): an array of these, in a literal
sub also { return '{' . join(',', map { '"' . s/([\\"])/\\$1/gr =~ s/'/''/gr . '"' } @_) . '}' }

# wrong(COLUMN...): the number of tags of which a column does not have the key of their account
sub wrong
{
    my $same = join ' AND ', map { "a.id = t.$_" } @_;
    return $node->safe_psql('postgres', "SELECT count(*) FROM alice.tags AS t LEFT JOIN alice.accounts AS a ON $same WHERE a.n IS DISTINCT FROM t.n");
}

for my $case (
    [ 'to_v7', 'from_v7', 'uuid', 'PRIMARY KEY DEFAULT gen_random_uuid()', 'alice.accounts_id_former' ],
    [ 'bigint_to_v7', 'v7_to_bigint', 'bigint', 'PRIMARY KEY GENERATED ALWAYS AS IDENTITY', 'alice.accounts' ])
{
    my ($conversion, $back, $type, $key, $former) = @$case;
    for my $mode ('offline', 'online')
    {
        my %undo = (mode => $mode, conversion => $back);
        my $leaves_out = sub {
            my ($test, $column, %options) = @_;
            my ($table, $name) = $column =~ /^(\w+\.\w+)\.(.*)$/s;
            fails_with(written($node, 'alice', 'alice.accounts', %options), '55000',
                qr/\Qcolumn $name of table $table was migrated together with this key, and is left out: Name it in also/, "$conversion, $mode: $test");
        };
        output_of($node, 'alice', qq{
            CREATE TABLE alice.accounts (id $type $key, n int, parent $type REFERENCES alice.accounts);
            CREATE TABLE alice.orders (account $type CONSTRAINT of_account REFERENCES alice.accounts);
            CREATE TABLE alice.tags (account $type, $odd $type, $long $type, n int);
            INSERT INTO alice.accounts (n) SELECT generate_series(1, 20);
            INSERT INTO alice.tags SELECT id, id, id, n FROM alice.accounts});
        migrates($node, 'alice', 'alice.accounts', mode => $mode, conversion => $conversion, rows_without_time => 'epoch', also => also(@columns),
            "$conversion, $mode: no foreign key connects some columns with the key.");
        is(wrong('account', $odd, $long), '0', 'They are converted.');
        for my $column (@columns)
        {
            my $others = also(grep { $_ ne $column } @columns);
            $leaves_out->('An undo has to name each of them,', $column, %undo, also => $others);
            $leaves_out->('and so does a finish.', $column, mode => 'finish', conversion => $conversion, also => $others);
        }

        # --- What has happened since ---
        output_of($node, 'alice', 'ALTER TABLE alice.tags RENAME TO marks; ALTER TABLE alice.orders DROP CONSTRAINT of_account');
        $leaves_out->('The table has another name.', 'alice.marks.account', %undo);
        $leaves_out->('A foreign key is dropped.', 'alice.orders.account', %undo);
        output_of($node, 'alice', 'ALTER TABLE alice.marks RENAME TO tags');
        if ($mode eq 'offline')
        {
            my $dump = $node->basedir . '/dump.sql';
            command_ok([ 'pg_dump', '--no-comments', '--schema=alice', "--file=$dump", $node->connstr('postgres') ], 'The schema is dumped,');
            $node->safe_psql('postgres', 'DROP SCHEMA alice CASCADE');
            is(session($node, 'dba', slurp_file($dump))->{state}, '', 'and restored.');
            $leaves_out->('An undo has to name them after that, too.', 'alice.tags.account', %undo);

            output_of($node, 'alice', "ALTER TABLE alice.tags RENAME account TO other; ALTER TABLE alice.tags DROP $long; DROP TABLE alice.orders CASCADE");
            my %named = (%undo, also => also('alice.tags.other', "alice.tags.$odd"));
            my $refused = written($node, 'alice', 'alice.accounts', %named);
            fails_with($refused, '55000', qr/constraint "\d account" of table \Q$former\E names a column of table alice\.tags /, 'A column has another name, and another one is dropped.');
            my @ways_out = $refused->{messages} =~ /^constraint .* Then run (ALTER TABLE .*)\.$/mg;
            is(@ways_out, 2, 'The hints say what to do.');
            output_of($node, 'alice', join ';', @ways_out);
            migrates($node, 'alice', 'alice.accounts', %named, 'After that, the undo runs.');
            is(wrong('other', $odd), '0', 'Each key has its row.');
            is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_constraint WHERE conname ~ '^[0-9] '}), '0', 'Nothing is left of what was recorded.');
        }
        $node->safe_psql('postgres', 'DROP TABLE IF EXISTS alice.accounts, alice.tags, alice.orders CASCADE');
    }
}

# --- A finish that keeps the number ---
output_of($node, 'alice', q{
    CREATE TABLE alice.accounts (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, n int);
    CREATE TABLE alice.orders (account bigint REFERENCES alice.accounts)});
migrates($node, 'alice', 'alice.accounts', mode => 'offline', conversion => 'bigint_to_v7', rows_without_time => 'epoch', 'Numbers become keys,');
migrates($node, 'alice', 'alice.accounts', mode => 'finish', conversion => 'bigint_to_v7', keep_number => 'number', 'and stay beside them.');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_constraint WHERE conname ~ '^[0-9] '}), '0', 'Nothing is left of what was recorded.');
done_testing();
