package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.RestartableServer;
import io.tailrace.testkit.ServiceProcess;
import io.tailrace.testkit.ServiceProcesses;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** F5: PostgreSQL itself goes away while a detach is half done. */
class RemovalOutageIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    @Test
    @DisplayName(
            "LIFE-5 F5 PostgreSQL stopped in a detach with a reader open: when it is back the hidden day goes for good, and the next one too")
    void stoppedInADetach() throws Exception {
        try (RestartableServer server = RestartableServer.stopped()) {
            server.start();
            ServiceProcess service = services.start(ServiceProcess.on(server.config())
                    .set("partitions.check_every", "6 h")
                    .set("partitions.blocker_wait", "10 s"));
            hideADay(server, service);

            server.stopImmediately();
            server.start();

            assertThat(number(server, "SELECT count(*) FROM pg_inherits WHERE inhdetachpending"))
                    .as("hidden, and its rows with it")
                    .isEqualTo(1);
            makeOldDay(server, "2020_01_02", "2020-01-02", "2020-01-03");
            service.awaitReady();
            // By itself, as a run that failed is tried again soon; or by the next tick, which is asked for here.
            Awaitility.await().atMost(SOON).until(() -> {
                run(service);
                return number(server, "SELECT count(*) FROM pg_class WHERE relname LIKE 'telegram_outbox_p2020%'") == 0;
            });
            assertThat(number(server, "SELECT count(*) FROM pg_inherits WHERE inhdetachpending"))
                    .isZero();
            assertThat(number(
                            server,
                            "SELECT count(*) FROM pg_class WHERE relname = 'telegram_outbox_p'"
                                    + " || to_char((now() + interval '7 days') AT TIME ZONE 'UTC', 'YYYY_MM_DD')"))
                    .isEqualTo(1);
            service.sigterm();
            service.exitCode();
        }
    }

    /** A reader over a second old keeps a detach from beginning (LIFE-6), so on a slow machine it is tried again. */
    private static void hideADay(RestartableServer server, ServiceProcess service) throws SQLException {
        for (int tries = 0; tries < 5; tries++) {
            if (number(server, "SELECT count(*) FROM pg_class WHERE relname = 'telegram_outbox_p2020_01_01'") == 0) {
                makeOldDay(server, "2020_01_01", "2020-01-01", "2020-01-02");
            }
            // Not closed when it worked: it ends with the server.
            Connection reader = DriverManager.getConnection(server.config().jdbcUrl(), user(server), password(server));
            reader.setAutoCommit(false);
            run(reader, "SELECT count(*) FROM telegram_outbox");
            run(service);
            for (int looks = 0; looks < 60; looks++) {
                if (number(server, "SELECT count(*) FROM pg_inherits WHERE inhdetachpending") == 1) {
                    return;
                }
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            }
            reader.close();
        }
        throw new AssertionError("no detach began beside a reader");
    }

    private static void makeOldDay(RestartableServer server, String name, String from, String to) throws SQLException {
        try (Connection connection =
                DriverManager.getConnection(server.config().jdbcUrl(), user(server), password(server))) {
            String table = "telegram_outbox_p" + name;
            run(connection, "CREATE TABLE " + table + " (LIKE telegram_outbox INCLUDING ALL, PRIMARY KEY (id))");
            run(
                    connection,
                    "ALTER TABLE telegram_outbox ATTACH PARTITION " + table + " FOR VALUES FROM ('" + from
                            + " 00:00+00') TO ('" + to + " 00:00+00')");
        }
    }

    private static String user(RestartableServer server) {
        return server.config().user();
    }

    private static String password(RestartableServer server) {
        return server.config().password().reveal();
    }

    private static void run(ServiceProcess service) {
        HTTP.sendAsync(
                HttpRequest.newBuilder(URI.create(service.managementUrl() + "/admin/maintenance/runs"))
                        .header("authorization", "Bearer " + ServiceProcess.ADMIN_TOKEN)
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{}"))
                        .build(),
                HttpResponse.BodyHandlers.discarding());
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(RestartableServer server, String sql) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(server.config().jdbcUrl(), user(server), password(server));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
