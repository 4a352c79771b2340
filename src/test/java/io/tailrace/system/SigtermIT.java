package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.ServiceProcess;
import io.tailrace.testkit.ServiceProcesses;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.testkit.TestKeys;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.RegisterExtension;

class SigtermIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    private static final int WRITERS = 8;

    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    /** Requests that were written whole before the signal was sent, and got no answer. */
    private final AtomicInteger cut = new AtomicInteger();
    /** Requests that were written after it and met a closed connection: they were not carried out. */
    private final AtomicInteger tooLate = new AtomicInteger();

    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicLong signalled = new AtomicLong(Long.MAX_VALUE);

    @RepeatedTest(2)
    @DisplayName("OPS-3 SIGTERM under load loses no acknowledged write and cuts no request")
    void sigterm() throws Exception {
        ServiceProcess service = services.start(db.config());
        String key = TestKeys.all(db);
        int port = URI.create(service.url()).getPort();
        Set<String> before = stored();
        try (Crowd crowd = new Crowd()) {
            for (int w = 0; w < WRITERS; w++) {
                String writer = "w" + System.nanoTime() + ":" + w;
                crowd.add(() -> write(port, key, writer));
            }
            crowd.add(() -> wait(port, key));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> {
                        crowd.check();
                        return acknowledged.size() > 500;
                    });
            signalled.set(System.nanoTime());
            service.sigterm();
            crowd.join();
        }
        int exit = service.exitCode();
        Set<String> stored = stored();
        stored.removeAll(before);
        System.out.printf(
                "%d acknowledged, %d stored, %d cut, %d after the signal without an answer, %d refused%n",
                acknowledged.size(), stored.size(), cut.get(), tooLate.get(), refused.get());
        assertThat(exit).isIn(0, 143);
        assertThat(service.log()).contains("stopped").doesNotContain("not everything in time");
        assertThat(stored).containsAll(acknowledged);
        assertThat(cut.get()).as("requests cut").isZero();
    }

    /** Writes until the service is gone. */
    private Void write(int port, String key, String writer) throws IOException {
        int n = 0;
        while (true) {
            try (RawConnection connection = new RawConnection(port)) {
                while (!connection.isClosing()) {
                    String batchId = writer + ":" + n++;
                    JsonObject part = Api.part(writer, "create", new JsonObject().put("n", n));
                    connection.send(
                            key,
                            "/v1/outbox/batches",
                            Api.batch(batchId, List.of(part)).encode());
                    long sent = System.nanoTime();
                    int status = answer(connection);
                    if (status == 201) {
                        acknowledged.add(batchId);
                    } else if (status == 503) {
                        refused.incrementAndGet();
                    } else if (status == 0) {
                        (sent - signalled.get() < 0 ? cut : tooLate).incrementAndGet();
                        break;
                    } else {
                        throw new AssertionError("status " + status);
                    }
                }
            } catch (IOException e) {
                if (System.nanoTime() - signalled.get() < 0) {
                    throw e;
                }
                return null;
            }
        }
    }

    /** 0 also for a connection that is reset before the first byte of an answer. */
    private static int answer(RawConnection connection) throws IOException {
        try {
            return connection.status();
        } catch (java.net.SocketException e) {
            return 0;
        }
    }

    /** A long poll for a bot without parts: it waits when the signal comes, and is answered then. */
    private Void wait(int port, String key) throws IOException {
        try (RawConnection connection = new RawConnection(port)) {
            JsonObject claim = Api.claim("waiter", null, 1, 60, 30).put("bot_ids", List.of("nobody"));
            connection.send(key, "/v1/outbox/claims", claim.encode());
            if (answer(connection) != 200) {
                cut.incrementAndGet();
            }
        }
        return null;
    }

    private static Set<String> stored() {
        Set<String> stored = new HashSet<>();
        db.query("SELECT batch_id FROM telegram_outbox").forEach(row -> stored.add((String) row.get("batch_id")));
        return stored;
    }
}
