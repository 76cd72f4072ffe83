# Migrations by several roles, each in a session of its own, and a trap that reports as whom a planted function runs.
package Migrations;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_server session output_of quoted script_call written steps migrate migrates fails_with dump_of differences
    set_trap sprung);

# new_server(NAME, CONFIGURATION...): a server whose database postgres has the extensions, uuidx in the schema keys, and
# the roles dba, a superuser, and alice, bob and mallory, who each own a schema of their name.
sub new_server
{
    my ($name, @configuration) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
    $node->append_conf('postgresql.conf', join "\n", 'autovacuum = off', @configuration);
    $node->start;
    $node->safe_psql('postgres', q{
        CREATE SCHEMA keys;
        GRANT USAGE ON SCHEMA keys TO PUBLIC;
        CREATE EXTENSION uuidx SCHEMA keys;
        CREATE EXTENSION uuidx_ossp SCHEMA keys;
        CREATE EXTENSION uuidx_migrate;
        CREATE ROLE dba SUPERUSER LOGIN;
        CREATE ROLE alice LOGIN;
        CREATE ROLE bob LOGIN;
        CREATE ROLE mallory LOGIN;
        CREATE SCHEMA AUTHORIZATION alice;
        CREATE SCHEMA AUTHORIZATION bob;
        CREATE SCHEMA AUTHORIZATION mallory;
        GRANT USAGE ON SCHEMA alice, bob, mallory TO PUBLIC});
    return $node;
}

# session(SERVER, ROLE, SQL, NAME => VALUE...): runs this as the role, until the first error unless on_error_stop => 0.
# Returns what it prints, the messages, and the SQLSTATE of the first error, '' if there was none.
sub session
{
    my ($node, $role, $sql, %options) = @_;
    # psql does not read to the end after an error.
    my $file = $node->basedir . '/session.sql';
    unlink $file;
    append_to_file($file, $sql);
    my ($status, $output, $messages) = $node->psql('postgres', "SET client_min_messages = warning;\n\\i $file",
        extra_params => [ '--username', $role, '--set', 'VERBOSITY=verbose', '--set', 'SHOW_CONTEXT=never' ], timeout => $PostgreSQL::Test::Utils::timeout_default, %options);
    $messages =~ s/^LOCATION:.*\n?//mg;
    my ($state) = $messages =~ /(?:ERROR|FATAL):  (\w{5}):/;
    return { output => $output, messages => $messages, state => $state // '' };
}

# output_of(SERVER, ROLE, SQL): what this prints, after a test that there was no error.
sub output_of
{
    my ($node, $role, $sql) = @_;
    my $run = session($node, $role, $sql);
    is($run->{state}, '', "The role $role runs SQL.") or diag("$sql\n$run->{messages}");
    return $run->{output};
}

# quoted(NAME): the name as an identifier in SQL
sub quoted
{
    my ($name) = @_;
    return '"' . ($name =~ s/"/""/gr) . '"';
}

# script_call(TABLE, NAME => VALUE...): a call of script for the column id, or the one that column => names; for version 1
# keys, unless conversion => says otherwise.
sub script_call
{
    my ($table, %options) = (shift, conversion => 'v1_to_v6', @_);
    my $column = delete $options{column} // 'id';
    s/'/''/g for $table, $column;
    my %types = (fire_triggers => 'boolean', trust_owners => 'boolean', new_default => 'regprocedure', also => 'text[]', keep_number => 'name');
    return sprintf 'uuidx_migrate.script(%s)', join ', ', "'$table'::regclass", "'$column'::name",
        map { "$_ => '$options{$_}'::" . ($types{$_} // 'text') } sort keys %options;
}

# written(SERVER, ROLE, TABLE, NAME => VALUE...): a session that writes a script.
sub written
{
    my ($node, $role, $table, %options) = @_;
    return session($node, $role, q{SELECT sql || E'\n-- end of step' FROM } . script_call($table, %options) . ' ORDER BY step');
}

# steps(SERVER, ROLE, TABLE, NAME => VALUE...): the statements of a script
sub steps
{
    my ($node, $role, $table, %options) = @_;
    my $written = written($node, $role, $table, %options);
    is($written->{state}, '', "A script for $table is written.") or diag($written->{messages});
    return split /\n-- end of step\n?/, $written->{output};
}

# migrate(SERVER, ROLE, TABLE, NAME => VALUE...): writes a script and runs it, as the role.
sub migrate
{
    my ($node, $role, $table, %options) = @_;
    return session($node, $role, 'SELECT sql FROM ' . script_call($table, %options) . ' ORDER BY step \gexec');
}

# migrates(SERVER, ROLE, TABLE, NAME => VALUE..., TEST): the same, and it must succeed.
sub migrates
{
    my $test = pop @_;
    my $run = migrate(@_);
    is($run->{state}, '', $test) or diag($run->{messages});
    return $run;
}

# fails_with(SESSION, SQLSTATE, PATTERN, TEST): the session must have ended with such an error.
sub fails_with
{
    my ($run, $state, $pattern, $test) = @_;
    like("$run->{state}: $run->{messages}", qr/^$state: (?s:.*?)$pattern/, $test);
    return;
}

# dump_of(SERVER): what pg_dump says of the schema, without the order of columns.
sub dump_of
{
    my ($node) = @_;
    my ($dump) = run_command([ 'pg_dump', '--schema-only', $node->connstr('postgres') ]);
    return join "\n", map { s/,$//r } grep { !/^(--|\\|$)/ } split /\n/, $dump;
}

# differences(TEXT, TEXT): the lines that only one of them has, or that one has more often
sub differences
{
    my ($before, $after) = @_;
    my %count = ();
    $count{$_}-- for split /\n/, $before;
    $count{$_}++ for split /\n/, $after;
    return join "\n", map { ($count{$_} < 0 ? '-' : '+') . $_ } grep { $count{$_} } sort keys %count;
}

# Makes mallory.spring(text), which mallory's other functions call. It becomes the user of the session again if it can,
# and writes to the server's log as whom it runs, so that a rollback hides nothing.
sub set_trap
{
    my ($node) = @_;
    session($node, 'mallory', q{
        CREATE FUNCTION mallory.spring(what text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
        BEGIN
            BEGIN
                PERFORM set_config('role', 'none', false);
            EXCEPTION WHEN OTHERS THEN
                NULL;
            END;
            RAISE LOG 'trap % sprung as %', what, current_user;
            RETURN true;
        END $$});
    return;
}

# sprung(SERVER): the traps that others than mallory have sprung since the last call, a line each
my %read = ();
sub sprung
{
    my ($node) = @_;
    my $new = slurp_file($node->logfile, $read{ $node->logfile } // 0);
    $read{ $node->logfile } += length $new;
    my %lines = map { $_ => 1 } $new =~ /trap (\w+ sprung as (?!mallory)\w+)/g;
    return join "\n", sort keys %lines;
}

1;
