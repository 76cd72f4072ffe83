# Random tables of UUIDs, and random queries on them by creation time.
package TimeQueries;

use strict;
use warnings;

our $server_version;

sub one_of { return $_[ rand @_ ]; }
sub chance { return rand() < $_[0]; }

# Moments at which something changes: the first and last of a version, a millisecond, a day, and beside them.
my @moments = ('2026-01-01 00:00:00+00', '2026-01-01 00:00:00.001+00', '2026-03-29 01:00:00+00', '2026-10-25 01:00:00+00',
    '2022-02-22 19:22:22.123456+00', '1970-01-01 00:00:00+00', '10889-08-02 05:31:50.655+00', '1582-10-15 00:00:00+00',
    '5236-03-31 21:21:00.684697+00');
my @beside = map { "interval '$_'" } ('0') x 3, '1 us', '-1 us', '999 us', '-999 us', '1 ms', '-1 ms', '1 day', '-1 day';
# The moments of one world: few, so that many rows and conditions have the same.
my @near;
my @beyond = ('infinity', '-infinity', '4713-01-01 00:00:00 BC', '294276-12-30 00:00:00');

sub literal
{
    my ($type) = @_;
    return "NULL::$type" if chance(0.03);
    return "$type '5874897-12-31'" if $type eq 'date' && chance(0.05);
    return "$type '" . one_of(@beyond) . "'" if chance(0.12);
    return one_of(@near) . ($type eq 'timestamptz' ? '' : "::$type");
}

sub moment { return "(timestamptz '" . one_of(@_) . "' + " . one_of(@beside) . ')'; }

# UUIDs of all versions, among them the first and last of a moment.
sub uuid
{
    my $moment = literal('timestamptz');
    my $v6 = 'uuid_v6_from(' . moment(@moments[ 0 .. 4 ]) . ')';
    return one_of(
        ("uuid_v7_from($moment)", "uuid_v7_after($moment)", "uuid_v7_upper(tstzrange($moment, $moment, '[]'))") x 3,
        ("uuid_v6_to_v1($v6)") x 2, "uuid_v6_from($moment)", "uuid_v6_upper(tstzrange($moment, $moment, '[]'))",
        "overlay(uuid_v7_from($moment)::text PLACING '" . one_of(qw(c 4 f)) . "' FROM 20)::uuid",
        'uuid_generate_v7()', 'gen_random_uuid()', 'uuid_max()', "'00000000-0000-0000-0000-000000000000'", 'NULL');
}

my @columns = ('id uuid', 'ref uuid', 'n int', 'moment timestamptz', 'local timestamp', 'day date');

sub row
{
    my ($n) = @_;
    return '(' . join(', ', uuid(), uuid(), $n, map({ literal($_) } 'timestamptz', 'timestamp'), literal('date')) . ')';
}

sub rows { my ($count) = @_; return join ",\n    ", map { row($_) } 1 .. $count; }

sub version { return $server_version >= 170000 && chance(0.2) ? 'pg_catalog.uuid_extract_version(id)' : 'uuid_version(id)'; }

# A condition of a CHECK constraint: some prove that all times are of one version, some nearly do.
sub check
{
    my $version = version();
    return one_of(("$version = 7") x 6, ("$version = 6") x 2, "$version IN (4, 7)", "$version IN (1, 6)", "$version BETWEEN 7 AND 8",
        "$version IS NOT DISTINCT FROM 7", "$version > 6", "$version <> 1", "$version = 4", "$version = 7 AND n < 1000",
        "$version = 7 OR n = 3", "$version = 7 OR id IS NULL", "CASE WHEN n > 3 THEN $version = 7 END", "$version = n",
        "uuid_v7_in(id, '[1990-01-01, 2030-01-01)')", "$version = 7 AND uuid_time(id) >= '2026-01-01 00:00:00+00'",
        ("($version = 7) IS TRUE") x 3, ('uuid_is_v7(id)') x 5, 'uuid_is_v6(id)', 'uuid_is_v7(id) OR n < 3', "($version = 6) IS TRUE", "$version IS NOT NULL AND $version = 7", "$version IN (4, 7) AND uuid_time(id) IS NOT NULL",
        "id IS NOT NULL", "$version <> 6", "coalesce($version IN (1, 7), false)");
}

