package io.tailrace.partition;

/** What the catalogue says a partition holds. */
public sealed interface PartitionBounds {
    /** {@code FOR VALUES FROM … TO …}. */
    record Range(Span span) implements PartitionBounds {}

    /** The DEFAULT partition: whatever no other takes. */
    record Default() implements PartitionBounds {}

    /** Bounds that say nothing to this engine; {@code expression} is PostgreSQL's text. */
    record Unreadable(String expression) implements PartitionBounds {}
}
