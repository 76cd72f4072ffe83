# A role that owns tables, or may create objects, cannot make another role run its code by way of a migration.

use strict;
use warnings;
use lib 'test/lib';
use Migrations;
use Test::More;

my $node = new_server('main');
set_trap($node);
my %back = (conversion => 'v6_to_v1', new_default => 'keys.uuid_generate_v1()');

# --- Open migrations of other roles ---
for my $role ('alice', 'bob')
{
    output_of($node, $role, qq{
        CREATE TABLE $role.accounts (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1());
        CREATE TABLE $role.entries (account_id uuid REFERENCES $role.accounts);
        INSERT INTO $role.accounts SELECT FROM generate_series(1, 20);
        INSERT INTO $role.entries SELECT id FROM $role.accounts});
}
# bob writes his script after each step of alice's.
my @steps = steps($node, 'alice', 'alice.accounts', mode => 'online');
cmp_ok(scalar @steps, '>', 10, 'A script has many steps.');
# The comment at the top has estimates of times.
my $of_bob = q{SELECT md5(string_agg(regexp_replace(sql, '^(--[^\n]*\n)+', ''), '; ' ORDER BY step)) FROM } . script_call('bob.accounts', mode => 'online');
my @written = (session($node, 'bob', $of_bob)->{output}, map { session($node, 'alice', $_); session($node, 'bob', $of_bob)->{output} } @steps);
is_deeply(\@written, [ ($written[0]) x (1 + @steps) ], q{No step changes the script of another owner's table.});
is($node->safe_psql('postgres', 'SELECT keys.uuid_version(id) FROM alice.accounts LIMIT 1'), '6', 'All of them ran.');

# --- The progress of a backfill ---
is($node->safe_psql('postgres', q{
        SELECT count(*) FROM pg_depend AS d JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid AND c.relkind IN ('r', 'p', 'S')
        WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'uuidx_migrate') AND d.deptype = 'e'}),
    '0', 'The extension has no table, in which a role could write rows about the tables of others.');
is(session($node, 'mallory', $_)->{state}, '42501', "A role may not: $_")
    for 'CREATE RULE planted AS ON SELECT TO uuidx_migrate.progress DO INSTEAD SELECT 1',
    'CREATE TABLE uuidx_migrate_steps.planted ()',
    q{CREATE FUNCTION uuidx_migrate_steps.shadow_name(text) RETURNS name LANGUAGE sql AS 'SELECT NULL::name'};
# mallory holds every lock that he can take in the schemas of the extension, the strongest first.
my $locks = $node->background_psql('postgres', extra_params => [ '--username', 'mallory' ]);
$locks->query_safe(q{
    BEGIN;
    DO $do$
    DECLARE
        lock text;
    BEGIN
        FOR lock IN SELECT format('LOCK TABLE %s IN %s MODE', c.oid::regclass, m)
                    FROM pg_class AS c, unnest('{ACCESS EXCLUSIVE,EXCLUSIVE,SHARE ROW EXCLUSIVE,SHARE,ROW EXCLUSIVE,ROW SHARE,ACCESS SHARE}'::text[]) AS m
                    WHERE c.relnamespace::regnamespace::text LIKE 'uuidx_migrate%' AND c.relkind IN ('r', 'p', 'v')
        LOOP
            BEGIN
                EXECUTE lock;
            EXCEPTION WHEN OTHERS THEN
                NULL;
            END;
        END LOOP;
    END
    $do$});
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation AND c.relname = 'progress'}), '>', 0,
    'He locks what shows progress,');
output_of($node, 'alice', q{
    CREATE TABLE alice.customers (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1());
    INSERT INTO alice.customers SELECT FROM generate_series(1, 20)});
output_of($node, 'alice', "SET statement_timeout = '120 s'; SELECT sql FROM " . script_call('alice.customers', mode => $_) . ' ORDER BY step \gexec')
    for 'online', 'finish';
