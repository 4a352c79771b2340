package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.activity.ActivityLog;
import io.tailrace.config.DataSize;
import io.tailrace.config.HttpConfig;
import io.tailrace.outbox.Blobs;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartQueries;
import io.tailrace.tenant.Caller;
import io.tailrace.tenant.Scope;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The public server over a service of the test's choice, and a client that holds every request and every answer against
 * the OpenAPI document. Requests that are wrong on purpose say so by {@link Call#bad()}.
 */
final class EdgeFixture implements AutoCloseable {
    static final UUID TENANT = UUID.fromString("00000000-0000-0000-0000-000000000001");
    static final String KEY = "everything";

    final Contract contract = new Contract();
    final Map<String, Caller> callers = new ConcurrentHashMap<>();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final AtomicLong nanosAhead = new AtomicLong();
    volatile @Nullable Throwable keysFail;
    private final Vertx vertx;
    private final boolean ownVertx;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TestDatabase.PATIENCE)
            .build();
    final PublicServer server;

    /** What came back. */
    record Answer(int status, Map<String, String> headers, Buffer bytes) {
        String text() {
            return bytes.toString();
        }

        JsonObject json() {
            return new JsonObject(text());
        }

        String code() {
            return json().getString("code");
        }

        String pointer() {
            return json().getJsonArray("errors").getJsonObject(0).getString("pointer");
        }
    }

    static HttpConfig config(int ratePerKey) {
        return new HttpConfig(
                true,
                "127.0.0.1",
                0,
                new HttpConfig.Limits(
                        DataSize.ofMebibytes(16),
                        DataSize.ofMebibytes(16),
                        100,
                        DataSize.ofKibibytes(8),
                        DataSize.ofKibibytes(4),
                        64,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(90),
                        4_000,
                        ratePerKey));
    }

    EdgeFixture(OutboxService outbox, PartQueries parts, Blobs blobs, HttpConfig config) {
        this(Vertx.vertx(), true, outbox, parts, blobs, Fakes.LOG, config);
    }

    /** On the event loops of the services below, as in the real process. */
    EdgeFixture(Vertx vertx, OutboxService outbox, PartQueries parts, Blobs blobs) {
        this(vertx, outbox, parts, blobs, Fakes.LOG);
    }

    EdgeFixture(Vertx vertx, OutboxService outbox, PartQueries parts, Blobs blobs, ActivityLog log) {
        this(vertx, false, outbox, parts, blobs, log, config(0));
    }

    private EdgeFixture(
            Vertx vertx,
            boolean ownVertx,
            OutboxService outbox,
            PartQueries parts,
            Blobs blobs,
            ActivityLog log,
            HttpConfig config) {
        this.vertx = vertx;
        this.ownVertx = ownVertx;
        key(KEY, null, Scope.values());
        PublicServices services = new PublicServices(
                outbox,
                parts,
                blobs,
                log,
                this::authenticate,
                meters,
                vertx.createSharedWorkerExecutor("edge-test", 2));
        this.server = TestDatabase.await(
                PublicServer.start(vertx, services, config, 2, () -> System.nanoTime() + nanosAhead.get()));
    }

    void key(String key, @Nullable Set<String> botIds, Scope... scopes) {
        callers.put(key, new Caller(TENANT, key, Set.of(scopes), botIds));
    }

    /** A key with every scope of another tenant. */
    void key(String key, UUID tenant) {
        callers.put(key, new Caller(tenant, key, Set.of(Scope.values()), null));
    }

    private Future<Optional<Caller>> authenticate(String presented) {
        Throwable failure = keysFail;
        if (failure != null) {
            return Future.failedFuture(failure);
        }
        Optional<Caller> caller = Optional.ofNullable(callers.get(presented));
        // Every other way a key can be looked up: remembered, and asked for.
        return presented.startsWith("slow") ? vertx.timer(5).map(caller) : Future.succeededFuture(caller);
    }

    @Override
    public void close() {
        TestDatabase.await(server.shutdown(Duration.ofSeconds(2)));
        if (ownVertx) {
            TestDatabase.await(vertx.close());
        }
    }

    Call get(String path) {
        return new Call("GET", path, new byte[0], null);
    }

    Call post(String path, String body) {
        return new Call("POST", path, body.getBytes(StandardCharsets.UTF_8), "application/json");
    }

    Call call(String method, String path, byte[] body, @Nullable String contentType) {
        return new Call(method, path, body, contentType);
    }

    /** A request, to be sent once. */
    final class Call {
        private final String method;
        private final String path;
        private final byte[] body;
        private final HttpRequest.Builder request;
        private final @Nullable String contentType;
        private String key = KEY;
        private boolean checked = true;

        private Call(String method, String path, byte[] body, @Nullable String contentType) {
            this.method = method;
            this.path = path;
            this.body = body;
            this.contentType = contentType;
            this.request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                    .timeout(Duration.ofSeconds(30))
                    .method(
                            method,
                            body.length == 0 && method.equals("GET")
                                    ? HttpRequest.BodyPublishers.noBody()
                                    : HttpRequest.BodyPublishers.ofByteArray(body));
            if (contentType != null) {
                request.header("Content-Type", contentType);
            }
        }

        Call header(String name, String value) {
            request.header(name, value);
            return this;
        }

        Call key(String other) {
            this.key = other;
            return this;
        }

        /** Wrong on purpose: only the answer is held against the document. */
        Call bad() {
            this.checked = false;
            return this;
        }

        Answer send() {
            String address = path.contains("?") ? path.substring(0, path.indexOf('?')) : path;
            if (checked) {
                assertThat(contract.checkRequest(
                                method, address, contentType, new String(body, StandardCharsets.UTF_8)))
                        .as("the request %s %s against the document", method, path)
                        .isEmpty();
            }
            if (!key.isEmpty()) {
                request.header("Authorization", "Bearer " + key);
            }
            Answer answer;
            try {
                HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
                Map<String, String> headers = new ConcurrentHashMap<>();
                response.headers().map().forEach((name, values) -> headers.put(name, String.join(", ", values)));
                answer = new Answer(response.statusCode(), headers, Buffer.buffer(response.body()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            assertThat(contract.checkAnswer(
                            method, address, answer.status(), answer.headers().get("content-type"), answer.text()))
                    .as("the answer to %s %s against the document: %s", method, path, answer)
                    .isEmpty();
            return answer;
        }
    }

    /**
     * What came back to bytes sent as they are.
     *
     * @param closed whether the server closed, and did not just fall silent
     */
    record Raw(String text, boolean closed) {}

    /** Sends bytes as they are and reads until the server closes or has been silent for a while. */
    Raw raw(byte[] request, Duration silence) {
        return raw(request, silence, Duration.ZERO);
    }

    /** The same while the server's clock runs ahead, by {@code step} ten times a second. */
    Raw raw(byte[] request, Duration silence, Duration step) {
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout((int) silence.toMillis());
            socket.getOutputStream().write(request);
            socket.getOutputStream().flush();
            clock.scheduleAtFixedRate(() -> nanosAhead.addAndGet(step.toNanos()), 100, 100, TimeUnit.MILLISECONDS);
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            boolean closed = true;
            byte[] buffer = new byte[8_192];
            try {
                for (int n = socket.getInputStream().read(buffer);
                        n >= 0;
                        n = socket.getInputStream().read(buffer)) {
                    answer.write(buffer, 0, n);
                }
            } catch (SocketTimeoutException e) {
                closed = false;
            } catch (SocketException e) {
                // Reset: closed as well, and as much as came is what is looked at.
            }
            return new Raw(answer.toString(StandardCharsets.UTF_8), closed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            clock.shutdownNow();
        }
    }
}
