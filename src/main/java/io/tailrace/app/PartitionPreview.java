package io.tailrace.app;

import io.tailrace.partition.RemovalPreview;
import java.util.List;

/**
 * What a run of maintenance would do (LIFE-9).
 *
 * @param made names of the partitions that it would make
 */
public record PartitionPreview(List<String> made, List<RemovalPreview> removed) {}