is($node->safe_psql('postgres', 'SELECT keys.uuid_version(id) FROM alice.customers LIMIT 1'), '6', 'and a migration of alice goes on.');
$locks->quit;

# What mallory says of his own table, alice sees neither before nor after she gets it; and he says nothing of hers.
output_of($node, 'mallory', q{CREATE TABLE mallory.handed (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v6())});
my $shown = $node->background_psql('postgres', extra_params => [ '--username', 'mallory' ]);
$shown->query_safe(q{SELECT uuidx_migrate_steps.show_backfill('alice.customers', 10, 0, NULL, NULL)});
is(session($node, $_, 'SELECT relation FROM uuidx_migrate.progress')->{output}, '', "$_ sees nothing that mallory says of a table of hers.") for 'alice', 'dba';
$shown->query_safe(q{SELECT uuidx_migrate_steps.show_backfill('mallory.handed', 10, 0, NULL, NULL)});
is(session($node, 'alice', 'SELECT relation FROM uuidx_migrate.progress')->{output}, '', 'alice does not see the progress of his tables,');
is(session($node, 'dba', 'SELECT relation FROM uuidx_migrate.progress')->{output}, 'mallory.handed', 'but a superuser does.');
# Numbers with which nobody could compute fail for nobody.
$shown->query_safe(qq{SELECT uuidx_migrate_steps.show_backfill('mallory.handed', $_, -9223372036854775808, 9223372036854775807, '-infinity')}),
    is(session($node, 'dba', 'SELECT relation FROM uuidx_migrate.progress')->{output}, 'mallory.handed', 'With any number, too.')
    for '9223372036854775807', '-1';
$shown->quit;

# --- Names that would end a comment of a script ---
my $name = q{x
SELECT mallory.spring('name'); --};
my $q = quoted($name);
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE postgres TO mallory');
output_of($node, 'mallory', qq{
    CREATE SCHEMA $q;
    CREATE FUNCTION $q.uuid_generate_v1() RETURNS uuid LANGUAGE sql AS 'SELECT keys.uuid_generate_v1()';
    CREATE TABLE $q.$q ($q uuid PRIMARY KEY DEFAULT $q.uuid_generate_v1(), replaces uuid CONSTRAINT $q REFERENCES $q.$q, n int);
    INSERT INTO $q.$q SELECT FROM generate_series(1, 20);
    CREATE TRIGGER $q BEFORE UPDATE ON $q.$q FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()});
migrates($node, 'dba', "$q.$q", column => $name, mode => 'offline', trust_owners => 'true', 'A superuser migrates a table with names that have a line end,');
migrates($node, 'dba', "$q.$q", column => $name, mode => 'online', %back, trust_owners => 'true', 'and back online,');
migrates($node, 'dba', "$q.$q", column => $name, mode => 'finish', %back, trust_owners => 'true', 'and drops the old columns.');
is(sprung($node), '', 'No name becomes a statement.');

# --- Defaults whose constants run code when they are parsed ---
output_of($node, 'mallory', q{
    CREATE DOMAIN mallory.checked AS int CHECK (mallory.spring('constant'));
    CREATE TYPE mallory.pair AS (n mallory.checked);
    CREATE TYPE mallory.span AS RANGE (subtype = mallory.checked);
    CREATE FUNCTION mallory.pick(mallory.pair, uuid) RETURNS uuid LANGUAGE sql AS 'SELECT $2';
    CREATE FUNCTION mallory.pick(mallory.checked[], uuid) RETURNS uuid LANGUAGE sql AS 'SELECT $2';
    CREATE FUNCTION mallory.pick(mallory.span, uuid) RETURNS uuid LANGUAGE sql AS 'SELECT $2';
    CREATE TABLE mallory.composite (id uuid DEFAULT mallory.pick('(1)'::mallory.pair, keys.uuid_generate_v4()));
    CREATE TABLE mallory.arrayed (id uuid DEFAULT mallory.pick('{1}'::mallory.checked[], keys.uuid_generate_v4()));
    CREATE TABLE mallory.ranged (id uuid DEFAULT mallory.pick('[1,2]'::mallory.span, keys.uuid_generate_v4()));
    CREATE DOMAIN mallory.key AS uuid DEFAULT mallory.pick('(1)'::mallory.pair, keys.uuid_generate_v4())});
