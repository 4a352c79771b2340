package io.tailrace.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PeriodicWorkerTest {
    @Test
    @DisplayName("LIFE-4 an hourly worker that failed is tried again within a minute, however often it failed")
    void hourly() {
        assertThat(IntStream.rangeClosed(1, 8)
                        .mapToObj(failures -> PeriodicWorker.backOff(Duration.ofHours(1), failures)
                                .toSeconds()))
                .containsExactly(2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
        assertThat(PeriodicWorker.backOff(Duration.ofDays(1), Integer.MAX_VALUE))
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void oneThatRunsOftenIsPutOffFromItsOwnPeriodOn() {
        assertThat(PeriodicWorker.backOff(Duration.ofMillis(250), 1)).isEqualTo(Duration.ofMillis(250));
        assertThat(PeriodicWorker.backOff(Duration.ofMillis(250), 3)).isEqualTo(Duration.ofSeconds(1));
        assertThat(PeriodicWorker.backOff(Duration.ofMillis(250), 30)).isEqualTo(Duration.ofMinutes(1));
    }
}
