-- The value that a migration computes once from the catalogs, and hands from step to step.

CREATE TYPE migrated_column AS (
    root regclass,              -- the table, or the topmost partitioned table
    member regclass,            -- the table or one of its partitions
    level integer,              -- how deep the partition is
    attnum smallint,            -- in the member
    name name,
    shadow name,                -- the column that holds the new values until the cutover, and the old ones after it
    is_connected boolean,       -- with the key, by foreign keys; the user names the others
    type regtype
);

-- An object that reads migrated columns. Place to is_complete are of those that PostgreSQL rebuilds itself, and the
-- rest is of the others.
CREATE TYPE object AS (
    kind text,                  -- index, statistics object, check constraint or foreign key; view, materialized view,
                                -- rule, function, trigger, policy or generated column
    description text,           -- what it is called in messages
    classid oid,                -- where its expressions are: the rule of a view, the row of pg_attrdef of a generated
    objid oid,                  -- column
    relation regclass,          -- the table that it is of, or the view that it is; NULL for a function
    owner oid,
    depth integer,              -- how deep its table is among the partitions; of a dependent, how many views that are
                                -- dropped are between it and the columns
    place oid,                  -- the schema, or for a constraint the table, in which no other one has its name
    name name,
    attnums smallint[],         -- of an index, those columns that are migrated
    parent oid,                 -- the constraint that an index belongs to, or a foreign key of a partition
    definition text,            -- of a constraint, on the shadow columns; NULL if it cannot be told
    is_complete boolean,        -- whether it must be valid or validated on the shadow columns
    needs_constraint boolean,   -- whether it depends on one, as GROUP BY of a primary key does
    is_made_anew boolean        -- whether it is a view that is dropped and created again
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
    new column_default
);

CREATE TYPE conversion AS (
    name text,
    undo text,                  -- the conversion that undoes it
    only_undoes boolean,        -- it does nothing but undo that one
    is_looked_up boolean,       -- the value of a referencing column is looked up in the row of its key, as the key
                                -- alone does not say what it becomes
    makes_keys boolean,         -- new ones, so that the former ones have to be listed for an undo
    reads_times boolean,        -- keys are made from the times at which their rows were created
    keeps_former boolean,       -- the former keys stay beside the new ones, with their default, until the end: as
                                -- numbers, which go on being given, and which nothing in a new key says
    changes_type boolean,       -- of the columns
    reads_texts boolean,        -- it converts texts, which need not stand for UUIDs
    old_types regtype[],        -- of the columns that it converts
    new_types regtype[],        -- of those that it makes; a migration makes columns of the first
    version integer,            -- of the UUIDs that it converts; NULL if that is any
    value text,                 -- the new value of a column; NULL if triggers look it up
    condition text,             -- that a shadow column is right; NULL if foreign keys prove it
    key_trigger text[],         -- the function that fills the shadow of a key, and its arguments, by the names that
                                -- fill_trigger gives them; NULL if the shadow is there already
    reference_trigger text[],   -- the same for a column that references the key
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

-- What becomes of an object: its twin, built over the shadow columns, takes its place, or it is created again. A twin
-- is the same object for the whole migration; the cutover gives it the name of the original.
CREATE TYPE change AS (
    kind text,                  -- of the object
    relation regclass,          -- the table or materialized view that the twin is of
    place oid,                  -- the schema, or for a constraint the table, in which no other one has its name
    name name,                  -- of the twin, until the cutover; NULL if there is none
    definition text,            -- of the twin; the original must have the same on its own columns
    is_complete boolean,        -- whether the twin must be valid, validated or populated, as the original is
    build statement[],          -- build the twin while others write
    take_down text[],           -- drop the object, or have it read no migrated column
    put_up text[]               -- have the twin take its place, or make the object what it was
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
    created_columns smallint[], -- the columns of the key's table from which the creation time comes; with created NULL
                                -- there, no expression of the caller's fits. NULL if none was given, or may be read
    objects object[],           -- what PostgreSQL rebuilds itself: indexes, statistics and constraints
    defaults migrated_default[],
    dependents object[],        -- views and the like, in the order in which they are created again
    changes change[],           -- of the online mode, in the order in which twins are built
    cutover text[],             -- its statements; NULL until an online script is to have them
    fingerprint text            -- of these and all others of the online mode that change something
);

-- Columns of a table that are filled together.
CREATE TYPE filling AS (
    level integer,              -- the tables of a level are filled before those of the next
    root regclass,
    columns migrated_column[],
    migrations integer[]        -- the numbers of those that the columns belong to
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

-- A column that may hold keys of a table.
CREATE TYPE reference_candidate AS (
    source regclass,
    name name,
    type_name text,
    base_type regtype,          -- without domains
    category "char",            -- of the type of the key: U for uuid, N for numbers, S for texts
    found text,                 -- expression for the possible keys in a value v of the base type, as an array
    is_guess boolean            -- whether only its name speaks for it, and may mean another table
);
