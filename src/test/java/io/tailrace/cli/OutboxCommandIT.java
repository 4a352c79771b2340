package io.tailrace.cli;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.outbox.Claim;
import io.tailrace.outbox.Lease;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.outbox.Settlement;
import io.tailrace.tenant.Tenant;
import io.tailrace.testkit.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OutboxCommandIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SECRET = "what the chat gets";

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private final Cli cli = Cli.on(db.config());
    private Outbox outbox;

    @BeforeEach
    void open() {
        db.execute(
                "DELETE FROM telegram_outbox; DELETE FROM telegram_outbox_inflight; DELETE FROM telegram_outbox_attempts;"
                        + " DELETE FROM telegram_outbox_keys; DELETE FROM telegram_outbox_redrives");
        outbox = new Outbox(db.vertx(), db.database(), OutboxSettings.DEFAULT, new SimpleMeterRegistry());
    }

    @AfterEach
    void close() {
        await(outbox.stop());
    }

    /** A batch of one part, policy create. */
    private static void enqueue(String batch, String bot, String key) {
        db.query(
                "SELECT tailrace.enqueue(tailrace.default_tenant(), ?::jsonb)", """
                {"batch_id": "%s", "parts": [{"bot_id": "%s", "chat_id": "1", "ordering_key": "%s", "method_kind": "sendMessage",
                 "payload_version": 1, "payload": {"text": "%s"}, "delivery_policy": "create"}]}""".formatted(batch, bot, key, SECRET));
    }

    private Claim.Item claimed() {
        List<Claim.Item> items = await(
                outbox.claim(Tenant.DEFAULT, new Claim("w", null, 1, null, Duration.ofSeconds(90), Duration.ZERO)));
        assertThat(items).hasSize(1);
        return items.get(0);
    }

    private String ended(boolean dead) {
        Claim.Item item = claimed();
        Lease lease = new Lease(item.id(), item.leaseToken());
        await(outbox.start(Tenant.DEFAULT, List.of(lease)));
        Settlement.Failure why = new Settlement.Failure(dead ? "forbidden" : "timeout", "why", null);
        await(outbox.settle(
                Tenant.DEFAULT,
                List.of(dead ? new Settlement.DeadLetter(lease, why) : new Settlement.Ambiguous(lease, why))));
        return item.id().opaque();
    }

    private JsonNode json(String... arguments) throws IOException {
        assertThat(cli.run(arguments)).as(cli.err()).isZero();
        return JSON.readTree(cli.out());
    }

    private int count(String... arguments) throws IOException {
        return json(arguments).get("items").size();
    }

    @Test
    @DisplayName(
            "CLI-1 OUT-24 outbox list shows parts by state, bot, key and batch, page by page, without their contents")
    void list() throws IOException {
        enqueue("b1", "7", "chat:1");
        String dead = ended(true);
        enqueue("b2", "7", "chat:1");
        enqueue("b3", "8", "chat:1");
        enqueue("b4", "8", "chat:2");

        assertThat(cli.run("outbox", "list", "--state", "dead_letter"))
                .as(cli.err())
                .isZero();
        assertThat(cli.out())
                .containsPattern(dead + " +dead_letter +7 +chat:1 +b1 +0 +sendMessage +1 +\\S+ +forbidden")
                .doesNotContain("b2", SECRET);
        assertThat(count("outbox", "list", "--json")).isEqualTo(4);
        assertThat(count("outbox", "list", "--bot", "7", "--json")).isEqualTo(2);
        assertThat(count("outbox", "list", "--key", "chat:1", "--json")).isEqualTo(3);
        assertThat(count("outbox", "list", "--key", "chat:1", "--state", "pending", "--json"))
                .isEqualTo(2);
        assertThat(count("outbox", "list", "--key", "chat:1", "--state", "pending", "--bot", "8", "--json"))
                .isEqualTo(1);
        assertThat(count("outbox", "list", "--batch", "b3", "--json")).isEqualTo(1);
        assertThat(count("outbox", "list", "--batch", "b3", "--state", "pending", "--json"))
                .isEqualTo(1);
        assertThat(count("outbox", "list", "--batch", "b3", "--state", "dead_letter", "--json"))
                .isZero();

        JsonNode first = json("outbox", "list", "--key", "chat:1", "--limit", "2", "--json");
        JsonNode rest = json(
                "outbox",
                "list",
                "--key",
                "chat:1",
                "--limit",
                "2",
                "--json",
                "--cursor",
                first.get("next").asText());
        assertThat(first.get("items")).hasSize(2);
        assertThat(rest.get("items"))
                .singleElement()
                .satisfies(it -> assertThat(it.get("id").asText()).isEqualTo(dead));
        assertThat(cli.run("outbox", "list", "--cursor", first.get("next").asText()))
                .isEqualTo(2);
        assertThat(cli.run("outbox", "list", "--limit", "1")).isZero();
        assertThat(cli.err()).contains("--cursor ");
        assertThat(cli.run("outbox", "list", "--with-content")).isZero();
        assertThat(cli.out()).contains(SECRET);
    }

    @Test
    @DisplayName("CLI-1 OUT-24 outbox show tells all of a part and its attempts, its contents only when asked for")
    void show() throws IOException {
        enqueue("b1", "7", "chat:1");
        String dead = ended(true);

        assertThat(cli.run("outbox", "show", dead, "--attempts")).as(cli.err()).isZero();
        assertThat(cli.out())
                .containsPattern("state +dead_letter")
                .containsPattern("error +why")
                .containsPattern("1 +w +\\S+ +\\S+ +\\S+ +dead_letter")
                .doesNotContain(SECRET);
        assertThat(json("outbox", "show", dead, "--json").has("payload")).isFalse();
        assertThat(json("outbox", "show", dead, "--json", "--with-content")
                        .at("/payload/text")
                        .asText())
                .isEqualTo(SECRET);
        assertThat(json("outbox", "show", dead, "--json", "--attempts").get("attempts"))
                .hasSize(1);
        String absent = dead.substring(0, 20) + (dead.endsWith("Q") ? "Bg" : "BQ");
        assertThat(cli.run("outbox", "show", absent, dead)).isEqualTo(1);
        assertThat(cli.err()).contains(absent, "no such part");
        assertThat(cli.out()).contains(dead);
    }

    @Test
    @DisplayName("CLI-1 OUT-24 outbox retry answers each part for itself, and wants the risk of a duplicate accepted")
    void retry() throws IOException {
        enqueue("b1", "7", "chat:1");
        String dead = ended(true);
        enqueue("b2", "7", "chat:2");
        String ambiguous = ended(false);

        assertThat(cli.run("outbox", "retry", dead, ambiguous)).isEqualTo(1);
        assertThat(cli.out()).containsPattern(dead + " +pending +yes");
        assertThat(cli.err()).contains(ambiguous, "duplicate_risk", "--accept-duplicate-risk");
        assertThat(cli.run("outbox", "retry", ambiguous, "--json")).isEqualTo(1);
        assertThat(JSON.readTree(cli.out()).get("code").asText()).isEqualTo("duplicate_risk");
        assertThat(json("outbox", "retry", ambiguous, "--accept-duplicate-risk", "--json")
                        .get("state")
                        .asText())
                .isEqualTo("pending");
        assertThat(count("outbox", "list", "--state", "pending", "--json")).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "CLI-1 OUT-24 outbox cancel ends waiting parts once the word is typed or --yes is said, never a leased one")
    void cancel() throws IOException {
        enqueue("b1", "7", "chat:1");
        enqueue("b2", "7", "chat:2");
        List<String> ids = json("outbox", "list", "--json").findValuesAsText("id");

        assertThat(cli.run("outbox", "cancel", ids.get(0), "--dry-run")).isZero();
        assertThat(cli.out()).contains("b2");
        assertThat(cli.run("outbox", "cancel", ids.get(0))).isEqualTo(2);
        assertThat(cli.err()).contains("nothing was cancelled", "--yes");
        assertThat(cli.typing("yes\n").run("outbox", "cancel", ids.get(0))).isEqualTo(2);
        assertThat(cli.run("outbox", "cancel", ids.get(0), "--json")).isEqualTo(2);
        assertThat(count("outbox", "list", "--state", "pending", "--json")).isEqualTo(2);

        assertThat(cli.typing("cancel\n").run("outbox", "cancel", ids.get(0)))
                .as(cli.err())
                .isZero();
        assertThat(cli.out()).containsPattern(ids.get(0) + " +cancelled +yes");
        claimed();
        assertThat(cli.run("outbox", "cancel", "--yes", ids.get(1))).isEqualTo(1);
        assertThat(cli.err()).contains("leased", "a worker has it until");
        assertThat(json("outbox", "cancel", "--yes", "--json", ids.get(0))
                        .get("changed")
                        .asBoolean())
                .isFalse();
    }

    @Test
    @DisplayName(
            "OUT-32 outbox blocked names the part that holds a key and how many wait; stats counts; cancelling frees")
    void blockedAndStats() throws IOException {
        enqueue("b1", "7", "chat:1");
        enqueue("b2", "7", "chat:1");
        Claim.Item item = claimed();
        Lease lease = new Lease(item.id(), item.leaseToken());
        await(outbox.settle(
                Tenant.DEFAULT,
                List.of(new Settlement.Retry(
                        lease, Duration.ofMinutes(5), null, null, new Settlement.Failure("transient", null, 502)))));

        assertThat(cli.run("outbox", "blocked")).as(cli.err()).isZero();
        assertThat(cli.out())
                .containsPattern(item.id().opaque() + " +retry_wait +\\S+ +\\S+ +1 +7 +chat:1 +b1 +1 +transient");
        assertThat(count("outbox", "blocked", "--bot", "8", "--json")).isZero();
        assertThat(cli.run("outbox", "stats")).isZero();
        assertThat(cli.out()).containsPattern("retry_wait +1").contains("oldest claimable: none");
        assertThat(json("outbox", "stats", "--json").at("/depth/pending").asInt())
                .isEqualTo(1);

        assertThat(cli.run("outbox", "cancel", "--yes", item.id().opaque())).isZero();
        assertThat(count("outbox", "blocked", "--json")).isZero();
        assertThat(cli.run("outbox", "stats")).isZero();
        assertThat(cli.out()).containsPattern("oldest claimable: \\d+ s");
    }

    @Test
    @DisplayName("CLI-1 OUT-24 a bot is paused and resumed; a redrive is counted, ordered with --yes, and followed")
    void pauseAndRedrive() throws IOException {
        assertThat(json("outbox", "pause", "7", "--json").get("paused").asBoolean())
                .isTrue();
        assertThat(cli.run("outbox", "stats")).isZero();
        assertThat(cli.out()).containsPattern("7 +operator +resumed");
        assertThat(cli.run("outbox", "resume", "7")).isZero();
        assertThat(cli.out()).contains("Bot 7 is not paused.");

        enqueue("b1", "7", "chat:1");
        ended(true);
        assertThat(cli.run("outbox", "redrive", "--state", "dead_letter")).isEqualTo(2);
        assertThat(cli.err()).contains("--yes");
        assertThat(json("outbox", "redrive", "--state", "dead_letter", "--dry-run", "--json")
                        .get("matched")
                        .asInt())
                .isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_redrives")).isZero();
        String order = json("outbox", "redrive", "--state", "dead_letter", "--yes", "--json")
                .get("redrive_id")
                .asText();
        assertThat(json("outbox", "redrive", "--progress", order, "--json")
                        .get("status")
                        .asText())
                .isEqualTo("running");
        assertThat(cli.run("outbox", "redrive", "--progress", UUID.randomUUID().toString()))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("CLI-1 a tenant that is not there, and a database that does not answer, are said to be so")
    void tenants() throws IOException {
        enqueue("b1", "7", "chat:1");
        UUID other = UUID.randomUUID();
        assertThat(cli.run("outbox", "list", "--tenant", other.toString())).isEqualTo(1);
        assertThat(cli.err()).contains("there is no tenant " + other);
        assertThat(cli.run("outbox", "stats", "--set", "database.port=1")).isEqualTo(1);
        assertThat(cli.err()).contains("PostgreSQL does not answer", "database.port");
    }
}
