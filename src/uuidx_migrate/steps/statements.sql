-- How the statements of a script are written: every argument of a call has its type, so that no other function can
-- take the call.

-- A text in one line, for a comment.
CREATE OR REPLACE FUNCTION one_line(text text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(text, E'[\r\n]', ' ', 'g');

-- Some texts in one.
CREATE OR REPLACE FUNCTION some_of(texts text[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN array_to_string(texts[:3], ', ')
    || CASE WHEN cardinality(texts) > 3 THEN format(' and %s more', cardinality(texts) - 3) ELSE '' END;

-- A literal of a type of PostgreSQL.
CREATE OR REPLACE FUNCTION typed(value text, type text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN format('%s::pg_catalog.%s', quote_nullable(value), type);

-- Call of a function without arguments, as text.
CREATE OR REPLACE FUNCTION call_of(function regprocedure) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('%s.%I()', p.pronamespace::regnamespace, p.proname)
        FROM pg_proc AS p WHERE p.oid = function);

-- Name of a function of uuidx with its schema, for use in a script. A default calls uuidx's own function, in the
-- schema that uuidx has when the script is written.
CREATE OR REPLACE FUNCTION uuidx_function(function_name text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('%I.%I', n.nspname, function_name)
        FROM pg_extension AS e, pg_namespace AS n WHERE n.oid = e.extnamespace AND e.extname = 'uuidx');

-- The function of uuidx that generates the new keys of a conversion; NULL if there is none.
CREATE OR REPLACE FUNCTION generator_of(conversion conversion) RETURNS regprocedure
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN to_regprocedure(uuidx_function((conversion).new_generator) || '()');

-- A default in a form that is never evaluated. The shadow of a column keeps the former default for an undo.
CREATE OR REPLACE FUNCTION unused_default(expression text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('CASE WHEN false THEN %s END', expression);

-- Relations as an array in SQL.
CREATE OR REPLACE FUNCTION relation_list(relations regclass[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('ARRAY[%s]::pg_catalog.regclass[]', string_agg(quote_literal(r.name), ', ' ORDER BY r.n))
        FROM unnest(relations) WITH ORDINALITY AS r (name, n));

-- Part of call_locked: a text as a literal: between dollar signs, which is easy to read, unless it contains the closing
-- tag.
CREATE OR REPLACE FUNCTION quote(text text, tag text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('%s::pg_catalog.text', CASE WHEN strpos(text, format('$%s$', tag)) = 0
                                          THEN format('$%1$s$%2$s$%1$s$', tag, text)
                                          ELSE quote_literal(text) END);

-- What two lists of statements have in common only if they are the same.
CREATE OR REPLACE FUNCTION fingerprint_of(statements text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN md5(statements::text);

-- Call of locked, as text.
CREATE OR REPLACE FUNCTION call_locked(
    m migration, relations regclass[], condition text, statements text[], before text DEFAULT NULL,
    mode text DEFAULT 'ACCESS EXCLUSIVE', max_wait text DEFAULT '100 ms'
) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN format(E'CALL uuidx_migrate_steps.locked(%s,\n%s, %s,\n%s, %s, %s, %s, %s)',
              relation_list(relations), quote(condition, 'if'),
              quote(E'\n' || array_to_string(statements, E';\n') || E'\n', 'do'),
              coalesce(quote(before, 'before'), typed(NULL, 'text')),
              typed(mode, 'text'), typed(max_wait, 'interval'), typed('1 s', 'interval'),
              ((m).choices).trust_owners::text);

-- What migrations were asked for, as a literal.
CREATE OR REPLACE FUNCTION typed_choices(ms migration[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT typed(jsonb_agg(jsonb_strip_nulls(
                                   to_jsonb(m.choices) - 'fire_triggers'
                                   || jsonb_build_object('relation', m.relation, 'column_name', m.column_name)))::text,
                     'jsonb')
        FROM unnest(ms) AS m);

-- Call of a function for a column that references the key.
CREATE OR REPLACE FUNCTION call_for_reference(function text, m migration, relation regclass, column_name name)
RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate_steps.%s(%s, %s, %s, %s, %s)', function,
              typed(relation::text, 'regclass'), typed(column_name, 'name'),
              typed((m).relation::text, 'regclass'), typed((m).column_name, 'name'),
              ((m).choices).trust_owners::text);

-- Call of check_again, as text: before what runs as it is made, so that its names still mean what they meant.
CREATE OR REPLACE FUNCTION call_check_again(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate_steps.check_again(%s)', typed_choices(ARRAY[m]));

-- The tables whose columns are migrated.
CREATE OR REPLACE FUNCTION tables(m migration) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN by_name(ARRAY(SELECT c.root FROM unnest((m).columns) AS c));

-- The tables whose columns are migrated, and the relations that are changed with them.
CREATE OR REPLACE FUNCTION affected_relations(m migration) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN by_name(tables(m)
               || ARRAY(SELECT root(d.relation) FROM unnest((m).dependents) AS d WHERE d.relation IS NOT NULL));

-- Statements that swap the names of all columns that are migrated with those of their shadows.
CREATE OR REPLACE FUNCTION cutover_names(m migration) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT format('ALTER TABLE %s RENAME COLUMN %I TO %I', c.root, n.old, n.new)
             FROM unnest((m).columns) WITH ORDINALITY AS c,
                  LATERAL (SELECT 'cutover_' || md5(c.name)) AS t (between),
                  LATERAL (VALUES (1, c.name, t.between), (2, c.shadow, c.name), (3, t.between, c.shadow))
                  AS n (part, old, new)
             WHERE c.member = c.root
             ORDER BY c.ordinality, n.part);

-- The statements that take objects down, in the reverse of the order in which they are put up.
CREATE OR REPLACE FUNCTION taken_down(changes change[]) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT s
             FROM unnest(changes) WITH ORDINALITY AS c, unnest(c.take_down) WITH ORDINALITY AS s (s, n)
             ORDER BY c.ordinality DESC, s.n);

-- The statements that put them up.
CREATE OR REPLACE FUNCTION put_up(changes change[]) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT s
             FROM unnest(changes) WITH ORDINALITY AS c, unnest(c.put_up) WITH ORDINALITY AS s (s, n)
             ORDER BY c.ordinality, s.n);

-- Call of shadow_conversion, as text.
CREATE OR REPLACE FUNCTION call_shadow_conversion(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('uuidx_migrate_steps.shadow_conversion(%s, %s)',
              typed(relation::text, 'regclass'), typed(column_name, 'name'));

-- Condition that the shadow of a column is that of a conversion, as text.
CREATE OR REPLACE FUNCTION has_conversion(relation regclass, column_name name, conversion text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('%s OPERATOR(pg_catalog.=) %s', call_shadow_conversion(relation, column_name),
              typed(conversion, 'text'));

-- Condition that the cutover has not taken place, as text: a script that is run again after the cutover has nothing to
-- build. It is an error if the migration has not begun, or if shadow columns of some tables are not filled.
CREATE OR REPLACE FUNCTION is_before_cutover(m migration, filled regclass[] DEFAULT '{}') RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('uuidx_migrate_steps.is_under_way(%s, %s, %s)', typed((m).relation::text, 'regclass'),
              typed((m).column_name, 'name'), typed(((m).conversion).name, 'text'))
       || CASE WHEN filled = '{}' THEN ''
               ELSE format(' AND uuidx_migrate_steps.are_filled(%s)', relation_list(filled)) END;

-- Call of validate_constraint, as text.
CREATE OR REPLACE FUNCTION call_validate(m migration, phase text, relation regclass, name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate_steps.validate_constraint(%s, %s, %s)%s',
              typed(relation::text, 'regclass'), typed(name, 'name'), ((m).choices).trust_owners::text,
              CASE WHEN phase <> 'after' THEN ' WHERE ' || is_before_cutover(m) ELSE '' END);

-- A statement of a script.
CREATE OR REPLACE FUNCTION step(phase text, locks text, sql text) RETURNS statement
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ROW(phase, locks, sql)::statement;

-- Step that has values of a column looked up again.
CREATE OR REPLACE FUNCTION look_up_step(m migration, phase text, c migrated_column) RETURNS statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN step(phase, format('ROW EXCLUSIVE on %s', (c).root), call_for_reference('look_up_again', m, (c).root, (c).name));

-- Part of foreign_key_changes_online and proof_changes_online: condition that tables have a constraint, as text.
CREATE OR REPLACE FUNCTION call_have_constraint(relations regclass[], name name, is_valid boolean) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('uuidx_migrate_steps.have_constraint(%s, %s, %s)',
              relation_list(relations), typed(name, 'name'), is_valid::text);

-- Step that adds a constraint to the first of some relations, unless it is there; `condition` says what else has to be
-- there. Others write to the table that is referenced first, so it is locked first: who waits for it holds no lock on
-- the other.
CREATE OR REPLACE FUNCTION add_constraint(
    m migration, phase text, relations regclass[], mode text, name name, definition text, before text DEFAULT NULL,
    condition text DEFAULT NULL
) RETURNS statement
LANGUAGE sql STABLE PARALLEL SAFE
RETURN step(phase, format('%s on %s, briefly', mode, array_to_string(relations, ', ')),
            call_locked(m, ARRAY(SELECT r FROM unnest(relations) WITH ORDINALITY AS r (r, n) ORDER BY n DESC),
                        concat(is_before_cutover(m, relations),
                               format(' AND NOT uuidx_migrate_steps.has_constraint(%s, %s)',
                                      typed(relations[1]::text, 'regclass'), typed(name, 'name')),
                               ' AND ' || condition),
                        ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s', relations[1], name, definition)],
                        before, mode));
