package io.tailrace.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.config.ConfigException;
import io.tailrace.config.ConfigLoader;
import io.tailrace.config.TailraceConfig;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an application says when it embeds the service.
 *
 * @param config everything that can be set; {@code logs} is the application's affair and not looked at, and of {@code
 *     runtime} only how many of the application's event loops to spread over
 * @param migrate whether to bring the schema up to date, or to wait until {@code tailrace migrate} has
 * @param meters where to measure; null: nowhere but on the management port
 */
public record EmbeddingOptions(
        TailraceConfig config, boolean migrate, @Nullable MeterRegistry meters) {
    /** With these settings, as they are: the ports are opened unless {@code http.enabled} and its like say no. */
    public static EmbeddingOptions of(TailraceConfig config) {
        return new EmbeddingOptions(config, true, null);
    }

    /**
     * With the shipped defaults and these settings over them. No port is opened unless {@code http.enabled} or {@code
     * management.enabled} is true.
     *
     * @param settings sections of keys as in {@code conf/tailrace.yaml}: {@code {"database": {"host": "db"}}}
     * @throws ConfigException with every problem there is
     */
    public static EmbeddingOptions of(JsonObject settings) {
        return of(ConfigLoader.of(settings).load(Map.of()));
    }

    /** For a database whose schema somebody else brings up to date. */
    public EmbeddingOptions withoutMigration() {
        return new EmbeddingOptions(config, false, meters);
    }

    /** Measures in the application's own registry, for as long as the service runs. */
    public EmbeddingOptions withMeters(MeterRegistry registry) {
        return new EmbeddingOptions(config, migrate, registry);
    }
}
