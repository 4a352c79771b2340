package io.tailrace.partition;

import java.time.Duration;

/**
 * The bounds of removals.
 *
 * @param every between two runs
 * @param detachWait how long a detach or its FINALIZE may wait for older transactions before it is cancelled
 * @param blockerWait how long one waits, before a detach begins, for old transactions that hold the table
 * @param most periods of one table that a run takes out
 */
public record RemovalSettings(Duration every, Duration detachWait, Duration blockerWait, int most) {}
