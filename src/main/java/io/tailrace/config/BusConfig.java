package io.tailrace.config;

/**
 * The operations on the event bus of the Vert.x that the service runs in.
 *
 * @param enabled false: no address is registered
 * @param inFlight requests that may be under way at once; more are answered {@code overloaded}
 */
public record BusConfig(boolean enabled, int inFlight) {
    public BusConfig {
        new Checks().between("in_flight", inFlight, 1, 1_000_000).done();
    }
}
