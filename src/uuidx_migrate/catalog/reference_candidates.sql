-- The columns that may hold keys of a table.

-- Part of columns_named_after and may_name_table: what the name of a column that references a table ends with, in lower
-- case and without underscores: for customers.id, as in customer_id, customerId, customer or billing_customer_id.
CREATE OR REPLACE FUNCTION endings(table_name name, key_column name) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT lower(replace(regexp_replace(table_name, p.plural, p.singular) || s, '_', ''))
             FROM (VALUES ('$', ''), ('s$', ''), ('es$', ''), ('ies$', 'y')) AS p (plural, singular),
                  unnest(ARRAY[key_column, '']) AS s);

-- Part of columns_named_after: the last word of a name before id, in lower case; NULL if it ends otherwise.
CREATE OR REPLACE FUNCTION last_word(column_name name) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(substring(column_name, '([[:upper:]]?[[:lower:][:digit:]]+)_?[Ii]d$'));

-- Part of columns_named_after: how near a word is to the name of a table: 3 if one is short for the other, as repo for
-- repositories; 2 if the name ends with it, as oauth_applications with application; 1 if the name goes on after it, as
-- application_settings; NULL if it is none of these.
CREATE OR REPLACE FUNCTION nearness(word text, table_name name) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN least(length(word), length(n.name)) < 3 THEN NULL
                    WHEN starts_with(word, n.name) THEN 3
                    WHEN starts_with(n.name, word)
                    THEN CASE WHEN strpos(substr(n.name, length(word) + 1), '_') > 0 THEN 1 ELSE 3 END
                    WHEN right(n.name, length(word) + 1) = '_' || word THEN 2 END
        FROM lower(regexp_replace(table_name, 'e?s$', '')) AS n (name));

-- Part of reference_candidates: the columns of numbers that are named after the key of a table, and not after another
-- table of its schema, whose name says more: parent_company_id does not reference companies if there is a table
-- parent_companies. A name is a guess that is near that of the table, or that does not end as that of the key, as
-- customer or per_customer, or that is only the key's, as code for customers.code; and where the name of another table
-- is as near, there is none. A key that itself is named so after another table is none that others reference, and
-- subject_id beside subject_type references several tables.
CREATE OR REPLACE FUNCTION columns_named_after(key_table regclass, key_column name)
RETURNS TABLE (relation regclass, attnum smallint, is_guess boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH keys AS MATERIALIZED (
        SELECT k.relnamespace, k.relname, endings(k.relname, key_column) AS endings FROM pg_class AS k
        WHERE k.oid = key_table
    ),
    others AS MATERIALIZED (
        SELECT o.relname, endings(o.relname, 'id') AS endings FROM pg_class AS o, keys AS k
        WHERE o.relnamespace = k.relnamespace AND o.relkind IN ('r', 'p') AND o.oid <> key_table
    ),
    columns AS MATERIALIZED (
        SELECT c.oid, a.attnum, a.attname, lower(replace(a.attname, '_', '')) AS name, last_word(a.attname) AS word
        FROM pg_class AS c, pg_attribute AS a, pg_type AS t
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND c.relkind IN ('r', 'p')
          AND NOT c.relispartition AND t.oid = a.atttypid AND a.attidentity = ''
          AND coalesce(nullif(t.typbasetype, 0), t.oid) = ANY ('{smallint,integer,bigint}'::regtype[])
    ),
    named AS MATERIALIZED (
        SELECT c.oid, c.attnum, c.attname, c.name, c.word, e.length, nearness(c.word, k.relname) AS nearness,
               right(c.name, length(f.key)) = f.key AS has_key
        FROM columns AS c, keys AS k, LATERAL (SELECT lower(replace(key_column, '_', ''))) AS f (key),
             LATERAL (SELECT max(length(e)) FROM unnest(k.endings) AS e WHERE right(c.name, length(e)) = e)
             AS e (length)
        WHERE e.length IS NOT NULL OR nearness(c.word, k.relname) IS NOT NULL
           OR key_column <> 'id' AND c.attname = key_column
    )
    SELECT n.oid::regclass, n.attnum, n.length IS NULL OR NOT n.has_key
    FROM named AS n
    WHERE NOT EXISTS (SELECT FROM others AS o, unnest(o.endings) AS e
                      WHERE length(e) > coalesce(n.length, 0) AND right(n.name, length(e)) = e)
      AND NOT (n.length IS NULL
               AND EXISTS (SELECT FROM others AS o WHERE nearness(n.word, o.relname) >= coalesce(n.nearness, 0)))
      AND NOT has_type_column(n.oid, n.attname)
      AND NOT EXISTS (SELECT FROM pg_attrdef AS d, LATERAL references_of('pg_attrdef'::regclass, d.oid, NULL) AS s,
                                  pg_class AS c
                      WHERE (d.adrelid, d.adnum) = (n.oid, n.attnum) AND c.relkind = 'S'
                        AND (s.refclassid, s.refobjid) = ('pg_class'::regclass, c.oid));
END;

-- Part of reference_candidates: the columns that views, policies and functions compare with a key.
CREATE OR REPLACE FUNCTION columns_compared_with(key_table regclass, key_column name)
RETURNS TABLE (relation regclass, attnum smallint)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT c FROM migrated_columns(key_table, key_column, '{}') AS c),
    keys AS MATERIALIZED (SELECT array_agg(c) AS columns, array_agg((c).member::oid) AS relations,
                                 array_agg((c).attnum) AS attnums FROM columns)
    SELECT DISTINCT c.relation, c.attnum
    FROM keys AS k, LATERAL readers(k.columns, true) AS r,
         LATERAL compared_columns(r.classid, r.objid, k.relations, k.attnums) AS c, pg_attribute AS a
    WHERE (a.attrelid, a.attnum) = (c.relation, c.attnum) AND NOT has_type_column(c.relation, a.attname)
      AND r.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_policy'::regclass);
