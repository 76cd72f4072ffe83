# Order and time: half a million version 7 UUIDs in one session, whatever happens between them, each
# greater than the one before it; a million in a loop, each on time. `scripts/test --long` makes ten times as many.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $many = $ENV{UUIDX_LONG} ? 1_000_000 : 100_000;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "shared_buffers = 512MB\nmax_wal_size = 4GB");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx');

# made.n is the order of generation: a sequence with no cache, drawn in the same row as the UUID.
my $session = q{
    CREATE UNLOGGED TABLE made (n bigint GENERATED ALWAYS AS IDENTITY, id uuid DEFAULT uuid_generate_v7());
    CREATE TABLE log (note text);
    CREATE FUNCTION log_one() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO made DEFAULT VALUES; RETURN NULL; END';
    CREATE TRIGGER log_one AFTER INSERT ON log FOR EACH ROW EXECUTE FUNCTION log_one();

    INSERT INTO made SELECT FROM generate_series(1, @many@);

    -- transactions that are rolled back, wholly and in part
    BEGIN;
    INSERT INTO made SELECT FROM generate_series(1, 1000);
    ROLLBACK;
    BEGIN;
    INSERT INTO made SELECT FROM generate_series(1, 1000);
    SAVEPOINT s;
    INSERT INTO made SELECT FROM generate_series(1, 1000);
    ROLLBACK TO s;
    INSERT INTO made SELECT FROM generate_series(1, 1000);
    RELEASE s;
    COMMIT;

    -- an anonymous block that catches errors
    DO $do$
    BEGIN
        FOR i IN 1..1000 LOOP
            BEGIN
                INSERT INTO made DEFAULT VALUES;
                IF i % 7 = 0 THEN
                    RAISE division_by_zero;
                END IF;
            EXCEPTION WHEN division_by_zero THEN
                INSERT INTO made DEFAULT VALUES;
            END;
        END LOOP;
    END
    $do$;

    -- a cursor, read in steps with other statements between them
    BEGIN;
    CREATE TABLE fetched (n bigint GENERATED ALWAYS AS IDENTITY, id uuid);
    DECLARE c CURSOR FOR SELECT uuid_generate_v7_batch(100000);
    DO $do$
    DECLARE
        c refcursor := 'c';
        u uuid;
    BEGIN
        FOR i IN 1..1000 LOOP
            FETCH c INTO u;
            INSERT INTO made (id) VALUES (u);
            INSERT INTO made DEFAULT VALUES;
        END LOOP;
    END
    $do$;
    COMMIT;

    -- COPY, a trigger, a prepared statement
    ALTER TABLE made ADD COLUMN filler int;
    COPY (SELECT n FROM generate_series(1, 100000) AS n) TO '@file@';
    COPY made (filler) FROM '@file@';
    INSERT INTO log SELECT 'a note' FROM generate_series(1, 1000);
    PREPARE one AS INSERT INTO made DEFAULT VALUES;
    EXECUTE one; EXECUTE one; EXECUTE one; EXECUTE one; EXECUTE one; EXECUTE one; EXECUTE one;

    -- the other methods, and shifts, which do not disturb it
    SET uuidx.v7_method = counter;
    INSERT INTO made SELECT FROM generate_series(1, @many@ / 2);
    SET uuidx.v7_method = monotonic_random;
    INSERT INTO made SELECT FROM generate_series(1, @many@ / 2);
    SELECT count(uuid_generate_v7(interval '1 day')) FROM generate_series(1, 1000);
    SELECT count(uuid_generate_v7_at(now() + interval '1 day')) FROM generate_series(1, 1000);
    RESET uuidx.v7_method;

    INSERT INTO made (id) SELECT * FROM uuid_generate_v7_batch(@many@);
    INSERT INTO made SELECT FROM generate_series(1, @many@);
    INSERT INTO made (id) SELECT uuid_generate_v7_batch(@many@);
};
my $file = $node->basedir . '/copy.txt';
$session =~ s/\@file\@/$file/g;
$session =~ s/\@many\@/$many/g;
$node->safe_psql('postgres', $session);
my ($made, $wrong) = split /\|/, $node->safe_psql('postgres', q{
    SELECT count(*), count(*) FILTER (WHERE id <= before)
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) AS o});
cmp_ok($made, '>', 5 * $many, "One session makes $made UUIDs");
is($wrong, 0, 'Each is greater than the one before');
is($node->safe_psql('postgres', 'SELECT count(*) FROM made WHERE uuid_version(id) <> 7'), 0,
    'All are of version 7');

# So does a batch, whose UUIDs share readings of the clock: none is behind the one before it by more
# than a millisecond of the time that the batch took, and the times are those of all that time.
my $batch = 5 * $many;
is($node->safe_psql('postgres', qq{
        SELECT clock_timestamp() AS before \\gset
        CREATE UNLOGGED TABLE batch AS
            SELECT id, n FROM uuid_generate_v7_batch($batch) WITH ORDINALITY AS b (id, n);
        SELECT count(*), count(DISTINCT date_trunc('milliseconds', uuid_time(id))) > $batch / 50000,
            bool_and(uuid_time(id) BETWEEN timestamptz :'before' - interval '1 ms' AND clock_timestamp())
        FROM batch}), "$batch|t|t", 'A batch is on time all the while that it is made');

# The time of a UUID is that of the clock around its call: to the microsecond where the fraction is
# in it, else to the millisecond.
for my $case (['precision', 'uuid_v7_time_us(id)', 'before'],
    ['counter', 'uuid_time(id)', q{date_trunc('milliseconds', before)}],
    ['monotonic_random', 'uuid_time(id)', q{date_trunc('milliseconds', before)}])
{
    my ($method, $time, $before) = @$case;
    my $worst = $node->safe_psql('postgres', qq{
        SET uuidx.v7_method = $method;
        SELECT extract(epoch FROM max(greatest($before - $time, $time - after))) * 1000
        FROM (SELECT clock_timestamp() AS before, uuid_generate_v7() AS id, clock_timestamp() AS after
              FROM generate_series(1, 10 * $many) OFFSET 0) AS m});
    note("at most $worst ms from the clock");
    cmp_ok($worst, '<', 1, "By method $method, each of many in a loop is within 1 ms of the clock");
}

$node->stop;
done_testing();
