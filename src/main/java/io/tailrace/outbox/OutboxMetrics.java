package io.tailrace.outbox;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** What the outbox counts (OUT-30), over all tenants. Counters are of this instance; gauges of the whole database. */
final class OutboxMetrics {
    private final Counter claimed;
    private final Counter throttled;
    private final Counter retried;
    private final Counter leaseLost;
    private final Map<PartState, Counter> ended = new EnumMap<>(PartState.class);
    private final Map<PartState, Counter> rescued = new EnumMap<>(PartState.class);
    private final Map<PartState, AtomicLong> depth = new EnumMap<>(PartState.class);
    private final AtomicLong oldestClaimableMillis = new AtomicLong();
    private final AtomicLong walked = new AtomicLong();

    OutboxMetrics(MeterRegistry meters) {
        claimed = counter(meters, "claimed", "parts leased");
        throttled = counter(meters, "throttled", "429 answers settled");
        retried = counter(meters, "retried", "parts settled to be sent again");
        leaseLost = counter(meters, "lease_lost", "starts, renewals and settlements that came too late");
        ended.put(PartState.DELIVERED, counter(meters, "delivered", "parts delivered"));
        ended.put(PartState.AMBIGUOUS, counter(meters, "ambiguous", "parts that may or may not have gone out"));
        ended.put(PartState.DEAD_LETTER, counter(meters, "dead_lettered", "parts given up"));
        ended.put(PartState.EXPIRED, counter(meters, "expired", "parts whose time had passed"));
        ended.put(PartState.CANCELLED, counter(meters, "cancelled", "parts cancelled by a predecessor or an operator"));
        for (PartState target :
                List.of(PartState.RETRY_WAIT, PartState.AMBIGUOUS, PartState.DEAD_LETTER, PartState.EXPIRED)) {
            rescued.put(
                    target,
                    Counter.builder("tailrace.outbox.rescued")
                            .description("lapsed leases taken back, by what became of the part")
                            .tag("target", target.wire())
                            .register(meters));
        }
        for (PartState state : PartState.IN_FLIGHT) {
            AtomicLong value = new AtomicLong();
            depth.put(state, value);
            Gauge.builder("tailrace.outbox.depth", value, AtomicLong::doubleValue)
                    .description("parts in flight")
                    .tag("state", state.wire())
                    .register(meters);
        }
        Gauge.builder("tailrace.outbox.oldest.claimable.age", oldestClaimableMillis, age -> age.doubleValue() / 1000.0)
                .description("how long the oldest claimable part has been due")
                .baseUnit("seconds")
                .register(meters);
        Gauge.builder("tailrace.outbox.claim.dead.candidates", walked, AtomicLong::doubleValue)
                .description(
                        "index entries before the first live candidate, nearly all dead, when a slow claim last had them"
                                + " counted; many mean that somebody's old transaction keeps vacuum from removing them")
                .register(meters);
    }

    /** What a search from the lowest id would have walked past, when it was last looked at. */
    void walked(long entries) {
        walked.set(entries);
    }

    private static Counter counter(MeterRegistry meters, String name, String description) {
        return Counter.builder("tailrace.outbox." + name)
                .description(description)
                .register(meters);
    }

    void claimed(int parts) {
        claimed.increment(parts);
    }

    void leaseLost(long leases) {
        leaseLost.increment((double) leases);
    }

    void throttled() {
        throttled.increment();
    }

    void retried() {
        retried.increment();
    }

    void ended(PartState state) {
        Counter counter = ended.get(state);
        if (counter != null) {
            counter.increment();
        }
    }

    void rescued(PartState target) {
        Counter counter = rescued.get(target);
        if (counter != null) {
            counter.increment();
        }
    }

    void sampled(Map<PartState, Long> depths, long oldestMillis) {
        depth.forEach((state, value) -> value.set(depths.getOrDefault(state, 0L)));
        oldestClaimableMillis.set(oldestMillis);
    }
}
