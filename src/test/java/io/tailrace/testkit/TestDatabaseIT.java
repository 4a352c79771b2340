package io.tailrace.testkit;

import static io.tailrace.testkit.TestDatabase.await;
import static io.tailrace.testkit.TestDatabase.awaitFailure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tailrace.db.DatabaseFailure;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TestDatabaseIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @AfterEach
    void resetClock() {
        db.clock().reset();
    }

    @Test
    void isMigratedAndTakesTodaysRows() {
        assertThat(db.number("SELECT count(*) FROM tenants")).isEqualTo(1);
        assertThat(db.number("""
                        SELECT count(*) FROM pg_inherits WHERE inhparent = 'telegram_outbox'::regclass
                        """)).isGreaterThanOrEqualTo(8);
    }

    @Test
    void sessionsAreNotInUtc() {
        assertThat(db.value(String.class, "SELECT current_setting('timezone')")).isEqualTo(PostgresServer.ZONE);
    }

    @Test
    void theClockMovesUnderAnOpenConnection() {
        SqlConnection open = await(db.database().service().getConnection());
        Supplier<Instant> seen = () -> await(open.preparedQuery("SELECT (SELECT tailrace_now())")
                .execute()
                .map(rows -> rows.iterator().next().get(OffsetDateTime.class, 0).toInstant()));
        Instant start = seen.get();
        db.clock().advance(Duration.ofDays(400));
        db.clock().advance(Duration.ofHours(-3));
        assertThat(seen.get())
                .isCloseTo(start.plus(Duration.ofDays(400)).minus(Duration.ofHours(3)), within(30, ChronoUnit.SECONDS));
        Instant leapDay = Instant.parse("2028-02-29T23:59:59.5Z");
        db.clock().set(leapDay);
        assertThat(seen.get()).isBetween(leapDay, leapDay.plusSeconds(30));
        assertThat(await(db.database().now())).isBetween(leapDay, leapDay.plusSeconds(30));
        db.clock().set(Instant.parse("1999-12-31T23:59:59Z"));
        assertThat(db.clock().now()).isBetween("1999-12-31T23:59:59Z", "2000-01-01T00:00:29Z");
        db.clock().reset();
        assertThat(seen.get()).isBetween(start, start.plusSeconds(60));
        await(open.close());
    }

    @Test
    void aMovedClockTicksOn() {
        db.clock().set(Instant.parse("2030-01-01T00:00:00Z"));
        Instant first = db.clock().now();
        assertThat(db.clock().now()).isAfter(first);
    }

    @Test
    void aFailureComesOutAsItIs() {
        Throwable failure = awaitFailure(
                db.database().transaction(tx -> tx.query("SELECT 1/0").execute()));
        assertThat(failure).isInstanceOf(DatabaseFailure.class);
    }
}
