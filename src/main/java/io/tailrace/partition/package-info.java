/**
 * The partition engine: keeps the future of every time-partitioned table made, and lets its past leave.
 *
 * <pre>
 *   observe (PartitionCatalog) ──► plan (PartitionPlanner, no I/O) ──► apply (PartitionStore)
 *        └ Observation                  └ operations · findings             └ one transaction an operation
 *
 *   PartitionMaintenance: under one lock of the fleet, for each table by itself: create ahead
 *   PartitionRemoval, a worker of its own: finalize, then detach and drop what has expired and no DropGuard keeps
 *   PartitionHealth, PartitionListing: the same observation, for readiness and for people
 * </pre>
 *
 * <p>May import: {@code worker}, {@code db}, {@code config}, Vert.x core and the SQL client, Micrometer. Knows no
 * capability: tables come as {@link io.tailrace.partition.PartitionedTable}, what keeps an expired period as {@link
 * io.tailrace.partition.DropGuard}.
 *
 * <p>Invariants: a partition's period is what its bound in the catalogue says, never its name; bounds are UTC and
 * half-open; a partition is created as a table of its own and attached, never by {@code CREATE … PARTITION OF}; what the
 * engine did not make or does not understand is reported and left alone; no DEFAULT partition, no foreign key; creating
 * never waits for removing; identifiers are quoted by PostgreSQL ({@code format('%I')}), in {@code PartitionStore} only.
 */
@NullMarked
package io.tailrace.partition;

import org.jspecify.annotations.NullMarked;
