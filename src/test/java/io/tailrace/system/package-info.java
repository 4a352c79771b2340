/**
 * The service as its users meet it: operating-system processes on one database, spoken to over HTTP, killed, stopped and
 * cut off while they work.
 *
 * <p>Each client keeps a ledger of what was acknowledged to it; afterwards the ledger, the tables and, where there is one,
 * the fake Telegram must tell the same story. May import: the test foundation, and of the service only what opens a
 * database or runs a worker. {@code -Dfaults=true} (profile {@code faults}) runs the long versions.
 */
@NullMarked
package io.tailrace.system;

import org.jspecify.annotations.NullMarked;
