package io.tailrace.bus;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.activity.ActivityLog;
import io.tailrace.outbox.Blobs;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartQueries;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * What the bus asks, made by the composition root.
 *
 * @param lease of a claim or a renewal that names none
 * @param workers where large bodies are decoded
 * @param open asked before each request: fails while nothing can be asked yet, with what to answer
 */
public record BusServices(
        OutboxService outbox,
        PartQueries parts,
        Blobs blobs,
        MeterRegistry meters,
        Duration lease,
        WorkerExecutor workers,
        Supplier<Future<Void>> open,
        ActivityLog log) {}
