# A graph of tables whose keys are random, with an integer beside each UUID that says which row is meant.
package Graph;

use strict;
use warnings;
use PostgreSQL::Test::Utils;

# What is moved: the key, and the expression for the creation time
our @moves = ([ 'graph.accounts', 'id', 'created' ], [ 'graph.tokens', 'token', q{made AT TIME ZONE 'UTC'} ]);

# A column that moves with the keys of accounts, although not all of its values are such keys
our @also = (also => '{graph.remarks.subject_id}', other_values => 'keep');

# Accounts are of ten kinds, by the last digit of n: the keys of those with 1 change, those with 2 are deleted and inserted
# again, and the others may be deleted.
sub schema
{
    my ($accounts) = @_;
    return qq{
        SET search_path = graph, public;
        CREATE SEQUENCE n START 1000001;
        CREATE TABLE accounts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int UNIQUE DEFAULT nextval('n'),
            created timestamptz DEFAULT clock_timestamp(), changed int DEFAULT 0,
            parent_id uuid, parent_n int);
        ALTER TABLE accounts ADD FOREIGN KEY (parent_id) REFERENCES accounts ON UPDATE CASCADE ON DELETE SET NULL;
        CREATE INDEX ON accounts (parent_id);
        CREATE TABLE profiles (id uuid PRIMARY KEY REFERENCES accounts ON UPDATE CASCADE ON DELETE CASCADE, n int);
        CREATE TABLE settings (id uuid PRIMARY KEY REFERENCES profiles ON UPDATE CASCADE ON DELETE CASCADE, n int);
        CREATE TABLE entries (setting_id uuid NOT NULL REFERENCES settings ON UPDATE CASCADE ON DELETE CASCADE, n int);
        CREATE INDEX ON entries (setting_id);
        CREATE TABLE teams (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text UNIQUE, owner_id uuid REFERENCES accounts ON UPDATE CASCADE ON DELETE SET NULL, owner_n int);
        CREATE INDEX ON teams (owner_id);
        ALTER TABLE accounts ADD team_id uuid REFERENCES teams;
        CREATE TABLE members (account_id uuid REFERENCES accounts ON UPDATE CASCADE ON DELETE CASCADE, team_id uuid REFERENCES teams, n int,
            PRIMARY KEY (account_id, team_id));
        CREATE TABLE transfers (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            from_id uuid REFERENCES accounts ON UPDATE CASCADE ON DELETE SET NULL, from_n int,
            to_id uuid DEFAULT '919108f7-52d1-4320-9bac-f847db4148a8' REFERENCES accounts ON UPDATE CASCADE ON DELETE SET DEFAULT, to_n int);
        CREATE INDEX ON transfers (from_id);
        CREATE INDEX ON transfers (to_id);
        CREATE TABLE notes (account_id uuid NOT NULL REFERENCES accounts DEFERRABLE INITIALLY DEFERRED, n int);
        CREATE INDEX ON notes (account_id);
        CREATE TABLE events (account_id uuid REFERENCES accounts ON UPDATE CASCADE ON DELETE CASCADE, n int, day int) PARTITION BY LIST (day);
        CREATE TABLE events_0 PARTITION OF events FOR VALUES IN (0);
        CREATE TABLE events_1 (day int, account_id uuid, n int);
        ALTER TABLE events ATTACH PARTITION events_1 FOR VALUES IN (1);
        CREATE INDEX ON events (account_id);
        CREATE TABLE tokens (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, token uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(), n int UNIQUE DEFAULT nextval('n'),
            made timestamp DEFAULT now());
        CREATE TABLE uses (token uuid REFERENCES tokens (token) ON DELETE CASCADE, n int);
        CREATE INDEX ON uses (token);
        CREATE TABLE remarks (subject_id uuid, n int);
        CREATE INDEX ON remarks (subject_id);

        INSERT INTO accounts (id, n, created) VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', 0, '2000-01-01 00:00:00+00');
        INSERT INTO accounts (n, created) SELECT n, timestamptz '2010-01-01 00:00:00+00' + n * interval '1 minute' FROM generate_series(1, $accounts) AS n;
        UPDATE accounts AS a SET parent_id = p.id, parent_n = p.n FROM accounts AS p WHERE p.n = a.n / 2 AND a.n > 1 AND p.n % 10 <> 2;
        INSERT INTO profiles SELECT id, n FROM accounts WHERE n % 10 <> 2;
        INSERT INTO settings SELECT id, n FROM profiles;
        INSERT INTO entries SELECT id, n FROM settings;
        INSERT INTO teams (name, owner_id, owner_n) SELECT 'team ' || n, id, n FROM accounts WHERE n < 20 AND n % 10 <> 2;
        INSERT INTO members SELECT a.id, t.id, a.n FROM accounts AS a JOIN teams AS t ON t.name = 'team ' || a.n % 10 WHERE a.n % 10 <> 2;
        INSERT INTO transfers (from_id, from_n, to_id, to_n) SELECT a.id, a.n, b.id, b.n FROM accounts AS a JOIN accounts AS b ON b.n = $accounts - a.n
            WHERE a.n % 10 <> 2 AND b.n % 10 <> 2;
        INSERT INTO notes SELECT id, n FROM accounts WHERE n % 10 = 2;
        INSERT INTO events SELECT id, n, n % 2 FROM accounts WHERE n % 10 <> 2;
        INSERT INTO tokens (n, made) SELECT n, timestamp '2015-01-01' + n * interval '1 minute' FROM generate_series(1, $accounts) AS n;
        INSERT INTO uses SELECT token, n FROM tokens;
        INSERT INTO remarks SELECT id, n FROM accounts WHERE n % 10 IN (3, 4);
        INSERT INTO remarks (subject_id) SELECT gen_random_uuid() FROM generate_series(1, $accounts / 10);
        CREATE TABLE original AS SELECT id, n, created FROM accounts;
        ANALYZE;
    };
}

