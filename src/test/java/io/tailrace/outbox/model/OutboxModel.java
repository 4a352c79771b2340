package io.tailrace.outbox.model;

import io.tailrace.outbox.DeliveryPolicy;
import io.tailrace.outbox.PartState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the promises OUT-3 to OUT-5, OUT-11, OUT-13, OUT-16 to OUT-20, OUT-22 and OUT-23 say, in memory. */
final class OutboxModel {
    /** A step of the clock, in seconds. Leases and delays end just before one. */
    static final long TICK = 100;

    static final long LEASE = TICK - 20;
    static final long DELAY = TICK - 20;
    static final long THROTTLE = 2 * TICK + 20;
    static final long OLD = 24 * 3600;
    static final long DAY = OLD + TICK;
    private static final int LAPSES_THAT_KILL = 5;

    /** The answer to a start or a settlement; {@code code} null: ok. */
    record Answer(@Nullable String code, @Nullable PartState state, boolean replayed) {
        static final Answer LOST = new Answer("lease_lost", null, false);
        static final Answer NOT_STARTED = new Answer("not_started", null, false);

        static Answer done(ModelPart part) {
            return new Answer(null, part.state, false);
        }

        static Answer again(ModelPart part) {
            return new Answer(null, part.state, true);
        }
    }

    /** In the order of their ids. */
    private final List<ModelPart> parts = new ArrayList<>();

    private final Scenario scenario;
    private long now;
    private long pausedUntil;

    OutboxModel(Scenario scenario) {
        this.scenario = scenario;
    }

    OutboxModel copy() {
        OutboxModel copy = new OutboxModel(scenario);
        parts.forEach(part -> copy.parts.add(part.copy()));
        copy.now = now;
        copy.pausedUntil = pausedUntil;
        return copy;
    }

    List<ModelPart> parts() {
        return parts;
    }

    @Nullable
    ModelPart find(String name) {
        return parts.stream().filter(part -> part.name.equals(name)).findFirst().orElse(null);
    }

    List<ModelPart> batch(String batch) {
        return parts.stream().filter(part -> part.batch.equals(batch)).toList();
    }

    Map<String, ModelPart> byName() {
        return parts.stream().collect(Collectors.toMap(part -> part.name, part -> part, (a, b) -> a, TreeMap::new));
    }

    long now() {
        return now;
    }

    void advance(long seconds) {
        now += seconds;
    }

    String shape() {
        return parts.stream().map(part -> part.shape(now)).collect(Collectors.joining(" "))
                + (pausedUntil > now ? " paused" + (pausedUntil - now) / TICK : "")
                // Until then the clock decides what a first enqueue would find.
                + (parts.size()
                                < scenario.batches().values().stream()
                                        .mapToInt(List::size)
                                        .sum()
                        ? " t" + Math.min(now / TICK, 2)
                        : "");
    }

    /** Stores what is missing; the parts after the highest stored one. */
    void enqueue(String batch, int count) {
        List<Scenario.Part> specs = scenario.batches().getOrDefault(batch, List.of());
        for (int index = batch(batch).size(); index < count; index++) {
            ModelPart part = new ModelPart(batch, index, specs.get(index), now);
            ModelPart bad = firstBad(part);
            if (bad != null) {
                cancel(part, bad);
            }
            parts.add(part);
        }
    }

    /** The lowest part before this one in its batch that ended other than delivered, whose end it inherits. */
    private @Nullable ModelPart firstBad(ModelPart part) {
        return parts.stream()
                .filter(other -> other.batch.equals(part.batch) && other.index < part.index && other.endedBadly())
                .min(Comparator.comparingInt(other -> other.index))
                .orElse(null);
    }

    private static void cancel(ModelPart part, ModelPart because) {
        part.state = PartState.CANCELLED;
        part.cancelledBy = because.cancelledBy != null ? because.cancelledBy : because.name;
    }

    boolean claimable(ModelPart part) {
        return isHead(part) && !part.pastItsTime(now) && pausedUntil <= now;
    }

    private boolean isHead(ModelPart part) {
        if (!part.waits() || part.availableAt > now) {
            return false;
        }
        boolean mine = false;
        for (ModelPart other : parts) {
            mine |= other == part;
            boolean sameKey = other.spec.key().equals(part.spec.key());
            boolean takesPart = other.state == PartState.RETRY_WAIT
                    || (other.state == PartState.PENDING && other.availableAt <= now);
            boolean keyTaken = sameKey && (other.state == PartState.LEASED || (!mine && takesPart));
            boolean batchHeld =
                    other.batch.equals(part.batch) && other.index < part.index && other.state != PartState.DELIVERED;
            if (keyTaken || batchHeld) {
                return false;
            }
        }
        return true;
    }

    /** What a claim would find, best first. */
    List<ModelPart> claimable() {
        return parts.stream()
                .filter(this::claimable)
                .sorted(Comparator.comparingInt((ModelPart part) -> -part.spec.priority())
                        .thenComparingInt(parts::indexOf))
                .toList();
    }

