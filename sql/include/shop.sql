-- A shop: a key, and columns that reference it in every way
CREATE TABLE accounts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int UNIQUE, created timestamp,
                       parent uuid REFERENCES accounts ON UPDATE CASCADE);
CREATE TABLE profiles (id uuid PRIMARY KEY DEFAULT gen_random_uuid() REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
                       n int);
CREATE TABLE settings (profile uuid REFERENCES profiles ON DELETE SET NULL ON UPDATE CASCADE, n int);
CREATE TABLE notes (n int, account uuid DEFAULT '00000001-0000-4000-8000-000000000001'
                           REFERENCES accounts ON DELETE SET DEFAULT DEFERRABLE INITIALLY DEFERRED);
CREATE INDEX ON notes (account);
CREATE TABLE replies (n int, account uuid REFERENCES accounts ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED);
CREATE INDEX ON replies (account);
CREATE TABLE events (account uuid REFERENCES accounts ON UPDATE CASCADE, day int, n int) PARTITION BY LIST (day);
CREATE TABLE events_1 PARTITION OF events FOR VALUES IN (1);
CREATE TABLE tags (account uuid, n int);
CREATE TABLE original AS
SELECT v4(n) AS id, n, timestamp '2020-01-01' + n * interval '1 day' AS created FROM generate_series(1, 9) AS n;
INSERT INTO accounts SELECT id, n, created, CASE WHEN n > 1 THEN v4(n / 2) END FROM original;
INSERT INTO profiles SELECT id, n FROM accounts WHERE n < 5;
INSERT INTO settings SELECT id, n FROM profiles;
INSERT INTO notes SELECT n, id FROM accounts WHERE n NOT IN (3, 9);
INSERT INTO replies SELECT n, id FROM accounts WHERE n = 9;
INSERT INTO events SELECT id, 1, n FROM accounts WHERE n < 9;
INSERT INTO tags SELECT id, n FROM accounts WHERE n <> 3;

-- The rows that reference another row than before
CREATE VIEW wrong AS
SELECT r.relation, r.n
FROM (SELECT 'parents', n, n / 2, parent FROM accounts WHERE n > 1
      UNION ALL SELECT 'profiles', n, n, id FROM profiles
      UNION ALL SELECT 'notes', n, n, account FROM notes
      UNION ALL SELECT 'replies', n, n, account FROM replies
      UNION ALL SELECT 'events', n, n, account FROM events
      UNION ALL SELECT 'tags', n, n, account FROM tags) AS r (relation, n, of, id)
LEFT JOIN accounts AS a USING (id) WHERE a.n IS DISTINCT FROM r.of
UNION ALL
SELECT 'settings', s.n FROM settings AS s LEFT JOIN profiles AS p ON p.id = s.profile WHERE p.n IS DISTINCT FROM s.n;
CREATE VIEW defaults AS
SELECT adrelid::regclass AS relation, adnum, regexp_replace(pg_get_expr(adbin, adrelid), '\s+', ' ', 'g') AS expression
FROM pg_attrdef WHERE adrelid IN ('accounts'::regclass, 'profiles'::regclass, 'notes'::regclass)
ORDER BY adrelid::regclass::text, adnum;
