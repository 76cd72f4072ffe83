-- What stands in the way of a conversion: keys that it does not convert, and what it needs of them.

-- Part of obstacles_of_conversion: what a conversion that looks keys up needs of the key.
CREATE OR REPLACE FUNCTION obstacles_of_key(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH candidates AS MATERIALIZED (SELECT k.*
                                     FROM key_candidates((m).relation, (m).columns, ((m).choices).also) AS k),
    keys AS MATERIALIZED (SELECT c.*, t.relkind FROM unnest((m).columns) AS c, pg_class AS t
                          WHERE c.member = c.root AND is_key(m, c) AND t.oid = c.member)
    SELECT (m).relation, (m).column_name,
           'no column is the key that the others reference: they reference each other in a circle',
           'Drop one of the foreign keys, name its columns in also of the key that they reference, and add it again '
           'afterwards.'
    WHERE NOT EXISTS (SELECT FROM candidates)
    UNION ALL
    SELECT k.relation, k.column_name,
           format('column %I of table %s is one of several keys that the same columns reference',
                  k.column_name, k.relation),
           'Drop the foreign keys to all of them but one, name the others in also, and add the foreign keys again '
           'afterwards.'
    FROM candidates AS k WHERE (SELECT count(*) > 1 FROM candidates)
    UNION ALL
    SELECT c.root, c.name, format('key %I is in the partitioned table %s', c.name, c.root),
           'If the column references a key, name it in also of that key. Otherwise, copy the rows into a table that is '
           'not partitioned, give that the name of this one, and migrate it; or partition it by the new key afterwards.'
    FROM keys AS c WHERE c.relkind = 'p'
    UNION ALL
    SELECT c.root, c.name, format('no unique index is on column %I of table %s alone', c.name, c.root),
           'If the column references a key, name it in also of that key. Otherwise, create one.'
    FROM keys AS c
    WHERE c.relkind <> 'p'
      AND NOT EXISTS (SELECT FROM pg_index AS i
                      WHERE i.indrelid = c.member AND i.indisunique AND i.indimmediate AND i.indisvalid
                        AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = c.attnum);
END;

-- Part of obstacles_of_look_up and rows_without_time: columns that may have the time at which a row was created, as an
-- expression names them; NULL if there are none.
CREATE OR REPLACE FUNCTION times_of(relation regclass) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT ', such as ' || string_agg(quote_ident(a.attname), ' or ' ORDER BY a.attname ~* 'cr' DESC, a.attnum)
        FROM pg_attribute AS a
        WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = 'timestamptz'::regtype);

-- Part of obstacles_of_look_up and rows_without_time: whether nothing says when rows were created, which need a time:
-- no expression of some fits the table, or none is given, and the key is a number. A UUID may have the time itself.
CREATE OR REPLACE FUNCTION lacks_created(m migration) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((m).conversion).reads_times AND ((m).choices).created IS NULL
       AND ((m).created_columns IS NOT NULL OR ((m).conversion).keeps_former)
       AND ((m).choices).rows_without_time = 'error';

