package io.tailrace.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.doctor.Diagnosis.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DoctorRulesTest {
    private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");
    private static final Map<String, String> GOOD = Map.of(
            "fsync", "on",
            "full_page_writes", "on",
            "synchronous_commit", "on",
            "autovacuum", "on",
            "track_counts", "on",
            "max_connections", "100",
            "superuser_reserved_connections", "3",
            "default_transaction_isolation", "read committed");

    private static Facts facts(Map<String, String> settings, Duration offset, List<Facts.Holder> oldest, long dead) {
        return new Facts(170_007, settings, NOW, offset, oldest, List.of(), dead, 100, 20);
    }

    private static Facts good() {
        return facts(GOOD, Duration.ZERO, List.of(), 0);
    }

    @Test
    @DisplayName("CLI-1 doctor has nothing to say of a database that is as it should be")
    void healthy() {
        assertThat(DoctorRules.diagnose(good(), 26, NOW)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "fsync, off, ERROR",
        "full_page_writes, off, ERROR",
        "synchronous_commit, off, ERROR",
        "synchronous_commit, local, ERROR",
        "autovacuum, off, ERROR",
        "track_counts, off, ERROR",
        "default_transaction_isolation, serializable, WARNING",
        "max_connections, 20, WARNING"
    })
    @DisplayName("CLI-1 doctor names a setting that loses writes or stops vacuum, and says what to do")
    void settings(String name, String value, Severity severity) {
        Map<String, String> settings = new HashMap<>(GOOD);
        settings.put(name, value);

        assertThat(DoctorRules.diagnose(facts(settings, Duration.ZERO, List.of(), 0), 26, NOW))
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.severity()).isEqualTo(severity);
                    assertThat(one.about()).isEqualTo(name);
                    assertThat(one.whatToDo()).isNotBlank();
                });
    }

    @Test
    @DisplayName("CLI-1 doctor accepts commits that wait for a standby as well")
    void remoteApply() {
        Map<String, String> settings = new HashMap<>(GOOD);
        settings.put("synchronous_commit", "remote_apply");
        assertThat(DoctorRules.diagnose(facts(settings, Duration.ZERO, List.of(), 0), 26, NOW))
                .isEmpty();
    }

    @Test
    @DisplayName(
            "LIFE-7 doctor says when the two clocks are more than five minutes apart, and when the moved clock is in use")
    void clocks() {
        assertThat(DoctorRules.diagnose(good(), 26, NOW.plusSeconds(300))).isEmpty();
        assertThat(DoctorRules.diagnose(good(), 26, NOW.minusSeconds(301)))
                .singleElement()
                .extracting(Diagnosis::detail)
                .asString()
                .contains("301 s behind");
        assertThat(DoctorRules.diagnose(facts(GOOD, Duration.ofDays(1), List.of(), 0), 26, NOW))
                .singleElement()
                .extracting(Diagnosis::severity)
                .isEqualTo(Severity.ERROR);
    }

    @Test
    @DisplayName("LIFE-5 doctor names who holds vacuum and detaches back, and how long")
    void holders() {
        List<Facts.Holder> holders = List.of(
                new Facts.Holder("pid 7 (psql, idle in transaction)", Duration.ofHours(2)),
                new Facts.Holder("prepared transaction x", Duration.ofMinutes(6)),
                new Facts.Holder("replication slot old (nobody is connected to it)", Duration.ZERO),
                new Facts.Holder("pid 8", Duration.ofSeconds(5)));

        assertThat(DoctorRules.diagnose(facts(GOOD, Duration.ZERO, holders, 0), 26, NOW))
                .extracting(one -> one.severity() + " " + one.about())
                .containsExactly(
                        "WARNING pid 7 (psql, idle in transaction)",
                        "NOTE prepared transaction x",
                        "WARNING replication slot old (nobody is connected to it)");
    }

    @Test
    @DisplayName("OUT-14 doctor says when dead rows of the in-flight table pile up")
    void deadRows() {
        assertThat(DoctorRules.diagnose(facts(GOOD, Duration.ZERO, List.of(), 100_001), 26, NOW))
                .singleElement()
                .extracting(Diagnosis::about)
                .isEqualTo("telegram_outbox_inflight");
    }
}