output_of($node, 'alice', 'CREATE TABLE alice.plain (id uuid DEFAULT keys.uuid_generate_v4())');
my $functions = q{'keys.uuid_generate_v4()'::regprocedure, 'keys.uuid_generate_v7()'::regprocedure};
is(output_of($node, 'dba', "SELECT object, statement IS NULL, obstacle IS NOT NULL FROM uuidx_migrate.default_plan($functions) ORDER BY object"),
    join("\n", 'table column alice.plain.id|f|f', 'table column mallory.arrayed.id|t|t', 'table column mallory.composite.id|t|t',
        'table column mallory.ranged.id|t|t', 'type mallory.key|t|t'),
    'Defaults with constants whose types run the code of another role are obstacles.');
is(output_of($node, 'dba', "SELECT uuidx_migrate.change_defaults($functions)"),
    'ALTER TABLE ONLY alice.plain ALTER COLUMN id SET DEFAULT keys.uuid_generate_v7()', 'The other defaults are changed.');
is(sprung($node), '', 'A change of defaults does not run the code of another role.');

# --- Overloads of the functions that scripts call ---
$node->safe_psql('postgres', 'GRANT CREATE ON SCHEMA keys, uuidx_migrate, uuidx_migrate_steps TO mallory');
output_of($node, 'mallory', q{
    DO $do$
    DECLARE
        function record;
        arguments text;
    BEGIN
        FOR function IN
            SELECT p.oid::regproc AS name, p.prokind, p.pronargs AS n, p.pronargdefaults AS defaults, p.provariadic <> 0 AS is_variadic,
                   p.proargnames AS names, string_to_array(oidvectortypes(p.proargtypes), ', ') AS types
            FROM pg_extension AS e
            JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
            JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
            WHERE e.extname IN ('uuidx', 'uuidx_migrate') AND p.pronargs > 0 AND p.prokind IN ('f', 'p') AND p.proname NOT IN ('script', 'plan')
        LOOP
            FOR arguments IN
                -- Another type in the place of some or all types
                SELECT string_agg(CASE mask >> (n - 1)::int & 1 WHEN 1 THEN other ELSE type END, ', ' ORDER BY n)
                FROM generate_series(1, (1 << least(function.n, 6)) - 1) AS mask, unnest(ARRAY['text', 'name', 'oid', 'int2vector']) AS other,
                     unnest(function.types) WITH ORDINALITY AS t (type, n)
                GROUP BY mask, other
                UNION
                -- Without the last arguments, which have defaults
                SELECT string_agg(concat_ws(' ', quote_ident(nullif(function.names[m], '')), function.types[m]), ', ' ORDER BY m)
                FROM generate_series(function.n - function.defaults, function.n - 1) AS n, generate_series(1, n) AS m GROUP BY n
                UNION
                -- With arguments that a VARIADIC one would take
                SELECT array_to_string(function.types[1:function.n - 1] || array_fill(rtrim(function.types[function.n], '[]'), ARRAY[n]), ', ')
                FROM generate_series(1, 4) AS n WHERE function.is_variadic
            LOOP
                BEGIN
                    EXECUTE format('CREATE %s %s(%s) %s LANGUAGE plpgsql AS $$BEGIN PERFORM mallory.spring(%L); RAISE EXCEPTION ''planted''; END$$',
                                   CASE function.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, function.name, arguments,
                                   CASE function.prokind WHEN 'f' THEN 'RETURNS text' END,
                                   'overload_of_' || split_part(function.name::text, '.', 2));
                EXCEPTION WHEN duplicate_function OR invalid_function_definition OR feature_not_supported THEN
                    NULL;
                END;
            END LOOP;
        END LOOP;
    END
    $do$});
