-- How far an online migration is.

CREATE OR REPLACE FUNCTION trigger_function(call text) RETURNS oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN to_regprocedure(split_part(call, '(', 1) || '()');
COMMENT ON FUNCTION trigger_function(text) IS
'function that the call of a trigger names';

-- The planner evaluates it once for a query.
CREATE OR REPLACE FUNCTION fill_functions() RETURNS oid[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg(DISTINCT trigger_function(t.call)) FROM conversions() AS v, unnest(ARRAY[v.key_trigger, v.reference_trigger]) AS t (call)
        WHERE t.call IS NOT NULL);
COMMENT ON FUNCTION fill_functions() IS
'the functions that fill shadow columns';

CREATE OR REPLACE FUNCTION is_fill(function oid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN function = ANY (fill_functions());
COMMENT ON FUNCTION is_fill(oid) IS
'whether a function fills shadow columns';

CREATE OR REPLACE FUNCTION is_own_trigger(function oid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN is_fill(function) OR function IN ('refill()'::regprocedure, 'reset()'::regprocedure);
COMMENT ON FUNCTION is_own_trigger(oid) IS
'whether a function is one for the triggers of a migration';

-- The shadow column was added later, so the numbers of the columns say on which side of the exchange they are.
CREATE OR REPLACE FUNCTION shadow_conversion(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT CASE WHEN c.attnum < s.attnum THEN t.conversion ELSE undoing(t.conversion) END
    FROM (SELECT DISTINCT v.name
          FROM pg_trigger AS g, conversions() AS v, unnest(ARRAY[v.key_trigger, v.reference_trigger]) AS t (call)
          -- The last argument but one is the conversion, if it is one.
          WHERE g.tgrelid = relation AND g.tgname = trigger_name(column_name) AND g.tgfoid = trigger_function(t.call)
            AND (strpos(t.call, '%3$L') = 0 OR v.name = split_part(encode(g.tgargs, 'escape'), E'\\000', -3))) AS t (conversion)
    JOIN pg_attribute AS c ON c.attrelid = relation AND c.attname = column_name
    JOIN pg_attribute AS s ON s.attrelid = relation AND s.attname = shadow_name(column_name)
);
COMMENT ON FUNCTION shadow_conversion(regclass, name) IS
'conversion by which a trigger fills the shadow of a column; NULL if there is none';

CREATE OR REPLACE FUNCTION has_constraint(relation regclass, name name) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = relation AND c.conname = has_constraint.name);
COMMENT ON FUNCTION has_constraint(regclass, name) IS
'whether a table has a constraint with this name';
