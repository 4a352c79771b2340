package io.tailrace.config;

/**
 * The process.
 *
 * @param eventLoops 0 is one a core
 */
public record RuntimeConfig(int eventLoops) {
    public RuntimeConfig {
        new Checks().between("event_loops", eventLoops, 0, 256).done();
    }
}
