package io.tailrace.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Small values with rules of their own. */
class OutboxValuesTest {
    private static final long YEAR_2000 = 946_684_800_000_000L;
    private static final long YEAR_2200 = 7_258_118_400_000_000L;

    @Property(tries = 500)
    @Label("OUT-3 a part's public id is opaque, of 22 characters, and comes back as it was")
    void partIdRoundTrip(
            @ForAll @LongRange(min = 1) long id, @ForAll @LongRange(min = YEAR_2000, max = YEAR_2200) long micros) {
        PartId partId = new PartId(id, Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
        assertThat(partId.opaque()).hasSize(22).matches("[A-Za-z0-9_-]+");
        assertThat(PartId.parse(partId.opaque())).contains(partId);
    }

    @Test
    void nothingElseIsAPartId() {
        String good = new PartId(5, Instant.parse("2026-11-30T20:41:26.123456Z")).opaque();
        byte[] bytes = Base64.getUrlDecoder().decode(good);
        assertThat(PartId.parse("")).isEmpty();
        assertThat(PartId.parse("5")).isEmpty();
        assertThat(PartId.parse(good.substring(1))).isEmpty();
        assertThat(PartId.parse(good + "A")).isEmpty();
        assertThat(PartId.parse("!" + good.substring(1))).isEmpty();
        // The last character carries four bits that no encoder sets.
        char last = good.charAt(21);
        assertThat(PartId.parse(good.substring(0, 21) + (char) (last + 1))).isEmpty();
        byte[] noId = bytes.clone();
        noId[15] = 0;
        assertThat(PartId.parse(text(noId))).isEmpty();
        byte[] negative = bytes.clone();
        negative[8] = (byte) 0x80;
        assertThat(PartId.parse(text(negative))).isEmpty();
        byte[] longAgo = bytes.clone();
        longAgo[0] = (byte) 0x80;
        assertThat(PartId.parse(text(longAgo))).isEmpty();
        byte[] farAhead = bytes.clone();
        farAhead[0] = 0x7f;
        assertThat(PartId.parse(text(farAhead))).isEmpty();
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Property(tries = 500)
    @Label("OUT-19 the default delay is 500 ms doubled with each attempt, at most 10 minutes, and the jitter")
    void defaultDelay(
            @ForAll @IntRange(min = 1, max = 1_000_000) int attempt, @ForAll @IntRange(max = 249) int jitter) {
        Duration delay = RetryPolicy.defaultDelay(attempt, jitter).minusMillis(jitter);
        double expected = Math.min(500 * Math.pow(2, attempt - 1.0), 600_000);
        assertThat(delay.toMillis()).isEqualTo((long) expected);
        assertThat(RetryPolicy.defaultDelay(attempt + 1, jitter)).isGreaterThanOrEqualTo(delay);
    }

    @Property(tries = 200)
    @Label("OUT-29 a range covers whole UTC days and every instant it was made of")
    void timeRange(
            @ForAll @LongRange(min = YEAR_2000, max = YEAR_2200) long one,
            @ForAll @LongRange(min = YEAR_2000, max = YEAR_2200) long other) {
        Instant a = Instant.EPOCH.plus(one, ChronoUnit.MICROS);
        Instant b = Instant.EPOCH.plus(other, ChronoUnit.MICROS);
        TimeRange range = TimeRange.around(List.of(a, b));
        for (Instant instant : List.of(a, b)) {
            assertThat(instant).isBetween(range.from(), range.to()).isNotEqualTo(range.to());
        }
        Instant first = a.isBefore(b) ? a : b;
        assertThat(range.from()).isEqualTo(first.truncatedTo(ChronoUnit.DAYS));
        assertThat(Duration.between(range.from(), range.to()).toHours() % 24).isZero();
    }

    @Test
    @DisplayName("OUT-29 a range is a literal condition with its offset, whatever the session's zone")
    void condition() {
        TimeRange range = TimeRange.around(List.of(Instant.parse("2026-11-30T23:59:59.999999Z")));
        assertThat(range.condition("o.created_at"))
                .isEqualTo("(o.created_at >= '2026-11-30T00:00+00' AND o.created_at < '2026-12-01T00:00+00')");
    }
}
