package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.db.Database;
import io.tailrace.tenant.ApiKeys;
import io.tailrace.tenant.KeyResult;
import io.tailrace.tenant.NewKey;
import io.tailrace.tenant.Scope;
import io.tailrace.tenant.Tenant;
import io.tailrace.testkit.RestartableServer;
import io.tailrace.testkit.ServiceProcess;
import io.tailrace.testkit.ServiceProcesses;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
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
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** F2: PostgreSQL goes away without a word while writers write, and comes back. */
class OutageIT {
    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    private static final int WRITERS = 4;
    private static final int ROUNDS = Faults.rounds(2, 20);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final Set<String> codes = new ConcurrentSkipListSet<>();

    @Test
    @DisplayName(
            "API-6 F2 PostgreSQL stopped under load: readyz says so, all acknowledged is stored, it recovers by itself")
    void outage() throws Exception {
        try (RestartableServer server = RestartableServer.stopped()) {
            server.start();
            ServiceProcess service = services.start(server.config());
            String key = key(server);
            try (Crowd crowd = new Crowd()) {
                for (int w = 0; w < WRITERS; w++) {
                    int writer = w;
                    crowd.add(() -> write(crowd, new Api(key, 0, service.url()), writer));
                }
                for (int round = 0; round < ROUNDS; round++) {
                    progress(crowd);
                    server.stopImmediately();
                    JsonObject report = until(service, 503);
                    assertThat(report.getString("status")).isEqualTo("error");
                    assertThat(report.getJsonObject("checks")
                                    .getJsonObject("postgres")
                                    .getString("detail"))
                            .contains("connection");
                    assertThat(get(service.managementUrl() + "/livez").statusCode())
                            .isEqualTo(200);
                    server.start();
                    until(service, 200);
                }
                progress(crowd);
                crowd.stopAndJoin();
            }
            Set<String> stored = stored(server);
            System.out.printf(
                    "%d outages: %d batches acknowledged, %d stored, refused meanwhile with %s%n",
                    ROUNDS, acknowledged.size(), stored.size(), codes);
            assertThat(stored).containsAll(acknowledged);
            assertThat(codes).isSubsetOf("database_unavailable", "outcome_unknown", "overloaded");
            service.sigterm();
            service.exitCode();
        }
    }

    /** Each batch once: what is refused or unknown stays so, and is not in the ledger. */
    private Void write(Crowd crowd, Api api, int writer) throws IOException {
        for (int n = 0; !crowd.stopped(); n++) {
            String batchId = "w" + writer + ":" + n;
            JsonObject part = Api.part("k" + writer, "create", new JsonObject().put("n", n));
            Api.Answer answer = api.post("/v1/outbox/batches", Api.batch(batchId, List.of(part)));
            if (answer.status() == 201) {
                acknowledged.add(batchId);
            } else {
                assertThat(answer.status()).as("%s", answer.body()).isEqualTo(503);
                codes.add(answer.body().getString("code"));
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            }
        }
        return null;
    }

    private void progress(Crowd crowd) {
        int before = acknowledged.size();
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    crowd.check();
                    return acknowledged.size() > before + 200;
                });
    }

    private static JsonObject until(ServiceProcess service, int status) {
        return Awaitility.await("readyz " + status)
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> get(service.managementUrl() + "/readyz"), answer -> answer.statusCode() == status)
                .report();
    }

    private static Ready get(String url) throws IOException {
        try {
            HttpResponse<String> response = HTTP.send(
                    HttpRequest.newBuilder(URI.create(url))
                            .timeout(Duration.ofSeconds(5))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            return new Ready(response.statusCode(), response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private record Ready(int statusCode, String body) {
        JsonObject report() {
            return new JsonObject(body);
        }
    }

    private static String key(RestartableServer server) {
        Vertx vertx = Vertx.vertx();
        Database database = Database.open(vertx, server.config());
        try {
            KeyResult made = TestDatabase.await(new ApiKeys(database, "test")
                    .create(Tenant.DEFAULT, new NewKey("outage", EnumSet.allOf(Scope.class), null, null)));
            return ((KeyResult.Created) made).key().reveal();
        } finally {
            TestDatabase.await(database.close());
            TestDatabase.await(vertx.close());
        }
    }

    private static Set<String> stored(RestartableServer server) throws SQLException {
        Set<String> stored = new HashSet<>();
        try (Connection connection = DriverManager.getConnection(server.config().jdbcUrl(), "postgres", "");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT batch_id FROM telegram_outbox")) {
            while (rows.next()) {
                assertThat(stored.add(rows.getString(1))).isTrue();
            }
        }
        return stored;
    }
}
