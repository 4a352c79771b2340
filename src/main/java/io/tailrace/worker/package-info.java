/**
 * Work that comes round: periodic workers with a {@code runOnce()} for tests and operators.
 *
 * <p>May import: {@code db}, {@code config}, Vert.x, Micrometer. Invariants: a run never overlaps the one before; a
 * failed run is logged, counted and backed off from, and the loop never dies; stopping waits for the run in hand.
 */
@NullMarked
package io.tailrace.worker;

import org.jspecify.annotations.NullMarked;
