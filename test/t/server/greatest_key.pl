# uuid_generator_advance_all: the generator goes on behind the greatest version 7 key of the database, which indexes have,
# or else the tables.
# It runs nothing of the tables' owners, and no role keeps it from its work.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', ServerOrder::preload($node) . "uuidx.v7_order = server\nuuidx.max_clock_ahead = -1");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx; CREATE ROLE mallory; CREATE ROLE clerk; GRANT CREATE ON SCHEMA public TO mallory');

is($node->safe_psql('postgres', 'SELECT uuid_generator_advance_all() IS NULL'), 't', 'A database without keys changes nothing.');
is(($node->psql('postgres', 'SET ROLE clerk; SELECT uuid_generator_advance_all()'))[2] =~ /permission denied/, 1,
    'Only a superuser may do so,');
$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION uuid_generator_advance_all(interval, boolean, boolean) TO clerk');

# Each case has a key that is ten minutes later than that of the one before, in a table of its own: it is found in an index
# (1), is known not to be read until the whole table is (2), or is not known to have version 7 (0).
my @cases = (
    [ 1, 'a primary key', 'CREATE TABLE t (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)))' ],
    [ 1, 'an index that begins with the key', 'CREATE TABLE t (id uuid CHECK (uuid_is_v7(id)), n int); CREATE INDEX ON t (id, n)' ],
    [ 1, 'a descending index, and NULL', 'CREATE TABLE t (id uuid CHECK (uuid_is_v7(id))); CREATE INDEX ON t (id DESC); INSERT INTO t VALUES (NULL)' ],
    [ 1, 'an ascending index, and NULL', 'CREATE TABLE t (id uuid CHECK (uuid_is_v7(id))); CREATE INDEX ON t (id); INSERT INTO t VALUES (NULL)' ],
    [ 1, 'a UUID of another variant', "CREATE TABLE t (id uuid UNIQUE CHECK (uuid_version(id) = 7)); INSERT INTO t VALUES (uuid_max())" ],
    [ 1, 'a partition', 'CREATE TABLE t (id uuid PRIMARY KEY CHECK (uuid_is_v7(id))) PARTITION BY HASH (id);
        CREATE TABLE t_0 PARTITION OF t FOR VALUES WITH (MODULUS 1, REMAINDER 0)' ],
    [ 1, 'a row that was deleted', 'CREATE TABLE t (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)))', 'DELETE FROM t' ],
    [ 1, 'a default', 'CREATE TABLE t (id uuid PRIMARY KEY DEFAULT uuid_generate_v7())' ],
    [ 1, 'a default, and keys of another version',
        'CREATE TABLE t (id uuid PRIMARY KEY DEFAULT uuid_generate_v7()); INSERT INTO t SELECT gen_random_uuid() FROM generate_series(1, 1000)' ],
    [ 1, 'a domain', 'CREATE DOMAIN key AS uuid; CREATE TABLE t (id key PRIMARY KEY DEFAULT uuid_generate_v7())' ],
    [ 1, 'a cast', 'CREATE TABLE t (id key PRIMARY KEY DEFAULT coalesce(NULL, uuid_generate_v7()::key))' ],
    [ 1, 'the default of a domain', 'CREATE DOMAIN new_key AS uuid DEFAULT uuid_generate_v7(); CREATE TABLE t (id new_key PRIMARY KEY)' ],
    [ 1, 'a partition without the default of its table', 'CREATE TABLE t (id uuid PRIMARY KEY DEFAULT uuid_generate_v7()) PARTITION BY HASH (id);
        CREATE TABLE t_0 (n int, id uuid PRIMARY KEY); ALTER TABLE t_0 DROP n; ALTER TABLE t ATTACH PARTITION t_0 FOR VALUES WITH (MODULUS 1, REMAINDER 0)' ],
    [ 1, 'a domain with a CHECK constraint', 'CREATE TABLE t (id key PRIMARY KEY CHECK (uuid_is_v7(id)))' ],
    [ 2, 'a default, and no index', 'CREATE TABLE t (id uuid DEFAULT uuid_generate_v7())' ],
    [ 0, 'neither a CHECK constraint nor a default', 'CREATE TABLE t (id uuid PRIMARY KEY)' ],
    [ 0, 'another default', 'CREATE TABLE t (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), other uuid DEFAULT uuid_max())' ],
    [ 0, 'a text', 'CREATE TABLE t (id uuid PRIMARY KEY, n text DEFAULT uuid_generate_v7())' ],
    [ 0, 'a constraint of another version', 'CREATE TABLE t (id uuid PRIMARY KEY CHECK (NOT uuid_is_v6(id)))' ],
    [ 0, 'a constraint that is not valid', 'CREATE TABLE t (id uuid PRIMARY KEY)', 'ALTER TABLE t ADD CHECK (uuid_is_v7(id)) NOT VALID' ],
    [ 2, 'a column that is not the first of its index', 'CREATE TABLE t (tenant int DEFAULT 1, id uuid CHECK (uuid_is_v7(id)), PRIMARY KEY (tenant, id))' ],
    [ 2, 'a row that was deleted, without an index', 'CREATE TABLE t (id uuid CHECK (uuid_is_v7(id)))', 'DELETE FROM t' ],
    [ 2, 'NULL and a UUID of another variant, without an index',
        'CREATE TABLE t (id uuid CHECK (uuid_version(id) = 7)); INSERT INTO t VALUES (NULL), (uuid_max())' ],
    [ 2, 'no index', 'CREATE TABLE t (n int PRIMARY KEY DEFAULT 1, id uuid CHECK (uuid_is_v7(id)))' ],
    [ 2, 'a partial index', 'CREATE TABLE t (n int DEFAULT 1, id uuid CHECK (uuid_is_v7(id))); CREATE INDEX ON t (id) WHERE n = 1' ],
    [ 2, 'an index in another order', 'CREATE TABLE t (id uuid CHECK (uuid_is_v7(id))); CREATE INDEX ON t (id uuid_time_ops)' ],
    [ 2, 'a hash index', 'CREATE TABLE t (id uuid CHECK (uuid_is_v7(id))); CREATE INDEX ON t USING hash (id)' ],
);
my $minutes = 0;
for my $case (@cases)
{
    my ($counts, $what, $table, $then) = (@$case, '');
    $minutes += 10;
    my $advance = sub {
        my ($arguments) = @_;
        my (undef, $output, $messages) = $node->psql('postgres', "
            SELECT id AS key FROM t WHERE uuid_is_v7(id) UNION ALL SELECT id FROM former ORDER BY 1 DESC LIMIT 1 \\gset
            SET ROLE clerk;
            SELECT coalesce(uuid_generator_advance_all('1 min'$arguments), '-infinity') AS moment \\gset
            RESET ROLE;
            SELECT uuid_v7_time_us(:'key') + interval '1 min' = :'moment', uuid_v7_time_us(uuid_generate_v7()) > uuid_v7_time_us(:'key') + interval '1 min';
            SELECT uuid_generator_reset() \\g /dev/null");
        return ($output, $messages =~ /WARNING:  (.*)/ ? $1 : '');
    };
    $node->safe_psql('postgres', "
        $table;
        INSERT INTO t (id) VALUES (uuid_generate_v7_at(now() + interval '$minutes min'));
        CREATE TABLE former AS SELECT id::uuid FROM t WHERE uuid_is_v7(id);
        $then");
    my ($output, $warning) = $advance->('');
    is($output, $counts == 1 ? 't|t' : 'f|f', "$what: " . ($counts == 1 ? 'the key counts.' : 'it does not.'));
    is($warning, $counts == 2 ? 'keys in column "id" of table "t" are not read' : '', $counts == 2 ? 'A warning says so.' : 'There is nothing to warn of.');
    ($output, $warning) = $advance->(', read_tables => true');
    is("$output $warning", $counts ? 't|t ' : 'f|f ', $counts ? 'With read_tables, it counts.' : 'Nor does it with read_tables.');
    $node->safe_psql('postgres', 'DROP TABLE t, former');
}
is(($node->psql('postgres', 'CREATE TABLE t (n int, id uuid CHECK (uuid_is_v7(id))); SELECT uuid_generator_advance_all(); DROP TABLE t'))[2], '',
    'There is nothing to read in an empty table.');

# --- Hostile roles ---
$node->safe_psql('postgres', q{
    CREATE TABLE orders (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)));
    INSERT INTO orders VALUES (uuid_generate_v7_at(now() + interval '1 hour'));
    SET ROLE mallory;
    CREATE FUNCTION public.attack(anyelement) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$
        BEGIN IF current_user <> 'mallory' THEN RAISE EXCEPTION 'attacked as %', current_user; END IF; RETURN true; END $$;
    CREATE DOMAIN public.attacking AS uuid CHECK (public.attack(0));
    CREATE TABLE planted (id uuid CHECK (uuid_is_v7(id)), CHECK (public.attack(1) AND public.attack(id)), CHECK (id::public.attacking IS NOT NULL));
    CREATE INDEX planted_id ON planted (id, public.attack(2));
    CREATE INDEX ON planted (id) WHERE public.attack(3);
    CREATE INDEX ON planted (public.attack(4));
    ALTER TABLE planted ENABLE ROW LEVEL SECURITY;
    ALTER TABLE planted FORCE ROW LEVEL SECURITY;
    CREATE POLICY planted ON planted USING (public.attack(5));
    INSERT INTO planted SELECT uuid_generate_v7_at(now() + n * interval '20 hours') FROM generate_series(0, 2) AS n;
    CREATE TABLE far (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)));
    INSERT INTO far VALUES (uuid '7fffffff-ffff-7fff-bfff-ffffffffffff');
    CREATE TABLE unordered (n int, id uuid CHECK (uuid_is_v7(id)), CHECK (public.attack(1) AND public.attack(id)));
    CREATE INDEX ON unordered (n, public.attack(6));
    INSERT INTO unordered VALUES (0, uuid_generate_v7_at(now() + interval '21 hours')), (0, uuid '7fffffff-ffff-7fff-bfff-ffffffffffff')});
