# The SQL edition is loaded by a role that may only create schemas, has the library's functions, and means the same: the
# files of sql/ print the same on it, and so does each function on random and edge inputs. The primary key serves its
# queries, and nothing that others have planted is called.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $inputs = $ENV{UUIDX_LONG} ? 1_000_000 : 4_000;
my $edition = 'sql-edition/uuidx.sql';
my $folder = PostgreSQL::Test::Utils::tempdir;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "jit = off\nparallel_setup_cost = 0");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN; CREATE ROLE mallory LOGIN');
$node->safe_psql('postgres', "CREATE DATABASE $_; GRANT CREATE ON DATABASE $_ TO tenant, mallory") for 'compared', 'restored', 'theirs';
$node->safe_psql('postgres', 'CREATE DATABASE edition OWNER tenant');
$node->safe_psql($_, 'CREATE SCHEMA crypto; GRANT USAGE ON SCHEMA crypto TO PUBLIC; CREATE EXTENSION pgcrypto SCHEMA crypto') for 'compared', 'edition';

# --- Load it ---
my @load = ('psql', '--no-psqlrc', '--quiet', '--username=tenant', '--set=ON_ERROR_STOP=1', '--single-transaction', '--dbname');
my $objects = q{SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_type), (SELECT count(*) FROM pg_operator),
    (SELECT count(*) FROM pg_namespace), (SELECT count(*) FROM pg_proc WHERE pronamespace <> 'uuidx'::regnamespace)};
$node->safe_psql('compared', 'CREATE SCHEMA uuidx AUTHORIZATION tenant');
my $before = $node->safe_psql('compared', $objects);
command_ok([ @load, $node->connstr('compared'), '--file', $edition ], 'A role with CREATE on the database loads the edition');
my $functions = 'SELECT oid, proname, proargtypes, prosrc, prosqlbody FROM pg_proc ORDER BY oid';
my $loaded = $node->safe_psql('compared', $functions);
command_ok([ @load, $node->connstr('compared'), '--file', $edition ], 'It loads it again');
is($node->safe_psql('compared', $functions), $loaded, 'The functions are the same ones then');
is($node->safe_psql('compared', $objects), $before, 'Nothing is outside of the schema, nor in it but functions');

# A dump has the functions as they are.
my $dump = "$folder/dump.sql";
my $created = q{SELECT string_agg(pg_get_functiondef(oid), ';' ORDER BY oid::regprocedure::text) FROM pg_proc
    WHERE pronamespace = 'uuidx'::regnamespace AND prokind = 'f'};
command_ok([ 'pg_dump', '--no-sync', '--file', $dump, $node->connstr('compared') ], 'The database is dumped');
command_ok([ @load[ 0 .. 2 ], '--set=ON_ERROR_STOP=1', '--dbname', $node->connstr('restored'), '--file', $dump ], 'The dump is restored');
is($node->safe_psql('restored', $created), $node->safe_psql('compared', $created), 'The restored functions are the same');

# Who loads it into the schema of somebody else, or of the extension, is told.
$node->safe_psql('theirs', 'SET SESSION AUTHORIZATION mallory; CREATE SCHEMA uuidx; GRANT ALL ON SCHEMA uuidx TO PUBLIC');
my $theirs = qr/schema "uuidx" belongs to role "mallory"\nDETAIL:  Its owner could replace the functions .*\nHINT:  Load the file as that role, or give/;
command_fails_like([ @load, $node->connstr('theirs'), '--file', $edition ], $theirs, 'It is not loaded into the schema of another role');
my @superuser = (@load, $node->connstr('theirs'), '--username=' . getpwuid($>), '--file', $edition);
command_fails_like(\@superuser, $theirs, 'nor by a superuser');
# Of managed servers, the role that the customer gets is a member of all that he creates.
$node->safe_psql('theirs', 'GRANT mallory TO tenant');
command_fails_like([ @load, $node->connstr('theirs'), '--file', $edition ], $theirs, 'nor by a member of that role');
$node->safe_psql('theirs', 'ALTER DATABASE theirs OWNER TO mallory; ALTER SCHEMA uuidx OWNER TO pg_database_owner');
command_fails_like([ @load, $node->connstr('theirs'), '--file', $edition ], $theirs, 'nor if mallory owns the schema with the database');
$node->safe_psql('theirs', 'ALTER DATABASE theirs OWNER TO CURRENT_USER');
command_ok([ @load, $node->connstr('theirs'), '--command', 'BEGIN', '--file', $edition, '--command', 'ROLLBACK' ], 'but into the schema of a superuser');
$node->safe_psql('theirs', 'REVOKE mallory FROM tenant');
$node->safe_psql('theirs', q{DROP SCHEMA uuidx; CREATE SCHEMA uuidx; GRANT ALL ON SCHEMA uuidx TO PUBLIC; SET SESSION AUTHORIZATION mallory;
    CREATE FUNCTION uuidx.uuid_version(uuid) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT AS 'SELECT 7::smallint';
    CREATE FUNCTION uuidx.uuid_versions(uuid) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT AS 'SELECT 7::smallint'});
