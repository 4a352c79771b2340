package io.tailrace.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.outbox.OutboxService;

/** What the public server asks, made by the composition root. */
public record PublicServices(OutboxService outbox, Authenticator authenticator, MeterRegistry meters) {}
