# uuidx-adopt.sql makes the functions of the SQL edition those of the extension: what uses them stays and works, and the
# catalog is that of a new installation, whatever the role that has loaded the edition has left in its schema.

use strict;
use warnings;
use lib 'test/lib';
use ExtensionCatalog;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;
my $edition = PostgreSQL::Test::Utils::tempdir . '/keys.sql';
append_to_file($edition, slurp_file('sql-edition/uuidx.sql') =~ s/\buuidx\b/keys/gr);
my @psql = ('psql', '--no-psqlrc', '--quiet', '--no-align', '--tuples-only', '--set=ON_ERROR_STOP=1');

# The command that adopts the edition of tenant, and one that runs SQL as tenant
sub adoption { my ($database, $file) = @_; return (@psql, '--set=schema=keys', '--set=owner=tenant', '--file', $file // 'sql-edition/uuidx-adopt.sql', $node->connstr($database)) }
sub as_tenant { my ($database, $sql) = @_; return (@psql, '--username=tenant', '--command', $sql, $node->connstr($database)) }

$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN; CREATE ROLE mallory LOGIN; CREATE DATABASE new');
$node->safe_psql('new', 'CREATE SCHEMA keys; CREATE EXTENSION uuidx SCHEMA keys');
my $new = ExtensionCatalog::of($node, 'new', 'uuidx');

# A database of tenant with the edition
my $number = 0;
sub database_with_edition
{
    my ($sql) = @_;
    my $database = 'edition' . ++$number;
    $node->safe_psql('postgres', $number == 1 ? "CREATE DATABASE $database OWNER tenant" : "CREATE DATABASE $database TEMPLATE loaded OWNER tenant");
    return $database;
}
$node->safe_psql('postgres', 'CREATE DATABASE loaded OWNER tenant');
run_command([ @psql, '--username=tenant', '--file', $edition, $node->connstr('loaded') ]);

# --- What uses the functions ---
my $database = database_with_edition();
run_command([ @psql, '--username=tenant', '--file', $edition, $node->connstr($database) ]);
$node->safe_psql($database, q{
    SET SESSION AUTHORIZATION tenant;
    CREATE SCHEMA app;
    CREATE TABLE app.orders (
        id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v7() CHECK (keys.uuid_is_v7(id)),
        created timestamptz GENERATED ALWAYS AS (keys.uuid_time(id)) STORED);
    CREATE INDEX orders_created ON app.orders (keys.uuid_time(id));
    CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON app.orders FOR EACH ROW EXECUTE FUNCTION keys.uuid_guard('id', '1 day');
    CREATE VIEW app.recent AS SELECT keys.uuid_encode(id, 'base58') AS link FROM app.orders WHERE keys.uuid_v7_in(id, tstzrange(now() - interval '1 day', NULL));
    CREATE MATERIALIZED VIEW app.ends AS SELECT keys.min(id) AS first, keys.max(id) AS last FROM app.orders;
    CREATE FUNCTION app.version(uuid) RETURNS smallint LANGUAGE sql RETURN keys.uuid_version($1);
    GRANT USAGE ON SCHEMA keys, app TO mallory;
    REVOKE ALL ON FUNCTION keys.uuid_inspect(uuid) FROM PUBLIC;
    INSERT INTO app.orders SELECT FROM generate_series(1, 1000);
    REFRESH MATERIALIZED VIEW app.ends});
my $oids = q{SELECT string_agg(oid || ' ' || proname, ', ' ORDER BY oid) FROM pg_proc WHERE pronamespace = 'keys'::regnamespace AND proname LIKE 'uuid\_%'
    AND oid < %s};
my $next = $node->safe_psql($database, 'SELECT max(oid::bigint) + 1 FROM pg_proc');
my $before = $node->safe_psql($database, sprintf $oids, $next);
my $read = q{SELECT md5(string_agg(concat_ws(' ', o, e, link), ',' ORDER BY o.id)), count(link) FROM app.orders AS o, app.ends AS e, app.recent
    WHERE link = keys.uuid_encode(o.id, 'base58')};
my $rows = $node->safe_psql($database, $read);
like($rows, qr/\|1000$/, 'The edition has made 1,000 rows, which its view finds');
my ($output, $messages) = run_command([ adoption($database) ]);
is($output, '', 'The script prints no rows');
like($messages, qr/NOTICE:  indexes on creation times: app\.orders_created\nHINT:  Drop each/, 'It names the index on uuid_time(id)');
is($node->safe_psql($database, sprintf $oids, $next), $before, 'The functions have the OIDs that they had');
like(ExtensionCatalog::difference($new, ExtensionCatalog::of($node, $database, 'uuidx')), qr/^\+ function uuid_inspect\(uuid\): \{(\w+)=X\/\1\}$/,
    'The catalog is that of a new installation, but for a privilege that tenant has revoked');
is($node->safe_psql($database, $read), $rows, 'The rows are the same, in the tables and through the views');
is($node->safe_psql($database, q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'keys'::regnamespace AND proname LIKE 'edition%'}), '0',
    'What only the edition needs is gone');
command_ok([ as_tenant($database, 'INSERT INTO app.orders DEFAULT VALUES') ], 'The owner of the table inserts with the DEFAULT, CHECK and trigger');
for my $refused ([ q{('019c44d9-0800-4000-8000-000000000000')}, 'orders_id_check|is not a version 7' ], [ q{(keys.uuid_generate_v7(interval '2 days'))}, 'too far in the future' ])
{
    command_fails_like([ as_tenant($database, "INSERT INTO app.orders VALUES $refused->[0]") ], qr/$refused->[1]/, "They refuse $refused->[0]");
}
my $later = 'EXPLAIN (COSTS OFF) SELECT * FROM app.orders WHERE keys.uuid_time(id) > now()';
like($node->safe_psql($database, $later), qr/orders_created/, 'The index on uuid_time(id) serves queries');
$node->safe_psql($database, 'DROP INDEX app.orders_created');
like($node->safe_psql($database, $later), qr/orders_pkey/, 'When it is dropped, the primary key does');
command_fails_like([ as_tenant($database, 'DROP FUNCTION keys.uuid_time(uuid)') ], qr/extension uuidx requires it|must be owner/,
    'tenant, who owns the schema, cannot drop a function of the extension');
command_fails_like([ as_tenant($database, 'CREATE OR REPLACE FUNCTION keys.uuid_max() RETURNS uuid LANGUAGE sql AS $$ SELECT NULL::uuid $$') ],
    qr/must be owner/, 'Nor replace one');
command_fails_like([ adoption($database) ], qr/extension "uuidx" already exists/, 'The script does not run twice');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
command_ok([ 'pg_dump', '--no-sync', '--file', "$edition.dump", $node->connstr($database) ], 'The database is dumped');
command_ok([ @psql, '--file', "$edition.dump", $node->connstr('restored') ], 'It is restored');
is(ExtensionCatalog::difference($new, ExtensionCatalog::of($node, 'restored', 'uuidx')), '', 'The restored extension is as a new one');

# --- What the owner of the schema has left ---
# Each function here raises an error where it is called.
my $evil = q{LANGUAGE plpgsql AS $$ BEGIN RAISE 'called by %', current_user; END $$};
my %harmless = (
    'bodies of his own' => q{DO $do$ DECLARE f record; BEGIN
            FOR f IN SELECT oid::regprocedure, pg_get_functiondef(oid) AS definition FROM pg_proc
                     WHERE pronamespace = 'keys'::regnamespace AND proname ~ '^uuid_' AND prokind = 'f' LOOP
                EXECUTE regexp_replace(f.definition, '\mLANGUAGE .*', format('LANGUAGE plpgsql AS %L', 'BEGIN RAISE ''called''; END'));
                EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER COST 12345 SET work_mem = ''64kB'' PARALLEL UNSAFE CALLED ON NULL INPUT', f.oid);
            END LOOP; END $do$},
    'an aggregate of his own' => "CREATE FUNCTION keys.step(uuid, uuid) RETURNS uuid $evil; CREATE FUNCTION keys.done(uuid) RETURNS uuid $evil;
        CREATE OR REPLACE AGGREGATE keys.min(uuid) (SFUNC = keys.step, STYPE = uuid, FINALFUNC = keys.done, INITCOND = '00000000-0000-0000-0000-000000000000')",
    'overloads' => join('; ', map { "CREATE FUNCTION keys.$_ $evil" } 'uuid_v7_lower(anyrange) RETURNS uuid', 'uuid_v7_upper(text) RETURNS uuid', 'uuid_is_v7(text) RETURNS boolean',
        'uuid_time(text) RETURNS timestamptz', 'replace(text, text, text) RETURNS text', 'format(text, text) RETURNS text',
        'format(text, variadic text[]) RETURNS text', 'pg_get_functiondef(oid) RETURNS text', 'pg_get_functiondef(regprocedure) RETURNS text', 'edition_(regprocedure, text) RETURNS text'),
    'operators' => "CREATE FUNCTION keys.compare(uuid, uuid) RETURNS boolean $evil; " . join('; ', map { "CREATE OPERATOR keys.$_ (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = keys.compare)" } '>=', '<=', '<', '>', '='),
    'types' => q{CREATE DOMAIN keys.uuid AS pg_catalog.uuid CHECK (false); CREATE DOMAIN keys.text AS pg_catalog.text CHECK (false); CREATE DOMAIN keys.tstzrange AS pg_catalog.tstzrange CHECK (false)},
    'a search_path for all' => "ALTER DATABASE \$database SET search_path = keys, public; CREATE FUNCTION keys.format(text, text) RETURNS text $evil",
    'comments' => q{COMMENT ON FUNCTION keys.uuid_time(uuid) IS 'his'; COMMENT ON AGGREGATE keys.min(uuid) IS 'his'},
    'a function less' => q{DROP FUNCTION keys.uuid_guard(), keys.uuid_v8_time(uuid)});
for my $what (sort keys %harmless)
{
    my $tried = database_with_edition();
    my ($output, $errors) = run_command([ as_tenant($tried, $harmless{$what} =~ s/\$database/$tried/r) ]);
    is($errors, '', "tenant leaves $what");
    ($output, $errors) = run_command([ adoption($tried) ]);
    is($errors, '', 'The edition is adopted all the same');
    is(ExtensionCatalog::difference($new, ExtensionCatalog::of($node, $tried, 'uuidx')), '', 'The catalog is that of a new installation');
}
my %refused = (
    'a function of another role' => [ 'ALTER FUNCTION keys.uuid_time(uuid) OWNER TO mallory', qr/DETAIL: .*keys\.uuid_time\(uuid\) in plpgsql, of role mallory/ ],
    'a function in another language' => [ q{CREATE OR REPLACE FUNCTION keys.uuid_smaller(uuid, uuid) RETURNS uuid LANGUAGE internal AS 'uuid_send'; ALTER FUNCTION keys.uuid_smaller(uuid, uuid) OWNER TO tenant},
        qr/DETAIL: .*keys\.uuid_smaller\(uuid,uuid\) in internal, of role tenant/ ],
    'another result' => [ 'DROP FUNCTION keys.uuid_v8_time(uuid); CREATE FUNCTION keys.uuid_v8_time(uuid) RETURNS text LANGUAGE sql AS $$ SELECT NULL::text $$; ALTER FUNCTION keys.uuid_v8_time(uuid) OWNER TO tenant',
        qr/cannot change return type/ ],
    'a default of an argument' => [ "CREATE FUNCTION keys.evil() RETURNS uuid $evil; DROP FUNCTION keys.uuid_v8_time(uuid); CREATE FUNCTION keys.uuid_v8_time(uuid DEFAULT keys.evil()) RETURNS timestamptz $evil;
            ALTER FUNCTION keys.uuid_v8_time(uuid) OWNER TO tenant", qr/cannot remove parameter defaults/ ],
    'a function that not everybody may call' => [ 'SET SESSION AUTHORIZATION tenant; CREATE FUNCTION keys.uuid_generator_reset() RETURNS void LANGUAGE sql AS $$ $$',
        qr/function uuid_generator_reset\(\) already exists in schema "keys"/ ],
    'what an operator of the extension needs' => [ "SET SESSION AUTHORIZATION tenant; CREATE FUNCTION keys.uuid_time_lt(uuid, uuid) RETURNS boolean $evil", qr/uuid_time_lt\(uuid,uuid\)|other objects depend on it/ ],
    'an overload that makes calls ambiguous' => [ "CREATE FUNCTION keys.uuid_v7_lower(tstzrange, text DEFAULT NULL) RETURNS uuid $evil", qr/is not unique/ ],
    'no edition' => [ 'DROP SCHEMA keys CASCADE; CREATE SCHEMA keys', qr/schema keys does not have the SQL edition of role tenant/ ]);
for my $what (sort keys %refused)
{
    my $tried = database_with_edition();
    $node->safe_psql($tried, $refused{$what}[0]);
    my $functions = $node->safe_psql($tried, 'SELECT md5(string_agg(p::text, $$,$$ ORDER BY oid)) FROM pg_proc AS p');
    command_fails_like([ adoption($tried) ], $refused{$what}[1], "It refuses $what");
    is($node->safe_psql($tried, 'SELECT md5(string_agg(p::text, $$,$$ ORDER BY oid)) FROM pg_proc AS p'), $functions, 'It changes nothing then');
}

# Default privileges of the superuser decide who may call what comes with the extension, and nothing else.
for my $default ('REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC', 'GRANT EXECUTE ON FUNCTIONS TO mallory')
{
    my $tried = database_with_edition();
    $node->safe_psql($tried, "ALTER DEFAULT PRIVILEGES $default");
    $node->safe_psql($tried, $refused{'a function that not everybody may call'}[0]);
    command_fails_like([ adoption($tried) ], $refused{'a function that not everybody may call'}[1], "It refuses a function for superusers also with $default");
    $node->safe_psql($tried, 'DROP FUNCTION keys.uuid_generator_reset()');
    my $next = $node->safe_psql($tried, 'SELECT max(oid::bigint) + 1 FROM pg_proc');
    (undef, my $errors) = run_command([ adoption($tried) ]);
    is($errors, '', "The edition is adopted with $default");
    is($node->safe_psql($tried, "SELECT count(*) > 10, bool_and(proacl IS NULL) FROM pg_proc WHERE pronamespace = 'keys'::regnamespace AND oid < $next"), 't|t',
        'Everybody may still call what was there');
}

# What is missing, it says in a sentence.
my $lacking = database_with_edition();
$node->safe_psql('postgres', 'CREATE ROLE other');
for my $case (
    [ 'without a schema', [], [ 'owner=tenant' ], qr/ERROR:  the schema of the SQL edition, or the role that has loaded it, is not given\nHINT:  Run: psql -v schema=/ ],
    [ 'without an owner', [], [ 'schema=keys' ], qr/ERROR:  the schema of the SQL edition, or the role that has loaded it, is not given/ ],
    [ 'as the tenant', ['--username=tenant'], [ 'schema=keys', 'owner=tenant' ], qr/ERROR:  must be superuser to make the SQL edition the library/ ],
    [ 'with another owner', [], [ 'schema=keys', 'owner=other' ],
        qr/ERROR:  schema keys does not have the SQL edition of role other\nDETAIL:  Its functions belong to tenant\. Give that role/ ],
    [ 'with a role that is not there', [], [ 'schema=keys', 'owner=nobody' ], qr/ERROR:  role "nobody" does not exist/ ])
{
    my ($how, $as, $variables, $error) = @$case;
    command_fails_like([ @psql, @$as, (map { "--set=$_" } @$variables), '--file=sql-edition/uuidx-adopt.sql', $node->connstr($lacking) ], $error, "Run $how, it says so");
}

# A view on a function that only the edition has keeps that.
my $kept = database_with_edition();
run_command([ as_tenant($kept, q{CREATE VIEW keys.halves AS SELECT keys.edition_high('ffffffff-ffff-ffff-ffff-ffffffffffff')}) ]);
(undef, $messages) = run_command([ adoption($kept) ]);
like($messages, qr/NOTICE:  functions of the SQL edition stay, because other objects depend on them: .*edition_high/, 'It says that functions stay');
is($node->safe_psql($kept, 'SELECT * FROM keys.halves'), '-1', 'The view works');

# --- At the same time ---
# tenant changes functions or the schema when the script has looked at them. One of the two waits for the other and may find
# a deadlock. If the script goes on, what it has looked at is what it adopts.
my $paused = "$edition.paused";
append_to_file($paused, slurp_file('sql-edition/uuidx-adopt.sql') =~ s/^(?=    FOR i IN 1)/    PERFORM pg_advisory_xact_lock(1);\n/mr);
for my $change (
    "CREATE OR REPLACE FUNCTION keys.uuid_max() RETURNS uuid SECURITY DEFINER $evil",
    "ALTER FUNCTION keys.uuid_time(uuid) RENAME TO mine; CREATE FUNCTION keys.uuid_time(uuid) RETURNS timestamptz $evil",
    'ALTER SCHEMA keys RENAME TO mine; CREATE SCHEMA keys')
{
    my $raced = database_with_edition();
    my ($in, $out, $errors, $errors_of_tenant) = ("SELECT pg_advisory_lock(1);\n\\echo locked\n", '', '', '');
    my $blocker = IPC::Run::start([ @psql, $node->connstr($raced) ], '<', \$in, '>', \$out, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
    $blocker->pump until $out =~ /locked/;
    my $adoption = IPC::Run::start([ adoption($raced, $paused) ], '2>', \$errors, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
    my $waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = '$raced' AND wait_event_type = 'Lock'";
    $node->poll_query_until('postgres', "SELECT ($waiting) = 1");
    my $tenant = IPC::Run::start([ as_tenant($raced, $change) ], '2>', \$errors_of_tenant, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
    $tenant->pump_nb until !$tenant->pumpable || $node->safe_psql('postgres', $waiting) eq '2';
    $in = "SELECT pg_advisory_unlock(1);\n\\q\n";
    $_->finish for $blocker, $adoption, $tenant;
    like("$errors$errors_of_tenant", qr/deadlock detected|tuple concurrently updated|must be owner/, "One of the two fails: $change") unless $change =~ /SCHEMA/;
    run_command([ @psql, '--command', 'DROP SCHEMA keys; ALTER SCHEMA mine RENAME TO keys', $node->connstr($raced) ]);
    is($errors ? ($errors =~ /deadlock|concurrently/ ? '' : $errors) : ExtensionCatalog::difference($new, ExtensionCatalog::of($node, $raced, 'uuidx')), '',
        'The catalog is that of a new installation, or the script has changed nothing');
}
$node->stop;
done_testing();
