package io.tailrace.config;

import java.time.Duration;

/**
 * The end of the process (OPS-3).
 *
 * @param timeout from SIGTERM until it gives up waiting
 */
public record ShutdownConfig(Duration timeout) {
    public ShutdownConfig {
        new Checks()
                .between("timeout", timeout, Duration.ofSeconds(1), Duration.ofMinutes(10))
                .done();
    }
}
