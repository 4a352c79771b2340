package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.EventStreamClient;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ConversationStreamIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static final int MOST = 3;
    /** Activities of 100 KB: far more than sockets hold. */
    private static final int SLOW = 400;

    private static LogFixture log;

    @BeforeAll
    static void open() {
        log = new LogFixture(DB, MOST);
    }

    @AfterAll
    static void close() {
        log.close();
    }

    private static long seq(EventStreamClient.Event event) {
        JsonObject activity = new JsonObject(event.data());
        assertThat(event.event()).as(event.data()).isEqualTo("message");
        assertThat(event.id()).isEqualTo(activity.getLong("seq").toString());
        return activity.getLong("seq");
    }

    private static String append(String conversation, int n) {
        return log.append(conversation, LogFixture.message("m" + n)).json().getString("id");
    }

    @Test
    @DisplayName("ACT-7 a stream has what is there and what comes, in order, and resumes after the last event it gave")
    void resumes() {
        String conversation = log.conversation();
        for (int n = 1; n <= 120; n++) {
            append(conversation, n);
        }
        try (EventStreamClient stream = log.follow(conversation, EdgeFixture.KEY, null)) {
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.header("content-type")).isEqualTo("text/event-stream");
            for (int n = 1; n <= 120; n++) {
                assertThat(seq(stream.next())).isEqualTo(n);
            }
            append(conversation, 121);
            assertThat(seq(stream.next())).isEqualTo(121);
        }
        append(conversation, 122);
        try (EventStreamClient stream = log.follow(conversation, EdgeFixture.KEY, "120")) {
            assertThat(seq(stream.next())).isEqualTo(121);
            EventStreamClient.Event event = stream.next();
            assertThat(seq(event)).isEqualTo(122);
            assertThat(new JsonObject(event.data()))
                    .isEqualTo(log.page(conversation, "?after=121")
                            .getJsonArray("items")
                            .getJsonObject(0));
        }
        try (EventStreamClient stream =
                EventStreamClient.open(log.url(conversation) + "?after=121", EdgeFixture.KEY, null)) {
            assertThat(seq(stream.next())).isEqualTo(122);
        }
    }

    @Test
    @DisplayName("ACT-7 what was appended with no nudge at all is seen at the next look, also behind a hole")
    void looks() {
        String conversation = log.conversation();
        try (EventStreamClient stream = log.follow(conversation, EdgeFixture.KEY, null)) {
            insertedByNobody(conversation, 1);
            assertThat(seq(stream.next())).isEqualTo(1);
            insertedByNobody(conversation, 3);
            assertThat(seq(stream.next())).isEqualTo(3);
        }
    }

    /** So that neither an append's nudge nor a notification tells of it. */
    private static void insertedByNobody(String conversation, int seq) {
        DB.execute("""
                INSERT INTO activities (id, tenant_id, conversation_id, seq, type, sender, attachments, metadata, inserted_at, updated_at)
                SELECT tailrace.uuid_v7(n.at), c.tenant_id, c.id, ?, 'message', 's', '[]', '{}', n.at, n.at
                  FROM conversations c, (SELECT tailrace_now() AS at) n WHERE c.id = ?::uuid""", seq, conversation);
        DB.execute("UPDATE conversations SET last_seq = ? WHERE id = ?::uuid", seq, conversation);
    }

    @Test
    @DisplayName("ACT-7 a stream ends when its conversation is deleted, and there is none of what is not there")
    void deleted() {
        String conversation = log.conversation();
        append(conversation, 1);
        try (EventStreamClient stream = log.follow(conversation, EdgeFixture.KEY, null)) {
            assertThat(seq(stream.next())).isEqualTo(1);
            log.edge
                    .call("DELETE", "/v1/conversations/" + conversation, new byte[0], null)
                    .send();
            EventStreamClient.Event end = stream.next();
            assertThat(end.event()).isEqualTo("end");
            assertThat(new JsonObject(end.data()).getString("code")).isEqualTo("not_found");
            assertThat(stream.next().event()).isEqualTo("closed");
        }
        assertThat(log.edge
                        .get("/v1/conversations/" + conversation + "/stream")
                        .send()
                        .code())
                .isEqualTo("not_found");
        String path = "/v1/conversations/" + log.conversation() + "/stream";
        assertThat(log.edge.get(path + "?after=-1").send().status()).isEqualTo(422);
        for (String id : List.of("x", "-1", "9223372036854775808")) {
            assertThat(log.edge.get(path).header("Last-Event-ID", id).send().code())
                    .isEqualTo("invalid_field");
        }
    }

    @Test
    @DisplayName("API-3 a stream ends within seconds when its key is revoked")
    void revoked() {
        log.edge.key("soon-gone", EdgeFixture.TENANT);
        String conversation = log.conversation();
        append(conversation, 1);
        try (EventStreamClient stream = log.follow(conversation, "soon-gone", null)) {
            assertThat(seq(stream.next())).isEqualTo(1);
            log.edge.callers.remove("soon-gone");
            EventStreamClient.Event end = stream.next();
            assertThat(end.event()).isEqualTo("end");
            assertThat(new JsonObject(end.data()).getString("code")).isEqualTo("unauthorized");
        }
    }

    @Test
    @DisplayName("ACT-6 so many streams and no more: 503, and a place is free again when one is closed")
    void bounded() {
        String conversation = log.conversation();
        List<EventStreamClient> open = new ArrayList<>();
        Awaitility.await().atMost(TestDatabase.PATIENCE).until(() -> {
            EventStreamClient stream = log.follow(conversation, EdgeFixture.KEY, null);
            open.add(stream);
            return stream.status() == 503;
        });
        EdgeFixture.Answer refused =
                log.edge.get("/v1/conversations/" + conversation + "/stream").send();
        assertThat(refused.code()).isEqualTo("overloaded");
        assertThat(refused.headers()).containsKey("retry-after");
        assertThat(open).hasSizeLessThanOrEqualTo(MOST + 1);
        open.forEach(EventStreamClient::close);
        Awaitility.await().atMost(TestDatabase.PATIENCE).until(() -> {
            try (EventStreamClient stream = log.follow(conversation, EdgeFixture.KEY, null)) {
                return stream.status() == 200;
            }
        });
    }

    @Test
    @DisplayName(
            "ACT-7 a client that does not read costs a few pages, gets everything once it does, and is cut off when it never does")
    void slowReader() throws IOException {
        String conversation = log.conversation();
        String text = "x".repeat(100_000);
        for (int n = 0; n < SLOW; n++) {
            log.append(conversation, LogFixture.message(text));
        }
        int before = log.pages.get();
        try (Socket slow = asking(conversation)) {
            Awaitility.await()
                    .atMost(TestDatabase.PATIENCE)
                    .during(Duration.ofSeconds(2))
                    .until(() -> log.pages.get() - before < SLOW / 50);
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(slow.getInputStream(), StandardCharsets.UTF_8));
            int seq = 0;
            while (seq < SLOW) {
                String line = lines.readLine();
                if (line.startsWith("id: ")) {
                    assertThat(line).isEqualTo("id: " + ++seq);
                }
            }
        }
        try (Socket never = asking(conversation)) {
            Awaitility.await().atMost(TestDatabase.PATIENCE).until(() -> log.streams() == 1);
            int reading = log.pages.get();
            Awaitility.await()
                    .atMost(TestDatabase.PATIENCE)
                    .during(Duration.ofSeconds(1))
                    .until(() -> log.pages.get() - reading < SLOW / 50);
            log.edge.nanosAhead.addAndGet(Duration.ofSeconds(61).toNanos());
            Awaitility.await().atMost(TestDatabase.PATIENCE).until(() -> log.streams() == 0);
            assertThat(never.isClosed()).isFalse();
        }
    }

    private static Socket asking(String conversation) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), log.edge.server.port());
        socket.setSoTimeout((int) TestDatabase.PATIENCE.toMillis());
        socket.getOutputStream()
                .write(("GET /v1/conversations/" + conversation
                                + "/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer " + EdgeFixture.KEY
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }
}
