package io.tailrace.config;

/**
 * Health, metrics, administration.
 *
 * @param enabled false: its port is not opened
 * @param port 0 takes a free one
 * @param adminToken empty: the admin routes refuse everybody
 */
public record ManagementConfig(boolean enabled, String host, int port, Secret adminToken) {
    private static final int SHORTEST_TOKEN = 16;

    public ManagementConfig {
        new Checks()
                .present("host", host)
                .between("port", port, 0, 65_535)
                .that(
                        adminToken.isEmpty() || adminToken.reveal().length() >= SHORTEST_TOKEN,
                        "admin_token",
                        "must have 16 characters or more, or be empty to refuse all administration")
                .done();
    }
}
