-- Rules.

-- Part of dependent_change: a rule.
CREATE OR REPLACE FUNCTION rule_change(o object) RETURNS change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT recreated(o, ARRAY[format('CREATE OR REPLACE RULE %I AS ON %s TO %s DO ALSO NOTHING', r.rulename,
                                         CASE r.ev_type WHEN '2' THEN 'UPDATE' WHEN '3' THEN 'INSERT' ELSE 'DELETE' END,
                                         (o).relation)],
                         ARRAY[regexp_replace(rtrim(pg_get_ruledef(r.oid), ';'), '^CREATE RULE',
                                              'CREATE OR REPLACE RULE')])
        FROM pg_rewrite AS r WHERE r.oid = (o).objid);

-- Part of obstacles_online.
CREATE OR REPLACE FUNCTION rule_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, pg_describe_object('pg_rewrite'::regclass, r.oid, 0) || ' is for UPDATE',
           'Disable the rule until the cutover, or drop it.'
    FROM unnest((m).columns) AS c, pg_rewrite AS r
    WHERE r.ev_class = c.member AND r.ev_type = '2' AND r.ev_enabled <> 'D';
END;
