-- Version 7 keys of a thousand days
SET timezone = 'UTC';
CREATE TABLE events (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), created_at timestamptz NOT NULL, value int);
INSERT INTO events
SELECT uuid_generate_v7_at(moment), moment, n
FROM generate_series(0, (1e7 * :scale)::int - 1) AS n,
     LATERAL (SELECT '2024-01-01'::timestamptz + n / :scale * interval '8.64 s') AS m (moment);
CREATE INDEX ON events (created_at);
VACUUM ANALYZE events;

-- Each form selects the rows of its period.
CREATE TABLE periods (part text, period daterange, zone text);
INSERT INTO periods VALUES
    ('a day', '[2025-02-10, 2025-02-11)', 'UTC'), ('a day in Berlin', '[2025-02-10, 2025-02-11)', 'Europe/Berlin'),
    ('a month', '[2025-02-01, 2025-03-01)', 'UTC'), ('a year', '[2025-01-01, 2026-01-01)', 'UTC');
CREATE TABLE forms (n int GENERATED ALWAYS AS IDENTITY, part text, condition text);
INSERT INTO forms (part, condition) VALUES
    ('a day', '%s::date = ''2025-02-10'''),
    ('a day', '%s BETWEEN ''2025-02-10'' AND ''2025-02-10 23:59:59.999999'''),
    ('a day', '(%s AT TIME ZONE ''UTC'')::date = ''2025-02-10'''),
    ('a day in Berlin', '(%s AT TIME ZONE ''Europe/Berlin'')::date = ''2025-02-10'''),
    ('a day', 'date_trunc(''day'', %s) = ''2025-02-10'''),
    ('a day', 'date_trunc(''day'', %s, ''UTC'') = ''2025-02-10'''),
    ('a month', '%s::date BETWEEN ''2025-02-01'' AND ''2025-02-28'''),
    ('a month', 'date_trunc(''month'', %s) = ''2025-02-01'''),
    ('a month', 'date_trunc(''month'', %s AT TIME ZONE ''UTC'') = ''2025-02-01'''),
    ('a year', 'extract(year FROM %s) = 2025'),
    ('a year', 'date_part(''year'', %s AT TIME ZONE ''UTC'')::int = 2025');

INSERT INTO cases (what, units, statement, preparation)
SELECT part || ', by hand', 1,
       format('SELECT sum(value) FROM events WHERE id >= uuid_v7_from(%L) AND id < uuid_v7_from(%L)',
              lower(period)::timestamp AT TIME ZONE zone, upper(period)::timestamp AT TIME ZONE zone),
       'SET uuidx.time_planning = on'
FROM periods
UNION ALL
SELECT format('%s, %s', condition, way), 1, 'SELECT sum(value) FROM events WHERE ' || replace(condition, '%s', created),
       'SET uuidx.time_planning = ' || planning
FROM forms, (VALUES ('uuidx', 'uuid_time(id)', 'on'), ('created_at', 'created_at', 'off')) AS ways (way, created, planning);
INSERT INTO comparisons (what, peer, at_most)
SELECT condition || ', uuidx', part || ', by hand', CASE WHEN condition ~ '''UTC''|^%s BETWEEN' THEN 1.2 ELSE 1.4 END
FROM forms;
CALL run_rounds(:rounds);
