# What others have put into the schema before the extension comes is never bound to it, nor is it found later.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;

# Better matches for calls of the extension's functions than those of PostgreSQL are.
my $plant = q{
    CREATE FUNCTION plants.plant() RETURNS void LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted, as %', current_user; END$$;
    CREATE FUNCTION plants.concat(pg_catalog.pg_node_tree, pg_catalog.pg_node_tree) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT plants.plant(); SELECT NULL::pg_catalog.text';
    CREATE FUNCTION plants.format(pg_catalog.text, pg_catalog.name, pg_catalog.regclass) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT plants.plant(); SELECT NULL::pg_catalog.text';
    CREATE FUNCTION plants.format(pg_catalog.text, pg_catalog.regclass, pg_catalog.name) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT plants.plant(); SELECT NULL::pg_catalog.text';
    CREATE FUNCTION plants.format(pg_catalog.text, pg_catalog.regclass) RETURNS pg_catalog.text LANGUAGE sql AS 'SELECT plants.plant(); SELECT NULL::pg_catalog.text';
    CREATE FUNCTION plants.same(pg_catalog.oid, pg_catalog.regclass) RETURNS pg_catalog.bool LANGUAGE sql AS 'SELECT plants.plant(); SELECT true';
    CREATE OPERATOR plants.= (LEFTARG = pg_catalog.oid, RIGHTARG = pg_catalog.regclass, FUNCTION = plants.same);
    CREATE FUNCTION plants.same(pg_catalog.regclass, pg_catalog.regclass) RETURNS pg_catalog.bool LANGUAGE sql AS 'SELECT plants.plant(); SELECT true';
    CREATE OPERATOR plants.= (LEFTARG = pg_catalog.regclass, RIGHTARG = pg_catalog.regclass, FUNCTION = plants.same);
    CREATE FUNCTION plants.same(pg_catalog.int2, pg_catalog.int4) RETURNS pg_catalog.bool LANGUAGE sql AS 'SELECT plants.plant(); SELECT true';
    CREATE OPERATOR plants.= (LEFTARG = pg_catalog.int2, RIGHTARG = pg_catalog.int4, FUNCTION = plants.same);
    CREATE DOMAIN plants.text AS pg_catalog.text CHECK (plants.plant() IS NULL);
    CREATE DOMAIN plants.regclass AS pg_catalog.regclass CHECK (plants.plant() IS NULL);
    CREATE DOMAIN plants.uuid AS pg_catalog.uuid CHECK (plants.plant() IS NULL);
    CREATE DOMAIN plants.timestamptz AS pg_catalog.timestamptz CHECK (plants.plant() IS NULL)};
$node->safe_psql('postgres', 'CREATE ROLE mallory');
my %ways = (
    'installed' => 'CREATE EXTENSION uuidx SCHEMA plants; CREATE EXTENSION uuidx_ossp SCHEMA plants',
    'upgraded' => q{CREATE EXTENSION uuidx SCHEMA plants VERSION '0.1.0'; ALTER EXTENSION uuidx UPDATE;
        CREATE EXTENSION uuidx_ossp SCHEMA plants});
