-- The key of a migration: which column it is, which others reference it, and the names of what belongs to it.

-- Whether a column is the key that all others reference.
CREATE OR REPLACE FUNCTION is_key(m migration, c migrated_column) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (c).root = (m).relation AND (c).name = (m).column_name;

-- The columns of those that are migrated that reference no other. A column that the user names in `also` references
-- the key too.
CREATE OR REPLACE FUNCTION key_candidates(first_relation regclass, columns migrated_column[], also text[])
RETURNS TABLE (relation regclass, column_name name)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT c.root, c.name
        FROM unnest(columns) AS c
        WHERE c.member = c.root
          AND NOT EXISTS (SELECT
                          FROM unnest(also) AS a, LATERAL uuidx_migrate_steps.named_column(a, first_relation) AS n
                          WHERE n.root = c.root AND n.column_name = c.name)
        EXCEPT
        SELECT p.root, p.name
        FROM unnest(columns) AS p, pg_constraint AS f,
             LATERAL ROWS FROM (unnest(f.conkey), unnest(f.confkey)) AS k (referencing, referenced),
             unnest(columns) AS r
        WHERE f.contype = 'f' AND (f.conrelid, k.referencing) = (p.member, p.attnum)
          AND (f.confrelid, k.referenced) = (r.member, r.attnum) AND (r.root, r.name) <> (p.root, p.name);
END
$$;

-- Whether a column may reference a key that is written later: of its own table, or if a foreign key waits, or there is
-- none.
CREATE OR REPLACE FUNCTION may_be_late(m migration, c migrated_column) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ((m).conversion).is_looked_up AND NOT is_key(m, c)
       AND ((c).root = (m).relation
            OR NOT EXISTS (SELECT FROM pg_constraint AS f
                           WHERE f.conrelid = (c).root AND f.contype = 'f' AND (c).attnum = ANY (f.conkey)
                             AND NOT f.condeferrable AND (c).member = (c).root));

-- Whether no foreign key can prove the values in a column, as they need not be keys: a polymorphic column, for one,
-- holds keys of several tables; or as they are texts, which also may be written before their keys.
CREATE OR REPLACE FUNCTION lacks_foreign_key(m migration, c migrated_column) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN NOT (c).is_connected AND (((m).choices).other_values = 'keep' OR is_text(m, c));

-- The columns whose values are looked up and no foreign key proves, without those of partitions.
CREATE OR REPLACE FUNCTION columns_without_foreign_key(m migration) RETURNS SETOF migrated_column
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.* FROM unnest((m).columns) AS c
    WHERE ((m).conversion).is_looked_up AND c.member = c.root AND lacks_foreign_key(m, c);
END;

-- Name of an object that belongs to the key: a function, a table or an index.
CREATE OR REPLACE FUNCTION key_object_name(m migration, suffix text) RETURNS name
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(n) + octet_length(suffix) <= 62 THEN n || '_' || suffix
                    ELSE suffix || '_' || md5(n) END
        FROM (SELECT concat(c.relname, '_', (m).column_name) FROM pg_class AS c WHERE c.oid = (m).relation) AS k (n));

-- The same with the schema of the table.
CREATE OR REPLACE FUNCTION key_object(m migration, suffix text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('%s.%I', c.relnamespace::regnamespace, key_object_name(m, suffix))
        FROM pg_class AS c WHERE c.oid = (m).relation);
