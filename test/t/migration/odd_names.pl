# Names that SQL, psql, format() or dollar quotes could misread, and names too long for a suffix: every mode works with
# them, and leaves nothing behind.

use strict;
use warnings;
use lib 'test/lib';
use Migrations;
use Test::More;

my $node = new_server('main');
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE postgres TO alice');
my %back = (conversion => 'v6_to_v1', new_default => 'keys.uuid_generate_v1()');

my @odd = (q{semi;colon -- dashes /* $do$ a$if$b $$ 'q' "q" :c :'a' :"b"}, "line\nend\rreturn\ttab %s per%cent %1\$I \\back\\000slash {b, (p, [U");
for my $base (@odd, 'x' x 62, "e" . "\xc3\xa9" x 30 . "e")
{
    # Each name is the base with another last character, at most 63 octets.
    my %names = map { $_ => quoted($base . $_) } 'a' .. 'w';
    my $schema = $names{s};
    # From PostgreSQL 19 on, the name of a role has no line end.
    $names{r} =~ s/[\r\n]/ /g if $node->safe_psql('postgres', 'SHOW server_version_num') >= 190000;
    $node->safe_psql('postgres', "CREATE ROLE $names{r}");
    my $made = session($node, 'alice', qq{
        CREATE SCHEMA $schema;
        SET search_path = $schema;
        CREATE TABLE $names{t} (
            $names{a} uuid CONSTRAINT $names{p} PRIMARY KEY DEFAULT keys.uuid_generate_v1(),
            $names{b} uuid CONSTRAINT $names{f} REFERENCES $names{t},
            $names{n} int CONSTRAINT $names{c} CHECK ($names{n} > 0),
            CONSTRAINT $names{u} UNIQUE ($names{b}, $names{n}));
        CREATE INDEX $names{i} ON $names{t} ($names{n}, $names{b});
        CREATE STATISTICS $names{k} ON $names{a}, $names{b} FROM $names{t};
        ALTER STATISTICS $names{k} SET STATISTICS 50;
        COMMENT ON COLUMN $names{t}.$names{a} IS \$c\$$base\$c\$;
        COMMENT ON CONSTRAINT $names{f} ON $names{t} IS \$c\$$base\$c\$;
        COMMENT ON INDEX $names{i} IS \$c\$$base\$c\$;
        GRANT SELECT ($names{a}), UPDATE ($names{b}) ON $names{t} TO $names{r} WITH GRANT OPTION;
        CREATE TRIGGER $names{g} BEFORE UPDATE ON $names{t} FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
        CREATE TABLE $names{o} ($names{a} uuid CONSTRAINT $names{q} REFERENCES $names{t}, $names{n} int) PARTITION BY RANGE ($names{n});
        CREATE TABLE $names{m} PARTITION OF $names{o} FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
        INSERT INTO $names{t} ($names{n}) SELECT generate_series(1, 30);
        UPDATE $names{t} SET $names{b} = $names{a};
        INSERT INTO $names{o} SELECT $names{a}, $names{n} FROM $names{t}});
    is($made->{state}, '', "Everything in schema $schema has an odd name.") or diag($made->{messages});
    my ($table, $column) = ("$schema.$names{t}", "${base}a");
    my $rows = "SELECT (SELECT md5(string_agg($names{a}::text || $names{b}, ',' ORDER BY $names{n})) FROM $table),
        (SELECT md5(string_agg($names{a}::text, ',' ORDER BY $names{n})) FROM $schema.$names{o})";
    my ($dump, $content) = (dump_of($node), $node->safe_psql('postgres', $rows));

    migrates($node, 'alice', $table, column => $column, mode => 'offline', 'The offline mode migrates the table.');
    is($node->safe_psql('postgres', "SELECT count(*) FROM $table AS t JOIN $schema.$names{o} AS o USING ($names{a}, $names{n})
        WHERE t.$names{a} = t.$names{b} AND keys.uuid_version(t.$names{a}) = 6"), '30', 'Every value is converted.');
    # The first half of a script, and the rest of it as a file that is saved and run by psql
    my @steps = steps($node, 'alice', $table, column => $column, mode => 'online', %back);
    output_of($node, 'alice', join ";\n", @steps[0 .. @steps / 2]);
    for my $mode ('online', 'finish')
    {
        my $file = session($node, 'alice', q{SELECT sql || ';' FROM } . script_call($table, column => $column, mode => $mode, %back) . ' ORDER BY step');
        is($file->{state}, '', "A script is saved, $mode.") or diag($file->{messages});
        my $run = session($node, 'alice', $file->{output});
        is($run->{state}, '', "The saved script runs, $mode.") or diag($run->{messages});
    }
    is($node->safe_psql('postgres', $rows), $content, 'Every value is as it was.');
    is(differences($dump, dump_of($node)), '', 'Nothing is left behind.');
    session($node, 'alice', "DROP SCHEMA $schema CASCADE");
}

# --- Dependents of odd names ---
for my $base (@odd)
{
    my %names = map { $_ => quoted($base . $_) } 'a' .. 'w';
    my $schema = $names{s};
    # From PostgreSQL 19 on, the name of a role has no line end.
    $names{r} =~ s/[\r\n]/ /g if $node->safe_psql('postgres', 'SHOW server_version_num') >= 190000;
    my $made = session($node, 'alice', qq{
        CREATE SCHEMA $schema;
        SET search_path = $schema;
        CREATE TABLE $names{t} (
            $names{a} uuid CONSTRAINT $names{p} PRIMARY KEY DEFAULT keys.uuid_generate_v1(),
            $names{b} uuid CONSTRAINT $names{f} REFERENCES $names{t} CONSTRAINT $names{c} CHECK ($names{b} = $names{a}),
            $names{g} text GENERATED ALWAYS AS ($names{a}::text) STORED);
        CREATE INDEX $names{i} ON $names{t} (($names{a}::text)) WHERE $names{b} IS NOT NULL;
        CREATE VIEW $names{v} AS SELECT $names{a}, $names{b} FROM $names{t};
        COMMENT ON VIEW $names{v} IS \$c\$$base\$c\$;
        CREATE VIEW $names{w} AS SELECT * FROM $names{v};
        CREATE MATERIALIZED VIEW $names{m} AS SELECT $names{a} FROM $names{t};
        CREATE UNIQUE INDEX $names{u} ON $names{m} ($names{a});
        CREATE FUNCTION $names{d}($names{n} uuid) RETURNS bigint LANGUAGE sql
            BEGIN ATOMIC SELECT count(*) FROM $names{t} WHERE $names{a} = $names{n}; END;
        CREATE POLICY $names{o} ON $names{t} USING ($names{a} IS NOT NULL);
        CREATE RULE $names{r} AS ON DELETE TO $names{t} WHERE old.$names{a} IS NULL DO INSTEAD NOTHING;
        CREATE TRIGGER $names{k} AFTER UPDATE OF $names{a} ON $names{t} FOR EACH ROW WHEN (new.$names{a} IS NULL)
            EXECUTE FUNCTION suppress_redundant_updates_trigger();
        INSERT INTO $names{t} SELECT FROM generate_series(1, 30);
        UPDATE $names{t} SET $names{b} = $names{a};
        REFRESH MATERIALIZED VIEW $names{m}});
    is($made->{state}, '', "Everything in schema $schema has an odd name.") or diag($made->{messages});
    my ($table, $column) = ("$schema.$names{t}", "${base}a");
    my $version = join ' UNION ALL ', map { "SELECT '$_->[0]', string_agg(DISTINCT keys.uuid_version($_->[2]::uuid)::text, ',') FROM $schema.$_->[1]" }
        [ 'table', $names{t}, $names{a} ], [ 'generated', $names{t}, $names{g} ], [ 'view on a view', $names{w}, $names{b} ],
        [ 'materialized', $names{m}, $names{a} ];
    my $dump = dump_of($node);
    migrates($node, 'alice', $table, column => $column, mode => 'offline', 'The offline mode migrates the table with its dependents.');
    is($node->safe_psql('postgres', $version), "table|6\ngenerated|6\nview on a view|6\nmaterialized|6", 'They have the new values.');
    migrates($node, 'alice', $table, column => $column, mode => 'offline', %back, 'It migrates them back.');
    is($node->safe_psql('postgres', $version), "table|1\ngenerated|1\nview on a view|1\nmaterialized|1", 'They have the old values.');
    is(differences($dump, dump_of($node)), '', 'Nothing is left behind.');

    # A stored generated column is an obstacle to the online mode.
    session($node, 'alice', "ALTER TABLE $table DROP COLUMN $names{g}");
    ($version, $dump) = ($version =~ s/ UNION ALL SELECT 'generated'.*?(?= UNION ALL)//sr, dump_of($node));
    migrates($node, 'alice', $table, column => $column, mode => 'online', 'The online mode migrates the table with its dependents.');
    is($node->safe_psql('postgres', $version), "table|6\nview on a view|6\nmaterialized|6", 'They have the new values.');
    migrates($node, 'alice', $table, column => $column, mode => 'online', conversion => 'v6_to_v1', 'It migrates them back,');
    migrates($node, 'alice', $table, column => $column, mode => 'finish', conversion => 'v6_to_v1', 'and the old columns are dropped.');
    is($node->safe_psql('postgres', $version), "table|1\nview on a view|1\nmaterialized|1", 'They have the old values.');
    is(differences($dump, dump_of($node)), '', 'Nothing is left behind.');
    session($node, 'alice', "DROP SCHEMA $schema CASCADE");
}

$node->stop;
done_testing();
