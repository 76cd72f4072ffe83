# Another extension has functions of uuidx's names in public, so uuidx and its companions are in a schema that is in
# nobody's search_path. This test calls every function there, uses every operator, the operator class and the scripts of
# a migration, and then asks the server which functions were never called.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use StandIns;
use Test::More;

StandIns::install();
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "track_functions = 'all'");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION timescaledb');

my ($status, $out, $err) = $node->psql('postgres', '\set VERBOSITY verbose
    CREATE EXTENSION uuidx');
like($err, qr/ERROR:  42723: schema "public" already has functions that extension "uuidx" would create\n/,
    'CREATE EXTENSION fails in a schema that has a function of the same name and arguments');
like($err, qr/DETAIL:  The schema has uuid_version\(uuid\) of extension "timescaledb"\.\n/,
    'the error names the function and its extension');
like($err, qr/HINT:  Give the extension a schema of its own: CREATE SCHEMA uuidx; CREATE EXTENSION uuidx SCHEMA uuidx;/,
    'the hint gives the statements that work');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'uuidx%'}), '0',
    'no schema is left of a CREATE EXTENSION that failed');

$node->safe_psql('postgres', q{
    CREATE SCHEMA uuidx;
    CREATE EXTENSION uuidx SCHEMA uuidx;
    CREATE EXTENSION uuidx_ossp SCHEMA uuidx;
    CREATE EXTENSION uuidx_pg_uuidv7 SCHEMA uuidx;
    CREATE EXTENSION uuidx_pg18 SCHEMA uuidx;
    CREATE EXTENSION uuidx_migrate});

