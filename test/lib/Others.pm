# Others who read and write while a migration runs, and a server that is stopped in the middle of one.
package Others;

use strict;
use warnings;
use Exporter 'import';
use IPC::Run ();
use Migrations;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(can_retry start_others stop_others stopped_midway);

# can_retry(SERVER): from PostgreSQL 15 on, pgbench tries again.
sub can_retry
{
    my ($node) = @_;
    return $node->safe_psql('postgres', q{SELECT current_setting('server_version_num')::int >= 150000}) eq 't';
}

# start_others(SERVER, NAME, SCRIPTS, OPTION...): clients of pgbench that run these scripts as alice until
# stop_others(). With --rate, what is a second late is left out: a busy machine would not catch up, and leave no moment
# for an exclusive lock.
sub start_others
{
    my ($node, $name, $scripts, @options) = @_;
    my @files = map { $node->basedir . "/$name.$_.pgbench" } 0 .. $#$scripts;
    unlink @files;
    append_to_file($files[$_], $scripts->[$_] =~ s/^\s+//gmr . "\n") for 0 .. $#files;
    my $output = '';
    my $harness = IPC::Run::start([ 'pgbench', '--no-vacuum', '--time=72000', '--latency-limit=1000',
            '--username=alice', @options, (map { ('--file', $_) } @files), $node->connstr('postgres') ],
        '>&', \$output);
    return { name => $name, harness => $harness, output => \$output };
}

# stop_others(OTHERS...): they have gone on until now, and without an error. On a busy machine, some may have left out all.
sub stop_others
{
    for my $others (@_)
    {
        $others->{harness}->pump_nb;
        ok($others->{harness}->pumpable, "The $others->{name} go on until the end.");
        $others->{harness}->signal('ALRM'); # which is how pgbench's time ends
    }
    my $done = '';
    for my $others (@_)
    {
        my ($name, $harness, $output) = @{$others}{qw(name harness output)};
        $harness->finish;
        unlike($$output, qr/error|abort/i, "None of the $name has an error.");
        note($$output);
        $done .= $$output;
    }
    like($done, qr/number of transactions actually processed: [1-9]/, 'They have done something.');
    return;
}

# stopped_midway(SERVER, CHECK, TABLE, NAME => VALUE...): the server is stopped after a random step of a script, as soon
# as the next one has begun; then CHECK->() must be ''. Each time, the script is written anew, and goes on where it
# stopped.
sub stopped_midway
{
    my ($node, $check, @script) = @_;
    for my $round (1 .. ($ENV{UUIDX_LONG} ? 25 : 1))
    {
        my @steps = steps($node, 'alice', @script);
        my $done = int rand @steps;
        my $file = $node->basedir . '/stopped.sql';
        unlink $file;
        append_to_file($file, join ";\n", @steps[ 0 .. $done - 1 ],
            "\\echo done\n" . join ";\n", @steps[ $done .. $#steps ], '');
        my $output = '';
        my $session = IPC::Run::start([ 'psql', '--no-psqlrc', '--quiet', '--username=alice', '--set=ON_ERROR_STOP=1',
                '--file', $file, $node->connstr('postgres') ], '>&', \$output,
            my $limit = IPC::Run::timer($PostgreSQL::Test::Utils::timeout_default));
        pump_until($session, $limit, \$output, qr/^done$/m);
        like($output, qr/^done$/m, "$done of ${\scalar @steps} steps are done.");
        select undef, undef, undef, rand 0.1;
        $node->stop('immediate');
        $session->finish;
        $node->start;
        is($check->(), '', 'After the restart, no reference is wrong or lost.');
    }
    return;
}

1;