# A table, the column that references, the number of the row that it should reference, the table and the key there
our @references = (
    [ 'accounts', 'parent_id', 'parent_n', 'accounts', 'id' ], [ 'profiles', 'id', 'n', 'accounts', 'id' ], [ 'settings', 'id', 'n', 'profiles', 'id' ],
    [ 'entries', 'setting_id', 'n', 'settings', 'id' ], [ 'teams', 'owner_id', 'owner_n', 'accounts', 'id' ], [ 'members', 'account_id', 'n', 'accounts', 'id' ],
    [ 'transfers', 'from_id', 'from_n', 'accounts', 'id' ], [ 'transfers', 'to_id', 'to_n', 'accounts', 'id' ], [ 'notes', 'account_id', 'n', 'accounts', 'id' ],
    [ 'events', 'account_id', 'n', 'accounts', 'id' ], [ 'uses', 'token', 'n', 'tokens', 'token' ]);

# A query for what is wrong: references to another row than that of the number, and references that were lost although the row
# is there. ON DELETE SET DEFAULT means the account 0. A remark without a number is about no account.
sub wrong
{
    return join ' UNION ALL ', q{(SELECT 'remarks', r.n, r.subject_id FROM graph.remarks AS r LEFT JOIN graph.accounts AS a USING (n)
        WHERE a.id <> r.subject_id OR r.n IS NULL AND keys.uuid_version(r.subject_id) <> 4)}, map {
        my ($table, $column, $number, $referenced, $key) = @$_;
        qq{(SELECT '$table.$column', c.$number, c.$column FROM graph.$table AS c LEFT JOIN graph.$referenced AS p ON p.$key = c.$column
            WHERE c.$column IS NOT NULL AND p.n IS DISTINCT FROM c.$number AND p.n IS DISTINCT FROM 0
               OR (c.$column IS NULL OR p.n = 0 AND c.$number <> 0) AND EXISTS (SELECT FROM graph.$referenced AS q WHERE q.n = c.$number))}
    } @references;
}

