package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.http.ManagementClient.Reply;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AdminPartitionsIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private static ManagementFixture management;
    private static ManagementClient admin;

    @BeforeAll
    static void start() {
        management = new ManagementFixture(db.database(), db.config(), ManagementFixture.TOKEN);
        admin = management.client();
    }

    @AfterAll
    static void stop() {
        management.close();
    }

    @AfterEach
    void backToToday() {
        db.clock().reset();
    }

    private static JsonObject run() {
        Reply reply = admin.post("/admin/maintenance/runs", "{}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json().getJsonArray("runs").getJsonObject(0);
    }

    private static JsonObject readiness(Reply reply) {
        return reply.json().getJsonObject("checks").getJsonObject("daily_partition_maintenance");
    }

    @Test
    @DisplayName("LIFE-9 what a run would remove is shown with size and reasons, and a run on request removes it")
    void removals() {
        db.execute("CREATE TABLE telegram_outbox_p2001_01_01 (LIKE telegram_outbox INCLUDING ALL, PRIMARY KEY (id));"
                + " ALTER TABLE telegram_outbox ATTACH PARTITION telegram_outbox_p2001_01_01"
                + " FOR VALUES FROM ('2001-01-01 00:00+00') TO ('2001-01-02 00:00+00')");

        JsonObject preview = admin.get("/admin/partitions/removals").json();
        JsonObject run = admin.post("/admin/maintenance/runs", "{}")
                .json()
                .getJsonArray("runs")
                .getJsonObject(1);

        assertThat(preview.getJsonArray("removals")).hasSize(1);
        JsonObject removal = preview.getJsonArray("removals").getJsonObject(0);
        assertThat(removal.getString("partition")).isEqualTo("telegram_outbox_p2001_01_01");
        assertThat(removal.getString("action")).isEqualTo("drop");
        assertThat(removal.getString("to")).isEqualTo("2001-01-02T00:00:00.000000Z");
        assertThat(removal.getJsonArray("blocked_by")).isEmpty();
        assertThat(run.getString("worker")).isEqualTo("daily-partition-removal");
        assertThat(run.getJsonArray("tables").getJsonObject(0).getJsonArray("dropped"))
                .containsExactly("telegram_outbox_p2001_01_01");
    }

    @Test
    @DisplayName(
            "LIFE-8 a run on request says what it made, and readiness shows when it was and how far the future reaches")
    void runNow() {
        run();
        db.clock().advance(Duration.ofDays(1));
        JsonObject run = run();

        assertThat(run.getString("worker")).isEqualTo("daily-partition-maintenance");
        assertThat(run.getBoolean("ok")).isTrue();
        assertThat(run.getJsonArray("tables").getJsonObject(0).getJsonArray("created"))
                .hasSize(1);
        assertThat(run().getJsonArray("tables").getJsonObject(0).getJsonArray("created"))
                .isEmpty();
        JsonObject entry =
                await().until(() -> readiness(admin.get("/readyz")), shown -> "ok".equals(shown.getString("status")));
        assertThat(entry.getString("last_run")).matches("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z");
        JsonObject outbox = entry.getJsonObject("tables").getJsonObject("telegram_outbox");
        assertThat(outbox.getInteger("days_ahead")).isEqualTo(7);
        assertThat(outbox.getJsonArray("pending_detach")).isEmpty();
    }

    @Test
    @DisplayName("API-6 a missing current partition makes the instance unready, maintenance that is late does not")
    void currentMissing() {
        run();
        db.clock().advance(Duration.ofDays(3));
        Reply late = await().until(() -> admin.get("/readyz"), reply -> "stale"
                .equals(readiness(reply).getString("status")));
        assertThat(late.status()).isEqualTo(200);

        db.clock().advance(Duration.ofDays(60));
        Reply missing = await().until(() -> admin.get("/readyz"), reply -> reply.status() == 503);
        assertThat(readiness(missing).getString("status")).isEqualTo("error");
        assertThat(readiness(missing).getString("detail")).contains("no partition for the current time");

        run();
        await().until(() -> admin.get("/readyz").status() == 200);
    }

    @Test
    void partitionsAreListedWithTheirBounds() {
        run();
        Reply reply = admin.get("/admin/partitions");
        JsonObject outbox = reply.json().getJsonArray("tables").getJsonObject(0);
        JsonArray partitions = outbox.getJsonArray("partitions");

        assertThat(outbox.getString("table")).isEqualTo("telegram_outbox");
        assertThat(outbox.getString("period")).isEqualTo("day");
        assertThat(partitions).hasSizeGreaterThanOrEqualTo(8);
        JsonObject last = partitions.getJsonObject(partitions.size() - 1);
        assertThat(last.getString("name")).matches("telegram_outbox_p\\d{4}_\\d{2}_\\d{2}");
        assertThat(last.getString("from")).endsWith("T00:00:00.000000Z");
        assertThat(last.getString("state")).isEqualTo("future");
        assertThat(last.getLong("bytes")).isPositive();
    }

    @Test
    void aRunTakesNoOptions() {
        assertThat(admin.raw("POST", "/admin/maintenance/runs", null, "").status())
                .isEqualTo(200);
        Reply reply = admin.post("/admin/maintenance/runs", "{\"force\":true}");
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.pointer()).isEqualTo("/force");
    }
}
