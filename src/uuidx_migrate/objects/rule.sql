-- Rules.

-- Part of dependents: a rule.
CREATE OR REPLACE FUNCTION recreated_rule(rule oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_rewrite'::regclass, r.oid, 0), 'rule', c.oid::regclass, c.relowner, depth,
           ARRAY[format('CREATE OR REPLACE RULE %I AS ON %s TO %s DO ALSO NOTHING', r.rulename,
                        CASE r.ev_type WHEN '2' THEN 'UPDATE' WHEN '3' THEN 'INSERT' ELSE 'DELETE' END, c.oid::regclass)],
           NULL,
           ARRAY[regexp_replace(rtrim(pg_get_ruledef(r.oid), ';'), '^CREATE RULE', 'CREATE OR REPLACE RULE')],
           NULL::boolean, 'pg_rewrite'::regclass, rule
    FROM pg_rewrite AS r, pg_class AS c WHERE c.oid = r.ev_class AND r.oid = rule;
END;
