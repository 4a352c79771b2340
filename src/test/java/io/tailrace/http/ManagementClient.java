package io.tailrace.http;

import static io.tailrace.testkit.TestDatabase.await;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.MediaType;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.validation.ResponseValidator;
import io.vertx.openapi.validation.ValidatableResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Speaks to a management port and holds every exchange against the document that the port serves: each answer must have
 * the form that is promised for its status, and a body that was accepted must be one that the document allows.
 */
final class ManagementClient {
    private final HttpClient http = HttpClient.newHttpClient();
    private final URI address;
    private final String token;
    private final OpenAPIContract contract;
    private final ResponseValidator responses;

    record Reply(int status, String contentType, String text, HttpResponse<String> response) {
        JsonObject json() {
            return new JsonObject(text);
        }

        String code() {
            return json().getString("code");
        }

        String pointer() {
            return json().getJsonArray("errors").getJsonObject(0).getString("pointer");
        }
    }

    /** @param token presented on every request; empty for none */
    ManagementClient(Vertx vertx, OpenAPIContract contract, int port, String token) {
        this.address = URI.create("http://127.0.0.1:" + port);
        this.token = token;
        this.contract = contract;
        this.responses = ResponseValidator.create(vertx, contract);
    }

    Reply get(String path) {
        return send("GET", path, null);
    }

    Reply post(String path, String body) {
        return send("POST", path, body);
    }

    Reply delete(String path) {
        return send("DELETE", path, null);
    }

    private Reply send(String method, String path, @Nullable String body) {
        Reply reply = raw(method, path, body, "application/json");
        Operation operation = contract.findOperation(path.replaceAll("\\?.*", ""), HttpMethod.valueOf(method));
        if (operation == null) {
            throw new AssertionError(method + " " + path + " is not in the document");
        }
        validate(reply, operation);
        if (reply.status < 300 && body != null && !accepts(operation, body)) {
            throw new AssertionError("accepted what the document refuses: " + body);
        }
        return reply;
    }

    /** Whether the document allows this body. */
    boolean accepts(String method, String path, String body) {
        return accepts(Objects.requireNonNull(contract.findOperation(path, HttpMethod.valueOf(method))), body);
    }

    private boolean accepts(Operation operation, String body) {
        MediaType type =
                Objects.requireNonNull(operation.getRequestBody().getContent().get("application/json"));
        return contract.getSchemaRepository()
                .validator(type.getSchema())
                .validate(new JsonObject(body))
                .getValid();
    }

    private void validate(Reply reply, Operation operation) {
        ValidatableResponse answered = reply.text.isEmpty()
                ? ValidatableResponse.create(reply.status)
                : ValidatableResponse.create(
                        reply.status,
                        Buffer.buffer(reply.text),
                        reply.contentType.replace("application/problem+json", "application/json"));
        await(responses.validate(answered, operation.getOperationId()));
        if (reply.status >= 400 && reply.status != 503 && !reply.contentType.equals("application/problem+json")) {
            throw new AssertionError("a problem of type " + reply.contentType);
        }
    }

    /** Without any check of the exchange. */
    Reply raw(String method, String path, @Nullable String body, String contentType) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address.resolve(path))
                .timeout(Duration.ofSeconds(10))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!contentType.isEmpty()) {
            request.header("Content-Type", contentType);
        }
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
            return new Reply(
                    response.statusCode(),
                    response.headers().firstValue("content-type").orElse(""),
                    response.body(),
                    response);
        } catch (IOException e) {
            throw new AssertionError(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