    void lease(ModelPart part) {
        part.state = PartState.LEASED;
        part.attempts++;
        part.token++;
        part.leasedUntil = now + LEASE;
        part.started = false;
        part.settled = null;
        part.lapsed = false;
    }

    /** Heads whose time has passed; the claim that meets them ends them. Of a paused bot it meets none. */
    List<ModelPart> expiredHeads() {
        return pausedUntil > now
                ? List.of()
                : parts.stream()
                        .filter(part -> isHead(part) && part.pastItsTime(now))
                        .toList();
    }

    Answer start(ModelPart part) {
        if (part.holdsLease(now)) {
            boolean again = part.started;
            part.started = true;
            return again ? Answer.again(part) : Answer.done(part);
        }
        return part.started ? Answer.again(part) : Answer.LOST;
    }

    Answer settle(ModelPart part, Action.Word word, boolean latest) {
        if (!latest) {
            return Answer.LOST;
        }
        if (!part.holdsLease(now)) {
            return settleLate(part, word);
        }
        if ((word == Action.Word.DELIVERED || word == Action.Word.AMBIGUOUS) && !part.started) {
            return Answer.NOT_STARTED;
        }
        part.settled = word.outcome;
        switch (word) {
            case DELIVERED -> part.state = PartState.DELIVERED;
            case RELEASE -> {
                part.state = PartState.PENDING;
                part.availableAt = now;
                part.attempts--;
                part.lapses = 0;
            }
            case RETRY -> again(part, DELAY);
            case THROTTLED -> throttled(part);
            case THROTTLED_BOT -> {
                throttled(part);
                if (part.state == PartState.RETRY_WAIT) {
                    pausedUntil = Math.max(pausedUntil, now + THROTTLE);
                }
            }
            case AMBIGUOUS -> end(part, PartState.AMBIGUOUS);
            case DEAD_LETTER -> end(part, PartState.DEAD_LETTER);
        }
        return Answer.done(part);
    }

    private Answer settleLate(ModelPart part, Action.Word word) {
        boolean open = part.state == PartState.AMBIGUOUS || part.state == PartState.RETRY_WAIT;
        if (word == Action.Word.DELIVERED && part.lapsed && open) {
            if (!part.started) {
                return Answer.NOT_STARTED;
            }
            part.state = PartState.DELIVERED;
            part.settled = word.outcome;
            part.lapsed = false;
            reviveAfter(part);
            return Answer.done(part);
        }
        boolean said = part.state != PartState.LEASED && word.outcome.equals(part.settled);
        return said ? Answer.again(part) : Answer.LOST;
    }

    /** What it had cancelled comes back, unless another lower part holds it down. */
    private void reviveAfter(ModelPart part) {
        for (ModelPart other : parts) {
            if (part.name.equals(other.cancelledBy)) {
                other.cancelledBy = null;
                ModelPart bad = firstBad(other);
                if (bad != null) {
                    cancel(other, bad);
                } else {
                    other.state = PartState.PENDING;
                }
            }
        }
    }

    private void throttled(ModelPart part) {
        again(part, THROTTLE);
        if (part.state == PartState.RETRY_WAIT) {
            part.attempts--;
            part.throttles++;
        }
    }

    private void again(ModelPart part, long delay) {
        part.lapses = 0;
        if (now - part.createdAt >= OLD) {
            end(part, part.started && !mayRepeat(part) ? PartState.AMBIGUOUS : PartState.DEAD_LETTER);
        } else {
            part.state = PartState.RETRY_WAIT;
            part.availableAt = now + delay;
        }
    }

    private static boolean mayRepeat(ModelPart part) {
        return part.spec.policy() == DeliveryPolicy.TARGET_IDEMPOTENT || part.spec.policy() == DeliveryPolicy.EPHEMERAL;
    }

    void rescue() {
        each(part -> part.state == PartState.LEASED && part.leasedUntil <= now, part -> {
            part.lapsed = true;
            if (part.pastItsTime(now)) {
                end(part, PartState.EXPIRED);
            } else if (part.started && !mayRepeat(part)) {
                end(part, PartState.AMBIGUOUS);
            } else if (part.lapses + 1 >= LAPSES_THAT_KILL) {
                end(part, PartState.DEAD_LETTER);
            } else {
                part.lapses++;
                part.state = PartState.RETRY_WAIT;
                part.availableAt = now;
            }
        });
    }

    void expire() {
        each(part -> part.waits() && part.pastItsTime(now), part -> end(part, PartState.EXPIRED));
    }

    private void each(Predicate<ModelPart> which, Consumer<ModelPart> what) {
        // Highest first: of two parts of one batch that expire together, neither is cancelled by the other.
        List<ModelPart> chosen = new ArrayList<>(parts.stream().filter(which).toList());
        chosen.sort(Comparator.comparingInt((ModelPart part) -> -part.index));
        chosen.forEach(what);
    }

    /** Any end but delivered cancels the later parts of the batch. */
    void end(ModelPart part, PartState state) {
        part.state = state;
        for (ModelPart later : parts) {
            boolean behind = later.batch.equals(part.batch) && later.index > part.index;
            if (behind && later.waits()) {
                cancel(later, part);
            }
        }
    }
}
