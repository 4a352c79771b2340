package io.tailrace.partition;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The times for which a row finds a partition.
 *
 * @param spans ascending
 * @param rest a DEFAULT partition takes whatever the spans do not
 */
public record Coverage(List<Span> spans, boolean rest) {
    public Coverage {
        spans = spans.stream().sorted().toList();
    }

    /** What these partitions take: a pending detach takes nothing. */
    public static Coverage of(List<FoundPartition> partitions) {
        List<FoundPartition> taking =
                partitions.stream().filter(found -> !found.detachPending()).toList();
        return new Coverage(
                taking.stream()
                        .map(FoundPartition::bounds)
                        .filter(PartitionBounds.Range.class::isInstance)
                        .map(bounds -> ((PartitionBounds.Range) bounds).span())
                        .toList(),
                taking.stream().anyMatch(found -> found.bounds() instanceof PartitionBounds.Default));
    }

    /** A row of this instant would be stored. */
    public boolean takes(Instant instant) {
        return rest || until(instant).isPresent();
    }

    /** Every instant of {@code span} lies in a partition of its own, DEFAULT aside. */
    public boolean covers(Span span) {
        return until(span.from()).filter(end -> !end.isBefore(span.to())).isPresent();
    }

    /** The end of the unbroken stretch of partitions that {@code start} lies in; empty when it lies in none. */
    public Optional<Instant> until(Instant start) {
        Instant end = start;
        for (Span span : spans) {
            if (span.contains(end)) {
                end = span.to();
            }
        }
        return end.equals(start) ? Optional.empty() : Optional.of(end);
    }

    /** Whole days of UTC after today that are covered without a break; −1 when not even now is. */
    public long daysAhead(Instant now) {
        Instant tomorrow = Period.DAY.at(now).to();
        return until(now)
                .map(end -> end.isBefore(tomorrow)
                        ? 0L
                        : Duration.between(tomorrow, end).toDays())
                .orElse(-1L);
    }
}
