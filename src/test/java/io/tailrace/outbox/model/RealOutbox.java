package io.tailrace.outbox.model;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.outbox.Batch;
import io.tailrace.outbox.Claim;
import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.Lease;
import io.tailrace.outbox.LeaseResult;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.Settlement;
import io.tailrace.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The outbox itself, on a database, driven by the steps of a walk. Each walk has a tenant of its own, so walks share a
 * database without clearing it.
 */
final class RealOutbox implements AutoCloseable {
    private static final String PARTS = """
            SELECT o.id, o.batch_id, o.part_index, o.state AS stored, h.state AS live, h.turn::text AS turn, h.key_id,
                   coalesce(h.attempt_count, o.attempt_count) AS attempts,
                   coalesce(h.throttle_count, o.throttle_count) AS throttles,
                   coalesce(h.lease_token, o.lease_token) AS token, o.cancelled_by
              FROM telegram_outbox o LEFT JOIN telegram_outbox_inflight h ON h.id = o.id
             WHERE o.tenant_id = ?::uuid ORDER BY o.id""";

    /** What must never be found, one line each. */
    private static final String BROKEN = """
            SELECT 'in flight without a part: ' || h.id FROM telegram_outbox_inflight h
             WHERE h.tenant_id = ?::uuid AND NOT EXISTS (SELECT FROM telegram_outbox o WHERE o.id = h.id)
            UNION ALL
            SELECT 'two leases on key ' || h.key_id FROM telegram_outbox_inflight h
             WHERE h.tenant_id = ?::uuid AND h.state = 'leased' GROUP BY h.key_id HAVING count(*) > 1
            UNION ALL
            SELECT 'nobody will call part ' || f.id || ', the first of its key' FROM (
                SELECT DISTINCT ON (h.key_id) h.* FROM telegram_outbox_inflight h
                 WHERE h.tenant_id = ?::uuid AND h.turn NOT IN ('s', 'l') ORDER BY h.key_id, h.id) f
             WHERE f.turn = 'q'
               AND NOT EXISTS (SELECT FROM telegram_outbox_inflight o WHERE o.key_id = f.key_id AND o.turn = 'l')
               AND NOT EXISTS (SELECT FROM telegram_outbox_inflight o
                                WHERE o.id = f.batch_no OR (o.batch_no = f.batch_no AND o.part_index < f.part_index))""";

    /** A part as the database has it. */
    record Row(
            String name,
            PartState state,
            int attempts,
            int throttles,
            long token,
            @Nullable String cancelledBy) {}

    private final TestDatabase db;
    private final Outbox outbox;
    private final Connection connection;
    private final Map<String, PartId> ids = new HashMap<>();
    private final Map<Long, String> names = new HashMap<>();
    private Scenario scenario = Scenario.ONE_KEY;
    private UUID tenant = UUID.randomUUID();
    private Instant began = Instant.EPOCH;

    RealOutbox(TestDatabase db) {
        this.db = db;
        this.outbox = new Outbox(db.vertx(), db.database(), OutboxSettings.DEFAULT, new SimpleMeterRegistry());
        this.connection = db.connect();
    }

    /** A new walk: nobody has stored anything, and the clock is the server's. */
    void begin(Scenario next) {
        scenario = next;
        tenant = UUID.randomUUID();
        ids.clear();
        names.clear();
        db.clock().reset();
        began = db.clock().now();
    }

    EnqueueResult enqueue(String batch, int count, boolean changed) {
        List<Batch.Part> parts = new ArrayList<>();
        for (Scenario.Part spec :
                scenario.batches().getOrDefault(batch, List.of()).subList(0, count)) {
            parts.add(part(spec, changed && parts.isEmpty() ? "deleteMessage" : "sendMessage"));
        }
        EnqueueResult result = TestDatabase.await(outbox.enqueue(tenant, new Batch(batch, parts, null)));
        if (result instanceof EnqueueResult.Stored stored) {
            for (EnqueueResult.StoredPart part : stored.parts()) {
                ids.put(batch + part.partIndex(), part.id());
                names.put(part.id().id(), batch + part.partIndex());
            }
        }
        return result;
    }

    private Batch.Part part(Scenario.Part spec, String method) {
        return new Batch.Part(
                "7",
                "1001",
                null,
                spec.key(),
                null,
                null,
                null,
                method,
                1,
                "{\"text\":\"Hello\"}",
                null,
                spec.policy(),
                false,
                spec.priority(),
                spec.availableAt() == 0 ? null : began.plusSeconds(spec.availableAt()),
                spec.expiresAt() == Scenario.NEVER ? null : began.plusSeconds(spec.expiresAt()));
    }

