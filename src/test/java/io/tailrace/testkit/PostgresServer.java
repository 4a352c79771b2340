package io.tailrace.testkit;

import io.tailrace.config.DatabaseConfig;
import io.tailrace.db.Migrations;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/**
 * The one PostgreSQL server of a test run, started when the first test asks for it.
 *
 * <p>In this order: the address in {@code TAILRACE_TEST_JDBC_URL} (with {@code TAILRACE_TEST_USER} and {@code
 * TAILRACE_TEST_PASSWORD}; the user needs CREATEDB); a container, when {@code -Dtailrace.test.testcontainers=true} asks
 * for one; otherwise an embedded server, whose version is that of the binaries on the classpath ({@code
 * -Dpostgres.version=15|16|17|18}).
 *
 * <p>Thread-safe. A database is cloned from a template that is migrated once.
 */
public final class PostgresServer {
    /** Not UTC, not a whole number of hours, no summer time: what depends on the session's zone shows. */
    static final String ZONE = "Asia/Kathmandu";

    private static @Nullable PostgresServer running;

    private final Address address;
    private final String prefix =
            "tailrace_test_" + UUID.randomUUID().toString().substring(0, 8);
    private @Nullable String template;
    private int clones;

    /** Where a server is; {@code database} is one that always exists. */
    record Address(String host, int port, String database, String user, String password) {
        DatabaseConfig named(String name) {
            return DatabaseConfig.at(host, port, name, user, password);
        }
    }

    private PostgresServer(Address address) {
        this.address = address;
    }

    /** The server, started at the first call. */
    public static synchronized PostgresServer get() {
        PostgresServer server = running;
        if (server == null) {
            server = new PostgresServer(start());
            running = server;
        }
        return server;
    }

    private static Address start() {
        String url = System.getenv("TAILRACE_TEST_JDBC_URL");
        if (url != null && !url.isBlank()) {
            return external(url);
        }
        // Its detection hangs for minutes beside an engine that cannot pull images, hence never by default.
        if (Boolean.getBoolean("tailrace.test.testcontainers")) {
            return ContainerServer.start();
        }
        return EmbeddedServer.start();
    }

    private static Address external(String url) {
        Properties parsed = Driver.parseURL(url, new Properties());
        if (parsed == null) {
            throw new IllegalArgumentException("TAILRACE_TEST_JDBC_URL is no PostgreSQL JDBC URL");
        }
        return new Address(
                parsed.getProperty("PGHOST", "localhost"),
                Integer.parseInt(parsed.getProperty("PGPORT", "5432")),
                parsed.getProperty("PGDBNAME", "postgres"),
                environment("TAILRACE_TEST_USER", "postgres"),
                environment("TAILRACE_TEST_PASSWORD", ""));
    }

    private static String environment(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null ? otherwise : value;
    }

    /** A fresh database with the schema and the partitions around today. */
    public DatabaseConfig cloneDatabase() {
        return create(migratedTemplate());
    }

    /** A fresh database with nothing in it, for tests of the migrations themselves. */
    public DatabaseConfig emptyDatabase() {
        return create("template0");
    }

    private synchronized DatabaseConfig create(String from) {
        clones++;
        String name = prefix + "_" + clones;
        execute(address.database(), "CREATE DATABASE " + name + " TEMPLATE " + from);
        // A template's settings are not cloned with it.
        execute(address.database(), "ALTER DATABASE " + name + " SET timezone = '" + ZONE + "'");
        return address.named(name);
    }

    /** Drops a database and whoever is still connected to it. */
    public void drop(DatabaseConfig database) {
        execute(address.database(), "DROP DATABASE IF EXISTS " + database.database() + " WITH (FORCE)");
    }

    private synchronized String migratedTemplate() {
        String ready = template;
        if (ready == null) {
            ready = prefix + "_template";
            execute(address.database(), "CREATE DATABASE " + ready);
            // On a server that is not ours nothing may stay behind; an embedded one is thrown away whole.
            String toDrop = ready;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> drop(address.named(toDrop)), "drop-template"));
            DatabaseConfig config = address.named(ready);
            Migrations.migrate(config);
            Partitions.ensure(config);
            // A clone has the days, not the memory of a run: its own worker has not run yet.
            execute(ready, "DELETE FROM worker_runs");
            template = ready;
        }
        return ready;
    }

    private void execute(String database, String sql) {
        try (Connection connection = connect(address.named(database));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /** Plain JDBC, in autocommit, in the odd zone; the caller closes it. */
    static Connection connect(DatabaseConfig config) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", config.user());
        properties.setProperty("password", config.password().reveal());
        properties.setProperty("ApplicationName", "tailrace-test");
        Connection connection = DriverManager.getConnection(config.jdbcUrl(), properties);
        try (Statement statement = connection.createStatement()) {
            // The driver has set the JVM's zone.
            statement.execute("SET timezone = '" + ZONE + "'");
        }
        return connection;
    }
}
