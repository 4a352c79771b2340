/**
 * PostgreSQL as the rest of the house sees it: pools, transactions, failures by name, group commit, migrations.
 *
 * <p>May import: {@code config}, Vert.x, Flyway, the JDBC driver. Knows no table of any capability.
 *
 * <p>Invariants: transactions are READ COMMITTED; every wait (for a connection, a lock, a statement) has a bound; an
 * SQLSTATE is given its meaning here and nowhere else; blocking JDBC runs on a named worker pool.
 */
@NullMarked
package io.tailrace.db;

import org.jspecify.annotations.NullMarked;
