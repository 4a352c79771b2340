package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A row of {@code telegram_outbox_inflight}, read under its lock: what a decision about the part needs to know. */
record InflightPart(
        PartId id,
        long keyId,
        String botId,
        @Nullable Long batchNo,
        int partIndex,
        DeliveryPolicy policy,
        PartState state,
        long token,
        @Nullable Instant leasedUntil,
        @Nullable Instant claimedAt,
        @Nullable Instant startedAt,
        @Nullable Instant expiresAt,
        int attemptCount,
        int throttleCount,
        int rescueCount,
        int lapses,
        int jitterMs,
        @Nullable String lastOutcome) {

    /** The columns that {@link #of(Row)} reads, of a table named h. */
    static final String COLUMNS = """
            h.id, h.created_at, h.key_id, h.bot_id, h.batch_no, h.part_index, h.delivery_policy, h.state, h.lease_token,
            h.leased_until, h.claimed_at, h.started_at, h.expires_at, h.attempt_count, h.throttle_count, h.rescue_count,
            h.lapses, h.retry_jitter_ms::integer AS retry_jitter_ms, h.last_outcome""";

    static InflightPart of(Row row) {
        return new InflightPart(
                new PartId(row.getLong("id"), Rows.instant(row, "created_at")),
                row.getLong("key_id"),
                row.getString("bot_id"),
                row.getLong("batch_no"),
                row.getInteger("part_index"),
                DeliveryPolicy.of(row.getString("delivery_policy")),
                PartState.of(row.getString("state")),
                row.getLong("lease_token"),
                Rows.instantOrNull(row, "leased_until"),
                Rows.instantOrNull(row, "claimed_at"),
                Rows.instantOrNull(row, "started_at"),
                Rows.instantOrNull(row, "expires_at"),
                row.getInteger("attempt_count"),
                row.getInteger("throttle_count"),
                row.getInteger("rescue_count"),
                row.getInteger("lapses"),
                row.getInteger("retry_jitter_ms"),
                row.getString("last_outcome"));
    }

    /** The batch's number, which is the id of its part 0. */
    long batch() {
        return batchNo == null ? id.id() : batchNo;
    }
}
