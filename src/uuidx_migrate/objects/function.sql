-- Functions and procedures with a body in standard SQL.

-- Part of dependents: a function or procedure with a body in standard SQL. The definition that pg_get_functiondef
-- has ends with the body in standard SQL. An empty string as the body is not checked as long as
-- check_function_bodies is off.
CREATE OR REPLACE FUNCTION recreated_function(function oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_proc'::regclass, p.oid, 0), 'function', NULL::regclass, p.proowner, depth,
           ARRAY[left(d.definition, length(d.definition) - length(pg_get_function_sqlbody(p.oid))) || 'AS '''''],
           NULL, ARRAY[d.definition], NULL::boolean, 'pg_proc'::regclass, function
    FROM pg_proc AS p, LATERAL (SELECT rtrim(pg_get_functiondef(p.oid), E'\n')) AS d (definition)
    WHERE p.oid = function;
END;
