package io.tailrace.partition;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was there at one moment: all that a plan may rest on.
 *
 * @param now PostgreSQL's clock
 * @param parent null when there is no such table
 * @param partitions everything attached to the parent, a pending detach included
 * @param namesTaken of the names of the current and the upcoming periods, those that some relation bears
 */
public record Observation(
        Instant now, @Nullable Parent parent, List<FoundPartition> partitions, Set<String> namesTaken) {
    public Observation {
        partitions = List.copyOf(partitions);
        namesTaken = Set.copyOf(namesTaken);
    }

    /**
     * The partitioned table itself.
     *
     * @param strategy {@code r} for RANGE, {@code l} for LIST, {@code h} for HASH, empty when it is not partitioned
     * @param keyColumns how many columns or expressions the key has
     * @param keyColumn the first of them, empty for an expression
     * @param keyType its type, as PostgreSQL spells it
     * @param hasForeignKey one leads from it or to it
     */
    public record Parent(String strategy, int keyColumns, String keyColumn, String keyType, boolean hasForeignKey) {}
}