# Conditions that must hold when search_path has no schema but pg_catalog
my $v1 = q{'c232ab00-9414-11ec-b3c8-9f6bdeced846'};
my $v6 = q{'1ec9414c-232a-6b00-b3c8-9f6bdeced846'};
my $v7 = q{'017f22e2-79b0-7cc3-98c4-dc0c0c07398f'};
my $day = q{tstzrange('2022-02-22 00:00:00+00', '2022-02-23 00:00:00+00')};
my $moment = q{timestamptz '2022-02-22 19:22:22+00'};
my @true = (
    # uuidx
    "uuidx.uuid_version($v6) = 6",
    "uuidx.uuid_variant($v6) = 'rfc9562'",
    "uuidx.uuid_time($v1) = $moment",
    "uuidx.uuid_extract_timestamp($v6) = $moment",
    "uuidx.uuid_v7_time_us($v7) - $moment < interval '1 ms'",
    "uuidx.uuid_v8_time('2489e9ad-2ee2-8e00-8ec9-32d5f69181c0') = $moment",
    "uuidx.uuid_draft01_time($v7) IS NOT NULL",
    "uuidx.uuid_extract_clock_seq($v6) = 13256",
    "uuidx.uuid_extract_node($v6) = '9f:6b:de:ce:d8:46'",
    "(SELECT created = $moment FROM uuidx.uuid_inspect($v1))",
    "(SELECT uuidx.min(id) = $v7 AND uuidx.max(id) = $v1 FROM (VALUES (uuid $v1), ($v6), ($v7)) AS ids (id))",
    "uuidx.uuid_smaller($v1, $v6) = $v6 AND uuidx.uuid_larger($v1, $v6) = $v1",
    'uuidx.uuid_version(uuidx.uuid_generate_v7()) = 7',
    q{uuidx.uuid_time(uuidx.uuid_generate_v7(interval '-1 day')) < now()},
    "uuidx.uuid_time(uuidx.uuid_generate_v7_at($moment)) = $moment",
    "uuidx.uuid_time(uuidx.uuid_v7_of($moment, $v1)) = $moment",
    "uuidx.uuid_time(uuidx.uuid_v7_of_name($moment, 'name')) = $moment",
    'uuidx.uuid_version(uuidx.uuid_generate_v6()) = 6',
    "uuidx.uuid_time(uuidx.uuid_generate_v6_at($moment)) = $moment",
    "uuidx.uuid_v8_time(uuidx.uuid_generate_v8_at($moment)) = $moment",
    "uuidx.uuid_version(uuidx.uuid_generate_v8($v1, 'name')) = 8",
    q{uuidx.uuid_version(uuidx.uuid_generate_v8('\x00112233445566778899aabbccddeeff'::bytea)) = 8},
    '(SELECT count(*) = 5 FROM uuidx.uuid_generate_v7_batch(5))',
    "(SELECT method = 'precision' FROM uuidx.uuid_generator_state())",
    q{uuidx.uuid_max() = 'ffffffff-ffff-ffff-ffff-ffffffffffff'},
    "uuidx.uuid_v1_to_v6($v1) = $v6",
    "uuidx.uuid_v6_to_v1($v6) = $v1",
    (map { "uuidx.uuid_decode(uuidx.uuid_encode($v7, '$_'), '$_') = $v7" } qw(urn ulid base32hex base58 base64url)),
    "uuidx.uuid_from_typeid(uuidx.uuid_to_typeid($v7, 'order'), 'order') = $v7",
    q{uuidx.uuid_unmask(uuidx.uuid_mask(uuidx.uuid_max(), '\x2b7e151628aed2a6abf7158809cf4f3c'),
        '\x2b7e151628aed2a6abf7158809cf4f3c') = 'ffffffff-ffff-7fff-bfff-ffffffffffff'},
    (map { ("uuidx.uuid_${_}_from($moment) < uuidx.uuid_${_}_after($moment)",
            "uuidx.uuid_${_}_from('2022-02-22 19:22:22+00') = uuidx.uuid_${_}_from($moment)",
            "uuidx.uuid_${_}_lower($day) < uuidx.uuid_${_}_upper($day)") } 'v6', 'v7'),
    "uuidx.uuid_v7_in($v7, $day) AND uuidx.uuid_v6_in($v6, $day)",
    "uuidx.uuid_time_from($moment) < uuidx.uuid_time_after($moment)",
    "uuidx.uuid_time_cmp($v1, uuidx.uuid_max()) < 0",
    (map { "uuid $v1 OPERATOR(uuidx.$_) uuid $v1 = " . (/=/ ? 'true' : 'false') } '<~', '<=~', '>=~', '>~'),
    # uuidx_ossp
    q{uuidx.uuid_nil() = '00000000-0000-0000-0000-000000000000'},
    'uuidx.uuid_ns_dns() < uuidx.uuid_ns_url() AND uuidx.uuid_ns_oid() < uuidx.uuid_ns_x500()',
    'uuidx.uuid_version(uuidx.uuid_generate_v1()) = 1 AND uuidx.uuid_version(uuidx.uuid_generate_v1mc()) = 1',
    q{uuidx.uuid_version(uuidx.uuid_generate_v3(uuidx.uuid_ns_dns(), 'x')) = 3},
    'uuidx.uuid_version(uuidx.uuid_generate_v4()) = 4',
    q{uuidx.uuid_version(uuidx.uuid_generate_v5(uuidx.uuid_ns_dns(), 'x')) = 5},
    # uuidx_pg_uuidv7
    "uuidx.uuid_v7_to_timestamptz($v7) = $moment",
    "uuidx.uuid_v7_to_timestamp($v7) = '2022-02-22 19:22:22'",
    "uuidx.uuid_timestamptz_to_v7($moment, zero => true) = uuidx.uuid_v7_from($moment)",
    "uuidx.uuid_timestamp_to_v7('2022-02-22 19:22:22', true) = uuidx.uuid_v7_from($moment)",
    # uuidx_pg18
    'uuidx.uuid_extract_version(uuidx.uuidv4()) = 4 AND uuidx.uuid_extract_version(uuidx.uuidv7()) = 7',
    q{uuidx.uuid_time(uuidx.uuidv7(interval '-1 day')) < now()},
);
my $session = "SET search_path = '';\n";
for my $condition (@true)
{
    my ($status, $out, $err) = $node->psql('postgres', "$session SELECT $condition");
    is("$out$err", 't', "$condition is true");
}

# The operator class, and a table whose queries use it
$node->safe_psql('postgres', qq{$session
    CREATE TABLE public.events (id uuid DEFAULT uuidx.uuid_generate_v1());
    INSERT INTO public.events SELECT FROM generate_series(1, 1000);
    CREATE INDEX by_time ON public.events (id uuidx.uuid_time_ops);
    ANALYZE public.events});
my $recent = q{SELECT count(*) FROM public.events WHERE id OPERATOR(uuidx.>=~) uuidx.uuid_time_from(now() - interval '1 hour')};
is($node->safe_psql('postgres', "$session SET enable_seqscan = off; $recent"), '1000',
    'a query by an operator of uuidx finds all rows of the last hour');
like($node->safe_psql('postgres', "$session SET enable_seqscan = off; EXPLAIN $recent"), qr/by_time/,
    'the query uses the index by uuid_time_ops');