like(($node->psql('postgres', 'SELECT id FROM planted'))[2], qr/attacked as/, 'A query of the table runs code of its owner.');
for my $case ([ 'none', '', 20, 'far', 'planted' ], [ 'clerk', '', 20, 'far', 'planted' ], [ 'clerk', 'read_tables => true', 21, 'far', 'planted', 'unordered' ])
{
    my ($role, $arguments, $hours, @tables) = @$case;
    my ($status, $ahead, $messages) = $node->psql('postgres', "SET ROLE $role;
        SELECT ahead - now() BETWEEN '$hours h' - interval '30 min' AND '$hours h' FROM uuid_generator_advance_all($arguments) AS ahead; RESET ROLE; SELECT uuid_generator_reset() \\g /dev/null");
    is($ahead, 't', "With SET ROLE $role, the function reads the tables and runs none, and keys from the future do not count.");
    is(join('', sort map { "$_\n" } $messages =~ /WARNING:  keys of (.*)/g), join('', map { "table \"$_\" that are more than a day ahead of the system's clock are ignored\n" } @tables), 'A warning says so.');
}
my $locker = $node->background_psql('postgres');
for my $case ([ 'LOCK TABLE planted', 'keys of table "planted" are not read' ], [ 'REINDEX INDEX planted_id', 'keys in column "id" of table "planted" are not read' ])
{
    my ($lock, $warning) = @$case;
    $locker->query_safe("SET SESSION AUTHORIZATION mallory; BEGIN; $lock");
    my ($status, undef, $messages) = $node->psql('postgres', 'SELECT uuid_generator_advance_all()', timeout => 60);
    is($status, 0, "No role keeps the function waiting: $lock");
    like($messages, qr/WARNING:  \Q$warning/, 'A warning says so.');
    $locker->query_safe('ROLLBACK');
}
$locker->quit;
like(($node->psql('postgres', 'DROP TABLE far; SELECT uuid_generator_advance_all(force => true) - now()'))[1], qr/^1 day 1[56]:/,
    'With force, they do.');

$node->stop;
done_testing();
