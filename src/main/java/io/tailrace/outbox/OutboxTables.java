package io.tailrace.outbox;

import io.tailrace.partition.PartitionedTable;
import java.util.List;

/** The outbox's partitioned tables, as the partition engine has to know them. */
public final class OutboxTables {
    /** OUT-28: uniqueness is each day's own backstop; across days the enqueue's lock and look-up give it. */
    public static final PartitionedTable PARTS = PartitionedTable.daily("telegram_outbox", "created_at")
            .withUnique("batch_part", "tenant_id", "batch_id", "part_index");

    public static final PartitionedTable ATTEMPTS = PartitionedTable.daily("telegram_outbox_attempts", "claimed_at");

    public static final List<PartitionedTable> DAILY = List.of(PARTS, ATTEMPTS);

    private OutboxTables() {}
}
