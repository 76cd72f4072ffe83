-- What a conversion costs, for the estimates of a script.

-- The rows of the table of former keys that an offline script makes.
CREATE OR REPLACE FUNCTION former_key_count(m migration) RETURNS numeric
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT coalesce(max(greatest(k.reltuples, 0)), 0)::numeric
        FROM pg_class AS k WHERE k.oid = (m).relation AND ((m).conversion).is_looked_up);

-- Part of estimates: by how many octets a value and its entry in an index grow, and how many the index of both keys
-- has, which an online script builds; how many times sort_time a rewrite takes to convert a value, or to look it up in
-- memory, and how many the triggers take.
CREATE OR REPLACE FUNCTION costs(
    c conversion, OUT growth numeric, OUT pairs numeric, OUT convert numeric, OUT fill numeric
)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN NOT (c).changes_type THEN 0
                WHEN (c).keeps_former THEN CASE WHEN (c).only_undoes THEN -25 ELSE 25 END
                WHEN (c).reads_texts THEN -45 ELSE 45 END,
           CASE WHEN (c).is_looked_up THEN 40 ELSE 0 END,
           CASE WHEN (c).is_looked_up OR (c).changes_type THEN 0.7 ELSE 0.15 END,
           CASE WHEN (c).is_looked_up THEN 3.1 WHEN (c).reads_texts THEN 2.3 ELSE 0.9 END;
END;
