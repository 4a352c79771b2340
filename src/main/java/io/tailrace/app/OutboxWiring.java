package io.tailrace.app;

import io.tailrace.config.OutboxConfig;
import io.tailrace.db.GroupCommit;
import io.tailrace.outbox.DeliveryPolicy;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.outbox.RetryPolicy;
import java.util.Map;

/** The operator's words for the outbox in the outbox's own. */
final class OutboxWiring {
    private OutboxWiring() {}

    static OutboxSettings settings(OutboxConfig config) {
        OutboxConfig.GroupCommit lanes = config.groupCommit();
        return new OutboxSettings(
                config.dedupDays(),
                config.ledgerDays(),
                lanes.enabled(),
                lanes.lanes(),
                new GroupCommit.Limits(
                        lanes.flushEntries(),
                        lanes.flushBytes().bytes(),
                        lanes.queueEntries(),
                        lanes.queueBytes().bytes(),
                        lanes.asideAtOnce()),
                retryPolicy(config.retry()));
    }

    private static RetryPolicy retryPolicy(OutboxConfig.Retry retry) {
        return new RetryPolicy(Map.of(
                DeliveryPolicy.CREATE, rule(retry.create()),
                DeliveryPolicy.TARGET_IDEMPOTENT, rule(retry.targetIdempotent()),
                DeliveryPolicy.EPHEMERAL, rule(retry.ephemeral()),
                DeliveryPolicy.FINANCIAL, rule(retry.financial())));
    }

    private static RetryPolicy.Rule rule(OutboxConfig.RetryLimit limit) {
        return new RetryPolicy.Rule(limit.maxAge(), limit.maxAttempts() == 0 ? null : limit.maxAttempts());
    }
}
