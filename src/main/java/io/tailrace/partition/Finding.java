package io.tailrace.partition;

/**
 * Something that the engine saw and will not touch, with what a person can do about it.
 *
 * @param about the partition's or the table's name
 */
public record Finding(Severity severity, Kind kind, String about, String detail, String whatToDo) {
    public enum Severity {
        /** Worth knowing; nothing is at stake now. */
        NOTE,
        /** Rows will be refused, or maintenance is hindered, unless somebody acts. Readiness says degraded. */
        WARNING
    }

    public enum Kind {
        PARENT_MISSING,
        PARENT_UNFIT,
        FOREIGN_KEY,
        DEFAULT_PARTITION,
        FOREIGN_TABLE,
        SUBPARTITIONED,
        ODD_BOUNDS,
        UNREADABLE_BOUNDS,
        OVERLAP,
        GAP,
        DETACH_PENDING,
        NAME_TAKEN,
        KEPT_OVERDUE
    }
}