my $overloads = q{FROM pg_proc WHERE proowner = 'mallory'::regrole AND pronamespace IN ('keys'::regnamespace, 'uuidx_migrate'::regnamespace, 'uuidx_migrate_steps'::regnamespace)};
cmp_ok($node->safe_psql('postgres', "SELECT count(*) $overloads"), '>', 200,
    'A role that may create functions in the schemas of the extensions overloads theirs.');
output_of($node, 'dba', 'CREATE TABLE public.visits (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), replaces uuid REFERENCES public.visits);
    INSERT INTO public.visits SELECT FROM generate_series(1, 20)');
migrates($node, 'dba', 'public.visits', mode => 'offline', 'A superuser migrates a table offline,');
migrates($node, 'dba', 'public.visits', mode => 'online', %back, 'and back online,');
migrates($node, 'dba', 'public.visits', mode => 'finish', %back, 'and drops the old columns.');
migrates($node, 'dba', 'public.visits', mode => 'online', conversion => 'to_v7', 'The keys get version 7.');
output_of($node, 'dba', q{INSERT INTO public.visits (id) VALUES ('5c146b14-3c52-11ee-be56-0242ac120002'); DELETE FROM public.visits WHERE replaces IS NULL});
is(sprung($node), '', 'No script calls an overload, and no trigger.');
$node->safe_psql('postgres', qq{REVOKE CREATE ON SCHEMA keys, uuidx_migrate, uuidx_migrate_steps FROM mallory;
    DO \$\$
    DECLARE
        planted regprocedure;
    BEGIN
        FOR planted IN SELECT oid $overloads LOOP
            EXECUTE format('DROP ROUTINE %s', planted);
        END LOOP;
    END
    \$\$});

# --- Names in the search_path that match better than functions of PostgreSQL, which take arguments of any type ---
my $bound = q{
    SELECT pg_describe_object(d.classid, d.objid, d.objsubid)
    FROM pg_depend AS d
    LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
    LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
    WHERE 'public'::regnamespace IN (p.pronamespace, o.oprnamespace) AND 'mallory'::regrole IN (p.proowner, o.oprowner)
      AND d.classid <> 'pg_operator'::regclass};
$node->safe_psql('postgres', 'GRANT CREATE, USAGE ON SCHEMA public TO mallory; GRANT USAGE ON SCHEMA public TO PUBLIC');
output_of($node, 'alice', q{
    CREATE TABLE alice.named (id uuid PRIMARY KEY DEFAULT keys.uuid_generate_v1(), n int,
        CHECK (format('%s', id) <> ''), CHECK (ARRAY[id] = ARRAY[id]));
    CREATE INDEX ON alice.named (array_append(ARRAY[id], id)) WHERE ARRAY[id] = ARRAY[id];
    CREATE STATISTICS alice.named_statistics ON (array_append(ARRAY[id], id)), n FROM alice.named;
    CREATE VIEW alice.named_view AS SELECT id, concat(id, n) FROM alice.named WHERE ARRAY[id] = ARRAY[id];
    CREATE MATERIALIZED VIEW alice.named_copy AS SELECT id, concat(id, n) FROM alice.named WHERE ARRAY[id] = ARRAY[id];
    CREATE FUNCTION alice.named_keys() RETURNS SETOF uuid LANGUAGE sql BEGIN ATOMIC SELECT id FROM alice.named WHERE format('%s', id) <> ''; END;
    CREATE POLICY named ON alice.named USING (format('%s', id) <> '');
    CREATE RULE named AS ON DELETE TO alice.named WHERE format('%s', old.id) = '' DO ALSO NOTHING;
    CREATE TRIGGER named AFTER INSERT OR UPDATE ON alice.named FOR EACH ROW WHEN (array_append(ARRAY[new.id], new.id) IS NULL)
        EXECUTE FUNCTION suppress_redundant_updates_trigger();
    INSERT INTO alice.named (n) SELECT generate_series(1, 20)});
output_of($node, 'mallory', q{
    CREATE FUNCTION public.format(text, uuid) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
        $$BEGIN PERFORM mallory.spring('format'); RETURN 'x'; END$$;
    CREATE FUNCTION public.concat(uuid, int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
        $$BEGIN PERFORM mallory.spring('concat'); RETURN 'x'; END$$;
    CREATE FUNCTION public.array_append(uuid[], uuid) RETURNS uuid[] LANGUAGE plpgsql IMMUTABLE AS
        $$BEGIN PERFORM mallory.spring('array_append'); RETURN $1; END$$;
    CREATE FUNCTION public.same(uuid[], uuid[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
        $$BEGIN PERFORM mallory.spring('same'); RETURN true; END$$;
    CREATE OPERATOR public.= (LEFTARG = uuid[], RIGHTARG = uuid[], FUNCTION = public.same)});
for my $role ('alice', 'dba')
{
    my %there = $role eq 'alice' ? () : (%back, trust_owners => 'true');
    my %again = $role eq 'alice' ? %back : (trust_owners => 'true');
    migrates($node, $role, 'alice.named', mode => 'offline', %there, "Dependents that call functions of PostgreSQL are made anew offline by $role,");
    is($node->safe_psql('postgres', $bound), '', 'and none is bound to what another role has planted;');
    migrates($node, $role, 'alice.named', mode => 'online', %again, 'online,');
    is($node->safe_psql('postgres', $bound), '', 'and none is bound to that either.');
    migrates($node, $role, 'alice.named', mode => 'finish', %again, 'The old columns are dropped.');
    migrates($node, $role, 'alice.named', %there, 'The table is migrated offline again.');
}
is(sprung($node), '', 'Nobody has executed what another role has planted.');

# --- The look-up of a key's text, as the owner of the referenced table ---
output_of($node, 'mallory', q{
    CREATE TABLE mallory.log (who text);
    CREATE FUNCTION mallory.later() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM mallory.spring('later'); RETURN NULL; END$$;
    CREATE CONSTRAINT TRIGGER later AFTER INSERT ON mallory.log DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION mallory.later();
    CREATE TYPE mallory.id AS ENUM ('11111111-1111-4111-8111-111111111111');
    CREATE FUNCTION mallory.to_text(mallory.id) RETURNS text LANGUAGE plpgsql AS
        $$BEGIN PERFORM mallory.spring('cast'); INSERT INTO mallory.log VALUES (current_user); PERFORM set_config('search_path', 'mallory', false); RETURN 'x'; END$$;
    CREATE CAST (mallory.id AS text) WITH FUNCTION mallory.to_text AS IMPLICIT;
    CREATE TABLE mallory.keys (id uuid PRIMARY KEY, id_shadow mallory.id, CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0));
    INSERT INTO mallory.keys VALUES ('11111111-1111-4111-8111-111111111111', '11111111-1111-4111-8111-111111111111');
    CREATE TRIGGER fill BEFORE INSERT ON mallory.keys FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_text('id', 'id_shadow', '36', 'uuid_to_text');
    GRANT SELECT, REFERENCES ON mallory.keys TO alice});
output_of($node, 'alice', q{
    CREATE TABLE alice.refers (id uuid REFERENCES mallory.keys, id_shadow text, CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0));
    CREATE TRIGGER fill BEFORE INSERT ON alice.refers FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_text('id', 'id_shadow', '36', 'text_to_uuid')});
my $run = session($node, 'alice', q{INSERT INTO alice.refers VALUES ('11111111-1111-4111-8111-111111111111'); SHOW search_path}, on_error_stop => 0);
is(sprung($node), '', 'It runs no cast of that role, whose triggers would wait for the end of the transaction.');
like($run->{output}, qr/^"\$user", public$/m, 'Nor is search_path another one.');

# --- Catalog entries without an expression ---
is(output_of($node, 'mallory', q{SELECT DISTINCT uuidx_migrate_steps.on_shadows(ev_qual, ev_class, '{}', '{}') IS NULL FROM pg_rewrite WHERE ev_qual::text = '<>'}), 't',
    'Anybody may pass the condition of a rule that has none.');

# --- References to a key that changes: tables that change meanwhile ---
my $confirmed = 'CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0';
my $reference = q{EXECUTE FUNCTION uuidx_migrate_steps.fill_reference('id', 'id_shadow', 'id', 'id_shadow', 'to_v7', 'pending_key', 'id')};
output_of($node, 'mallory', qq{
    CREATE TABLE mallory.owner_of_keys (id uuid PRIMARY KEY, id_shadow uuid, $confirmed));
    INSERT INTO mallory.owner_of_keys VALUES ('11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222');
    CREATE TABLE mallory.changers (id uuid, id_shadow uuid, n int, $confirmed AND 'mallory.owner_of_keys'::regclass IS NOT NULL));
    CREATE TRIGGER zzz_id_shadow BEFORE INSERT ON mallory.changers FOR EACH ROW $reference;
    CREATE FUNCTION mallory.change() RETURNS trigger LANGUAGE plpgsql AS
        \$\$BEGIN ALTER TABLE mallory.owner_of_keys ALTER id_shadow TYPE bigint USING 4242424242; RETURN new; END\$\$;
    CREATE TRIGGER change BEFORE INSERT ON mallory.changers FOR EACH ROW WHEN (new.n = 2) EXECUTE FUNCTION mallory.change()});
