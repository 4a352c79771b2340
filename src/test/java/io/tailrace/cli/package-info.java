/** Tests of {@code io.tailrace.cli}. */
@NullMarked
package io.tailrace.cli;

import org.jspecify.annotations.NullMarked;
