package io.tailrace.config;

/**
 * Writes that arrive together are committed together (OUT-10, ACT-5).
 *
 * @param enabled false commits each alone, for comparison
 * @param lanes each has one flush in flight on one connection
 * @param flushEntries entries in one flush
 * @param flushBytes a flush that has reached it is closed
 * @param queueEntries entries that may wait in a lane
 * @param queueBytes the same in bytes
 * @param asideAtOnce entries a lane may commit beside its flushes
 */
public record GroupCommitConfig(
        boolean enabled,
        int lanes,
        int flushEntries,
        DataSize flushBytes,
        int queueEntries,
        DataSize queueBytes,
        int asideAtOnce) {
    /** What a flush may hold, whatever it is of. */
    public static final int MOST_FLUSH_ENTRIES = 1_000;

    public GroupCommitConfig {
        new Checks()
                .between("lanes", lanes, 1, 64)
                .between("flush_entries", flushEntries, 1, MOST_FLUSH_ENTRIES)
                .between("flush_bytes", flushBytes, DataSize.ofKibibytes(64), DataSize.ofMebibytes(64))
                .between("queue_entries", queueEntries, 1, 1_000_000)
                .between("queue_bytes", queueBytes, DataSize.ofKibibytes(64), DataSize.ofMebibytes(1_024))
                .between("aside_at_once", asideAtOnce, 1, 64)
                .that(
                        queueEntries >= flushEntries,
                        "queue_entries",
                        "must not be less than flush_entries (" + flushEntries + "), but is " + queueEntries)
                .that(
                        queueBytes.bytes() >= flushBytes.bytes(),
                        "queue_bytes",
                        "must not be less than flush_bytes (" + flushBytes + "), but is " + queueBytes)
                .done();
    }

    /** Connections that all lanes together may hold at once. */
    public int connections() {
        return enabled ? lanes * (1 + asideAtOnce) : 0;
    }
}
