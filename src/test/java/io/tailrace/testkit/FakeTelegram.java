package io.tailrace.testkit;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Telegram on a free port of loopback: {@code POST /bot<token>/<method>} as the Bot API takes it (JSON, form or
 * multipart), answered as the script says, every call recorded in order of arrival.
 *
 * <p>A call is recorded before it is answered, so a lost answer is still in the record, and {@link Call#carriedOut()}
 * says whether its message is in the chat. Thread-safe for readers.
 */
public final class FakeTelegram implements AutoCloseable {
    private static final Pattern PATH = Pattern.compile("/bot([^/]+)/([A-Za-z]+)");

    private final HttpServer server;
    private final TelegramResults results = new TelegramResults();
    private final List<Call> calls = new ArrayList<>();
    private volatile TelegramScript script;

    /**
     * One call.
     *
     * @param chat {@code chat_id} as text, empty where the method has none
     * @param payload the JSON body; of a form, each field as text, or as JSON where it is an object or an array
     * @param files SHA-256 in hex of each uploaded file, by field
     * @param answer how it ended
     */
    public record Call(
            String token,
            String method,
            String chat,
            JsonObject payload,
            Map<String, String> files,
            @Nullable TelegramAnswer answer) {
        public boolean carriedOut() {
            return answer != null && answer.carriedOut();
        }
    }

    private FakeTelegram(HttpServer server, TelegramScript script) {
        this.server = server;
        this.script = script;
    }

    /** Starts one; {@link #close()} or the end of {@code vertx} stops it. */
    public static FakeTelegram start(Vertx vertx, TelegramScript script) {
        HttpServer server = vertx.createHttpServer(new HttpServerOptions()
                .setHost("127.0.0.1")
                .setPort(0)
                // A closed connection is then a reset one, as a crashed peer leaves it.
                .setSoLinger(0));
        FakeTelegram telegram = new FakeTelegram(server, script);
        TestDatabase.await(server.requestHandler(telegram::receive).listen());
        return telegram;
    }

    /** The base address, as in {@code https://api.telegram.org}. */
    public String url() {
        return "http://127.0.0.1:" + port();
    }

    public int port() {
        return server.actualPort();
    }

    /** Another script from the next call on. */
    public void play(TelegramScript next) {
        script = next;
    }

    /** Every call so far, in order of arrival. */
    public List<Call> calls() {
        synchronized (calls) {
            return List.copyOf(calls);
        }
    }

    public List<Call> calls(String chat) {
        return calls().stream().filter(call -> call.chat().equals(chat)).toList();
    }

    /** The calls whose effect is in the chat, in order: what a person there would see. */
    public List<Call> carriedOut(String chat) {
        return calls(chat).stream().filter(Call::carriedOut).toList();
    }

    private void receive(HttpServerRequest request) {
        Matcher path = PATH.matcher(request.path());
        if (!path.matches()) {
            refuse(request.response(), 404, "Not Found", null);
            return;
        }
        String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
        boolean form = type != null && !type.startsWith("application/json");
        (form ? form(request) : json(request))
                .onSuccess(call -> answer(request, path.group(1), path.group(2), call))
                .onFailure(cause -> refuse(request.response(), 400, "Bad Request: " + cause.getMessage(), null));
    }

    private record Body(JsonObject payload, Map<String, String> files) {}

    private static Future<Body> json(HttpServerRequest request) {
        return request.body()
                .map(body -> new Body(body.length() == 0 ? new JsonObject() : new JsonObject(body), Map.of()));
    }

    private static Future<Body> form(HttpServerRequest request) {
        Map<String, String> files = new TreeMap<>();
        request.setExpectMultipart(true);
        request.uploadHandler(upload -> {
            MessageDigest digest = sha256();
            upload.handler(bytes -> digest.update(bytes.getBytes()));
            upload.endHandler(end -> files.put(upload.name(), HexFormat.of().formatHex(digest.digest())));
        });
        return request.end().map(end -> new Body(fields(request.formAttributes()), Map.copyOf(files)));
    }

    private static JsonObject fields(MultiMap attributes) {
        JsonObject payload = new JsonObject();
        attributes.forEach(field -> payload.put(field.getKey(), field(field.getValue())));
        return payload;
    }

    private static Object field(String text) {
        if (text.startsWith("{") || text.startsWith("[")) {
            try {
                return Json.decodeValue(text);
            } catch (DecodeException e) {
                return text;
            }
        }
        return text;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void answer(HttpServerRequest request, String token, String method, Body body) {
        Object chatId = body.payload.getValue("chat_id");
        String chat = chatId == null ? "" : chatId.toString();
        Call asked = new Call(token, method, chat, body.payload, body.files, null);
        TelegramAnswer answer = script.answer(asked);
        Object result = answer.carriedOut() ? results.of(method, chat, body.payload) : null;
        if (answer.carriedOut() && result == null) {
            answer = new TelegramAnswer.Refused(404, "Not Found: no method " + method);
        }
        synchronized (calls) {
            calls.add(new Call(token, method, chat, body.payload, body.files, answer));
        }
        give(request, answer, result);
    }

    private static void give(HttpServerRequest request, TelegramAnswer answer, @Nullable Object result) {
        HttpServerResponse response = request.response();
        if (answer instanceof TelegramAnswer.Ok) {
            send(response, 200, new JsonObject().put("ok", true).put("result", result));
        } else if (answer instanceof TelegramAnswer.Refused refused) {
            refuse(response, refused.status(), refused.description(), null);
        } else if (answer instanceof TelegramAnswer.TooManyRequests throttled) {
            JsonObject parameters = throttled.retryAfterSeconds().isPresent()
                    ? new JsonObject()
                            .put("retry_after", throttled.retryAfterSeconds().getAsInt())
                    : null;
            refuse(response, 429, "Too Many Requests: retry later", parameters);
        } else if (answer instanceof TelegramAnswer.GatewayError error) {
            response.setStatusCode(error.status())
                    .putHeader(HttpHeaders.CONTENT_TYPE, "text/html")
                    .end("<html><head><title>" + error.status() + "</title></head><body>nginx</body></html>");
        } else if (answer instanceof TelegramAnswer.Reset) {
            request.connection().close();
        }
        // Hang: the response stays open until somebody loses patience.
    }

    private static void refuse(
            HttpServerResponse response, int status, String description, @Nullable JsonObject parameters) {
        JsonObject body =
                new JsonObject().put("ok", false).put("error_code", status).put("description", description);
        if (parameters != null) {
            body.put("parameters", parameters);
        }
        send(response, status, body);
    }

    private static void send(HttpServerResponse response, int status, JsonObject body) {
        Buffer bytes = body.toBuffer();
        response.setStatusCode(status)
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                .end(bytes);
    }

    @Override
    public void close() {
        TestDatabase.await(server.close());
    }
}
