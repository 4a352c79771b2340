package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A part that has ended, as far as a late word about it needs to know. */
record EndedPart(
        PartId id,
        String batchId,
        PartState state,
        long token,
        @Nullable String lastOutcome,
        @Nullable Instant claimedAt,
        @Nullable Instant startedAt) {

    static EndedPart of(Row row) {
        return new EndedPart(
                new PartId(row.getLong("id"), Rows.instant(row, "created_at")),
                row.getString("batch_id"),
                PartState.of(row.getString("state")),
                row.getLong("lease_token"),
                row.getString("last_outcome"),
                Rows.instantOrNull(row, "claimed_at"),
                Rows.instantOrNull(row, "request_started_at"));
    }
}
