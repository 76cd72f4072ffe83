-- How far an online migration is.

CREATE OR REPLACE FUNCTION is_fill(function oid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN function IN ('fill()'::regprocedure, 'fill_text()'::regprocedure, 'fill_key()'::regprocedure, 'fill_reference()'::regprocedure);
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
    FROM (SELECT v.name
          FROM pg_trigger AS g JOIN pg_proc AS p ON p.oid = g.tgfoid
          -- The last argument but one is the conversion, if it is one.
          JOIN conversions() AS v ON p.proname IN (substring(v.key_trigger FROM E'\\.(\\w+)'), substring(v.reference_trigger FROM E'\\.(\\w+)'))
                                 AND v.name = CASE WHEN strpos(v.key_trigger, '%3$L') = 0 THEN v.name
                                                   ELSE split_part(encode(g.tgargs, 'escape'), E'\\000', -3) END
          WHERE g.tgrelid = relation AND g.tgname = trigger_name(column_name) AND is_fill(g.tgfoid)) AS t (conversion)
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
