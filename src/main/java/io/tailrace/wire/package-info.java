/**
 * What the edges say, in whatever they say it: JSON as {@code POST /v1/outbox/batches} and its kin have it, decoded and
 * written, and problems. HTTP and the event bus both stand on this, so that an operation has one shape wherever it is asked
 * for.
 *
 * <pre>
 *   bytes ─► StrictJson ─► JsonReader ─► a decoder ─► Batch, Claim, Lease, Settlement     (a Rejection when it is not one)
 *   bytes ◄─ JsonBody  ◄─ a writer (PartWriter, PartViewWriter) ◄─ what the capability answered
 *   Problem ◄─ Failures ◄─ any failed Future
 * </pre>
 *
 * <p>May import: {@code activity} and {@code outbox} (the values it reads and writes), {@code db} (for {@code DatabaseFailure}), {@code config}
 * (suggestions), Vert.x buffers, Jackson's streaming core. Knows no transport: no request, no message, no key.
 *
 * <p>Invariants: fields may be added, never renamed; a payload's JSON text passes through unchanged (no number is rounded);
 * a complaint carries the pointer of what it is about; a problem never has a stack trace, an SQL text or a secret.
 */
@NullMarked
package io.tailrace.wire;

import org.jspecify.annotations.NullMarked;