# A migration and its undo, in both modes
$node->safe_psql('postgres', qq{$session
    CREATE TABLE public.visitors (id uuid PRIMARY KEY DEFAULT uuidx.uuid_generate_v1());
    CREATE TABLE public.visits (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), visitor_id uuid REFERENCES public.visitors ON DELETE CASCADE);
    INSERT INTO public.visitors SELECT FROM generate_series(1, 100);
    INSERT INTO public.visits (visitor_id) SELECT id FROM public.visitors;
    CREATE TABLE public.before AS SELECT id, visitor_id FROM public.visits;
    CREATE TABLE public.notes AS SELECT id AS visitor_id FROM public.visitors;
    CREATE MATERIALIZED VIEW public.ids AS SELECT id FROM public.visitors;
    SET client_min_messages = error;
    CREATE PUBLICATION of_nothing});
my $former = q{, new_default => 'uuidx.uuid_generate_v1()'};
my $also = q{, also => ARRAY['public.notes.visitor_id'], fire_triggers => false};
for my $case ([ 'offline', 'v1_to_v6', 6, '' ], [ 'offline', 'v6_to_v1', 1, $former ], [ 'online', 'v1_to_v6', 6, $also ], [ 'online', 'v6_to_v1', 1, $also ])
{
    my ($mode, $conversion, $version, $arguments) = @$case;
    my ($status, $out, $err) = $node->psql('postgres', qq{$session SET client_min_messages = warning;
        SELECT count(*) FROM uuidx_migrate.plan('public.visitors', 'id', conversion => '$conversion') \\g /dev/null
        SELECT sql FROM uuidx_migrate.script('public.visitors', 'id', '$mode', '$conversion'$arguments) ORDER BY step \\gexec
        SELECT count(*) FROM uuidx_migrate.progress \\g /dev/null}, on_error_stop => 1);
    is($err, '', "the script for $conversion, $mode, runs without an error");
    is($node->safe_psql('postgres', qq{$session
            INSERT INTO public.visitors DEFAULT VALUES;
            SELECT string_agg(version::text, ','), sum(count) >= 100 FROM uuidx_migrate.version_histogram('public.visitors', 'id');
            DELETE FROM public.visitors WHERE id NOT IN (SELECT visitor_id FROM public.visits);
            SELECT count(*) FROM public.visits JOIN public.visitors ON visitors.id = visitor_id}),
        "$version|t\n100", "after $conversion, $mode, all keys have version $version and all references hold");
}
is($node->safe_psql('postgres', q{SELECT count(*) FROM public.visits NATURAL JOIN public.before}), '100',
    'every row has its first values again after two migrations and their undo');

is($node->psql('postgres', qq{$session SET client_min_messages = warning;
        SELECT sql FROM uuidx_migrate.script('public.visitors', 'id', 'finish', 'v6_to_v1'$also) ORDER BY step \\gexec
        SELECT count(*) FROM uuidx_migrate.find_references('public.visitors', 'id')}, on_error_stop => 1), 0, 'the undo is finished');

# Random keys become keys of version 7, and again what they were
$node->safe_psql('postgres', qq{$session
    CREATE TABLE public.customers (id uuid PRIMARY KEY, created timestamptz NOT NULL DEFAULT now());
    CREATE TABLE public.contracts (customer_id uuid DEFAULT '919108f7-52d1-4320-9bac-f847db4148a8' REFERENCES public.customers);
    INSERT INTO public.customers VALUES ('919108f7-52d1-4320-9bac-f847db4148a8');
    INSERT INTO public.customers SELECT gen_random_uuid() FROM generate_series(1, 99);
    INSERT INTO public.contracts SELECT id FROM public.customers;
    CREATE TABLE public.mentions AS SELECT id AS subject FROM public.customers UNION ALL SELECT gen_random_uuid();
    CREATE TABLE public.random AS SELECT id AS customer_id FROM public.customers});
my $created = q{, created => 'created'};
my $polymorphic = q{, also => ARRAY['public.mentions.subject'], other_values => 'keep'};
for my $case ([ 'offline', 'to_v7', 7, $created ], [ 'offline', 'from_v7', 4, '', q{, new_default => 'gen_random_uuid()'} ],
    [ 'online', 'to_v7', 7, $created, $polymorphic ], [ 'online', 'from_v7', 4, '', $polymorphic ])
{
    my ($mode, $conversion, $version, $time, $more) = (@$case, '');
    my ($status, $out, $err) = $node->psql('postgres', qq{$session SET client_min_messages = warning;
        SELECT count(*) FROM uuidx_migrate.plan('public.customers', 'id', conversion => '$conversion'$time) \\g /dev/null
        SELECT sql FROM uuidx_migrate.script('public.customers', 'id', '$mode', '$conversion'$time$more) ORDER BY step \\gexec},
        on_error_stop => 1);
    is($err, '', "the script for $conversion, $mode, runs without an error");
    is($node->safe_psql('postgres', q{SELECT uuidx.uuid_version(customer_id), count(*)
            FROM public.contracts JOIN public.customers ON id = customer_id GROUP BY 1}),
        "$version|100", "after $conversion, $mode, all references hold, to keys of version $version");
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM public.contracts NATURAL JOIN public.random'), '100',
    'every reference has its first value again');
