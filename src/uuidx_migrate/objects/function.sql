-- Functions and procedures with a body in standard SQL.

-- Part of dependent_change: a function or procedure with a body in standard SQL. The definition that pg_get_functiondef
-- has ends with the body in standard SQL. An empty string as the body is not checked as long as check_function_bodies
-- is off.
CREATE OR REPLACE FUNCTION function_change(o object) RETURNS change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT recreated(o, ARRAY[left(d.definition, length(d.definition) - length(pg_get_function_sqlbody((o).objid)))
                                  || 'AS '''''], ARRAY[d.definition])
        FROM rtrim(pg_get_functiondef((o).objid), E'\n') AS d (definition));
