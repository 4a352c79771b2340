package io.tailrace.system;

import io.tailrace.testkit.BotApiCorpus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A sender as the walk-through describes it: claim, start, call the Bot API, settle with what came of it. */
final class Sender {
    private static final Duration PATIENCE = Duration.ofMillis(400);
    private static final String BOUNDARY = "tailrace-7d1f";
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Api api;
    private final String telegram;

    Sender(Api api, String telegram) {
        this.api = api;
        this.telegram = telegram;
    }

    /** One round; answers how many parts it had in hand. */
    int round(String worker) throws IOException {
        JsonObject claim = Api.claim(worker, UUID.randomUUID().toString(), 4, 30, 1);
        List<JsonObject> items = Api.objects(api.insist("/v1/outbox/claims", claim), "items");
        for (JsonObject item : items) {
            expectOk(api.insist("/v1/outbox/starts", Api.items(List.of(Api.lease(item)))));
            JsonObject settlement = Api.lease(item).mergeIn(call(item));
            expectOk(api.insist("/v1/outbox/settlements", Api.items(List.of(settlement))));
        }
        return items.size();
    }

    private static void expectOk(Api.Answer answer) {
        if (answer.status() != 200) {
            throw new AssertionError("status " + answer.status() + ": " + answer.body());
        }
    }

    private JsonObject call(JsonObject item) throws IOException {
        HttpResponse<String> response;
        try {
            response = send(item);
        } catch (IOException e) {
            // It may be in the chat or not.
            boolean mayRepeat = List.of("target_idempotent", "ephemeral").contains(item.getString("delivery_policy"));
            return mayRepeat
                    ? retry("no_answer").put("delay_ms", 20)
                    : new JsonObject().put("outcome", "ambiguous").put("error_class", "no_answer");
        }
        if (response.statusCode() == 200) {
            return delivered(new JsonObject(response.body()));
        } else if (response.statusCode() == 429) {
            JsonObject parameters = new JsonObject(response.body()).getJsonObject("parameters");
            return retry("throttled")
                    .put("http_status", 429)
                    .put("throttle_scope", "key")
                    .put("retry_after_seconds", parameters.getInteger("retry_after"));
        }
        return retry("transient").put("http_status", response.statusCode()).put("delay_ms", 20);
    }

    private static JsonObject retry(String errorClass) {
        return new JsonObject().put("outcome", "retry").put("error_class", errorClass);
    }

    private static JsonObject delivered(JsonObject answer) {
        Object result = answer.getValue("result");
        JsonArray ids = new JsonArray();
        if (result instanceof JsonObject message && message.containsKey("message_id")) {
            ids.add(message.getValue("message_id").toString());
        }
        return new JsonObject()
                .put("outcome", "delivered")
                .put("message_ids", ids)
                .put("receipt", answer)
                .put("response_kind", "message");
    }

    private HttpResponse<String> send(JsonObject item) throws IOException {
        JsonObject payload = item.getJsonObject("payload");
        JsonObject blob = item.getJsonObject("blob");
        boolean upload = blob != null;
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        telegram + "/bot" + item.getString("bot_id") + ":secret/" + item.getString("method_kind")))
                .timeout(PATIENCE)
                .header("content-type", upload ? "multipart/form-data; boundary=" + BOUNDARY : "application/json")
                .POST(BodyPublishers.ofByteArray(
                        upload ? form(payload, blob) : payload.toBuffer().getBytes()))
                .build();
        try {
            return HTTP.send(request, BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private byte[] form(JsonObject payload, JsonObject blob) throws IOException {
        String sha256 = blob.getString("sha256");
        byte[] bytes = api.bytes("/v1/outbox/blobs/" + sha256);
        if (!Arrays.equals(bytes, BotApiCorpus.blob(sha256))) {
            throw new AssertionError("blob " + sha256 + " came back different");
        }
        Buffer form = Buffer.buffer();
        for (Map.Entry<String, Object> field : fields(payload)) {
            form.appendString("--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"" + field.getKey()
                    + "\"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n");
            Object value = field.getValue();
            form.appendString(value.toString()).appendString("\r\n");
        }
        form.appendString("--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n");
        form.appendBytes(bytes).appendString("\r\n--" + BOUNDARY + "--\r\n");
        return form.getBytes();
    }

    /** A payload as a form carries it: objects and arrays as JSON, all else as text. */
    static JsonObject fields(JsonObject payload) {
        JsonObject fields = new JsonObject();
        for (Map.Entry<String, Object> field : payload) {
            Object value = field.getValue();
            boolean nested = value instanceof JsonObject || value instanceof JsonArray;
            fields.put(field.getKey(), nested ? value : String.valueOf(value));
        }
        return fields;
    }
}
