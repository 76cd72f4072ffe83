# A schema of as many tables and columns as one likes, with rows. The same seed gives the same schema.
#
# Each row has a number, and beside each UUID that references a row is the number of that row. Row n references rows whose
# numbers have the same last digit, which is also that of the tenant; those with an even digit may be deleted.
package GeneratedSchema;

use strict;
use warnings;

our $tenants = 5;

# new(tables => COUNT, columns => COUNT, rows => COUNT, seed => NUMBER): the columns are those that are keys or reference
# one, and each table has so many rows.
sub new
{
    my ($class, %self) = @_;
    my $schema = bless { wanted => \%self, rows => $self{rows}, tables => [] }, $class;
    srand $self{seed};
    $schema->add_table($_) for 1 .. $self{tables};
    return $schema;
}

sub chance { return rand() < $_[0] }
sub one_of { return @_ ? $_[ rand @_ ] : undef }

# The first table has the tenants. Every fifth is partitioned, by each kind in turn.
sub add_table
{
    my ($self, $i) = @_;
    my @before = @{ $self->{tables} };
    my @plain = grep { !$_->{partitioned} } @before;
    my $kind = $i % 5 ? undef : (qw(range list hash))[ ($i / 5 - 1) % 3 ];
    my $table = { name => "t$i", partitioned => $kind, has_tenant => $i > 1 && chance(0.4) ? 1 : 0, references => [], passed => 0 };
    push @{ $self->{tables} }, $table;

    my ($left, $more) = ($self->{wanted}{columns} - $self->columns, $self->{wanted}{tables} - $i);
    my $count = $i == 1 ? 0 : int($left / ($more + 1) * ($more ? 0.4 + rand 1.2 : 1) + 0.5) - $table->{has_tenant};
    push @{ $table->{references} }, { column => 'tenant_id', to => $before[0], is_tenant => 1, action => '' } if $table->{has_tenant};
    my ($self_reference, $items, $passing) = (!$kind && $i > 1 && chance(0.2), $i > 4 && chance(0.15), !$kind && chance(0.5));
    for my $n (1 .. $count)
    {
        my $reference = { column => "r$n", to => one_of(@plain), is_null_for => chance(0.4) ? 3 : 0 };
        my $partitioned = one_of(grep { $_->{partitioned} && @{ $_->{references} } > 1 + $_->{has_tenant} } @before);
        if ($n == $count && $n > 1 && $self_reference)
        {
            @$reference{qw(to action is_null_for)} = ($table, one_of('ON DELETE SET NULL', 'ON DELETE CASCADE'), 2);
        }
        elsif ($n == $count && $n > 2 && $items)
        {
            @$reference{qw(column to items)} = ('item_id', undef, [ @plain[ map { int rand @plain } 1 .. 3 ] ]);
            my %seen;
            $reference->{items} = [ grep { !$seen{ $_->{name} }++ } @{ $reference->{items} } ];
        }
        elsif ($n == 2 && $passing && $partitioned)
        {
            # By way of a row of a partitioned table, to the row that that one references
            my ($passed) = grep { !$_->{is_tenant} } @{ $partitioned->{references} };
            @$reference{qw(to by is_null_for action)} = ($passed->{to}, $partitioned, $passed->{is_null_for}, '');
            $partitioned->{passed} = $passed;
        }
        $reference->{with_tenant} = $table->{has_tenant} && $reference->{to} && $reference->{to}{has_tenant} && !$reference->{by} && $reference->{to} != $table && chance(0.7);
        $reference->{action} //= one_of('', 'DEFERRABLE INITIALLY DEFERRED', 'ON DELETE CASCADE', 'ON DELETE CASCADE',
            $reference->{is_null_for} && !$reference->{with_tenant} ? 'ON DELETE SET NULL' : 'ON UPDATE CASCADE ON DELETE CASCADE');
        push @{ $table->{references} }, $reference;
    }
    $table->{extras} = { map { $_ => chance(0.3) } qw(partial expression covering check comment grant view policy trigger) };
    return;
}