-- Part of obstacles_of_conversion: what it needs of the columns that reference the key, of creation times and of names.
CREATE OR REPLACE FUNCTION obstacles_of_look_up(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('foreign key %I of table %s, which is not validated', f.conname, f.conrelid::regclass),
           'Validate it, or, if it is NOT ENFORCED, drop it and name the column in also.'
    FROM unnest((m).columns) AS c, pg_constraint AS f
    WHERE f.conrelid = c.member AND c.attnum = ANY (f.conkey) AND f.contype = 'f' AND f.conparentid = 0
      AND NOT f.convalidated AND NOT has_pair(c.member, c.name, f.conkey) AND c.member = c.root
    UNION ALL
    SELECT c.root, c.name,
           format('foreign key %I of partition %s, which table %s does not have', f.conname, c.member, c.root),
           format('Add it to table %s; or drop it until the migration is finished, and name the column in also.',
                  c.root)
    FROM unnest((m).columns) AS c, pg_constraint AS f, unnest((m).columns) AS k
    WHERE f.conrelid = c.member AND c.attnum = ANY (f.conkey) AND f.contype = 'f' AND f.conparentid = 0
      AND NOT has_pair(c.member, c.name, f.conkey) AND c.member <> c.root
      AND f.confrelid = k.member AND k.attnum = ANY (f.confkey)
      AND NOT EXISTS (SELECT FROM unnest((m).columns) AS r, pg_constraint AS o
                      WHERE (r.member, r.name) = (c.root, c.name) AND o.conrelid = r.member
                        AND r.attnum = ANY (o.conkey) AND o.confrelid = f.confrelid)
    UNION ALL
    SELECT c.root, c.name,
           format('the time at which a row was created comes from column %I, which is migrated too', c.name),
           'Name another expression with created.'
    FROM unnest((m).columns) AS c
    WHERE c.root = (m).relation AND c.member = c.root AND c.attnum = ANY ((m).created_columns)
    UNION ALL
    SELECT (m).relation, (m).column_name,
           CASE WHEN (m).created_columns IS NOT NULL THEN format('no expression in created fits table %s', (m).relation)
                ELSE format('nothing says when a row of table %s was created', (m).relation) END,
           concat('Name an expression with created', times_of((m).relation),
                  '; or have its rows get the time 1970-01-01 with rows_without_time => ''epoch''.')
    WHERE lacks_created(m)
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('table %s has the former keys of a migration that is not finished', map_of(m)),
           'Finish that migration first, or undo it.'
    WHERE ((m).conversion).makes_keys AND map_of(m) IS NOT NULL
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('%s has a name that the migration needs', pg_describe_object(n.classid, n.oid, 0)),
           'Rename it, or finish the migration that it belongs to.'
    FROM pg_class AS t, LATERAL (
        SELECT 'pg_proc'::regclass, p.oid FROM pg_proc AS p
        WHERE p.pronamespace = t.relnamespace AND p.proname = key_object_name(m, 'created')
          AND p.pronargs = 1 AND p.proargtypes[0] = t.reltype
        UNION ALL
        SELECT 'pg_class'::regclass, c.oid FROM pg_class AS c
        WHERE c.relnamespace = t.relnamespace AND c.relname = key_object_name(m, 'former') AND map_of(m) IS NULL
    ) AS n (classid, oid)
    WHERE t.oid = (m).relation AND ((m).conversion).makes_keys
      AND shadow_conversion((m).relation, (m).column_name) IS NULL;
END;

-- Part of obstacles_of_conversion: what an undo needs that looks former keys up.
CREATE OR REPLACE FUNCTION obstacles_of_undo(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('column %I of table %s came to reference the key after the cutover', c.name, c.root),
           'Finish the migration; '
           'or drop the foreign key, undo the migration, and give the column the former keys by hand.'
    FROM unnest((m).columns) AS c
    WHERE c.member = c.root
      AND shadow_conversion((m).relation, (m).column_name) IS NOT NULL AND shadow_conversion(c.root, c.name) IS NULL
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('nothing says which keys column %I of table %s had before', (m).column_name, (m).relation),
           'Only a migration that is not finished can be undone. '
           'If the column has another name since, give it its former one.'
    WHERE shadow_conversion((m).relation, (m).column_name) IS NULL AND NOT has_former_keys(m)
    UNION ALL
    -- The column of the numbers, which an offline script has left, goes with its undo.
    SELECT (m).relation, (m).column_name,
           format('%s depends on %s, which an undo drops', reader_description(d.classid, d.objid, d.objsubid),
                  pg_describe_object('pg_class'::regclass, a.attrelid, a.attnum)),
           'Drop it.'
    FROM pg_attribute AS a, LATERAL dependents_of('pg_class'::regclass, a.attrelid, a.attnum) AS d
         LEFT JOIN pg_class AS x ON d.classid = 'pg_class'::regclass AND x.oid = d.objid
         LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
         LEFT JOIN pg_attrdef AS e ON d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
    WHERE (a.attrelid, a.attname) = ((m).relation, shadow_name((m).column_name))
      AND has_numbers(m)
      AND (x.relkind = 'S' OR k.contype = 'n' OR k.conname IN (SELECT r.record FROM recorded_columns(m) AS r)
           OR x.oid = index_of_numbers(m)
           OR (e.adrelid, e.adnum) = (a.attrelid, a.attnum)) IS NOT TRUE;
END;

-- Whether the statistics of a key of texts show that most of them stand for no UUID.
CREATE OR REPLACE FUNCTION has_other_texts(m migration) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ((m).conversion).reads_texts AND shadow_conversion((m).relation, (m).column_name) IS NULL
       AND other_texts((m).relation, (m).column_name) IS NOT NULL;

-- Part of obstacles_of_conversion: UUIDs in the statistics of the key that the conversion does not convert, if that is
-- an error or there are no others. Before it says that there are none, it looks for one in the rows.
CREATE OR REPLACE FUNCTION obstacles_of_statistics(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           format('conversion %s does not fit the UUIDs in the statistics of column %I of table %s: %s',
                  ((m).conversion).name, (m).column_name, (m).relation, f.shown),
           concat_ws(' ', coalesce('Use conversion => ' || quote_literal(f.conversion) || '.',
                                   'These keys are in order already.'),
                     CASE WHEN v.converted > 0 THEN 'With other_values => ''keep'', the others stay as they are.' END,
                     format('If the statistics are old, run ANALYZE %s.', (m).relation))
    FROM fitting((m).relation, (m).column_name) AS f,
         LATERAL (SELECT coalesce(sum(s.count) FILTER (WHERE converts_version((m).conversion, s.version)), 0),
                         sum(s.count)
                  FROM unnest(f.versions, f.counts) AS s (version, count)) AS v (converted, total),
         LATERAL (SELECT ((m).conversion).version IS NOT NULL AND ((m).choices).other_values = 'error') AS c (needs_all)
    WHERE NOT ((m).conversion).changes_type AND NOT ((m).conversion).only_undoes AND NOT is_cut_over(m)
      AND CASE WHEN c.needs_all THEN v.converted < v.total
               WHEN v.converted > 0 OR v.total IS NULL THEN false
               ELSE NOT may_read((m).columns, ((m).choices).trust_owners)
                    OR NOT EXISTS (SELECT FROM version_histogram((m).relation, (m).column_name,
                                                                 ((m).choices).trust_owners) AS h
                                   WHERE converts_version((m).conversion, h.version)) END;
END;

-- Part of obstacles_of_conversion: texts of another kind, such as those of nanoid. The key has no other obstacle to its
-- conversion then.
CREATE OR REPLACE FUNCTION obstacles_of_other_texts(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           format('most keys in the statistics of column %I of table %s stand for no UUID, such as "%s"',
                  (m).column_name, (m).relation, o.example),
           format('Leave the key out: give the rows another key of version 7, and keep the texts beside it. '
                  'If the statistics are old, run ANALYZE %s.', (m).relation)
    FROM other_texts((m).relation, (m).column_name) AS o (example)
    WHERE has_other_texts(m);
END;

-- Part of found_in_rows: texts.
CREATE OR REPLACE FUNCTION obstacles_of_texts(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (
        SELECT c.root, c.name
        FROM unnest((m).columns) AS c, pg_class AS t
        WHERE t.oid = c.member AND c.member = c.root AND t.relkind IN ('r', 'p') AND c.type = ANY (text_types())
          AND (((m).conversion).reads_texts OR holds_texts((m).conversion, c.type))
          AND has_table_privilege(c.root, 'SELECT') AND may_read((m).columns, ((m).choices).trust_owners)
          AND shadow_conversion(c.root, c.name) IS NULL AND NOT has_other_texts(m)
    )
    SELECT c.root, c.name,
           format('texts that stand for no UUID: %s; one of them is "%s"', t.others, t.example),
           'Correct these rows, or set the column to NULL in those that mean none.'
    FROM columns AS c, LATERAL uuid_texts(c.root, c.name, ((m).choices).trust_owners) AS t
    WHERE t.others > 0 AND ((m).conversion).reads_texts
    UNION ALL
    SELECT c.root, c.name,
           format('texts that stand for no UUID in one case: %s; one of them is "%s"', t.others, t.example),
           'Correct these rows, or have such texts stay as they are with other_values => ''keep''.'
    FROM columns AS c,
         LATERAL other_values(c.root, c.name, NULL::integer, NULL::regclass, NULL::name, ((m).choices).trust_owners)
         AS t
    WHERE t.others > 0 AND NOT ((m).conversion).reads_texts AND ((m).choices).other_values = 'error'
    UNION ALL
    SELECT c.root, c.name,
           format('different texts for the same UUID, which index %s must not have: %s; for one of them there are %s',
                  s.index, s.groups, s.example),
           'Decide which of the rows stays, and have what references the others reference that one.'
    FROM columns AS c, LATERAL same_uuids(c.root, c.name, ((m).choices).trust_owners) AS s
    WHERE s.groups > 0 AND ((m).conversion).reads_texts;
END;

-- Part of found_in_rows: rows that lack a creation time. Where they may, there is no hint.
CREATE OR REPLACE FUNCTION rows_without_time(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           format('rows without a creation time of 1970 or later: %s; with one to come: %s; '
                  'one of them has the key "%s"', t.without_time, t.future, t.example),
           CASE WHEN ((m).choices).rows_without_time = 'error' AND t.without_time > 0
                     OR ((m).choices).future_rows = 'error' AND t.future > 0
                THEN concat('Name an expression for the time with created',
                            CASE WHEN ((m).choices).created IS NULL THEN times_of((m).relation) END,
                            '; or have such rows get the time 1970-01-01 with rows_without_time or future_rows '
                            '=> ''epoch''.') END
    FROM creation_times((m).relation, (m).column_name, ((m).choices).created, ((m).choices).trust_owners) AS t
    WHERE ((m).conversion).reads_times AND shadow_conversion((m).relation, (m).column_name) IS NULL
      AND may_read((m).columns, ((m).choices).trust_owners)
      AND has_table_privilege((m).relation, 'SELECT') AND t.without_time + t.future > 0
      AND NOT lacks_created(m);
END;

-- What stops the script once it reads the rows, with a hint; and what is only to be known.
CREATE OR REPLACE FUNCTION found_in_rows(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT o.* FROM obstacles_of_texts(m) AS o
    UNION ALL
    SELECT o.* FROM rows_without_time(m) AS o;
END;

-- Part of obstacles.
CREATE OR REPLACE FUNCTION obstacles_of_conversion(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM obstacles_of_statistics(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_defaults(m) AS o WHERE NOT has_other_texts(m)
    UNION ALL
    SELECT o.* FROM obstacles_of_key(m) AS o WHERE ((m).conversion).is_looked_up
    UNION ALL
    SELECT o.* FROM obstacles_of_look_up(m) AS o WHERE ((m).conversion).is_looked_up
    UNION ALL
    SELECT o.* FROM obstacles_of_undo(m) AS o WHERE ((m).conversion).only_undoes
    UNION ALL
    SELECT o.* FROM obstacles_of_type(m) AS o WHERE ((m).conversion).changes_type AND NOT has_other_texts(m)
    UNION ALL
    SELECT o.* FROM obstacles_of_other_texts(m) AS o;
END;