    List<String> claim(int limit) {
        Claim claim = new Claim("walker", null, limit, null, Duration.ofSeconds(OutboxModel.LEASE), Duration.ZERO);
        return TestDatabase.await(outbox.claim(tenant, claim)).stream()
                .map(item -> name(item.id().id()))
                .toList();
    }

    OutboxModel.Answer start(String part, long token) {
        return answer(TestDatabase.await(outbox.start(tenant, List.of(lease(part, token)))));
    }

    OutboxModel.Answer settle(String part, long token, Action.Word word) {
        Lease lease = lease(part, token);
        Duration throttle = Duration.ofSeconds(OutboxModel.THROTTLE);
        Settlement settlement =
                switch (word) {
                    case DELIVERED -> new Settlement.Delivered(lease, List.of("5"), "{}", "message", 200);
                    case RETRY ->
                        new Settlement.Retry(
                                lease, Duration.ofSeconds(OutboxModel.DELAY), null, null, Settlement.Failure.NONE);
                    case THROTTLED -> new Settlement.Throttled(lease, throttle, false, Settlement.Failure.NONE);
                    case THROTTLED_BOT -> new Settlement.Throttled(lease, throttle, true, Settlement.Failure.NONE);
                    case RELEASE -> new Settlement.Release(lease);
                    case AMBIGUOUS -> new Settlement.Ambiguous(lease, Settlement.Failure.NONE);
                    case DEAD_LETTER -> new Settlement.DeadLetter(lease, Settlement.Failure.NONE);
                };
        return answer(TestDatabase.await(outbox.settle(tenant, List.of(settlement))));
    }

    private Lease lease(String part, long token) {
        PartId id = ids.get(part);
        if (id == null) {
            throw new IllegalStateException("part " + part + " is not stored");
        }
        return new Lease(id, token);
    }

    private static OutboxModel.Answer answer(List<LeaseResult> results) {
        LeaseResult result = results.get(0);
        if (result instanceof LeaseResult.Done done) {
            return new OutboxModel.Answer(null, done.state(), done.replayed());
        }
        return new OutboxModel.Answer(((LeaseResult.Refused) result).code(), null, false);
    }

    void rescue() {
        run("outbox-rescue");
    }

    void expire() {
        run("outbox-expiry");
    }

    private void run(String worker) {
        TestDatabase.await(outbox.workers().stream()
                .filter(candidate -> candidate.name().equals(worker))
                .findFirst()
                .orElseThrow()
                .runOnce());
    }

    void advance(long seconds) {
        db.clock().advance(Duration.ofSeconds(seconds));
    }

    private String name(long id) {
        return names.getOrDefault(id, "?" + id);
    }

    /** The stored parts by name; says so when the two tables contradict each other. */
    Map<String, Row> rows() {
        Map<String, Row> rows = new TreeMap<>();
        try (PreparedStatement statement = connection.prepareStatement(PARTS)) {
            statement.setString(1, tenant.toString());
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    Row row = row(found);
                    if (rows.put(row.name, row) != null) {
                        throw new Mismatch("two rows of " + row.name);
                    }
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return rows;
    }

    private Row row(ResultSet found) throws SQLException {
        String name = found.getString("batch_id") + found.getInt("part_index");
        PartState stored = PartState.of(found.getString("stored"));
        String live = found.getString("live");
        if ((live == null) == stored.inFlight() || (live != null && stored != PartState.PENDING)) {
            throw new Mismatch("part " + name + " is stored as " + stored + " and in flight as " + live);
        }
        long cancelledBy = found.getLong("cancelled_by");
        return new Row(
                name,
                live == null ? stored : PartState.of(live),
                found.getInt("attempts"),
                found.getInt("throttles"),
                found.getLong("token"),
                cancelledBy == 0 ? null : name(cancelledBy));
    }

    /** Contradictions that hold in no state. */
    List<String> broken() {
        List<String> broken = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(BROKEN)) {
            for (int i = 1; i <= 3; i++) {
                statement.setString(i, tenant.toString());
            }
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    broken.add(found.getString(1));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return broken;
    }

    @Override
    public void close() throws SQLException {
        TestDatabase.await(outbox.stop());
        connection.close();
        db.clock().reset();
    }
}
