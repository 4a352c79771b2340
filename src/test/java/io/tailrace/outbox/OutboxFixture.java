package io.tailrace.outbox;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** An outbox on a test's database, and words to speak to it. Its workers are not started: tests run them by hand. */
final class OutboxFixture {
    static final UUID DEFAULT_TENANT = UUID.fromString("00000000-0000-0000-0000-000000000001");

    final TestDatabase db;
    final Outbox outbox;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    OutboxFixture(TestDatabase db) {
        this(db, OutboxSettings.DEFAULT);
    }

    OutboxFixture(TestDatabase db, OutboxSettings settings) {
        this.db = db;
        this.outbox = new Outbox(db.vertx(), db.database(), settings, meters);
    }

    /** Long after any test. */
    static final Instant SOME_DAY = Instant.parse("2099-01-01T00:00:00Z");

    static OutboxSettings settingsWithHorizon(int days) {
        OutboxSettings usual = OutboxSettings.DEFAULT;
        return new OutboxSettings(days, 0, usual.groupCommit(), usual.lanes(), usual.limits(), usual.retryPolicy());
    }

    static OutboxSettings settingsWithLedger(int days) {
        OutboxSettings usual = OutboxSettings.DEFAULT;
        return new OutboxSettings(
                usual.horizonDays(), days, usual.groupCommit(), usual.lanes(), usual.limits(), usual.retryPolicy());
    }

    static OutboxSettings settingsWithPolicy(RetryPolicy policy) {
        OutboxSettings usual = OutboxSettings.DEFAULT;
        return new OutboxSettings(usual.horizonDays(), 0, usual.groupCommit(), usual.lanes(), usual.limits(), policy);
    }

    /** A copy with other ids. */
    static Batch.Part ids(
            Batch.Part p,
            @Nullable String chat,
            @Nullable String thread,
            @Nullable String causation,
            @Nullable String dialog,
            @Nullable String trigger) {
        return new Batch.Part(
                p.botId(),
                chat,
                thread,
                p.orderingKey(),
                causation,
                dialog,
                trigger,
                p.methodKind(),
                p.payloadVersion(),
                p.payloadJson(),
                p.blob(),
                p.deliveryPolicy(),
                p.isProtected(),
                p.priority(),
                p.availableAt(),
                p.expiresAt());
    }

    static Batch.Part flags(Batch.Part p, int version, boolean isProtected) {
        return new Batch.Part(
                p.botId(),
                p.chatId(),
                p.threadId(),
                p.orderingKey(),
                p.causationUpdateId(),
                p.dialogJobId(),
                p.triggerMessageId(),
                p.methodKind(),
                version,
                p.payloadJson(),
                p.blob(),
                p.deliveryPolicy(),
                isProtected,
                p.priority(),
                p.availableAt(),
                p.expiresAt());
    }

    static Batch.Part withBlob(Batch.Part p, Batch.Blob blob) {
        return new Batch.Part(
                p.botId(),
                p.chatId(),
                p.threadId(),
                p.orderingKey(),
                p.causationUpdateId(),
                p.dialogJobId(),
                p.triggerMessageId(),
                p.methodKind(),
                p.payloadVersion(),
                p.payloadJson(),
                blob,
                p.deliveryPolicy(),
                p.isProtected(),
                p.priority(),
                p.availableAt(),
                p.expiresAt());
    }

    /** Nothing in any table, and the clock as it is. */
    static void empty(TestDatabase db) {
        // DELETE, because TRUNCATE makes new files for every partition and index.
        db.execute(
                "DELETE FROM telegram_outbox; DELETE FROM telegram_outbox_inflight; DELETE FROM telegram_outbox_attempts;"
                        + " DELETE FROM telegram_outbox_keys; DELETE FROM telegram_outbox_blobs; DELETE FROM telegram_outbox_paused_bots; DELETE FROM telegram_outbox_redrives");
    }

    static Builder part(String key) {
        return new Builder(key);
    }

    static final class Builder {
        private String bot = "7";
        private final String key;
        private String method = "sendMessage";
        private String payload = "{\"chat_id\":1001,\"text\":\"Hello\"}";
        private DeliveryPolicy policy = DeliveryPolicy.CREATE;
        private int priority;
        private @Nullable Instant availableAt;
        private @Nullable Instant expiresAt;
        private UnaryOperator<Batch.Part> change = part -> part;

        private Builder(String key) {
            this.key = key;
        }

        Builder bot(String value) {
            bot = value;
            return this;
        }

        Builder method(String value) {
            method = value;
            return this;
        }

        Builder payload(String value) {
            payload = value;
            return this;
        }

        Builder policy(DeliveryPolicy value) {
            policy = value;
            return this;
        }

        Builder priority(int value) {
            priority = value;
            return this;
        }

        Builder availableAt(Instant value) {
            availableAt = value;
            return this;
        }

        Builder expiresAt(Instant value) {
            expiresAt = value;
            return this;
        }

        /** Whatever has no word of its own here. */
        Builder with(UnaryOperator<Batch.Part> value) {
            change = value;
            return this;
        }

