package io.tailrace.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tailrace.config.ConfigException;
import io.tailrace.config.TailraceConfig;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EmbeddingOptionsTest {
    @Test
    @DisplayName("BUS-2 an application that says nothing of ports opens none; everything else is the shipped default")
    void portsAreClosed() {
        TailraceConfig config = EmbeddingOptions.of(new JsonObject().put("http", new JsonObject().put("port", 9_000)))
                .config();
        assertThat(config.http().enabled()).isFalse();
        assertThat(config.management().enabled()).isFalse();
        assertThat(config.http().port()).isEqualTo(9_000);
        assertThat(config.outbox()).isEqualTo(TailraceConfig.defaults(Map.of()).outbox());
        assertThat(EmbeddingOptions.of(new JsonObject().put("http", new JsonObject().put("enabled", true)))
                        .config()
                        .http()
                        .enabled())
                .isTrue();
    }

    @Test
    @DisplayName(
            "CONF-1 all problems of an embedding application's JSON are reported at once, unknown keys with a suggestion")
    void problems() {
        JsonObject settings = new JsonObject()
                .put("database", new JsonObject().put("pol_size", 20).put("pool_wait", "5"))
                .put("bus", new JsonObject().put("in_flight", new JsonArray().add(1)))
                .put("shutdown", new JsonObject().put("timeout", "0 s"));
        ConfigException e = catchThrowableOfType(ConfigException.class, () -> EmbeddingOptions.of(settings));
        assertThat(e.problems().stream().map(ConfigException.Problem::toString).toList())
                .hasSize(4)
                .anyMatch(problem -> problem.contains("unknown key database.pol_size") && problem.contains("pool_size"))
                .anyMatch(problem -> problem.contains("database.pool_wait"))
                .anyMatch(problem -> problem.contains("sets bus.in_flight to what is neither"))
                .anyMatch(problem -> problem.contains("shutdown.timeout"));
    }
}
