package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.tenant.ApiKeys;
import io.tailrace.testkit.EventStreamClient;
import io.tailrace.testkit.ServiceProcess;
import io.tailrace.testkit.ServiceProcesses;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.testkit.TestKeys;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A conversation that is followed at one instance, written at two, and followed on at the other. */
class StreamIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    private static final int ACTIVITIES = 400;

    @Test
    @DisplayName(
            "ACT-7 a stream sees what two instances append, ends with its instance, and resumes at the other: none lost, none twice")
    void resumesElsewhere() throws Exception {
        ServiceProcess first = services.launch(ServiceProcess.on(db.config()));
        ServiceProcess second = services.start(db.config());
        first.awaitReady();
        String key = TestKeys.all(db);
        Api here = new Api(key, 0, first.url());
        Api there = new Api(key, 0, second.url());
        String conversation =
                Api.stored(here.post("/v1/conversations", new JsonObject())).getString("id");
        String stream = "/v1/conversations/" + conversation + "/stream";
        long seen;
        try (EventStreamClient client = EventStreamClient.open(first.url() + stream, key, null);
                Crowd crowd = new Crowd()) {
            crowd.add(() -> write(here, conversation, "a"));
            crowd.add(() -> write(there, conversation, "b"));
            seen = 0;
            while (seen < ACTIVITIES) {
                seen = next(client, seen);
            }
            crowd.join();
        }
        try (EventStreamClient client = EventStreamClient.open(first.url() + stream, key, Long.toString(seen))) {
            // Told by NOTIFY or found at the next look: from the other instance alone.
            append(there, conversation, "alone");
            seen = next(client, seen);
            first.sigterm();
            EventStreamClient.Event end = client.next();
            assertThat(end.event()).isEqualTo("end");
            assertThat(new JsonObject(end.data()).getString("code")).isEqualTo("overloaded");
            assertThat(client.next().event()).isEqualTo("closed");
        }
        assertThat(first.exitCode()).isIn(0, 143);
        assertThat(first.log()).doesNotContain("not everything in time");
        append(there, conversation, "meanwhile");
        try (EventStreamClient client = EventStreamClient.open(second.url() + stream, key, Long.toString(seen))) {
            seen = next(client, seen);
            append(there, conversation, "after");
            next(client, seen);
            revoke(key);
            EventStreamClient.Event end = client.next(Duration.ofSeconds(8));
            assertThat(new JsonObject(end.data()).getString("code")).isEqualTo("unauthorized");
        }
    }

    private static long next(EventStreamClient client, long seen) {
        EventStreamClient.Event event = client.next();
        assertThat(event.event()).as(event.data()).isEqualTo("message");
        assertThat(event.id()).isEqualTo(Long.toString(seen + 1));
        return seen + 1;
    }

    private static Void write(Api api, String conversation, String writer) throws IOException {
        for (int n = 0; n < ACTIVITIES / 2; n++) {
            append(api, conversation, writer + n);
        }
        return null;
    }

    private static void append(Api api, String conversation, String text) throws IOException {
        Api.stored(api.post(
                "/v1/conversations/" + conversation + "/activities",
                new JsonObject().put("type", "message").put("sender", "s").put("text", text)));
    }

    /** As another instance would. */
    private static void revoke(String key) {
        TestDatabase.await(new ApiKeys(db.database(), "test").revoke(key.split("_", -1)[2]));
    }
}
