-- What a migration has to remember from one statement to the next.

-- How far each backfill has come: committed with each batch, so that it goes on from there and that other
-- sessions can watch it. Who owns a table sees and writes its rows.
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

-- What the default of a column was before it was changed, so that this can be undone.
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
-- Not those of temporary tables and of tables that are gone.
SELECT pg_catalog.pg_extension_config_dump('former_defaults',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation AND c.relpersistence <> ''t'')');

-- Between the exchange and their validation, only these rows tell them from those that were NOT VALID
-- before. Those of a partitioned table are kept by its partitions until then: PostgreSQL knows no NOT VALID
-- foreign keys of a partitioned table before version 18.
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
