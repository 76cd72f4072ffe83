-- The rows of sql/include/shop.sql that have another shadow than the account with their key
CREATE FUNCTION pairs() RETURNS TABLE (relation text, n int, id uuid, id_shadow uuid) LANGUAGE sql AS $$
SELECT 'accounts', n, id, id_shadow FROM accounts
UNION ALL SELECT 'parents', n, parent, parent_shadow FROM accounts WHERE parent IS NOT NULL
UNION ALL SELECT 'profiles', n, id, id_shadow FROM profiles
UNION ALL SELECT 'settings', n, profile, profile_shadow FROM settings WHERE profile IS NOT NULL
UNION ALL SELECT 'notes', n, account, account_shadow FROM notes
UNION ALL SELECT 'replies', n, account, account_shadow FROM replies
UNION ALL SELECT 'events', n, account, account_shadow FROM events
UNION ALL SELECT 'tags', n, account, account_shadow FROM tags $$;
CREATE FUNCTION unequal() RETURNS SETOF text LANGUAGE sql AS $$
SELECT format('%s %s', relation, n) FROM pairs() AS p
WHERE NOT EXISTS (SELECT FROM accounts AS a WHERE (a.id, a.id_shadow) = (p.id, p.id_shadow)) ORDER BY 1 $$;