command_fails_like(\@superuser, qr/function uuidx\.uuid_version\(uuid\) belongs to role "mallory"/, 'It does not replace the function of another role');
$node->safe_psql('theirs', 'DROP FUNCTION uuidx.uuid_version');
command_ok(\@superuser, 'Other functions may be in the schema');
$node->safe_psql('theirs', 'DROP SCHEMA uuidx CASCADE; CREATE SCHEMA uuidx; CREATE EXTENSION uuidx SCHEMA uuidx');
command_fails_like(\@superuser, qr/schema "uuidx" has the functions of a library already/, 'It does not replace the extension');
my $renamed = "$folder/renamed.sql";
append_to_file($renamed, slurp_file($edition) =~ s/\buuidx\b/ids/gr);
$superuser[-1] = $renamed;
command_ok(\@superuser, 'It goes beside it, in a schema of another name');
$node->safe_psql('theirs', 'DROP SCHEMA ids CASCADE; CREATE SCHEMA ids; ALTER EXTENSION uuidx SET SCHEMA ids');
command_fails_like(\@superuser, qr/schema "ids" has the functions of a library already/, 'It does not replace the extension there either');

# --- What it has ---
# What the library has and the edition has not is in docs/operate/managed.md; the rest has the same arguments, results and nature. Only
# in C can a VOLATILE function be PARALLEL SAFE.
$node->safe_psql('compared', 'CREATE SCHEMA library; CREATE EXTENSION uuidx SCHEMA library');
my $declared = q{SELECT concat_ws(' ', proname, '(' || pg_get_function_arguments(oid) || ')', pg_get_function_result(oid), prokind,
    provolatile, CASE WHEN provolatile <> 'v' THEN proparallel END, proisstrict) FROM pg_proc WHERE pronamespace = '%s'::regnamespace};
my %of_library = map { $_ => 1 } split /\n/, $node->safe_psql('compared', sprintf $declared, 'library');
my @of_edition = grep { !/^edition_/ } split /\n/, $node->safe_psql('compared', sprintf $declared, 'uuidx');
is_deeply([ grep { !$of_library{$_} } @of_edition ], [], scalar(@of_edition) . ' functions are declared as those of the library');

# --- The files of sql/ ---
my $public = "$folder/public.sql";
append_to_file($public, slurp_file($edition) =~ s/\buuidx\b/public/gr);
$node->safe_psql('edition', 'ALTER SCHEMA public OWNER TO tenant');
command_ok([ @load, $node->connstr('edition'), '--file', $public ], 'It is loaded into a schema of another name');
chomp(my $bindir = `pg_config --bindir`);
my @files = qw(aggregate convert encode generate guard mask query read typeid);
my $same = run_log([ $ENV{PG_REGRESS}, '--use-existing', '--dbname=edition', '--inputdir=.', "--outputdir=$folder",
    "--bindir=$bindir", '--host=' . $node->host, '--port=' . $node->port, @files ]);
ok($same, "sql/ prints the same on the edition: @files") or diag(slurp_file("$folder/regression.diffs"));

