/** Tests of {@code io.tailrace.app}. */
@NullMarked
package io.tailrace.app;

import org.jspecify.annotations.NullMarked;
