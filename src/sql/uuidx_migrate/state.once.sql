-- What a migration remembers from one statement to the next.

-- The progress of each backfill, committed with each batch: the backfill resumes there, and other sessions can watch
-- it. A table's owner sees and writes its rows.
CREATE TABLE backfills (
    relation       regclass,
    from_column    name,
    to_column      name,
    blocks         bigint NOT NULL,             -- of the table, when this pass over it began
    next_block     bigint NOT NULL DEFAULT 0,
    filled         bigint NOT NULL DEFAULT 0,   -- rows
    resumed        timestamptz NOT NULL,        -- by the last CALL, at this block and number of rows
    resumed_block  bigint NOT NULL DEFAULT 0,
    resumed_filled bigint NOT NULL DEFAULT 0,
    updated        timestamptz NOT NULL,
    finished       timestamptz,
    PRIMARY KEY (relation, from_column, to_column)
);
COMMENT ON TABLE backfills IS
'how far the backfills of shadow columns have come';
ALTER TABLE backfills ENABLE ROW LEVEL SECURITY;
CREATE POLICY owner ON backfills
USING (EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND pg_has_role(c.relowner, 'USAGE')));
GRANT SELECT, INSERT, UPDATE, DELETE ON backfills TO PUBLIC;

-- Defaults before a migration changed them, so that it can be undone.
CREATE TABLE former_defaults (
    relation    regclass,
    column_name name,
    expression  text NOT NULL CHECK (generates(expression, 'uuid_generate_v1|uuid_generate_v1mc')),
    PRIMARY KEY (relation, column_name)
);
COMMENT ON TABLE former_defaults IS
'defaults of columns before a migration changed them';
CREATE TRIGGER check_owner BEFORE INSERT OR UPDATE OR DELETE ON former_defaults
    FOR EACH ROW EXECUTE FUNCTION check_owner();
GRANT SELECT, INSERT, UPDATE, DELETE ON former_defaults TO PUBLIC;
-- Do not dump rows for temporary or dropped tables.
SELECT pg_catalog.pg_extension_config_dump('former_defaults',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation AND c.relpersistence <> ''t'')');

-- Between the exchange and validation, only these rows tell the migration's foreign keys from those that were NOT VALID
-- before. Until then, partitions have the foreign keys of their partitioned table, because a partitioned table cannot
-- have NOT VALID ones before PostgreSQL 18.
CREATE TABLE unfinished_foreign_keys (
    relation   regclass,
    name       name,
    definition text CHECK (definition ~ '^FOREIGN KEY [^;]*$'), -- to be added; NULL: to be validated
    comment    text,
    PRIMARY KEY (relation, name)
);
COMMENT ON TABLE unfinished_foreign_keys IS
'foreign keys that a migration has still to validate or to add';
CREATE TRIGGER check_owner BEFORE INSERT OR UPDATE OR DELETE ON unfinished_foreign_keys
    FOR EACH ROW EXECUTE FUNCTION check_owner();
GRANT SELECT, INSERT, UPDATE, DELETE ON unfinished_foreign_keys TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('unfinished_foreign_keys',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation AND c.relpersistence <> ''t'')');
