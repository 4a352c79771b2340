package io.tailrace.doctor;

import io.tailrace.partition.PartitionedTable;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The indexes that a partitioned table and its partitions have.
 *
 * @param table what the engine makes for each partition beside what its parent has
 * @param parent those of the parent, of which each partition has to have a child
 * @param partitions by name; those that are just being detached are left out
 */
record TableIndexes(PartitionedTable table, List<Index> parent, Map<String, List<Index>> partitions) {
    /**
     * One index.
     *
     * @param columns in order; empty when it is of expressions, or of some rows only by another condition than {@code present}
     * @param present the column in which its rows have a value; empty when it is of all rows
     * @param childOf the parent's index that it belongs to; null when to none
     * @param how what follows {@code ON …} in its definition: method, columns, condition
     */
    record Index(
            String name,
            boolean valid,
            boolean unique,
            boolean primary,
            List<String> columns,
            String present,
            @Nullable String childOf,
            String how) {}
}
