# What a plan and a script say: errors for arguments that name nothing, obstacles with hints, what is made anew, tables of
# Citus, and the comments of a script.

use strict;
use warnings;
use lib 'test/lib';
use Migrations;
use Test::More;

my $node = new_server('main');
my %back = (conversion => 'v6_to_v1', new_default => 'keys.uuid_generate_v1()');
my @both = ('offline', 'online');
my $functions = q{'keys.uuid_generate_v4()'::regprocedure, 'keys.uuid_generate_v7()'::regprocedure};

# --- Arguments that name nothing ---
output_of($node, 'alice', 'CREATE TABLE alice.orders (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), replaces uuid REFERENCES alice.orders, n int)');
fails_with(session($node, 'alice', q{SELECT * FROM uuidx_migrate.plan('alice.orders', 'missing', conversion => 'v1_to_v6')}),
    '42703', qr/column "missing" of relation (alice\.)?orders does not exist/, 'The plan of a column that does not exist is an error.');
fails_with(written($node, 'alice', 'alice.orders', column => 'missing'), '42703', qr/missing/, 'So is its script.');
fails_with(written($node, 'alice', 'alice.orders', $_ => 'unheard'), '22023', qr/unheard/, "A script with an unknown $_ is an error.")
    for 'mode', 'conversion', 'other_values', 'published_tables', 'rows_without_time', 'future_rows';
fails_with(session($node, 'alice', qq{SELECT * FROM uuidx_migrate.plan('alice.orders', 'id', $_)}),
    '22023', qr/unheard/, "A plan is an error with $_.")
    for q{conversion => 'unheard'}, map { "conversion => 'v1_to_v6', $_ => 'unheard'" } 'mode', 'other_values', 'published_tables', 'rows_without_time', 'future_rows';
like(written($node, 'alice', 'alice.orders', new_default => $_)->{state}, qr/^(22023|42804)$/, "The function $_ can be no default.")
    for 'now()', 'keys.uuid_v1_to_v6(uuid)', 'keys.uuid_generate_v7_batch(integer)';

# --- The comments of a script ---
for my $mode (@both)
{
    like((steps($node, 'dba', 'alice.orders', mode => $mode, trust_owners => 'true'))[0], qr/^--.*\balice\b/m, "The head of a script names the owner of the table, $mode.");
    my $script = script_call('alice.orders', mode => $mode);
    is(output_of($node, 'alice', "SELECT count(*) FROM $script WHERE sql !~ '(?n)^-- [0-9]+ of [0-9]+: ' AND step IN (SELECT min(step) FROM $script GROUP BY phase)"),
        '0', "Each phase begins with a comment, $mode.");
}

# --- Obstacles ---
output_of($node, 'alice', q{
    CREATE TABLE alice.blocked (id uuid PRIMARY KEY DEFAULT coalesce(keys.uuid_generate_v1(), keys.uuid_generate_v1mc()), line int, UNIQUE (id, line) DEFERRABLE);
    CREATE TABLE alice.inherits () INHERITS (alice.blocked);
    CREATE TABLE alice.rows (whole alice.blocked)});
my ($obstacles, $hints, $kinds) = split /\|/, output_of($node, 'alice', q{
    SELECT cardinality(obstacles), cardinality(hints), (SELECT count(DISTINCT h) FROM unnest(hints) AS h)
    FROM uuidx_migrate.plan('alice.blocked', 'id', conversion => 'v1_to_v6')});
cmp_ok($obstacles, '>=', 4, 'A table has several obstacles.');
is($hints, $obstacles, 'Each has a hint.');
cmp_ok($kinds, '>=', 4, 'Each kind has a hint of its own.');
is(output_of($node, 'alice', q{SELECT count(*) FROM uuidx_migrate.plan('alice.blocked', 'id', conversion => 'v1_to_v6') AS p, unnest(p.hints) AS h
        WHERE h IS NULL OR h !~ E'^[A-Z].*\\\\.$'}), '0', 'A hint is a sentence.');
my $run = written($node, 'alice', 'alice.blocked', mode => 'offline');
fails_with($run, '55000', qr/alice\.inherits/, 'A script ends with an error that lists the obstacles,');
my @of_offline = split /\n/, output_of($node, 'alice', q{SELECT h FROM uuidx_migrate.plan('alice.blocked', 'id', conversion => 'v1_to_v6') AS p, unnest(p.obstacles, p.hints) AS u (o, h)
    WHERE o !~ '^online: '});
is_deeply([ grep { index($run->{messages}, $_) < 0 } @of_offline ], [], 'and the hint of each.');

# --- A view on a view, and a rule ---
output_of($node, 'alice', q{
    CREATE TABLE alice.viewed (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int);
    INSERT INTO alice.viewed (n) SELECT generate_series(1, 20);
    CREATE VIEW alice.first_view AS SELECT id, n FROM alice.viewed;
    CREATE VIEW alice.second_view AS SELECT id FROM alice.first_view WHERE n > 10;
    CREATE TABLE alice.deleted (id uuid);
    CREATE RULE keep AS ON DELETE TO alice.viewed DO ALSO INSERT INTO alice.deleted VALUES (old.id)});
