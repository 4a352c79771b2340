package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PartListStoreIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static OutboxFixture fixture;
    private static PartListStore store;

    /** Of twelve parts: four delivered, four dead letters, two leased, two pending, of two bots by turns. */
    @BeforeAll
    static void fill() {
        fixture = new OutboxFixture(DB);
        store = new PartListStore(DB.database());
        for (int i = 0; i < 8; i++) {
            fixture.enqueue(
                    "ended-" + i, part("k" + i).bot(i % 2 == 0 ? "7" : "8").payload("{\"n\":1.10}"));
        }
        List<Claim.Item> items = fixture.claim(8);
        items.subList(0, 4).forEach(fixture::deliver);
        items.subList(4, 8).forEach(item -> fixture.settle(OutboxFixture.deadLetter(item)));
        for (int i = 8; i < 12; i++) {
            fixture.enqueue("open-" + i, part("k" + i).bot(i % 2 == 0 ? "7" : "8"));
        }
        fixture.claim(2);
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    private static List<PartView> list(
            @Nullable PartState state, @Nullable Set<String> bots, @Nullable PartId before, int limit) {
        return TestDatabase.await(
                store.list(DEFAULT_TENANT, new PartQueries.Selection(state, bots, before, limit), false));
    }

    @Test
    @DisplayName("OUT-24 parts are listed by state, the newest first, whichever table they live in")
    void byState() {
        assertThat(list(null, null, null, 100))
                .hasSize(12)
                .isSortedAccordingTo((a, b) -> Long.compare(b.id().id(), a.id().id()));
        assertThat(list(PartState.DELIVERED, null, null, 100))
                .hasSize(4)
                .allMatch(it -> it.state() == PartState.DELIVERED);
        assertThat(list(PartState.DEAD_LETTER, null, null, 100)).hasSize(4);
        assertThat(list(PartState.LEASED, null, null, 100)).hasSize(2);
        assertThat(list(PartState.PENDING, null, null, 100)).hasSize(2);
        assertThat(list(PartState.AMBIGUOUS, null, null, 100)).isEmpty();
        assertThat(list(null, Set.of("7"), null, 100)).hasSize(6).allMatch(it -> it.botId()
                .equals("7"));
    }

    @Test
    @DisplayName("API-2 a list goes on after the last part shown, each part once")
    void pages() {
        List<PartId> seen = new ArrayList<>();
        List<PartView> page = list(null, null, null, 5);
        while (!page.isEmpty()) {
            page.forEach(it -> seen.add(it.id()));
            page = list(null, null, seen.get(seen.size() - 1), 5);
        }
        assertThat(seen).hasSize(12).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("OUT-12 a tenant sees its own parts only")
    void tenants() {
        assertThat(TestDatabase.await(
                        store.list(UUID.randomUUID(), new PartQueries.Selection(null, null, null, 100), true)))
                .isEmpty();
    }

    @Test
    @DisplayName("OUT-24 content is read only when it is asked for, and then digit by digit")
    void content() {
        PartQueries.Selection delivered = new PartQueries.Selection(PartState.DELIVERED, null, null, 1);
        assertThat(TestDatabase.await(store.list(DEFAULT_TENANT, delivered, false))
                        .get(0)
                        .payloadJson())
                .isNull();
        assertThat(TestDatabase.await(store.list(DEFAULT_TENANT, delivered, true))
                        .get(0)
                        .payloadJson())
                .isEqualTo("{\"n\": 1.10}");
    }

    @Test
    @DisplayName("OUT-30 the oldest claimable part has been due for as long as it has been due")
    void oldestClaimable() {
        assertThat(TestDatabase.await(store.oldestClaimable(DEFAULT_TENANT)))
                .hasValueSatisfying(age -> assertThat(age).isBetween(Duration.ZERO, Duration.ofMinutes(5)));
        assertThat(TestDatabase.await(store.oldestClaimable(UUID.randomUUID()))).isEmpty();
    }

    @Test
    @DisplayName("OUT-24 a list of what went wrong is read from its index, in every partition")
    void index() {
        List<String> plan = DB.query("""
                        EXPLAIN SELECT id, created_at FROM telegram_outbox o
                         WHERE o.tenant_id = '00000000-0000-0000-0000-000000000001' AND o.id < 9223372036854775807
                           AND o.unresolved = 'dead_letter' ORDER BY o.id DESC LIMIT 100
                        """).stream()
                .map(row -> String.valueOf(row.values().iterator().next()))
                .toList();
        assertThat(plan).anyMatch(line -> line.contains("unresolved"));
        assertThat(plan).noneMatch(line -> line.contains("Seq Scan"));
    }

    @Test
    @DisplayName("OUT-14 the index for lists leaves the rewrite of a delivered part a heap-only one")
    void heapOnly() {
        Awaitility.await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> assertThat(DB.number("""
                        SELECT coalesce(sum(n_tup_hot_upd), 0)::bigint FROM pg_stat_user_tables
                         WHERE relname LIKE 'telegram\\_outbox\\_p%'
                        """))
                .isGreaterThanOrEqualTo(4));
    }
}
