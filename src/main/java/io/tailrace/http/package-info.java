/**
 * The HTTP edge: it reads requests, asks a capability, and writes what that came to. It decides nothing.
 *
 * <pre>
 *   request ─► Router ─► Gate (key, rate, scope) ─► BodyReader (limits, gzip, zstd) ─► a decoder ─► OutboxService
 *                                                                                                      │
 *   response ◄────────────────────── a writer, or Failures (the only maker of problems from failures) ◄┘
 * </pre>
 *
 * <p>May import: {@code outbox}, {@code tenant}, {@code db} (for {@code DatabaseFailure} alone), {@code config}, Vert.x
 * web, Jackson's streaming core, Micrometer. No SQL.
 *
 * <p>Invariants: every route is in {@code openapi/tailrace.yaml} and every path there has a route; a payload's JSON
 * text passes through unchanged (no number is rounded); every failure leaves as an {@code application/problem+json}
 * without stack trace, SQL or secret; a request is stored as a whole or not at all; bytes of one request are bounded
 * before they are read.
 */
@NullMarked
package io.tailrace.http;

import org.jspecify.annotations.NullMarked;
