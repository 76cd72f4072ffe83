# Texts become UUIDs and texts again while others write, and the server is stopped meanwhile. An integer beside each key
# says which row is meant.

use strict;
use warnings;
use lib 'test/lib';
use Migrations;
use Others;
use Test::More;

my $accounts = $ENV{UUIDX_LONG} ? 500_000 : 4_000;
my $node = new_server('text', 'restart_after_crash = off', 'deadlock_timeout = 500ms');
output_of($node, 'alice', qq{
    CREATE TABLE alice.accounts (id varchar(38) PRIMARY KEY DEFAULT gen_random_uuid(), n int UNIQUE, mentor text REFERENCES alice.accounts ON UPDATE CASCADE, changed int DEFAULT 0);
    CREATE TABLE alice.entries (n int, account char(38) NOT NULL REFERENCES alice.accounts ON DELETE CASCADE ON UPDATE CASCADE, item text, UNIQUE (account, item));
    CREATE TABLE alice.events (n int, account text, item text, day int, FOREIGN KEY (account, item) REFERENCES alice.entries (account, item) ON DELETE CASCADE ON UPDATE CASCADE) PARTITION BY LIST (day);
    CREATE TABLE alice.events_1 PARTITION OF alice.events FOR VALUES IN (1);
    CREATE TABLE alice.events_2 PARTITION OF alice.events FOR VALUES IN (2);
    CREATE INDEX ON alice.accounts (mentor);
    CREATE INDEX ON alice.events (account, item);
    INSERT INTO alice.accounts
    SELECT CASE n % 5 WHEN 0 THEN id::text WHEN 1 THEN upper(id::text) WHEN 2 THEN replace(id::text, '-', '') WHEN 3 THEN '{' || id || '}' ELSE keys.uuid_encode(id, 'ulid') END, n
    FROM (SELECT n, gen_random_uuid() AS id FROM generate_series(1, $accounts) AS n OFFSET 0) AS k;
    UPDATE alice.accounts AS a SET mentor = m.id FROM alice.accounts AS m WHERE m.n = a.n / 2;
    INSERT INTO alice.entries SELECT n, id, 'first' FROM alice.accounts;
    INSERT INTO alice.events SELECT n, trim(account), item, 1 FROM alice.entries;
    CREATE TABLE alice.original AS SELECT n, id FROM alice.accounts;
    ANALYZE});

# Rows that reference another one than they did, and texts that have changed
sub wrong
{
    return $node->safe_psql('postgres', qq{
        SELECT 'mentor', a.n FROM alice.accounts AS a LEFT JOIN alice.accounts AS m ON m.id = a.mentor WHERE a.mentor IS NOT NULL AND m.n IS DISTINCT FROM a.n / 2
        UNION ALL SELECT 'entry', e.n FROM alice.entries AS e LEFT JOIN alice.accounts AS a ON a.id = e.account WHERE a.n IS DISTINCT FROM e.n
        UNION ALL SELECT 'event', v.n FROM alice.events AS v LEFT JOIN alice.entries AS e ON e.account = v.account AND e.item = v.item WHERE e.n IS DISTINCT FROM v.n
        UNION ALL SELECT 'key', o.n FROM alice.original AS o LEFT JOIN alice.accounts AS a USING (n)
            WHERE n <= $accounts / 2 AND uuidx_migrate_steps.text_to_uuid(a.id::text) IS DISTINCT FROM uuidx_migrate_steps.text_to_uuid(o.id)
        LIMIT 20});
}

sub changed_texts
{
    return $node->safe_psql('postgres', qq{SELECT count(*) FROM alice.original AS o LEFT JOIN alice.accounts AS a USING (n) WHERE n <= $accounts / 2 AND a.id IS DISTINCT FROM o.id});
}

# Rows of the lower half keep their keys. An event refers to the entry that its own transaction has made: another client
# may delete any other one before the foreign key is checked.
my $others = start_others($node, 'writers', [ qq{\\set n random(1, $accounts / 2)
\\set m random($accounts / 2 + 1, $accounts)
\\set item random(1, 1000000000)
UPDATE alice.accounts SET changed = changed + 1 WHERE n = :n;
BEGIN;
INSERT INTO alice.entries (n, account, item) SELECT n, id, :item::int::text FROM alice.accounts WHERE n = :n ON CONFLICT DO NOTHING;
INSERT INTO alice.events (n, account, item, day) SELECT e.n, a.id, e.item, 1 FROM alice.entries AS e JOIN alice.accounts AS a USING (n) WHERE n = :n AND e.item = :item::int::text;
END;
DELETE FROM alice.entries WHERE n = :n AND item <> 'first';
UPDATE alice.accounts SET id = DEFAULT WHERE n = :m;
DELETE FROM alice.accounts WHERE n = :m;
INSERT INTO alice.accounts (n, mentor) SELECT :m, id FROM alice.accounts WHERE n = :m / 2 ON CONFLICT DO NOTHING;
} ], '--client=3', '--rate=100', '--protocol=prepared');
is(wrong(), '', 'Nothing is wrong at first.');
my $rounds = $ENV{UUIDX_LONG} ? 3 : 1;
for my $round (1 .. $rounds)
{
    migrates($node, 'alice', 'alice.accounts', mode => 'online', conversion => 'text_to_uuid', 'Texts become UUIDs while others write.');
    is(wrong(), '', 'No reference is wrong or lost.');
    is($node->safe_psql('postgres', q{SELECT DISTINCT atttypid::regtype FROM pg_attribute
            WHERE attrelid IN ('alice.accounts'::regclass, 'alice.entries'::regclass, 'alice.events'::regclass) AND attname IN ('id', 'mentor', 'account')}),
        'uuid', 'All columns have UUIDs.');
    migrates($node, 'alice', 'alice.accounts', mode => 'online', conversion => 'uuid_to_text', 'They become texts again while others write.');
    is(wrong(), '', 'No reference is wrong or lost.');
    is(changed_texts(), '0', 'The texts are what they were.');
    migrates($node, 'alice', 'alice.accounts', mode => 'finish', conversion => 'uuid_to_text', 'The undo is finished.') if $round == 2;
}
stop_others($others);
is(wrong(), '', 'No reference is wrong or lost.');

# --- The server is stopped at any moment ---
for my $conversion ('text_to_uuid', 'uuid_to_text')
{
    stopped_midway($node, \&wrong, 'alice.accounts', mode => 'online', conversion => $conversion);
    migrates($node, 'alice', 'alice.accounts', mode => 'online', conversion => $conversion, "$conversion ends.");
    is(wrong(), '', 'No reference is wrong or lost.');
}
is(changed_texts(), '0', 'The texts are what they were.');
migrates($node, 'alice', 'alice.accounts', mode => 'finish', conversion => 'uuid_to_text', 'The undo is finished.');

# --- Offline ---
migrates($node, 'alice', 'alice.accounts', conversion => 'text_to_uuid', 'Texts become UUIDs offline.');
is(wrong(), '', 'No reference is wrong or lost.');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal}), '0', 'No trigger is left.');

done_testing();
