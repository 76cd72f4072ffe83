-- errors(STATEMENT...): what each statement raises, in their order: the SQLSTATE and message, and below it the detail and
-- the hint, in lines of at most 100 columns. A statement that raises nothing has 00000.
CREATE FUNCTION pg_temp.errors(VARIADIC statements text[]) RETURNS TABLE (code text, error text)
LANGUAGE plpgsql SET client_min_messages = error AS $$
DECLARE
    statement text;
    detail text;
    hint text;
BEGIN
    FOREACH statement IN ARRAY statements LOOP
        code := '00000';
        error := NULL;
        BEGIN
            EXECUTE statement;
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, error = MESSAGE_TEXT,
                detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
            SELECT string_agg(regexp_replace(t.lines, '(.{1,100})( |\n|$)', E'\\1\n', 'gn'), '' ORDER BY t.n) INTO error
            FROM (VALUES (1, error), (2, 'DETAIL:  ' || nullif(detail, '')), (3, 'HINT:  ' || nullif(hint, '')))
                AS t (n, lines);
            error := rtrim(error, E'\n');
        END;
        RETURN NEXT;
    END LOOP;
END
$$;