# A constraint for a table that may have rows which violate it.
sub constraint
{
    my ($table, $kind) = @_;
    my $check = check();
    return "DELETE FROM $table WHERE id IS NULL; ALTER TABLE $table ALTER id SET NOT NULL;" if chance(0.2);
    return "DELETE FROM $table WHERE NOT uuid_is_v7(id); UPDATE $table SET id = NULL WHERE n < 3; CREATE INDEX ON $table (id); "
        . "ALTER TABLE $table ADD CHECK (uuid_is_v7(id)), ADD CONSTRAINT ${table}_later NOT NULL id NOT VALID;"
        if chance(0.4) && $server_version >= 180000 && $table !~ /_/ && $kind eq 'plain';
    return "ALTER TABLE $table ADD CHECK ($check) NOT VALID;" if chance(0.15) && $kind =~ /plain|inheritance/;
    return "ALTER TABLE $table ADD CHECK ($check) NOT ENFORCED;" if chance(0.1) && $server_version >= 180000;
    return "DELETE FROM ONLY $table WHERE NOT ($check); ALTER TABLE $table ADD CHECK ($check) NO INHERIT;" if chance(0.5) && $kind eq 'inheritance';
    return "DELETE FROM $table WHERE NOT ($check); ALTER TABLE $table ADD CHECK ($check);";
}

sub index_on
{
    my ($table) = @_;
    my $key = one_of(('(id)') x 4, ('(id uuid_time_ops)') x 3, '(id DESC)', '(id uuid_time_ops DESC NULLS LAST)', '(n, id)',
        '(id, n)', '(id uuid_time_ops) INCLUDE (n)', '(n, id uuid_time_ops)', '(id) WHERE n > 5', 'USING brin (id)', '(uuid_time(id))',
        '(id DESC NULLS LAST)', '(id NULLS FIRST)', '(id uuid_time_ops NULLS FIRST)', '(id uuid_time_ops DESC)', '(id) WHERE uuid_version(id) = 7',
        '(id DESC) WHERE uuid_version(id) = 6', '(id uuid_time_ops) WHERE uuid_time(id) IS NOT NULL',
        ('(ref)') x 6, '(n, ref)', '(ref uuid_time_ops)', '(ref, id)', '(ref) WHERE ref IS NOT NULL', '(ref) WHERE n > 5');
    return "CREATE INDEX ON $table $key;";
}

