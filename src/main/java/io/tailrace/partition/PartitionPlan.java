package io.tailrace.partition;

import java.util.List;

/**
 * What to do about a table, and what somebody else has to.
 *
 * @param operations in the order in which to carry them out, the nearest period first; each stands for itself
 * @param coverage what the partitions hold before any operation
 */
public record PartitionPlan(List<PartitionOperation> operations, List<Finding> findings, Coverage coverage) {
    public PartitionPlan {
        operations = List.copyOf(operations);
        findings = List.copyOf(findings);
    }
}