# --- Random and edge inputs ---
$node->safe_psql('compared', qq{SET timezone = 'UTC';
    CREATE TABLE inputs AS
    SELECT n, id, t, CASE n % 40 WHEN 0 THEN 'empty' WHEN 1 THEN tstzrange(t, NULL, bounds) WHEN 2 THEN tstzrange(NULL, u, bounds)
                         ELSE tstzrange(least(t, u), greatest(t, u), bounds) END AS period
    FROM generate_series(1, $inputs) AS n,
         -- Any bits; those that a version has; and the first or last UUIDs of one
         LATERAL (SELECT md5(n::text) AS octets, to_hex(n % 16) AS version, substr('89ab', n % 4 + 1, 1) AS variant) AS bits,
         LATERAL (SELECT (CASE n % 7 WHEN 0 THEN octets WHEN 1 THEN overlay(octets PLACING repeat('0', n % 32) FROM 1)
                              WHEN 2 THEN repeat(substr('0f', n / 16 % 2 + 1, 1), 12) || version || repeat(substr('0f', n / 32 % 2 + 1, 1), 19)
                              ELSE overlay(overlay(octets PLACING version FROM 13) PLACING variant FROM 17) END)::uuid AS id) AS ids,
         -- The first and last moments of the versions, and times from 1400 to 11540
         LATERAL (SELECT (ARRAY['1582-10-15', '1970-01-01', '2000-01-01', '2335-05-07 23:44:06.068469', '5236-03-31 21:21:00.684697',
                               '10889-08-02 05:31:50.656'])[n % 6 + 1]::timestamptz AS edge) AS edges,
         LATERAL (SELECT CASE WHEN n % 50 = 0 THEN (ARRAY['-infinity', 'infinity', '4714-11-24 BC', '294276-12-31 23:59:59.999999'])[n / 50 % 4 + 1]::timestamptz
                              WHEN n % 3 = 0 THEN edge + (n / 3 % 2001 - 1000) * interval '1 us'
                              ELSE timestamptz '1400-01-01' + ('x' || md5('hours' || n))::bit(32)::bigint % 88860000 * interval '1 hour'
                                   + n * interval '1.000001 s' END AS t,
                         edge + CASE WHEN n % 5 > 0 THEN n % 4001 - 2000 ELSE 0 END * interval '1 us' AS u) AS times,
         LATERAL (SELECT (ARRAY['[]', '[)', '(]', '()'])[n % 4 + 1] AS bounds) AS b;
    ANALYZE inputs});
is($node->safe_psql('compared', q{SELECT count(DISTINCT library.uuid_version(id)), count(DISTINCT library.uuid_variant(id)),
        min(t) FILTER (WHERE t > '1300-01-01') < '1410-01-01', max(t) FILTER (WHERE t < '13000-01-01') > '11500-01-01' FROM inputs}),
    '16|4|t|t', 'The inputs have all versions and variants, and times from 1400 to 11540');

