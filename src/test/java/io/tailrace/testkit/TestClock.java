package io.tailrace.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * Moves {@code tailrace_now()} for a whole database: every session, open or to come, of whatever process, sees the new
 * time in its next statement. The moved clock goes on ticking.
 *
 * <p>The setting {@code tailrace.clock_offset} is hung on the function itself (ALTER FUNCTION … SET): one in ALTER
 * DATABASE would reach new sessions only, and cutting the old ones off would be seen by the code under test.
 */
public final class TestClock {
    private final TestDatabase database;
    private long offsetMicros;

    TestClock(TestDatabase database) {
        this.database = database;
    }

    /** What {@code tailrace_now()} says, to the microsecond. */
    public Instant now() {
        return database.value(OffsetDateTime.class, "SELECT tailrace_now()").toInstant();
    }

    /** Moves the clock on by {@code step}, or back when it is negative; to the microsecond. */
    public synchronized void advance(Duration step) {
        setOffset(Math.addExact(offsetMicros, micros(step)));
    }

    /** Makes it {@code instant} now. */
    public void set(Instant instant) {
        long offset = database.value(
                Long.class,
                "SELECT (extract(epoch FROM ?::timestamptz - clock_timestamp()) * 1000000)::bigint",
                instant.atOffset(ZoneOffset.UTC));
        setOffset(offset);
    }

    /** Back to the server's own time. */
    public void reset() {
        setOffset(0);
    }

    private synchronized void setOffset(long micros) {
        // In microseconds, not days: a day of an interval follows the session's summer time.
        database.execute("ALTER FUNCTION tailrace_now() SET tailrace.clock_offset TO '" + micros + " microseconds'");
        offsetMicros = micros;
    }

    private static long micros(Duration duration) {
        return Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), duration.getNano() / 1_000);
    }
}
