# The SQL edition is loaded by a role that may only create schemas, has the library's functions, and means the same: the
# files of sql/ print the same on it, and so does each function on random and edge inputs, 10,000 of them or 100,000. The
# primary key serves its queries.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $inputs = $ENV{UUIDX_LONG} ? 100_000 : 10_000;
my $edition = 'sql-edition/uuidx.sql';
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;

$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN');
$node->safe_psql('postgres', 'CREATE DATABASE both');
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE both TO tenant');
my $objects = q{SELECT count(*) FROM pg_depend WHERE classid IN ('pg_class'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass)};
my $before = $node->safe_psql('both', $objects);
my @load = ('psql', '--no-psqlrc', '--quiet', '--username=tenant', '--set=ON_ERROR_STOP=1');
for my $time ('first', 'second')
{
    command_ok([ @load, '--dbname', $node->connstr('both'), '--single-transaction', '--file', $edition ],
        "A role with CREATE on the database loads the edition a $time time");
}
is($node->safe_psql('both', $objects), $before, 'It creates no table, type or operator');
is($node->safe_psql('both', q{SELECT count(*) FROM pg_proc WHERE pronamespace <> 'uuidx'::regnamespace AND proowner = 'tenant'::regrole}),
    '0', 'All its functions are in its schema');

# What the library has and the edition does not is what docs/managed.md says; the rest has the same arguments and results.
$node->safe_psql('both', 'CREATE SCHEMA library; CREATE EXTENSION uuidx SCHEMA library');
my $declared = q{SELECT proname || '(' || pg_get_function_arguments(oid) || ') returns ' || pg_get_function_result(oid)
    || ' ' || provolatile || proparallel || proisstrict FROM pg_proc WHERE pronamespace = '%s'::regnamespace AND prokind = 'f'};
my %of_library = map { $_ => 1 } split /\n/, $node->safe_psql('both', sprintf $declared, 'library');
my @others = grep { !/^edition_/ && !$of_library{$_} } split /\n/, $node->safe_psql('both', sprintf $declared, 'uuidx');
is_deeply(\@others, [], 'Each of its functions is declared as the one of the library');

# The files of sql/, in a schema where they find it
$node->safe_psql('postgres', 'CREATE DATABASE edition OWNER tenant');
my $public = PostgreSQL::Test::Utils::tempdir . '/public.sql';
append_to_file($public, slurp_file($edition) =~ s/\buuidx\b/public/gr);
command_ok([ @load, '--dbname', $node->connstr('edition'), '--file', $public ], 'It is loaded into another schema');
my $folder = PostgreSQL::Test::Utils::tempdir;
chomp(my $bindir = `pg_config --bindir`);
my @files = qw(aggregate convert encode generate guard query read typeid);
my $same = system($ENV{PG_REGRESS}, '--use-existing', '--dbname=edition', '--inputdir=.', "--outputdir=$folder",
    "--bindir=$bindir", '--host=' . $node->host, '--port=' . $node->port, @files) == 0;
ok($same, "sql/ prints the same on the edition: @files") or diag(slurp_file("$folder/regression.diffs"));

# Random and edge inputs
$node->safe_psql('both', qq{
    CREATE TABLE inputs AS
    SELECT n, id, t, least(t, u) AS a, greatest(t, u) AS b, (ARRAY['[]', '[)', '(]', '()'])[n % 4 + 1] AS bounds FROM (
        SELECT n, CASE WHEN n % 7 = 0 THEN library.uuid_max()
                       WHEN n % 7 = 1 THEN overlay(md5(n::text) PLACING repeat('0', n % 32) FROM 1)::uuid
                       ELSE overlay(overlay(md5(n::text) PLACING to_hex(n % 16) FROM 13)
                                    PLACING CASE n % 9 WHEN 0 THEN to_hex(n / 9 % 16) ELSE substr('89ab', n % 4 + 1, 1) END FROM 17)::uuid
                  END AS id,
               CASE WHEN n % 50 = 0 THEN (ARRAY['-infinity', 'infinity', '4714-11-24 BC', '294276-12-31 23:59:59.999999+00'])[n / 50 % 4 + 1]::timestamptz
                    WHEN n % 3 = 0 THEN edge + (n / 3 % 2001 - 1000) * interval '1 us'
                    ELSE timestamptz '1400-01-01 00:00:00+00' + hours * interval '1 hour' + n * interval '1.000001 s' END AS t,
               CASE WHEN n % 5 = 0 THEN edge ELSE edge + (n % 4001 - 2000) * interval '1 us' END AS u
        FROM generate_series(1, $inputs) AS n,
             LATERAL (SELECT (('x' || md5('hours' || n))::bit(32)::bigint % 88860000) AS hours) AS h,
             LATERAL (SELECT (ARRAY['1582-10-15 00:00:00+00', '1970-01-01 00:00:00+00', '2000-01-01 00:00:00+00',
                 '2335-05-07 23:44:06.068469+00', '5236-03-31 21:21:00.684697+00', '10889-08-02 05:31:50.656+00'])[n % 6 + 1]::timestamptz AS edge) AS e
    ) AS i});
