package io.tailrace.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.outbox.Blobs;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartQueries;

/** What the public server asks, made by the composition root. */
public record PublicServices(
        OutboxService outbox, PartQueries parts, Blobs blobs, Authenticator authenticator, MeterRegistry meters) {}
