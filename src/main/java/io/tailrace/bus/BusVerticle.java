package io.tailrace.bus;

import io.tailrace.outbox.BatchRules;
import io.tailrace.outbox.Claim;
import io.tailrace.tenant.Tenant;
import io.tailrace.wire.Failures;
import io.tailrace.wire.JsonBody;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.StrictJson;
import io.tailrace.wire.Uuids;
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
import org.jspecify.annotations.Nullable;

/** One instance of the bus edge: a consumer of every address, on one event loop. */
final class BusVerticle extends VerticleBase {
    /** Larger bodies are decoded on a worker: an event loop that parses a megabyte serves nobody meanwhile. */
    private static final int INLINE_BYTES = 64 * 1024;

    /** Longer than a claim may wait. */
    private static final Duration LONGEST_DRAIN = Claim.MAX_WAIT.plusSeconds(5);

    private static final Duration TRY_AGAIN = Duration.ofSeconds(1);
    private static final Buffer NO_MEMBERS = Buffer.buffer("{}");

    /** What all instances share. */
    record Parts(
            List<Operation<?>> operations,
            BusServices services,
            StrictJson json,
            int maxBytes,
            InFlight inFlight,
            BusMetrics metrics) {}

    private final Parts parts;
    private final List<MessageConsumer<Object>> consumers = new ArrayList<>();
    private volatile boolean drained;

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

    /** It was waited for as long as it should be: {@link #stop()} need not. */
    void drained() {
        drained = true;
    }

    /** What was received is answered first, also when it is the host that undeploys. */
    @Override
    public Future<?> stop() {
        return drained
                ? Future.succeededFuture()
                : unregister().otherwiseEmpty().compose(unregistered -> parts.inFlight.idle(LONGEST_DRAIN));
    }

    private <T> void receive(Operation<T> operation, Message<Object> message) {
        long started = System.nanoTime();
        if (!parts.inFlight.enter()) {
            fail(operation, message, overloaded(), started);
            return;
        }
        Future<Answer> answer;
        try {
            answer = parts.services.open().get().compose(open -> run(operation, message));
        } catch (RuntimeException | Error e) {
            // The bus would swallow it, and the asker would wait for its time-out.
            answer = Future.failedFuture(e);
        }
        answer.onComplete(done -> {
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

    private <T> Future<Answer> run(Operation<T> operation, Message<Object> message) {
        UUID tenant = tenant(message.headers());
        Buffer body = operation.body() == Operation.Body.JSON ? json(message.body()) : bytes(message.body());
        Operation.Request request = new Operation.Request(tenant, message.headers(), body);
        Future<T> asked = body.length() <= INLINE_BYTES
                ? Future.succeededFuture(operation.reading().read(request, parts.json))
                : parts.services
                        .workers()
                        .executeBlocking(() -> operation.reading().read(request, parts.json), false);
        return asked.compose(it -> operation.asking().ask(tenant, it));
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
        return Uuids.parse(text).orElseThrow(() -> Problem.outside(
                        ProblemCode.INVALID_FIELD, "header " + OutboxAddresses.TENANT_HEADER, "must be a UUID")
                .rejection());
    }

    private Buffer json(@Nullable Object body) {
        Buffer json;
        if (body == null) {
            json = NO_MEMBERS;
        } else if (body instanceof JsonObject object) {
            json = object.toBuffer();
        } else if (body instanceof Buffer buffer) {
            json = buffer;
        } else {
            throw unsupported("a JsonObject or a Buffer of JSON", body);
        }
        return within(parts.maxBytes, json);
    }

    private static Buffer bytes(@Nullable Object body) {
        if (body instanceof Buffer buffer) {
            return within(BatchRules.MAX_BLOB_BYTES, buffer);
        }
        throw unsupported("a Buffer", body);
    }

    private static Buffer within(int most, Buffer body) {
        if (body.length() > most) {
            throw Problem.of(ProblemCode.TOO_LARGE, "the body is larger than " + most + " bytes")
                    .rejection();
        }
        return body;
    }

    private static Rejection unsupported(String wanted, @Nullable Object body) {
        String is = body == null ? "missing" : "a " + body.getClass().getName();
        return Problem.of(ProblemCode.UNSUPPORTED_MEDIA_TYPE, "the body must be " + wanted + ", but is " + is)
                .rejection();
    }

    private void answer(Operation<?> operation, Message<Object> message, Answer answer, long started) {
        DeliveryOptions options =
                new DeliveryOptions().addHeader(OutboxAddresses.STATUS_HEADER, Integer.toString(answer.status()));
        if (answer.mediaType() != null) {
            options.addHeader(OutboxAddresses.CONTENT_TYPE_HEADER, answer.mediaType());
        }
        boolean asBytes = answer.mediaType() != null || message.body() instanceof Buffer;
        message.reply(asBytes ? answer.body() : new JsonObject(answer.body()), options);
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
