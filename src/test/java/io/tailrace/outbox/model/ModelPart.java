package io.tailrace.outbox.model;

import io.tailrace.outbox.PartState;
import org.jspecify.annotations.Nullable;

/** What the model knows of one stored part. Times in seconds since the walk began. */
final class ModelPart {
    final String name;
    final String batch;
    final int index;
    final Scenario.Part spec;
    final long createdAt;

    PartState state = PartState.PENDING;
    long availableAt;
    int attempts;
    int throttles;
    int lapses;
    long token;
    long leasedUntil;
    boolean started;
    /** What the latest token settled with; null: nothing yet. */
    @Nullable
    String settled;
    /** The latest token's lease ran out without a word. */
    boolean lapsed;

    @Nullable
    String cancelledBy;

    ModelPart(String batch, int index, Scenario.Part spec, long now) {
        this.name = batch + index;
        this.batch = batch;
        this.index = index;
        this.spec = spec;
        this.createdAt = now;
        this.availableAt = Math.max(spec.availableAt(), now);
    }

    ModelPart copy() {
        ModelPart copy = new ModelPart(batch, index, spec, createdAt);
        copy.state = state;
        copy.availableAt = availableAt;
        copy.attempts = attempts;
        copy.throttles = throttles;
        copy.lapses = lapses;
        copy.token = token;
        copy.leasedUntil = leasedUntil;
        copy.started = started;
        copy.settled = settled;
        copy.lapsed = lapsed;
        copy.cancelledBy = cancelledBy;
        return copy;
    }

    boolean waits() {
        return state == PartState.PENDING || state == PartState.RETRY_WAIT;
    }

    boolean endedBadly() {
        return !state.inFlight() && state != PartState.DELIVERED;
    }

    boolean pastItsTime(long now) {
        return spec.expiresAt() <= now;
    }

    boolean holdsLease(long now) {
        return state == PartState.LEASED && leasedUntil > now;
    }

    /** Everything that can matter for what may happen next, without absolute times and counts. */
    String shape(long now) {
        String due = waits() ? (availableAt <= now ? "d" : "+" + (availableAt - now) / OutboxModel.TICK) : "";
        String lease = state == PartState.LEASED ? (leasedUntil > now ? "h" : "x") : "";
        String life = state.inFlight() && spec.expiresAt() != Scenario.NEVER ? (pastItsTime(now) ? "!" : "~") : "";
        String age = state.inFlight() && now - createdAt >= OutboxModel.OLD ? "o" : "";
        return name
                + state.name().charAt(0)
                + state.name().charAt(1)
                + due
                + lease
                + life
                + age
                + (started ? "s" : "")
                + (lapsed ? "l" + lapses : "")
                + (settled == null ? "" : settled.charAt(0))
                + (token > 1 ? 2 : token)
                + (cancelledBy == null ? "" : "<" + cancelledBy);
    }
}
