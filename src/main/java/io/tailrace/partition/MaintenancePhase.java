package io.tailrace.partition;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;

/**
 * What a run of maintenance does after the future of every table exists: finalize, detach, drop.
 *
 * <p>Port of the engine. Creating ahead never waits for a phase and never learns of its failure: whatever a phase does,
 * fails or hangs (it is given up after {@link PartitionMaintenance#PHASE_LIMIT}), the next run creates first again.
 */
public interface MaintenancePhase {
    /** As it appears in logs, in readiness and in {@code worker_runs}. */
    String name();

    /**
     * Does its part for one table. Must be safe to repeat; a failed Future is recorded, and the next run tries again.
     *
     * @param holder the connection that holds the fleet's maintenance lock; it is outside a transaction, and what runs
     *     on it is fenced by that lock
     */
    Future<Void> run(SqlConnection holder, PartitionedTable table);
}
