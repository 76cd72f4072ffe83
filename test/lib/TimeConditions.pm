# Random conditions on functions of a creation time.
package TimeConditions;

use strict;
use warnings;

sub one_of { return $_[ rand @_ ]; }
sub chance { return rand() < $_[0]; }

# Specifications of zones, beside the names of the server's list
our @specifications = ('UTC', 'MSK', 'EST5EDT', '<+167>-167', 'AAA-12:30BBB,M3.2.0/0,M11.1.0/0:01', 'AAA-20BBB4,J100/0,J300/0',
    'AAA-167BBB167,J100/0,J120/0', 'AAA0BBB,J100/0,J100/3', 'AAA3:17BBB2:48,M4.1.0/0,M10.1.0/0');

sub interval { return "interval '" . one_of('0', '1 us', '59 minutes', '1 hour', '1 day', '-1 day', '36 hours', '1 month', '-1 month', '1 year 2 months -3 days 4 hours', '13 months', '11 days', '1000 days') . "'"; }

# The server's functions of a time of this type, and the types of their results.
my %calls = (
    timestamptz => [
        (sub { ("CAST($_[0] AS date)", 'date') }) x 3,
        (sub { ("date($_[0])", 'date') }) x 2,
        sub { ("CAST($_[0] AS timestamp)", 'timestamp') },
        sub { ("CAST($_[0] AS timestamp(" . int(rand 7) . '))', 'timestamp') },
        sub { ("CAST($_[0] AS timestamptz(" . int(rand 7) . '))', 'timestamptz') },
        (sub { ("($_[0] AT TIME ZONE $_[1])", 'timestamp') }) x 6,
        sub { ("($_[0] AT TIME ZONE interval '" . one_of('05:30', '-12:00', '1000 hours') . "')", 'timestamp') },
        (sub { ('date_trunc(' . unit() . ", $_[0])", 'timestamptz') }) x 4,
        (sub { ('date_trunc(' . unit() . ", $_[0], $_[1])", 'timestamptz') }) x 6,
        sub { ("date_bin(interval '" . one_of('1 hour', '7 minutes', '25 hours', '10 days') . "', $_[0], $_[2])", 'timestamptz') },
        sub { ("extract(" . field() . " FROM $_[0])", 'numeric') },
        sub { ("date_part('" . field() . "', $_[0])", 'float8') },
        sub { ("($_[2] - $_[0])", 'interval') },
        sub { ("($_[0] - $_[2])", 'interval') },
        (sub { ("($_[0] " . one_of('+', '-') . ' ' . interval() . ')', 'timestamptz') }) x 3,
    ],
    timestamp => [
        (sub { ("CAST($_[0] AS date)", 'date') }) x 4,
        sub { ("CAST($_[0] AS timestamptz)", 'timestamptz') },
        sub { ("CAST($_[0] AS timestamp(" . int(rand 7) . '))', 'timestamp') },
        (sub { ("($_[0] AT TIME ZONE $_[1])", 'timestamptz') }) x 2,
        (sub { ('date_trunc(' . unit() . ", $_[0])", 'timestamp') }) x 3,
        sub { ("date_bin(interval '" . one_of('1 hour', '7 minutes', '10 days') . "', $_[0], timestamp '2020-02-02 03:04:05')", 'timestamp') },
        sub { ("extract(" . field() . " FROM $_[0])", 'numeric') },
        sub { ("date_part('" . field() . "', $_[0])", 'float8') },
        sub { ("($_[0] " . one_of('+', '-') . ' ' . interval() . ')', 'timestamp') },
        sub { ("($_[0] - timestamp '2010-01-01')", 'interval') },
    ],
    date => [
        sub { ("CAST($_[0] AS timestamp)", 'timestamp') },
        sub { ("CAST($_[0] AS timestamptz)", 'timestamptz') },
        sub { ("($_[0] " . one_of('+ 3', '- 3') . ')', 'date') },
        sub { ("($_[0] " . one_of('+', '-') . ' ' . interval() . ')', 'timestamp') },
        sub { ("(date '2026-02-10' - $_[0])", 'int') },
        sub { ("extract(" . field() . " FROM $_[0])", 'numeric') },
    ],
    numeric => [ sub { ("CAST($_[0] AS int8)", 'bigint') }, sub { ("CAST($_[0] AS float8)", 'float8') } ],
    float8 => [ sub { ("CAST($_[0] AS int8)", 'bigint') }, sub { ("CAST($_[0] AS numeric)", 'numeric') } ],
    interval => [],
    int => [],
    bigint => [],
);

sub unit { return "'" . one_of(qw(microseconds second minute hour day day day week week month quarter year decade century)) . "'"; }
sub field { return one_of(qw(year year isoyear decade century millennium julian epoch)); }

# A function of `time`, perhaps of another one; `zone` and `moment` are expressions, too.
sub function
{
    my ($time, $zone, $moment) = @_;
    my $type = 'timestamptz';
    do
    {
        return ($time, $type) if !@{ $calls{$type} };
        ($time, $type) = one_of(@{ $calls{$type} })->($time, $zone, $moment);
    } while chance(0.35);
    return ($time, $type);
}

sub quoted { return "'" . $_[0] =~ s/'/''/gr . "'"; }

# A condition that compares a function of the time of an ID with its value for a moment, and its parameters: a moment, a zone,
# and the value as the text of its type
sub condition
{
    my ($created, $zone, @moments) = @_;
    my ($as_of, $other) = map { "timestamptz '$_'" } one_of(@moments), one_of(@moments);
    my ($function, $type) = function('%time%', quoted($zone), $as_of);
    my ($left, $value, $second) = map { $function =~ s/%time%/$_/gr } $created, $other, "timestamptz '" . one_of(@moments) . "'";
    # What the planner computes, what is computed when the plan begins, and what is not known before
    ($value, $second) = map { one_of($_, $_, "(SELECT $_)") } $value, $second;
    my $op = one_of(qw(< <= > >= = =));
    return one_of(
        ("$left $op $value") x 6, "$value $op $left", "$left BETWEEN $value AND $second", "$left IN ($value, $second)",
        "$left = ANY (ARRAY[$value, NULL, $second])", "($left $op $value OR n % 7 = 3)", "($left = $value OR $left = $second)",
        ("($left $op $value OR $left = $second AND n % 2 = 0)") x 2,
        "NOT ($left $op $value)", "($left $op $value AND n % 2 = 0)", "($left, n) " . one_of(qw(< <= > >=)) . " ($value, 300)");
}

1;
