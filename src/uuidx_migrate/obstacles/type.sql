-- What stands in the way of another type of a column: whatever reads its values.

-- Whether an expression reads more of a column of its table than whether it is null. IS NULL, num_nulls and
-- num_nonnulls mean the same for every type, and so does OLD.* IS DISTINCT FROM NEW.*.
CREATE OR REPLACE FUNCTION reads_value(classid oid, objid oid, attnum smallint) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM expression_facts(classid, objid) AS f
               WHERE f.fact <> 'null test' AND (f.attnum = reads_value.attnum OR f.attnum = 0 AND f.transition IS NULL));

-- Part of obstacles_of_type: the columns and their defaults.
CREATE OR REPLACE FUNCTION type_obstacles_of_columns(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('column %I of table %s is of type %s, which is too short for a UUID', c.name, c.member, format_type(a.atttypid, a.atttypmod)),
           'Make it longer.'
    FROM unnest((m).columns) AS c, pg_attribute AS a
    -- A ULID has 26 characters. The server adds 4 to the length.
    WHERE a.attrelid = c.member AND a.attnum = c.attnum AND a.atttypid = ANY (text_types())
      AND a.atttypmod BETWEEN 4 AND 29
    UNION ALL
    SELECT c.root, c.name, format('default %s of column %I of table %s, which is not the call of a function that returns uuid, nor a UUID', (d.old).expression, c.name, c.member),
           CASE WHEN (c.root, c.name) = ((m).relation, (m).column_name) THEN 'Name a function for the new default with new_default.'
                ELSE 'Drop the default, and set another one afterwards.' END
    FROM unnest((m).defaults) AS d, unnest((m).columns) AS c
    WHERE c.member = d.member AND c.name = d.name AND d.new_default IS NULL
      AND NOT (keeps_former((m).conversion) AND (is_key(m, c) OR (d.old).constant IS NOT NULL OR (d.old).is_null));
END;

-- What to do about an object that may compare a column with another. Left out, that one would have keys of no row
-- afterwards.
CREATE OR REPLACE FUNCTION hint_of_reader() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'Name in also each column of the same keys that it compares with this one. If it is an obstacle all the same, '
       'drop it, and create it for the new type afterwards.';

-- Part of obstacles_of_type: indexes and statistics.
CREATE OR REPLACE FUNCTION type_obstacles_of_indexes(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT c.root, c.name, c.attnum, i.*, x.relam, a.attcollation
        FROM unnest((m).columns) AS c, pg_index AS i, pg_class AS x, pg_attribute AS a
        WHERE i.indrelid = c.member AND x.oid = i.indexrelid AND a.attrelid = c.member AND a.attnum = c.attnum
          AND NOT EXISTS (SELECT FROM pg_inherits AS h WHERE h.inhrelid = i.indexrelid)
    ),
    keys AS MATERIALIZED (
        SELECT i.root, i.name, i.indexrelid, i.relam, i.attcollation, i.indclass[k.n] AS opclass, i.indcollation[k.n] AS collation
        FROM indexes AS i, LATERAL generate_series(0, i.indnkeyatts - 1) AS k (n) WHERE i.indkey[k.n] = i.attnum
    )
    SELECT i.root, i.name, format('index %s reads the values of column %I in an expression or its predicate', i.indexrelid::regclass, i.name),
           hint_of_reader()
    FROM indexes AS i WHERE reads_value('pg_index'::regclass, i.indexrelid, i.attnum)
    UNION ALL
    SELECT k.root, k.name, format('index %s has operator class %I, which the new type does not have', k.indexrelid::regclass, o.opcname),
           CASE WHEN reads_texts((m).conversion) THEN 'Drop it: a column of type uuid is not searched by a pattern.' ELSE 'Drop it, and create another one afterwards.' END
    FROM keys AS k, pg_opclass AS o
    WHERE o.oid = k.opclass
      AND (NOT o.opcdefault
           OR NOT EXISTS (SELECT FROM pg_opclass AS d
                          WHERE d.opcmethod = k.relam AND d.opcdefault
                            AND d.opcintype = ((m).conversion).new_types[1]))
    UNION ALL
    SELECT k.root, k.name, format('index %s has another collation than column %I', k.indexrelid::regclass, k.name),
           'Drop it, and create it without COLLATE afterwards, unless another index is on the column.'
    FROM keys AS k WHERE k.collation <> k.attcollation
    UNION ALL
    SELECT c.root, c.name, format('statistics object %s.%I reads the values of column %I in an expression', s.stxnamespace::regnamespace, s.stxname, c.name),
           hint_of_reader()
    FROM unnest((m).columns) AS c, pg_statistic_ext AS s
    WHERE s.stxrelid = c.member AND reads_value('pg_statistic_ext'::regclass, s.oid, c.attnum);
END;

-- Whether an index or statistics of a materialized view need the type of one of its columns: an expression reads its values,
-- or there is no default operator class for the new type.
CREATE OR REPLACE FUNCTION matview_needs_type(view regclass, attnum smallint, new_type regtype) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM pg_statistic_ext AS s WHERE s.stxrelid = view AND reads_value('pg_statistic_ext'::regclass, s.oid, matview_needs_type.attnum))
        OR EXISTS (SELECT FROM pg_index AS i, pg_class AS x
                   WHERE x.oid = i.indexrelid AND i.indrelid = view
                     AND (reads_value('pg_index'::regclass, i.indexrelid, matview_needs_type.attnum)
                          OR EXISTS (SELECT FROM generate_series(0, i.indnkeyatts - 1) AS k (n), pg_opclass AS o
                                     WHERE o.oid = i.indclass[k.n] AND i.indkey[k.n] = matview_needs_type.attnum
                                       AND (NOT o.opcdefault OR NOT EXISTS (SELECT FROM pg_opclass AS d
                                                WHERE d.opcmethod = x.relam AND d.opcdefault AND d.opcintype = matview_needs_type.new_type)))));
