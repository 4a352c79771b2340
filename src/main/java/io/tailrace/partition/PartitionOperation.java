package io.tailrace.partition;

/** One change to a table's partitions, decided by {@link PartitionPlanner} and carried out in a transaction of its own. */
public sealed interface PartitionOperation {
    /** The partition's name, unquoted. */
    String partition();

    Span span();

    /** Make the table and attach it. */
    record Create(String partition, Span span) implements PartitionOperation {}
}
