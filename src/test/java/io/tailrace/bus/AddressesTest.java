package io.tailrace.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.activity.ActivityLog;
import io.tailrace.activity.ActivityService;
import io.tailrace.activity.ConversationService;
import io.tailrace.activity.LiveConversations;
import io.tailrace.outbox.Blobs;
import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartQueries;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The table of addresses against the other places that list the operations. */
class AddressesTest {
    private static final Vertx VERTX = Vertx.vertx();
    /** Without an address: this document, and what only HTTP can stream. */
    private static final Pattern HTTP_ONLY = Pattern.compile("/v1/openapi\\..*|/v1/conversations/\\{id}/stream");

    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");
    /** {@code | `tailrace.outbox.claim` | `POST /v1/outbox/claims` | …} */
    private static final Pattern ROW =
            Pattern.compile("\\| `(tailrace\\.[a-z]+\\.[a-z_]+)` \\| `([A-Z]+ /[^`]+)` \\|.*");

    @AfterAll
    static void close() {
        TestDatabase.await(VERTX.close());
    }

    private static List<Operation<?>> operations() {
        return OutboxOnBus.operations(new BusServices(
                never(OutboxService.class),
                never(PartQueries.class),
                never(Blobs.class),
                new SimpleMeterRegistry(),
                Duration.ofSeconds(90),
                VERTX.createSharedWorkerExecutor("never-asked", 1),
                Future::succeededFuture,
                new ActivityLog(
                        never(ActivityService.class),
                        never(ConversationService.class),
                        never(LiveConversations.class))));
    }

    private static <T> T never(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> method.getName().equals("operator")
                        ? never(OutboxOperator.class)
                        : Future.failedFuture("never asked")));
    }

    private static Set<String> documented() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(AddressesTest.class.getResourceAsStream("/openapi/tailrace.yaml"))) {
            Map<String, Map<String, Map<String, Object>>> document = new Yaml().load(in);
            Set<String> operations = new TreeSet<>();
            Objects.requireNonNull(document.get("paths")).forEach((path, item) -> item.keySet().stream()
                    .filter(method -> !HTTP_ONLY.matcher(path).matches() && METHODS.contains(method))
                    .forEach(method -> operations.add(method.toUpperCase(Locale.ROOT) + " " + path)));
            return operations;
        }
    }

    @Test
    @DisplayName("BUS-1 every operation that the OpenAPI document has is at an address, and no other is")
    void document() throws IOException {
        List<String> twins = operations().stream().map(Operation::twin).toList();
        assertThat(twins).doesNotHaveDuplicates();
        assertThat(new TreeSet<>(twins)).isEqualTo(documented()).hasSizeGreaterThan(25);
    }

    @Test
    @DisplayName("BUS-1 every address is a constant, tailrace.<part>.<verb>, and has a consumer of its own")
    void constants() throws IllegalAccessException {
        List<String> constants = new ArrayList<>();
        for (Class<?> addresses : List.of(OutboxAddresses.class, ActivityAddresses.class)) {
            for (Field field : addresses.getFields()) {
                if (!field.getName().endsWith("_HEADER") && !field.getName().endsWith("_EVENT")) {
                    constants.add(String.valueOf(field.get(null)));
                }
            }
        }
        assertThat(operations().stream().map(Operation::address))
                .containsExactlyInAnyOrderElementsOf(constants)
                .allMatch(address -> address.matches("tailrace\\.(outbox|conversations|activities)\\.[a-z_]+"));
    }

    @Test
    @DisplayName("BUS-1 docs/embedding.md lists every address with its twin")
    void page() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("docs", "embedding.md")).stream()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> row.group(1) + " " + row.group(2))
                .toList();
        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(operations().stream()
                        .map(operation -> operation.address() + " " + operation.twin())
                        .toList());
    }
}
