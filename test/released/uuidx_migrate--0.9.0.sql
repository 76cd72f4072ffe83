-- A version that never was: for a test of updates. It has the tables, of which one lacks a column, and few functions.

CREATE SCHEMA uuidx_migrate;
GRANT USAGE ON SCHEMA uuidx_migrate TO PUBLIC;
SET LOCAL search_path = uuidx_migrate, pg_catalog, pg_temp;

CREATE FUNCTION uuid_version(uuid) RETURNS smallint
AS 'MODULE_PATHNAME', 'uuidx_version'
LANGUAGE C IMMUTABLE STRICT;

-- What the tables of state.once.sql call.

-- Not what merely ends in such a call: an expression is put into a script, which others run.
CREATE FUNCTION generates(expression text, names text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN expression ~ format(E'^(("([^"]|"")+"|[a-z_][a-z0-9_$]*)\\.)?(%s)\\(\\)$', names);

-- Who owns a table may write of it into the tables of a migration. Row security would say so, too, but
-- then nobody but a superuser could dump them.
CREATE FUNCTION check_owner() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    changed record;
BEGIN
    FOREACH changed IN ARRAY CASE TG_OP WHEN 'INSERT' THEN ARRAY[new] WHEN 'DELETE' THEN ARRAY[old] ELSE ARRAY[old, new] END LOOP
        IF EXISTS (SELECT FROM pg_class WHERE oid = changed.relation AND NOT pg_has_role(relowner, 'USAGE')) THEN
            RAISE EXCEPTION 'must be owner of table %', changed.relation USING ERRCODE = 'insufficient_privilege';
        END IF;
    END LOOP;
    RETURN changed;
END
$$;

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
