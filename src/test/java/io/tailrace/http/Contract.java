package io.tailrace.http;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.SchemaRepository;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/** The OpenAPI document as a judge of requests and answers. */
final class Contract {
    private static final String BASE = "https://tailrace.invalid/schemas/";
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");

    private final JsonObject document;
    private final SchemaRepository schemas;

    Contract() {
        try (InputStream in = Objects.requireNonNull(Contract.class.getResourceAsStream(DocumentRoutes.RESOURCE))) {
            Map<String, Object> yaml = new Yaml().load(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            // Each schema gets an address of its own, so that references need no document around them.
            this.document = new JsonObject(new JsonObject(yaml).encode().replace("#/components/schemas/", BASE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.schemas = SchemaRepository.create(new JsonSchemaOptions()
                .setBaseUri(BASE)
                .setDraft(Draft.DRAFT202012)
                .setOutputFormat(OutputFormat.Basic));
        JsonObject all = components().getJsonObject("schemas");
        all.fieldNames().forEach(name -> schemas.dereference(BASE + name, JsonSchema.of(all.getJsonObject(name))));
    }

    JsonObject components() {
        return document.getJsonObject("components");
    }

    /** {@code POST /v1/outbox/batches} and so on. */
    Set<String> operations() {
        Set<String> operations = new TreeSet<>();
        JsonObject paths = document.getJsonObject("paths");
        for (String path : paths.fieldNames()) {
            for (String method : paths.getJsonObject(path).fieldNames()) {
                if (METHODS.contains(method)) {
                    operations.add(method.toUpperCase(Locale.ROOT) + " " + path);
                }
            }
        }
        return operations;
    }

    /** The description of what answers this request; null when there is none. */
    @Nullable
    JsonObject operation(String method, String path) {
        JsonObject paths = document.getJsonObject("paths");
        String[] segments = path.split("/", -1);
        JsonObject found = null;
        for (String template : paths.fieldNames()) {
            boolean exact = template.equals(path);
            if (exact || (found == null && matches(template.split("/", -1), segments))) {
                JsonObject operation = paths.getJsonObject(template).getJsonObject(method.toLowerCase(Locale.ROOT));
                found = operation == null ? found : operation;
                if (exact) {
                    return operation;
                }
            }
        }
        return found;
    }

    private static boolean matches(String[] template, String[] segments) {
        boolean matches = template.length == segments.length;
        for (int i = 0; matches && i < template.length; i++) {
            matches = template[i].startsWith("{") || template[i].equals(segments[i]);
        }
        return matches;
    }

    /** What is wrong with a request that means to be right. */
    List<String> checkRequest(String method, String path, @Nullable String contentType, String body) {
        JsonObject operation = operation(method, path);
        if (operation == null) {
            return List.of("the document has no " + method + " " + path);
        }
        JsonObject requestBody = operation.getJsonObject("requestBody");
        if (requestBody == null) {
            return body.isEmpty() ? List.of() : List.of("takes no body");
        }
        if (body.isEmpty() && Boolean.FALSE.equals(requestBody.getBoolean("required"))) {
            return List.of();
        }
        return checkContent(requestBody.getJsonObject("content"), contentType, body);
    }

    /** What is wrong with an answer. */
    List<String> checkAnswer(String method, String path, int status, @Nullable String contentType, String body) {
        JsonObject operation = operation(method, path);
        if (operation == null || status == 405 || status == 431 || status == 414) {
            return validate("Problem", body);
        }
        JsonObject answer = operation.getJsonObject("responses").getJsonObject(Integer.toString(status));
        if (answer == null) {
            return List.of("the document has no " + status + " for " + method + " " + path);
        }
        if (answer.containsKey("$ref")) {
            String name = answer.getString("$ref").substring("#/components/responses/".length());
            answer = components().getJsonObject("responses").getJsonObject(name);
        }
        return checkContent(answer.getJsonObject("content"), contentType, body);
    }

    private List<String> checkContent(JsonObject content, @Nullable String contentType, String body) {
        if (content.containsKey("*/*")) {
            return List.of();
        }
        JsonObject media = content.getJsonObject(String.valueOf(contentType));
        if (media == null) {
            return List.of("the document has no " + contentType + " here");
        }
        String schema = media.getJsonObject("schema").getString("$ref");
        if (schema == null) {
            return List.of();
        }
        String name = schema.substring(BASE.length());
        List<String> errors = new ArrayList<>();
        for (String one :
                contentType != null && contentType.endsWith("ndjson") ? body.split("\n", -1) : new String[] {body}) {
            if (!one.isBlank()) {
                errors.addAll(validate(name, one));
            }
        }
        return errors;
    }

    List<String> validate(String schema, String json) {
        OutputUnit result = schemas.validator(BASE + schema).validate(new JsonObject(json));
        if (Boolean.TRUE.equals(result.getValid())) {
            return List.of();
        }
        return result.getErrors().stream()
                .map(error -> error.getInstanceLocation() + ": " + error.getError())
                .toList();
    }

    Set<String> problemCodes() {
        JsonArray codes = components()
                .getJsonObject("schemas")
                .getJsonObject("ProblemCode")
                .getJsonArray("enum");
        Set<String> all = new TreeSet<>();
        codes.forEach(code -> all.add((String) code));
        return all;
    }
}
