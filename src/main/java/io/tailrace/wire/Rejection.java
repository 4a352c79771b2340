package io.tailrace.wire;

/** A problem on its way to the failure handler. No stack trace: it is the caller's mistake, and expected. */
public final class Rejection extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    Rejection(Problem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