END;

-- Dependents that do more with the values of migrated columns than pass them on. What a view passes on is a column whose
-- type changes, too.
CREATE OR REPLACE FUNCTION dependents_that_need_type(m migration) RETURNS SETOF dependent
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    relations oid[];
    columns smallint[];
    d uuidx_migrate_steps.dependent;
    passed smallint[];
BEGIN
    SELECT array_agg(c.member), array_agg(c.attnum) INTO relations, columns FROM unnest(m.columns) AS c;
    FOREACH d IN ARRAY m.dependents LOOP
        CONTINUE WHEN d.kind = 'trigger'; -- It gets its columns in UPDATE OF again; obstacles_of_readers looks at its WHEN.
        passed := CASE WHEN d.kind <> 'generated column' THEN uuidx_migrate_steps.passed_columns(d.classid, d.objid, relations, columns) END;
        IF passed IS NULL
           OR EXISTS (SELECT FROM unnest(passed) AS p WHERE uuidx_migrate_steps.matview_needs_type(d.relation, p, (m.conversion).new_types[1])) THEN
            RETURN NEXT d;
        ELSE
            relations := relations || array_fill(d.relation::oid, ARRAY[cardinality(passed)]);
            columns := columns || passed;
        END IF;
    END LOOP;
END
$$;

