package io.tailrace.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeriodTest {
    @ParameterizedTest
    @CsvSource({
        "DAY,   2026-11-30T00:00:00Z,        _p2026_11_30, 2026-11-30T00:00:00Z, 2026-12-01T00:00:00Z",
        "DAY,   2026-11-30T23:59:59.999999Z, _p2026_11_30, 2026-11-30T00:00:00Z, 2026-12-01T00:00:00Z",
        "DAY,   2026-12-31T12:00:00Z,        _p2026_12_31, 2026-12-31T00:00:00Z, 2027-01-01T00:00:00Z",
        "DAY,   2028-02-28T12:00:00Z,        _p2028_02_28, 2028-02-28T00:00:00Z, 2028-02-29T00:00:00Z",
        "DAY,   2028-02-29T12:00:00Z,        _p2028_02_29, 2028-02-29T00:00:00Z, 2028-03-01T00:00:00Z",
        "DAY,   2100-02-28T12:00:00Z,        _p2100_02_28, 2100-02-28T00:00:00Z, 2100-03-01T00:00:00Z",
        "DAY,   1969-12-31T23:59:59Z,        _p1969_12_31, 1969-12-31T00:00:00Z, 1970-01-01T00:00:00Z",
        "MONTH, 2026-11-30T23:59:59.999999Z, _p2026_11,    2026-11-01T00:00:00Z, 2026-12-01T00:00:00Z",
        "MONTH, 2026-12-01T00:00:00Z,        _p2026_12,    2026-12-01T00:00:00Z, 2027-01-01T00:00:00Z",
        "MONTH, 2028-02-29T12:00:00Z,        _p2028_02,    2028-02-01T00:00:00Z, 2028-03-01T00:00:00Z",
    })
    void aPeriodIsNamedAndBoundedInUtc(Period period, Instant instant, String suffix, Instant from, Instant to) {
        Span span = period.at(instant);
        assertThat(span).isEqualTo(new Span(from, to));
        assertThat(period.partitionName("t", span)).isEqualTo("t" + suffix);
    }

    @Test
    void boundsAreWrittenWithTheirOffset() {
        assertThat(PartitionStore.literal(Instant.parse("2026-11-30T00:00:00Z")))
                .isEqualTo("2026-11-30 00:00:00+00");
    }

    @Test
    void aNameThatPostgresWouldCutIsRefused() {
        assertThat(PartitionedTable.daily("x".repeat(44), "at").name()).hasSize(44);
        assertThatThrownBy(() -> PartitionedTable.daily("x".repeat(45), "at")).hasMessageContaining("63 bytes");
        assertThatThrownBy(() -> PartitionedTable.daily("ж".repeat(23), "at")).hasMessageContaining("63 bytes");
        assertThatThrownBy(() -> PartitionedTable.daily("x".repeat(41), "at").withUnique("batch_part", "a"))
                .hasMessageContaining("63 bytes");
    }

    @Test
    void aStorageParameterIsAName() {
        PartitionedTable table = PartitionedTable.daily("t", "at");
        assertThat(table.withStorage(Map.of("toast.autovacuum_enabled", "off")).storage())
                .hasSize(1);
        assertThatThrownBy(() -> table.withStorage(Map.of("fillfactor = 90) --", "1")))
                .hasMessageContaining("not a storage parameter");
        assertThatThrownBy(() -> table.withAhead(0)).hasMessageContaining("ahead of t");
    }
}
