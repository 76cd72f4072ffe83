-- What is tied to a column: referencing and referenced columns, and partitions.

-- The topmost partitioned table stands for its partitions.
CREATE OR REPLACE FUNCTION root(relation oid) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce(pg_partition_root(relation::regclass), relation::regclass);
COMMENT ON FUNCTION root(oid) IS
'topmost partitioned table of a partition, and any other relation itself';

CREATE OR REPLACE FUNCTION tied_columns(INOUT relation regclass, INOUT column_name name) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE pairs AS (
        SELECT root(conrelid) AS referencing, a.attname AS referencing_column,
               root(confrelid) AS referenced, b.attname AS referenced_column
        FROM pg_constraint
        CROSS JOIN LATERAL ROWS FROM (unnest(conkey), unnest(confkey)) AS k (referencing, referenced)
        JOIN pg_attribute AS a ON a.attrelid = conrelid AND a.attnum = k.referencing
        JOIN pg_attribute AS b ON b.attrelid = confrelid AND b.attnum = k.referenced
        WHERE contype = 'f'
    ),
    ties (relation, column_name, other_relation, other_column) AS (
        SELECT referencing, referencing_column, referenced, referenced_column FROM pairs
        UNION
        SELECT referenced, referenced_column, referencing, referencing_column FROM pairs
    ),
    tied (relation, column_name) AS (
        SELECT root(tied_columns.relation), tied_columns.column_name
        UNION
        SELECT ties.other_relation, ties.other_column
        FROM tied JOIN ties ON ties.relation = tied.relation AND ties.column_name = tied.column_name
    )
    SELECT tied.relation, tied.column_name FROM tied;
END;
COMMENT ON FUNCTION tied_columns(regclass, name) IS
'all columns that are tied to a column by foreign keys, in either direction and however many steps away, and itself';

CREATE OR REPLACE FUNCTION member_tables(relation regclass, column_name name)
RETURNS TABLE (member regclass, attnum smallint)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT a.attrelid::regclass, a.attnum
    FROM pg_attribute AS a
    WHERE a.attname = column_name AND NOT a.attisdropped
      AND (a.attrelid = relation OR a.attrelid IN (SELECT relid FROM pg_partition_tree(relation)));
END;
COMMENT ON FUNCTION member_tables(regclass, name) IS
'a table and its partitions, with the number of a column in each';
