package io.tailrace.app;

import io.tailrace.partition.MaintenanceRun;
import io.tailrace.partition.RemovalRun;

/** What a run of maintenance came to. */
public record PartitionRuns(MaintenanceRun made, RemovalRun removed) {}
