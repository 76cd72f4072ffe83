# An application's schema (erp.sql) is migrated and migrated back, offline and online: a dump differs in the defaults
# alone, each row of each table and view is the conversion of what it was, and the application goes on to work. A script
# that is run again, from the top or written anew, goes on where the last one ended. With `scripts/test --long`, what was
# migrated offline or finished online is migrated back, too, and the server or the session ends after each step of an online
# script, which is then run again as it was saved.

use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

# The keys that are moved, and the columns with keys that are not.
my @keys = qw(auth.users erp.companies erp.sites erp.products erp.orders);
my ($to_v6, $to_v1) = map { ", conversion => '$_'" } 'v1_to_v6', 'v6_to_v1';
my %arguments = ('auth.users' => q{, also => ARRAY['auth.flow_state.user_id']});
my @kept = qw(auth.identities.identity_data auth.refresh_tokens.user_id auth.audit_log_entries.payload erp.tasks.watchers
    erp.webhooks.url erp.webhooks.body erp.legacy_links.old_key);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
# With wal_level = minimal, a crash spoils the indexes of unlogged tables in databases that CREATE DATABASE has copied.
$node->append_conf('postgresql.conf', 'wal_level = replica');
$node->start;
my $version = int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);

# psql(DATABASE, INPUT, ROLE): whether it ends well, what it prints, and its errors.
sub psql
{
    my ($database, $input, $role) = @_;
    my ($output, $errors, $file) = ('', '', $node->basedir . '/input.sql');
    unlink $file;
    append_to_file($file, $input);
    my $ok = IPC::Run::run([ _psql($database, $role), '--file', $file ], '<', \undef, '>', \$output, '2>', \$errors);
    return ($ok, $output =~ s/\n\z//r, $errors);
}

sub _psql
{
    my ($database, $role) = @_;
    return ('psql', '--no-psqlrc', '--quiet', '--no-align', '--tuples-only', '--set=ON_ERROR_STOP=1',
        '--dbname', $node->connstr($database) . ($role ? " user=$role" : ''));
}

sub query
{
    my ($ok, $output, $errors) = psql(@_);
    die $errors if !$ok;
    return $output;
}

sub copy_database
{
    my ($from, $to) = @_;
    query('postgres', "DROP DATABASE IF EXISTS $to; CREATE DATABASE $to TEMPLATE $from");
    return $to;
}

# --- What is compared ---

# What a dump says, object by object. The order of a dump follows OIDs where names are equal, that of grants their age. From
# PostgreSQL 18 on, ALTER TABLE itself gives the NOT NULL constraint of a partition the name of its table's.
sub schema
{
    my ($database) = @_;
    my ($dump) = run_command([ 'pg_dump', '--schema-only', $node->connstr($database) ]);
    $dump =~ s/ CONSTRAINT orders_id_not_null NOT NULL/ NOT NULL/g;
    my @objects = map { [ grep { !/^(--|\\|$)/ } split /\n/ ] } split /^--\n-- Name: /m, $dump;
    return [ sort map { join "\n", $_->[0] =~ /; Type: ACL;/ ? sort @$_ : @$_ } @objects ];
}

# is_same(GOT, EXPECTED, NAME): two lists are the same, or these are their first differences.
sub is_same
{
    my ($got, $expected, $name) = @_;
    my (%got, %expected);
    $got{$_}++ for @$got;
    $expected{$_}++ for @$expected;
    my @differences = ((map { "now: $_" } grep { $got{$_} != ($expected{$_} // 0) } sort keys %got),
        map { "before: $_" } grep { !$got{$_} } @$expected);
    is(join("\n\n", splice @differences, 0, 20), '', $name);
}

# A schema with the columns in an order that is the same for all orders: in the tables whose dump has this pattern, and in
# extended statistics.
sub sorted
{
    my ($schema, $tables) = @_;
    return [ map {
        /^.*; Type: TABLE;/ && /$tables/ ? join("\n", sort map { s/,$//r } split /\n/)
            : /^.*; Type: STATISTICS;/ ? s/( ON )(.*)( FROM )/$1 . join(', ', sort split(m{, }, $2)) . $3/er
            : $_ } @$schema ];
}

sub migrated_schema
{
    my @migrated = @{ $_[0] };
    my $defaults = 0;
    $defaults += s/(\bid uuid DEFAULT )public\.uuid_generate_v1(?:mc)?\(\)/$1keys.uuid_generate_v6()/ for @migrated;
    is($defaults, 10, 'The migration changes the defaults of ten tables and partitions.');
    return \@migrated;
}

# All rows of all tables, views and materialized views, without what an online migration adds and without these columns.
sub content
{
    my ($database, @except) = @_;
    my ($kept, $except) = map { 'ARRAY[' . join(', ', map { "'$_'" } @$_) . ']::text[]' } \@kept, \@except;
    my $rows = query($database, qq{
        \\pset null NULL
        SELECT set_config('app.user_id', id::text, false) FROM auth.users WHERE email = 'user6\@example.com' \\gset
        SELECT format(CASE WHEN c.relispopulated THEN 'SELECT %L, %s FROM %s' ELSE 'SELECT %L' END, c.oid::regclass,
                      string_agg(format(CASE WHEN concat_ws('.', c.oid::regclass, a.attname) = ANY ($kept)
                                             THEN 'replace(%I::text, ''-'', '''')' ELSE '%I' END, a.attname), ', ' ORDER BY a.attname),
                      c.oid::regclass)
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace IN ('auth'::regnamespace, 'erp'::regnamespace) AND c.relkind IN ('r', 'p', 'v', 'm')
          AND c.relname !~ '_shadow\$'
          AND a.attname !~ '_shadow\$|^shadow_' AND a.attname <> ALL ($except)
        GROUP BY c.oid \\gexec});
    return [ sort split /\n/, $rows ];
}

# time_low, time_mid, version and time_high of version 1 to the order of version 6
sub converted
{
    my ($text) = @_;
    return $text =~ s/\b([0-9a-f]{8})-([0-9a-f]{4})-1([0-9a-f]{3})-(?=[89ab][0-9a-f]{3}-)/
        my $time = "$3$2$1"; substr($time, 0, 8) . '-' . substr($time, 8, 4) . '-6' . substr($time, 12) . '-'/gexr;
}

sub migrated_content { return [ sort map { converted($_) } @{ $_[0] } ]; }

# How many rows each foreign key joins.
sub joins
{
    my ($database) = @_;
    return query($database, q{
        SELECT format('SELECT %1$L, %2$L, count(*) FROM %1$s AS a JOIN %3$s AS b ON %4$s', f.conrelid::regclass, f.conname, f.confrelid::regclass,
                      (SELECT string_agg(format('a.%I = b.%I', a.attname, b.attname), ' AND ')
                       FROM ROWS FROM (unnest(f.conkey), unnest(f.confkey)) AS k (n, m)
                       JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = n
                       JOIN pg_attribute AS b ON b.attrelid = f.confrelid AND b.attnum = m))
        FROM pg_constraint AS f WHERE f.contype = 'f' AND f.conparentid = 0 AND f.conname !~ '_shadow$|^shadow_'
        ORDER BY f.conrelid::regclass::text, f.conname \gexec});
}

# A dump does not show the names that an index has for its columns.
sub index_columns_of_other_names
{
    my ($database) = @_;
    return query($database, q{
        SELECT k.attrelid::regclass, k.attname, a.attname
        FROM pg_index AS i JOIN pg_attribute AS k ON k.attrelid = i.indexrelid
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.attnum - 1]
        WHERE a.attname <> k.attname});
}

sub oids
{
    my ($database) = @_;
    return query($database, q{
        SELECT oid, oid::regclass::text FROM pg_class
        WHERE relkind = 'v' AND relnamespace IN ('auth'::regnamespace, 'erp'::regnamespace)
        UNION ALL
        SELECT oid, oid::regprocedure::text FROM pg_proc WHERE pronamespace IN ('auth'::regnamespace, 'erp'::regnamespace)
        ORDER BY 1});
}

# What the application does, as the owner; nothing of it stays.
my $owner = <<'SQL';
SET search_path = public, keys;
CREATE FUNCTION pg_temp.refused_by(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    EXECUTE statement;
    RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS name = CONSTRAINT_NAME;
    RETURN coalesce(nullif(name, ''), SQLERRM);
END
$$;
SELECT id AS me FROM auth.users WHERE email = 'user6@example.com' \gset
SELECT id AS other FROM auth.users WHERE email = 'user5@example.com' \gset
SELECT CASE uuid_version(:'me') WHEN 1 THEN uuid_v6_to_v1(uuid_generate_v6()) ELSE uuid_generate_v6() END AS chosen \gset
INSERT INTO auth.user_directory (email, phone) VALUES ('new@example.com', '1');
UPDATE auth.user_directory SET phone = '2' WHERE email = 'new@example.com';
SELECT id AS new FROM auth.users WHERE email = 'new@example.com' \gset
SELECT 'directory', uuid_version(id), id = profile_of, phone FROM auth.user_directory WHERE id = :'new';
INSERT INTO erp.invitations (invited, email, inviter) VALUES (:'chosen', 'guest@example.com', :'new');
SET CONSTRAINTS ALL IMMEDIATE;
DELETE FROM erp.invitations WHERE invited = :'chosen';
SELECT 'invitations', what, old_key = :'new', new_key = :'chosen' FROM auth.key_changes ORDER BY n;
DELETE FROM auth.user_directory WHERE id = :'chosen';
SELECT 'profiles', count(*) FROM auth.profiles WHERE user_id IN (:'new', :'chosen');
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO auth.active_users (user_id, address) VALUES (:'chosen', 'active@example.com');
SELECT 'active', user_id = :'chosen', confirmed FROM auth.active_users WHERE address = 'active@example.com';
DELETE FROM auth.active_users WHERE user_id = :'chosen';
SET CONSTRAINTS ALL IMMEDIATE;
INSERT INTO erp.companies (name, owner_id) VALUES ('New', :'new');
INSERT INTO erp.sites (company_id, name) SELECT id, 'New' FROM erp.companies WHERE name = 'New';
UPDATE erp.companies SET id = :'chosen' WHERE name = 'New';
SELECT 'cascaded', count(*) FROM erp.sites WHERE company_id = :'chosen';
INSERT INTO erp.orders (placed, region, taken_by) SELECT d, 'south', :'new' FROM unnest('{2024-05-06,2025-05-06,2026-05-06}'::date[]) AS d;
SELECT 'orders', uuid_version(id), tableoid::regclass FROM erp.orders WHERE taken_by = :'new' ORDER BY placed;
SELECT 'orders', count(*) FROM auth.key_changes WHERE what LIKE 'order;%';
INSERT INTO erp.order_lines (order_id, placed, region, line, product_id, pieces)
    SELECT o.id, placed, region, 1, p.id, 1 FROM erp.orders AS o, erp.products AS p WHERE taken_by = :'new' AND sku = 'SKU-1';
REFRESH MATERIALIZED VIEW CONCURRENTLY erp.order_totals;
REFRESH MATERIALIZED VIEW CONCURRENTLY erp.chart;
REFRESH MATERIALIZED VIEW erp.regions;
REFRESH MATERIALIZED VIEW erp.stock_of_sites;
SELECT 'totals', (SELECT pieces FROM erp.pieces_by_clerk WHERE taken_by = :'new'), (SELECT count(*) FROM erp.stock_of_sites);
SELECT 'taken by', count(*) FROM erp."orders; of $$"(:'new');
DELETE FROM erp.orders WHERE taken_by = :'new';
SELECT 'lines', count(*) FROM erp.order_lines WHERE line = 1 AND pieces = 1 AND placed = '2024-05-06' AND region = 'south'
    AND order_id NOT IN (SELECT id FROM erp.orders);
INSERT INTO erp.employees (user_id) VALUES (:'new');
INSERT INTO erp.invoices (approved_by) VALUES (:'new');
CALL erp.reassign(:'me', :'other');
SELECT 'reassigned', (SELECT count(*) FROM erp.tasks WHERE assignee_id = :'other' AND updated_at > '2025-02-01'),
    (SELECT count(*) FROM erp.notifications WHERE user_id = :'other'), (SELECT count(*) FROM erp.badges WHERE user_id = :'me');
INSERT INTO erp.task_comments (task_id, author_id, body) SELECT id, :'me', 'a comment' FROM erp.tasks WHERE title = 'Task 1';
SELECT 'notified', count(*) FROM erp.notifications WHERE user_id = :'me' AND body = 'a comment';
INSERT INTO erp.document_shares (document_id, user_id) SELECT id, :'me' FROM erp.documents WHERE title = 'Document 1';
UPDATE erp.document_shares SET user_id = :'other' WHERE user_id = :'me';
UPDATE erp."Contact; Persons" SET U&"owner's $$ key\000Aon a new line" = :'other' WHERE "Person; id" = :'me';
SELECT 'triggers', what, count(*) FROM auth.key_changes WHERE what IN ('shared', 'share_changed', 'assigned', 'person_changed')
    GROUP BY what ORDER BY what;
SELECT 'functions', auth.email_of(id), auth.label(u) = 'User 6 <' || id || '>', (SELECT count(*) FROM auth.sessions_of(id)),
    (SELECT count(*) FROM auth.invited(u)) FROM auth.users AS u WHERE id = :'me';
SELECT 'refused', pg_temp.refused_by(s) FROM unnest(ARRAY[
    format('UPDATE auth.users SET invited_by = id WHERE id = %L', :'me'),
    format('UPDATE auth.users SET id = u.id FROM auth.users AS u WHERE users.id = %L AND u.email = %L', :'me', 'user10@example.com'),
    format('DELETE FROM erp.employees WHERE user_id = %L', :'new'),
    format('INSERT INTO auth.users (id) VALUES (%L)', :'chosen'),
    format('INSERT INTO auth.identities (user_id, provider, identity_data) VALUES (%L, %L, %L)', :'me', 'email', '{}'),
    format('INSERT INTO auth.identities (user_id, provider, identity_data) VALUES (%L, %L, %L)', :'chosen', 'email', '{}'),
    format('INSERT INTO auth.mfa_factors (user_id, name) SELECT user_id, upper(name) FROM auth.mfa_factors WHERE user_id = %L', :'me'),
    format('INSERT INTO auth.active_users (address, confirmed) VALUES (%L, false)', 'nobody@example.com'),
    format('INSERT INTO erp.badges (user_id, badge, given_by) SELECT user_id, badge, %L FROM erp.badges WHERE user_id = %L', :'me', :'other'),
    format('INSERT INTO erp."Contact; Persons" ("Person; id", U&"owner''s $$ key\000Aon a new line") VALUES (%1$L, %1$L)', :'new'),
    format('UPDATE erp.employees SET manager_id = user_id WHERE user_id = %L', :'me'),
    format('UPDATE erp.employees SET company_id = NULL WHERE user_id = %L', :'me'),
    format('INSERT INTO erp.stock_moves (site_id, product_id) SELECT site_id, %L FROM erp.stock LIMIT 1', :'chosen'),
    format('INSERT INTO erp.orders (id, placed, region) SELECT id, placed, region FROM erp.orders WHERE taken_by = %L', :'other'),
    format('INSERT INTO erp.orders (id, placed, region, replaces) VALUES (%1$L, %2$L, %3$L, %1$L)', :'chosen', '2025-05-05', 'south'),
    format('INSERT INTO erp.notifications (user_id) VALUES (%L)', :'chosen')]) AS s;
UPDATE erp.tasks SET assignee_id = :'new' WHERE title = 'Task 2';
UPDATE erp.projects SET lead_id = :'new' WHERE name = 'Project 2';
UPDATE erp.badges SET given_by = :'new' WHERE badge = 'badge 20';
UPDATE erp.orders SET taken_by = :'new' WHERE taken_by = :'other';
UPDATE auth.users SET invited_by = :'new' WHERE id = :'other';
INSERT INTO auth.identities (user_id, provider, identity_data) VALUES (:'new', 'email', '{}');
DELETE FROM erp.invoices WHERE approved_by = :'new';
DELETE FROM erp.employees WHERE user_id = :'new';
DELETE FROM auth.users WHERE id = :'new';
SELECT 'left', (SELECT count(*) FROM erp.tasks WHERE title = 'Task 2' AND assignee_id IS NULL),
    (SELECT count(*) FROM erp.projects WHERE name = 'Project 2' AND lead_id IS NULL),
    (SELECT count(*) FROM erp.badges WHERE badge = 'badge 20' AND given_by IS NULL AND user_id IS NOT NULL),
    (SELECT count(*) FROM erp.orders WHERE taken_by IS NULL),
    (SELECT count(*) FROM erp.companies WHERE name = 'New' AND owner_id IS NULL),
    (SELECT count(*) FROM auth.users WHERE id = :'other' AND invited_by IS NULL),
    (SELECT count(*) FROM auth.identities WHERE user_id = :'new') + (SELECT count(*) FROM auth.profiles WHERE user_id = :'new');
SQL
my $owners_output = <<'OUTPUT';
directory|VERSION|t|2
invitations|invited||t
invitations|key_changed|t|
profiles|1
active|t|t
cascaded|1
orders|VERSION|erp.orders_2024
orders|VERSION|erp.orders_2025_others
orders|VERSION|erp.orders_2026
orders|2
totals|3|504
taken by|3
lines|0
reassigned|1|2|0
notified|1
triggers|person_changed|1
triggers|shared|1
functions|user6@example.com|t|2|1
refused|invited_by_another
refused|users_pkey
refused|approver
refused|has_profile
refused|identities_provider_user_id_id_key
refused|identity; of user
refused|mfa_factors_named_idx
refused|new row violates check option for view "active_users"
refused|one_badge
refused|two; $cutover$
persons
refused|managed_by_another
refused|employees_department_fkey
refused|of_stock
refused|orders_2024_pkey
refused|orders_check
refused|of user; never checked
left|1|1|1|129|1|1|0
OUTPUT
$owners_output =~ s/one_badge/nothing/ if $version < 15; # NULLS NOT DISTINCT
my $clerk = <<'SQL';
SELECT set_config('app.user_id', :'me', true) \gset
SELECT 'documents', string_agg(title, ',' ORDER BY title) FROM erp.documents;
SELECT 'mine', string_agg(title, ',') FROM erp.my_documents;
INSERT INTO erp.my_documents (owner_id) VALUES (:'me') RETURNING 'inserted', title;
UPDATE erp.my_documents SET title = 'Letter' WHERE title = 'untitled';
DELETE FROM erp.my_documents WHERE title = 'Letter' RETURNING 'deleted', title;
SELECT 'users', string_agg(email, ',' ORDER BY email) FROM auth.users;
SELECT 'settings', value FROM erp.settings;
UPDATE auth.users SET name = 'Renamed' RETURNING 'renamed', email;
SELECT 'totals', count(order_id) FROM erp.order_totals;
SELECT 'email', auth.email_of(:'me'), auth.email_of(:'other');
SELECT 'active', count(*) FROM auth.active_users;
INSERT INTO erp.orders (placed, region, taken_by) VALUES ('2026-02-03', 'south', :'me') RETURNING 'order', keys.uuid_version(id);
SQL
my $clerks_output = <<'OUTPUT';
documents|Document 5,Document 6
mine|Document 6
inserted|untitled
deleted|Letter
users|user12@example.com,user6@example.com
settings|EUR
renamed|user6@example.com
totals|428
email|user6@example.com|
active|270
order|VERSION
OUTPUT

# works(DATABASE, VERSION, WHEN, MORE, OUTPUT): the application works, and its new keys are of this version. More statements
# of the owner print this.
sub works
{
    my ($database, $version, $when, $more, $output) = @_;
    my $keys = query($database, q{SELECT format(E'\\\\set me %s\n\\\\set other %s', a.id, b.id) FROM auth.users AS a, auth.users AS b
        WHERE a.email = 'user6@example.com' AND b.email = 'user5@example.com'});
    # From PostgreSQL 19 on, the server checks the foreign keys of a row in any order: a twin may refuse it first.
    my $prints = sub { return join('', (psql($database, "$keys\n$_[0]", $_[1]))[ 1, 2 ]) =~ s/^(refused\|[^|\n]*of user[^|\n]*?)_shadow$/$1/mgr; };
    my ($by_owner, $by_clerk) = map { s/VERSION/$version/gr =~ s/\n\z//r } $owners_output . ($output // ''), $clerks_output;
    is($prints->("BEGIN;\n$owner" . ($more // '') . "ROLLBACK;\n", 'erp_owner'), $by_owner, "The owner's statements do the same $when.");
    is($prints->("BEGIN;\n${clerk}ROLLBACK;\n", 'clerk'), $by_clerk, "A clerk sees and does the same $when.");
    like($prints->("SET app.user_id = :'me';\nINSERT INTO erp.documents (owner_id) VALUES (:'other');\n", 'clerk'),
        qr/violates row-level security policy/, "A clerk may not do more $when.");
}

# --- Scripts ---

# The statements of a script to version 6, unless more is said, as they are saved; each has its phase.
sub script
{
    my ($database, $key, $mode, $more) = @_;
    my $arguments = join '', "'$key', 'id', '$mode'", $arguments{$key} // '', $more // $to_v6;
    my $output = query($database,
        "SELECT concat(phase, E'\\n', sql, E';\\n-- end of step') FROM uuidx_migrate.script($arguments) ORDER BY step", 'erp_owner');
    return map { my ($phase, $sql) = split /\n/, $_, 2; { phase => $phase, sql => $sql } } split /\n-- end of step\n?/, $output;
}

sub runs
{
    my ($database, $name, @steps) = @_;
    my ($ok, $output, $errors) = psql($database, join("\n", 'SET client_min_messages = warning;', map { $_->{sql} } @steps), 'erp_owner');
    # A script that is run again says no more than that.
    $errors =~ s/^psql:\S+ WARNING:  the cutover of this script has taken place\nHINT:  Run no more of it[^\n]*\n//mg;
    ok($ok && $errors eq '', $name) or diag($errors);
    return $ok;
}

sub run_script
{
    my ($database, $key, $mode, $more) = @_;
    return runs($database, "The script for $key runs: $mode" . ($more // '') . '.', script(@_));
}

# --- The schema ---

query('postgres', 'CREATE DATABASE erp');
query('erp', 'CREATE SCHEMA keys; GRANT USAGE ON SCHEMA keys TO PUBLIC;
    CREATE EXTENSION uuidx SCHEMA keys; CREATE EXTENSION uuidx_migrate');
is((psql('erp', slurp_file('test/t/migration/erp.sql')))[2], '', 'The application has its schema and its rows.');
my ($schema, $content, $joins) = (schema('erp'), content('erp'), joins('erp'));
works('erp', 1, 'before a migration');

# --- Offline ---

my $offline = copy_database('erp', 'offline');
my $oids = oids($offline);
# The obstacles, each with its hint, as "obstacle (hint)".
sub obstacles
{
    my ($key) = @_;
    return split /\n/, query('erp', sprintf(q{SELECT concat(o, ' (', h, ')') FROM uuidx_migrate.plan('%s', 'id'%s) AS p,
        ROWS FROM (unnest(p.obstacles), unnest(p.hints)) AS u (o, h)}, $key, $to_v6 . ($arguments{$key} // '')), 'erp_owner');
}

my %obstacles = map { $_ => 1 } map { obstacles($_) } @keys;
is_same([ grep { !/^online: / } keys %obstacles ], [], 'Nothing is an obstacle offline.');
# The rule on UPDATE, the stored generated column, and what else is an obstacle online.
my $offline_only = q{
    UPDATE erp.documents SET owner_id = :'other' WHERE owner_id = :'me';
    SELECT 'rule', count(*) FROM auth.key_changes WHERE what = 'document' AND old_key = :'me';
    SELECT 'generated', subject = 'user:' || id, (SELECT count(*) FROM auth.sessions AS s WHERE s.cookie = s.id || '.' || u.id)
    FROM auth.users AS u WHERE id = :'me';
    SELECT 'refused', pg_temp.refused_by(format('INSERT INTO auth.one_time_tokens (user_id) VALUES (%L)', :'me'));
    REFRESH MATERIALIZED VIEW erp.directory;
    REFRESH MATERIALIZED VIEW CONCURRENTLY erp.best_clerks;
    SELECT 'materialized', (SELECT sessions FROM erp.directory WHERE id = :'me'),
        (SELECT orders FROM erp.best_clerks WHERE clerk_id = :'other');
};
my @offline_only = ($offline_only, "rule|1\ngenerated|t|2\nrefused|one_unused_token\nmaterialized|2|1\n");
works('erp', 1, 'before a migration, with what is an obstacle online', @offline_only);

run_script($offline, $_, 'offline') for @keys;
is_same(sorted(schema($offline), qr/^users;/), sorted(migrated_schema($schema), qr/^users;/),
    'Offline, a dump differs in the defaults alone, and a generated column goes to the end.');
is_same(content($offline), migrated_content($content), 'Offline, each row of each table and view is the conversion of what it was.');
is(joins($offline), $joins, 'Offline, each foreign key joins the same rows.');
is(oids($offline), $oids, 'Offline, views and functions keep their OIDs.');
works($offline, 6, 'after the offline migration', @offline_only);

my %old_default = map {
    $_ => sprintf q{, new_default => 'public.uuid_generate_%s()'::regprocedure}, $_ eq 'erp.sites' ? 'v1mc' : 'v1'
} @keys;
# All partitions get the same default.
my $default_of_2026 = 'ALTER TABLE ONLY erp.orders_2026 ALTER id SET DEFAULT public.uuid_generate_v1mc()';
if ($ENV{UUIDX_LONG})
{
    run_script($offline, $_, 'offline', $to_v1 . $old_default{$_}) for reverse @keys;
    query($offline, $default_of_2026);
    is_same(sorted(schema($offline), qr/^users;/), sorted($schema, qr/^users;/), 'Undone offline, a dump is the first one.');
    is_same(content($offline), $content, 'Undone offline, each row is what it was.');
    is(oids($offline), $oids, 'Undone offline, views and functions keep their OIDs.');
    works($offline, 1, 'after the offline undo', @offline_only);
}

# --- Online: what has to go before ---

my $ready = copy_database('erp', 'ready');
my %drop = (
    'column subject of table auth.users is generated and stored' => 'ALTER TABLE auth.users DROP COLUMN subject CASCADE',
    'column cookie of table auth.sessions is generated and stored' => 'ALTER TABLE auth.sessions DROP COLUMN cookie',
    'column who of table erp.time_entries is generated and stored' => 'ALTER TABLE erp.time_entries DROP COLUMN who',
    'constraint one_unused_token of table auth.one_time_tokens, which is an exclusion constraint' =>
        'ALTER TABLE auth.one_time_tokens DROP CONSTRAINT one_unused_token',
    'materialized view erp.directory groups by a primary key' => 'DROP MATERIALIZED VIEW erp.directory',
    'materialized view erp.best_clerks reads a view that reads a migrated column, and is created again' =>
        'DROP MATERIALIZED VIEW erp.best_clerks',
    'rule handed_over on table erp.documents is for UPDATE' => 'ALTER TABLE erp.documents DISABLE RULE handed_over');
if ($version < 18)
{
    # There, such a foreign key cannot be NOT VALID. Once it is dropped, the columns have to be named.
    $drop{'foreign key replaced of the partitioned table erp.orders references a partitioned table'} =
        'ALTER TABLE erp.orders DROP CONSTRAINT replaced';
    $drop{'foreign key shipments_order_id_placed_region_fkey of the partitioned table erp.shipments references a partitioned table'} =
        'ALTER TABLE erp.shipments DROP CONSTRAINT shipments_order_id_placed_region_fkey';
    $arguments{'erp.orders'} = q{, also => '{erp.orders.replaces, shipments.order_id}'};
}
is_same([ map { s/ \(.*//r } keys %obstacles ], [ map { "online: $_" } keys %drop ], 'Some objects are obstacles online.');
is_same([ grep { !/ \(\w.*\.\)\z/ } keys %obstacles ], [], 'Each has a hint.');
like((psql($ready, q{SELECT uuidx_migrate.script('auth.users', 'id', 'online', conversion => 'v1_to_v6')}, 'erp_owner'))[2],
    qr/In the way are:\n(.*\n)*column subject of table auth\.users is generated and stored: Drop the column, /, 'They keep a script from being written.');
query($ready, join(";\n", values %drop), 'erp_owner');
# What was dropped with a column; and an UPDATE checks a constraint that is NOT VALID.
query($ready, 'CREATE VIEW erp.everybody AS SELECT u.*, auth.label(u) FROM auth.users AS u;
    UPDATE erp.employees SET manager_id = NULL WHERE manager_id = user_id;
    REFRESH MATERIALIZED VIEW erp.chart', 'erp_owner');
# A trigger changes updated_at in each row that the backfill updates.
my @except = ('updated_at');
($schema, $content, $joins) = (schema($ready), content($ready, @except), joins($ready));

# --- Online ---

my $online = copy_database('ready', 'online');
my $key_of_all_phases = 'erp.orders';
my @keys_run_again = ($key_of_all_phases, $ENV{UUIDX_LONG} ? 'erp.products' : ()); # They have a step of each kind.
my %saved;
for my $key (@keys)
{
    my @steps = script($online, $key, 'online');
    my $is_run_again = grep { $_ eq $key } @keys_run_again;
    my $from = 0;
    my $is_by_phase = $is_run_again || $key eq $keys[0];
    for my $to (grep { $_ == $#steps || $is_by_phase && $steps[$_]{phase} ne $steps[ $_ + 1 ]{phase} } 0 .. $#steps)
    {
        my $phase = "The script of $key runs up to its phase $steps[$to]{phase}";
        runs($online, "$phase.", @steps[ $from .. $to ]);
        if ($is_run_again)
        {
            runs($online, "$phase again, after all before it, from the top.", @steps[ 0 .. $to ]);
            run_script($online, $key, 'online') if $steps[$to]{phase} eq 'cutover';
        }
        $from = $to + 1;
        works($online, 1, 'before a cutover') if $key eq $keys[0] && $to < $#steps && $steps[$from]{phase} eq 'cutover';
    }
    is_deeply([ script($online, $key, 'online') ], [], "Nothing is left to do for $key.");
    $saved{$key} = \@steps;
}
is_same(content($online, @except), migrated_content($content),
    'Online, each row of each table and view is the conversion of what it was.');
is(joins($online), $joins, 'Online, each foreign key joins the same rows.');

my $undone = copy_database($online, 'undone');
run_script($undone, $_, 'online', $to_v1) for reverse @keys;
run_script($undone, $_, 'finish', $to_v1) for @keys;
is_same(schema($undone), $schema, 'Undone before the old columns are dropped, a dump is the first one, with the order of columns.');
is_same(content($undone, @except), $content, 'Undone before the old columns are dropped, each row is what it was.');

works($online, 6, 'after the cutover', qq{
    INSERT INTO auth.identities (user_id, provider, identity_data) VALUES (keys.uuid_v6_to_v1(:'me'), 'of version 1', '{}');
    INSERT INTO auth.flow_state (user_id, code) VALUES (keys.uuid_v6_to_v1(:'me'), 'of version 1');
    UPDATE erp.tasks SET assignee_id = keys.uuid_v6_to_v1(:'other') WHERE title = 'Task 1';
    SELECT 'converted', i.user_id = :'me', f.user_id = :'me', t.assignee_id = :'other'
    FROM auth.identities AS i, auth.flow_state AS f, erp.tasks AS t
    WHERE i.provider = 'of version 1' AND f.code = 'of version 1' AND t.title = 'Task 1';
}, "converted|t|t|t\n");
for my $key (@keys)
{
    runs($online, "The script of $key does nothing when it is run again.", @{ $saved{$key} });
    my @steps = script($online, $key, 'finish');
    runs($online, "The old columns of $key are dropped,", @steps);
    runs($online, 'and to drop them again does nothing.', @steps);
}
like((psql($online, join("\n", map { $_->{sql} } @{ $saved{$key_of_all_phases} }), 'erp_owner'))[2],
    qr/ERROR:  column "\w+" of table \S+ cannot be migrated as it stands\nDETAIL:  In the way are:\nconversion v1_to_v6 does not fit the UUIDs/,
    'After that, the saved script stops at its first step.');
is_same(sorted(schema($online), qr//), sorted(migrated_schema($schema), qr//),
    'Online, a dump differs in the defaults and the order of columns alone.');
is_same(content($online, @except), migrated_content($content),
    'Without the old columns, each row is the conversion of what it was.');
is(index_columns_of_other_names($online), '', q{The columns of indexes have the names of their table's columns.});
works($online, 6, 'without the old columns');
if ($ENV{UUIDX_LONG})
{
    for my $key (reverse @keys)
    {
        run_script($online, $key, 'online', $to_v1 . $old_default{$key});
        run_script($online, $key, 'finish', $to_v1);
    }
    query($online, $default_of_2026);
    is_same(sorted(schema($online), qr//), sorted($schema, qr//), 'Undone after that, a dump differs in the order of columns alone.');
    is_same(content($online, @except), $content, 'Undone after that, each row is what it was.');
    works($online, 1, 'after the undo');
}
is(query($online, 'SELECT count(*) FROM uuidx_migrate.progress'), '0', 'No progress is recorded any more.');

# --- The server or the session ends ---

my $key = $key_of_all_phases;
my ($reference, @steps, $moved_schema, $moved_content);

# Runs the steps up to this one, and ends the server or the session in the middle of the next or soon after.
sub killed
{
    my ($database, $n, $what) = @_;
    my ($input, $output) = ("SELECT 'session', pg_backend_pid();\n", '');
    $input .= $_->{sql} . "\n" for @steps[ 0 .. $n ];
    $input .= "\\echo step done\n";
    local $SIG{PIPE} = 'IGNORE';
    my $session = IPC::Run::start([ _psql($database, 'erp_owner') ], '<', \$input, '>&', \$output, IPC::Run::timer($PostgreSQL::Test::Utils::timeout_default));
    $session->pump until $output =~ /^step done$/m || !$session->pumpable;
    my ($pid) = $output =~ /^session\|(\d+)$/m;
    $input .= $steps[ $n + 1 ]{sql} . "\n" if $n < $#steps;
    $session->pump_nb;
    usleep(rand 20_000);
    if ($what eq 'server') { $node->stop('immediate'); }
    else { kill TERM => $pid; }
    eval { $session->finish };
    $node->start if $what eq 'server';
    $node->poll_query_until('postgres', "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '$database')");
    return $output =~ /^step done$/m;
}

# Without what is not refreshed yet, after the cutover.
sub rows { return [ grep { !/^erp\.chart\|/ } @{ $_[0] } ]; }

sub ends_right
{
    my ($n, $what) = @_;
    my $killed = copy_database('ready', 'killed');
    my $when = "The $what ends after step $n, of phase $steps[$n]{phase}";
    ok(killed($killed, $n, $what), "$when.");
    my $cut_over = query($killed, "SELECT keys.uuid_version(id) = 6 FROM $key LIMIT 1") eq 't';
    is_same(rows(content($killed, @except)), rows($cut_over ? $moved_content : $content),
        "$when: each row is what it was before the cutover or after it.");
    runs($killed, "$when: the script runs from the top.", @steps);
    run_script($killed, $key, 'finish');
    is_same(content($killed, @except), $moved_content, "$when: in the end, each row is right.");
    is_same(schema($killed), $moved_schema, "$when: in the end, the schema is right.");
}

if ($ENV{UUIDX_LONG})
{
    $reference = copy_database('ready', 'reference');
    @steps = script($reference, $key, 'online');
    runs($reference, 'A script runs as it was saved.', @steps);
    run_script($reference, $key, 'finish');
    ($moved_schema, $moved_content) = (schema($reference), content($reference, @except));
    cmp_ok(scalar @steps, '>=', 50, 'There are at least 50 steps.');
    ends_right($_, $_ % 2 ? 'server' : 'session') for 0 .. $#steps;
}

done_testing();
