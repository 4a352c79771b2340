package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * SQL that leases parts. Every method runs inside the caller's transaction.
 *
 * <p>Candidates are locked in one statement and judged in the next, which sees everything that was committed before the
 * locks were granted. A candidate that turns out to be behind another becomes queued again, and whoever gives up that
 * other's place makes it a candidate once more. For him to see it queued, the one in front is pinned (FOR KEY SHARE)
 * first; where he has it locked already, the candidate stays one, and the next claim looks again. A claim never waits.
 */
final class OutboxClaims {
    private static final String LEASE = """
            WITH clock AS MATERIALIZED (SELECT tailrace_now() AS at),
            candidate AS MATERIALIZED (
                SELECT h.id, h.expires_at <= c.at AS expired, coalesce(
                       (SELECT o.id FROM telegram_outbox_inflight o
                         WHERE o.key_id = h.key_id AND o.turn = 'l' LIMIT 1),
                       (SELECT o.id FROM telegram_outbox_inflight o
                         WHERE o.key_id = h.key_id AND o.turn <> 's' AND o.id < h.id ORDER BY o.id LIMIT 1),
                       (SELECT o.id FROM telegram_outbox_inflight o
                         WHERE o.key_id = h.key_id AND o.turn = 's' AND o.available_at <= c.at AND o.id < h.id LIMIT 1),
                       CASE WHEN h.batch_no IS NOT NULL THEN (SELECT o.id FROM telegram_outbox_inflight o
                         WHERE o.id = h.batch_no
                            OR (o.batch_no = h.batch_no AND o.part_index < h.part_index) LIMIT 1) END) AS ahead
                  FROM telegram_outbox_inflight h CROSS JOIN clock c
                 WHERE h.id = ANY ($1::bigint[])
            ), pinned AS MATERIALIZED (
                SELECT x.id FROM candidate x
                 CROSS JOIN LATERAL (
                    SELECT FROM telegram_outbox_inflight o
                     WHERE o.id = x.ahead AND (o.turn = 'l' OR o.id < x.id) FOR KEY SHARE SKIP LOCKED) o
                 WHERE x.ahead <> ALL ($1::bigint[])
            ), leased AS (
                UPDATE telegram_outbox_inflight h
                   SET state = 'leased', turn = 'l', attempt_count = h.attempt_count + 1,
                       lease_token = h.lease_token + 1, lease_owner = $2::text, claim_id = $3::uuid,
                       claimed_at = c.at, leased_until = c.at + $4::bigint * interval '1 millisecond',
                       started_at = CASE WHEN $5::boolean THEN c.at END, updated_at = c.at
                  FROM candidate x CROSS JOIN clock c
                 WHERE h.id = x.id AND x.ahead IS NULL AND x.expired IS NOT TRUE
                RETURNING h.*
            ), queued AS (
                UPDATE telegram_outbox_inflight h SET turn = 'q' FROM candidate x
                 WHERE h.id = x.id AND x.expired IS NOT TRUE
                   -- One in front that is a candidate of ours is locked by us as it is.
                   AND (x.ahead = ANY ($1::bigint[]) OR x.id IN (SELECT p.id FROM pinned p))
            ), attempt AS (
                INSERT INTO telegram_outbox_attempts (outbox_id, outbox_created_at, attempt, lease_token, worker_id, claimed_at)
                SELECT l.id, l.created_at, l.attempt_count, l.lease_token, l.lease_owner, l.claimed_at FROM leased l
            )
            SELECT %1$s FROM leased h
            UNION ALL
            SELECT %1$s FROM telegram_outbox_inflight h JOIN candidate x ON x.id = h.id WHERE x.expired""".formatted(InflightPart.COLUMNS);

    /** Ending a part asks for this lock (pin_tails in R__outbox_enqueue.sql); a pinned one is left to the next claim. */
    private static final String LOCK_TO_END = """
            SELECT %s FROM telegram_outbox_inflight h
             WHERE h.id = ANY ($1::bigint[]) ORDER BY h.id FOR UPDATE SKIP LOCKED""".formatted(InflightPart.COLUMNS);

    private static final String SAME_CLAIM = """
            SELECT %s FROM telegram_outbox_inflight h
             WHERE h.claim_id = $1::uuid AND h.turn = 'l' AND h.tenant_id = $2::uuid
               AND h.leased_until > (SELECT tailrace_now())
             ORDER BY h.priority DESC, h.id""".formatted(InflightPart.COLUMNS);

