-- The value that a migration computes once from the catalogs, and hands from step to step.

CREATE TYPE migrated_column AS (
    root regclass,              -- the table, or the topmost partitioned table
    member regclass,            -- the table or one of its partitions
    level integer,              -- how deep the partition is
    attnum smallint,            -- in the member
    name name,
    shadow name,                -- the column that holds the new values until the exchange, and the old ones after it
    is_connected boolean,       -- with the key, by foreign keys; the user names the others
    type regtype
);

-- An object that reads migrated columns.
CREATE TYPE object AS (
    kind text,                  -- index, statistics object, check constraint or foreign key
    description text,           -- what it is called in messages
    classid oid,
    objid oid,
    relation regclass,          -- the table that it is of
    place oid,                  -- the schema, or for a constraint the table, in which no other one has its name
    name name,
    depth integer,              -- of an index, how deep its table is among the partitions
    attnums smallint[],         -- of an index, those columns that are migrated
    parent oid,                 -- the constraint that an index belongs to, or a foreign key of a partition
    definition text,            -- of a constraint, on the shadow columns; NULL if it cannot be told
    is_complete boolean         -- whether it is valid, validated or populated
);

-- An object that reads a migrated column, and the statements that create it again.
CREATE TYPE dependent AS (
    description text,
    kind text,                  -- view, materialized view, rule, function, trigger, policy or generated column
    relation regclass,          -- the relation to lock; NULL for a function
    owner oid,
    depth integer,              -- how many materialized views are between it and the migrated column
    detach text[],              -- have it read no migrated column
    clause text,                -- of ALTER TABLE, after which it exists again
    restore text[],             -- make it what it was
    keeps_key boolean,          -- it depends on a key, as GROUP BY of a primary key does
    classid oid,                -- where its expressions are: the rule of a view, the row of pg_attrdef of a generated
                                -- column
    objid oid
);

CREATE TYPE column_default AS (
    expression text,
    is_unused boolean,          -- it is the expression in CASE WHEN false THEN ... END, which is never evaluated
    function regprocedure,      -- which it calls without arguments, if it is that and casts
    constant text,              -- its value, if it is a constant and casts
    is_null boolean
);

-- A default of a column, and what it becomes; NULL if it stays.
CREATE TYPE migrated_default AS (
    root regclass,
    member regclass,
    name name,
    shadow name,
    old column_default,
    new_default text
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
    key_value text,             -- the new value of a key in which references are looked up
    pending text,               -- function for what the shadow of a reference holds while its key is not there
    old_generators text,        -- the functions whose calls are replaced in defaults, separated by |
    new_generator text          -- the function of uuidx that takes their place
);

CREATE TYPE statement AS (
    phase text,
    locks text,
    sql text
);

-- What is over the shadow columns in the place of what is over the columns: an index, statistics object, constraint or
-- materialized view. It is the same object for the whole migration; the exchange gives it the name of the original.
CREATE TYPE twin AS (
    kind text,                  -- index, statistics object, constraint or materialized view
    relation regclass,          -- the table or materialized view that it is of
    place oid,                  -- the schema, or for a constraint the table, in which no other one has its name
    name name,                  -- of the twin, until the exchange
    definition text,            -- of the twin; the original must have the same on its own columns
    is_complete boolean,        -- whether it must be valid, validated or populated, as the original is
    build statement[],          -- build it while others write
    detach text[],              -- in the exchange: drop the original
    adopt text[]                -- and have the twin take its place
);

-- What the caller of plan or script has chosen.
CREATE TYPE choices AS (
    relation regclass,
    column_name name,
    conversion text,
    other_values text,          -- what to do with values of another version, or that are no keys
    also text[],
    published_tables text,
    fire_triggers boolean,
    new_default regprocedure,
    trust_owners boolean,
    created text,               -- expression for the time at which the row r of the key was created
    rows_without_time text,     -- what to do with rows for which it has none that version 7 can hold
    future_rows text,           -- what to do with rows for which it has one that is still to come
    namespace text,             -- from which, with a number, a key is made; random without it
    keep_number name            -- the name that finish gives the former column, which it drops otherwise
);

CREATE TYPE migration AS (
    choices choices,
    relation regclass,          -- the key: the topmost table and the column
    column_name name,
    conversion conversion,
    columns migrated_column[],
    beside migrated_column[],   -- columns of the same tables that the same script migrates with other keys
    created_columns smallint[], -- the columns of the key's table from which the creation time comes
    objects object[],           -- what PostgreSQL rebuilds by itself: indexes, statistics and constraints
    defaults migrated_default[],
    dependents dependent[],
    twins twin[],               -- in the order in which they are built
    exchange text[],            -- its statements; NULL until an online script is to have them
    fingerprint text            -- of these and all others of the online mode that change something
);

-- Columns of a table that are filled together.
CREATE TYPE filling AS (
    level integer,              -- the tables of a level are filled before those of the next
    root regclass,
    columns migrated_column[],
    keys integer[]              -- numbers of the migrations that the columns belong to
);

-- What stands in the way of a migration, and what to do about it.
CREATE TYPE obstacle AS (
    root regclass,
    column_name name,
    what text,
    hint text
);

-- An object, as a text that says which it is, and another one that it depends on.
CREATE TYPE dependency AS (
    object_classid oid,
    object text,
    classid oid,
    objid oid,
    objsubid integer
);
