package io.tailrace.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.yaml.snakeyaml.Yaml;

/** The OpenAPI document, as it was written and as JSON. Needs no key. */
final class DocumentRoutes {
    static final String RESOURCE = "/openapi/tailrace.yaml";
    private static final CharSequence YAML = HttpHeaders.createOptimized("application/yaml");

    private final byte[] yaml;
    private final byte[] json;

    DocumentRoutes() {
        try (InputStream in = Objects.requireNonNull(DocumentRoutes.class.getResourceAsStream(RESOURCE), RESOURCE)) {
            this.yaml = in.readAllBytes();
            Object document = new Yaml().load(new String(yaml, StandardCharsets.UTF_8));
            this.json = new ObjectMapper().writeValueAsBytes(document);
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE, e);
        }
    }

    List<Route> routes() {
        return List.of(
                new Route(
                        HttpMethod.GET,
                        "/v1/openapi.json",
                        Set.of(),
                        exchange -> exchange.end(200, Exchange.JSON, Buffer.buffer(json))),
                new Route(
                        HttpMethod.GET,
                        "/v1/openapi.yaml",
                        Set.of(),
                        exchange -> exchange.end(200, YAML, Buffer.buffer(yaml))));
    }
}
