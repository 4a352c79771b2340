package io.tailrace.http;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.db.Database;
import io.tailrace.db.Migrations;
import io.tailrace.http.ManagementClient.Reply;
import io.tailrace.testkit.RestartableServer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReadinessIT {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private static JsonObject entry(Reply reply, String name) {
        return reply.json().getJsonObject("checks").getJsonObject(name);
    }

    private static Reply until(ManagementClient client, String path, int status) {
        return await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> client.get(path), reply -> reply.status() == status);
    }

    @Test
    @DisplayName(
            "API-6 readyz says what is wrong while PostgreSQL is down and recovers by itself; startupz waits for migrations")
    void outage() {
        Vertx vertx = Vertx.vertx();
        try (RestartableServer server = RestartableServer.stopped()) {
            Database database = Database.open(vertx, server.config());
            try (ManagementFixture management =
                    new ManagementFixture(database, server.config(), ManagementFixture.TOKEN)) {
                ManagementClient client = management.client();
                assertDown(client, server);
                assertThat(client.get("/startupz").status()).isEqualTo(503);

                server.start();
                assertThat(entry(until(client, "/readyz", 200), "postgres"))
                        .isEqualTo(new JsonObject("{\"status\":\"ok\"}"));
                Migrations.migrate(server.config());
                until(client, "/startupz", 200);
                client.post("/admin/maintenance/runs", "{}");
                until(client, "/readyz", 200);

                server.stop();
                until(client, "/readyz", 503);
                assertDown(client, server);
                assertThat(client.get("/livez").status()).isEqualTo(200);
                assertThat(client.get("/startupz").status())
                        .as("started once, started")
                        .isEqualTo(200);
                Reply tenants = client.get("/admin/tenants");
                assertThat(tenants.status()).isEqualTo(503);
                assertThat(tenants.code()).isEqualTo("database_unavailable");

                server.start();
                until(client, "/readyz", 200);
                assertThat(client.get("/admin/tenants").status()).isEqualTo(200);
            }
            await(database.close());
        }
        await(vertx.close());
    }

    private static void assertDown(ManagementClient client, RestartableServer server) {
        Reply reply = client.get("/readyz");
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.json().getString("status")).isEqualTo("error");
        assertThat(entry(reply, "postgres").getString("status")).isEqualTo("error");
        assertThat(entry(reply, "postgres").getString("detail"))
                .isEqualTo("connection refused by 127.0.0.1:" + server.config().port());
    }
}
