-- obstacles(CALL): the obstacles in a plan, those with the same hint together and the hint below them, in lines of at most
-- 110 columns.
CREATE FUNCTION pg_temp.obstacles(call text) RETURNS TABLE (obstacles text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($q$
        SELECT rtrim(regexp_replace(format(E'%%s\n    %%s', string_agg(DISTINCT o COLLATE "C", E'\n'), h),
                                    '(.{1,110})( |\n|$)', E'\\1\n', 'gn'), E'\n')
        FROM uuidx_migrate.%s AS p, unnest(p.obstacles, p.hints) AS u (o, h) GROUP BY h ORDER BY min(o COLLATE "C") $q$, call);
END
$$;
-- obstacles(RELATION, COLUMN, ...): the obstacles of a column whose text begins with mode, each before its hint.
CREATE FUNCTION pg_temp.obstacles(relation regclass, column_name name, mode text DEFAULT '',
                                  conversion text DEFAULT 'v1_to_v6', published text DEFAULT 'refuse')
RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format('%s.%I: %s%s      %s', p.relation, p.column_name, o, E'\n', h)
    FROM uuidx_migrate.plan(relation, column_name, conversion => conversion, published_tables => published) AS p,
         unnest(obstacles, hints) AS u (o, h)
    WHERE o LIKE mode || '%'
$$;
