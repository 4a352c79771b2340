package io.tailrace.doctor;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What PostgreSQL says about itself.
 *
 * @param version {@code server_version_num}
 * @param settings by name, as SHOW prints them
 * @param now PostgreSQL's real clock
 * @param offset what {@code tailrace_now()} adds to it; for tests only
 * @param oldest those who hold vacuum or a detach back, the oldest first
 * @param invalidIndexes of any table of ours
 * @param deadInFlight dead row versions of the in-flight table, and its live ones
 * @param connections in use, of all
 */
record Facts(
        int version,
        Map<String, String> settings,
        Instant now,
        Duration offset,
        List<Holder> oldest,
        List<String> invalidIndexes,
        long deadInFlight,
        long liveInFlight,
        int connections) {
    /** @param who a process id and application, a prepared transaction, or a replication slot */
    record Holder(String who, Duration age) {}
}