# Statements that create a table, and fill it. A partition or a child may have its columns in another order.
sub table
{
    my ($name) = @_;
    my $kind = one_of(('plain') x 3, ('inheritance') x 2, 'range', 'time_range', 'list');
    my @made;
    if ($kind eq 'plain' || $kind eq 'inheritance')
    {
        @made = ("CREATE TABLE $name (" . join(', ', @columns) . ');');
        push @made, "ALTER TABLE $name ALTER id TYPE key;" if chance(0.15);
        push @made, "INSERT INTO $name VALUES\n    " . rows(16) . ';';
        push @made, "CREATE TABLE ${name}_$_ () INHERITS ($name);", "INSERT INTO ${name}_$_ VALUES\n    " . rows(6) . ';'
            for $kind eq 'inheritance' ? (1, 2) : ();
    }
    else
    {
        my $key = {
            range => one_of('RANGE (id)', 'RANGE (ref)'),
            time_range => one_of('RANGE (id uuid_time_ops)', 'RANGE (ref uuid_time_ops)'),
            list => 'LIST (n)'
        }->{$kind};
        my $order = $kind eq 'range' ? 'v7' : 'time';
        my @bounds = (
            'MINVALUE',
            map({ one_of("uuid_${order}_from('$_')", "uuid_${order}_upper('[$_,$_]')") } sort { $a cmp $b } grep { /^20/ } @moments[ 0 .. 4 ]),
            'MAXVALUE');
        @made = ("CREATE TABLE $name (" . join(', ', @columns) . ") PARTITION BY $key;",
            "CREATE TABLE ${name}_0 PARTITION OF $name DEFAULT;");
        for my $i (1 .. $#bounds)
        {
            my $of = $kind eq 'list' ? "IN ($i, 1$i, 2$i)" : "FROM ($bounds[ $i - 1 ]) TO ($bounds[$i])";
            push @made, "CREATE TABLE ${name}_$i (gone int, " . join(', ', reverse @columns) . ');',
                "ALTER TABLE ${name}_$i DROP gone;", "ALTER TABLE $name ATTACH PARTITION ${name}_$i FOR VALUES $of;";
        }
        push @made, "INSERT INTO $name VALUES\n    " . rows(24) . ';';
        push @made, "DROP TABLE ${name}_0;" if $kind ne 'list' && chance(0.7);
    }
    my @children = $kind eq 'plain' ? () : map { "${name}_$_" } 1, 2;
    push @made, constraint($name, $kind) if chance(0.6);
    push @made, map { constraint($_, 'plain') } grep { chance(0.4) } @children;
    push @made, index_on($name) if chance(0.8);
    push @made, map { index_on($_) } grep { chance(0.5) } $name, @children;
    push @made, map { "CREATE INDEX ON $name ($_);" } grep { chance(0.5) } 'id', 'ref';
    push @made, "CREATE POLICY old ON $name USING (" . condition('') . ');', "ALTER TABLE $name ENABLE ROW LEVEL SECURITY;"
        if chance(0.2);
    return @made;
}

# A view of these tables.
sub view
{
    my ($name, @tables) = @_;
    my $where = chance(0.7) ? 'WHERE ' . condition('') : '';
    my $barrier = chance(0.3) ? 'WITH (security_barrier) ' : '';
    my @branches = map { 'SELECT id, ref, ' . one_of('n', '0 - n AS n') . ", moment, local, day FROM $_ $where" } @tables;
    return "CREATE VIEW $name ${barrier}AS " . join(' UNION ALL ', @branches) . ';';
}

# The statements that create all that queries of one seed read, and the relations' names.
sub world
{
    my @tables = map { "t$_" } 1 .. 3;
    @near = (map({ moment(@moments[ 0 .. 4 ]) } 1 .. 4), map({ moment(@moments) } 1 .. 3));
    my @made = ('DROP SCHEMA IF EXISTS world CASCADE; CREATE SCHEMA world; GRANT USAGE ON SCHEMA world TO reader;',
        'SET timezone = UTC;', 'CREATE DOMAIN key AS uuid;', map { table($_) } @tables);
    push @made, 'ALTER DOMAIN key ADD CHECK ((uuid_version(VALUE) = 7) IS TRUE) NOT VALID;' if chance(0.5);
    push @made, view('v1', one_of(@tables)), view('v2', @tables[ 0, 1 ]), view('v3', @tables);
    push @made, "GRANT ALL ON t1, t2, t3, v1, v2, v3 TO reader;", 'ANALYZE t1, t2, t3;';
    return (\@made, [ @tables, 'v1', 'v2', 'v3' ]);
}

my @types = ('timestamptz', 'timestamptz', 'timestamptz', 'timestamp', 'date');
my %parameter = (timestamptz => '$1', timestamp => '$2', date => '$3');
our $prepared;

# What a creation time is compared with; $others are the other relations in scope, whose columns it may use.
sub comparand
{
    my ($others, $type) = @_;
    $type //= one_of(@types);
    my $column = { timestamptz => 'moment', timestamp => 'local', date => 'day' }->{$type};
    return $parameter{$type} if $prepared && chance(0.6);
    return one_of(@$others) . $column if @$others && chance(0.5);
    return "(SELECT " . one_of('min', 'max') . "($column) FROM t1 WHERE n < 4)" if chance(0.08);
    return one_of("now() - interval '1 hour'", "now()") if $type eq 'timestamptz' && chance(0.1);
    return one_of("localtimestamp - interval '1 day'", 'localtimestamp') if $type eq 'timestamp' && chance(0.1);
    return one_of('current_date', "current_date - 1") if $type eq 'date' && chance(0.1);
    return literal($type);
}

sub created
{
    my ($alias) = @_;
    return one_of(("uuid_time(${alias}id)") x 6, "public.uuid_extract_timestamp(${alias}id)",
        $server_version >= 170000 ? "pg_catalog.uuid_extract_timestamp(${alias}id)" : ());
}

sub range
{
    my ($a, $b) = @_;
    return one_of("tstzrange(least($a, $b), greatest($a, $b), '" . one_of('[)', '[]', '(]', '()') . "')",
        "tstzrange($a, NULL)", "tstzrange(NULL, $a)", "tstzrange 'empty'", 'NULL::tstzrange', "tstzrange($a, $a, '[]')");
}

# One condition on the creation time of the relation with this alias ("a." or nothing).
sub atom
{
    my ($alias, @others) = @_;
    my $created = created($alias);
    my ($a, $b) = map { comparand(\@others) } 1, 2;
    my $operator = one_of(qw(< <= > >= =), '<', '>=');
    # Lists and ranges cast what is in them, and whether that comes to a date that is out of range depends on the plan.
    my ($c, $d) = map { comparand(\@others, 'timestamptz') } 1, 2;
    my $range = $prepared && chance(0.4) ? '$4' : range(map { comparand(\@others, 'timestamptz') } 1, 2);
    return one_of(("$created $operator $a") x 6, ("$a $operator $created") x 3, ("$created BETWEEN $a AND $b") x 2,
        ("$created <@ $range") x 2, "$range @> $created", "$created NOT BETWEEN $a AND $b", "$created <> $a",
        "NOT ($created $operator $a)", "($created $operator $a) IS NOT TRUE", "($created $operator $a OR ${alias}n = 3)",
        "($created $operator $a OR $created = $b)", "($created $operator $a OR ($created = $a AND ${alias}n > 5))", "$created IN ($c, $d)", "$created $operator ${alias}moment",
        "($created IN ($c, $d) OR ${alias}n = 3)",
        "(date_trunc('day', $created, 'UTC'), ${alias}n) " . one_of(qw(< <= > >=)) . " (date_trunc('day', $c, 'UTC'), 9)",
        "(${alias}n > 5 AND $created $operator $a)", "CASE WHEN ${alias}n > 5 THEN $created $operator $a END",
        "${alias}id = uuid_v7_from(" . literal('timestamptz') . ')', "($created, ${alias}id) " . one_of(qw(< <= > >=)) . " ($a, " . one_of('uuid_v7_from', 'uuid_v7_after') . '(' . literal('timestamptz') . '))',
        "uuid_version(${alias}id) = " . one_of(6, 7, 7), "uuid_is_v7(${alias}id)", "$created IS NOT NULL", "${alias}id IS NOT NULL", "uuid_v7_in(${alias}id, tstzrange($c, NULL))");
}

sub condition
{
    my ($alias, @others) = @_;
    my @atoms = map { atom($alias, @others) } 1 .. one_of(1, 1, 1, 2, 2, 3);
    push @atoms, "${alias}n > " . int rand 20 if chance(0.2);
    return join ' AND ', @atoms;
}

sub direction { return one_of('', ' DESC') . one_of('', ' NULLS FIRST', ' NULLS LAST'); }

# A query that sorts by the creation time, or does what a sort helps with. Where rows have the same sort key, they are the
# same in all columns that it returns if it limits their number.
sub sorting_query
{
    my ($r, $s) = @_;
    my ($a, $b) = ('a.', 'b.');
    my ($t, $u) = (created($a), created($b));
    my ($order, $limit) = (direction(), one_of('', ' LIMIT ' . (1 + int rand 8)));
    my $where = one_of(('') x 3, 'WHERE ' . condition($a), 'WHERE a.n = ' . int rand 20, 'WHERE ' . atom($a));
    my $join = one_of('JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN');
    my $end = $order =~ /DESC/ ? ' DESC' : '';
    return one_of(
        sub { "SELECT $t, a.id, a.n FROM $r AS a $where ORDER BY 1$order" },
        (sub { "SELECT $t FROM $r AS a $where ORDER BY 1$order$limit" }) x 2,
        (sub { "SELECT $t, a.id, a.n FROM $r AS a $where ORDER BY 1$order, 2$end, 3$limit" }) x 2,
        sub { "SELECT a.n, $t, a.id FROM $r AS a $where ORDER BY 1, 2$order, 3$limit" },
        sub { "SELECT $t, a.id, b.n FROM $r AS a JOIN $s AS b ON a.n = b.n $where ORDER BY 1$order, 2, 3$limit" },
        sub { "SELECT $t, a.id, b.n FROM $s AS b LEFT JOIN $r AS a ON a.n = b.n ORDER BY 1$order, 2, 3$limit" },
        sub { "SELECT max($t), min($t) FROM $r AS a $where" },
        sub { "SELECT a.n, (SELECT " . one_of('min', 'max') . "($u) FROM $s AS b WHERE b.n = a.n) FROM $r AS a $where" },
        sub { "SELECT $t, count(*), min(a.n) FROM $r AS a $where GROUP BY 1" . one_of('', " ORDER BY 1$order") },
        # What grouping sets group by is kept in a placeholder.
        sub { "SELECT date_trunc('day', a.t, 'UTC'), count(*), max(b.n) FROM (SELECT q.*, " . created('q.') . " AS t FROM $r AS q) AS a LEFT JOIN $s AS b ON a.n = b.n $where GROUP BY ROLLUP (1) LIMIT 1000" },
        sub { "SELECT DISTINCT $t FROM $r AS a $where" . one_of('', " ORDER BY 1$order$limit") },
        sub { "SELECT DISTINCT ON (1) $t, a.id, a.n FROM $r AS a $where ORDER BY 1$order, 2, 3$limit" },
        sub { "SELECT $t, rank() OVER w, count(*) OVER w, lag($t) OVER w FROM $r AS a $where WINDOW w AS (ORDER BY $t$order)" },
        sub { "SELECT array_agg($t ORDER BY $t$order) FROM $r AS a $where" },
        sub { "SELECT $t FROM $r AS a $where " . one_of('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT') . " SELECT $u FROM $s AS b ORDER BY 1$order$limit" },
        sub { "SELECT $t, a.id, b.id FROM $r AS a $join $s AS b ON $t = " . one_of($u, $u, 'b.moment', 'b.local') . " ORDER BY 1$order, 2, 3$limit" },
        sub { "SELECT a.id FROM $r AS a WHERE " . one_of('', 'NOT ') . "EXISTS (SELECT FROM $s AS b WHERE $t = " . one_of($u, 'b.moment') . ')' },
        sub { "SELECT a.id, b.t FROM $r AS a, LATERAL (SELECT $u AS t FROM $s AS b WHERE b.n > a.n ORDER BY 1$order LIMIT 2) AS b" },
        sub { "SELECT t FROM (SELECT $t AS t, n FROM $r AS a UNION ALL SELECT $u, n FROM $s AS b) AS q ORDER BY 1$order$limit" },
    )->();
}

sub limited { return one_of(@_) . ' LIMIT ' . (1 + int rand 8); }

# A MERGE of what a relation has, one row for each n, into a table.
sub merge
{
    my ($table, $relation) = @_;
    my ($a, $b) = ('a.', 'b.');
    my $where = one_of('', 'WHERE ' . condition(''));
    my $source = one_of(
        "(SELECT n, min(id) AS id, min(moment) AS moment, min(local) AS local, min(day) AS day FROM $relation $where GROUP BY n)",
        "(SELECT DISTINCT ON (n) * FROM $relation $where ORDER BY n, id, moment, local, day)");
    my $on = one_of('a.n = b.n', 'a.n = b.n AND ' . condition($a, $b), 'a.n = b.n AND ' . condition($b, $a));
    return "MERGE INTO $table AS a USING $source AS b ON $on WHEN MATCHED AND " . atom($a, $b) . ' THEN DELETE '
        . "WHEN MATCHED THEN UPDATE SET day = b.day WHEN NOT MATCHED AND " . atom($b) . ' THEN INSERT (id, n) VALUES (b.id, b.n)';
}

# A query on these relations.
sub query
{
    my @relations = @_;
    my ($r, $s) = (one_of(@relations), one_of(@relations));
    my ($a, $b) = ('a.', 'b.');
    my $table = 't' . (1 + int rand 3);
    my $join = one_of('JOIN', 'JOIN', 'LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN');
    my $on = one_of(condition($a, $b), condition($b, $a), 'a.n = b.n AND ' . condition($b), 'a.id = b.id AND ' . condition($a));
    $on = "a.n = b.n AND $on" if $join eq 'FULL JOIN';
    return one_of(
        (sub { sorting_query($r, $s) }) x 16,
        (sub { "SELECT a.id, a.n FROM $r AS a WHERE " . condition($a) }) x 5,
        sub { "SELECT count(*), min(id), max(id) FROM $r WHERE " . condition('') },
        sub { "SELECT id FROM $r WHERE " . condition('') . ' ' . limited('ORDER BY id', 'ORDER BY id DESC', 'ORDER BY id DESC NULLS LAST') },
        sub { "SELECT id FROM $r WHERE " . condition('') . ' ' . limited('ORDER BY id USING <~', 'ORDER BY id USING >~') },
        sub { "SELECT date_trunc('day', uuid_time(id)) AS d, count(*) FROM $r WHERE " . condition('') . ' GROUP BY d' },
        (sub { "SELECT a.id, a.n, b.id, b.n FROM $r AS a $join $s AS b ON $on WHERE " . condition($a, $b) }) x 3,
        sub { "SELECT a.id, b.n FROM $r AS a $join $s AS b ON $on" },
        sub { "SELECT a.id, b.n FROM $r AS a LEFT JOIN $s AS b ON a.n = b.n WHERE (" . condition($b, $a) . ') OR b.id IS NULL' },
        sub {
            "SELECT a.id, b.id FROM $r AS a, LATERAL (SELECT * FROM $s AS b WHERE " . condition($b, $a) . ' ' . limited('ORDER BY b.id') . ') AS b';
        },
        sub { "SELECT a.id FROM $r AS a WHERE " . one_of('', 'NOT ') . "EXISTS (SELECT FROM $s AS b WHERE " . condition($b, $a) . ')' },
        sub { "SELECT a.id FROM $r AS a WHERE a.n " . one_of('', 'NOT ') . "IN (SELECT b.n FROM $s AS b WHERE " . condition($b) . ')' },
        sub { "SELECT a.id, (SELECT count(*) FROM $s AS b WHERE " . condition($b, $a) . ") FROM $r AS a WHERE " . condition($a) },
        sub { "SELECT * FROM (SELECT id, min(n) AS n, min(moment) AS moment FROM $r GROUP BY id) AS a WHERE " . condition($a) },
        sub { "SELECT a.id, a.k FROM (SELECT id, n, moment, rank() OVER (PARTITION BY id ORDER BY n) AS k FROM $r) AS a WHERE " . condition($a) },
        sub {
            'SELECT a.id, a.n FROM (' . join(' UNION ALL ', map { "SELECT id, n, moment FROM $_" } $table, $r, $s) . ') AS a WHERE ' . condition($a);
        },
        sub {
            'WITH a AS ' . one_of('', 'MATERIALIZED ', 'NOT MATERIALIZED ') . "(SELECT * FROM $r WHERE " . condition('')
                . ') SELECT a.id, b.n FROM a JOIN a AS b USING (n) WHERE ' . condition($b);
        },
        sub { "SELECT a.id FROM $table AS a JOIN $table AS b ON a.id = b.id WHERE " . condition($a) . ' AND ' . condition($b) },
        sub { "SELECT id FROM ONLY $table WHERE " . condition('') },
        sub { "SELECT id FROM $table WHERE " . condition('') . ' FOR UPDATE' },
        sub { "UPDATE $table AS a SET n = a.n + 1 WHERE " . condition($a) . ' RETURNING a.id, a.n' },
        sub { "UPDATE $table AS a SET day = '2026-01-01' FROM $s AS b WHERE a.n = b.n AND " . condition($a, $b) . ' RETURNING a.id' },
        $server_version >= 150000 ? (sub { merge($table, $s) }) x 2 : (),
        sub { "DELETE FROM $table AS a USING $s AS b WHERE a.n = b.n AND " . condition($a, $b) . ' RETURNING a.id' },
    )->();
}

# A period of a key: of its time, or of the key itself.
sub period
{
    my ($key) = @_;
    my ($a, $b) = map { comparand([], 'timestamptz') } 1, 2;
    my $range = range($a, $b);
    return one_of(("uuid_time($key) >= $a") x 2, "uuid_time($key) < $a", ("uuid_time($key) >= $a AND uuid_time($key) < $b") x 2,
        "uuid_time($key) BETWEEN least($a, $b) AND greatest($a, $b)", "uuid_time($key) <@ $range", "uuid_v7_in($key, $range)",
        "$key >= uuid_v7_from($a)", "uuid_v7_from($a) > $key", "$key >=~ uuid_time_from($a) AND $key <~ uuid_time_from($b)",
        "uuid_time($key) > (SELECT min(moment) FROM t1)", "(uuid_time($key) >= $a OR uuid_time($key) IS NULL)");
}

# The one column by which a query joins, if it has one
our $joined;
sub key { my ($alias) = @_; return "$alias." . ($joined // one_of('id', 'id', 'ref')); }
# Periods of some of these relations
sub periods { return map { period(key($_)) } grep { chance(0.4) } @_; }
sub all_of { my @conditions = @_; return @conditions ? join(' AND ', @conditions) : 'true'; }

# A relation, or a subquery with the same columns, whose references $to are to be looked for if there are any
sub input
{
    my ($relation, $to) = @_;
    my $all = 'id, ref, n, moment, local, day';
    my $where = 'WHERE ' . all_of(periods($relation), $to ? "$relation.ref = $to" : ());
    return one_of(
        ($to ? () : ($relation) x 8), "(SELECT $all FROM $relation $where)",
        "(SELECT ref AS id, max(id) AS ref, count(*)::int AS n, max(moment) AS moment, max(local) AS local, max(day) AS day FROM $relation $where GROUP BY 1)",
        "(SELECT id, ref, max(n) AS n, max(moment) AS moment, max(local) AS local, max(day) AS day FROM $relation $where GROUP BY id, ref)",
        "(SELECT $all FROM $relation $where ORDER BY $all LIMIT 5)", "(SELECT $all FROM $relation $where OFFSET 0)",
        "(SELECT DISTINCT $all FROM $relation $where)", "(SELECT $all FROM $relation $where UNION ALL SELECT ref, id, n, moment, local, day FROM t2)",
        "(SELECT id, ref, n, moment, local, max(day) OVER (PARTITION BY ref) AS day FROM $relation $where)");
}

# A join of so many of these relations, and their aliases; those before $number are taken
sub join_tree
{
    my ($count, $relations, $number) = @_;
    my $alias = sub { return substr 'abcdefgh', $$number++, 1 };
    if ($count == 1)
    {
        my $name = $alias->();
        return (input(one_of(@$relations)) . " AS $name", [$name]);
    }
    my $of_left = chance(0.3) ? 1 : $count - 1;
    my ($left, $in_left) = join_tree($of_left, $relations, $number);
    if ($of_left == $count - 1 && chance(0.15))
    {
        my ($name, $kind) = ($alias->(), one_of('JOIN', 'LEFT JOIN'));
        my $input = input(one_of(@$relations), key(one_of(@$in_left)));
        return ("$left $kind LATERAL $input AS $name ON " . all_of(periods($name)), [ @$in_left, $name ]);
    }
    my ($right, $in_right) = join_tree($count - $of_left, $relations, $number);
    my @equal = map { key(one_of(@$in_left)) . ' = ' . key(one_of(@$in_right)) } 1 .. one_of(1, 1, 1, 2);
    my $on = all_of(@equal, periods(one_of(@$in_left), one_of(@$in_right)));
    my $join = one_of(('JOIN') x 3, ('LEFT JOIN') x 3, 'RIGHT JOIN', 'FULL JOIN');
    return ("($left $join $right ON $on)", [ @$in_left, @$in_right ]);
}

# Whether a relation has, or has not, rows of a period with a key
sub existence
{
    my ($relations, $alias) = @_;
    my ($relation, $key) = (one_of(@$relations), key($alias));
    return one_of('', 'NOT ') . "EXISTS (SELECT FROM $relation AS x WHERE " . all_of(key('x') . " = $key", periods('x')) . ')' if chance(0.7);
    return "$key IN (SELECT " . key('x') . " FROM $relation AS x WHERE " . all_of(periods('x')) . ')';
}

# A query that joins some of these relations by their keys, of a period of some of them
sub join_query
{
    my @relations = @_;
    local $joined = chance(0.7) ? one_of('id', 'ref') : undef;
    my ($from, $aliases) = join_tree(one_of(2, 2, 3, 3, 4), \@relations, \(my $number = 0));
    my @where = (periods(@$aliases), map { existence(\@relations, one_of(@$aliases)) } 1 .. one_of(0, 0, 1));
    my $where = all_of(@where, chance(0.2) ? 'a.n = ' . int rand 8 : ());
    my $columns = join ', ', map { ("$_.id", "$_.n") } @$aliases;
    my $table = 't' . (1 + int rand 3);
    my ($z, $key) = (key('z'), key(one_of(@$aliases)));
    return one_of(
        ("SELECT $columns FROM $from WHERE $where") x 8,
        "SELECT count(*), max(a.id) FROM $from WHERE $where",
        "SELECT a.id, count(*) FROM $from WHERE $where GROUP BY a.id",
        "SELECT uuid_time(a.id), a.n, count(*) FROM $from WHERE $where GROUP BY ROLLUP (1, 2)",
        "SELECT z.id, z.n, (SELECT count(*) FROM $from WHERE $where AND $key = $z) FROM $table AS z",
        "UPDATE $table AS z SET n = z.n + 1 FROM $from WHERE $z = $key AND " . all_of($where, periods('z')) . ' RETURNING z.id, z.n',
        "DELETE FROM $table AS z USING $from WHERE $z = $key AND $where RETURNING z.id, z.n",
        $server_version >= 150000 ? "MERGE INTO $table AS z USING (SELECT DISTINCT $key AS key FROM $from WHERE $where) AS s ON "
            . all_of("$z = s.key", periods('z')) . ' WHEN MATCHED THEN UPDATE SET n = 100 WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.key, -1)' : ());
}

# Settings under which the planner chooses other plans.
sub settings
{
    my @off = grep { chance(0.2) } qw(seqscan nestloop hashjoin mergejoin bitmapscan indexonlyscan sort hashagg incremental_sort material memoize partition_pruning);
    push @off, 'seqscan' if chance(0.3);
    push @off, 'seqscan', 'sort', 'bitmapscan' if chance(0.3);
    my @on = grep { chance(0.2) } qw(partitionwise_join partitionwise_aggregate);
    my @parallel = ('parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0', 'min_parallel_index_scan_size = 0');
    return (map({ "enable_$_ = off" } @off), map({ "enable_$_ = on" } @on), chance(0.1) ? @parallel : (), chance(0.1) ? 'geqo_threshold = 2' : (),
        'constraint_exclusion = ' . one_of('on', 'off', 'partition', 'partition'),
        'timezone = ' . one_of(map { "'$_'" } 'UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'));
}

# A random query that `make` makes of relations: the statements up to its EXPLAIN, those that run it, and how many of its
# columns it sorts by.
sub statements
{
    my ($make, @relations) = @_;
    my @set = map { "SET LOCAL $_" } settings(), chance(0.4) ? 'ROLE reader' : ();
    local $prepared = chance(0.3);
    my $query = $make->(@relations);
    my $sorted = $query =~ /ORDER BY (1\b[^()]*)$/ ? 1 + ($1 =~ tr/,//) : 0;
    # Before PostgreSQL 17, MERGE returns nothing.
    my @look = $query =~ /^MERGE INTO (\S+)/ ? "SELECT id, n, day FROM $1" : ();
    return ([ @set, "EXPLAIN (COSTS OFF) $query" ], [ $query, @look ], $sorted) unless $prepared;
    my @values = map {
        '(' . join(', ', map({ literal($_) } 'timestamptz', 'timestamp', 'date'), range(map { literal('timestamptz') } 1, 2)) . ')'
    } 1 .. 3;
    return ([ @set, 'SET LOCAL plan_cache_mode = ' . one_of('force_generic_plan', 'force_custom_plan'),
            "PREPARE q (timestamptz, timestamp, date, tstzrange) AS $query", "EXPLAIN (COSTS OFF) EXECUTE q $values[0]" ],
        [ map { ("EXECUTE q $_", @look) } @values ], $sorted);
}

1;
