/**
 * The outbox: a durable send queue in which a chat's messages never overtake one another.
 *
 * <pre>
 *   enqueue ──► pending ──claim──► leased ──settle──► delivered · ambiguous · dead_letter
 *                  ▲                 │  └─ retry ───► retry_wait ──due──► (claimable again)
 *                  │                 └─ release, lapse (rescue)
 *               pending, retry_wait ──ttl──► expired          a predecessor's bad end ──► cancelled
 * </pre>
 *
 * <p>May import: {@code db}, {@code worker}, {@code config}, {@code partition} (its ports), Vert.x core and the SQL client. Never HTTP, Kafka
 * or the bus.
 *
 * <p>Invariants: at most one leased part a key (also a unique index); a key's parts are claimed in id order among
 * those due; a transition needs id, token, state and an unexpired lease; a row of {@code telegram_outbox} is written at
 * enqueue and when the part ends, everything between happens in {@code telegram_outbox_inflight}.
 */
@NullMarked
package io.tailrace.outbox;

import org.jspecify.annotations.NullMarked;
