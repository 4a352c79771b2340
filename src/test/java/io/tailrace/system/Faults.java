package io.tailrace.system;

/** How much is done: enough to notice in {@code mvn verify}, all of it with {@code -Dfaults=true}. */
final class Faults {
    static final boolean LONG = Boolean.getBoolean("faults");
    static final long SEED = Long.getLong("faults.seed", 20_261_130);

    private Faults() {}

    static int rounds(int inVerify, int inFaults) {
        return Integer.getInteger("faults.rounds", LONG ? inFaults : inVerify);
    }
}
