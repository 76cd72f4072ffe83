-- These have other arguments now.
DROP FUNCTION script(regclass, name, text, text, text, text[], text, boolean, regprocedure, boolean),
    plan(regclass, name, text, text[], text),
    fill(migration), shadow(migration), validate(migration), shadow_statements(migration, regclass),
    check_script(regclass, name, text, text, text, text[], text, regprocedure, text), check_column(regclass, name),
    proof(name, name, boolean, text, text), backfill_begin(regclass, name, name, integer),
    migration(regclass, name, text, text, text[], text, boolean, boolean, regprocedure);
