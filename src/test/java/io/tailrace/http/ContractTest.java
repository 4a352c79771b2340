package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ContractTest {
    private static final Vertx VERTX = Vertx.vertx();

    private final Contract contract = new Contract();

    @AfterAll
    static void close() {
        TestDatabase.await(VERTX.close());
    }

    @Test
    @DisplayName("API-1 every route is in the OpenAPI document, and everything in the document has a route")
    void routesAndDocumentAgree() {
        Routes routes = new Routes(new PublicServices(
                new FakeOutbox(),
                new Fakes.Parts(),
                new Fakes.Memory(),
                Fakes.LOG,
                key -> Future.failedFuture("never asked"),
                new SimpleMeterRegistry(),
                VERTX.createSharedWorkerExecutor("never-asked", 1)));
        Set<String> served = routes.all().stream()
                .map(route -> route.method().name() + " " + route.template())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(served).isEqualTo(contract.operations());
    }

    @Test
    @DisplayName("API-1 the document names every problem code, and no other")
    void problemCodesAgree() {
        assertThat(contract.problemCodes())
                .isEqualTo(Arrays.stream(ProblemCode.values())
                        .map(ProblemCode::wire)
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    @DisplayName("OUT-29 the document says how long idempotency lasts")
    void horizonIsSaid() {
        assertThat(new String(documentText(), java.nio.charset.StandardCharsets.UTF_8))
                .contains("TELEGRAM_OUTBOX_DEDUP_DAYS");
    }

    private static byte[] documentText() {
        try (var in =
                java.util.Objects.requireNonNull(ContractTest.class.getResourceAsStream(DocumentRoutes.RESOURCE))) {
            return in.readAllBytes();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
