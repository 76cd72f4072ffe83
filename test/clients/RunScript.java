// Runs the script of an online migration by JDBC.

import java.sql.*;
import java.util.ArrayList;
import java.util.List;

class RunScript {
    public static void main(String[] arguments) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:postgresql:" + System.getenv("PGDATABASE"));
                Statement statement = connection.createStatement()) {
            List<String> script = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(System.getenv("SCRIPT"))) {
                while (rows.next()) {
                    script.add(rows.getString(1));
                }
            }
            for (String sql : script) {
                statement.execute(sql);
            }
        }
    }
}
