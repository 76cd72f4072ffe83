# What others have put into the schema before the extension comes is never bound to it, nor is it found later.

use strict;
use warnings;
use lib 'test/lib';
use OldVersions;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;
OldVersions::install();

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
    installed => q{CREATE EXTENSION uuidx SCHEMA plants; CREATE EXTENSION uuidx_migrate; CREATE EXTENSION uuidx_ossp SCHEMA plants},
    updated => qq{CREATE EXTENSION uuidx SCHEMA plants VERSION '$OldVersions::earlier'; ALTER EXTENSION uuidx UPDATE;
        CREATE EXTENSION uuidx_migrate VERSION '$OldVersions::earlier'; ALTER EXTENSION uuidx_migrate UPDATE;
        CREATE EXTENSION uuidx_ossp SCHEMA plants VERSION '$OldVersions::earlier'; ALTER EXTENSION uuidx_ossp UPDATE});
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
              AND NOT EXISTS (SELECT FROM pg_type AS t JOIN pg_depend AS own ON (own.classid, own.objid, own.deptype) = ('pg_type'::regclass, t.oid, 'e')
                              WHERE own.refobjid = e.refobjid
                                AND (d.refclassid, d.refobjid) IN (('pg_type'::regclass, t.typarray), ('pg_class'::regclass, t.typrelid)))
              AND d.refobjid >= 16384
              AND NOT EXISTS (SELECT FROM pg_type AS t WHERE t.oid = d.refobjid AND t.typrelid <> 0)}),
        '', "The extensions that were $way depend on nothing but themselves and PostgreSQL.");
    is($node->safe_psql($database, q{SELECT string_agg(nspname, ',' ORDER BY nspname) FROM pg_namespace WHERE nspname LIKE 'uuidx%'}),
        'uuidx_migrate,uuidx_migrate_steps',
        'Nothing is left of the schemas that they were made in.');

    # The planted schema comes first, and even before PostgreSQL's own.
    my $path = 'SET search_path = plants, pg_catalog, public;';
    $node->safe_psql($database, q{
        CREATE TABLE public.orders (id uuid PRIMARY KEY, replaces uuid REFERENCES public.orders, n int);
        INSERT INTO public.orders SELECT plants.uuid_v6_to_v1(plants.uuid_generate_v6()), NULL, n FROM generate_series(1, 100) AS n;
        CREATE TABLE public.visits (id uuid, id_shadow uuid, made uuid DEFAULT plants.uuid_generate_v4());
        ALTER TABLE public.visits ADD CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0) NOT VALID;
        INSERT INTO public.visits SELECT id FROM public.orders;
        CREATE TRIGGER zzz_id_shadow BEFORE INSERT OR UPDATE ON public.visits
            FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'error', 'id');
        ALTER TABLE public.visits ENABLE ALWAYS TRIGGER zzz_id_shadow});
    for my $mode ('offline', 'online')
    {
        my ($result, $output, $errors) = $node->psql($database,
            "SET client_min_messages = warning; $path SELECT sql FROM uuidx_migrate.script('public.orders', 'id', '$mode', '"
                . ($mode eq 'offline' ? 'v1_to_v6' : 'v6_to_v1') . "') ORDER BY step \\gexec", on_error_stop => 1);
        is($errors, '', "A script of the mode $mode finds nothing that is planted.");
    }
    my ($result, $output, $errors) = $node->psql($database,
        "SET client_min_messages = warning; $path CALL uuidx_migrate_steps.backfill('public.visits', '{id}')");
    is($errors, '', 'A backfill finds nothing that is planted.');
    ($result, $output, $errors) = $node->psql($database,
        "$path SELECT count(*) FROM uuidx_migrate.extension_plan('uuidx_ossp', 'uuidx') WHERE obstacle IS NOT NULL;
        SELECT uuidx_migrate.change_defaults('plants.uuid_generate_v4()', 'plants.uuid_generate_v7()')");
    is("$output$errors", "1\nALTER TABLE ONLY public.visits ALTER COLUMN made SET DEFAULT plants.uuid_generate_v7()",
        'The change of a default finds nothing that is planted.');
    is($node->safe_psql($database, q{SELECT (SELECT count(*) FROM public.orders WHERE plants.uuid_version(id) = 1),
            (SELECT count(*) FROM public.visits WHERE id_shadow = plants.uuid_v1_to_v6(id)),
            (SELECT string_agg(DISTINCT format_type(atttypid, NULL), ',') FROM pg_attribute WHERE attrelid = 'public.orders'::regclass AND attname IN ('id', 'replaces'))}),
        '100|100|uuid', 'Scripts and backfill have converted every row.');
}

