/**
 * The event bus edge: the operations of the outbox and of the log for verticles that live in the same Vert.x, in the JSON of HTTP.
 *
 * <pre>
 *   request(tailrace.outbox.claim, JSON) ─► InFlight (a bound) ─► an Operation: StrictJson, a decoder ─► OutboxService
 *                                                                                                        │
 *   reply JSON, header status  ◄── wire's Reply, Answer ◄────────────────────────────────────────────────┤
 *   fail(status, problem JSON) ◄── wire's Failures ◄─────────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>May import: {@code wire}, {@code activity}, {@code outbox}, {@code tenant} (for the default one), {@code config}, Vert.x core,
 * Micrometer. No HTTP, no SQL.
 *
 * <p>Invariants: every request is answered, whatever is thrown on its way; consumers are local, so that whoever can send is
 * in this process and trusted, names a tenant and needs no key; how many requests are under way is bounded, and the answer
 * past the bound is {@code overloaded}; every operation of HTTP has its address, and JSON and problem codes are its twin's.
 */
@NullMarked
package io.tailrace.bus;

import org.jspecify.annotations.NullMarked;
