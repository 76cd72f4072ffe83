# lookup() sees what other sessions commit after it has read the values into memory. sql/kept_lookups.sql tests the rest.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "autovacuum = off\nmax_prepared_transactions = 2");
$node->start;
$node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx_migrate CASCADE;
    CREATE TABLE map (old int UNIQUE, new int);
    INSERT INTO map SELECT n, -n FROM generate_series(1, 100) AS n;
    CREATE TABLE written (n int)});

# looked_up_after(STATEMENT...): what one expression finds after each of them, so often looked up that the values are read
# into memory
sub looked_up_after
{
    my $statements = join ', ', map { "\$_\$$_\$_\$" } @_;
    $node->psql('postgres', qq{DO \$\$ DECLARE
        statement text;
        found int;
    BEGIN
        FOREACH statement IN ARRAY ARRAY[$statements] LOOP
            EXECUTE statement;
            FOR i IN 1..10 LOOP
                found := uuidx_migrate_steps.lookup('map', 'old', 'new', 1, 0);
            END LOOP;
            RAISE INFO '%', found;
        END LOOP;
    END \$\$}, stderr => \my $found);
    return join ' ', $found =~ /INFO:  (.*)/g;
}

# A statement that runs one in another session
sub elsewhere
{
    my ($sql) = @_;
    return sprintf q{COPY (SELECT) TO PROGRAM 'psql --no-psqlrc --quiet --dbname "%s" --command "%s"'}, $node->connstr('postgres') =~ s/'//gr, $sql =~ s/'/''/gr;
}

sub prepare
{
    my ($sql, $name) = @_;
    $node->safe_psql('postgres', "BEGIN; $sql; PREPARE TRANSACTION '$name'; INSERT INTO written VALUES (1)");
    return;
}

# All snapshots begin with a transaction that stays open.
prepare('INSERT INTO written VALUES (2)', 'open');
is(looked_up_after('SELECT', elsewhere('UPDATE map SET new = 2 WHERE old = 1')), '-1 2', 'Another session commits what it has begun after the first look-ups.');
prepare('UPDATE map SET new = 3 WHERE old = 1', 'begun');
is(looked_up_after('SELECT', elsewhere("COMMIT PREPARED 'begun'")), '2 3', 'Another session commits what it has begun before them.');
$node->safe_psql('postgres', q{ROLLBACK PREPARED 'open'});

done_testing();
