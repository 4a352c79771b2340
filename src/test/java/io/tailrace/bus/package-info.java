/** The event bus edge over a real outbox. */
@NullMarked
package io.tailrace.bus;

import org.jspecify.annotations.NullMarked;
