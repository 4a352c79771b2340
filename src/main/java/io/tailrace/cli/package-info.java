/**
 * The commands (CLI-1): tables for people, {@code --json} for programs, exit codes 0 (done), 1 (failed), 2 (asked wrongly).
 *
 * <p>May import: {@code app}, {@code wire} (JSON as the API answers), capabilities, {@code config}, {@code cli.embedded} (only {@code dev}), picocli.
 *
 * <p>Invariants: stdout holds the answer and nothing else, logs go to stderr; an error is one line that says what to do;
 * a secret is printed only by the command that made it.
 */
@NullMarked
package io.tailrace.cli;

import org.jspecify.annotations.NullMarked;