sub columns
{
    my ($self) = @_;
    my $count = 0;
    $count += @{ $_->{references} } + !$_->{partitioned} for @{ $self->{tables} };
    return $count;
}

sub keys_of { return grep { !$_->{partitioned} } @{ $_[0]{tables} } }

# The columns, in the form of `also`, that have keys of this table among others
sub items_of
{
    my ($self, $key) = @_;
    return map { my $table = $_; map { "app.$table->{name}.$_->{column}" } grep { $_->{items} && grep { $_ == $key } @{ $_->{items} } } @{ $table->{references} } }
        @{ $self->{tables} };
}

# The number of the row that a reference of row n has, as an expression over n; NULL for some rows
sub number_of
{
    my ($self, $table, $position) = @_;
    my $reference = $table->{references}[$position];
    return "n % $tenants" if $reference->{is_tenant};
    return "CASE WHEN n >= 10 THEN n / 20 * 10 + n % 10 END" if $reference->{to} && $reference->{to} == $table;
    if (my $by = $reference->{by})
    {
        my ($its) = grep { $by->{references}[$_] == $by->{passed} } 0 .. $#{ $by->{references} };
        return $self->number_of($by, $its);
    }
    my $number = sprintf '(n / 10 + %d) %% %d * 10 + n %% 10', $position + substr($table->{name}, 1), $self->{rows} / 10;
    return $reference->{is_null_for} ? "CASE WHEN n / 10 % $reference->{is_null_for} > 0 THEN $number END" : $number;
}

sub created_of { return "timestamptz '2020-01-01 00:00:00.123456+00' + n * interval '1 hour'" }

