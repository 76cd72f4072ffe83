-- Views: a view keeps its identity, unless its columns change their types.

-- Part of dependent_change: a view whose columns keep their types.
CREATE OR REPLACE FUNCTION view_change(o object) RETURNS change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT recreated(
               o, ARRAY[format('CREATE OR REPLACE VIEW %s AS SELECT %s', (o).relation,
                        (SELECT string_agg(format('NULL::%s%s AS %I', format_type(a.atttypid, a.atttypmod),
                                                  ' COLLATE ' || nullif(a.attcollation, 0)::regcollation, a.attname),
                                           ', ' ORDER BY a.attnum)
                         FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0))],
               ARRAY[format(E'CREATE OR REPLACE VIEW %s%s AS\n%s', (o).relation,
                            ' WITH (' || option_list(c.reloptions) || ')', rtrim(pg_get_viewdef(c.oid), ';'))])
    FROM pg_class AS c WHERE c.oid = (o).relation;
END;

-- Statements that create a view like another, or a materialized one without its rows; with the names of shadows, or
-- their own. The code of its owner runs with the owner's rights: it is filled after it has its owner.
CREATE OR REPLACE FUNCTION view_statements(view regclass, shadow boolean) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema regnamespace;
    kind text;
    new_view text;
BEGIN
    SELECT c.relnamespace, CASE c.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END,
           format('%s.%I', c.relnamespace::regnamespace,
                  CASE WHEN shadow THEN uuidx_migrate_steps.shadow_name(c.relname) ELSE c.relname END)
    INTO schema, kind, new_view FROM pg_class AS c WHERE c.oid = view;
    RETURN QUERY
        SELECT format(E'CREATE %s %s%s%s%s AS\n%s%s', kind, new_view,
                      ' USING ' || CASE WHEN m.amname <> current_setting('default_table_access_method')
                                        THEN quote_ident(m.amname) END,
                      ' WITH (' || uuidx_migrate_steps.option_list(
                          c.reloptions || ARRAY(SELECT 'toast.' || o FROM unnest(t.reloptions) AS o)) || ')',
                      CASE WHEN c.relkind = 'm' THEN uuidx_migrate_steps.tablespace_clause(c.oid) END,
                      rtrim(pg_get_viewdef(view), ';'),
                      CASE WHEN c.relkind = 'm' THEN E'\nWITH NO DATA' END)
        FROM pg_class AS c LEFT JOIN pg_am AS m ON m.oid = c.relam
        LEFT JOIN pg_class AS t ON t.oid = c.reltoastrelid
        WHERE c.oid = view;
    RETURN QUERY
        SELECT format('ALTER %s %s OWNER TO %s', kind, new_view, c.relowner::regrole)
        FROM pg_class AS c WHERE c.oid = view;
    RETURN QUERY
        SELECT g FROM uuidx_migrate_steps.grant_all(new_view, view) AS g;
    RETURN QUERY
        SELECT p
        FROM pg_attribute AS a, LATERAL (SELECT format('ALTER %s %s', kind, new_view)) AS n (command),
             LATERAL (SELECT uuidx_migrate_steps.column_storage(view, a.attnum, n.command, a.attname)
                      WHERE kind <> 'VIEW'
                      UNION ALL
                      SELECT uuidx_migrate_steps.column_properties(view, a.attnum, n.command, new_view, a.attname))
             AS p (p)
        WHERE a.attrelid = view AND a.attnum > 0 ORDER BY a.attnum;
    RETURN QUERY
        SELECT format('COMMENT ON %s %s IS %L', kind, new_view, obj_description(view, 'pg_class'))
        WHERE obj_description(view, 'pg_class') IS NOT NULL;
    RETURN QUERY SELECT i FROM uuidx_migrate_steps.view_indexes(view, schema, new_view, shadow) AS i;
    RETURN QUERY SELECT s FROM uuidx_migrate_steps.view_statistics(view, new_view, shadow) AS s;
END
$$;

-- Part of dependent_change: a materialized view, or a view whose columns change their types.
CREATE OR REPLACE FUNCTION view_made_anew(o object) RETURNS change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN recreated(o, ARRAY[format('DROP %s %s', upper((o).kind), (o).relation)],
                 ARRAY(SELECT view_statements((o).relation, false)));

-- Part of obstacles: what a view that is made anew would lose, also a materialized one.
CREATE OR REPLACE FUNCTION view_obstacles(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name, format('%s, which has %s', d.description, p.property),
           coalesce(p.hint, 'Drop it, and create it again afterwards.')
    FROM unnest((m).dependents) AS d, LATERAL (
        SELECT 'a default of a column', NULL WHERE EXISTS (SELECT FROM pg_attrdef AS a WHERE a.adrelid = d.relation)
        UNION ALL
        SELECT pg_describe_object('pg_trigger'::regclass, t.oid, 0), NULL
        FROM pg_trigger AS t WHERE t.tgrelid = d.relation
        UNION ALL
        SELECT pg_describe_object('pg_rewrite'::regclass, w.oid, 0), NULL
        FROM pg_rewrite AS w WHERE w.ev_class = d.relation AND w.rulename <> '_RETURN'
        UNION ALL
        SELECT format('its place in extension %I', e),
               format('Run ALTER EXTENSION %I DROP %s %s, and ADD it again afterwards.', e, upper(d.kind), d.relation)
        FROM extension_of('pg_class'::regclass, d.relation) AS e WHERE e IS NOT NULL
        UNION ALL
        SELECT 'a security label', NULL
        WHERE EXISTS (SELECT FROM pg_seclabel AS l WHERE (l.classoid, l.objoid) = ('pg_class'::regclass, d.relation))
    ) AS p (property, hint)
    WHERE d.is_made_anew;
END;
