/**
 * A model of a part's life, written from the promises alone, walked beside the real outbox on a real database.
 *
 * <p>{@link io.tailrace.outbox.model.OutboxModel} says what must be; {@link io.tailrace.outbox.model.RealOutbox} does it and
 * reads what is; {@link io.tailrace.outbox.model.Walk} takes steps in both and compares after each. May import: the outbox's
 * public shapes, the test foundation. Nothing here looks into the implementation's decisions.
 *
 * <p>Time in a walk moves in {@link io.tailrace.outbox.model.OutboxModel#TICK ticks}, and every interval is half a tick off
 * them, so that the milliseconds a walk really takes decide nothing.
 */
@NullMarked
package io.tailrace.outbox.model;

import org.jspecify.annotations.NullMarked;
