package io.tailrace.bus;

import io.tailrace.bus.OutboxOperations.Operation;
import io.tailrace.tenant.Tenant;
import io.tailrace.wire.Failures;
import io.tailrace.wire.JsonBody;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Reply;
import io.tailrace.wire.RequestHeaders;
import io.tailrace.wire.StrictJson;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One instance of the bus edge: a consumer of every address, on one event loop. */
final class BusVerticle extends VerticleBase {
    /** Larger bodies are decoded on a worker: an event loop that parses a megabyte serves nobody meanwhile. */
    private static final int INLINE_BYTES = 64 * 1024;

    private static final Duration TRY_AGAIN = Duration.ofSeconds(1);
    private static final Buffer NO_MEMBERS = Buffer.buffer("{}");

    /** What all instances share. */
    record Parts(List<Operation<?>> operations, StrictJson json, int maxBytes, InFlight inFlight, BusMetrics metrics) {}

    private final Parts parts;
    private final List<MessageConsumer<Object>> consumers = new ArrayList<>();

    BusVerticle(Parts parts) {
        this.parts = parts;
    }

    @Override
    public Future<?> start() {
        for (Operation<?> operation : parts.operations) {
            consumers.add(vertx.eventBus().localConsumer(operation.address(), message -> receive(operation, message)));
        }
        return Future.succeededFuture();
    }

    /** Nothing is received any more; what was goes on. */
    Future<Void> unregister() {
        return Future.join(consumers.stream().map(MessageConsumer::unregister).toList())
                .mapEmpty();
    }

    private <T> void receive(Operation<T> operation, Message<Object> message) {
        long started = System.nanoTime();
        if (!parts.inFlight.enter()) {
            fail(operation, message, overloaded(), started);
            return;
        }
        Future<Reply> reply;
        try {
            reply = run(operation, message);
        } catch (RuntimeException | Error e) {
            // The bus would swallow it, and the asker would wait for its time-out.
            reply = Future.failedFuture(e);
        }
        reply.onComplete(done -> {
            parts.inFlight.leave();
            try {
                if (done.succeeded()) {
                    answer(operation, message, done.result(), started);
                    return;
                }
                fail(operation, message, Failures.of(done.cause()), started);
            } catch (RuntimeException | Error e) {
                fail(operation, message, Failures.of(e), started);
            }
        });
    }

    private <T> Future<Reply> run(Operation<T> operation, Message<Object> message) {
        UUID tenant = tenant(message.headers());
        byte[] body = body(message.body());
        Function<StrictJson, T> reading = operation.reading(
                body, tenant, new RequestHeaders(null, RequestHeaders.traceparent(message.headers())));
        Future<T> asked = body.length <= INLINE_BYTES
                ? Future.succeededFuture(reading.apply(parts.json))
                : vertx.executeBlocking(() -> reading.apply(parts.json), false);
        return asked.compose(it -> operation.ask().ask(tenant, it));
    }

    private static UUID tenant(MultiMap headers) {
        if (headers.contains("authorization")) {
            // Better refused than taken for the default tenant.
            throw Problem.outside(
                            ProblemCode.UNAUTHORIZED,
                            "header authorization",
                            "keys are not looked at on the bus; name the tenant in the header "
                                    + OutboxAddresses.TENANT_HEADER)
                    .rejection();
        }
        String text = headers.get(OutboxAddresses.TENANT_HEADER);
        if (text == null) {
            return Tenant.DEFAULT;
        }
        try {
            UUID tenant = UUID.fromString(text);
            if (tenant.toString().equalsIgnoreCase(text)) {
                return tenant;
            }
        } catch (IllegalArgumentException e) {
            // Answered below, as any other text that is not a UUID.
        }
        throw Problem.outside(ProblemCode.INVALID_FIELD, "header " + OutboxAddresses.TENANT_HEADER, "must be a UUID")
                .rejection();
    }

    private byte[] body(@Nullable Object body) {
        Buffer bytes;
        if (body == null) {
            bytes = NO_MEMBERS;
        } else if (body instanceof JsonObject json) {
            bytes = json.toBuffer();
        } else if (body instanceof Buffer buffer) {
            bytes = buffer;
        } else {
            throw Problem.of(
                            ProblemCode.UNSUPPORTED_MEDIA_TYPE,
                            "the body must be a JsonObject or a Buffer of JSON, but is a "
                                    + body.getClass().getName())
                    .rejection();
        }
        if (bytes.length() > parts.maxBytes) {
            throw Problem.of(ProblemCode.TOO_LARGE, "the body is larger than " + parts.maxBytes + " bytes")
                    .rejection();
        }
        return bytes.getBytes();
    }

    private void answer(Operation<?> operation, Message<Object> message, Reply reply, long started) {
        Buffer json = JsonBody.of(reply.content());
        message.reply(
                message.body() instanceof Buffer ? json : new JsonObject(json),
                new DeliveryOptions().addHeader(OutboxAddresses.STATUS_HEADER, Integer.toString(reply.status())));
        parts.metrics.done(operation.address(), "ok", System.nanoTime() - started);
    }

    private void fail(Operation<?> operation, Message<Object> message, Problem problem, long started) {
        message.fail(problem.code().status(), JsonBody.of(problem::write).toString());
        parts.metrics.done(operation.address(), problem.code().wire(), System.nanoTime() - started);
    }

    private Problem overloaded() {
        return Problem.of(
                        ProblemCode.OVERLOADED,
                        parts.inFlight.most()
                                + " requests are under way on the bus (bus.in_flight); nothing was stored")
                .retryAfter(TRY_AGAIN);
    }
}