# differences(CALL, INPUTS, AS): the first of so many inputs for which the call of both is not the same, as this expression
# sees it
sub differences
{
    my ($call, $count, $as) = @_;
    my ($ours, $theirs) = map { my $schema = $_; $as->($call =~ s/(?<![.\w])(?=uuid_(?!send)\w+\()/$schema./gr) } 'uuidx', 'library';
    return $node->safe_psql('compared', qq{SET timezone = 'UTC';
        SELECT id, t, period, $ours, $theirs FROM inputs WHERE n <= $count AND ($ours) IS DISTINCT FROM ($theirs) LIMIT 3});
}

my @texts = (
    (map { "uuid_encode(id, '$_')" } qw(urn ulid base32hex base58 base64url)),
    (map { "uuid_decode(library.uuid_encode(id, '$_'), '$_')" } qw(urn ulid base32hex base58 base64url)),
    q{uuid_to_typeid(id, 'order')}, q{uuid_from_typeid(library.uuid_to_typeid(id, 'order'))});
my $version = 'library.uuid_version(id)';
is(differences($_, /encode|typeid/ ? $inputs / 20 : $inputs, sub { $_[0] }), '', "$_ returns the same") for
    (map { "uuid_$_(id)" } qw(version variant is_v6 is_v7 time extract_timestamp v7_time_us v7_node_id v8_time draft01_time
        extract_clock_seq extract_node)),
    "CASE WHEN $version = 1 THEN uuid_v1_to_v6(id) END", "CASE WHEN $version = 6 THEN uuid_v6_to_v1(id) END",
    (map { ("uuid_${_}_from(t)", "uuid_${_}_after(t)", "uuid_${_}_lower(period)", "uuid_${_}_upper(period)", "uuid_${_}_in(id, period)") } 'v6', 'v7'),
    'uuid_generate_v8(id, t::text)', 'uuid_generate_v8(uuid_send(id))', @texts,
    q{uuid_mask(id, decode(md5(n::text), 'hex'), left(t::text, n % 30))}, q{uuid_unmask(id, sha256(uuid_send(id)), repeat('x', n % 40), n % 16)};

# Of what raises errors, these are compared, too. The other texts have wrong lengths, wrong digits, and numbers that are too large.
$node->safe_psql('compared', q{CREATE FUNCTION outcome(query text, id uuid, t timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    detail text;
    hint   text;
BEGIN
    EXECUTE query INTO result USING id, t;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws('|', sqlstate, sqlerrm, detail, hint);
END
$$});
is(differences($_, $inputs / 40, sub { "outcome(\$q\$SELECT ($_[0])::text\$q\$, id, t)" }), '', "$_ returns or raises the same") for
    'uuid_inspect($1)', 'uuid_v1_to_v6($1)', 'uuid_v6_to_v1($1)', 'uuid_v7_of($2, $1)', 'uuid_v7_of_name($2, $1::text)',
    (map { "left(uuid_generate_${_}_at(\$2)::text, 18)" } qw(v6 v7 v8)), q{uuid_generate_v8(substr(uuid_send($1), 1, length($2::text) - 10))},
    (map { my $format = $_; map { "uuid_decode($_, '$format')" } q{left(library.uuid_encode($1, 'ulid'), 22)}, q{library.uuid_encode($1, 'ulid')},
        $format eq 'hex' ? () : ("reverse(library.uuid_encode(\$1, '$format'))", "upper(library.uuid_encode(\$1, '$format'))",
            "library.uuid_encode(\$1, '$format') || 'é'") } qw(urn ulid base32hex base58 base64url hex)),
    'uuid_mask($1, substr(sha256(uuid_send($1)), 1, get_byte(uuid_send($1), 15) % 34))',
    'uuid_unmask($1, sha256(uuid_send($1)), $2::text, get_byte(uuid_send($1), 15) % 20 - 2)',
    q{uuid_encode($1, 'hex')}, q{uuid_to_typeid($1, substr($2::text, 12))}, q{uuid_from_typeid(library.uuid_to_typeid($1, 'order'), 'user')},
    q{uuid_from_typeid(lower(library.uuid_encode($1, 'base32hex')))};
# A server without ICU has no collation in which texts are equal that differ.
my (undef, undef, $no_collation) = $node->psql('compared',
    q{CREATE COLLATION public.any_case (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = false)});
if ($no_collation)
{
    like($no_collation, qr/ICU is not supported/, 'This server has no ICU');
}
else
{
    is(differences($_, 10, sub { "outcome(\$q\$SELECT ($_[0])::text\$q\$, id, t)" }), '', "$_ returns or raises the same") for
        map { "$_ COLLATE public.any_case)" } q{uuid_encode($1, 'URN'}, q{uuid_decode(library.uuid_encode($1, 'urn'), 'URN'},
            q{uuid_from_typeid(library.uuid_to_typeid($1, 'order'), 'ORDER'};
}

# --- Masks ---
# mallory makes functions of the name of pgcrypto's, and owns the schema in which it is; neither is called.
$node->safe_psql('postgres', 'CREATE DATABASE masks; GRANT CREATE ON DATABASE masks TO tenant, mallory');
my $plant = q{SET ROLE mallory; CREATE FUNCTION %s RETURNS bytea LANGUAGE plpgsql AS 'BEGIN RAISE $$planted$$; END'; RESET ROLE;};
$node->safe_psql('masks', 'GRANT ALL ON SCHEMA public TO mallory;' . sprintf $plant, 'public.encrypt_iv(bytea, bytea, bytea, text)');
my @mask = ([ @load, $node->connstr('masks'), '--command', q{SELECT uuidx.uuid_mask('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '\x2b7e151628aed2a6abf7158809cf4f3c')} ]);
command_ok([ @load, $node->connstr('masks'), '--file', $edition ], 'The edition is loaded without pgcrypto');
command_fails_like($mask[0], qr/ERROR:  masks need the extension "pgcrypto"\nDETAIL: .*\nHINT:  Run CREATE EXTENSION pgcrypto, and load uuidx.sql again/, 'A mask says that it needs that');
$node->safe_psql('masks', 'SET SESSION AUTHORIZATION mallory; CREATE SCHEMA crypto; GRANT USAGE ON SCHEMA crypto TO tenant; CREATE EXTENSION pgcrypto SCHEMA crypto;'
    . sprintf $plant, 'crypto.encrypt_iv(bytea, bytea, bytea, varchar)');
my $replaced = "$folder/replaced.sql";
append_to_file($replaced, slurp_file($edition) =~ s/^ELSE\n\K(?=    EXECUTE format\('CREATE OR REPLACE FUNCTION uuidx.edition_pgcrypto)/    aes.schema := 'public';\n/mr);
command_fails_like([ @load, $node->connstr('masks'), '--file', $replaced ], qr/schema public of pgcrypto has been replaced/,
    'It is not loaded if mallory puts another schema in the place of that of pgcrypto');
command_ok([ @load, $node->connstr('masks'), '--file', $edition ], 'It is loaded again');
command_like($mask[0], qr/1a61a5b7-7874-41a4-a289-26b20db2ad65/, 'Now it masks');
is($node->safe_psql('masks', q{SELECT uuidx.edition_pgcrypto(decode(data, 'hex'), decode(key, 'hex'), '\x000102030405060708090a0b0c0d0e0f')
    FROM (VALUES ('6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51')) AS d (data),
         (VALUES ('2b7e151628aed2a6abf7158809cf4f3c'), ('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4')) AS k (key)}),
    "\\x7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\n\\xf58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d",
    'Its AES is that of the samples in NIST SP 800-38A, F.2.1 and F.2.5');

# --- A newer server ---
# After pg_upgrade to PostgreSQL 18, the generator is still the one for older servers.
for my $in_place_of_uuidv7 ('none', 'now')
{
    append_to_file("$folder/$in_place_of_uuidv7.sql", slurp_file($edition) =~ s/IF to_regprocedure\('pg_catalog\.\Kuuidv7/$in_place_of_uuidv7/r);
}
command_ok([ @load, $node->connstr('masks'), '--file', "$folder/none.sql" ], 'An older server has a generator');
for my $says (qr/NOTICE:  uuid_generate_v7\(\) now calls uuidv7\(\)/, qr/^((?!uuidv7).)*$/s)
{
    my (undef, $errors) = run_command([ @load, $node->connstr('masks'), '--file', "$folder/now.sql" ]);
    like($errors, $says, 'Loaded again on a newer one, the edition says that there is another, once');
}

# --- Indexes ---
$node->safe_psql('compared', q{
    CREATE TABLE events (id uuid PRIMARY KEY);
    INSERT INTO events SELECT uuidx.uuid_generate_v7_at(timestamptz '2026-01-01' + n * interval '1 min') FROM generate_series(1, 10000) AS n;
    ANALYZE events});
like($node->safe_psql('compared', "EXPLAIN (COSTS OFF) SELECT * FROM events WHERE $_"), qr/Index Cond: .*id >= .*id </, "The primary key serves $_") for
    q{uuidx.uuid_v7_in(id, '[2026-01-02, 2026-01-02 01:00)')}, q{uuidx.uuid_v7_in(id, tstzrange('2026-01-02', '2026-01-02 01:00'))},
    q{id >= uuidx.uuid_v7_from('2026-01-02') AND id < uuidx.uuid_v7_from('2026-01-02 01:00')};
like($node->safe_psql('compared', 'EXPLAIN (COSTS OFF) SELECT uuidx.max(id) FROM events'), qr/Index Only Scan Backward/, 'It serves max');

# --- Order ---
is($node->safe_psql('compared', q{SELECT count(*) FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS wrong
    FROM (SELECT n, uuidx.uuid_generate_v7() AS id FROM generate_series(1, 50000) AS n) AS g) AS o WHERE wrong}), '0',
    '50,000 keys are in order');

# --- Parallel queries ---
# The leader runs such a query alone where there is no worker, and every function that it may run.
my $parallel = 'SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers = 0;';
is($node->safe_psql('compared', q{SELECT string_agg(DISTINCT concat_ws(' ', provolatile, proparallel), ', ') FROM pg_proc WHERE pronamespace = 'uuidx'::regnamespace}),
    'i s, s s, v u', 'The VOLATILE functions are PARALLEL UNSAFE, and no others');
like($node->safe_psql('compared', "$parallel EXPLAIN CREATE TABLE made AS SELECT uuidx.uuid_mask(id, uuid_send(id)) FROM inputs"), qr/Gather/,
    'Others run in parallel');
my %argument = ('' => '', integer => '2', interval => q{interval '1 day'}, 'timestamp with time zone' => q{timestamptz '2026-01-01'});
my @generators = map { my ($name, $type) = split /\|/; "uuidx.$name($argument{$type})" } split /\n/, $node->safe_psql('compared', q{
    SELECT proname || '|' || oidvectortypes(proargtypes) FROM pg_proc WHERE pronamespace = 'uuidx'::regnamespace AND provolatile = 'v' AND prorettype = 'uuid'::regtype});
cmp_ok(scalar @generators, '>', 7, 'There are generators');
for my $statement ((map { "CREATE TABLE made AS SELECT $_ AS made FROM inputs" } @generators),
    'SELECT uuidx.uuid_generate_v7() AS made INTO made FROM inputs', 'CREATE MATERIALIZED VIEW made AS SELECT uuidx.uuid_generate_v7() AS made FROM inputs')
{
    my (undef, undef, $errors) = $node->psql('compared', "$parallel BEGIN; $statement; ROLLBACK");
    is($errors, '', "It works: $statement");
}

# --- Planted functions ---
is($node->safe_psql('compared', q{SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc JOIN pg_language AS l ON l.oid = prolang
    WHERE pronamespace = 'uuidx'::regnamespace AND lanname = 'plpgsql' AND proconfig IS NULL}), 'uuid_generate_v6 uuid_generate_v7',
    'All functions in PL/pgSQL but these two set search_path');
is($node->safe_psql('compared', q{SELECT string_agg(proname, ' ') FROM pg_proc JOIN pg_language AS l ON l.oid = prolang
    WHERE pronamespace = 'uuidx'::regnamespace AND lanname = 'sql' AND prosqlbody IS NULL}), '', 'All bodies in SQL are bound');
# Better matches than PostgreSQL's own, first in the search_path of whoever calls; and overloads beside the edition's
my @expressions = (q{uuid_unmask(uuid_mask(id, '\x2b7e151628aed2a6abf7158809cf4f3c'), '\x2b7e151628aed2a6abf7158809cf4f3c')}, 'uuid_time(id)', 'uuid_is_v7(id)', 'uuid_v7_in(id, period)', 'uuid_inspect(id)', @texts,
    (map { ("uuid_${_}_from(t)", "uuid_${_}_after(t)", "uuid_${_}_lower(period)", "uuid_${_}_upper(period)") } 'v6', 'v7'));
my $digest = 'SELECT md5(string_agg((' . join(', ', map { s/(?<![.\w])(?=uuid_\w+\()/uuidx./gr } @expressions) .
    ")::text, '' ORDER BY n)), (SELECT count(*) FROM uuidx.uuid_generate_v7_batch(10)), count(uuidx.uuid_generate_v6()),
    count(uuidx.uuid_generate_v7(interval '1 day')) FROM public.inputs WHERE n <= 200";
my $expected = $node->safe_psql('compared', "SET timezone = 'UTC'; $digest");
$node->safe_psql('compared', q{SET check_function_bodies = off;
    CREATE SCHEMA planted;
    DO $do$
    DECLARE
        f record;
    BEGIN
        -- PostgreSQL's functions and operators that the edition may call, with the same arguments
        FOR f IN SELECT format('%I(%s)', proname, pg_get_function_identity_arguments(oid)) AS signature, prorettype::regtype AS result
                 FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND NOT proretset AND provariadic = 0
                   AND proname ~ '^(uuid_send|encode|get_byte|set_byte|int8send|substr|timestamptz_send|clock_timestamp|gen_random_uuid|uuidv7|sha256|decode|int4send|encrypt_iv|format|length|mod|div|repeat|lpad|strpos|translate|upper|now|isempty|lower|lower_inc|convert_to|getdatabaseencoding)$'
                   AND proargtypes::oid[] && ARRAY['internal'::regtype::oid] IS FALSE
        LOOP
            EXECUTE format($$CREATE FUNCTION planted.%s RETURNS %s LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END'$$, f.signature, f.result);
        END LOOP;
        FOR f IN SELECT oprname AS name, format_type(oprleft, NULL) AS a, format_type(oprright, NULL) AS b, format_type(oprresult, NULL) AS result, o.oid
                 FROM pg_operator AS o
                 WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprkind = 'b'
                   AND oprname IN ('=', '<>', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', '||', '&', '|', '<<', '>>', '~', '!~')
                   AND oprleft::regtype::text ~ '^(bigint|integer|smallint|text|uuid|numeric|bytea|timestamp.*|interval|oid|"char"|name)$'
        LOOP
            EXECUTE format($$CREATE FUNCTION planted.op%s(%s, %s) RETURNS %s LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END'$$, f.oid, f.a, f.b, f.result);
            EXECUTE format('CREATE OPERATOR planted.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = planted.op%s)', f.name, f.a, f.b, f.oid);
        END LOOP;
        -- In the schema itself: each function of the edition, with another type in the place of one of its arguments
        FOR f IN SELECT DISTINCT proname AS name, array_to_string(args[:i - 1] || t::text || args[i + 1:], ', ') AS args, result FROM (
                     SELECT proname, prorettype::regtype AS result, ARRAY(SELECT format_type(a, NULL) FROM unnest(proargtypes::oid[]) WITH ORDINALITY AS x (a, n) ORDER BY n) AS args
                     FROM pg_proc WHERE pronamespace = 'uuidx'::regnamespace AND prokind = 'f' AND NOT proretset AND prorettype NOT IN ('record'::regtype, 'trigger'::regtype)) AS p,
                     LATERAL generate_subscripts(args, 1) AS i,
                     unnest('{smallint,integer,bigint,numeric,text,varchar,name,bytea,timestamp,timestamptz,uuid,unknown}'::regtype[]) AS t
                 WHERE t <> 'unknown'::regtype
                   AND to_regprocedure(format('uuidx.%I(%s)', proname, array_to_string(args[:i - 1] || t::text || args[i + 1:], ', '))) IS NULL
        LOOP
            EXECUTE format($$CREATE FUNCTION uuidx.%I(%s) RETURNS %s LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END'$$, f.name, f.args, f.result);
        END LOOP;
    END
    $do$});
cmp_ok($node->safe_psql('compared', q{SELECT count(*) FROM pg_proc WHERE prosrc = $$BEGIN RAISE 'planted'; END$$}), '>', 500,
    'More than 500 functions and operators are planted');
command_ok([ @load, $node->connstr('compared'), '--command', 'SET search_path = planted, pg_catalog', '--file', $edition ],
    'Whoever loads the edition again calls none of them');
is($node->safe_psql('compared', "SET timezone = 'UTC'; SET search_path = planted, pg_catalog; " . $digest
        =~ s/ \|\| / OPERATOR(pg_catalog.||) /gr =~ s/<= 200/OPERATOR(pg_catalog.<=) 200/r),
    $expected, 'Nor does a function of the edition');
$node->stop;
done_testing();
