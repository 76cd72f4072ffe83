-- Users and their posts, with keys of version 1, and an object of each kind that reads them
\ir functions.sql
CREATE FUNCTION uuid_generate_v1() RETURNS uuid LANGUAGE sql AS 'SELECT public.uuid_v6_to_v1(public.uuid_generate_v6())';
CREATE TABLE users (id uuid PRIMARY KEY DEFAULT uuid_generate_v1(), name text, CONSTRAINT version CHECK (uuid_variant(id) = 'rfc9562'));
CREATE TABLE posts (n int PRIMARY KEY, author uuid NOT NULL REFERENCES users, title text);
INSERT INTO users SELECT v1(n), 'user ' || n FROM generate_series(1, 10) AS n;
INSERT INTO posts SELECT n, v1(n % 5 + 1), 'post ' || n FROM generate_series(1, 20) AS n;
COMMENT ON COLUMN users.id IS 'a key';
COMMENT ON CONSTRAINT version ON users IS 'a constraint';
CREATE INDEX by_text ON users ((id::text), name) WHERE id IS NOT NULL;
CREATE STATISTICS numbers ON (id::text), name FROM users;
ALTER STATISTICS numbers SET STATISTICS 77;
COMMENT ON STATISTICS numbers IS 'statistics';

CREATE VIEW authors WITH (security_barrier = true) AS SELECT u.id, u.name, p.title FROM users AS u JOIN posts AS p ON p.author = u.id;
ALTER VIEW authors ALTER COLUMN id SET DEFAULT gen_random_uuid();
COMMENT ON VIEW authors IS 'a view';
GRANT SELECT ON authors TO PUBLIC;
CREATE VIEW titles AS SELECT a.title, b.id FROM authors AS a JOIN authors AS b USING (title);
CREATE RULE keep AS ON DELETE TO posts WHERE old.author IS NULL DO INSTEAD NOTHING;
COMMENT ON RULE keep ON posts IS 'a rule';
CREATE FUNCTION author(n int) RETURNS uuid LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT u.id FROM users AS u JOIN posts AS p ON p.author = u.id WHERE p.n = author.n;
END;
REVOKE ALL ON FUNCTION author FROM PUBLIC;
CREATE PROCEDURE show_user(id uuid) LANGUAGE sql BEGIN ATOMIC SELECT u.name FROM users AS u JOIN posts AS p ON p.author = u.id WHERE u.id = show_user.id; END;
CREATE TRIGGER of_id BEFORE UPDATE OF id ON users FOR EACH ROW WHEN (new.id IS NOT NULL) EXECUTE FUNCTION nothing();
COMMENT ON TRIGGER of_id ON users IS 'a trigger';
CREATE TRIGGER on_change BEFORE UPDATE ON users FOR EACH ROW WHEN (old.id <> new.id) EXECUTE FUNCTION nothing();
ALTER TABLE users DISABLE TRIGGER on_change;
CREATE POLICY mine ON posts TO PUBLIC USING (author IN (SELECT u.id FROM users AS u JOIN posts AS p ON p.author = u.id)) WITH CHECK (author IS NOT NULL);
CREATE MATERIALIZED VIEW counts WITH (fillfactor = 70) AS SELECT u.id, count(*) FROM users AS u JOIN posts AS p ON p.author = u.id GROUP BY u.id;
CREATE UNIQUE INDEX counted ON counts (id);
COMMENT ON INDEX counted IS 'an index';
ALTER MATERIALIZED VIEW counts CLUSTER ON counted, ALTER COLUMN id SET STATISTICS 50;
COMMENT ON MATERIALIZED VIEW counts IS 'a materialized view';
COMMENT ON COLUMN counts.id IS 'a column';
GRANT SELECT (id) ON counts TO PUBLIC;
GRANT UPDATE ON counts TO PUBLIC;
CREATE VIEW most AS SELECT c.id FROM counts AS c JOIN users AS u USING (id) WHERE c.count > 3;
CREATE MATERIALIZED VIEW stored AS SELECT a.id, b.title FROM authors AS a JOIN authors AS b USING (title) WITH DATA;
CREATE MATERIALIZED VIEW not_filled WITH (toast.autovacuum_enabled = false) AS SELECT u.name FROM users AS u JOIN posts AS p ON p.author = u.id WITH NO DATA;

