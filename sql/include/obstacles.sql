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
