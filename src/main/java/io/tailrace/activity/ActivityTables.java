package io.tailrace.activity;

import io.tailrace.partition.PartitionedTable;
import java.util.List;

/** The log's partitioned tables, as the partition engine has to know them. */
public final class ActivityTables {
    /*
     * No index of a month contains its time: a bound on it prunes, and must never look like a way to read a whole index
     * (V004__keys_without_time.sql). Uniqueness is each month's own backstop (ACT-4); across months the conversation's row lock
     * and counter give it.
     */

    public static final PartitionedTable ACTIVITIES = PartitionedTable.monthly("activities", "inserted_at")
            .withPrimaryKey("id")
            .withUnique("seq", "conversation_id", "seq")
            .withUniqueIfPresent("key", "conversation_id", "idempotency_key");

    /** In the month of the activity, so that an activity and its deliveries leave together. */
    public static final PartitionedTable DELIVERIES = PartitionedTable.monthly("deliveries", "activity_inserted_at")
            .withPrimaryKey("id")
            .withUnique("channel", "activity_id", "channel_id");

    public static final List<PartitionedTable> MONTHLY = List.of(ACTIVITIES, DELIVERIES);

    private ActivityTables() {}
}