fails_with(session($node, 'mallory', q{INSERT INTO mallory.changers (id, n) SELECT '11111111-1111-4111-8111-111111111111', n FROM generate_series(1, 2) AS n}),
    '42804', qr/not of type uuid any more/, 'A number is not read as a UUID after a column of the key has become one in the same statement.');

output_of($node, 'bob', qq{
    CREATE TABLE bob.hidden (id uuid PRIMARY KEY, id_shadow uuid UNIQUE, $confirmed));
    INSERT INTO bob.hidden VALUES ('11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222');
    ALTER TABLE bob.hidden ENABLE ROW LEVEL SECURITY;
    GRANT SELECT, REFERENCES ON bob.hidden TO mallory});
output_of($node, 'mallory', qq{
    CREATE TABLE mallory.guesses (id uuid REFERENCES bob.hidden, id_shadow uuid, $confirmed AND 'bob.hidden'::regclass IS NOT NULL));
    CREATE TRIGGER zzz_id_shadow BEFORE INSERT ON mallory.guesses FOR EACH ROW $reference});
fails_with(session($node, 'mallory', q{INSERT INTO mallory.guesses VALUES ('11111111-1111-4111-8111-111111111111') RETURNING id_shadow}),
    '42501', qr/row security of table "hidden" is active for role "mallory"\nHINT:  It owns table "guesses", which references keys that it may not see\./,
    'Nobody looks up a key that row security may hide.');
