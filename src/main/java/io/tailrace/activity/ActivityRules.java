package io.tailrace.activity;

/** Limits of the log. Pure. */
public final class ActivityRules {
    /** Lines of one bulk append (ACT-8). */
    public static final int MOST_LINES = 10_000;

    public static final int PAGE = 100;
    public static final int MOST_ON_A_PAGE = 1_000;

    /** Characters. */
    public static final int LONGEST_NAME = 200;

    /** Characters; the same as the header's. */
    public static final int LONGEST_KEY = 255;

    /** Of one JSON value, in bytes as it came. */
    public static final int LARGEST_JSON = 1 << 20;

    /** Characters. */
    public static final int LONGEST_TEXT = 1 << 20;

    private ActivityRules() {}
}
