package io.tailrace.partition;

/** The next move with one expired partition. Each is observed from the catalogue, so that a crash before it is picked up. */
public sealed interface RemovalStep {
    String partition();

    /** Its detach was interrupted: rows are hidden and no other partition can be detached until this is done. */
    record Finalize(String partition) implements RemovalStep {}

    /** It is out of the parent by our doing: drop it, or bring it back. */
    record Settle(RemovalRecord record) implements RemovalStep {
        @Override
        public String partition() {
            return record.partition();
        }
    }

    /** It is attached and has expired: take it out. */
    record Detach(String partition, Span span) implements RemovalStep {}

    /** The manifest speaks of a table that has nothing more to do: forget it ({@code gone}: somebody dropped it). */
    record Close(RemovalRecord record, boolean gone) implements RemovalStep {
        @Override
        public String partition() {
            return record.partition();
        }
    }
}