END;

-- Part of find_references: the columns that can be sampled, their type without domains, and the expression for the
-- possible keys in a value v of it, as an array. A UUID may be written in upper case; other keys are compared as they
-- are. Any number looks like a key: only the name of a column tells, and that it references nothing else; or what it is
-- compared with. Views, foreign tables and virtual generated columns have no values that can be read without running
-- code of their owner, and a table whose row security is active for the caller must not show them.
CREATE OR REPLACE FUNCTION reference_candidates(key_table regclass, key_column name)
RETURNS SETOF reference_candidate
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    WITH compared AS MATERIALIZED (SELECT o.* FROM columns_compared_with(key_table, key_column) AS o),
    named AS MATERIALIZED (SELECT o.* FROM columns_named_after(key_table, key_column) AS o)
    SELECT c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), b.type, k.category::"char", k.found,
           k.category = 'N' AND (c.oid, a.attnum) NOT IN (SELECT o.relation, o.attnum FROM compared AS o)
           AND (SELECT o.is_guess FROM named AS o WHERE (o.relation, o.attnum) = (c.oid, a.attnum))
    FROM pg_class AS c, pg_namespace AS n, pg_attribute AS a, pg_type AS t,
         LATERAL (SELECT coalesce(nullif(t.typbasetype, 0), t.oid)) AS b (type),
         (SELECT '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}') AS u (uuid), pg_attribute AS key,
         LATERAL (VALUES ('U', '{uuid}'::regtype[], 'ARRAY[v]'),
                         ('U', '{uuid[]}', 'v'),
                         ('U', '{text,varchar,bpchar}',
                          format('CASE WHEN v::text COLLATE "C" ~* ''^%s$'' THEN ARRAY[v::text::uuid] END', u.uuid)),
                         ('U', '{jsonb}',
                          format('ARRAY(SELECT m[1]::uuid FROM regexp_matches(v::text COLLATE "C", %L, ''gi'') AS m)',
                                 format(E'(?<!\\\\)"(%s)"', u.uuid))),
                         ('S', '{uuid}', 'ARRAY[v::text]'),
                         ('S', '{uuid[],text[],varchar[]}', 'v::text[]'),
                         ('S', '{text,varchar,bpchar}',
                          'CASE WHEN octet_length(v::text) <= 100 THEN ARRAY[v::text] END'),
                         ('S', '{jsonb}',
                          format('ARRAY(SELECT m[1] FROM regexp_matches(v::text, %L, ''g'') AS m)',
                                 '"([^"]{1,100})"')),
                         ('N', '{smallint,integer,bigint}', 'ARRAY[v::bigint]'))
         AS k (category, types, found)
    WHERE n.oid = c.relnamespace AND a.attrelid = c.oid AND a.attnum > 0 AND t.oid = a.atttypid
      AND key.attrelid = key_table AND key.attname = key_column
      AND k.category = (SELECT y.typcategory FROM pg_type AS y WHERE y.oid = key.atttypid)
      AND (k.category <> 'N'
           OR (c.oid, a.attnum) IN (SELECT o.relation, o.attnum FROM compared AS o
                                    UNION ALL SELECT o.relation, o.attnum FROM named AS o)
              AND NOT EXISTS (SELECT FROM pg_constraint AS f
                              WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey)))
      AND b.type = ANY (k.types) AND c.relkind IN ('r', 'p')
      AND NOT c.relispartition AND a.attgenerated <> 'v' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
      AND NOT pg_is_other_temp_schema(n.oid) AND has_schema_privilege(n.oid, 'USAGE')
      AND has_column_privilege(c.oid, a.attnum, 'SELECT') AND NOT row_security_active(c.oid)
      AND (c.oid, a.attname) NOT IN (SELECT m.relation, m.column_name
                                     FROM connected_columns(key_table, key_column) AS m)
    ORDER BY c.oid::regclass::text COLLATE "C", a.attnum;
