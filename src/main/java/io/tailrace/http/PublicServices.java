package io.tailrace.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.activity.ActivityLog;
import io.tailrace.outbox.Blobs;
import io.tailrace.outbox.Claim;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartQueries;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;

/**
 * What the public server asks, made by the composition root.
 *
 * @param workers where large bodies are decoded and digests are made
 * @param lease of a claim or a renewal that names none
 */
public record PublicServices(
        OutboxService outbox,
        PartQueries parts,
        Blobs blobs,
        ActivityLog log,
        Authenticator authenticator,
        MeterRegistry meters,
        WorkerExecutor workers,
        Duration lease) {
    /** With the lease that the API promises unless the operator says otherwise. */
    public PublicServices(
            OutboxService outbox,
            PartQueries parts,
            Blobs blobs,
            ActivityLog log,
            Authenticator authenticator,
            MeterRegistry meters,
            WorkerExecutor workers) {
        this(outbox, parts, blobs, log, authenticator, meters, workers, Claim.DEFAULT_LEASE);
    }
}
