# What uses the extensions outlives a dump and restore and a pg_upgrade: indexes, partitions, views, constraints and
# defaults; with the extensions in a schema that is not in search_path; after a pg_upgrade, server-wide order. The pg_upgrade
# is from the server of OLDER_PG_CONFIG, where there is one.

use strict;
use warnings;
use lib 'test/lib';
use File::Basename qw(dirname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ServerOrder;
use Test::More;

# pg_upgrade wants checksums in both or in none. PostgreSQL 18 has them by default.
my @initdb = (extra => [ '--encoding=UTF8', '--locale=C', '--data-checksums' ]);
my ($bin, $older_bin) = map { chomp(my $bindir = `$_ --bindir`); $bindir } 'pg_config', $ENV{OLDER_PG_CONFIG} // 'pg_config';

my $old = PostgreSQL::Test::Cluster->new('old', install_path => dirname($older_bin));
$old->init(@initdb);
$old->start;
$old->safe_psql('postgres', q{
    CREATE SCHEMA keys;
    CREATE EXTENSION uuidx SCHEMA keys;
    CREATE EXTENSION uuidx_ossp SCHEMA keys;
    CREATE EXTENSION uuidx_migrate;
    CREATE EXTENSION uuidx_pg_uuidv7 SCHEMA keys;
    CREATE EXTENSION uuidx_pg18 SCHEMA public;
    CREATE EXTENSION amcheck;
    CREATE TABLE tickets (
        id uuid PRIMARY KEY DEFAULT public.uuidv7(),
        day_before uuid DEFAULT public.uuidv7(interval '-1 day'),
        other uuid DEFAULT public.uuidv4(),
        version smallint GENERATED ALWAYS AS (public.uuid_extract_version(id)) STORED
    );
    INSERT INTO tickets DEFAULT VALUES;
    CREATE VIEW span AS SELECT keys.min(id) AS first, keys.max(id) AS last FROM tickets;
    CREATE TABLE legacy (id uuid);
    INSERT INTO legacy SELECT keys.uuid_v6_to_v1(keys.uuid_generate_v6()) FROM generate_series(1, 5000)
        UNION ALL SELECT keys.uuid_generate_v7() FROM generate_series(1, 5000)
        UNION ALL SELECT gen_random_uuid() FROM generate_series(1, 5000);
    CREATE UNIQUE INDEX legacy_by_time ON legacy (id keys.uuid_time_ops DESC);
    CREATE INDEX legacy_since_2026 ON legacy (id)
        WHERE id OPERATOR(keys.>=~) keys.uuid_time_from('2026-01-01 00:00:00+00');
    CREATE TABLE logs (
        id uuid DEFAULT keys.uuid_generate_v7()
           CHECK (keys.uuid_v7_in(id, '[2020-01-01 00:00:00+00,)'))
    ) PARTITION BY RANGE (id keys.uuid_time_ops);
    CREATE TABLE logs_all PARTITION OF logs
        FOR VALUES FROM (keys.uuid_time_from('2020-01-01')) TO (keys.uuid_time_from('9999-01-01'));
    INSERT INTO logs VALUES (DEFAULT);
    CREATE TABLE hosts (
        id uuid DEFAULT keys.uuid_generate_v1mc(),
        name text,
        name_id uuid GENERATED ALWAYS AS (keys.uuid_generate_v5(keys.uuid_ns_dns(), name)) STORED
    );
    CREATE INDEX hosts_by_v3 ON hosts (keys.uuid_generate_v3(keys.uuid_ns_dns(), name));
    INSERT INTO hosts (name) VALUES ('www.example.com');
    CREATE VIEW january AS SELECT * FROM legacy
        WHERE keys.uuid_v7_in(id, '[2026-01-01 00:00:00+00,2026-02-01 00:00:00+00)')
        ORDER BY id USING OPERATOR(keys.<~)});

sub schema { return join "\n", grep { !/^(--|$|\\)/ } split /\n/, $_[0]; }

# What is the same before and after, and that the indexes fit their tables.
sub looks_right
{
    my ($node, $database, $before, $how) = @_;
    my ($after) = run_command([ 'pg_dump', '--schema-only', $node->connstr($database) ]);
    is(schema($after), schema($before), "The schema is the same after $how.");
    is($node->safe_psql($database, q{
            SELECT bt_index_parent_check('legacy_by_time', true, true),
                   bt_index_parent_check('legacy_since_2026', true, true)}),
        '|', "The indexes are sound after $how.");
    is($node->safe_psql($database, q{
            SET enable_seqscan = off;
            SELECT count(*), count(keys.uuid_time(id)) FROM legacy
            WHERE id OPERATOR(keys.>=~) keys.uuid_time_from('2026-01-01 00:00:00+00')}),
        '15000|10000', "The indexes give all rows after $how.");
    is($node->safe_psql($database, q{
            INSERT INTO logs VALUES (DEFAULT);
            SELECT count(DISTINCT id) > 1, bool_and(keys.uuid_version(id) = 7) FROM logs}),
        't|t', "Defaults of uuidx generate keys after $how.");
    is($node->safe_psql($database, q{
            INSERT INTO hosts (name) VALUES ('www.example.com');
            SELECT count(DISTINCT id) > 1, bool_and(keys.uuid_version(id) = 1), min(name_id::text), max(name_id::text) FROM hosts}),
        't|t|2ed6657d-e927-568b-95e1-2665a8aea6a2|2ed6657d-e927-568b-95e1-2665a8aea6a2',
        "Defaults of uuidx_ossp generate keys after $how.");
    is($node->safe_psql($database, q{
            INSERT INTO tickets DEFAULT VALUES;
            SELECT count(DISTINCT id), count(DISTINCT other), min(version), max(version), bool_and(keys.uuid_time(day_before) < keys.uuid_time(id)),
                   (SELECT first < last FROM span) FROM tickets}),
        '2|2|7|7|t|t', "Defaults of uuidx_pg18, and a view of the aggregates min and max, work after $how.");
    is($node->safe_psql($database, q{SELECT relation, role FROM uuidx_migrate.plan('tickets', 'id', conversion => 'v1_to_v6')}), 'tickets|primary key',
        "uuidx_migrate makes a plan after $how.");
}

my ($before) = run_command([ 'pg_dump', '--schema-only', $old->connstr('postgres') ]);
like($before, qr/\(id keys\.uuid_time_ops DESC\)/, 'A dump names the operator class with its schema.');
like($before, qr/id OPERATOR\(keys\.>=~\) keys\.uuid_time_from\('2026-01-01/, 'A dump names the operator with its schema.');

my $dump = $old->basedir . '/dump.sql';
command_ok([ "$older_bin/pg_dump", '--file', $dump, $old->connstr('postgres') ], 'The database is dumped.');
$old->safe_psql('postgres', 'CREATE DATABASE restored');
command_ok([ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file', $dump,
    '--dbname', $old->connstr('restored') ], 'The dump is restored.');
looks_right($old, 'restored', $before, 'a dump and restore');
$old->safe_psql('postgres', 'DROP DATABASE restored');

unlike($before, qr/CREATE SCHEMA uuidx_migrate/, 'A dump leaves the schemas of uuidx_migrate to the extension.');

# Where the server has the functions of uuidx_pg18 itself, the extension says so, and is installed all the same.
$old->safe_psql('postgres', 'CREATE DATABASE pg18');
my ($status, $out, $notices) = $old->psql('pg18', 'CREATE EXTENSION uuidx_pg18');
my $has_them = $old->safe_psql('postgres', q{SELECT to_regprocedure('pg_catalog.uuidv7()')});
is($notices =~ /NOTICE:  PostgreSQL [\w.]+ has the functions of extension "uuidx_pg18" itself$/m ? 1 : 0, $has_them ? 1 : 0,
    'CREATE EXTENSION uuidx_pg18 reports it if the server has these functions, and only then.');
is($old->safe_psql('pg18', 'SELECT count(DISTINCT id) FROM (SELECT public.uuidv7() UNION ALL SELECT public.uuidv7()) AS made (id)'), '2',
    'The functions of uuidx_pg18 work on any server.');

# --- The owner of a database dumps it after the cutover of an online migration, restores it, and undoes the migration ---
$old->safe_psql('postgres', q{CREATE ROLE owner LOGIN});
$old->safe_psql('postgres', 'CREATE DATABASE owned OWNER owner');
$old->safe_psql('postgres', 'CREATE DATABASE restored OWNER owner');
my $as_owner = $old->connstr('owned') . ' user=owner';
my @owner = (extra_params => [ '--username', 'owner' ]);
$old->safe_psql('owned', q{
    SET client_min_messages = warning;
    CREATE SCHEMA keys;
    CREATE EXTENSION uuidx SCHEMA keys;
    CREATE EXTENSION uuidx_migrate;
    CREATE FUNCTION keys.uuid_generate_v1() RETURNS uuid LANGUAGE sql AS 'SELECT keys.uuid_v6_to_v1(keys.uuid_generate_v6())';
    CREATE TABLE keys.orders (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1());
    INSERT INTO keys.orders SELECT FROM generate_series(1, 3);
    SELECT sql FROM uuidx_migrate.script('keys.orders', 'id', 'online', conversion => 'v1_to_v6') ORDER BY step \gexec}, @owner);
command_ok([ "$older_bin/pg_dump", '--file', $dump, $as_owner ], 'The owner of a database dumps it.');
command_ok([ 'psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file', $dump,
    '--dbname', $old->connstr('restored') . ' user=owner' ], 'The owner of a database restores it.');
is($old->safe_psql('restored', q{
        SET client_min_messages = warning;
        INSERT INTO keys.orders DEFAULT VALUES;
        SELECT string_agg(keys.uuid_version(id) || ' ' || keys.uuid_version(id_shadow), ', ') FROM keys.orders}), '6 1, 6 1, 6 1, 6 1',
    'In the restored database, the trigger fills the old column.');
like($old->safe_psql('restored', q{
        SET client_min_messages = warning;
        SELECT sql FROM uuidx_migrate.script('keys.orders', 'id', 'online', 'v6_to_v1') ORDER BY step \gexec
        INSERT INTO keys.orders DEFAULT VALUES;
        SELECT string_agg(keys.uuid_version(id)::text, ', ') FROM keys.orders}, @owner), qr/^1, 1, 1, 1, 1$/m,
    'The migration is undone there.');
$old->safe_psql('postgres', "DROP DATABASE $_") for qw(owned restored);
# The generators of the old server are far ahead of the clock.
$old->append_conf('postgresql.conf', ServerOrder::preload($old));
$old->restart;
my $a_node = "SET uuidx.max_clock_ahead = -1; SET uuidx.v7_order = server; SET uuidx.node = '02:00:5e:10:00:00';";
my ($last_v7, $last_v6) = split /\|/, $old->safe_psql('postgres', "$a_node SELECT keys.uuid_generator_advance(now() + interval '1 h') \\g /dev/null
    SELECT keys.uuid_generate_v7(), keys.uuid_generate_v6()");
$old->stop;

my $new = PostgreSQL::Test::Cluster->new('new');
$new->init(@initdb);
chdir $new->basedir or die;
command_ok([ 'pg_upgrade', '--old-datadir', $old->data_dir, '--new-datadir', $new->data_dir,
    '--old-bindir', $older_bin, '--new-bindir', $bin, '--socketdir', $new->host,
    '--old-port', $old->port, '--new-port', $new->port ], 'pg_upgrade upgrades the server.');
$new->start;
looks_right($new, 'postgres', $before, 'a pg_upgrade');
$new->append_conf('postgresql.conf', ServerOrder::preload($new));
$new->restart;
is($new->safe_psql('postgres', "$a_node SELECT keys.uuid_generate_v7() > '$last_v7', keys.uuid_generate_v6() > '$last_v6'"), 't|t',
    'Server-wide order goes on after a pg_upgrade.');
$new->stop;

done_testing();
