# A database whose extension was updated from an earlier version has the same catalog as one that has it new:
# all that belongs to the extension, its definition, comment and privileges. What used the extension goes on.

use strict;
use warnings;
use lib 'test/lib';
use OldVersions;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# The members of an extension in full. Names are qualified by this search_path, but for the extension's own.
my $catalog = q{
    SET search_path = keys, uuidx_migrate, uuidx_migrate_steps;
    WITH member AS (
        SELECT d.classid, d.objid, pg_describe_object(d.classid, d.objid, 0) AS object
        FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
        WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = '%s'
    ), detail AS (
        SELECT object, obj_description(objid, classid::regclass::name) AS detail FROM member
        UNION ALL
        SELECT object, initprivs::text FROM member JOIN pg_init_privs AS i ON (i.classoid, i.objoid) = (classid, objid)
        UNION ALL
        SELECT object, pg_get_functiondef(p.oid) || coalesce(p.proacl::text, '')
        FROM member JOIN pg_proc AS p ON p.oid = objid AND p.prokind <> 'a'
        UNION ALL
        SELECT object, concat_ws(' ', a.aggtransfn, a.aggcombinefn, a.aggsortop::regoperator, a.aggtranstype::regtype, p.proparallel)
        FROM member JOIN pg_aggregate AS a ON a.aggfnoid = objid JOIN pg_proc AS p ON p.oid = objid
        UNION ALL
        SELECT object, concat_ws(' ', o.oid::regoperator, o.oprkind, o.oprcanmerge, o.oprcanhash, o.oprresult::regtype,
                                 o.oprcom::regoperator, o.oprnegate::regoperator, o.oprcode, o.oprrest, o.oprjoin)
        FROM member JOIN pg_operator AS o ON o.oid = objid
        UNION ALL
        SELECT object, concat_ws(' ', c.opcmethod, c.opcintype::regtype, c.opcdefault, c.opckeytype)
        FROM member JOIN pg_opclass AS c ON c.oid = objid
        UNION ALL
        SELECT object, concat_ws(' ', a.amopstrategy, a.amoppurpose, a.amopopr::regoperator)
        FROM member JOIN pg_amop AS a ON a.amopfamily = objid AND classid = 'pg_opfamily'::regclass
        UNION ALL
        SELECT object, concat_ws(' ', a.amprocnum, a.amproc::regprocedure)
        FROM member JOIN pg_amproc AS a ON a.amprocfamily = objid AND classid = 'pg_opfamily'::regclass
        UNION ALL
        SELECT object, concat_ws(' ', c.relkind, c.relacl, c.relrowsecurity, c.reloptions,
                                 CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) END)
        FROM member JOIN pg_class AS c ON c.oid = objid
        UNION ALL
        SELECT object, concat_ws(' ', rank() OVER (PARTITION BY a.attrelid ORDER BY a.attnum), a.attname,
                                 format_type(a.atttypid, a.atttypmod), a.attnotnull, col_description(a.attrelid, a.attnum),
                                 pg_get_expr(d.adbin, d.adrelid))
        FROM member LEFT JOIN pg_type AS t ON t.oid = objid AND classid = 'pg_type'::regclass
        JOIN pg_attribute AS a ON a.attrelid = coalesce(t.typrelid, objid)
                              AND classid IN ('pg_class'::regclass, 'pg_type'::regclass) AND NOT a.attisdropped
        LEFT JOIN pg_attrdef AS d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
        UNION ALL
        SELECT object, concat_ws(' ', conname, pg_get_constraintdef(c.oid))
        FROM member JOIN pg_constraint AS c ON c.conrelid = objid AND classid = 'pg_class'::regclass
        UNION ALL
        SELECT object, pg_get_triggerdef(t.oid)
        FROM member JOIN pg_trigger AS t ON t.tgrelid = objid AND classid = 'pg_class'::regclass AND NOT t.tgisinternal
        UNION ALL
        SELECT object, concat_ws(' ', p.polname, p.polcmd, p.polroles, pg_get_expr(p.polqual, p.polrelid),
                                 pg_get_expr(p.polwithcheck, p.polrelid))
        FROM member JOIN pg_policy AS p ON p.polrelid = objid AND classid = 'pg_class'::regclass
        UNION ALL
        SELECT 'the extension', concat_ws(' ', extversion, extrelocatable, extcondition,
            ARRAY(SELECT oid::regclass FROM unnest(extconfig) AS oid))
        FROM pg_extension WHERE extname = '%1$s'
    )
    SELECT object || ': ' || detail FROM detail WHERE detail IS NOT NULL
    ORDER BY object COLLATE "C", detail COLLATE "C"};

# The lines that one of two texts has and the other has not.
sub difference
{
    my @lines = map { { map { $_ => 1 } split /\n/, $_ } } @_;
    return join "\n", (map { "- $_" } grep { !$lines[1]{$_} } sort keys %{ $lines[0] }),
        (map { "+ $_" } grep { !$lines[0]{$_} } sort keys %{ $lines[1] });
}

