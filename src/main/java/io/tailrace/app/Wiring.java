package io.tailrace.app;

import io.tailrace.activity.ActivitySettings;
import io.tailrace.config.ActivitiesConfig;
import io.tailrace.config.GroupCommitConfig;
import io.tailrace.config.OutboxConfig;
import io.tailrace.db.GroupCommit;
import io.tailrace.outbox.DeliveryPolicy;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.outbox.RetryPolicy;
import java.util.Map;

/** The operator's words for a capability in the capability's own. */
final class Wiring {
    private Wiring() {}

    static OutboxSettings settings(OutboxConfig config) {
        GroupCommitConfig lanes = config.groupCommit();
        return new OutboxSettings(
                config.dedupDays(),
                config.ledgerDays(),
                lanes.enabled(),
                lanes.lanes(),
                limits(lanes),
                retryPolicy(config.retry()));
    }

    static ActivitySettings settings(ActivitiesConfig config) {
        GroupCommitConfig lanes = config.groupCommit();
        return new ActivitySettings(lanes.enabled(), lanes.lanes(), limits(lanes));
    }

    private static GroupCommit.Limits limits(GroupCommitConfig lanes) {
        return new GroupCommit.Limits(
                lanes.flushEntries(),
                lanes.flushBytes().bytes(),
                lanes.queueEntries(),
                lanes.queueBytes().bytes(),
                lanes.asideAtOnce());
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