# What the owner of the extension has added to it is his, and no superuser is to call it when he upgrades.
$node->safe_psql('postgres', 'CREATE ROLE eve LOGIN; CREATE DATABASE of_eve OWNER eve');
$node->safe_psql('of_eve', q{
    SET SESSION AUTHORIZATION eve;
    CREATE SCHEMA k;
    CREATE EXTENSION uuidx SCHEMA k VERSION '@old@';
    CREATE FUNCTION k.same(oid, regclass) RETURNS bool LANGUAGE plpgsql AS $$
    BEGIN
        IF current_user <> 'eve' THEN
            RAISE EXCEPTION 'called by %', current_user;
        END IF;
        RETURN $1 OPERATOR(pg_catalog.=) $2::oid;
    END $$;
    CREATE OPERATOR k.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = k.same);
    ALTER EXTENSION uuidx ADD FUNCTION k.same(oid, regclass);
    ALTER EXTENSION uuidx ADD OPERATOR k.= (oid, regclass)} =~ s/\@old\@/$OldVersions::earlier/r);
my ($result, $output, $errors) = $node->psql('of_eve', 'SET SESSION AUTHORIZATION eve; ALTER EXTENSION uuidx UPDATE');
is($errors, '', 'An update calls nothing that the owner of the extension has added to it.');
is($node->safe_psql('of_eve', q{SELECT extversion, 'k.same'::regproc FROM pg_extension WHERE extname = 'uuidx'}),
    slurp_file('uuidx.control') =~ s/.*default_version = '(.*?)'.*/$1/sr . '|k.same', 'What was added stays where it was.');

# --- Schemas that others have made ---
# sqlstate_of(DATABASE, SQL): the SQLSTATE of the first error, and its message.
sub error_of
{
    my ($database, $sql) = @_;
    my ($status, $out, $err) = $node->psql($database, "\\set VERBOSITY verbose\n$sql");
    return $err =~ /ERROR:  (\w+: .*)/ ? $1 : 'no error';
}

$node->safe_psql('postgres', 'CREATE DATABASE taken; GRANT CREATE ON DATABASE taken TO mallory');
$node->safe_psql('taken', 'SET ROLE mallory; CREATE SCHEMA uuidx_installation; CREATE SCHEMA uuidx; CREATE SCHEMA uuidx_0');
is(error_of('taken', 'CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_ossp'), 'no error',
    'Schemas of names like those of an installation do not keep it from taking place.');
for my $schema ('uuidx_migrate', 'uuidx_migrate_steps')
{
    $node->safe_psql('taken', "SET ROLE mallory; CREATE SCHEMA $schema");
    is(error_of('taken', 'CREATE EXTENSION uuidx_migrate'), qq(42P06: schema "$schema" already exists),
        "A schema $schema that somebody has made is not taken.");
    $node->safe_psql('taken', "ALTER SCHEMA $schema OWNER TO CURRENT_USER");
    is(error_of('taken', 'CREATE EXTENSION uuidx_migrate'), qq(42P06: schema "$schema" already exists),
        'Nor is one of the same owner: others may have rights in it.');
    $node->safe_psql('taken', "DROP SCHEMA $schema");
}
is($node->safe_psql('taken', q{CREATE EXTENSION uuidx_migrate;
        SELECT string_agg(nspname, ',' ORDER BY nspname) FROM pg_namespace WHERE nspname LIKE 'uuidx%'}),
    'uuidx,uuidx_0,uuidx_installation,uuidx_migrate,uuidx_migrate_steps', 'When it is gone the extension is installed, and leaves no other schema.');

# --- An update, where a role that is no superuser may create objects in the schema uuidx_migrate_steps ---
my $trap = q{
    CREATE FUNCTION uuidx_migrate_steps.evil(pg_catalog.timestamptz) RETURNS bool LANGUAGE plpgsql AS $$
    BEGIN
        IF current_user <> 'mallory' THEN
            RAISE EXCEPTION 'planted, as %', current_user;
        END IF;
        RETURN true;
    END $$;
    CREATE DOMAIN uuidx_migrate_steps.timestamptz AS pg_catalog.timestamptz CHECK (uuidx_migrate_steps.evil(value));
    CREATE FUNCTION uuidx_migrate_steps.format(text, name, text) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'planted, as %', current_user;
    END $$};
my $old_migrate = "CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_migrate VERSION '$OldVersions::earlier'";
$node->safe_psql('postgres', 'CREATE DATABASE by_default; CREATE DATABASE reassigned; CREATE ROLE dba SUPERUSER LOGIN');
$node->safe_psql('by_default', "ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO mallory; CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_migrate");
is($node->safe_psql('by_default', q{SELECT has_schema_privilege('mallory', s, 'CREATE') FROM unnest('{uuidx_migrate,uuidx_migrate_steps}'::text[]) AS s}), "f\nf",
    'Default privileges let nobody create objects in the schemas of uuidx_migrate.');