END;

-- Part of sampled_keys: about 1,000 values of a column, as texts.
CREATE OR REPLACE FUNCTION sampled_values(relation regclass, column_name name) RETURNS SETOF text
AS 'MODULE_PATHNAME', 'uuidx_sampled_values'
LANGUAGE C STABLE STRICT;

-- Part of sampled_keys: the values of an array that a column has.
CREATE OR REPLACE FUNCTION values_found(relation regclass, column_name name, candidates anyarray) RETURNS anyarray
AS 'MODULE_PATHNAME', 'uuidx_values_found'
LANGUAGE C STABLE STRICT;

-- Part of sampled_keys: the keys among some values, as texts. Text of a number or a UUID is what its type writes.
CREATE OR REPLACE FUNCTION keys_among(key_table regclass, key_column name, category "char", candidates text[])
RETURNS text[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN CASE category
        WHEN 'U' THEN uuidx_migrate_steps.values_found(key_table, key_column, candidates::uuid[])::text[]
        WHEN 'N' THEN uuidx_migrate_steps.values_found(key_table, key_column, candidates::bigint[])::text[]
        ELSE uuidx_migrate_steps.values_found(key_table, key_column, candidates) END;
END
$$;

-- Part of find_references: a sample of a candidate: how many values there are, how many of them are or contain a key,
-- and how many different ones they are or contain.
CREATE OR REPLACE FUNCTION sampled_keys(
    key_table regclass, key_column name, candidate reference_candidate,
    OUT sampled bigint, OUT keys bigint, OUT different bigint
)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    numbers bigint[];
    candidates text[];
BEGIN
    EXECUTE format('SELECT array_agg(s.number), array_agg(u.value::text)
                    FROM unnest($1) WITH ORDINALITY AS s (text, number)
                         CROSS JOIN LATERAL (SELECT s.text::%s) AS t (v)
                         LEFT JOIN LATERAL unnest(%s) AS u (value) ON true',
                   format_type(candidate.base_type, -1), candidate.found)
    INTO numbers, candidates
    USING ARRAY(SELECT v FROM uuidx_migrate_steps.sampled_values(candidate.source, candidate.name) AS v);
    SELECT count(DISTINCT c.number), count(DISTINCT c.number) FILTER (WHERE k IS NOT NULL), count(DISTINCT c.value)
    INTO sampled, keys, different
    FROM ROWS FROM (unnest(numbers), unnest(candidates)) AS c (number, value)
         LEFT JOIN unnest(uuidx_migrate_steps.keys_among(
                              key_table, key_column, candidate.category,
                              ARRAY(SELECT DISTINCT v FROM unnest(candidates) AS v WHERE v IS NOT NULL))) AS k
         ON k = c.value;
END
$$;
