# A database whose extension was upgraded from an earlier version has the same catalog as one that has it new:
# all that belongs to the extension, its definition, comment and privileges. What used the extension goes on.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# The members of an extension in full. Names are qualified by this search_path, but for the extension's own.
my $catalog = q{
    SET search_path = keys;
    WITH member AS (
        SELECT d.classid, d.objid, pg_describe_object(d.classid, d.objid, 0) AS object
        FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
        WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = '%s'
    ), detail AS (
        SELECT object, obj_description(objid, classid::regclass::name) AS detail FROM member
        UNION ALL
        SELECT object, pg_get_functiondef(p.oid) || coalesce(p.proacl::text, '') FROM member JOIN pg_proc AS p ON p.oid = objid
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
        SELECT object, concat_ws(' ', a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
                                 col_description(a.attrelid, a.attnum), pg_get_expr(d.adbin, d.adrelid))
        FROM member JOIN pg_attribute AS a ON a.attrelid = objid AND classid = 'pg_class'::regclass AND NOT a.attisdropped
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

my %catalog;
for my $extension ('uuidx', 'uuidx_ossp')
{
    $node->safe_psql('postgres', "CREATE DATABASE new_$extension");
    $node->safe_psql("new_$extension", "CREATE SCHEMA keys; CREATE EXTENSION $extension SCHEMA keys");
    # A setting that changes how names are written
    $node->safe_psql("new_$extension", "BEGIN; DROP EXTENSION $extension; SET quote_all_identifiers = on; CREATE EXTENSION $extension; ROLLBACK");
    $catalog{$extension} = $node->safe_psql("new_$extension", sprintf($catalog, $extension));
    cmp_ok(scalar(split /^/, $catalog{$extension}), '>', 20, "$extension: there is something to compare");
}

my $number = 0;
for my $script (glob 'src/sql/released/*.sql')
{
    my ($extension, $version) = $script =~ m{/(\w+)--([^/]+)\.sql$} or next;
    next if $version =~ /--/;
    my $database = 'upgraded' . ++$number;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, qq{
        CREATE SCHEMA keys;
        CREATE EXTENSION $extension SCHEMA keys VERSION '$version'});
    isnt(difference($catalog{$extension}, $node->safe_psql($database, sprintf($catalog, $extension))), '',
        "$extension $version is another one");
    $node->safe_psql($database, q{
        CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v7());
        CREATE INDEX by_time ON orders (id keys.uuid_time_ops);
        CREATE VIEW recent AS SELECT * FROM orders
            WHERE keys.uuid_v7_in(id, '[2026-01-01,)') ORDER BY id USING OPERATOR(keys.<~);
        INSERT INTO uuidx_migrate.unfinished_foreign_keys VALUES ('orders', 'f', NULL, NULL)})
        if $extension eq 'uuidx';
    $node->safe_psql($database, "SET quote_all_identifiers = on; ALTER EXTENSION $extension UPDATE");
    is(difference($catalog{$extension}, $node->safe_psql($database, sprintf($catalog, $extension))), '',
        "$extension upgraded from $version is the same as a new one");
    is($node->safe_psql($database, q{
            SELECT count(*) FROM pg_namespace WHERE nspname = 'uuidx_installation'}), '0', 'and nothing else is left');
    is($node->safe_psql($database, q{
            INSERT INTO orders SELECT FROM generate_series(1, 3);
            SELECT (SELECT count(*) FROM recent), relation, name FROM uuidx_migrate.unfinished_foreign_keys}),
        '3|orders|f', 'and what used it goes on, and what it held is there') if $extension eq 'uuidx';
}

$node->stop;
done_testing();