-- Part of obstacles_of_type: views, functions, triggers, constraints and the like.
CREATE OR REPLACE FUNCTION type_obstacles_of_readers(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name, d.description || CASE WHEN d.kind = 'generated column' THEN ' reads a column whose type changes'
                                                                ELSE ' does more with a column whose type changes than return, compare or count its values' END,
           CASE d.kind WHEN 'generated column' THEN 'Copy its values to another column if you need them, drop it, and add it '
                                                    'for the new type afterwards.'
                       WHEN 'function' THEN hint_of_reader() || ' One with its body in a string is not in the way.'
                       ELSE hint_of_reader() END
    FROM dependents_that_need_type(m) AS d
    UNION ALL
    SELECT (m).relation, (m).column_name, format('%s, which has %s', d.description, p.property), 'Drop it, and create it again afterwards.'
    FROM unnest((m).dependents) AS d, LATERAL (
        SELECT 'a default of a column' WHERE EXISTS (SELECT FROM pg_attrdef AS a WHERE a.adrelid = d.relation)
        UNION ALL
        SELECT pg_describe_object('pg_trigger'::regclass, t.oid, 0) FROM pg_trigger AS t WHERE t.tgrelid = d.relation
        UNION ALL
        SELECT pg_describe_object('pg_rewrite'::regclass, w.oid, 0) FROM pg_rewrite AS w WHERE w.ev_class = d.relation AND w.rulename <> '_RETURN'
        UNION ALL
        SELECT 'its place in an extension' WHERE EXISTS (SELECT FROM pg_depend AS e WHERE (e.classid, e.objid) = ('pg_class'::regclass, d.relation) AND e.deptype = 'e')
        UNION ALL
        SELECT 'a security label' WHERE EXISTS (SELECT FROM pg_seclabel AS l WHERE (l.classoid, l.objoid) = ('pg_class'::regclass, d.relation))
    ) AS p (property)
    WHERE d.kind = 'view'
    UNION ALL
    SELECT c.root, c.name, format('trigger %I of table %s reads column %I in WHEN', t.tgname, c.member, c.name),
           hint_of_reader()
    FROM unnest((m).columns) AS c, pg_trigger AS t
    WHERE t.tgrelid = c.member AND t.tgparentid = 0 AND NOT is_own_trigger(t.tgfoid)
      AND reads_value('pg_trigger'::regclass, t.oid, c.attnum)
    UNION ALL
    SELECT c.root, c.name, format('constraint %I of table %s reads the values of column %I', k.conname, c.member, c.name),
           CASE WHEN reads_texts((m).conversion) AND k.conkey = ARRAY[c.attnum] THEN 'Drop it if it proves how a UUID is written: the type uuid does.'
                ELSE hint_of_reader() END
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND k.contype = 'c' AND k.coninhcount = 0
      AND reads_value('pg_constraint'::regclass, k.oid, c.attnum)
      AND NOT EXISTS (SELECT FROM unnest((m).columns) AS o WHERE o.member = c.member AND k.conname = trigger_name(o.name));
END;

-- Part of obstacles: what a conversion that changes the type of columns needs.
CREATE OR REPLACE FUNCTION obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM type_obstacles_of_columns(m) AS o
    UNION ALL
    SELECT o.* FROM type_obstacles_of_indexes(m) AS o
    UNION ALL
    SELECT o.* FROM type_obstacles_of_readers(m) AS o;
END;

-- Part of plan, not of script: what would stop the script once it reads the rows.
CREATE OR REPLACE FUNCTION obstacles_of_texts(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (
        SELECT c.root, c.name
        FROM unnest((m).columns) AS c, pg_class AS t
        WHERE t.oid = c.member AND c.member = c.root AND t.relkind IN ('r', 'p') AND c.type = ANY (text_types())
          AND (reads_texts((m).conversion) OR holds_texts((m).conversion, c.type))
          AND has_table_privilege(c.root, 'SELECT') AND may_read((m).columns, ((m).choices).trust_owners)
          AND shadow_conversion(c.root, c.name) IS NULL
    )
    SELECT c.root, c.name, format('texts that stand for no UUID: %s; one of them is "%s"', t.others, t.example), 'Correct or delete these rows.'
    FROM columns AS c, LATERAL uuid_texts(c.root, c.name, ((m).choices).trust_owners) AS t WHERE t.others > 0 AND reads_texts((m).conversion)
    UNION ALL
    SELECT c.root, c.name, format('texts that stand for no UUID in one case: %s; one of them is "%s"', t.others, t.example),
           'Correct or delete these rows, or have such texts stay as they are with other_values => ''keep''.'
    FROM columns AS c, LATERAL other_values(c.root, c.name, NULL::integer, NULL::regclass, NULL::name, ((m).choices).trust_owners) AS t
    WHERE t.others > 0 AND NOT reads_texts((m).conversion) AND ((m).choices).other_values = 'error'
    UNION ALL
    SELECT c.root, c.name, format('different texts for the same UUID, which index %s must not have: %s; for one of them there are %s', s.index, s.groups, s.example),
           'Decide which of the rows stays, and have what references the others reference that one.'
    FROM columns AS c, LATERAL same_uuids(c.root, c.name, ((m).choices).trust_owners) AS s WHERE s.groups > 0 AND reads_texts((m).conversion);
END;
