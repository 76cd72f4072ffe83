-- faults(CALL): what the script of a call must have, as the steps that lack it. The script is then in the table examined.
--   Every literal in a call has its type, and what is dropped in one transaction is there again when it ends.
--   Online, only weak locks are held for long; what is built does not keep writers out, and is built anew if it was
--   interrupted; the cutover looks at all that was built before it, and in the end at what reads the old columns.
CREATE FUNCTION pg_temp.faults(call text) RETURNS TABLE (step int, fault text, what text)
LANGUAGE plpgsql SET client_min_messages = warning AS $$
BEGIN
    DROP TABLE IF EXISTS pg_temp.examined;
    EXECUTE 'CREATE TEMP TABLE examined AS SELECT * FROM uuidx_migrate.' || call;
    RETURN QUERY
    WITH steps AS MATERIALIZED (
        SELECT s.step, s.phase, s.locks, w.sql, w.sql LIKE 'CALL uuidx\_migrate\_steps.locked(%' AS is_locked,
               w.sql LIKE 'CALL uuidx\_migrate\_steps.drop\_interrupted(%' AS is_drop,
               string_agg(w.sql, '') OVER (ORDER BY s.step ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS previous,
               call ~ '''offline''' AS is_offline
        FROM examined AS s, LATERAL (SELECT regexp_replace(s.sql, '^(--[^\n]*\n)+', '') AS sql) AS w
    ),
    lines AS (
        SELECT s.step, s.is_offline, l.line FROM steps AS s, LATERAL regexp_split_to_table(s.sql, ';?\n') AS l (line)
    )
    SELECT l.step, 'has a literal without a type', l.line FROM lines AS l
    WHERE regexp_replace(l.line, E'(''([^'']|'''')*''|\\[[^]]*\\]|[$](if|do|before)[$])::pg_catalog\\.(\\w+)', '', 'g')
          ~ E'uuidx_migrate_steps\\.(?!fill)\\w+\\([^)]*'''
      AND l.line !~ 'EXECUTE FUNCTION|SELECT k\.former_key'
    UNION ALL
    SELECT s.step, 'drops what it does not make again', d.object
    FROM steps AS s,
         regexp_matches(s.sql, E'\n(?:ALTER TABLE \\S+ )?DROP (?:CONSTRAINT|TRIGGER|RULE|POLICY|INDEX|STATISTICS|'
                               'MATERIALIZED VIEW) (?:[\\w"]+[.])?(\\w+|"[^"]+")', 'g') AS m (names),
         LATERAL (SELECT m.names[1]) AS d (object)
    WHERE (s.is_offline OR s.phase = 'cutover') AND d.object !~ '_(shadow|proof|pair)$'
      AND s.sql !~ format(E'\n(CREATE|ALTER)[^\n]* (ADD CONSTRAINT |TO |TRIGGER |RULE |POLICY |INDEX |STATISTICS |VIEW )'
                          '([\\w"]+[.])?%s(?![\\w"])', d.object)
    UNION ALL
    SELECT s.step, 'holds a strong lock for long', s.sql FROM steps AS s
    WHERE NOT s.is_offline AND NOT s.is_locked AND NOT s.is_drop
      AND s.locks !~ '^(none|(SHARE UPDATE|ROW) EXCLUSIVE on [^ ]+(, [^ ,]+)*( and \d+ more)?(, ROW SHARE on [^ ]+)?|ACCESS EXCLUSIVE on [^ ]+_shadow)$'
    UNION ALL
    SELECT s.step, 'does not say its locks, or waits for them for longer', s.locks FROM steps AS s
    WHERE NOT s.is_offline AND s.is_locked
      AND s.sql !~ format($f$, '%s'::pg_catalog.text, '100 ms'::pg_catalog.interval, '1 s'::pg_catalog.interval, (true|false)[)]\Z$f$,
                          coalesce(substring(s.locks, '^([A-Z ]+) on .*, briefly'), 'ACCESS EXCLUSIVE'))
    UNION ALL
    SELECT s.step, 'takes another lock than it says', s.sql FROM steps AS s
    WHERE NOT s.is_offline AND NOT s.is_locked AND NOT (s.is_drop AND s.locks ~ '^ACCESS EXCLUSIVE on .*, briefly, if a build was interrupted$')
      AND s.sql !~ CASE s.phase
        WHEN 'check' THEN '^SELECT uuidx_migrate_steps\.(check_(owner|values|script|texts|times|keys)|note_tables)\('
        WHEN 'fill' THEN '^CALL uuidx_migrate_steps\.backfill\('
        WHEN 'validate' THEN '^SELECT uuidx_migrate_steps\.validate_constraint\('
        WHEN 'key' THEN '^CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS '
        WHEN 'proof' THEN '^(CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS |SELECT uuidx_migrate_steps\.(validate_constraint|look_up_again)\()'
        WHEN 'index' THEN '^(SELECT uuidx_migrate_steps\.(validate_constraint|look_up_again|check_again|(re)?set_definition_settings)\(|ALTER STATISTICS |ANALYZE |'
                          'COMMENT ON |CREATE ((UNIQUE )?INDEX CONCURRENTLY|STATISTICS) IF NOT EXISTS )'
        WHEN 'after' THEN '^(SELECT uuidx_migrate_steps\.(validate_constraint|look_up_again)\(|REFRESH MATERIALIZED VIEW )'
        WHEN 'finish' THEN '^SELECT uuidx_migrate_steps\.check_' ELSE '^$' END
    UNION ALL
    -- A partitioned table takes up the constraints that its partitions have.
    SELECT l.step, 'reads all rows while others wait', l.line
    FROM lines AS l, regexp_matches(l.line, '^ALTER TABLE (\S+) ADD CONSTRAINT (\S+) (CHECK|FOREIGN KEY|UNIQUE|PRIMARY KEY)') AS m
    WHERE NOT l.is_offline AND l.line !~ '( NOT VALID| USING INDEX [^ ]+)$'
      AND (NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = m[1]::regclass AND c.relkind = 'p')
           OR EXISTS (SELECT FROM pg_partition_tree(m[1]::regclass) AS p
                      WHERE p.isleaf AND NOT EXISTS (
                          SELECT FROM lines AS e, regexp_matches(e.line, '^ALTER TABLE (\S+) ADD CONSTRAINT (\S+) ') AS n
                          WHERE e.step <= l.step AND n[1]::regclass = p.relid
                            AND (n[2] = m[2] OR e.line LIKE '% USING INDEX %'))
                        AND NOT EXISTS (
                          SELECT FROM lines AS e, pg_class AS c, regexp_matches(e.line, 'add_missing_constraint[(](ARRAY.*)::pg_catalog.regclass\[\], ''(.*)''::pg_catalog.name, ') AS n
                          WHERE c.oid = p.relid AND strpos(n[1], quote_literal(format('%s.%I', c.relnamespace::regnamespace, c.relname))) > 0
                            AND e.step < l.step AND n[2] = m[2])))
    UNION ALL
    SELECT l.step, 'reads all rows while others wait', l.line FROM lines AS l
    WHERE l.line LIKE 'SELECT uuidx\_migrate\_steps.add\_missing\_constraint(%' AND l.line NOT LIKE '% NOT VALID''::pg_catalog.text)'
    UNION ALL
    SELECT s.step, 'is not built anew', s.sql
    FROM steps AS s, LATERAL substring(s.sql, ' INDEX CONCURRENTLY IF NOT EXISTS ("[^"]*"|[^ ]+) ') AS i (name)
    WHERE i.name IS NOT NULL
      AND NOT EXISTS (SELECT FROM steps AS d
                      WHERE d.is_drop AND d.phase = s.phase AND d.step < s.step
                        AND strpos(d.sql, format('.%s''', replace(i.name, '''', ''''''))) > 0)
    UNION ALL
    -- The names in an expression, asked just before it runs
    SELECT s.step, 'does not look at what stands in the way by now', s.sql FROM steps AS s
    WHERE s.phase = 'index' AND s.sql ~ '(CREATE [^\n]*(INDEX|STATISTICS)|CHECK) [^\n]*[.]\w+[(]|MATERIALIZED VIEW'
      AND CASE WHEN s.is_locked THEN s.sql !~ '\$before\$SELECT uuidx_migrate_steps.check_again[(]'
               ELSE s.previous !~ 'SELECT uuidx_migrate_steps.check_again[(][^\n]*\Z' END
    UNION ALL
    SELECT e.step, 'does not look whether all is built', e.sql FROM steps AS e
    WHERE e.phase = 'cutover'
      AND e.sql !~ E'\n\\$before\\$SELECT uuidx_migrate_steps\\.check_script\\(''cutover''::pg_catalog.text, [^\n]*\\$before\\$'
    UNION ALL
    SELECT e.step, 'does not look at what reads the old columns', e.sql FROM steps AS e
    WHERE e.phase = 'cutover' AND e.sql !~ E';\nSELECT uuidx_migrate_steps\\.check_unread\\([^\n]*\\)\n\\$do\\$'
    ORDER BY 1, 2;
END
$$;
