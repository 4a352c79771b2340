/**
 * What tests stand on: a PostgreSQL server, a database a class, a clock that moves, a Telegram that misbehaves, the
 * service as an operating-system process, the ledger of promises.
 *
 * <p>May import: everything. Nothing in {@code src/main} may import it.
 *
 * <p>Invariants: nothing outlives the test JVM, even when that is killed (see {@link io.tailrace.cli.embedded.LastWill}); every
 * port is free when taken, every folder is temporary; no helper sleeps, every wait has a bound.
 */
@NullMarked
package io.tailrace.testkit;

import org.jspecify.annotations.NullMarked;
