package io.tailrace.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.Json;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The management port's OpenAPI document, written in YAML and served as JSON. */
final class ManagementApi {
    static final String RESOURCE = "openapi/management.yaml";

    private ManagementApi() {}

    static void mount(Router router) {
        Buffer document = document();
        router.get("/openapi.json").handler(context -> context.response()
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                .end(document));
    }

    private static Buffer document() {
        try (InputStream yaml = ManagementApi.class.getClassLoader().getResourceAsStream(RESOURCE)) {
            if (yaml == null) {
                throw new IllegalStateException(RESOURCE + " is not in this build");
            }
            Object document = new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml);
            return Json.encodeToBuffer(document);
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE, e);
        }
    }
}
