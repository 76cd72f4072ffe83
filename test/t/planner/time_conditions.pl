# Conditions on functions of the creation time: bounds around each change of a zone's offset, random conditions with
# uuidx.time_planning on and off, and the forms of the page. sql/time_conditions.sql has the rest. UUIDX_SEED=N repeats the
# random ones of a failure.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use TimeConditions;

my $is_long = $ENV{UUIDX_LONG};
my $seed = $ENV{UUIDX_SEED} // int rand 1e9;
srand $seed;
diag("The seed is $seed.");

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\njit = off\nautovacuum = off\ntimezone = 'UTC'");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx');

# --- The forms of the page ---

my $page = slurp_file('docs/use/query-by-time.md');
$node->safe_psql('postgres', q{
    CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT uuid_generate_v7() CHECK (uuid_is_v7(id)));
    INSERT INTO orders SELECT uuid_generate_v7_at(timestamptz '2026-01-01' + n * interval '1 minute') FROM generate_series(0, 90 * 24 * 60 - 1) AS n;
    VACUUM ANALYZE orders});
my @forms = $page =~ /^\| `([^`]*\bcreated\b[^`]*)` \|/mg;
cmp_ok(scalar @forms, '>', 20, 'The page has a table of forms.');
for my $form (@forms)
{
    my $condition = $form =~ s/\bcreated\b/uuid_time(id)/gr;
    like($node->safe_psql('postgres', "EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE $condition"), qr/Index Cond: \(+id [<>]=?/, $form);
    unlike($node->safe_psql('postgres', "SET uuidx.time_planning = off; EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE $condition"),
        qr/Index Cond/, "It is the planner's part that does so.");
}

# What clients write

my @clients = join('', <DATA>) =~ /`([^`]*\bcreated\b[^`]*)`/g;
cmp_ok(scalar @clients, '>', 30, 'There are conditions of clients.');
for my $condition (@clients)
{
    like($node->safe_psql('postgres', "EXPLAIN (COSTS OFF) SELECT * FROM (SELECT id, uuid_time(id) AS created FROM orders) AS o
        WHERE $condition ORDER BY created DESC, id DESC LIMIT 20"), qr/Index Cond: \(+id [<>]=?/, $condition);
}

# --- Bounds, where zones change their offsets ---

# Every 5 days, a zone's offset; between two of them that differ, and 24 days before and after, a moment of each hour, and
# another one not far from it. A time is always between the bounds that its own values have; and another one between them
# has the same value, if they are exact.
my @functions = ( # A name, the type, the value for a moment, and the arguments of uuid_time_bound
    [ 'date', 'date', '(%s AT TIME ZONE name)::date', q{'date(timestamp)'::regprocedure, name, 'timezone(text,timestamptz)'::regprocedure} ],
    [ 'local', 'timestamp', '%s AT TIME ZONE name', q{name, 'timezone(text,timestamptz)'::regprocedure} ],
    map { [ $_, 'timestamptz', "date_trunc('$_', %s, name)", "'$_'::text, 'date_trunc(text,timestamptz,text)'::regprocedure, name" ] }
        qw(day hour week));
my $bounds = join ' UNION ALL ', map {
    my ($name, $type, $value, $arguments) = @$_;
    my ($of_m, $of_other) = map { sprintf $value, $_ } 'm', 'other';
    "SELECT '$name' AS f, m, other, v = $of_other AS is_same, uuid_time_bound('>=($type,$type)', v, $arguments) AS first,
            uuid_time_bound('<=($type,$type)', v, $arguments) AS last, uuid_time_bounds_are_exact('=($type,$type)', v, $arguments) AS is_exact
     FROM moments, LATERAL (SELECT $of_m AS v) AS _"
} @functions;
my $zones = $is_long ? 'true' : 'random() < 0.01';
my $specifications = join ', ', map { "('$_')" } @TimeConditions::specifications;
my $wrong = $node->safe_psql('postgres', qq{
    CREATE TABLE zones AS SELECT name FROM pg_timezone_names WHERE name !~ '^posix' AND ($zones
        OR name IN ('America/Havana', 'America/St_Johns', 'Pacific/Apia', 'Africa/Casablanca', 'Australia/Lord_Howe', 'Asia/Manila'))
        UNION VALUES $specifications;
    CREATE TEMP TABLE all_moments AS
    WITH offsets AS (SELECT name, d, lag(d) OVER w AS before, d AT TIME ZONE name - d AT TIME ZONE 'UTC' AS o,
                            lag(d AT TIME ZONE name - d AT TIME ZONE 'UTC') OVER w AS o_before
                     FROM zones, generate_series(timestamptz '1840-01-01', '2040-01-01', '5 days') AS d WINDOW w AS (PARTITION BY name ORDER BY d))
    SELECT name, m, m + (random() - 0.5) * interval '3 days' AS other
    FROM offsets, generate_series(before - interval '2 days', d + interval '2 days', '1 hour') AS hour, unnest('{-24,0,0,24}'::int[]) AS days,
         LATERAL (SELECT hour + random() * interval '1 hour' + days * interval '1 day' AS m) AS _
    WHERE o <> o_before;
    CREATE TABLE moments AS SELECT * FROM all_moments WHERE random() < @{[ $is_long ? 1e6 : 4e3 ]}::float8 / (SELECT count(*) FROM all_moments);
    SELECT f, count(*) > 1000, count(*) FILTER (WHERE m NOT BETWEEN first AND last), count(*) FILTER (WHERE is_exact) > 10,
           count(*) FILTER (WHERE is_exact AND other BETWEEN first AND last AND NOT is_same)
    FROM ($bounds) AS q GROUP BY f ORDER BY f});
is($wrong, join("\n", map { "$_|t|0|t|0" } qw(date day hour local week)),
    'A time is between the bounds of its values, in every zone, and exact bounds have no other between them.');

# --- Random conditions ---

$node->safe_psql('postgres', q{
    CREATE TABLE v7 (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n serial);
    CREATE TABLE v6 (id uuid PRIMARY KEY CHECK (uuid_is_v6(id)), n serial);
    CREATE TABLE ordered (id uuid, n serial);
    CREATE INDEX ON ordered (id uuid_time_ops);
    CREATE TABLE parted (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int) PARTITION BY RANGE (id);
    CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (uuid_v7_from('2010-01-01'));
    CREATE TABLE parted_2 (gone int, n int, id uuid PRIMARY KEY, CONSTRAINT parted_id_check CHECK (uuid_is_v7(id)));
    ALTER TABLE parted_2 DROP gone;
    ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (uuid_v7_from('2010-01-01')) TO (uuid_v7_from('2020-01-01'));
    CREATE TABLE parted_other PARTITION OF parted DEFAULT;
    CREATE VIEW both_sides AS SELECT id, n FROM v7 UNION ALL SELECT id, n FROM ordered;
    CREATE FUNCTION rows_of(query text, setting text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
        result text;
    BEGIN
        PERFORM set_config('uuidx.time_planning', setting, true);
        EXECUTE query INTO result;
        RETURN result;
    EXCEPTION WHEN OTHERS THEN
        RETURN sqlstate;
    END $$;
    CREATE FUNCTION has_bounds(query text) RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE
        line text;
    BEGIN
        FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
            IF line ~ 'id [<>]=?~? ' THEN
                RETURN true;
            END IF;
        END LOOP;
        RETURN false;
    END $$});
my ($count, $of_a_zone) = ($is_long ? 100_000 : 2_000, 100);
my ($bounded, $errors, @failures) = (0, 0);
for (my $done = 0; $done < $count && !@failures; $done += $of_a_zone)
{
    my ($zone, $of_session) = split /\n/, $node->safe_psql('postgres', q{SELECT name FROM zones WHERE name <> 'MSK' ORDER BY random() LIMIT 2});
    # Rows around three changes of the zone, and anywhere
    my @moments = split /\n/, $node->safe_psql('postgres', qq{
        TRUNCATE v7, v6, ordered, parted;
        CREATE TEMP TABLE near AS SELECT m FROM moments WHERE name = '$zone' ORDER BY random() LIMIT 3;
        INSERT INTO near SELECT timestamptz '1900-01-01' + random() * interval '200 years' FROM generate_series(1, 3);
        CREATE TEMP TABLE times AS SELECT date_trunc(unit, m + i * interval '27 minutes') AS t FROM near, unnest('{microseconds,hour}'::text[]) AS unit, generate_series(-60, 60) AS i;
        INSERT INTO v6 (id) SELECT uuid_generate_v6_at(t) FROM times;
        INSERT INTO v7 (id) SELECT uuid_generate_v7_at(t) FROM times WHERE t > '1970-01-02';
        INSERT INTO ordered (id) SELECT CASE n % 3 WHEN 0 THEN uuid_v6_to_v1(id) ELSE id END FROM v6 UNION ALL SELECT id FROM v7 UNION ALL VALUES (NULL), (uuid_max());
        INSERT INTO parted SELECT id, n FROM v7;
        ANALYZE v7, v6, ordered, parted;
        SELECT t AT TIME ZONE 'UTC' || '+00' FROM times WHERE t > '1970-01-02' ORDER BY random() LIMIT 40});
    @moments = ('2026-01-01 00:00:00+00') if !@moments;
    my $script = "SET timezone = '$of_session'; SET enable_seqscan = " . TimeConditions::one_of('on', 'off') . ";\n";
    my @queries = map {
        my $relation = TimeConditions::one_of(qw(v7 v7 v6 ordered parted both_sides));
        "SELECT string_agg(n::text, ',' ORDER BY n, id) FROM $relation WHERE " . TimeConditions::condition('uuid_time(id)', $zone, @moments)
    } 1 .. $of_a_zone;
    $script .= 'SELECT has_bounds(q), a, a IS DISTINCT FROM b FROM (SELECT q, rows_of(q, \'off\') AS b, rows_of(q, \'on\') AS a FROM (VALUES ('
        . TimeConditions::quoted($_) . ")) AS v (q)) AS r;\n"
        for @queries;
    my @results = split /\n/, $node->safe_psql('postgres', $script);
    for my $i (0 .. $#queries)
    {
        my ($has_bounds, $rows, $differs) = split /\|/, $results[$i];
        $bounded++ if $has_bounds eq 't';
        $errors++ if $rows =~ /^(22...|0A...)$/;
        push @failures, "UUIDX_SEED=$seed, in the zone $of_session: $queries[$i]" if $differs eq 't';
    }
}
is($failures[0] // '', '', 'Random conditions select the same rows with uuidx.time_planning on and off.');
note("$bounded of $count conditions have bounds, and $errors raise an error");
cmp_ok($bounded, '>', $count / 2, 'Most of them have bounds.');
cmp_ok($errors, '<', $count / 10, 'Few of them raise an error.');

$node->stop;
done_testing();

# What clients write for common periods, and for the page after a row
__DATA__
| client | a day | a month | a year | the last days | the page after a row |
|---|---|---|---|---|---|
| ActiveRecord | `created BETWEEN '2026-02-10' AND '2026-02-10 23:59:59.999999'` | `created BETWEEN '2026-02-01' AND '2026-02-28 23:59:59.999999'` | `created BETWEEN '2025-01-01' AND '2025-12-31 23:59:59.999999'` | `created >= '2026-03-24'` | `(created, id) < ('2026-02-10', '019c44d9-0800-7000-8000-000000000000')` |
| Django | `(created AT TIME ZONE 'UTC')::date = '2026-02-10'` | `created BETWEEN '2025-01-01' AND '2025-12-31 23:59:59.999999' AND extract(month FROM created AT TIME ZONE 'UTC') = 12` | `created BETWEEN '2025-01-01' AND '2025-12-31 23:59:59.999999'` | `created >= '2026-03-24'` | `created < '2026-02-10'` |
| Ecto | `created::date = '2026-02-10'` | `date_trunc('month', created) = '2026-02-01'` | `extract(year FROM created) = 2025` | `created >= '2026-03-24'` | `(created, id) < ('2026-02-10', '019c44d9-0800-7000-8000-000000000000')` |
| Eloquent | `created::date = '2026-02-10'` | `extract(month FROM created) = '12' AND extract(year FROM created) = '2025'` | `extract(year FROM created) = '2025'` | `created >= '2026-03-24'` | `created < '2026-02-10' OR (created = '2026-02-10' AND id < '019c44d9-0800-7000-8000-000000000000')` |
| Entity Framework | `date_trunc('day', created, 'UTC') = '2026-02-10'` | `date_part('year', created AT TIME ZONE 'UTC')::int = 2025 AND date_part('month', created AT TIME ZONE 'UTC')::int = 12` | `date_part('year', created AT TIME ZONE 'UTC')::int = 2025` | `created >= '2026-03-24'` | `created < '2026-02-10' OR (created = '2026-02-10' AND id < '019c44d9-0800-7000-8000-000000000000')` |
| Hibernate | `cast(created AS date) = '2026-02-10'` | `date_trunc('month', created) = '2026-02-01'` | `extract(year FROM created) = 2025` | `created >= '2026-03-24'` | `created < '2026-02-10' OR (created = '2026-02-10' AND id < '019c44d9-0800-7000-8000-000000000000')` |
| Prisma | `created >= '2026-02-10' AND created < '2026-02-11'` | `created >= '2026-02-01' AND created < '2026-03-01'` | `created >= '2025-01-01' AND created < '2026-01-01'` | `created >= '2026-03-24'` | by `id` |
| SQLAlchemy | `date(created) = '2026-02-10'` | `date_trunc('month', created) = '2026-02-01'` | `extract(year FROM created) = 2025` | `created >= '2026-03-24'` | `(created, id) < ('2026-02-10', '019c44d9-0800-7000-8000-000000000000')` |