is(output_of($node, 'dba', q{SELECT concat_ws(': ', o, h) FROM uuidx_migrate.plan('bob.hidden', 'id', 'online', 'to_v7', trust_owners => true, rows_without_time => 'epoch'), unnest(obstacles, hints) AS u (o, h)
        WHERE o ~ '^online: role'}),
    'online: role mallory, which owns table mallory.guesses, may not look up keys in table bob.hidden: Grant SELECT and REFERENCES on table bob.hidden to it, and have row security hide no rows from it.',
    'A plan says so.');
output_of($node, 'mallory', 'DROP TABLE mallory.guesses');

output_of($node, 'bob', qq{
    CREATE TABLE bob.keys (id uuid PRIMARY KEY, id_shadow uuid UNIQUE, $confirmed));
    CREATE TRIGGER reset AFTER INSERT ON bob.keys FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.reset('id', 'id_shadow');
    GRANT USAGE ON SCHEMA bob TO PUBLIC; GRANT SELECT, REFERENCES, INSERT ON bob.keys TO alice, mallory});
output_of($node, 'mallory', qq{
    CREATE SCHEMA lent; GRANT CREATE, USAGE ON SCHEMA lent TO PUBLIC;
    CREATE TABLE mallory.first (id uuid, id_shadow uuid, $confirmed AND 'bob.keys'::regclass IS NOT NULL));
    CREATE TRIGGER zzz_id_shadow BEFORE UPDATE ON mallory.first FOR EACH ROW $reference;
    CREATE FUNCTION mallory.at_update() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN PERFORM mallory.spring('view'); RETURN new; END\$\$;
    CREATE FUNCTION mallory.take_name() RETURNS void SECURITY DEFINER LANGUAGE plpgsql AS
        \$\$BEGIN ALTER SCHEMA lent RENAME TO lent_old; CREATE SCHEMA lent; GRANT USAGE ON SCHEMA lent TO PUBLIC;
            CREATE VIEW lent.notes AS SELECT gen_random_uuid() AS id, NULL::uuid AS id_shadow, n::tid AS ctid
                FROM unnest('{"(0,1)","(0,2)"}'::tid[]) AS n WHERE mallory.spring('view');
            CREATE TRIGGER own INSTEAD OF UPDATE ON lent.notes FOR EACH ROW EXECUTE FUNCTION mallory.at_update();
            GRANT ALL ON lent.notes TO PUBLIC; END\$\$;
    CREATE FUNCTION mallory.at_first() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN PERFORM mallory.take_name(); RETURN NULL; END\$\$;
    INSERT INTO mallory.first VALUES ('11111111-1111-4111-8111-111111111111');
    CREATE TRIGGER own BEFORE UPDATE ON mallory.first EXECUTE FUNCTION mallory.at_first()});
