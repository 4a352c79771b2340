package io.tailrace.outbox;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * When a part that did not go out is tried again, and when no more.
 *
 * @param rules one for each delivery policy
 */
public record RetryPolicy(Map<DeliveryPolicy, Rule> rules) {
    /** First delay; it doubles with each attempt up to {@link #LONGEST_DELAY}. */
    public static final Duration FIRST_DELAY = Duration.ofMillis(500);

    public static final Duration LONGEST_DELAY = Duration.ofMinutes(10);
    /** What a 429 without retry_after means. */
    public static final Duration THROTTLE_WITHOUT_HINT = Duration.ofSeconds(60);
    /** Leases in a row that lapsed without an outcome before the part is taken for one that kills its worker. */
    public static final int LAPSES_IN_A_ROW = 5;

    /**
     * @param maxAge measured from created_at; a retry asked for later than that ends the part
     * @param maxAttempts null: no cap
     */
    public record Rule(Duration maxAge, @Nullable Integer maxAttempts) {
        public static final Rule DEFAULT = new Rule(Duration.ofHours(24), null);
    }

    public static final RetryPolicy DEFAULT = new RetryPolicy(Map.of());

    public RetryPolicy {
        rules = Map.copyOf(rules);
    }

    Rule rule(DeliveryPolicy policy) {
        return rules.getOrDefault(policy, Rule.DEFAULT);
    }

    /**
     * 500 ms × 2^(attempt−1), at most 10 minutes, plus the part's own 0 to 249 ms.
     *
     * @param attempt 1 for the first
     */
    static Duration defaultDelay(int attempt, int jitterMs) {
        int doublings = Math.min(Math.max(attempt, 1) - 1, 30);
        Duration delay = FIRST_DELAY.multipliedBy(1L << doublings);
        return (delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay).plusMillis(jitterMs);
    }
}