is($node->psql('postgres', qq{$session SET client_min_messages = warning;
        SELECT sql FROM uuidx_migrate.script('public.customers', 'id', 'finish', 'from_v7'$polymorphic) ORDER BY step \\gexec}, on_error_stop => 1),
    0, 'the undo is finished');
is($node->psql('postgres', qq{$session SET client_min_messages = warning;
        SELECT sql FROM uuidx_migrate.script('public.customers', 'id', '$_', 'to_v7'$created$polymorphic) ORDER BY step \\gexec}, on_error_stop => 1),
    0, "and once more, to the end: $_") for 'online', 'finish';

# Numbers become keys of version 7, and numbers again; then the number stays beside the key
$node->safe_psql('postgres', qq{$session
    CREATE TABLE public.devices (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, created timestamptz DEFAULT now());
    CREATE TABLE public.readings (device_id int DEFAULT 1 REFERENCES public.devices);
    INSERT INTO public.devices SELECT FROM generate_series(1, 100);
    INSERT INTO public.readings SELECT id FROM public.devices});
for my $case ([ 'offline', 'bigint_to_v7', 'uuid' ], [ 'offline', 'v7_to_bigint', 'integer' ], [ 'online', 'bigint_to_v7', 'uuid' ], [ 'online', 'v7_to_bigint', 'integer' ])
{
    my ($mode, $conversion, $type) = @$case;
    my $time = $type eq 'uuid' ? $created : '';
    my ($status, $out, $err) = $node->psql('postgres', qq{$session SET client_min_messages = warning;
        SELECT count(*) FROM uuidx_migrate.plan('public.devices', 'id', conversion => '$conversion'$time) \\g /dev/null
        SELECT sql FROM uuidx_migrate.script('public.devices', 'id', '$mode', '$conversion'$time) ORDER BY step \\gexec}, on_error_stop => 1);
    is($err, '', "the script for $conversion, $mode, runs without an error");
    is($node->safe_psql('postgres', qq{$session INSERT INTO public.devices DEFAULT VALUES; INSERT INTO public.readings DEFAULT VALUES;
            SELECT pg_typeof(device_id), count(*) FROM public.readings JOIN public.devices ON id = device_id GROUP BY 1;
            DELETE FROM public.readings WHERE ctid <> ALL (SELECT min(ctid) FROM public.readings GROUP BY device_id)}),
        "$type|101", "after $conversion, $mode, all references hold, to keys of type $type");
}
is($node->psql('postgres', qq{$session SET client_min_messages = warning;
        SELECT sql FROM uuidx_migrate.script('public.devices', 'id', 'finish', 'v7_to_bigint') ORDER BY step \\gexec
        SELECT sql FROM uuidx_migrate.script('public.devices', 'id', 'offline', 'bigint_to_v7'$created) ORDER BY step \\gexec
        SELECT sql FROM uuidx_migrate.script('public.devices', 'id', 'finish', 'bigint_to_v7', keep_number => 'number') ORDER BY step \\gexec}, on_error_stop => 1),
    0, 'the number stays');

# Texts become UUIDs, and texts again
$node->safe_psql('postgres', qq{$session
    CREATE TABLE public.members (id varchar(36) PRIMARY KEY DEFAULT uuidx.uuid_generate_v4()::varchar(36));
    CREATE TABLE public.dues (member_id text DEFAULT '919108F7-52D1-4320-9BAC-F847DB4148A8' REFERENCES public.members);
    INSERT INTO public.members VALUES ('919108F7-52D1-4320-9BAC-F847DB4148A8');
    INSERT INTO public.members SELECT FROM generate_series(1, 99);
    INSERT INTO public.dues SELECT id FROM public.members});
