/** The process: one entry point, nothing else. */
@NullMarked
package io.tailrace;

import org.jspecify.annotations.NullMarked;
