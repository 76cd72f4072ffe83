# What the catalogs say of an extension, to compare one that is new with one that came in another way.
package ExtensionCatalog;

use strict;
use warnings;

# The members of an extension in full. Names are qualified by this search_path, but for the extension's own.
my $query = q{
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
        SELECT object, concat_ws(' ', s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle)
        FROM member JOIN pg_sequence AS s ON s.seqrelid = objid
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

# The catalog of an extension in a database, as text
sub of
{
    my ($node, $database, $extension) = @_;
    return $node->safe_psql($database, sprintf($query, $extension));
}

# The lines that one of two texts has and the other has not.
sub difference
{
    my @lines = map { { map { $_ => 1 } split /\n/, $_ } } @_;
    return join "\n", (map { "- $_" } grep { !$lines[1]{$_} } sort keys %{ $lines[0] }),
        (map { "+ $_" } grep { !$lines[0]{$_} } sort keys %{ $lines[1] });
}

1;