# The scripts of pgbench: what the others write. The file has the keys and numbers of settings, for COPY.
sub writers
{
    my ($accounts, $file) = @_;
    my $kind = sub { "\\set x random(1, $accounts / 10 - 2) * 10 + $_[0]\n" };
    return (
        together => q{
WITH a AS (INSERT INTO graph.accounts (id) VALUES (gen_random_uuid()) RETURNING id, n), p AS (INSERT INTO graph.profiles (id, n) SELECT id, n FROM a RETURNING id, n),
s AS (INSERT INTO graph.settings (id, n) SELECT id, n FROM p RETURNING id, n), t AS (INSERT INTO graph.transfers (from_id, from_n, to_id, to_n) SELECT id, n, id, n FROM s)
INSERT INTO graph.entries (setting_id, n) SELECT id, n FROM s;
BEGIN;
SELECT gen_random_uuid() AS id, nextval('graph.n') AS n \gset
INSERT INTO graph.notes (account_id, n) VALUES (':id', :n);
INSERT INTO graph.remarks (subject_id, n) VALUES (':id', :n), (gen_random_uuid(), NULL);
INSERT INTO graph.accounts (id, n, parent_id, parent_n) VALUES (':id', :n, ':id', :n);
INSERT INTO graph.events (account_id, n, day) VALUES (':id', :n, 0), (':id', :n, 1);
END;
},
        children => $kind->(3) . q{
BEGIN;
INSERT INTO graph.entries (setting_id, n) SELECT id, n FROM graph.settings WHERE n = :x;
INSERT INTO graph.transfers (from_id, from_n, to_id, to_n) SELECT id, n, id, n FROM graph.accounts WHERE n = :x;
INSERT INTO graph.events (account_id, n, day) SELECT id, n, n % 2 FROM graph.accounts WHERE n = :x;
INSERT INTO graph.uses (token, n) SELECT token, n FROM graph.tokens WHERE n = :x;
INSERT INTO graph.remarks (subject_id, n) SELECT id, n FROM graph.accounts WHERE n = :x;
UPDATE graph.events SET day = 1 - day WHERE n = :x AND day < 2;
UPDATE graph.accounts SET created = created + interval '1 minute', changed = changed + 1 WHERE n = :x;
END;
UPDATE graph.transfers SET (to_id, to_n) = (SELECT id, n FROM graph.accounts WHERE n = :x + 1) WHERE from_n = :x;
},
        keys => $kind->(1) . q{
UPDATE graph.accounts SET id = gen_random_uuid() WHERE n = :x;
BEGIN;
SELECT id AS a FROM graph.accounts WHERE n = :x FOR UPDATE \gset
SELECT id AS b FROM graph.accounts WHERE n = :x + 10 FOR UPDATE \gset
UPDATE graph.accounts SET id = gen_random_uuid() WHERE n = :x;
UPDATE graph.accounts SET id = ':a' WHERE n = :x + 10;
UPDATE graph.accounts SET id = ':b' WHERE n = :x;
END;
},
        upserts => $kind->(4) . q{
INSERT INTO graph.accounts (id, n) SELECT id, n FROM graph.accounts WHERE n = :x ON CONFLICT (id) DO UPDATE SET changed = accounts.changed + 1;
INSERT INTO graph.accounts (n) VALUES (:x) ON CONFLICT (n) DO UPDATE SET changed = accounts.changed + 1;
INSERT INTO graph.tokens (n) VALUES (:x) ON CONFLICT (n) DO NOTHING;
},
        # Who references a key while it is deleted and inserted again gets an error from PostgreSQL, so the lock.
        again => $kind->(2) . q{
BEGIN;
SELECT pg_advisory_xact_lock(:x);
SELECT id AS id FROM graph.accounts WHERE n = :x \gset
DELETE FROM graph.accounts WHERE n = :x;
INSERT INTO graph.notes (account_id, n) VALUES (':id', :x);
INSERT INTO graph.accounts (id, n, created) VALUES (':id', :x, clock_timestamp());
END;
BEGIN;
SELECT pg_advisory_xact_lock(:x);
INSERT INTO graph.notes (account_id, n) SELECT id, n FROM graph.accounts WHERE n = :x;
END;
},
        copies => "COPY graph.entries (setting_id, n) FROM '$file';\n",
        deletes => "\\set x random(1, $accounts / 10 - 2) * 10 + random(5, 9)\n" . q{
DELETE FROM graph.accounts WHERE n = :x;
DELETE FROM graph.tokens WHERE n = :x;
},
    );
}

1;