# insert(TABLE, ROWS, OLD): inserts what ROWS, a subquery with columns n and old, names: row n with the references of row old
sub insert
{
    my ($self, $table, $rows, $into) = @_;
    my (@columns, @values, @joins);
    for my $position (0 .. $#{ $table->{references} })
    {
        my $reference = $table->{references}[$position];
        my $column = $reference->{column};
        my $number = $self->number_of($table, $position) =~ s/\bn\b/s.old/gr;
        push @columns, $column, "${column}_n";
        if ($reference->{items})
        {
            my @items = @{ $reference->{items} };
            push @columns, 'item_type';
            push @values, "$column.id", $number, sprintf '(ARRAY[%s])[1 + s.old / 10 %% %d]', join(', ', map { "'$_->{name}'" } @items), scalar @items;
            push @joins, sprintf 'LEFT JOIN (%s) AS %s ON %2$s.kind = s.old / 10 %% %d AND %2$s.n = %s',
                join(' UNION ALL ', map { "SELECT $_ AS kind, id, n FROM app.$items[$_]{name}" } 0 .. $#items), $column, scalar @items, $number;
            next;
        }
        push @values, "$column.id", $number;
        push @joins, "LEFT JOIN app.$reference->{to}{name} AS $column ON $column.n = $number";
        if ($reference->{by})
        {
            push @columns, 'by_n', 'by_created_at', 'by_d';
            push @values, 's.old', created_of() =~ s/\bn\b/s.old/gr, 's.old % 2';
        }
    }
    return sprintf 'INSERT INTO app.%s (n, created_at, d%s) SELECT s.n, s.created_at, s.n %% 2%s FROM (%s) AS s %s', $into // $table->{name},
        join('', map { ", $_" } @columns), join('', map { ", $_" } @values), $rows, join ' ', @joins;
}

sub definition
{
    my ($self, $table) = @_;
    my $name = $table->{name};
    my @references = @{ $table->{references} };
    my @parts = ('n int NOT NULL', "created_at timestamptz DEFAULT clock_timestamp()", 'd int', 'changed int DEFAULT 0');
    unshift @parts, 'id uuid PRIMARY KEY DEFAULT gen_random_uuid()' if !$table->{partitioned};
    push @parts, $table->{partitioned} ? 'PRIMARY KEY (n, created_at, d)' : 'UNIQUE (n)';
    push @parts, 'UNIQUE (tenant_id, id)' if $table->{has_tenant} && !$table->{partitioned};
    push @parts, "UNIQUE (n, created_at, d, $table->{passed}{column})" if $table->{passed};
    for my $reference (@references)
    {
        my ($column, $to) = @$reference{qw(column to)};
        push @parts, "$column uuid" . ($reference->{is_null_for} || $reference->{items} || $to == $table ? '' : ' NOT NULL'), "${column}_n int";
        push @parts, 'item_type text' if $reference->{items};
        push @parts, 'by_n int', 'by_created_at timestamptz', 'by_d int' if $reference->{by};
        push @parts, $reference->{by} ? "FOREIGN KEY (by_n, by_created_at, by_d, $column) REFERENCES app.$reference->{by}{name} (n, created_at, d, $reference->{by}{passed}{column})"
            : $reference->{with_tenant} ? "FOREIGN KEY (tenant_id, $column) REFERENCES app.$to->{name} (tenant_id, id) $reference->{action}"
            : "FOREIGN KEY ($column) REFERENCES app.$to->{name} $reference->{action}" if $to;
    }
    my %by = (range => 'RANGE (created_at)', list => 'LIST (d)', hash => 'HASH (n)');
    my @sql = ("CREATE TABLE app.$name (" . join(', ', @parts) . ')' . ($table->{partitioned} ? " PARTITION BY $by{ $table->{partitioned} }" : ''));
    push @sql, $self->partitions($table) if $table->{partitioned};
    push @sql, map { "CREATE INDEX ON app.$name ($_->{column})" } @references;

    my %extras = %{ $table->{extras} };
    my $column = @references ? $references[-1]{column} : 'id';
    push @sql, "CREATE INDEX ON app.$name ($column, created_at DESC) WHERE n % 3 = 0" if $extras{partial};
    push @sql, "CREATE INDEX ON app.$name (lower(${column}::text))" if $extras{expression};
    push @sql, "CREATE INDEX ${name}_covers ON app.$name (created_at) INCLUDE ($column, n)" if $extras{covering};
    push @sql, "ALTER TABLE app.$name ADD CONSTRAINT ${name}_is_no_nil CHECK ($column <> '00000000-0000-0000-0000-000000000000')" if $extras{check};
    push @sql, "COMMENT ON COLUMN app.$name.$column IS 'what it is about'", "COMMENT ON INDEX app.${name}_covers IS 'for reports'" if $extras{comment} && $extras{covering};
    push @sql, "GRANT SELECT ON app.$name TO bob", "GRANT UPDATE ($column, n) ON app.$name TO mallory" if $extras{grant};
    push @sql, "ALTER TABLE app.$name ENABLE ROW LEVEL SECURITY", "CREATE POLICY seen ON app.$name TO bob USING ($column IS NOT NULL)" if $extras{policy};
    push @sql, "CREATE TRIGGER counts BEFORE UPDATE OF $column ON app.$name FOR EACH ROW WHEN (old.$column IS DISTINCT FROM new.$column) EXECUTE FUNCTION app.counts()"
        if $extras{trigger};
    if ($extras{view})
    {
        push @sql, "CREATE VIEW app.${name}_view AS SELECT c.n, c.$column, c.created_at FROM app.$name AS c WHERE c.$column IS NOT NULL",
            "GRANT SELECT ON app.${name}_view TO bob",
            "CREATE VIEW app.${name}_counts AS SELECT v.$column, count(*) FROM app.${name}_view AS v GROUP BY v.$column";
        push @sql, "CREATE MATERIALIZED VIEW app.${name}_stored AS SELECT c.n, c.$column, c.created_at FROM app.$name AS c",
            "CREATE UNIQUE INDEX ON app.${name}_stored (n, created_at, $column)" if $extras{partial};
    }
    return @sql;
}

sub partitions
{
    my ($self, $table) = @_;
    my $name = $table->{name};
    return (map { "CREATE TABLE app.${name}_$_ PARTITION OF app.$name FOR VALUES WITH (MODULUS 3, REMAINDER $_)" } 0 .. 2) if $table->{partitioned} eq 'hash';
    return ("CREATE TABLE app.${name}_old PARTITION OF app.$name FOR VALUES FROM (MINVALUE) TO ('2020-01-02 00:00+00')",
        "CREATE TABLE app.${name}_new PARTITION OF app.$name FOR VALUES FROM ('2020-01-02 00:00+00') TO ('2100-01-01 00:00+00')") if $table->{partitioned} eq 'range';
    return (map { ("CREATE TABLE app.${name}_$_ PARTITION OF app.$name FOR VALUES IN ($_) PARTITION BY RANGE (n)",
        "CREATE TABLE app.${name}_${_}_few PARTITION OF app.${name}_$_ FOR VALUES FROM (MINVALUE) TO (20)",
        "CREATE TABLE app.${name}_${_}_many PARTITION OF app.${name}_$_ FOR VALUES FROM (20) TO (MAXVALUE)") } 0 .. 1);
}

# The statements that make the schema, with its rows
sub statements
{
    my ($self) = @_;
    my $rows = "SELECT n, n AS old, " . created_of() . " AS created_at FROM generate_series(0, $self->{rows} - 1) AS n";
    return ("CREATE SEQUENCE app.n START 1000000", "CREATE SEQUENCE app.period",
        q{CREATE FUNCTION app.counts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.changed := NEW.changed + 1; RETURN NEW; END $$},
        (map { $self->definition($_) } @{ $self->{tables} }),
        (map { ($self->insert($_, $rows), $self->close_circle($_)) } @{ $self->{tables} }), 'ANALYZE');
}

# A table that references itself is empty while its rows are inserted.
sub close_circle
{
    my ($self, $table) = @_;
    return map { sprintf 'UPDATE app.%s AS c SET %s = p.id FROM app.%1$s AS p WHERE p.n = c.%2$s_n', $table->{name}, $_->{column} }
        grep { $_->{to} && $_->{to} == $table } @{ $table->{references} };
}

# A query for references to another row than that of the number, and for those that are lost although the row is there
sub wrong
{
    my ($self) = @_;
    my @queries;
    for my $table (@{ $self->{tables} })
    {
        for my $reference (@{ $table->{references} })
        {
            my $column = $reference->{column};
            push @queries, map { sprintf q{SELECT '%s.%s', count(*) FROM app.%1$s AS c LEFT JOIN app.%s AS p ON p.id = c.%2$s
                WHERE %s(c.%2$s IS NOT NULL AND %s OR c.%2$s IS NULL AND EXISTS (SELECT FROM app.%3$s AS q WHERE q.n = c.%2$s_n)) HAVING count(*) > 0},
                $table->{name}, $column, $_->{name}, $reference->{items}
                    ? ("c.item_type = '$_->{name}' AND ", "(p.n <> c.${column}_n OR p.n IS NULL AND EXISTS (SELECT FROM app.$_->{name} AS q WHERE q.n = c.${column}_n))")
                    : ('', "p.n IS DISTINCT FROM c.${column}_n") } $reference->{items} ? @{ $reference->{items} } : $reference->{to};
        }
    }
    return join "\nUNION ALL ", @queries;
}

# Whether rows can be deleted: whatever references them goes with them, or lets them go.
sub is_deletable
{
    my ($self, $table) = @_;
    return 0 if $table->{passed};
    for my $child (@{ $self->{tables} })
    {
        for my $reference (grep { $_->{to} && $_->{to} == $table && $child != $table } @{ $child->{references} })
        {
            return 0 if $child->{passed} && $child->{passed} == $reference;
            next if !$reference->{by} && $reference->{action} =~ /SET NULL/;
            return 0 if $reference->{by} || $reference->{action} !~ /CASCADE$/ || !$self->is_deletable($child);
        }
    }
    return 1;
}

# What others write: a script of pgbench that chooses one of many statements
sub writes
{
    my ($self) = @_;
    my @writes;
    for my $table (@{ $self->{tables} })
    {
        push @writes, $self->insert($table, "SELECT nextval('app.n')::int AS n, :x AS old, timestamptz '2022-01-01 00:00+00' + :x * interval '1 minute' AS created_at"),
            "UPDATE app.$table->{name} SET changed = changed + 1 WHERE n = :x";
        my $last = $table->{references}[-1];
        push @writes, "UPDATE app.$table->{name} AS c SET ($last->{column}, $last->{column}_n) = (p.id, p.n) FROM app.$last->{to}{name} AS p WHERE c.n = :x AND p.n = :x"
            if $last && $last->{to} && !$last->{by} && !$last->{is_tenant} && !($table->{passed} && $table->{passed} == $last);
        push @writes, "DELETE FROM app.$table->{name} WHERE n = :y" if $self->is_deletable($table);
    }
    my $last = $self->{rows} / 10 - 1;
    my $n = 0;
    return "\\set x random(0, $last) * 10 + random(0, 4) * 2 + 1\n\\set y random(0, $last) * 10 + random(0, 4) * 2\n\\set i random(1, " . @writes . ")\n"
        . join('', map { $n++; ($n == 1 ? '\if' : '\elif') . " :i = $n\n" . s/\n/ /gr . ";\n" } @writes) . "\\endif\n";
}

# How a job makes a partition: what comes before the rows, and what after
our %job = (
    partition_of => [ 'CREATE TABLE app.%1$s_p:period PARTITION OF app.%1$s %2$s', '' ],
    like_and_attach => [ 'CREATE TABLE app.%1$s_p:period (LIKE app.%1$s INCLUDING DEFAULTS INCLUDING INDEXES)', 'ALTER TABLE app.%1$s ATTACH PARTITION app.%1$s_p:period %2$s;' ],
    like_all_and_attach => [ 'CREATE TABLE app.%1$s_p:period (LIKE app.%1$s INCLUDING ALL)', 'ALTER TABLE app.%1$s ATTACH PARTITION app.%1$s_p:period %2$s;' ]);

# A script of pgbench that makes a partition in one of these ways each $every-th time, and loads rows into it. After each, a
# script of a migration may have to be written anew, which takes longer on a busy machine than the job waits: so it makes no
# more than $most.
sub job
{
    my ($self, $every, $most) = @_;
    my $is_due = ":period % $every = 1 and :period / $every < $most";
    my $bounds = q{FOR VALUES FROM (timestamptz '2100-01-01 00:00+00' + :period * interval '1 day') TO (timestamptz '2100-01-02 00:00+00' + :period * interval '1 day')};
    my $rows = q{SELECT nextval('app.n')::int AS n, 10 * o + 1 AS old, timestamptz '2100-01-01 12:00+00' + :period * interval '1 day' AS created_at FROM generate_series(0, 4) AS o};
    my @jobs;
    for my $table (grep { ($_->{partitioned} // '') eq 'range' } @{ $self->{tables} })
    {
        my $insert = $self->insert($table, $rows, "$table->{name}_p:period");
        # ATTACH needs the CHECK constraints of the table, with or without a migration.
        push @jobs, map { sprintf "BEGIN;\n$_->[0];\n%3\$s;\n$_->[1]\nEND;\n", $table->{name}, $bounds, $insert }
            @job{ grep { $_ ne 'like_and_attach' || !$table->{extras}{check} } sort keys %job };
    }
    my $n = 0;
    return "SELECT nextval('app.period') AS period \\gset\n\\set i random(1, " . @jobs . ")\n"
        . join('', map { $n++; ($n == 1 ? '\if' : '\elif') . " $is_due and :i = $n\n$_" } @jobs) . "\\endif\n";
}

1;
