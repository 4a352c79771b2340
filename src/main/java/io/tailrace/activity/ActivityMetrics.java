package io.tailrace.activity;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counters of the log. No tenant label: their number has no bound. */
final class ActivityMetrics {
    private final Counter stored;
    private final Counter replayed;
    private final Counter conflicts;
    private final Counter noConversation;
    private final Counter partitionMissing;

    ActivityMetrics(MeterRegistry meters) {
        this.stored = append(meters, "stored");
        this.replayed = append(meters, "replayed");
        this.conflicts = append(meters, "idempotency_conflict");
        this.noConversation = append(meters, "not_found");
        this.partitionMissing = append(meters, "partition_missing");
    }

    private static Counter append(MeterRegistry meters, String result) {
        return Counter.builder("tailrace.activities.append")
                .description("appends by what they came to")
                .tag("result", result)
                .register(meters);
    }

    void appended(AppendResult result) {
        if (result instanceof AppendResult.Stored) {
            stored.increment();
        } else if (result instanceof AppendResult.Replayed) {
            replayed.increment();
        } else if (result instanceof AppendResult.Conflict) {
            conflicts.increment();
        } else {
            noConversation.increment();
        }
    }

    void partitionMissing() {
        partitionMissing.increment();
    }
}
