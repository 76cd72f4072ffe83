// pgjdbc: uuidx in text and in binary. Clients.pm counts the lines ok and not ok, and wants a last one, done.

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.sql.*;
import java.time.OffsetDateTime;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.PGResultSetMetaData;
import org.postgresql.copy.CopyManager;

class JdbcTest {
    static final OffsetDateTime START = OffsetDateTime.parse("2026-01-01T00:00Z");
    static final int MINUTES = 10 * 24 * 60;

    static Connection connection;

    static void check(String what, Object got, Object expected) {
        boolean same = Objects.equals(got, expected);
        System.out.println((same ? "ok - " : "not ok - ") + what);
        if (!same) {
            String text = "# got " + got + ", expected " + expected;
            System.out.println(text.substring(0, Math.min(text.length(), 2000)));
        }
    }

    static OffsetDateTime at(long minute) {
        return START.plusMinutes(minute);
    }

    /** The rows of a statement, each the list of its columns. */
    static List<List<Object>> rows(PreparedStatement statement) throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                List<Object> row = new ArrayList<>();
                for (int n = 1; n <= result.getMetaData().getColumnCount(); n++) {
                    row.add(result.getObject(n));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    static List<List<Object>> rows(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int n = 0; n < parameters.length; n++) {
                statement.setObject(n + 1, parameters[n]);
            }
            return rows(statement);
        }
    }

    static Object value(String sql, Object... parameters) throws SQLException {
        return rows(sql, parameters).get(0).get(0);
    }

    static String sqlState(String sql, Object... parameters) {
        try {
            rows(sql, parameters);
            return null;
        } catch (SQLException error) {
            return error.getSQLState();
        }
    }

    static String period(OffsetDateTime since, OffsetDateTime until) {
        return "[" + (since == null ? "" : since) + "," + (until == null ? "" : until) + ")";
    }

    interface Binder {
        void bind(PreparedStatement statement, OffsetDateTime since, OffsetDateTime until)
            throws SQLException;
    }

    /** All periods by one prepared statement, whose plan is then generic. */
    static void periods(String period, String planned, Binder binder) throws SQLException {
        // The first five have plans of their own, and are large: then the generic plan is the cheaper one.
        // With the default prepareThreshold, four are before these.
        OffsetDateTime[][] periods = new OffsetDateTime[20][];
        for (int n = 0; n < 10; n++) {
            periods[n] = new OffsetDateTime[] {at(n % 5 * 1440), at(n % 5 * 1440 + 2880)};
        }
        periods[10] = new OffsetDateTime[] {at(100), at(200)};
        periods[11] = new OffsetDateTime[] {at(100).plusNanos(1000000), at(200).plusNanos(1000000)};
        periods[12] = new OffsetDateTime[] {at(100).minusNanos(1000000), at(200).minusNanos(1000000)};
        periods[13] = new OffsetDateTime[] {at(100), at(100)};
        periods[14] = new OffsetDateTime[] {at(100), at(100).plusNanos(1000000)};
        periods[15] = new OffsetDateTime[] {at(-100), at(0)};
        periods[16] = new OffsetDateTime[] {at(MINUTES - 1), at(MINUTES)};
        periods[17] = new OffsetDateTime[] {null, at(100)};
        periods[18] = new OffsetDateTime[] {at(MINUTES - 100), null};
        periods[19] = new OffsetDateTime[] {null, null};

        String sql = "SELECT minute FROM events WHERE uuid_v7_in(id, " + period + ") ORDER BY id";
        int right = 0;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (OffsetDateTime[] bounds : periods) {
                List<List<Object>> expected = new ArrayList<>();
                for (int n = 0; n < MINUTES; n++) {
                    if ((bounds[0] == null || !at(n).isBefore(bounds[0]))
                            && (bounds[1] == null || at(n).isBefore(bounds[1]))) {
                        expected.add(List.of(n));
                    }
                }
                binder.bind(statement, bounds[0], bounds[1]);
                right += rows(statement).equals(expected) ? 1 : 0;
            }
            check("periods as " + period, right, periods.length);

            List<List<Object>> prepared = rows("SELECT name, cardinality(parameter_types)"
                + " FROM pg_prepared_statements"
                + " WHERE generic_plans > 0 AND statement LIKE 'SELECT minute %'");
            check("    by a generic plan", prepared.size(), 1);
            String nulls = String.join(", ", Collections.nCopies((Integer) prepared.get(0).get(1), "NULL"));
            connection.createStatement().execute("SET plan_cache_mode = force_generic_plan");
            String condition = null;
            String name = "\"" + prepared.get(0).get(0) + "\"";
            for (List<Object> line : rows("EXPLAIN EXECUTE " + name + "(" + nulls + ")")) {
                String text = (String) line.get(0);
                if (text.contains("Cond: ") && condition == null) {
                    condition = text.replaceFirst(".*Cond: ", "");
                }
            }
            connection.createStatement().execute("RESET plan_cache_mode");
            check("    of the index", condition,
                "((id >= uuid_v7_lower(" + planned + ")) AND (id <= uuid_v7_upper(" + planned + ")))");
        }
        connection.createStatement().execute("DEALLOCATE ALL");
    }

    static void roundTrip(int format) throws SQLException {
        List<UUID> uuids = new ArrayList<>(List.of(new UUID(0, 0), new UUID(-1, -1)));
        for (int n = 0; n < 20; n++) {
            uuids.add(UUID.randomUUID());
        }
        String sql = "SELECT ?::uuid, uuid_decode(uuid_encode(?, 'urn'), 'urn'), ?::uuid::text";
        int right = 0;
        int asked = 0;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (UUID uuid : uuids) {
                for (int n = 1; n <= 3; n++) {
                    statement.setObject(n, uuid);
                }
                right += rows(statement).equals(List.of(List.of(uuid, uuid, uuid.toString()))) ? 1 : 0;
            }
            try (ResultSet result = statement.executeQuery()) {
                asked = result.getMetaData().unwrap(PGResultSetMetaData.class).getFormat(1);
            }
        }
        check("UUIDs there and back", right, uuids.size());
        check("    in the format that was asked for", asked, format);
    }

    static void madeKeys() throws SQLException {
        connection.createStatement().execute(
            "CREATE TEMP TABLE made (id uuid PRIMARY KEY DEFAULT uuid_generate_v7(), n int)");
        List<List<Object>> made = new ArrayList<>();
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO made (n) VALUES (?) RETURNING id")) {
            for (int n = 0; n < 20; n++) {
                insert.setInt(1, n);
                made.add(List.of(rows(insert).get(0).get(0), n));
            }
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO made (n) VALUES (?)", new String[] {"id"})) {
            for (int n = 20; n < 40; n++) {
                insert.setInt(1, n);
                insert.addBatch();
            }
            insert.executeBatch();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                while (keys.next()) {
                    made.add(List.of(keys.getObject(1, UUID.class), made.size()));
                }
            }
        }
        check("keys come back, one by one and of a batch, and increase",
            rows("SELECT id, n FROM made ORDER BY id"), made);
        List<List<Object>> sorted = new ArrayList<>(made);
        sorted.sort(Comparator.comparing(row -> (UUID) row.get(0)));
        check("    in Java, too", sorted, made);
    }

    static void copy() throws Exception {
        CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
        connection.createStatement().execute("CREATE TEMP TABLE copied (LIKE events)");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        copy.copyOut("COPY events TO STDOUT (FORMAT BINARY)", out);
        long count = copy.copyIn("COPY copied FROM STDIN (FORMAT BINARY)",
            new ByteArrayInputStream(out.toByteArray()));
        check("COPY in binary out and in", count, (long) MINUTES);
        check("    gives the same rows", rows("TABLE events EXCEPT TABLE copied").size(), 0);
        check("COPY of text", copy.copyIn("COPY made (n) FROM STDIN", new StringReader("101\n102\n")), 2L);
        check("    has the default's keys",
            value("SELECT array_agg(uuid_version(id) ORDER BY id)::text FROM made WHERE n > 100"), "{7,7}");
    }

    static void whatToMind() throws SQLException {
        check("an error of uuidx", sqlState("SELECT uuid_v1_to_v6(?)", UUID.randomUUID()), "22023");
        String count = "SELECT count(*) FROM events WHERE uuid_v7_in(id, ";
        check("a NULL period", value(count + "?)", (Object) null), 0L);
        check("bounds that are NULL", value(count + "tstzrange(?, ?))", null, null), (long) MINUTES);
        check("bounds that are infinite",
            value(count + "tstzrange(?, ?))", OffsetDateTime.MIN, OffsetDateTime.MAX), (long) MINUTES);
        check("the time of NULL", value("SELECT uuid_time(?)", (Object) null), null);
        check("a period as a String needs the cast", sqlState(count + "?)", "[2026-01-01,)"), "42883");
        UUID key = (UUID) value("SELECT id FROM events WHERE minute = 7");
        check("a UUID as a String, too", sqlState("SELECT uuid_time(?)", key.toString()), "42883");
        check("    and has it", value("SELECT uuid_time(?::uuid)", key.toString()),
            Timestamp.from(at(7).toInstant()));
        try (PreparedStatement statement = connection.prepareStatement("SELECT uuid_time(?)")) {
            statement.setObject(1, key.toString(), Types.OTHER);
            check("    or Types.OTHER", rows(statement).get(0).get(0), Timestamp.from(at(7).toInstant()));
        }
        for (String bound : List.of("uuid_v7_from", "uuid_v7_after", "uuid_v6_from", "uuid_v6_after")) {
            check(bound + " takes an OffsetDateTime", value("SELECT " + bound + "(?)", at(0)),
                value("SELECT " + bound + "('2026-01-01 00:00+00')"));
        }
        check("uuid_time(id) is compared with an OffsetDateTime",
            value("SELECT count(*) FROM events WHERE uuid_time(id) < ?", at(2)), 2L);
        check("TimeZone is the JVM's", value("SELECT current_setting('TimeZone')"), "Asia/Tokyo");
        check("    in which a LocalDateTime is", value(count + "tstzrange(?, ?))",
            at(540).toLocalDateTime(), at(542).toLocalDateTime()), 2L);
    }

    public static void main(String[] arguments) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
        String all = "SELECT id, uuid_time(id), uuid_version(id), uuid_v7_time_us(id), uuid_encode(id, 'ulid'),"
            + " (uuid_inspect(id)).* FROM events ORDER BY id";
        List<List<Object>> inText = null;
        // Text at first, and binary from the fifth execution on; binary from the first one; and text always.
        for (String options : List.of("binaryTransfer=false", "prepareThreshold=-1", "prepareThreshold=5")) {
            boolean text = options.equals("binaryTransfer=false");
            connection = DriverManager.getConnection("jdbc:postgresql:clients?" + options);
            System.out.println("# " + options);
            roundTrip(text ? 0 : 1);
            List<List<Object>> rows = rows(all);
            check("all rows", rows.size(), MINUTES);
            check("    have their times", rows.get(77).get(1), Timestamp.from(at(77).toInstant()));
            check("    and are as in text", rows, inText == null ? rows : inText);
            inText = rows;
            madeKeys();
            copy();
            whatToMind();
            connection.createStatement().execute("DEALLOCATE ALL");
            periods("tstzrange(?, ?)", "tstzrange($1, $2)", (statement, since, until) -> {
                statement.setObject(1, since, Types.TIMESTAMP_WITH_TIMEZONE);
                statement.setObject(2, until, Types.TIMESTAMP_WITH_TIMEZONE);
            });
            periods("?", "$1", (statement, since, until) ->
                statement.setObject(1, period(since, until), Types.OTHER));
            periods("?::tstzrange", "($1)::tstzrange", (statement, since, until) ->
                statement.setString(1, period(since, until)));
            connection.close();
        }

        UUID first = new UUID(0, 0);
        UUID key = UUID.fromString("c232ab00-9414-11ec-b3c8-9f6bdeced846");
        check("Java's order of version 1 is not the server's", key.compareTo(first) > 0, false);
        connection = DriverManager.getConnection("jdbc:postgresql:clients");
        for (int year : new int[] {6429, 6430}) {
            key = (UUID) value("SELECT uuid_generate_v7_at(make_timestamptz(?, 1, 1, 0, 0, 0))", year);
            check("    that of version 7 in " + year, key.compareTo(first) > 0, year == 6429);
        }
        for (int year : new int[] {3409, 3410}) {
            key = (UUID) value("SELECT uuid_generate_v6_at(make_timestamptz(?, 1, 1, 0, 0, 0))", year);
            check("    that of version 6 in " + year, key.compareTo(first) > 0, year == 3409);
        }
        System.out.println("done");
    }
}
