package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.ServiceProcess;
import io.tailrace.testkit.ServiceProcesses;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One instance is in the middle of a detach, held up by a reader; then it is frozen or dies, and another goes on. */
class RemovalIT {
    private static final String OLD = "telegram_outbox_p2020_01_01";
    private static final String SESSION = "tailrace-daily-partition-removal";
    private static final Duration SOON = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeEach
    void anOldDay() {
        db.execute("DROP TABLE IF EXISTS " + OLD
                + "; DELETE FROM partition_removals; DELETE FROM telegram_outbox_inflight");
    }

    @AfterEach
    void noneLeft() {
        assertThat(db.number("SELECT count(*) FROM pg_inherits WHERE inhdetachpending"))
                .isZero();
    }

    private static void makeOldDay() {
        db.execute("CREATE TABLE " + OLD + " (LIKE telegram_outbox INCLUDING ALL, PRIMARY KEY (id));"
                + " ALTER TABLE telegram_outbox ATTACH PARTITION " + OLD
                + " FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00');"
                + " INSERT INTO telegram_outbox (id, created_at, tenant_id, operation_id, batch_id, part_index, bot_id, ordering_key,"
                + " method_kind, payload_version, original_payload, delivery_policy, protected, priority, available_at, state, updated_at)"
                + " SELECT n, '2020-01-01 12:00+00', tailrace.default_tenant(), 'op' || n, 'b' || n, 0, '7', 'k', 'sendMessage', 1, '{}',"
                + " 'create', false, 0, now(), 'delivered', now() FROM generate_series(1, 50) n");
    }

    private static long rows() {
        return db.number("SELECT count(*) FROM telegram_outbox WHERE created_at < '2020-02-01Z'");
    }

    private static boolean exists() {
        return db.value(Boolean.class, "SELECT to_regclass(?) IS NOT NULL", OLD);
    }

    private CompletableFuture<String> run(ServiceProcess service) {
        return http.sendAsync(
                        HttpRequest.newBuilder(URI.create(service.managementUrl() + "/admin/maintenance/runs"))
                                .header("authorization", "Bearer " + ServiceProcess.ADMIN_TOKEN)
                                .header("content-type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .thenApply(HttpResponse::body);
    }

    private JsonObject removalsOf(String body) {
        return new JsonObject(body)
                .getJsonArray("runs").stream()
                        .map(JsonObject.class::cast)
                        .filter(run -> run.getString("worker").equals("daily-partition-removal"))
                        .findFirst()
                        .orElseThrow();
    }

    private Connection reader() throws SQLException {
        Connection reader = db.connect();
        reader.setAutoCommit(false);
        try (Statement statement = reader.createStatement()) {
            statement.execute("SELECT count(*) FROM telegram_outbox");
        }
        return reader;
    }

    /** A run that waits, between the two transactions of a detach, for the reader. */
    private record Stuck(CompletableFuture<String> run, Connection reader) implements AutoCloseable {
        @Override
        public void close() throws SQLException {
            reader.close();
        }
    }

    /** A reader more than a second old keeps the detach from beginning (LIFE-6), so on a slow machine it is tried again. */
    private Stuck stuck(ServiceProcess service) throws Exception {
        for (int tries = 0; tries < 5; tries++) {
            Stuck stuck = new Stuck(run(service), reader());
            for (int looks = 0; looks < 60 && !stuck.run.isDone(); looks++) {
                boolean pending = db.number(
                                "SELECT count(*) FROM pg_inherits WHERE inhrelid = to_regclass(?) AND inhdetachpending",
                                OLD)
                        == 1;
                if (pending) {
                    return stuck;
                }
                db.query("SELECT pg_sleep(0.1)");
            }
            stuck.reader.rollback();
            stuck.close();
            stuck.run.get();
            if (!exists()) {
                makeOldDay();
            }
        }
        throw new AssertionError("no detach began beside a reader");
    }

    private static void endBackend() {
        db.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?", SESSION);
        Awaitility.await()
                .atMost(SOON)
                .until(() ->
                        db.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = ?", SESSION) == 0);
    }

    private ServiceProcess start() {
        return services.start(ServiceProcess.on(db.config())
                .set("partitions.check_every", "6 h")
                .set("partitions.blocker_wait", "1 s"));
    }

    @Test
    @DisplayName(
            "LIFE-5 an instance frozen in a detach, whose session ended, wakes after another's drop and removes nothing")
    void frozenThenDropped() throws Exception {
        ServiceProcess first = start();
        ServiceProcess second = start();
        makeOldDay();
        try (Stuck stuck = stuck(first)) {
            first.sigstop();
            assertThat(removalsOf(run(second).get()).getBoolean("another_runs")).isTrue();
            endBackend();
            stuck.reader.rollback();

            assertThat(run(second).get()).contains("\"dropped\":[\"" + OLD + "\"]");
            first.sigcont();

            assertThat(stuck.run.get()).doesNotContain("\"dropped\":[\"" + OLD);
        }
        assertThat(exists()).isFalse();
        assertThat(run(first).get()).contains("\"dropped\":[]");
        assertThat(first.isAlive()).isTrue();
    }

    @Test
    @DisplayName(
            "LIFE-5 an instance frozen in a detach wakes after another brought the period back and removes nothing")
    void frozenThenReattached() throws Exception {
        ServiceProcess first = start();
        ServiceProcess second = start();
        makeOldDay();
        try (Stuck stuck = stuck(first)) {
            first.sigstop();
            endBackend();
            stuck.reader.rollback();
            db.execute(
                    "INSERT INTO telegram_outbox_inflight (id, created_at, tenant_id, key_id, bot_id, part_index, priority,"
                            + " delivery_policy, turn, available_at, updated_at, retry_jitter_ms) VALUES (7, '2020-01-01 12:00+00',"
                            + " tailrace.default_tenant(), 1, '7', 0, 0, 'create', 'c', now(), now(), 0)");

            assertThat(run(second).get()).contains("\"reattached\":[\"" + OLD + "\"]");
            first.sigcont();

            assertThat(stuck.run.get()).doesNotContain("\"dropped\":[\"" + OLD);
        }
        assertThat(rows()).isEqualTo(50);
        assertThat(run(first).get()).contains("part in state pending: 1, the oldest has id 7");
        assertThat(rows()).isEqualTo(50);
        db.execute("DELETE FROM telegram_outbox_inflight");
        assertThat(run(first).get()).contains("\"dropped\":[\"" + OLD + "\"]");
    }

    @Test
    @DisplayName(
            "LIFE-5 kill -9 in a detach with a reader open: the future is made meanwhile, and the rows are gone one tick after the reader")
    void killed() throws Exception {
        ServiceProcess first = start();
        ServiceProcess second = start();
        makeOldDay();
        try (Stuck stuck = stuck(first)) {
            first.kill9();
            stuck.run.exceptionally(broken -> "").get();
            db.clock().advance(Duration.ofDays(1));
            run(second).get();
            assertThat(db.value(
                            Boolean.class,
                            "SELECT to_regclass('telegram_outbox_p' || to_char((tailrace_now() + interval '7 days')"
                                    + " AT TIME ZONE 'UTC', 'YYYY_MM_DD')) IS NOT NULL"))
                    .isTrue();
            stuck.reader.rollback();
        } finally {
            db.clock().reset();
        }
        // The dead instance's backend notices within seconds that nobody is there; then the lock is free.
        Awaitility.await().atMost(SOON).until(() -> {
            run(second).get();
            return !exists();
        });
    }
}