-- All that these objects are; views and functions keep their OIDs.
CREATE VIEW state AS
WITH relations AS (SELECT * FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname NOT IN ('before', 'state')),
objects (classid, objid, objsubid, properties) AS (
    SELECT 'pg_class'::regclass, oid, 0, (CASE relkind WHEN 'v' THEN oid END, relowner, relacl, reloptions, relispopulated, relreplident,
                                          (SELECT t.reloptions FROM pg_class AS t WHERE t.oid = relations.reltoastrelid),
                                          CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(oid) END)::text
    FROM relations WHERE relkind IN ('r', 'v', 'm')
    UNION ALL
    SELECT 'pg_class'::regclass, a.attrelid, a.attnum, (format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, coalesce(a.attstattarget, -1), a.attacl,
                                                        a.attcollation, a.attstorage, a.attcompression, pg_get_expr(d.adbin, d.adrelid))::text
    FROM relations AS r JOIN pg_attribute AS a ON a.attrelid = r.oid LEFT JOIN pg_attrdef AS d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
    WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attname NOT LIKE '%\_shadow'
    UNION ALL
    SELECT 'pg_class'::regclass, i.indexrelid, 0, (pg_get_indexdef(i.indexrelid), i.indisclustered, i.indisreplident, i.indisvalid)::text
    FROM relations AS r JOIN pg_index AS i ON i.indrelid = r.oid
    UNION ALL
    SELECT 'pg_rewrite'::regclass, w.oid, 0, pg_get_ruledef(w.oid) FROM relations AS r JOIN pg_rewrite AS w ON w.ev_class = r.oid WHERE w.rulename <> '_RETURN'
    UNION ALL
    SELECT 'pg_proc'::regclass, oid, 0, (oid, proacl, proowner, pg_get_functiondef(oid))::text FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND probin IS NULL AND prokind <> 'a' AND proname <> 'changes'
    UNION ALL
    SELECT 'pg_trigger'::regclass, t.oid, 0, (pg_get_triggerdef(t.oid), t.tgenabled)::text
    FROM relations AS r JOIN pg_trigger AS t ON t.tgrelid = r.oid WHERE NOT t.tgisinternal AND t.tgname NOT LIKE '%\_shadow'
    UNION ALL
    SELECT 'pg_policy'::regclass, p.oid, 0, (p.oid, p.polcmd, p.polroles, p.polpermissive, pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))::text
    FROM relations AS r JOIN pg_policy AS p ON p.polrelid = r.oid
    UNION ALL
    SELECT 'pg_constraint'::regclass, k.oid, 0, (pg_get_constraintdef(k.oid), k.convalidated)::text
    FROM relations AS r JOIN pg_constraint AS k ON k.conrelid = r.oid WHERE k.conname NOT LIKE '%\_shadow'
    UNION ALL
    SELECT 'pg_statistic_ext'::regclass, oid, 0, (pg_get_statisticsobjdef(oid), coalesce(stxstattarget, -1))::text FROM pg_statistic_ext
)
SELECT pg_describe_object(o.classid, o.objid, o.objsubid) AS object, o.properties, d.description AS comment
FROM objects AS o LEFT JOIN pg_description AS d ON (d.classoid, d.objoid, d.objsubid) = (o.classid, o.objid, o.objsubid);
CREATE VIEW contents AS
SELECT u.name, p.title, c.count, uuid_version(u.id) AS version, author(p.n) = u.id AND a.id = u.id AND t.id = u.id AND m.id = u.id AND s.id = u.id AS same
FROM users AS u JOIN posts AS p ON p.author = u.id JOIN authors AS a USING (title) JOIN titles AS t USING (title) JOIN counts AS c ON c.id = u.id
JOIN most AS m ON m.id = u.id JOIN stored AS s ON s.title = p.title;
CREATE TABLE before AS SELECT * FROM state;
CREATE FUNCTION changes() RETURNS TABLE (object text, properties text) LANGUAGE sql AS $$
    (SELECT '- ' || object, properties || coalesce(comment, '') FROM before EXCEPT ALL SELECT '- ' || object, properties || coalesce(comment, '') FROM state)
    UNION ALL
    (SELECT '+ ' || object, properties || coalesce(comment, '') FROM state EXCEPT ALL SELECT '+ ' || object, properties || coalesce(comment, '') FROM before)
    ORDER BY 1
$$;
