# A client prepares its session, so that code of a table's owner finds the client's own types, views and operators: names
# in search_path and among temporary objects, and the types that PL/pgSQL has looked up. No such code runs as another role.

use strict;
use warnings;
use lib 'test/lib';
use Migrations;
use Test::More;

my $node = new_server('main');
set_trap($node);

# An honest shop of alice, whose application's role is mallory. The functions name their types without a schema.
output_of($node, 'alice', q{
    CREATE TABLE alice.settings (longest int);
    INSERT INTO alice.settings VALUES (100);
    CREATE DOMAIN alice.status AS text;
    CREATE FUNCTION alice.tidied(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$DECLARE s text; BEGIN s := t; RETURN s; END$$;
    CREATE FUNCTION alice.is_short(t text) RETURNS boolean LANGUAGE plpgsql STABLE AS
        $$BEGIN RETURN length(t) <= (SELECT longest FROM settings); END$$;
    CREATE FUNCTION alice.set_status() RETURNS trigger LANGUAGE plpgsql AS $$DECLARE s status; BEGIN s := NEW.note; RETURN NEW; END$$;
    CREATE FUNCTION alice.moment(label text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS
        $$DECLARE day text; BEGIN day := label; RETURN (day || ' 00:00+00')::timestamptz; END$$;
    CREATE TABLE alice.keys (id uuid PRIMARY KEY, label text);
    CREATE TABLE alice.of_trigger (n int, key_id uuid, note text) PARTITION BY LIST (n);
    CREATE TABLE alice.of_trigger_1 (note text, gone int, key_id uuid, n int);
    ALTER TABLE alice.of_trigger_1 DROP COLUMN gone;
    ALTER TABLE alice.of_trigger ATTACH PARTITION alice.of_trigger_1 FOR VALUES IN (1);
    CREATE TABLE alice.of_trigger_2 PARTITION OF alice.of_trigger DEFAULT;
    CREATE TRIGGER set_status BEFORE INSERT OR UPDATE ON alice.of_trigger FOR EACH ROW EXECUTE FUNCTION alice.set_status();
    CREATE TABLE alice.of_check (n int, key_id uuid, note text CHECK (alice.is_short(note)));
    CREATE TABLE alice.of_index (n int, key_id uuid, note text);
    CREATE INDEX ON alice.of_index (alice.tidied(note));
    GRANT SELECT, INSERT ON alice.settings, alice.keys, alice.of_trigger, alice.of_check, alice.of_index TO mallory;
    GRANT DELETE ON alice.keys TO mallory});
$node->safe_psql('postgres', 'GRANT TEMPORARY, CREATE ON DATABASE postgres TO mallory');

# What mallory has before his statements: his own names in the place of alice's, and her functions compiled with them.
output_of($node, 'mallory', q{
    CREATE FUNCTION mallory.bite(pg_catalog.text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RETURN mallory.spring('domain'); END$$;
    CREATE FUNCTION mallory.length() RETURNS int LANGUAGE plpgsql AS $$BEGIN PERFORM mallory.spring('view'); RETURN 100; END$$;
    CREATE DOMAIN mallory.text AS pg_catalog.text CHECK (mallory.bite(VALUE));
    CREATE DOMAIN mallory.status AS pg_catalog.text CHECK (mallory.bite(VALUE));
    CREATE VIEW mallory.settings AS SELECT mallory.length() AS longest});
my $temporary = q{
    CREATE TEMPORARY VIEW settings AS SELECT mallory.length() AS longest;
    CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (mallory.bite(VALUE));
    CREATE DOMAIN pg_temp.status AS pg_catalog.text CHECK (mallory.bite(VALUE))};
my $call_all = q{
    SELECT alice.tidied('x'), alice.moment('2024-01-01'), alice.is_short('x');
    INSERT INTO alice.of_trigger (n, note) VALUES (1, 'x'), (2, 'x')};
my %prepared = (
    'search_path' => "SET search_path = mallory, pg_catalog; $call_all",
    'temporary objects' => "$temporary; SET search_path = pg_temp, pg_catalog; $call_all",
    'both, and another path afterwards' => "$temporary; SET search_path = pg_temp, mallory, pg_catalog; $call_all; SET search_path = alice",
    'what DISCARD ALL leaves' => "SET search_path = mallory, pg_catalog; $call_all; DISCARD ALL; SET search_path = mallory, pg_catalog",
);

my $n = 0;
# Each writes references before their key, and a key anew.
sub attack
{
    my ($state) = @_;
    for my $how (sort keys %prepared)
    {
        for my $table (qw(of_trigger of_check of_index))
        {
            my ($key, $none) = map { sprintf '%1$08x-0000-4000-8000-%1$012x', $_ } ++$n, 1000 + $n;
            session($node, 'mallory', qq{$prepared{$how};
                INSERT INTO alice.keys (id, label) VALUES ('$key', '2024-05-07');
                BEGIN; INSERT INTO alice.$table (n, key_id, note) VALUES (1, '$none', 'open'); ROLLBACK;
                BEGIN; DELETE FROM alice.keys WHERE id = '$key'; INSERT INTO alice.$table (n, key_id, note) VALUES (1, '$key', 'open'), (2, '$key', 'open');
                INSERT INTO alice.keys (id, label) VALUES ('$key', '2024-05-08'); COMMIT}, on_error_stop => 0);
        }
        is(sprung($node), '', "$state: no code runs as another role in a session with $how.");
    }
    return;
}

my %migration = (conversion => 'to_v7', created => 'alice.moment(label)', also => '{of_trigger.key_id,of_check.key_id,of_index.key_id}');
my $script = script_call('alice.keys', mode => 'online', %migration);
attack('Before a migration');
output_of($node, 'alice', "CREATE TEMPORARY TABLE steps AS SELECT step, phase, sql FROM $script;
    SELECT sql FROM steps WHERE step <= (SELECT max(step) FROM steps WHERE phase = 'shadow') ORDER BY step \\gexec");
attack('Shadows are there');
migrates($node, 'alice', 'alice.keys', mode => 'online', %migration, 'The rest of the script looks up what waits.');
is($node->safe_psql('postgres', q{
        SELECT count(*) FROM (SELECT key_id, key_id_shadow FROM alice.of_trigger UNION ALL SELECT key_id, key_id_shadow FROM alice.of_check
                              UNION ALL SELECT key_id, key_id_shadow FROM alice.of_index) AS r
        WHERE key_id IS NOT NULL AND NOT EXISTS (SELECT FROM alice.keys WHERE (id, id_shadow) = (key_id, key_id_shadow))}), '0', 'Each reference has the key of its row.');
attack('After the cutover');

# --- A partition of a table of mallory ---
# bob writes to alice's partition, and trusts nobody: statement triggers of the table that it is a partition of are not for him.
$node->safe_psql('postgres', q{
    CREATE TABLE alice.customers (id uuid PRIMARY KEY, created timestamptz);
    CREATE TABLE alice.parts (customer_id uuid REFERENCES alice.customers DEFERRABLE INITIALLY DEFERRED, n int) PARTITION BY LIST (n);
    CREATE TABLE alice.part (n int, customer_id uuid);
    ALTER TABLE alice.parts ATTACH PARTITION alice.part FOR VALUES IN (1);
    ALTER TABLE alice.customers OWNER TO alice;
    ALTER TABLE alice.part OWNER TO alice;
    ALTER TABLE alice.parts OWNER TO mallory;
    GRANT ALL ON alice.customers, alice.part, alice.parts TO bob;
    GRANT SELECT, REFERENCES ON alice.customers TO mallory});
is(session($node, 'dba', 'SELECT sql FROM ' . script_call('alice.customers', mode => 'online', conversion => 'to_v7', created => 'created', trust_owners => 'true')
        . " WHERE phase NOT IN ('cutover', 'after') ORDER BY step \\gexec")->{state}, '', 'A superuser who trusts the owners begins a migration.');
output_of($node, 'mallory', q{
    CREATE FUNCTION mallory.after() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM mallory.spring('statement'); RETURN NULL; END$$;
    CREATE TRIGGER after AFTER UPDATE ON alice.parts FOR EACH STATEMENT EXECUTE FUNCTION mallory.after()});
output_of($node, 'bob', q{
    BEGIN;
    INSERT INTO alice.part VALUES (1, '919108f7-52d1-4320-9bac-f847db4148a8');
    INSERT INTO alice.customers VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', '2016-01-01 00:00+00');
    COMMIT});
is($node->safe_psql('postgres', 'SELECT p.customer_id_shadow = c.id_shadow FROM alice.part AS p JOIN alice.customers AS c ON c.id = p.customer_id'), 't',
    'A late reference in a partition is looked up again,');
is(sprung($node), '', 'and no code of the owner of the partitioned table runs.');

# --- A superuser's session, in which alice's and mallory's code must leave nothing ---
$node->safe_psql('postgres', 'GRANT USAGE ON SCHEMA mallory TO PUBLIC');
output_of($node, 'mallory', q{
    CREATE TABLE mallory.planted (ref uuid);
    CREATE FUNCTION mallory.compiles(int) RETURNS uuid LANGUAGE plpgsql IMMUTABLE AS
        $$BEGIN PERFORM pg_catalog.set_config('search_path', 'mallory, pg_catalog', true); PERFORM alice.tidied('x'); RETURN NULL::pg_catalog.uuid; END$$;
    CREATE INDEX ON mallory.planted (ref) WHERE ref IS DISTINCT FROM mallory.compiles(1);
    INSERT INTO mallory.planted SELECT id FROM alice.keys});
sprung($node);
my $found = output_of($node, 'dba', q{
    SELECT referencing FROM uuidx_migrate.find_references('alice.keys', 'id') WHERE referencing = 'mallory.planted'::regclass;
    SELECT alice.tidied('x')});
is($found, "mallory.planted\nx", 'A superuser finds references in a table of mallory.');
is(sprung($node), '', 'A function that he calls afterwards has not been compiled with types of mallory.');

# --- A lock by which a role would have others wait ---
my $lock = $node->background_psql('postgres', extra_params => [ '--username', 'mallory' ]);
$lock->query_safe('BEGIN; LOCK TABLE mallory.planted');
my $search = session($node, 'dba', q{SELECT count(*) > 0 FROM uuidx_migrate.find_references('alice.keys', 'id')});
is($search->{output}, 't', 'A search for references waits for no table,');
like($search->{messages}, qr/could not sample column "ref" of table mallory\.planted: another session has locked table "planted"/, 'and says which one it has left out.');
$lock->quit;

$node->stop;
done_testing();