# Installs an extension, and what it requires, in a database of its own; returns its catalog.
my $number = 0;
sub installed
{
    my ($extension, $version, $settings, $update) = @_;
    my $database = 'database' . ++$number;
    my $where = $extension eq 'uuidx_migrate' ? '' : 'SCHEMA keys';
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, "CREATE SCHEMA keys");
    $node->safe_psql($database, 'CREATE EXTENSION uuidx SCHEMA keys') if $extension eq 'uuidx_migrate';
    $node->safe_psql($database, "$settings; CREATE EXTENSION $extension $where $version");
    $update->($database) if $update;
    return $node->safe_psql($database, sprintf($catalog, $extension));
}

# --- Whatever a session has set, the extensions are the same ---
my %new;
my @settings = ('SET quote_all_identifiers = on', 'SET search_path = pg_temp', 'SET check_function_bodies = off');
push @settings, 'SET standard_conforming_strings = off' if $node->safe_psql('postgres', 'SHOW server_version_num') < 190000;
for my $extension ('uuidx', 'uuidx_migrate', 'uuidx_ossp', 'uuidx_pg_uuidv7', 'uuidx_pg18')
{
    $new{$extension} = installed($extension, '', 'SET jit = off');
    cmp_ok(scalar(split /^/, $new{$extension}), '>', 15, "The catalog of $extension is read.");
    is(difference($new{$extension}, installed($extension, '', $_)), '', "$extension is the same after $_.") for @settings;
}

# --- An update ends where a new installation does. ---
my $used = q{
    SET client_min_messages = warning;
    CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v7());
    CREATE INDEX by_time ON orders (id keys.uuid_time_ops);
    CREATE VIEW recent AS SELECT * FROM orders
        WHERE keys.uuid_v7_in(id, '[2026-01-01,)') ORDER BY id USING OPERATOR(keys.<~)};
my $migrated = q{
    SET client_min_messages = warning;
    CREATE TABLE orders (id uuid PRIMARY KEY);
    INSERT INTO orders SELECT keys.uuid_v6_to_v1(keys.uuid_generate_v6()) FROM generate_series(1, 3);
    SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online') ORDER BY step \gexec};
for my $old (OldVersions::install())
{
    my ($extension, $from) = @$old;
    my $update = "SET quote_all_identifiers = on; ALTER EXTENSION $extension UPDATE";
    my $updated = installed($extension, "VERSION '$from'", '', sub {
        my ($database) = @_;
        $node->safe_psql($database, $used) if $extension eq 'uuidx';
        $node->safe_psql($database, $migrated) if $extension eq 'uuidx_migrate';
        if ($extension eq 'uuidx' && $from eq $OldVersions::earlier)
        {
            $node->safe_psql($database, 'CREATE VIEW former AS SELECT keys.uuid_former(id) FROM orders');
            like(($node->psql($database, $update))[2], qr/DETAIL:  view "public"\."former" depends on function "uuid_former"/,
                'An update that drops what a view calls names the view, and does nothing.');
            $node->safe_psql($database, 'DROP VIEW former');
        }
        $node->safe_psql($database, $update);
        is($node->safe_psql($database, 'INSERT INTO orders SELECT FROM generate_series(1, 3); SELECT count(*) FROM recent'), '3',
            "What used $extension $from goes on after the update.") if $extension eq 'uuidx';
        like($node->safe_psql($database, q{
                SET client_min_messages = warning;
                SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online', 'v6_to_v1') ORDER BY step \gexec
                SELECT string_agg(keys.uuid_version(id)::text, ',') FROM orders}), qr/^1,1,1$/m,
            "A migration that $extension $from began is undone after the update.") if $extension eq 'uuidx_migrate';
        is($node->safe_psql($database,
                q{SELECT string_agg(nspname, ',' ORDER BY nspname) FROM pg_namespace WHERE nspname ~ '^(uuidx|keys)'}),
            $extension eq 'uuidx_migrate' ? 'keys,uuidx_migrate,uuidx_migrate_steps' : 'keys', "The update of $extension leaves no schema behind.");
    });
    is(difference($new{$extension}, $updated), '', "$extension updated from $from is the same as a new one.");
}

# --- uuidx goes to another schema, and what calls it by an update or a script finds it there. ---
$node->safe_psql('postgres', 'CREATE SCHEMA before; CREATE SCHEMA after; CREATE EXTENSION uuidx SCHEMA before; CREATE EXTENSION uuidx_migrate;
    CREATE TABLE orders (id uuid PRIMARY KEY); ALTER EXTENSION uuidx SET SCHEMA after');
$node->safe_psql('postgres', q{CREATE FUNCTION uuid_generate_v1() RETURNS uuid LANGUAGE sql RETURN gen_random_uuid();
    ALTER TABLE orders ALTER COLUMN id SET DEFAULT uuid_generate_v1()});
like($node->safe_psql('postgres', q{SELECT sql FROM uuidx_migrate.script('orders', 'id')}), qr/SET DEFAULT after\.uuid_generate_v6\(\)/,
    'A script names the schema that uuidx is in.');

$node->stop;
done_testing();
