package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.testkit.TestDatabase;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CommandsIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Set<String> MONTHLY = Set.of("telegram_outbox_ledger", "activities", "deliveries");

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @RegisterExtension
    static final TestDatabase empty = TestDatabase.empty();

    @Test
    @DisplayName(
            "CLI-1 migrate brings an empty database up to date, makes the days ahead, and does nothing the second time")
    void migrate() throws IOException {
        Cli cli = Cli.on(empty.config());

        assertThat(cli.run("migrate", "--json")).as(cli.err()).isZero();
        JsonNode first = JSON.readTree(cli.out());
        assertThat(first.get("migrations").asInt()).isPositive();
        assertThat(first.get("tables")).hasSize(5).allSatisfy(table -> {
            boolean byMonth = MONTHLY.contains(table.get("table").asText());
            assertThat(table.get("created")).hasSize(byMonth ? 4 : 8);
            assertThat(table.get("days_ahead").asInt()).isBetween(byMonth ? 89 : 7, byMonth ? 123 : 7);
        });

        assertThat(cli.run("migrate")).isZero();
        assertThat(cli.out()).contains("The schema was up to date.").containsPattern("telegram_outbox +0 +7");
    }

    @Test
    @DisplayName("CLI-1 keys are made, listed and revoked; a secret is shown once")
    void keys() throws IOException {
        Cli cli = Cli.on(db.config());

        assertThat(cli.run("keys", "create", "ci", "--scope", "outbox", "--bot", "7", "--expires-in", "90 d", "--json"))
                .as(cli.err())
                .isZero();
        JsonNode made = JSON.readTree(cli.out());
        String key = made.get("key").asText();
        String keyId = made.get("key_id").asText();
        assertThat(key).startsWith("tr_live_" + keyId + "_");

        assertThat(cli.run("keys", "list")).isZero();
        assertThat(cli.out()).contains(keyId, "ci", "outbox").doesNotContain(key);
        assertThat(cli.run("keys", "revoke", keyId)).isZero();
        assertThat(cli.out()).isEqualTo("Revoked " + keyId + "." + System.lineSeparator());
        assertThat(cli.run("keys", "list", "--json")).isZero();
        assertThat(JSON.readTree(cli.out()).get("items"))
                .anySatisfy(
                        item -> assertThat(item.get("revoked_at").isTextual()).isTrue());
    }

    @Test
    @DisplayName("CLI-1 LIFE-9 partitions lists, says what a run would do, and removes only with --yes")
    void partitions() throws IOException {
        Cli cli = Cli.on(db.config());
        db.execute("CREATE TABLE telegram_outbox_p2001_01_01 (LIKE telegram_outbox INCLUDING ALL, PRIMARY KEY (id));"
                + " ALTER TABLE telegram_outbox ATTACH PARTITION telegram_outbox_p2001_01_01"
                + " FOR VALUES FROM ('2001-01-01 00:00+00') TO ('2001-01-02 00:00+00')");

        assertThat(cli.run("partitions", "list")).as(cli.err()).isZero();
        assertThat(cli.out())
                .containsPattern("telegram_outbox_p2001_01_01 +2001-01-01 +2001-01-02 +0 +\\d+ KiB +live +-");
        assertThat(cli.run("partitions", "run", "--dry-run", "--json")).isZero();
        JsonNode preview = JSON.readTree(cli.out());
        assertThat(preview.get("removed")).hasSize(1);
        assertThat(preview.get("removed").get(0).get("action").asText()).isEqualTo("drop");
        assertThat(cli.run("partitions", "run")).isEqualTo(2);
        assertThat(cli.out()).contains("telegram_outbox_p2001_01_01");
        assertThat(cli.err()).contains("--yes");
        assertThat(db.value(Boolean.class, "SELECT to_regclass('telegram_outbox_p2001_01_01') IS NOT NULL"))
                .isTrue();

        assertThat(cli.run("partitions", "run", "--yes")).as(cli.err()).isZero();
        assertThat(cli.out()).contains("dropped telegram_outbox_p2001_01_01");
        assertThat(cli.run("partitions", "run")).isZero();
        assertThat(cli.out()).contains("Nothing to make and nothing to remove.");
        assertThat(cli.run("partitions", "list", "--json")).isZero();
        assertThat(JSON.readTree(cli.out()).get("tables")).hasSize(5);
    }

    @Test
    @DisplayName("CLI-1 doctor looks at a live database, and finds a default partition and a moved clock")
    void doctor() throws IOException {
        Cli cli = Cli.on(db.config());
        assertThat(cli.run("doctor", "--json")).as(cli.err()).isZero();
        assertThat(JSON.readTree(cli.out()).get("diagnoses"))
                .noneMatch(one -> one.get("severity").asText().equals("error"));
        db.execute("CREATE TABLE telegram_outbox_rest PARTITION OF telegram_outbox DEFAULT");
        try {
            assertThat(cli.run("doctor")).isZero();
            assertThat(cli.out()).containsPattern("warning +telegram_outbox_rest +is a DEFAULT partition");
        } finally {
            db.execute("DROP TABLE telegram_outbox_rest");
        }
        db.execute("ALTER FUNCTION tailrace_now() SET tailrace.clock_offset TO '2 days'");
        try {
            assertThat(cli.run("doctor")).isEqualTo(1);
            assertThat(cli.out()).contains("tailrace.clock_offset");
        } finally {
            db.clock().reset();
        }
    }

    @Test
    @DisplayName("CLI-1 what cannot be done exits with 1 and says why")
    void failures() {
        Cli cli = Cli.on(db.config());

        assertThat(cli.run("keys", "revoke", "absent")).isEqualTo(1);
        assertThat(cli.err()).contains("there is no key absent; see `tailrace keys list`");
        assertThat(cli.run("keys", "list", "--set", "database.port=1")).isEqualTo(1);
        assertThat(cli.err().lines()).hasSize(1);
        assertThat(cli.err()).contains("PostgreSQL does not answer", "database.port");
        assertThat(cli.run("migrate", "--set", "database.port=1")).isEqualTo(1);
        assertThat(cli.err().lines()).hasSize(1);
        assertThat(cli.err()).contains("could not be brought up to date", "refused");
    }
}
