package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.outbox.PartId;
import io.tailrace.wire.BlobBudget;
import io.tailrace.wire.PartCursor;
import io.tailrace.wire.Rfc3339;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The small pure parts of the edge. */
class EdgeRulesTest {
    @ParameterizedTest
    @CsvSource({
        "2026-11-30T20:41:26.123456Z, 2026-11-30T20:41:26.123456Z",
        "2026-11-30T20:41:26Z, 2026-11-30T20:41:26.000000Z",
        "2026-11-30T23:41:26.1+03:00, 2026-11-30T20:41:26.100000Z",
        "2026-11-30T20:41:26.123456999Z, 2026-11-30T20:41:26.123456Z",
        "2028-02-29T00:00:00-11:30, 2028-02-29T11:30:00.000000Z",
    })
    @DisplayName("API-2 times are taken with any offset, cut to microseconds, and written in UTC")
    void times(String given, String written) {
        assertThat(Rfc3339.parse(given).map(Rfc3339::format)).contains(written);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "2026-11-30",
                "2026-11-30T20:41Z",
                "2026-11-30T20:41:26",
                "2026-11-30 20:41:26Z",
                "1999-12-31T23:59:59Z",
                "2200-01-01T00:00:00Z",
                "2027-02-29T00:00:00Z",
                "2026-11-30T24:00:00Z",
                "2026-11-30T20:41:60Z",
                "2026-11-30T20:41:26.Z",
                "2026-11-30T20:41:26+03",
                "2026-11-30T20:41:26+19:00",
                "+2026-11-30T20:41:26Z"
            })
    void noTimes(String given) {
        assertThat(Rfc3339.parse(given)).isEmpty();
    }

    @Test
    @DisplayName("API-2 a cursor is of one list, and every change of it is noticed")
    void cursors() {
        PartId last = new PartId(123_456, Instant.parse("2026-11-30T20:41:26.123456Z"));
        String cursor = PartCursor.of(last, "list");
        assertThat(PartCursor.parse(cursor, "list")).contains(last);
        assertThat(PartCursor.parse(cursor, "other list")).isEmpty();
        for (int i = 0; i < cursor.length(); i++) {
            for (char c : "Aa0_".toCharArray()) {
                if (c != cursor.charAt(i)) {
                    assertThat(PartCursor.parse(cursor.substring(0, i) + c + cursor.substring(i + 1), "list"))
                            .isEmpty();
                }
            }
        }
    }

    @Test
    @DisplayName("API-4 a key may make a second's worth at once, then evenly")
    void rate() {
        AtomicLong now = new AtomicLong();
        RateLimits rates = new RateLimits(10, now::get);
        for (int i = 0; i < 10; i++) {
            RateLimits.Verdict verdict = rates.take("k");
            assertThat(verdict.allowed()).isTrue();
            assertThat(verdict.remaining()).isEqualTo(9 - i);
        }
        assertThat(rates.take("k").allowed()).isFalse();
        assertThat(rates.take("k").waitSeconds()).isEqualTo(1);
        assertThat(rates.take("other").allowed()).isTrue();
        now.addAndGet(100_000_000);
        assertThat(rates.take("k").allowed()).isTrue();
        assertThat(rates.take("k").allowed()).isFalse();
        now.addAndGet(3_600_000_000_000L);
        assertThat(rates.take("k").remaining()).isEqualTo(9);
    }

    @Test
    void theBudgetOfUploadsIsGivenBack() {
        BlobBudget budget = new BlobBudget(10);
        assertThat(budget.take(6)).isTrue();
        assertThat(budget.take(6)).isFalse();
        budget.giveBack(6);
        assertThat(budget.take(10)).isTrue();
    }
}
