package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A part that has ended, as far as an operator's word about it needs to know. */
record StoppedPart(
        PartId id,
        int partIndex,
        PartState state,
        DeliveryPolicy policy,
        @Nullable Instant expiresAt) {
    static final String COLUMNS = "o.id, o.created_at, o.part_index, o.state, o.delivery_policy, o.expires_at";

    static StoppedPart of(Row row) {
        return new StoppedPart(
                new PartId(row.getLong("id"), Rows.instant(row, "created_at")),
                row.getInteger("part_index"),
                PartState.of(row.getString("state")),
                DeliveryPolicy.of(row.getString("delivery_policy")),
                Rows.instantOrNull(row, "expires_at"));
    }
}
