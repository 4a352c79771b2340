package io.tailrace.http;

import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Ends what takes too long. Netty's idle timeout sees a byte every few seconds as life; this one looks at whole requests
 * and whole heads. One a server instance, on its event loop; swept once a second instead of a timer a request.
 */
final class Watchdog {
    static final Duration SWEEP = Duration.ofSeconds(1);

    private static final class Watch {
        private int requests;
        private long quietSince;
        private Optional<StrictRequestDecoder> decoder = Optional.empty();
    }

    private final LongSupplier nanoTime;
    private final long idleNanos;
    private final int maxConnections;
    private final Set<Exchange> exchanges = new HashSet<>();
    private final IdentityHashMap<HttpConnection, Watch> connections = new IdentityHashMap<>();

    /**
     * @param nanoTime monotonic
     * @param idle how long a connection may be open without a whole request head
     * @param maxConnections of this instance; more are closed at once
     */
    Watchdog(LongSupplier nanoTime, Duration idle, int maxConnections) {
        this.nanoTime = nanoTime;
        this.idleNanos = idle.toNanos();
        this.maxConnections = maxConnections;
    }

    void opened(HttpConnection connection, HttpServerOptions options) {
        if (connections.size() >= maxConnections) {
            connection.close();
            return;
        }
        Watch watch = new Watch();
        watch.quietSince = nanoTime.getAsLong();
        watch.decoder = StrictRequestDecoder.install(connection, options);
        connections.put(connection, watch);
        connection.closeHandler(closed -> connections.remove(connection));
    }

    /** From here on the exchange has {@code timeout} to be done. */
    void began(Exchange exchange, Duration timeout) {
        exchange.deadline(nanoTime.getAsLong() + timeout.toNanos());
        exchanges.add(exchange);
        Watch watch = connections.get(exchange.request().connection());
        if (watch != null) {
            watch.requests++;
        }
    }

    /** For what is known to take longer than other requests. */
    void extend(Exchange exchange, Duration timeout) {
        exchange.deadline(nanoTime.getAsLong() + timeout.toNanos());
    }

    /** The answer is out, though the rest of the request may still be to come. */
    void answered(Exchange exchange) {
        Watch watch = connections.get(exchange.request().connection());
        if (watch != null) {
            watch.decoder.ifPresent(StrictRequestDecoder::answered);
        }
    }

    /** The request has come whole and its answer is out, or the connection is gone. */
    void ended(Exchange exchange) {
        Watch watch = connections.get(exchange.request().connection());
        if (exchanges.remove(exchange) && watch != null) {
            watch.requests--;
            watch.quietSince = nanoTime.getAsLong();
        }
    }

    /** Ends what is over its time. */
    void sweep() {
        long now = nanoTime.getAsLong();
        for (Exchange exchange : new ArrayList<>(exchanges)) {
            if (now - exchange.deadline() > 0) {
                expire(exchange);
                ended(exchange);
            }
        }
        for (Map.Entry<HttpConnection, Watch> entry : new ArrayList<>(connections.entrySet())) {
            Watch watch = entry.getValue();
            if (watch.requests <= 0 && now - watch.quietSince > idleNanos) {
                entry.getKey().close();
            }
        }
    }

    /** At once: Vert.x would first wait for the client to take what is written, and a client that does not read never does. */
    private static void cut(HttpConnection connection) {
        if (connection instanceof HttpServerConnection server) {
            server.channelHandlerContext().close();
        } else {
            connection.close();
        }
    }

    private static void expire(Exchange exchange) {
        HttpServerRequest request = exchange.request();
        Runnable end = () -> cut(request.connection());
        if (!exchange.open()) {
            end.run();
        } else if (request.isEnded()) {
            exchange.fail(Problem.of(
                    ProblemCode.OUTCOME_UNKNOWN,
                    "the request was not done in time; send the same request again to find out"));
        } else {
            exchange.fail(Problem.of(ProblemCode.REQUEST_TIMEOUT, "the request did not arrive in time"))
                    .onComplete(sent -> end.run());
        }
    }
}
