/**
 * The HTTP edge: it reads requests, asks a capability, and writes what that came to. It decides nothing.
 *
 * <pre>
 *   request ─► Router ─► Gate (key, rate, scope) ─► BodyReader (limits, gzip, zstd) ─► a decoder ─► OutboxService
 *                                                                                                      │
 *   response ◄────────────────────── a writer, or Failures (the only maker of problems from failures) ◄┘
 * </pre>
 *
 * <p>The management port is a server of its own: {@link io.tailrace.http.HealthCheck}s behind {@link
 * io.tailrace.http.Readiness}, metrics, and {@link io.tailrace.http.Administration} behind the admin token.
 *
 * <p>Decoders, writers and problems are {@code wire}'s, which the event bus shares.
 *
 * <p>May import: {@code wire}, {@code activity}, {@code outbox}, {@code tenant}, {@code partition} (to show it and run it), {@code db} (for {@code
 * DatabaseFailure}; readiness also asks whether PostgreSQL answers and migrations ran), {@code config}, Vert.x web,
 * Jackson's streaming core, SnakeYAML for the OpenAPI documents, Micrometer. No SQL.
 *
 * <p>Invariants: every route is in {@code openapi/tailrace.yaml} or {@code openapi/management.yaml} and every path there has a route; a payload's JSON
 * text passes through unchanged (no number is rounded); every failure leaves as an {@code application/problem+json}
 * without stack trace, SQL or secret; a request is stored as a whole or not at all; bytes of one request are bounded
 * before they are read.
 */
@NullMarked
package io.tailrace.http;

import org.jspecify.annotations.NullMarked;
