/**
 * The composition root: makes every part, starts them in order and ends them in reverse. Decides nothing else.
 *
 * <p>The only package that sees all others but {@code cli}; nothing but {@code cli} imports it.
 *
 * <p>Invariants: a process starts while PostgreSQL is down and recovers by itself; shutdown has one deadline, and what was
 * acknowledged before it is stored.
 */
@NullMarked
package io.tailrace.app;

import org.jspecify.annotations.NullMarked;