        Batch.Part build() {
            return change.apply(new Batch.Part(
                    bot,
                    "1001",
                    null,
                    key,
                    null,
                    "42",
                    null,
                    method,
                    1,
                    payload,
                    null,
                    policy,
                    true,
                    priority,
                    availableAt,
                    expiresAt));
        }
    }

    static Batch batch(String id, Builder... parts) {
        List<Batch.Part> built = new ArrayList<>();
        for (Builder part : parts) {
            built.add(part.build());
        }
        return new Batch(id, built, null);
    }

    EnqueueResult.Stored enqueue(String batchId, Builder... parts) {
        EnqueueResult result = tryEnqueue(batchId, parts);
        if (result instanceof EnqueueResult.Stored stored) {
            return stored;
        }
        throw new AssertionError("refused: " + result);
    }

    EnqueueResult tryEnqueue(String batchId, Builder... parts) {
        return TestDatabase.await(outbox.enqueue(DEFAULT_TENANT, batch(batchId, parts)));
    }

    List<Claim.Item> claim(int limit) {
        return claim(limit, Claim.DEFAULT_LEASE);
    }

    List<Claim.Item> claim(int limit, Duration lease) {
        return claim(new Claim("sender-1", null, limit, null, lease, Duration.ZERO));
    }

    List<Claim.Item> claim(Claim claim) {
        return claim(DEFAULT_TENANT, claim);
    }

    List<Claim.Item> claim(UUID tenant, Claim claim) {
        return TestDatabase.await(outbox.claim(tenant, claim));
    }

    /** A claim of the usual sender, which does not wait. */
    static Claim claimOf(int limit, String... bots) {
        return new Claim(
                "sender-1", null, limit, bots.length == 0 ? null : List.of(bots), Claim.DEFAULT_LEASE, Duration.ZERO);
    }

    Claim.Item claimOne() {
        List<Claim.Item> items = claim(1);
        if (items.size() != 1) {
            throw new AssertionError("expected one item, got " + items);
        }
        return items.get(0);
    }

    /** Everything that is stored about parts and attempts, to see that nothing changed. */
    String everything() {
        return db.value(String.class, """
                SELECT coalesce((SELECT string_agg(h::text, E'\n' ORDER BY h.id) FROM telegram_outbox_inflight h), '') || E'\n'
                    || coalesce((SELECT string_agg(o::text, E'\n' ORDER BY o.id) FROM telegram_outbox o), '') || E'\n'
                    || coalesce((SELECT string_agg(a::text, E'\n' ORDER BY a.outbox_id, a.lease_token)
                                   FROM telegram_outbox_attempts a), '')""");
    }

    List<PartView.Attempt> attempts(PartId id) {
        return TestDatabase.await(outbox.attempts(DEFAULT_TENANT, id)).orElseThrow();
    }

    double counted(String name, String... tags) {
        return meters.get("tailrace.outbox." + name).tags(tags).counter().count();
    }

    double gauged(String name, String... tags) {
        return meters.get("tailrace.outbox." + name).tags(tags).gauge().value();
    }

    LeaseResult start(Claim.Item item) {
        return TestDatabase.await(outbox.start(DEFAULT_TENANT, List.of(lease(item))))
                .get(0);
    }

    LeaseResult settle(Settlement settlement) {
        return TestDatabase.await(outbox.settle(DEFAULT_TENANT, List.of(settlement)))
                .get(0);
    }

    LeaseResult deliver(Claim.Item item) {
        start(item);
        return settle(delivered(item));
    }

    static Settlement.Delivered delivered(Claim.Item item) {
        return new Settlement.Delivered(lease(item), List.of("5"), "{\"ok\":true}", "message", 200);
    }

    static Settlement.Ambiguous ambiguous(Claim.Item item) {
        return new Settlement.Ambiguous(lease(item), new Settlement.Failure("timeout", "no answer", null));
    }

    static Settlement.DeadLetter deadLetter(Claim.Item item) {
        return new Settlement.DeadLetter(
                lease(item), new Settlement.Failure("terminal_bad_request", "chat not found", 400));
    }

    static Settlement.Retry retry(Claim.Item item, Duration delay) {
        return new Settlement.Retry(
                lease(item), delay, null, null, new Settlement.Failure("transient", "bad gateway", 502));
    }

    static Lease lease(Claim.Item item) {
        return new Lease(item.id(), item.leaseToken());
    }

    /** One run of a worker of the outbox, by name. */
    void run(String worker) {
        TestDatabase.await(outbox.workers().stream()
                .filter(candidate -> candidate.name().equals(worker))
                .findFirst()
                .orElseThrow()
                .runOnce());
    }

    PartState state(PartId id) {
        return view(id).state();
    }

    /** The states of a batch's parts, in part order. */
    List<PartState> batchStates(String batchId) {
        return TestDatabase.await(outbox.batch(DEFAULT_TENANT, batchId)).stream()
                .map(PartView::state)
                .toList();
    }

    PartView view(PartId id) {
        return TestDatabase.await(outbox.item(DEFAULT_TENANT, id, true)).orElseThrow();
    }

    void close() {
        TestDatabase.await(outbox.stop());
    }
}