for my $way (sort keys %ways)
{
    my ($database, $install) = ($way, $ways{$way});
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, qq{
        CREATE SCHEMA plants;
        GRANT ALL ON SCHEMA plants TO mallory;
        SET ROLE mallory;
        $plant;
        RESET ROLE;
        $install});

    is($node->safe_psql($database, q{
            SELECT pg_describe_object(d.classid, d.objid, 0), pg_describe_object(d.refclassid, d.refobjid, 0)
            FROM pg_depend AS d
            JOIN pg_depend AS e ON (e.classid, e.objid, e.deptype) = (d.classid, d.objid, 'e')
            WHERE d.refobjid <> e.refobjid AND NOT EXISTS (
                SELECT FROM pg_depend AS own WHERE (own.classid, own.objid, own.deptype, own.refobjid) = (d.refclassid, d.refobjid, 'e', e.refobjid))
              AND (d.refclassid, d.refobjid) <> ('pg_namespace'::regclass, 'plants'::regnamespace)
              AND d.refobjid >= 16384
              AND NOT EXISTS (SELECT FROM pg_type AS t WHERE t.oid = d.refobjid AND t.typrelid <> 0)}),
        '', "$way: the extensions depend on nothing but themselves and PostgreSQL");
    is($node->safe_psql($database, q{SELECT count(*) FROM pg_namespace WHERE nspname = 'uuidx_installation'}), '0',
        'and nothing is left of the schema that it was made in');

    # The planted schema comes first, and even before PostgreSQL's own.
    my $path = 'SET search_path = plants, pg_catalog, public;';
    $node->safe_psql($database, q{
        CREATE TABLE public.orders (id uuid PRIMARY KEY, replaces uuid REFERENCES public.orders, n int);
        INSERT INTO public.orders SELECT plants.uuid_v6_to_v1(plants.uuid_generate_v6()), NULL, n FROM generate_series(1, 100) AS n;
        CREATE TABLE public.visits (id uuid, id_v6 uuid, made uuid DEFAULT plants.uuid_generate_v4());
        INSERT INTO public.visits SELECT id FROM public.orders});
    for my $mode ('offline', 'online')
    {
        my ($result, $output, $errors) = $node->psql($database,
            "SET client_min_messages = warning; $path SELECT sql FROM uuidx_migrate.script('public.orders', 'id', '$mode', '"
                . ($mode eq 'offline' ? 'v1_to_v6' : 'v6_to_v1') . "') ORDER BY step \\gexec", on_error_stop => 1);
        is($errors, '', "$mode: a script finds nothing that is planted");
    }
    my ($result, $output, $errors) = $node->psql($database,
        "SET client_min_messages = warning; $path CALL uuidx_migrate.backfill('public.visits', 'id', 'id_v6')");
    is($errors, '', 'nor does a backfill');
    ($result, $output, $errors) = $node->psql($database,
        "$path SELECT count(*) FROM uuidx_migrate.extension_plan('uuidx_ossp', 'uuidx') WHERE obstacle IS NOT NULL;
        SELECT uuidx_migrate.change_defaults('plants.uuid_generate_v4()', 'plants.uuid_generate_v7()')");
    is("$output$errors", "1\nALTER TABLE ONLY public.visits ALTER COLUMN made SET DEFAULT plants.uuid_generate_v7()",
        'nor does the change of a default');
    is($node->safe_psql($database, q{SELECT (SELECT count(*) FROM public.orders WHERE plants.uuid_version(id) = 1),
            (SELECT count(*) FROM public.visits WHERE id_v6 = plants.uuid_v1_to_v6(id)),
            (SELECT string_agg(DISTINCT format_type(atttypid, NULL), ',') FROM pg_attribute WHERE attrelid = 'public.orders'::regclass AND attname IN ('id', 'replaces'))}),
        '100|100|uuid', 'and both do what they are to do');
}

# What the owner of the extension has added to it is his, and no superuser is to call it when he upgrades.
$node->safe_psql('postgres', 'CREATE ROLE eve LOGIN; CREATE DATABASE of_eve OWNER eve');
$node->safe_psql('of_eve', q{
    SET SESSION AUTHORIZATION eve;
    CREATE SCHEMA k;
    CREATE EXTENSION uuidx SCHEMA k VERSION '0.1.0';
    CREATE FUNCTION k.same(oid, regclass) RETURNS bool LANGUAGE plpgsql AS $$
    BEGIN
        IF current_user <> 'eve' THEN
            RAISE EXCEPTION 'called by %', current_user;
        END IF;
        RETURN $1 OPERATOR(pg_catalog.=) $2::oid;
    END $$;
    CREATE OPERATOR k.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = k.same);
    ALTER EXTENSION uuidx ADD FUNCTION k.same(oid, regclass);
    ALTER EXTENSION uuidx ADD OPERATOR k.= (oid, regclass)});
my ($result, $output, $errors) = $node->psql('of_eve', 'SET SESSION AUTHORIZATION eve; ALTER EXTENSION uuidx UPDATE');
is($errors, '', 'what the owner has added is not called in an upgrade');
is($node->safe_psql('of_eve', q{SELECT extversion > '0.1.0', 'k.same'::regproc FROM pg_extension WHERE extname = 'uuidx'}),
    't|k.same', 'and stays where it was');

done_testing();
