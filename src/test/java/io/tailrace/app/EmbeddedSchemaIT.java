package io.tailrace.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.bus.BusProblem;
import io.tailrace.bus.OutboxAddresses;
import io.tailrace.db.Migrations;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A host that leaves the schema to somebody else. */
class EmbeddedSchemaIT {
    private static final Duration START = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestDatabase DB = TestDatabase.empty();

    @Test
    @DisplayName(
            "BUS-2 without the right to migrate it waits for the schema, answers database_unavailable until then, and makes no table")
    void withoutMigration() {
        try (HostApplication host = new HostApplication()) {
            EmbeddingOptions options =
                    EmbeddingOptions.of(HostApplication.settings(DB.config())).withoutMigration();
            EmbeddedTailrace tailrace = TestDatabase.await(EmbeddedTailrace.deploy(host.vertx, options), START);
            // Whether it has looked at the database yet or not.
            Future<Void> ready = tailrace.ready();
            Awaitility.await("database_unavailable, again and again")
                    .during(Duration.ofMillis(1_500))
                    .until(() -> code(host).equals("database_unavailable"));
            assertThat(ready.isComplete()).isFalse();
            assertThat(DB.number("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"))
                    .isZero();

            Migrations.migrate(DB.config());
            TestDatabase.await(ready, START);
            assertThat(host.ask(OutboxAddresses.ENQUEUE, HostApplication.batch("migrated"))
                            .headers()
                            .get(OutboxAddresses.STATUS_HEADER))
                    .isEqualTo("201");
            assertThat(TestDatabase.await(tailrace.close(), Duration.ofSeconds(15)))
                    .isTrue();
        }
    }

    private static String code(HostApplication host) {
        Future<?> asked = host.request(OutboxAddresses.ENQUEUE, HostApplication.batch("early"));
        return BusProblem.of(TestDatabase.awaitFailure(asked)).orElseThrow().code();
    }
}
