package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.batch;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static io.tailrace.testkit.TestDatabase.awaitFailure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

class OutboxCallerTransactionIT {
    private static final String ENQUEUE = "SELECT tailrace.enqueue(tailrace.default_tenant(), ?::jsonb)";

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;

    @BeforeEach
    void open() {
        OutboxFixture.empty(db);
        fixture = new OutboxFixture(db);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private JsonObject enqueued(String json) {
        return new JsonObject(
                db.value(String.class, "SELECT (tailrace.enqueue(tailrace.default_tenant(), ?::jsonb))::text", json));
    }

    private static ServerErrorMessage refusal(Throwable thrown) {
        PSQLException cause = (PSQLException) Objects.requireNonNull(thrown.getCause());
        return Objects.requireNonNull(cause.getServerErrorMessage());
    }

    @Test
    @DisplayName("OUT-33 tailrace.enqueue stores a batch with its caller's commit, and answers as the service does")
    void commits() {
        JsonObject answer;
        try (RawTransaction caller = new RawTransaction(db)) {
            answer = new JsonObject(caller.text(
                    "SELECT (tailrace.enqueue(tailrace.default_tenant(), ?::jsonb))::text",
                    RawTransaction.json("job:42", "k1", "k2")));
            assertThat(fixture.claim(10)).isEmpty();
            caller.commit();
        }
        assertThat(answer.getString("batch_id")).isEqualTo("job:42");
        assertThat(answer.getInteger("stored_parts")).isEqualTo(2);
        JsonArray parts = answer.getJsonArray("parts");
        for (int i = 0; i < 2; i++) {
            JsonObject part = parts.getJsonObject(i);
            PartView view = fixture.view(PartId.parse(part.getString("id")).orElseThrow());
            assertThat(part.getInteger("part_index"))
                    .isEqualTo(view.partIndex())
                    .isEqualTo(i);
            assertThat(part.getString("operation_id")).isEqualTo(view.operationId());
            assertThat(part.getString("state")).isEqualTo("pending");
            assertThat(part.getBoolean("inserted")).isTrue();
            assertThat(part.getInstant("created_at")).isEqualTo(view.id().createdAt());
        }
        assertThat(parts.getJsonObject(0).getString("operation_id"))
                .isEqualTo("tgop:v1:ac308b1e45dca674ad035b92355ca9ca044784210b0ed7c64d89e3cfa88180df");
        assertThat(fixture.claimOne().batchId()).isEqualTo("job:42");
    }

    @Test
    @DisplayName("OUT-33 the caller's rollback takes the batch along, and so does one to a savepoint")
    void rollsBack() {
        try (RawTransaction caller = new RawTransaction(db)) {
            caller.enqueue("gone", "k1").rollback();
            caller.enqueue("kept", "k1")
                    .run("SAVEPOINT s")
                    .enqueue("undone", "k2")
                    .run("ROLLBACK TO s");
            caller.enqueue("kept too", "k2");
            caller.commit();
        }
        assertThat(db.query("SELECT batch_id FROM telegram_outbox ORDER BY id"))
                .extracting(row -> row.get("batch_id"))
                .containsExactly("kept", "kept too");
        assertThat(fixture.claim(10)).hasSize(2);
    }

    @Test
    @DisplayName("OUT-33 the Java call on a caller's connection commits and rolls back with the caller")
    void javaCall() {
        SqlConnection connection = await(db.database().service().getConnection());
        try {
            await(connection.query("BEGIN").execute());
            EnqueueResult result = await(fixture.outbox.enqueue(connection, DEFAULT_TENANT, batch("gone", part("k"))));
            assertThat(((EnqueueResult.Stored) result).anyInserted()).isTrue();
            await(connection.query("ROLLBACK").execute());
            assertThat(fixture.claim(1)).isEmpty();
            await(connection.query("BEGIN").execute());
            await(fixture.outbox.enqueue(connection, DEFAULT_TENANT, batch("kept", part("k"))));
            assertThat(fixture.claim(1)).isEmpty();
            await(connection.query("COMMIT").execute());
            assertThat(fixture.claimOne().batchId()).isEqualTo("kept");
            await(connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ").execute());
            assertThat(awaitFailure(fixture.outbox.enqueue(connection, DEFAULT_TENANT, batch("b", part("k")))))
                    .hasMessageContaining("READ COMMITTED");
            await(connection.query("ROLLBACK").execute());
        } finally {
            await(connection.close());
        }
    }

    @Test
    @DisplayName(
            "OUT-33 SQL, Java and the service are one implementation: each finds the other's batch, by the same rules")
    void sameRules() {
        enqueued(RawTransaction.json("b", "k"));
        assertThat(fixture.enqueue("b", part("k")).anyInserted()).isFalse();
        fixture.enqueue("b", part("k"), part("k"));
        JsonObject again = enqueued(RawTransaction.json("b", "k", "k", "k"));
        assertThat(again.getInteger("stored_parts")).isEqualTo(3);
        assertThat(again.getJsonArray("parts").stream().map(p -> ((JsonObject) p).getBoolean("inserted")))
                .containsExactly(false, false, true);
        IllegalStateException conflict = catchThrowableOfType(
                IllegalStateException.class, () -> db.execute(ENQUEUE, RawTransaction.json("b", "k", "other")));
        assertThat(refusal(conflict).getSQLState()).isEqualTo("23505");
        assertThat(refusal(conflict).getMessage()).isEqualTo("idempotency_conflict");
        assertThat(refusal(conflict).getDetail()).startsWith("/parts/1/ordering_key: ");
        Claim.Item bad = fixture.claimOne();
        fixture.settle(OutboxFixture.deadLetter(bad));
        JsonObject behind = enqueued(RawTransaction.json("b", "k", "k", "k", "k"));
        assertThat(behind.getJsonArray("parts").getJsonObject(3).getString("state"))
                .isEqualTo("cancelled");
    }

    static Stream<Arguments> unacceptable() {
        String part = RawTransaction.json("b", "k").replaceFirst(".*\\[", "").replaceFirst("]}$", "");
        return Stream.of(
                Arguments.of("", "null"),
                Arguments.of("", "[]"),
                Arguments.of("/batch_id", "{\"parts\":[" + part + "]}"),
                Arguments.of("/batch_id", "{\"batch_id\":\"\",\"parts\":[" + part + "]}"),
                Arguments.of("/batch_id", "{\"batch_id\":7,\"parts\":[" + part + "]}"),
                Arguments.of("/parts", "{\"batch_id\":\"b\"}"),
                Arguments.of("/parts", "{\"batch_id\":\"b\",\"parts\":[]}"),
                Arguments.of("/parts/0", "{\"batch_id\":\"b\",\"parts\":[7]}"),
                Arguments.of("/extra", "{\"batch_id\":\"b\",\"parts\":[" + part + "],\"extra\":1}"),
                Arguments.of(
                        "/parts/1/bot_id",
                        "{\"batch_id\":\"b\",\"parts\":[" + part + "," + without(part, "bot_id") + "]}"),
                Arguments.of("/parts/0/bot_id", one(part.replace("\"7\"", "\"\""))),
                Arguments.of("/parts/0/chat_id", one(part.replace("\"1001\"", "1.5"))),
                Arguments.of(
                        "/parts/0/payload", one(part.replaceFirst("\\{\"chat_id\":1001,\"text\":\"Hello\"}", "[]"))),
                Arguments.of("/parts/0/protected", one(part.replace("true", "\"yes\""))),
                Arguments.of("/parts/0/priority", one(part.replace("\"protected\":true", "\"priority\":32768"))),
                Arguments.of(
                        "/parts/0/delivery_policy",
                        one(part.replace("\"protected\":true", "\"delivery_policy\":\"once\""))),
                Arguments.of(
                        "/parts/0/expires_at",
                        one(part.replace("\"protected\":true", "\"expires_at\":\"2026-11-30T10:00:00\""))),
                Arguments.of(
                        "/parts/0/blob/sha256",
                        one(part.replace("\"protected\":true", "\"blob\":{\"sha256\":\"AB\"}"))));
    }

    private static String one(String part) {
        return "{\"batch_id\":\"b\",\"parts\":[" + part + "]}";
    }

    private static String without(String part, String member) {
        JsonObject copy = new JsonObject(part);
        copy.remove(member);
        return copy.encode();
    }

    @ParameterizedTest(name = "OUT-33 a batch that HTTP would refuse at \"{0}\" raises, and nothing is stored")
    @MethodSource("unacceptable")
    void refuses(String pointer, String json) {
        IllegalStateException thrown =
                catchThrowableOfType(IllegalStateException.class, () -> db.execute(ENQUEUE, json));
        assertThat(refusal(thrown).getSQLState()).isEqualTo("22023");
        assertThat(refusal(thrown).getMessage()).isEqualTo("invalid_field");
        assertThat(refusal(thrown).getDetail()).startsWith(pointer + ": ");
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isZero();
    }

    @Test
    @DisplayName("OUT-33 a caller's own search_path, time zone and planner settings change nothing")
    void foreignSession() {
        try (RawTransaction caller = new RawTransaction(db)) {
            caller.run("SET LOCAL search_path = pg_catalog")
                    .run("SET LOCAL timezone = 'America/New_York'")
                    .run("SET LOCAL plan_cache_mode = force_custom_plan");
            caller.enqueue("b", "k").enqueue("b", "k");
            caller.commit();
        }
        assertThat(fixture.enqueue("b", part("k")).anyInserted()).isFalse();
    }

    @Test
    @DisplayName("OUT-33 an unknown tenant is refused")
    void unknownTenant() {
        assertThatThrownBy(() -> db.execute(
                        "SELECT tailrace.enqueue(gen_random_uuid(), ?::jsonb)", RawTransaction.json("b", "k")))
                .hasMessageContaining("not_found");
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isZero();
    }

    @Test
    @DisplayName("OUT-33 a caller's batch and a service's on one key go out in id order, whoever commits when")
    void orderWithTheService() {
        Future<EnqueueResult> service;
        try (RawTransaction caller = new RawTransaction(db)) {
            caller.enqueue("first", "k").enqueue("second", "k");
            service = fixture.outbox.enqueue(DEFAULT_TENANT, batch("third", part("k")));
            caller.awaitWaiter();
            caller.enqueue("still before", "k");
            caller.commit();
        }
        await(service);
        for (String expected : new String[] {"first", "second", "still before", "third"}) {
            Claim.Item item = fixture.claimOne();
            assertThat(item.batchId()).isEqualTo(expected);
            fixture.deliver(item);
        }
    }
}
