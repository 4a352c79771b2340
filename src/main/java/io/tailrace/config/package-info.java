/**
 * What an operator can set, as records that are right or do not exist.
 *
 * <p>May import: the JDK, the YAML parser, Vert.x's JSON. Invariants: units live in types ({@code Duration}, {@link
 * io.tailrace.config.DataSize}); every problem is reported at once; a {@link io.tailrace.config.Secret} never prints.
 */
@NullMarked
package io.tailrace.config;

import org.jspecify.annotations.NullMarked;
