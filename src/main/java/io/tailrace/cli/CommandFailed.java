package io.tailrace.cli;

/** A command that could not do what was asked; the message is the one line that its caller reads. */
final class CommandFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CommandFailed(String message) {
        super(message);
    }

    CommandFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
