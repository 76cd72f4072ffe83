-- Change defaults from one function to another.

CREATE OR REPLACE FUNCTION default_plan(
    from_function regprocedure, to_function regprocedure,
    OUT object text, OUT relation regclass, OUT column_name name, OUT old_default text, OUT new_default text,
    OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT u.* FROM default_users(ARRAY[from_function], ARRAY[default_counterpart(from_function, to_function)]) AS u;
END;
COMMENT ON FUNCTION default_plan(regprocedure, regprocedure) IS
'the defaults in this database that call a function, each with the statement that makes it call another; '
'and the other dependents of the function';

CREATE OR REPLACE FUNCTION change_defaults(from_function regprocedure, to_function regprocedure) RETURNS SETOF text
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    SELECT r FROM default_run(ARRAY(SELECT p.statement FROM default_plan(from_function, to_function) AS p
                                    WHERE p.statement IS NOT NULL)) AS r;
END;
COMMENT ON FUNCTION change_defaults(regprocedure, regprocedure) IS
'runs the statements of default_plan, all or none, and returns them';

CREATE OR REPLACE FUNCTION extension_plan(
    from_extension name, VARIADIC to_extensions name[],
    OUT object text, OUT relation regclass, OUT column_name name, OUT old_default text, OUT new_default text,
    OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    WITH functions AS (
        SELECT extension_functions(from_extension) AS old,
               extension_counterparts(extension_functions(from_extension),
                                      extension_functions(VARIADIC to_extensions)) AS new
    )
    SELECT p.*
    FROM (
        SELECT u.* FROM functions AS f, default_users(f.old, f.new) AS u
        UNION ALL
        SELECT g.object, NULL, NULL, NULL, NULL, g.statement, g.obstacle
        FROM functions AS f, extension_grants(f.old, f.new) AS g
    ) AS p
    ORDER BY p.statement IS NULL, p.object COLLATE "C", p.statement COLLATE "C", p.obstacle COLLATE "C";
END;
COMMENT ON FUNCTION extension_plan(name, name[]) IS
'the defaults that call functions of an extension and the privileges on them, '
'each with the statement that repeats it for those of others; and what else depends on them';

CREATE OR REPLACE FUNCTION change_extension(from_extension name, VARIADIC to_extensions name[]) RETURNS SETOF text
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    SELECT r FROM default_run(ARRAY(SELECT p.statement FROM extension_plan(from_extension, VARIADIC to_extensions) AS p
                                    WHERE p.statement IS NOT NULL)) AS r;
END;
COMMENT ON FUNCTION change_extension(name, name[]) IS
'runs the statements of extension_plan, all or none, and returns them';
