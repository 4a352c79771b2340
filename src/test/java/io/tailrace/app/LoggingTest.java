package io.tailrace.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class LoggingTest {
    private final LoggerContext context = new LoggerContext();

    private LoggingEvent event(String message, Object... arguments) {
        LoggingEvent event = new LoggingEvent(
                LoggingTest.class.getName(),
                context.getLogger("io.tailrace.test"),
                Level.WARN,
                message,
                new IllegalStateException("two\nlines"),
                arguments);
        event.setMDCPropertyMap(Map.of("request_id", "r-1"));
        event.addKeyValuePair(new KeyValuePair("status", 503));
        return event;
    }

    @Test
    @DisplayName("OPS-2 an event is one line of JSON, whatever its message holds")
    void oneLine() throws IOException {
        String text = new String(
                Logging.json(context).encode(event("first\nsecond {}", "third\r\nfourth")), StandardCharsets.UTF_8);

        assertThat(text.strip().lines()).hasSize(1);
        JsonNode json = new ObjectMapper().readTree(text);
        assertThat(json.get("formattedMessage").asText()).isEqualTo("first\nsecond third\r\nfourth");
        assertThat(json.get("level").asText()).isEqualTo("WARN");
        assertThat(json.get("mdc").get("request_id").asText()).isEqualTo("r-1");
        assertThat(json.get("kvpList").get(0).get("status").asText()).isEqualTo("503");
    }

    @Test
    @DisplayName("OPS-2 the raw arguments of a message are not printed beside it")
    void noArguments() throws IOException {
        record Payload(String text) {
            @Override
            public String toString() {
                return "a payload";
            }
        }
        String text = new String(
                Logging.json(context).encode(event("got {}", new Payload("secret words"))), StandardCharsets.UTF_8);

        assertThat(text)
                .contains("got a payload")
                .doesNotContain("secret words")
                .doesNotContain("arguments");
    }
}
