# Beside an extension that appends tables to a query, replaces its join tree, or plans queries while the planner is at
# work on another, queries return the rows that they return alone, and are estimated as they are alone, in either order of
# loading.

use strict;
use warnings;
use lib 'test/lib';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use StandIns;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\njit = off\nautovacuum = off");
$node->start;
my $stand_in = StandIns::planner($node->basedir);

# The keys of "few" are in no order of its rows, and a child of each table has other columns first.
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE orders (id uuid NOT NULL CHECK (uuid_is_v7(id)), n int);
    CREATE TABLE items (order_id uuid NOT NULL CHECK (uuid_is_v7(order_id)), n int);
    CREATE TABLE few (id uuid PRIMARY KEY);
    SELECT format('CREATE TABLE %1$s_%3$s (n int, %2$s uuid NOT NULL); ALTER TABLE %1$s_%3$s ADD CONSTRAINT %1$s_%2$s_check CHECK (uuid_is_v7(%2$s)), INHERIT %1$s', t, c, i)
    FROM (VALUES ('orders', 'id'), ('items', 'order_id')) AS tables (t, c), generate_series(1, 3) AS i \gexec
    SELECT format('INSERT INTO orders_%1$s (id, n) SELECT uuid_v7_of(timestamptz %2$L + n * interval %3$L, uuid_max()), n FROM generate_series(1, 4000) AS n;
        INSERT INTO items_%1$s (order_id, n) SELECT id, k FROM orders_%1$s, generate_series(1, 3) AS k', i, '2026-01-01 00:00+00'::timestamptz + i * interval '1 day', '20 s')
    FROM generate_series(1, 3) AS i \gexec
    SELECT format('CREATE INDEX ON %s_%s (%s)', t, i, c) FROM (VALUES ('orders', 'id'), ('items', 'order_id')) AS tables (t, c), generate_series(1, 3) AS i \gexec
    INSERT INTO few SELECT id FROM orders WHERE n % 10 = 0;
    ANALYZE});

# What queries print in a session that has loaded the stand-in before or after uuidx, with these settings of it
sub outputs
{
    my ($order, $settings, @queries) = @_;
    my @load = ("LOAD '$stand_in'", "LOAD 'uuidx'");
    my ($status, $out, $err) = $node->psql('postgres', join ";\n", $order eq 'before' ? @load : reverse(@load), @$settings, @queries);
    return $status == 0 ? $out : "$status $err";
}

my $bound = q{uuid_v7_from('2026-01-02 20:00+00')};
my %queries = (
    'a join by a key within bounds' => "SELECT count(*), sum(i.n) FROM orders AS o JOIN items AS i ON i.order_id = o.id WHERE o.id < $bound",
    'a join with a plain table' => "SELECT count(*), sum(o.n) FROM few AS f JOIN orders AS o ON o.id = f.id WHERE f.id > $bound AND o.id > $bound",
    'a period of a join' => q{SELECT count(*) FROM orders AS o JOIN items AS i ON i.order_id = o.id WHERE uuid_time(o.id) > '2026-01-04 12:00+00'},
    'an ordered period' => q{SELECT id, n FROM orders WHERE uuid_time(id) < '2026-01-02 03:00+00' ORDER BY uuid_time(id) LIMIT 5},
    'groups of a period' => "SELECT order_id, count(*) FROM items WHERE order_id < uuid_v7_from('2026-01-02 00:10+00') GROUP BY 1 ORDER BY 1",
    'an outer join' => "SELECT count(*), count(o.id) FROM few AS f LEFT JOIN orders AS o ON o.id = f.id AND o.id > $bound WHERE f.id > $bound",
);
my $nested = q{SET stand_in.plans = 'SELECT count(*) FROM few AS a JOIN few AS b USING (id) WHERE a.id > ''019b7c00-0000-7000-8000-000000000000'''};
my %behaviours = (
    'appends tables' => ['SET stand_in.appends = on'],
    'replaces join trees' => ['SET stand_in.replaces = on'],
    'plans other queries' => [$nested],
    'does all of it' => [ 'SET stand_in.appends = on', 'SET stand_in.replaces = on', $nested ],
);

# The rows that each node of a plan is expected to return, those of a join first
sub estimates { return $_[0] =~ /\brows=(\d+)/g; }

for my $name (sort keys %queries)
{
    my $query = $queries{$name};
    my $rows = $node->safe_psql('postgres', $query);
    for my $behaviour (sort keys %behaviours)
    {
        for my $order ('before', 'after')
        {
            is(outputs($order, $behaviours{$behaviour}, $query), $rows, "$name: the same rows beside one loaded $order uuidx that $behaviour");
        }
    }
}

# As without the stand-in, the bounds of both sides count once, and a period within a bin of a histogram has its rows.
my %joins = (
    'a join of two parents' => "SELECT * FROM orders AS o JOIN items AS i ON i.order_id = o.id WHERE o.id < $bound AND i.order_id < $bound",
    'a join of a table whose paths were made before' => "SELECT * FROM few AS f JOIN orders AS o ON o.id = f.id WHERE f.id > $bound AND o.id > $bound",
    'a short period' => q{SELECT * FROM orders WHERE uuid_time(id) >= '2026-01-02 10:00+00' AND uuid_time(id) < '2026-01-02 10:02+00'},
);
for my $name (sort keys %joins)
{
    my ($expected) = estimates($node->safe_psql('postgres', "LOAD 'uuidx'; EXPLAIN $joins{$name}"));
    for my $order ('before', 'after')
    {
        my ($rows) = estimates(outputs($order, $behaviours{'does all of it'}, "EXPLAIN $joins{$name}"));
        ok(defined $rows && $rows > $expected / 1.4 && $rows < $expected * 1.4, "$name: the same estimate beside one loaded $order uuidx")
            or diag("expected $expected rows, not " . ($rows // 'an error'));
    }
}

$node->stop;
done_testing();