my $recreated = output_of($node, 'alice', q{SELECT recreated::text FROM uuidx_migrate.plan('alice.viewed', 'id', conversion => 'v1_to_v6')});
like($recreated, qr/view (alice\.)?first_view/, 'The plan lists a view among what is made anew,');
like($recreated, qr/rule keep\b/, 'and calls a rule a rule.');
my $views = q{SELECT string_agg(oid || pg_get_viewdef(oid), ',' ORDER BY oid) FROM pg_class WHERE relname IN ('first_view', 'second_view')};
my $versions = q{SELECT count(*), string_agg(DISTINCT keys.uuid_version(id)::text, ',') FROM alice.second_view};
my $before = $node->safe_psql('postgres', $views);
migrates($node, 'alice', 'alice.viewed', mode => 'offline', 'A table with a view on a view is migrated offline,');
is($node->safe_psql('postgres', $versions), '10|6', 'and the view on the view has the new values;');
is($node->safe_psql('postgres', $views), $before, 'both views are as they were.');
migrates($node, 'alice', 'alice.viewed', mode => 'online', %back, 'It is migrated back online,');
is($node->safe_psql('postgres', $versions), '10|1', 'and the view on the view has the old values;');
is($node->safe_psql('postgres', $views), $before, 'both views are as they were.');
output_of($node, 'alice', 'DELETE FROM alice.viewed WHERE n = 15');
is(output_of($node, 'alice', 'SELECT keys.uuid_version(id) FROM alice.deleted'), '1', 'The rule works as before.');

output_of($node, 'alice', 'CREATE RULE made AS ON INSERT TO alice.viewed DO ALSO INSERT INTO alice.deleted VALUES (keys.uuid_generate_v4())');
is(output_of($node, 'alice', "SELECT string_agg(object, ', ') FROM uuidx_migrate.default_plan($functions)"), 'rule made on alice.viewed',
    'default_plan calls a rule a rule.');

# --- Citus, whose catalog pg_dist_partition lists the tables that it manages, and whose functions know its shards ---
output_of($node, 'alice', q{
    DROP RULE made ON alice.viewed;
    CREATE TABLE alice.distributed (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v4(), id_shadow uuid);
    CREATE TABLE alice.distributed_102008 (LIKE alice.distributed INCLUDING ALL);
    CREATE TABLE alice.local (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v4(), distributed_id uuid REFERENCES alice.distributed)});
$run = session($node, 'dba', q{
    SET allow_system_table_mods = on;
    CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char" NOT NULL, partkey text,
        colocationid int DEFAULT 0 NOT NULL, repmodel "char" DEFAULT 's' NOT NULL, autoconverted boolean DEFAULT false NOT NULL);
    GRANT SELECT ON pg_catalog.pg_dist_partition TO PUBLIC;
    INSERT INTO pg_catalog.pg_dist_partition VALUES ('alice.distributed', 'h', 'id');
    CREATE FUNCTION pg_catalog.column_to_column_name(regclass, text) RETURNS text STRICT LANGUAGE sql RETURN $2;
    CREATE FUNCTION pg_catalog.relation_is_a_known_shard(regclass) RETURNS boolean STRICT LANGUAGE sql RETURN $1::text ~ '_102008$';
    RESET allow_system_table_mods;
    CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() AS c JOIN pg_catalog.pg_dist_partition AS p ON p.logicalrelid = c.objid) THEN
            RAISE EXCEPTION 'alter table command is currently unsupported' USING ERRCODE = 'feature_not_supported';
        END IF;
    END $$;
    CREATE EVENT TRIGGER citus ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION public.refuse()});
is($run->{state}, '', 'A stand-in for Citus manages a table.') or diag($run->{messages});
like(output_of($node, 'alice', q{SELECT p.relation, u.o, u.h
        FROM uuidx_migrate.plan('alice.local', 'distributed_id', conversion => 'v1_to_v6') AS p, unnest(p.obstacles, p.hints) AS u (o, h)}),
    qr/^(?:alice\.)?distributed\|[^|]*Citus[^|]*\|[^|]*[a-z]+_table/m, 'The plan lists it as a table of Citus, with a hint that names a function.');
fails_with(written($node, 'alice', 'alice.local', column => 'distributed_id', mode => $_), '55000', qr/Citus/, "A script for it is an error, $_.") for @both;
fails_with(session($node, 'alice', "CALL uuidx_migrate_steps.backfill('alice.distributed', '{id}')"), '55000', qr/Citus manages table alice\.distributed/,
    'Its shadow column is not filled.');
fails_with(session($node, 'alice', $_), '55000', qr/distributed_102008 is a shard of a table that Citus manages/, "A shard is refused: $_.")
    for q{SELECT * FROM uuidx_migrate.plan('alice.distributed_102008', 'id', conversion => 'v1_to_v6')}, q{SELECT * FROM uuidx_migrate.script('alice.distributed_102008', 'id', conversion => 'v1_to_v6')},
    q{CALL uuidx_migrate_steps.backfill('alice.distributed_102008', '{id}')}, q{SELECT * FROM uuidx_migrate.version_histogram('alice.distributed_102008', 'id')};
like(output_of($node, 'dba', "SELECT object, obstacle FROM uuidx_migrate.default_plan($functions) WHERE statement IS NULL"),
    qr/^table column alice\.distributed\.id\|.*Citus/m, 'Its default is an obstacle to default_plan.');
is(session($node, 'dba', "SELECT uuidx_migrate.change_defaults($functions)")->{output},
    'ALTER TABLE ONLY alice.local ALTER COLUMN id SET DEFAULT keys.uuid_generate_v7()', 'change_defaults leaves it alone, and changes the others.');

$node->stop;
done_testing();
