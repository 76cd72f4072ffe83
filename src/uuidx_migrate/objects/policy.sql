-- Policies.

-- Part of dependents: a policy.
CREATE OR REPLACE FUNCTION recreated_policy(policy oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_policy'::regclass, p.oid, 0), 'policy', c.oid::regclass, c.relowner, depth,
           ARRAY[concat(n.command, CASE WHEN p.polqual IS NOT NULL THEN ' USING (false)' END,
                        CASE WHEN p.polwithcheck IS NOT NULL THEN ' WITH CHECK (false)' END)],
           NULL,
           ARRAY[concat(n.command, ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
                        ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')],
           NULL::boolean, 'pg_policy'::regclass, policy
    FROM pg_policy AS p, pg_class AS c,
         LATERAL (SELECT format('ALTER POLICY %I ON %s', p.polname, c.oid::regclass)) AS n (command)
    WHERE c.oid = p.polrelid AND p.oid = policy;
END;