output_of($node, 'alice', qq{
    CREATE TABLE lent.notes (id uuid, id_shadow uuid, n int, $confirmed AND 'bob.keys'::regclass IS NOT NULL));
    CREATE TRIGGER zzz_id_shadow BEFORE INSERT OR UPDATE ON lent.notes FOR EACH ROW $reference});
is(session($node, 'mallory', q{INSERT INTO bob.keys VALUES ('11111111-1111-4111-8111-111111111111', gen_random_uuid())})->{state}, '', 'A key is inserted that two tables may reference.');
is($node->safe_psql('postgres', q{SELECT to_regnamespace('lent_old') IS NULL}), 't', 'No trigger of one of them runs, which could give the name of the other to a view.');
is(sprung($node), '', 'No view that took the name runs code as the owner of the table.');
output_of($node, 'mallory', 'DROP TABLE mallory.first');
output_of($node, 'alice', qq{
    CREATE FUNCTION alice.add_key() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN
        INSERT INTO bob.keys VALUES (new.id, gen_random_uuid()); IF new.n = 2 THEN PERFORM mallory.take_name(); END IF; RETURN NULL; END\$\$;
    CREATE TRIGGER add_key AFTER INSERT ON lent.notes FOR EACH ROW EXECUTE FUNCTION alice.add_key();
    CREATE TRIGGER refill AFTER INSERT ON lent.notes FOR EACH ROW ${\ ($reference =~ s/fill_reference/refill/r)}});
$node->safe_psql('postgres', q{ALTER TABLE bob.keys DISABLE TRIGGER reset});
output_of($node, 'alice', 'INSERT INTO lent.notes (id, n) SELECT gen_random_uuid(), n FROM generate_series(1, 2) AS n');
is(sprung($node), '', 'Nor does one that took it between two rows of a statement.');
is($node->safe_psql('postgres', 'SELECT count(*) FROM lent_old.notes JOIN bob.keys USING (id, id_shadow)'), '2', 'The table has the new keys.');

$node->stop;
done_testing();
