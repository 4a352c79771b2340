/** The application of docs/embedding.md: it is quoted there, compiled here, and run by {@code EmbeddedTailraceIT}. */
@NullMarked
package io.tailrace.example;

import org.jspecify.annotations.NullMarked;
