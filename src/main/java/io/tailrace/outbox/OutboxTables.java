package io.tailrace.outbox;

import io.tailrace.partition.DropGuard;
import io.tailrace.partition.ExpiringTable;
import io.tailrace.partition.PartitionedTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The outbox's partitioned tables, as the partition engine has to know them. */
public final class OutboxTables {
    /** Each row is rewritten once, when its part ends; the free half takes that in place (ADR 3 has the figures). */
    private static final Map<String, String> HALF_FULL = Map.of("fillfactor", "50");

    /*
     * No index of a day contains the time: a bound on it prunes, and must never look like a way to read a whole index
     * (V004__keys_without_time.sql).
     */

    /** OUT-28: uniqueness is each day's own backstop; across days the enqueue's lock and look-up give it. */
    public static final PartitionedTable PARTS = PartitionedTable.daily("telegram_outbox", "created_at")
            .withPrimaryKey("id")
            .withUnique("batch_part", "tenant_id", "batch_id", "part_index")
            .withStorage(HALF_FULL);

    public static final PartitionedTable ATTEMPTS = PartitionedTable.daily("telegram_outbox_attempts", "claimed_at")
            .withPrimaryKey("outbox_id", "lease_token")
            .withStorage(HALF_FULL);

    /** OUT-31: that a batch was stored, for longer than its day stays. */
    public static final PartitionedTable LEDGER =
            PartitionedTable.monthly("telegram_outbox_ledger", "stored_at").withPrimaryKey("batch_hash");

    public static final List<PartitionedTable> MONTHLY = List.of(LEDGER);

    public static final List<PartitionedTable> DAILY = List.of(PARTS, ATTEMPTS);

    /** Both tables with what keeps their days; none when all history is kept ({@code retentionDays} 0). */
    public static List<ExpiringTable> expiring(int retentionDays) {
        if (retentionDays == 0) {
            return List.of();
        }
        Duration keep = Duration.ofDays(retentionDays);
        return List.of(
                new ExpiringTable(PARTS, keep, DropGuardStore::parts),
                new ExpiringTable(ATTEMPTS, keep, DropGuardStore::attempts));
    }

    /** The ledger's months. Switched off ({@code ledgerDays} 0), what it was told before goes with its month. */
    public static List<ExpiringTable> expiringMonthly(int ledgerDays) {
        return List.of(new ExpiringTable(LEDGER, Duration.ofDays(Math.max(1, ledgerDays)), DropGuard.NONE));
    }

    private OutboxTables() {}
}
