-- Policies.

-- Part of dependent_change: a policy.
CREATE OR REPLACE FUNCTION policy_change(o object) RETURNS change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT recreated(o, ARRAY[concat(n.command, CASE WHEN p.polqual IS NOT NULL THEN ' USING (false)' END,
                                         CASE WHEN p.polwithcheck IS NOT NULL THEN ' WITH CHECK (false)' END)],
                         ARRAY[concat(n.command, ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
                                      ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')])
        FROM pg_policy AS p, LATERAL format('ALTER POLICY %I ON %s', p.polname, (o).relation) AS n (command)
        WHERE p.oid = (o).objid);
