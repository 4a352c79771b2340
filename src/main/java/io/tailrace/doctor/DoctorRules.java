package io.tailrace.doctor;

import io.tailrace.doctor.Diagnosis.Severity;
import io.tailrace.partition.Finding;
import io.tailrace.partition.PartitionHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Makes diagnoses of facts. No I/O, no clock of its own. */
final class DoctorRules {
    private static final int OLDEST_VERSION = 150_000;
    private static final Duration CLOCKS_APART = Duration.ofMinutes(5);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration TOO_LONG = Duration.ofHours(1);
    private static final long MANY_DEAD = 100_000;
    private static final Pattern LEFT_OVER = Pattern.compile("_cc(new|old)\\d*\"?$");

    /** A setting that must have one value, and what goes wrong with another. */
    private record Wanted(String name, String value, Severity severity, String otherwise) {}

    private static final List<Wanted> WANTED = List.of(
            new Wanted("fsync", "on", Severity.ERROR, "acknowledged writes are lost when the machine fails"),
            new Wanted("full_page_writes", "on", Severity.ERROR, "a torn page after a crash is not repaired"),
            new Wanted("synchronous_commit", "on", Severity.ERROR, "acknowledged writes may be lost in a crash"),
            new Wanted(
                    "autovacuum", "on", Severity.ERROR, "dead rows are never removed, and claims slow down for good"),
            new Wanted("track_counts", "on", Severity.ERROR, "autovacuum does not know what to clean"),
            new Wanted(
                    "default_transaction_isolation",
                    "read committed",
                    Severity.WARNING,
                    "SQL callers of tailrace.enqueue are refused unless they ask for READ COMMITTED"));

    private DoctorRules() {}

    static List<Diagnosis> diagnose(Facts facts, int poolConnections, Instant jvmNow) {
        List<Diagnosis> found = new ArrayList<>();
        if (facts.version() < OLDEST_VERSION) {
            found.add(new Diagnosis(
                    Severity.ERROR,
                    "version",
                    "PostgreSQL " + facts.version() / 10_000 + " is too old",
                    "use PostgreSQL 15 or later"));
        }
        settings(facts.settings(), found);
        connections(facts, poolConnections, found);
        clocks(facts, jvmNow, found);
        for (Facts.Holder holder : facts.oldest()) {
            holder(holder, found);
        }
        facts.invalidIndexes().forEach(name -> found.add(invalid(name)));
        if (facts.deadInFlight() > MANY_DEAD && facts.deadInFlight() > 10 * facts.liveInFlight()) {
            found.add(new Diagnosis(
                    Severity.WARNING,
                    "telegram_outbox_inflight",
                    "has " + facts.deadInFlight() + " dead rows beside " + facts.liveInFlight()
                            + " live ones: claims walk past them",
                    "end the oldest transaction, then VACUUM telegram_outbox_inflight"));
        }
        return found;
    }

    private static Diagnosis invalid(String index) {
        // What REINDEX CONCURRENTLY makes on the side: of no use once it has failed.
        boolean leftOver = LEFT_OVER.matcher(index).find();
        return new Diagnosis(
                Severity.WARNING,
                index,
                leftOver
                        ? "was left by a REINDEX CONCURRENTLY that did not end well; it costs every write"
                        : "is an index that PostgreSQL does not use: making it CONCURRENTLY did not end well",
                (leftOver ? "DROP INDEX CONCURRENTLY " : "REINDEX INDEX CONCURRENTLY ") + index);
    }

    private static void settings(Map<String, String> settings, List<Diagnosis> found) {
        for (Wanted wanted : WANTED) {
            String value = settings.get(wanted.name());
            // remote_apply and remote_write wait for more than the local disk.
            boolean more = wanted.name().equals("synchronous_commit") && value != null && value.startsWith("remote");
            if (value != null && !value.equals(wanted.value()) && !more) {
                found.add(new Diagnosis(
                        wanted.severity(),
                        wanted.name(),
                        "is " + value + ": " + wanted.otherwise(),
                        "ALTER SYSTEM SET " + wanted.name() + " = '" + wanted.value() + "'"));
            }
        }
    }

    private static void connections(Facts facts, int poolConnections, List<Diagnosis> found) {
        int most = Integer.parseInt(facts.settings().getOrDefault("max_connections", "100"))
                - Integer.parseInt(facts.settings().getOrDefault("superuser_reserved_connections", "3"));
        if (poolConnections > most) {
            found.add(new Diagnosis(
                    Severity.WARNING,
                    "max_connections",
                    "leaves " + most + " connections, fewer than the " + poolConnections
                            + " that one instance may open",
                    "raise max_connections, or lower database.pool_size"));
        } else if (facts.connections() > most * 9 / 10) {
            found.add(new Diagnosis(
                    Severity.WARNING,
                    "max_connections",
                    facts.connections() + " of " + most + " connections are in use",
                    "look for connections that somebody has left open in pg_stat_activity"));
        }
    }

    private static void clocks(Facts facts, Instant jvmNow, List<Diagnosis> found) {
        Duration apart = Duration.between(facts.now(), jvmNow);
        if (apart.abs().compareTo(CLOCKS_APART) > 0) {
            found.add(new Diagnosis(
                    Severity.ERROR,
                    "clock",
                    "this machine's is " + apart.abs().toSeconds() + " s "
                            + (apart.isNegative() ? "behind" : "ahead of")
                            + " PostgreSQL's: nothing expired is removed",
                    "set both by the same time server"));
        }
        if (facts.offset().abs().compareTo(SECOND) > 0) {
            found.add(new Diagnosis(
                    Severity.ERROR,
                    "tailrace.clock_offset",
                    "moves tailrace_now() by " + facts.offset().toSeconds() + " s; it is for tests",
                    "ALTER DATABASE … RESET tailrace.clock_offset"));
        }
    }

    private static void holder(Facts.Holder holder, List<Diagnosis> found) {
        boolean slot = holder.who().startsWith("replication slot");
        if (slot || holder.age().compareTo(LONG) > 0) {
            found.add(new Diagnosis(
                    slot || holder.age().compareTo(TOO_LONG) > 0 ? Severity.WARNING : Severity.NOTE,
                    holder.who(),
                    slot
                            ? "keeps vacuum from removing dead rows"
                            : "has a transaction open for " + holder.age().toSeconds()
                                    + " s: vacuum removes nothing younger, and a detach may wait for it",
                    slot ? "drop the slot, or connect its consumer" : "end that transaction"));
        }
    }

    /** What readiness knows of partitions, in the same words. */
    static List<Diagnosis> diagnose(PartitionHealth.Report report) {
        List<Diagnosis> found = new ArrayList<>();
        report.tables().forEach((table, health) -> {
            if (health.status() == PartitionHealth.Status.ERROR) {
                found.add(new Diagnosis(
                        Severity.ERROR,
                        table,
                        "has no partition for now: inserts are refused",
                        "tailrace partitions run"));
            }
            for (Finding finding : health.findings()) {
                found.add(new Diagnosis(
                        finding.severity() == Finding.Severity.NOTE ? Severity.NOTE : Severity.WARNING,
                        finding.about(),
                        finding.detail(),
                        finding.whatToDo()));
            }
        });
        if (report.status() == PartitionHealth.Status.STALE) {
            found.add(new Diagnosis(
                    Severity.WARNING,
                    "partition maintenance",
                    String.valueOf(report.detail()),
                    "start an instance, or tailrace partitions run"));
        }
        return found;
    }
}
