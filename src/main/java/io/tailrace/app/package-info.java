/**
 * The composition root: makes every part, starts them in order and ends them in reverse. Decides nothing else.
 *
 * <pre>
 *   Tailrace          a process: owns Vert.x, metrics    ─┐
 *                                                         ├─► Composition ─► Edges (public server, bus) · Schema · Partitions · …
 *   EmbeddedTailrace  a guest on its host's Vert.x       ─┘        └─► Shutdown: the ordered end, the same for both
 *     └ EmbeddedVerticle owns what it makes
 * </pre>
 *
 * <p>The only package that sees all others but {@code cli}; nothing but {@code cli} imports it, and applications that embed
 * the service.
 *
 * <p>Invariants: the service starts while PostgreSQL is down and recovers by itself; its end has one deadline, and what was
 * acknowledged before it is stored; only {@code Tailrace} closes a Vert.x, and only its own; no event loop is blocked.
 */
@NullMarked
package io.tailrace.app;

import org.jspecify.annotations.NullMarked;