for my $case ([ 'offline', 'text_to_uuid', 'uuid' ], [ 'offline', 'uuid_to_text', 'text' ], [ 'online', 'text_to_uuid', 'uuid' ], [ 'online', 'uuid_to_text', 'text' ])
{
    my ($mode, $conversion, $type) = @$case;
    my ($status, $out, $err) = $node->psql('postgres', qq{$session SET client_min_messages = warning;
        SELECT count(*) FROM uuidx_migrate.plan('public.members', 'id', conversion => '$conversion') \\g /dev/null
        SELECT sql FROM uuidx_migrate.script('public.members', 'id', '$mode', '$conversion') ORDER BY step \\gexec}, on_error_stop => 1);
    is($err, '', "the script for $conversion, $mode, runs without an error");
    is($node->safe_psql('postgres', qq{$session INSERT INTO public.dues DEFAULT VALUES;
            SELECT pg_typeof(member_id), count(*) FROM public.dues JOIN public.members ON id = member_id GROUP BY 1;
            DELETE FROM public.dues WHERE ctid <> ALL (SELECT min(ctid) FROM public.dues GROUP BY member_id)}),
        "$type|101", "after $conversion, $mode, all references hold, to keys of type $type");
}
is($node->psql('postgres', qq{$session SET client_min_messages = warning;
        SELECT sql FROM uuidx_migrate.script('public.members', 'id', 'finish', 'uuid_to_text') ORDER BY step \\gexec
        DROP TABLE public.dues, public.members}, on_error_stop => 1),
    0, 'the undo is finished');

# Partitions
is($node->safe_psql('postgres', qq{$session SET client_min_messages = warning;
        CREATE TABLE public.owners (id uuid PRIMARY KEY);
        CREATE TABLE public.parts (id uuid, owner_id uuid REFERENCES public.owners, n int, PRIMARY KEY (id, n)) PARTITION BY LIST (n);
        CREATE TABLE public.part PARTITION OF public.parts FOR VALUES IN (1);
        CREATE INDEX ON public.parts (owner_id);
        INSERT INTO public.owners VALUES (uuidx.uuid_v6_to_v1(uuidx.uuid_generate_v6()));
        INSERT INTO public.parts SELECT uuidx.uuid_v6_to_v1(uuidx.uuid_generate_v6()), id, 1 FROM public.owners;
        SELECT count(*) FROM uuidx_migrate.keys_plan('{public.parts.id}', conversion => 'v1_to_v6') \\g /dev/null
        SELECT sql FROM uuidx_migrate.keys_script('{public.parts.id}', conversion => 'v1_to_v6') ORDER BY step \\gexec
        SELECT sql FROM uuidx_migrate.script('public.owners', 'id', 'online', conversion => 'v1_to_v6') ORDER BY step \\gexec
        SELECT uuidx.uuid_version(p.id), uuidx.uuid_version(o.id) FROM public.parts AS p JOIN public.owners AS o ON o.id = p.owner_id;
        DROP TABLE public.parts, public.owners}) =~ s/^\n//mgr,
    '6|6', 'uuidx_migrate migrates partitioned tables');

# Defaults
is($node->safe_psql('postgres', qq{$session
        SELECT count(*) FROM uuidx_migrate.default_plan('gen_random_uuid()', 'uuidx.uuid_generate_v7()');
        SELECT uuidx_migrate.change_defaults('gen_random_uuid()', 'uuidx.uuid_generate_v7()');
        SELECT count(*) FROM uuidx_migrate.extension_plan('uuidx_ossp', 'uuidx');
        SELECT uuidx_migrate.change_extension('uuidx_ossp', 'uuidx')}),
    "1\nALTER TABLE ONLY public.visits ALTER COLUMN id SET DEFAULT uuidx.uuid_generate_v7()\n2",
    'uuidx_migrate finds and changes defaults');

# What looks up a name while it runs is in PL/pgSQL: a function in C looks up none, and one in standard SQL is bound to what
# it names when it is created. No function has another kind of body.
my $late_bound = q{
    FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang LEFT JOIN pg_stat_user_functions AS s ON s.funcid = p.oid
    WHERE p.pronamespace IN ('uuidx'::regnamespace, 'uuidx_migrate'::regnamespace, 'uuidx_migrate_steps'::regnamespace) AND p.prokind <> 'a'
      AND l.lanname <> 'c' AND p.prosqlbody IS NULL};
is($node->safe_psql('postgres', "SELECT DISTINCT l.lanname $late_bound"), 'plpgsql',
    'Only functions in PL/pgSQL look up names while they run.');
$node->poll_query_until('postgres', "SELECT count(*) = 0 $late_bound AND s.calls IS NULL");
is($node->safe_psql('postgres', "SELECT p.proname $late_bound AND s.calls IS NULL"), '', 'This test has called all of them.');

$node->stop;
done_testing();
