package io.tailrace.partition;

import static io.tailrace.partition.Seen.DAYS;
import static io.tailrace.partition.Seen.MONTHS;
import static io.tailrace.partition.Seen.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.partition.PartitionHealth.Report;
import io.tailrace.partition.PartitionHealth.Status;
import io.tailrace.partition.PartitionHealth.TableHealth;
import io.tailrace.worker.WorkerRunStore.LastRun;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PartitionHealthTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static TableHealth with(PartitionedTable table, int periods) {
        List<Span> expected = PartitionPlanner.expected(table, NOW);
        return PartitionHealth.judge(table, Seen.of(table, NOW, Seen.made(table, expected.subList(0, periods))));
    }

    private static Optional<LastRun> run(boolean ok, Duration age) {
        return Optional.of(new LastRun(NOW.minus(age), ok, new JsonObject(), age));
    }

    private static Report report(Status table, Optional<LastRun> last) {
        return PartitionHealth.judge(HOUR, Map.of("t", new TableHealth(table, 7, List.of(), List.of())), last);
    }

    @Test
    @DisplayName("LIFE-8 days of future left, per table")
    void daysAhead() {
        assertThat(with(DAYS, 8).daysAhead()).isEqualTo(7);
        assertThat(with(DAYS, 1).daysAhead()).isEqualTo(0);
        assertThat(with(DAYS, 0).daysAhead()).isEqualTo(-1);
        // November 30th: all of December, January, February.
        assertThat(with(MONTHS, 4).daysAhead()).isEqualTo(31 + 31 + 28);
    }

    @Test
    @DisplayName("LIFE-8 one day short, as every midnight, is ok; more is degraded; none for now is an error")
    void shortOfFuture() {
        assertThat(with(DAYS, 8).status()).isEqualTo(Status.OK);
        assertThat(with(DAYS, 7).status()).isEqualTo(Status.OK);
        assertThat(with(DAYS, 6).status()).isEqualTo(Status.DEGRADED);
        assertThat(with(DAYS, 1).status()).isEqualTo(Status.DEGRADED);
        assertThat(with(DAYS, 0).status()).isEqualTo(Status.ERROR);
    }

    @Test
    @DisplayName("LIFE-8 a pending detach is named and degrades; of the current period it is an error")
    void pending() {
        List<FoundPartition> found = new ArrayList<>(Seen.made(DAYS, PartitionPlanner.expected(DAYS, NOW)));
        Span yesterday = Period.DAY.at(NOW.minus(Duration.ofDays(1)));
        found.add(Seen.pending(Seen.table("yesterday", yesterday.from(), yesterday.to())));
        TableHealth old = PartitionHealth.judge(DAYS, Seen.of(DAYS, NOW, found));
        assertThat(old.status()).isEqualTo(Status.DEGRADED);
        assertThat(old.pendingDetach()).containsExactly("yesterday");
        found.set(0, Seen.pending(found.get(0)));
        assertThat(PartitionHealth.judge(DAYS, Seen.of(DAYS, NOW, found)).status())
                .isEqualTo(Status.ERROR);
    }

    @Test
    @DisplayName(
            "LIFE-8 stale after two periods, degraded after a failed run, and only a missing current partition is unready")
    void wholeReport() {
        assertThat(report(Status.OK, run(true, HOUR)).status()).isEqualTo(Status.OK);
        assertThat(report(Status.OK, run(true, HOUR.multipliedBy(2))).status()).isEqualTo(Status.OK);
        assertThat(report(Status.OK, run(true, HOUR.multipliedBy(2).plusMillis(1)))
                        .status())
                .isEqualTo(Status.STALE);
        assertThat(report(Status.OK, Optional.empty()).status()).isEqualTo(Status.STALE);
        assertThat(report(Status.OK, run(false, HOUR)).status()).isEqualTo(Status.DEGRADED);
        assertThat(report(Status.DEGRADED, run(true, HOUR)).status()).isEqualTo(Status.DEGRADED);
        assertThat(report(Status.DEGRADED, Optional.empty()).currentMissing()).isFalse();
        assertThat(report(Status.ERROR, run(true, HOUR)))
                .matches(Report::currentMissing)
                .extracting(Report::status)
                .isEqualTo(Status.ERROR);
    }
}
