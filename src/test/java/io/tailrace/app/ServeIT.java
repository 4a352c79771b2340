package io.tailrace.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.RestartableServer;
import io.tailrace.testkit.ServiceProcess;
import io.tailrace.testkit.ServiceProcesses;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.testkit.TestKeys;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** `serve` as an operating-system process. */
class ServeIT {
    private static final int WRITERS = 8;
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    private static HttpRequest post(ServiceProcess service, String key, String path, String body) {
        return HttpRequest.newBuilder(URI.create(service.url() + path))
                .timeout(Duration.ofSeconds(40))
                .header("authorization", "Bearer " + key)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private static String batch(String id) {
        return """
                {"batch_id":"%s","parts":[{"bot_id":"7","chat_id":"1","ordering_key":"%s","method_kind":"sendMessage",
                 "payload_version":1,"payload":{"text":"Hello"},"delivery_policy":"create"}]}""".formatted(id, id);
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    @DisplayName("OPS-3 SIGTERM under load loses no acknowledged write and cuts no request")
    void sigtermUnderLoad() throws Exception {
        String key = TestKeys.all(db);
        ServiceProcess service = services.start(db.config());
        KeepAliveWriter.Ledger ledger = new KeepAliveWriter.Ledger();
        URI target = URI.create(service.url() + "/v1/outbox/batches");
        ExecutorService pool = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Future<Void>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                writers.add(pool.submit(
                        new KeepAliveWriter(target, key, number -> batch("sigterm:" + number), i, WRITERS, ledger)));
            }
            Awaitility.await("under load").atMost(Duration.ofSeconds(60)).until(() -> ledger.acknowledged.size() > 500);

            service.sigterm();
            assertThat(service.exitCode()).isEqualTo(143);
            for (Future<Void> writer : writers) {
                writer.get(TestDatabase.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }

        List<Integer> stored = db.query("SELECT batch_id FROM telegram_outbox WHERE batch_id LIKE 'sigterm:%'").stream()
                .map(row -> Integer.valueOf(String.valueOf(row.get("batch_id")).substring("sigterm:".length())))
                .toList();
        assertThat(stored).doesNotHaveDuplicates().containsAll(ledger.acknowledged);
        assertThat(ledger.otherAnswers).isEmpty();
        assertThat(ledger.cut).as("requests cut").isEmpty();
        assertThat(service.log()).contains("stopped").doesNotContain("not everything in time");
    }

    @Test
    @DisplayName("OPS-3 a claim that waits is answered when the service is told to stop")
    void sigtermEndsWaits() throws Exception {
        String key = TestKeys.all(db);
        ServiceProcess service = services.start(db.config());
        var waiting = HTTP.sendAsync(
                post(
                        service,
                        key,
                        "/v1/outbox/claims",
                        "{\"worker_id\":\"w\",\"bot_ids\":[\"404\"],\"wait_seconds\":30}"),
                HttpResponse.BodyHandlers.ofString());
        // Answered behind the claim on the same service, so the claim has arrived.
        assertThat(send(post(service, key, "/v1/outbox/claims", "{\"worker_id\":\"w\",\"bot_ids\":[\"404\"]}"))
                        .statusCode())
                .isEqualTo(200);

        service.sigterm();

        HttpResponse<String> answer = waiting.get(TestDatabase.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"items\":[]}");
        assertThat(service.exitCode()).isEqualTo(143);
    }

    @Test
    @DisplayName("API-6 the service starts while PostgreSQL is down, says so, and recovers by itself")
    void startsWithoutPostgres() throws Exception {
        try (RestartableServer postgres = RestartableServer.stopped()) {
            ServiceProcess service = services.launch(ServiceProcess.on(postgres.config()));
            service.awaitLog("http listens on");
            HttpResponse<String> early = ready(service);
            assertThat(early.statusCode()).isEqualTo(503);
            assertThat(early.body()).contains("\"postgres\"").contains("connection refused");
            assertThat(send(post(service, "tr_test_none_none", "/v1/outbox/batches", batch("early")))
                            .statusCode())
                    .isEqualTo(503);

            postgres.start();
            service.awaitReady();
            // Ready as soon as today's partitions are there; all well once the first maintenance run has ended.
            Awaitility.await("all well").until(() -> ready(service).body().startsWith("{\"status\":\"ok\""));

            postgres.stop();
            Awaitility.await("not ready").until(() -> service.readyStatus() == 503);
            postgres.start();
            service.awaitReady();
        }
    }

    @Test
    @DisplayName("CLI-1 a taken port ends the start with 1 and says which setting to change")
    void portTaken() {
        ServiceProcess first = services.start(db.config());
        ServiceProcess second = services.launch(ServiceProcess.on(db.config())
                .set("http.port", first.url().substring(first.url().lastIndexOf(':') + 1)));

        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.log()).contains("is taken or not ours; set http.host or http.port");
    }

    private static HttpResponse<String> ready(ServiceProcess service) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(service.managementUrl() + "/readyz"))
                .build());
    }
}
