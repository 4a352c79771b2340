package io.tailrace.config;

import java.time.Duration;

/**
 * The public API.
 *
 * @param enabled false: its port is not opened
 * @param port 0 takes a free one
 */
public record HttpConfig(boolean enabled, String host, int port, Limits limits) {
    public HttpConfig {
        new Checks().present("host", host).between("port", port, 0, 65_535).done();
    }

    /**
     * What one client may ask of the service (API-4).
     *
     * @param body a request's body as sent
     * @param decompressed the same after its encoding was undone
     * @param decompressionRatio times that a body may grow by that
     * @param headers all headers of a request together
     * @param line the request line
     * @param jsonDepth levels of nesting
     * @param idleTimeout a connection on which nothing moves is closed
     * @param requestTimeout a request's whole time
     * @param connections open at once
     * @param ratePerKey requests a second and API key; 0 sets no limit
     */
    public record Limits(
            DataSize body,
            DataSize decompressed,
            int decompressionRatio,
            DataSize headers,
            DataSize line,
            int jsonDepth,
            Duration idleTimeout,
            Duration requestTimeout,
            int connections,
            int ratePerKey) {
        /** A long poll is silent for 30 s (OUT-15), and its answer must still get through. */
        private static final Duration LONGEST_SILENCE = Duration.ofSeconds(35);

        private static final DataSize KIBIBYTE = DataSize.ofKibibytes(1);

        public Limits {
            new Checks()
                    .between("body", body, KIBIBYTE, DataSize.ofMebibytes(256))
                    .between("decompressed", decompressed, KIBIBYTE, DataSize.ofMebibytes(256))
                    .between("decompression_ratio", decompressionRatio, 1, 10_000)
                    .between("headers", headers, KIBIBYTE, DataSize.ofMebibytes(1))
                    .between("line", line, KIBIBYTE, DataSize.ofMebibytes(1))
                    .between("json_depth", jsonDepth, 8, 1_000)
                    .between("idle_timeout", idleTimeout, LONGEST_SILENCE, Duration.ofHours(1))
                    .between("request_timeout", requestTimeout, LONGEST_SILENCE, Duration.ofHours(1))
                    .between("connections", connections, 1, 1_000_000)
                    .between("rate_per_key", ratePerKey, 0, 1_000_000)
                    .done();
        }
    }
}
