/**
 * Removes what a delete has marked, in batches with short locks, the marked row last.
 *
 * <p>May import: {@code worker}, {@code db}, Vert.x core and the SQL client. Touches the tables of {@code activity} by its own SQL: it removes
 * rows, it decides nothing about them.
 *
 * <p>Invariants: one runner a purge at a time, by a lease; each batch is one transaction that holds the purge's row and has found
 * its own token there; what was removed is counted in the same transaction; a crash leaves a purge that the next run goes on with.
 */
@NullMarked
package io.tailrace.purge;

import org.jspecify.annotations.NullMarked;
