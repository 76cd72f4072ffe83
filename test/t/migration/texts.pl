# Texts that hold keys move with them while others write: texts before their keys, keys that go and come again with another
# creation time, and former keys. A number beside each text says which row is meant, and a letter how it is written.

use strict;
use warnings;
use IPC::Run ();
use lib 'test/lib';
use Migrations;
use Others;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('texts', 'max_connections = 20');
my $rows = $ENV{UUIDX_LONG} ? 200_000 : 2_000;
output_of($node, 'alice', qq{
    CREATE FUNCTION alice.spelled(id uuid, form "char") RETURNS text LANGUAGE sql IMMUTABLE RETURN CASE form
        WHEN 'l' THEN id::text WHEN 'u' THEN upper(id::text) WHEN 'h' THEN replace(id::text, '-', '') WHEN 'b' THEN '{' || id || '}' WHEN 'n' THEN 'urn:uuid:' || id ELSE keys.uuid_encode(id, 'ulid') END;
    CREATE FUNCTION alice.form(n bigint) RETURNS "char" LANGUAGE sql IMMUTABLE RETURN substr('luhbnc', 1 + (n % 6)::int, 1);
    CREATE FUNCTION alice.v4(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN overlay(overlay(md5(n::text) PLACING '4' FROM 13) PLACING '9' FROM 17)::uuid;
    CREATE TABLE alice.items (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n bigint UNIQUE, created timestamptz DEFAULT now());
    CREATE TABLE alice.history (n bigint, item text NOT NULL, changed int DEFAULT 0);
    CREATE INDEX ON alice.history (n);
    INSERT INTO alice.items (n, created) SELECT n, timestamptz '2020-01-01' + n * interval '1 minute' FROM generate_series(1, $rows) AS n;
    INSERT INTO alice.history SELECT n, alice.spelled(id, alice.form(n)) FROM alice.items;
    INSERT INTO alice.history VALUES (0, 'no key'), (0, ''), (0, 'AAAAAAA1-000a-400b-800c-ddddddddddd1')});

my %scripts = (
    together => q{
        \set n random(1000000000, 2000000000)
        BEGIN;
        INSERT INTO alice.history (n, item) VALUES (:n, alice.spelled(alice.v4(:n), alice.form(:n)));
        INSERT INTO alice.items (id, n) VALUES (alice.v4(:n), :n) ON CONFLICT DO NOTHING;
        COMMIT;},
    before => q{
        \set n random(3000000000, 4000000000)
        INSERT INTO alice.history (n, item) VALUES (:n, alice.spelled(alice.v4(:n), alice.form(:n)));
        INSERT INTO alice.items (id, n) VALUES (alice.v4(:n), :n) ON CONFLICT DO NOTHING;},
    after => qq{
        \\set n random(1, $rows)
        INSERT INTO alice.history (n, item) SELECT n, alice.spelled(id, alice.form(n)) FROM alice.items WHERE n = :n;
        UPDATE alice.history SET changed = changed + 1 WHERE n = :n;},
    again => qq{
        \\set n random(1, $rows)
        BEGIN;
        SELECT id AS former FROM alice.items WHERE n = :n FOR UPDATE \\gset
        DELETE FROM alice.items WHERE n = :n;
        INSERT INTO alice.items (id, n, created) VALUES (':former', :n, now());
        COMMIT;},
    rewrites => qq{
        \\set n random(1, $rows)
        UPDATE alice.history AS h SET item = alice.spelled(i.id, alice.form(i.n)) FROM alice.items AS i WHERE h.n = :n AND i.n = :n;},
    deletes => qq{
        \\set n random(1, $rows)
        DELETE FROM alice.history WHERE n = :n AND changed % 2 = 1;});

# The texts whose row is there and that have not its key, or another form
my $wrong = q{
    SELECT h.n, h.item, i.id FROM alice.history AS h JOIN alice.items AS i USING (n)
    WHERE h.item IS DISTINCT FROM alice.spelled(i.id, alice.form(h.n)) ORDER BY h.n LIMIT 20};
sub wrong { return $node->safe_psql('postgres', $wrong) }

my @others = (start_others($node, 'writers', [ @scripts{qw(together before after rewrites deletes)} ], '--client=2', '--rate=20'),
    start_others($node, 'inserts again', [ $scripts{again} ], '--rate=20'));

my @what = (also => '{history.item}', other_values => 'keep');
my @to_v7 = (@what, conversion => 'to_v7', created => 'created');
is(wrong(), '', 'Nothing is wrong at first.');
migrates($node, 'alice', 'alice.items', @to_v7, mode => 'online', 'The keys are moved while others write.');
migrates($node, 'alice', 'alice.items', @what, conversion => 'from_v7', mode => 'online', 'They are moved back.');
migrates($node, 'alice', 'alice.items', @to_v7, mode => 'online', 'They are moved again.');
ok($node->poll_query_until('postgres', "SELECT EXISTS ($wrong)"), 'A text is written before its key.');
stop_others(@others);
migrates($node, 'alice', 'alice.items', @to_v7, mode => 'online', 'A script looks up what has come since.');
is(wrong(), '', 'All texts have the keys of their rows, in the form that they had.');
is($node->safe_psql('postgres', q{SELECT count(*) FROM alice.items WHERE keys.uuid_version(id) <> 7}), '0', 'All keys have version 7.');

# What comes while a script waits for its locks
my $reader = $node->background_psql('postgres', extra_params => [ '--username', 'alice' ]);
$reader->query_safe('BEGIN; SELECT count(*) FROM alice.history');
my $file = $node->basedir . '/finish.sql';
append_to_file($file, join ";\n", steps($node, 'alice', 'alice.items', @to_v7, mode => 'finish'));
my $messages = '';
my $finish = IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--username=alice', '--set=ON_ERROR_STOP=1', '--file', $file, '--dbname', $node->connstr('postgres') ], '>&', \$messages);
ok($node->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'alice.history'::regclass AND NOT granted)}), 'A script waits for a transaction.');
output_of($node, 'alice', $_) for 'INSERT INTO alice.history (n, item) VALUES (1, alice.v4(1)::text)', 'INSERT INTO alice.items (id, n) VALUES (alice.v4(1), -1)';
$finish->finish;
like($messages, qr/column "item" of table alice\.history has keys that were not looked up again/, 'Before it has them, it finds what came meanwhile.');
$reader->quit;
output_of($node, 'alice', 'DELETE FROM alice.items WHERE n = -1; DELETE FROM alice.history WHERE n = 1 AND item = alice.v4(1)::text');
migrates($node, 'alice', 'alice.items', @to_v7, mode => 'finish', 'The migration is finished.');
is(wrong(), '', 'All texts have the keys of their rows.');
is($node->safe_psql('postgres', q{SELECT string_agg(item, ',' ORDER BY item) FROM alice.history WHERE n = 0}), ',AAAAAAA1-000a-400b-800c-ddddddddddd1,no key', 'Other texts are what they were.');

done_testing();
