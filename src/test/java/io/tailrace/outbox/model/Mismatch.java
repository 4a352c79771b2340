package io.tailrace.outbox.model;

/** The outbox did what the model does not allow. */
final class Mismatch extends AssertionError {
    private static final long serialVersionUID = 1L;

    Mismatch(String what) {
        super(what);
    }
}
