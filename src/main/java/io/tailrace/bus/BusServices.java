package io.tailrace.bus;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartQueries;
import java.time.Duration;

/**
 * What the bus asks, made by the composition root.
 *
 * @param lease of a claim or a renewal that names none
 */
public record BusServices(OutboxService outbox, PartQueries parts, MeterRegistry meters, Duration lease) {}