$node->safe_psql('by_default', "DROP EXTENSION uuidx_migrate, uuidx; $old_migrate; GRANT CREATE ON SCHEMA uuidx_migrate_steps TO mallory; SET ROLE mallory; $trap");
is(error_of('by_default', "ALTER EXTENSION uuidx_migrate UPDATE; SELECT sql FROM uuidx_migrate.script('pg_class', 'oid', conversion => 'v1_to_v6')"),
    '42804: column "oid" of relation pg_class is not of type uuid', 'An update finds nothing that is planted in the schema uuidx_migrate_steps.');
$node->safe_psql('reassigned', "SET SESSION AUTHORIZATION dba; $old_migrate; RESET SESSION AUTHORIZATION; REASSIGN OWNED BY dba TO mallory;
    GRANT CREATE ON DATABASE reassigned TO mallory; SET SESSION AUTHORIZATION mallory; $trap");
like(error_of('reassigned', 'SET SESSION AUTHORIZATION mallory; ALTER EXTENSION uuidx_migrate UPDATE'),
    qr/^55000: functions of extension "uuidx_migrate" do not belong to a superuser|^42501/,
    'An extension whose members were given to an ordinary role is not updated.');

# Who installs uuidx_migrate without being a superuser, as it is trusted, still cannot make anything in its schemas.
$node->safe_psql('postgres', 'CREATE DATABASE of_mallory OWNER mallory');
my $as_mallory = 'SET SESSION AUTHORIZATION mallory;';
$node->safe_psql('of_mallory', "$as_mallory CREATE SCHEMA k; CREATE EXTENSION uuidx SCHEMA k; CREATE EXTENSION uuidx_migrate");
like(error_of('of_mallory', "$as_mallory $_"), qr/^42501: /, "The owner of the extension may not: $_")
    for q{CREATE FUNCTION uuidx_migrate.plan(regclass, text) RETURNS int LANGUAGE sql AS 'SELECT 1'},
    'CREATE TABLE uuidx_migrate.planted ()', 'CREATE TABLE uuidx_migrate_steps.planted ()',
    'ALTER SCHEMA uuidx_migrate OWNER TO mallory', 'ALTER SCHEMA uuidx_migrate_steps RENAME TO mine',
    q{CREATE OR REPLACE FUNCTION uuidx_migrate_steps.uuid_version(uuid) RETURNS smallint LANGUAGE sql AS 'SELECT 1::smallint'};
is($node->safe_psql('of_mallory', "$as_mallory GRANT CREATE ON SCHEMA uuidx_migrate TO PUBLIC; SELECT has_schema_privilege('uuidx_migrate', 'CREATE')"),
    'f', 'Nor may the owner grant that to others.');
is($node->safe_psql('of_mallory', "$as_mallory DROP EXTENSION uuidx_migrate; SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'uuidx%'"), '0',
    'The owner of the extension drops it, and its schemas go.');

# --- What the owner of an extension has added to it is no counterpart, and has no privileges to repeat ---
$node->safe_psql('postgres', 'CREATE DATABASE added; GRANT CREATE ON DATABASE added TO mallory; CREATE ROLE alice');
$node->safe_psql('added', qq{$as_mallory
    CREATE SCHEMA m;
    CREATE EXTENSION "uuid-ossp" SCHEMA m;
    CREATE EXTENSION uuidx SCHEMA m;
    CREATE EXTENSION uuidx_migrate;
    CREATE SCHEMA m2;
    CREATE FUNCTION m2.uuid_generate_v4() RETURNS uuid LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION \$\$planted\$\$; END';
    ALTER EXTENSION uuidx ADD FUNCTION m2.uuid_generate_v4();
    CREATE FUNCTION m2.uuid_generate_v7() RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid';
    REVOKE ALL ON FUNCTION m2.uuid_generate_v7() FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION m2.uuid_generate_v7() TO alice WITH GRANT OPTION;
    ALTER EXTENSION "uuid-ossp" ADD FUNCTION m2.uuid_generate_v7()});
$node->safe_psql('added', 'CREATE TABLE t (id uuid DEFAULT m.uuid_generate_v4())');
is($node->safe_psql('added', q{SELECT uuidx_migrate.change_extension('uuid-ossp', 'uuidx')}), '',
    'A superuser who changes an extension runs no statement for what its owner has added.');
is($node->safe_psql('added', q{SELECT object, obstacle FROM uuidx_migrate.extension_plan('uuid-ossp', 'uuidx')}),
    'table column public.t.id|it depends on m.uuid_generate_v4(), which has no counterpart', 'The plan has the default as an obstacle.');

$node->stop;
done_testing();
