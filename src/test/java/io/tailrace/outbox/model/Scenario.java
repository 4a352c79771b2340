package io.tailrace.outbox.model;

import io.tailrace.outbox.DeliveryPolicy;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The batches of a walk.
 *
 * @param first how many parts of each batch its first enqueue has; the others are added by a later one
 */
record Scenario(String name, int first, Map<String, List<Part>> batches) {
    static final long NEVER = Long.MAX_VALUE;

    /** Times in seconds since the walk began; 0: at once. */
    record Part(String key, DeliveryPolicy policy, int priority, long availableAt, long expiresAt) {
        Part policy(DeliveryPolicy changed) {
            return new Part(key, changed, priority, availableAt, expiresAt);
        }

        Part priority(int changed) {
            return new Part(key, policy, changed, availableAt, expiresAt);
        }

        /** Due after the first tick. */
        Part scheduled() {
            return new Part(key, policy, priority, OutboxModel.TICK / 2, expiresAt);
        }

        /** Its time has passed after the second tick. */
        Part mortal() {
            return new Part(key, policy, priority, availableAt, OutboxModel.TICK + OutboxModel.TICK / 2);
        }
    }

    static Part on(String key) {
        return new Part(key, DeliveryPolicy.CREATE, 0, 0, NEVER);
    }

    static Scenario of(String name, int first, List<Part> a, List<Part> b) {
        return new Scenario(name, first, new TreeMap<>(b.isEmpty() ? Map.of("A", a) : Map.of("A", a, "B", b)));
    }

    @Override
    public String toString() {
        return name;
    }

    /** Small enough for every state to be reached. */
    static final Scenario ONE_KEY =
            of("one part behind another, and a third", 1, List.of(on("K"), on("K")), List.of(on("K")));

    static final Scenario CROSSED = of(
            "two batches on two keys in opposite order",
            2,
            List.of(on("K"), on("L"), on("K")),
            List.of(on("L").policy(DeliveryPolicy.TARGET_IDEMPOTENT), on("K").priority(5), on("L")));

    static final Scenario CROSSED_IN_TIME = of(
            "crossed, with schedules and times to live",
            2,
            List.of(on("K"), on("L").mortal(), on("L").policy(DeliveryPolicy.EPHEMERAL)),
            List.of(
                    on("L").scheduled(),
                    on("K").policy(DeliveryPolicy.FINANCIAL).mortal(),
                    on("K")));

    static final Scenario CROWDED = of(
            "all on one key",
            2,
            List.of(on("K").mortal(), on("K").scheduled(), on("K")),
            List.of(on("K").policy(DeliveryPolicy.TARGET_IDEMPOTENT), on("K").priority(9), on("K").mortal()));

    static final Scenario REPEATING = of(
            "everything may be repeated",
            1,
            List.of(
                    on("K").policy(DeliveryPolicy.EPHEMERAL),
                    on("L").policy(DeliveryPolicy.TARGET_IDEMPOTENT),
                    on("K").policy(DeliveryPolicy.TARGET_IDEMPOTENT).mortal()),
            List.of(on("L").policy(DeliveryPolicy.TARGET_IDEMPOTENT), on("K").policy(DeliveryPolicy.EPHEMERAL)));

    static final List<Scenario> ALL = List.of(ONE_KEY, CROSSED, CROSSED_IN_TIME, CROWDED, REPEATING);
}