is($node->safe_psql('both', q{SELECT min(t) FILTER (WHERE isfinite(t) AND t > '1300-01-01') < '1401-01-01' AND max(t) FILTER (WHERE t < '13000-01-01') > '11500-01-01',
    count(DISTINCT library.uuid_version(id)), count(DISTINCT library.uuid_variant(id)) FROM inputs}), 't|16|4',
    'The inputs have times from 1400 to 11540, all versions and variants');
# An error is compared by its SQLSTATE, message, detail and hint.
$node->safe_psql('both', q{CREATE FUNCTION outcome(query text, id uuid, t timestamptz, period tstzrange) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    detail text;
    hint   text;
BEGIN
    EXECUTE query INTO result USING id, t, period;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws('|', sqlstate, sqlerrm, detail, hint);
END
$$});
my @calls = (
    (map { "uuid_$_(\$1)" } qw(version variant is_v6 is_v7 time extract_timestamp v7_time_us v7_node_id v8_time draft01_time
        extract_clock_seq extract_node inspect v1_to_v6 v6_to_v1)),
    (map { "uuid_encode(\$1, '$_')" } qw(urn ulid base32hex base58 base64url hex)),
    (map { my $format = $_; map { "uuid_decode($_, '$format')" } "left(uuid_encode(\$1, 'ulid'), 22)",
        ($format eq 'hex' ? () : ("uuid_encode(\$1, '$format')", "reverse(uuid_encode(\$1, '$format'))")) }
        qw(urn ulid base32hex base58 base64url hex)),
    q{uuid_to_typeid($1, 'order')}, q{uuid_from_typeid(uuid_to_typeid($1, 'order'))}, q{uuid_from_typeid('7' || uuid_encode($1, 'ulid'))},
    (map { ("uuid_${_}_from(\$2)", "uuid_${_}_after(\$2)", "uuid_${_}_lower(\$3)", "uuid_${_}_upper(\$3)", "uuid_${_}_in(\$1, \$3)") } 'v6', 'v7'),
    'uuid_v7_of($2, $1)', 'uuid_v7_of_name($2, $1::text)', q{uuid_generate_v8($1, $2::text)}, 'uuid_generate_v8(uuid_send($1))',
    'left(uuid_generate_v7_at($2)::text, 18)', 'left(uuid_generate_v6_at($2)::text, 18)', 'left(uuid_generate_v8_at($2)::text, 18)');
for my $call (@calls)
{
    my ($of_edition, $of_library) = map { my $schema = $_; "SELECT (" . ($call =~ s/\buuid_(?=\w+\()(?!send)/$schema.uuid_/gr) . ')::text' } 'uuidx', 'library';
    is($node->safe_psql('both', qq{SET search_path = public; SET timezone = 'UTC';
        SELECT id, t, period, outcome(\$q\$$of_edition\$q\$, id, t, period), outcome(\$q\$$of_library\$q\$, id, t, period)
        FROM inputs, LATERAL (SELECT CASE n % 40 WHEN 0 THEN 'empty' WHEN 1 THEN tstzrange(a, NULL, bounds) WHEN 2 THEN tstzrange(NULL, b, bounds)
            ELSE tstzrange(a, b, bounds) END AS period OFFSET 0) AS p
        WHERE outcome(\$q\$$of_edition\$q\$, id, t, period) IS DISTINCT FROM outcome(\$q\$$of_library\$q\$, id, t, period)
        LIMIT 3}), '', "$call returns the same");
}

# The primary key serves both ways to ask, for whoever may use the schema.
$node->safe_psql('both', q{
    CREATE TABLE events (id uuid PRIMARY KEY);
    INSERT INTO events SELECT uuidx.uuid_generate_v7_at(timestamptz '2026-01-01' + n * interval '1 min') FROM generate_series(1, 10000) AS n;
    ANALYZE events});
for my $condition (q{uuidx.uuid_v7_in(id, '[2026-01-02, 2026-01-02 01:00)')}, q{uuidx.uuid_v7_in(id, tstzrange(now() - interval '1 h', now()))},
    q{id >= uuidx.uuid_v7_from('2026-01-02') AND id < uuidx.uuid_v7_from('2026-01-02 01:00')})
{
    like($node->safe_psql('both', "EXPLAIN (COSTS OFF) SELECT * FROM events WHERE $condition"), qr/Index Cond: .*id >= .*id </,
        "The primary key serves $condition");
}

# Keys are in order, and no function depends on search_path.
is($node->safe_psql('both', q{SELECT count(*) FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS wrong
    FROM (SELECT n, uuidx.uuid_generate_v7() AS id FROM generate_series(1, 200000) AS n) AS g) AS o WHERE wrong}), '0',
    '200,000 keys are in order');
$node->safe_psql('both', q{CREATE SCHEMA planted;
    CREATE FUNCTION planted.uuid_send(uuid) RETURNS bytea LANGUAGE sql AS $$ SELECT decode(repeat('00', 16), 'hex') $$;
    CREATE FUNCTION planted.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT timestamptz '1970-01-01' $$});
is($node->safe_psql('both', q{SET search_path = planted, pg_catalog;
    SELECT uuidx.uuid_time(uuidx.uuid_generate_v7()) > now() - interval '1 hour', uuidx.uuid_is_v7(uuidx.uuid_generate_v7())}), 't|t',
    'Functions planted before pg_catalog are not called');

done_testing();