    private static final String LOCK_CLAIM_ID =
            "SELECT pg_advisory_xact_lock(hashtextextended('tailrace.outbox.claim:' || $1::text, 0))";

    private static final String CONTENT = """
            SELECT o.id, o.operation_id, o.batch_id, o.chat_id, o.thread_id, o.ordering_key, o.method_kind,
                   o.payload_version, coalesce(o.payload, o.original_payload)::text AS payload, o.blob_sha256,
                   o.blob_media_type, o.blob_file_name, o.priority::integer AS priority, o.traceparent
              FROM unnest($1::bigint[], $2::timestamptz[]) AS u(id, created_at)
              JOIN telegram_outbox o ON o.id = u.id AND o.created_at = u.created_at
             WHERE %s""";

    private OutboxClaims() {}

    /**
     * Leases those of the locked candidates whose turn it is. The answer also holds those whose time to be sent has
     * passed; they are still pending or in retry_wait.
     */
    static Future<List<InflightPart>> lease(SqlConnection connection, Claim claim, List<Long> candidates) {
        return connection
                .preparedQuery(LEASE)
                .execute(Tuple.of(
                        candidates.toArray(Long[]::new),
                        claim.workerId(),
                        claim.claimId(),
                        claim.lease().toMillis(),
                        claim.start()))
                .map(rows -> Rows.map(rows, InflightPart::of));
    }

    /** Those of the parts that can be ended now, locked for it. */
    static Future<List<InflightPart>> lockToEnd(SqlConnection connection, List<InflightPart> parts) {
        if (parts.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        Long[] ids = parts.stream().map(part -> part.id().id()).toArray(Long[]::new);
        return connection
                .preparedQuery(LOCK_TO_END)
                .execute(Tuple.tuple().addValue(ids))
                .map(rows -> Rows.map(rows, InflightPart::of));
    }

    /** What an earlier call with this claim id leased, while it is leased. Serializes calls with the same id. */
    static Future<List<InflightPart>> sameClaim(SqlConnection connection, UUID tenant, UUID claimId) {
        Future<?> locked = connection.preparedQuery(LOCK_CLAIM_ID).execute(Tuple.of(tenant + ":" + claimId));
        Future<List<InflightPart>> found = connection
                .preparedQuery(SAME_CLAIM)
                .execute(Tuple.of(claimId, tenant))
                .map(rows -> Rows.map(rows, InflightPart::of));
        return Future.all(locked, found).map(both -> found.result());
    }

    /** The items as their sender gets them, by priority and then id. */
    static Future<List<Claim.Item>> items(SqlConnection connection, List<InflightPart> leased) {
        if (leased.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        List<PartId> ids = leased.stream().map(InflightPart::id).toList();
        TimeRange days = TimeRange.around(ids.stream().map(PartId::createdAt).toList());
        Map<Long, InflightPart> byId =
                leased.stream().collect(Collectors.toMap(part -> part.id().id(), Function.identity()));
        return connection
                .preparedQuery(CONTENT.formatted(days.condition("o.created_at")))
                .execute(Tuple.tuple().addValue(OutboxSettlements.ids(ids)).addValue(OutboxSettlements.createdAts(ids)))
                .map(rows -> {
                    List<Claim.Item> items = new ArrayList<>(rows.size());
                    for (Row row : rows) {
                        items.add(item(row, byId.get(row.getLong("id"))));
                    }
                    items.sort(Comparator.comparingInt((Claim.Item item) -> -item.priority())
                            .thenComparingLong(item -> item.id().id()));
                    return items;
                });
    }

    private static Claim.Item item(Row row, @Nullable InflightPart part) {
        if (part == null || part.leasedUntil() == null) {
            throw new IllegalStateException("part " + row.getLong("id") + " was not leased");
        }
        Instant leasedUntil = part.leasedUntil();
        String sha256 = row.getString("blob_sha256");
        return new Claim.Item(
                part.id(),
                part.token(),
                part.attemptCount(),
                leasedUntil,
                row.getString("batch_id"),
                part.partIndex(),
                row.getString("operation_id"),
                part.botId(),
                row.getString("chat_id"),
                row.getString("thread_id"),
                row.getString("ordering_key"),
                row.getString("method_kind"),
                row.getInteger("payload_version"),
                row.getString("payload"),
                sha256 == null
                        ? null
                        : new Batch.Blob(sha256, row.getString("blob_media_type"), row.getString("blob_file_name")),
                part.policy(),
                row.getInteger("priority"),
                part.expiresAt(),
                row.getString("traceparent"));
    }
}
