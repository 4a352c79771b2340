package io.tailrace.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.activity.ActivitySettings;
import io.tailrace.config.GroupCommitConfig;
import io.tailrace.config.OutboxConfig;
import io.tailrace.config.TailraceConfig;
import io.tailrace.outbox.Claim;
import io.tailrace.outbox.DeliveryPolicy;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.outbox.RetryPolicy;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WiringTest {
    private static OutboxSettings settings(Map<String, String> set) {
        return Wiring.settings(TailraceConfig.defaults(set).outbox());
    }

    @Test
    @DisplayName("CONF-1 what is set reaches the outbox")
    void reaches() {
        OutboxSettings settings = settings(Map.of(
                "outbox.dedup_days", "3",
                "outbox.group_commit.enabled", "false",
                "outbox.group_commit.lanes", "1",
                "outbox.group_commit.flush_entries", "7",
                "outbox.retry.financial.max_attempts", "4",
                "outbox.retry.ephemeral.max_age", "5 min"));

        assertThat(settings.horizonDays()).isEqualTo(3);
        assertThat(settings.groupCommit()).isFalse();
        assertThat(settings.lanes()).isEqualTo(1);
        assertThat(settings.limits().flushEntries()).isEqualTo(7);
        assertThat(settings.retryPolicy().rules())
                .containsEntry(DeliveryPolicy.FINANCIAL, new RetryPolicy.Rule(Duration.ofHours(24), 4))
                .containsEntry(DeliveryPolicy.EPHEMERAL, new RetryPolicy.Rule(Duration.ofMinutes(5), null))
                .containsEntry(DeliveryPolicy.CREATE, RetryPolicy.Rule.DEFAULT);
    }

    @Test
    @DisplayName("CONF-1 the settings and the capabilities agree about their limits")
    void sameLimits() {
        assertThat(OutboxConfig.MOST_FLUSH_ENTRIES).isEqualTo(OutboxSettings.MOST_FLUSH_ENTRIES);
        assertThat(GroupCommitConfig.MOST_FLUSH_ENTRIES).isEqualTo(ActivitySettings.MOST_FLUSH_ENTRIES);
        assertThat(OutboxConfig.SHORTEST_LEASE).isEqualTo(Claim.MIN_LEASE);
        assertThat(OutboxConfig.LONGEST_LEASE).isEqualTo(Claim.MAX_LEASE);
        assertThat(TailraceConfig.defaults(Map.of()).outbox().lease()).isEqualTo(Claim.DEFAULT_LEASE);
    }
}
