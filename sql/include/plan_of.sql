-- The plan of a query; then how many rows it has, and whether they are the same without the hooks, in the same order if
-- the query has ORDER BY. A long line goes on in the next one, four columns further in.
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    content text := format('SELECT count(*) AS count, md5(string_agg(q::text, '','' %s)) AS hash FROM (%s) AS q',
                           CASE WHEN query !~ 'ORDER BY' THEN 'ORDER BY q::text' END, query);
    planned record;
    plain record;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        -- What servers show differently
        CONTINUE WHEN line ~ '^ *(Disabled|Replaces|Window):';
        line := replace(regexp_replace(line, ' \(returns .*\)', ''), '(id IS NOT NULL) AND ', '');
        line := regexp_replace(line, 'InitPlan [a-z]+_', 'InitPlan ', 'g');
        line := regexp_replace(line, '\$\d|\(InitPlan \d\)\.col\d', '$0', 'g');
        line := regexp_replace(regexp_replace(line, '( on \w+ \w+)_\d+$', '\1'), '_\d+\.', '.', 'g');
        RETURN QUERY SELECT regexp_split_to_table(
            CASE WHEN length(line) <= 180 THEN line
                 ELSE rtrim(regexp_replace(line, '(.{1,150})( |$)', E'\\1\n    ', 'g'), E'\n ') END, E'\n');
    END LOOP;
    EXECUTE content INTO planned;
    SET LOCAL uuidx.time_planning = off;
    EXECUTE content INTO plain;
    SET LOCAL uuidx.time_planning = on;
    RETURN NEXT format('%s rows%s', planned.count,
                       CASE WHEN planned IS DISTINCT FROM plain THEN ', not as without the hooks' END);
END $$;
