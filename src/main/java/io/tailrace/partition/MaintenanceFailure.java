package io.tailrace.partition;

/** A run of maintenance that has to be repeated soon; the message says which table lacks what. */
public final class MaintenanceFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MaintenanceFailure(String message) {
        // Every cause is in the message, and the trace of a loop says nothing.
        super(message, null, false, false);
    }
}
