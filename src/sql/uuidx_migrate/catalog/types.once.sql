-- The value that a migration computes once from the catalogs, and hands from step to step.

CREATE TYPE migrated_column AS (
    root regclass,              -- the table, or the topmost partitioned table
    member regclass,            -- the table or one of its partitions
    level integer,              -- how deep the partition is
    attnum smallint,            -- in the member
    name name,
    shadow name                 -- the column that holds the new values until the exchange, and the old ones after it
);

CREATE TYPE migrated_foreign_key AS (
    key oid,
    referencing regclass,
    referenced regclass,
    name name,
    definition text,            -- as pg_get_constraintdef has it
    shadow_definition text,     -- the same on the shadow columns; NULL if it cannot be told
    comment text,
    validated boolean
);

-- An object that reads a moved column, and the statements that make it anew.
CREATE TYPE dependent AS (
    description text,
    kind text,                  -- view, materialized view, rule, function, trigger, policy or generated column
    relation regclass,          -- the relation to lock; NULL for a function
    owner oid,
    depth integer,              -- how many materialized views are between it and the moved column
    detach text[],              -- make it read no moved column
    clause text,                -- of ALTER TABLE, after which it exists again
    restore text[],             -- make it what it was
    keeps_key boolean           -- it depends on a key, as GROUP BY of a primary key does
);

CREATE TYPE conversion AS (
    name text,
    undo text,                  -- the conversion that undoes it
    only_undoes boolean,        -- it does nothing but undo that one
    old_types regtype[],        -- of the columns that it converts
    new_types regtype[],        -- of those that it makes; a migration makes columns of the first
    version integer,            -- of the UUIDs that it converts; NULL if that is any
    value text,                 -- the new value of a column; NULL if triggers look it up
    proof text,                 -- condition that a shadow column is right; NULL if foreign keys prove it
    key_trigger text,           -- call that fills the shadow of a key; NULL if it is there already
    reference_trigger text,     -- the same for a column that references the key
    old_generators text,        -- the functions whose calls are replaced in defaults, separated by |
    new_generator text          -- the function of uuidx that takes their place
);

CREATE TYPE migration AS (
    relation regclass,          -- the topmost table and the column that the user asked for
    column_name name,
    conversion conversion,
    others text,
    also text[],
    published text,
    fire_triggers boolean,
    trust_owners boolean,
    new_default text,           -- a call
    columns migrated_column[],
    foreign_keys migrated_foreign_key[],
    dependents dependent[],
    created text,               -- expression for the time at which the row r of the key was created
    without_time text,          -- what to do with rows for which it has none that version 7 can hold
    future text                 -- what to do with rows for which it has one that is still to come
);

-- What stands in the way of a migration, and what to do about it.
CREATE TYPE obstacle AS (
    root regclass,
    column_name name,
    what text,
    hint text
);

CREATE TYPE statement AS (
    phase text,
    locks text,
    sql text
);
