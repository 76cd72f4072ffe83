-- What an offline script calls.

-- PostgreSQL names the indexes of partitions anew when it rebuilds those of their table. Where two of a partition take
-- each other's name, the second gets its own by the call for its own parent.
CREATE OR REPLACE FUNCTION name_partition_indexes(parent regclass, partitions regclass[], names name[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    i record;
BEGIN
    FOR i IN
        SELECT x.indexrelid::regclass AS index, n.name, o.oid::regclass AS other
        FROM unnest(partitions, names) AS n (partition, name)
        JOIN pg_index AS x ON x.indrelid = n.partition
        JOIN pg_inherits AS h ON h.inhrelid = x.indexrelid AND h.inhparent = parent
        JOIN pg_class AS c ON c.oid = x.indexrelid AND c.relname <> n.name
        LEFT JOIN (pg_class AS o JOIN pg_index AS y ON y.indexrelid = o.oid)
        ON (y.indrelid, o.relnamespace, o.relname) = (n.partition, c.relnamespace, n.name)
    LOOP
        IF i.other IS NOT NULL THEN
            EXECUTE format('ALTER INDEX %s RENAME TO %I', i.other, 'uuidx_migrate_' || i.other::oid);
        END IF;
        EXECUTE format('ALTER INDEX %s RENAME TO %I', i.index, i.name);
    END LOOP;
END
$$;
COMMENT ON FUNCTION name_partition_indexes(regclass, regclass[], name[]) IS
'gives the indexes of partitions, which are part of an index of their table, these names';
