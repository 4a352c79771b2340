package io.tailrace.http;

import io.tailrace.activity.Activity;
import io.tailrace.activity.ActivityPage;
import io.tailrace.activity.ActivityService;
import io.tailrace.activity.LiveConversations;
import io.tailrace.tenant.Caller;
import io.tailrace.wire.ActivityReplies;
import io.tailrace.wire.EventStream;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One client that follows one conversation, on its connection's event loop.
 *
 * <p>A page is read only when the one before has gone out and the connection takes more: a client that does not read costs one
 * page of memory, and within {@link #SLOWEST_READER} its connection.
 */
final class ConversationStream implements LiveConversations.Follower {
    static final CharSequence MEDIA_TYPE = HttpHeaders.createOptimized("text/event-stream");
    /** Also how late a revoked key is noticed, beside what its instance needs to know of it. */
    private static final Duration TICK = Duration.ofSeconds(1);

    private static final int TICKS_A_HEARTBEAT = 15;
    /** A client that goes on after it, by its last event id, may as well be another instance's. */
    private static final int LONGEST_TICKS = 3_600;

    private static final Duration SLOWEST_READER = Duration.ofSeconds(60);
    private static final int PAGE = 50;

    /** The key that the stream was asked for with, looked at again while it runs. */
    record Access(Authenticator authenticator, String presented, Caller caller, Route route) {
        Access(Authenticator authenticator, Exchange exchange) {
            this(
                    authenticator,
                    Objects.requireNonNull(Gate.presented(exchange.request().headers())),
                    exchange.caller(),
                    exchange.route());
        }

        /** What to end it with; null while it may go on, and while that cannot be found out. */
        private @Nullable Problem lost(AsyncResult<Optional<Caller>> now) {
            if (now.failed()) {
                return null;
            }
            if (now.result().isEmpty() || !now.result().get().tenantId().equals(caller.tenantId())) {
                return Problem.of(ProblemCode.UNAUTHORIZED, "the key was revoked, or has expired");
            }
            return route.anyOf().stream().anyMatch(now.result().get()::has)
                    ? null
                    : Problem.of(ProblemCode.FORBIDDEN_SCOPE, "the key has lost its scope");
        }
    }

    private final Exchange exchange;
    private final UUID conversation;
    private final ActivityService activities;
    private final Access access;
    private final HttpServerResponse response;
    private final Context context;
    private final Vertx vertx;

    private Runnable leave = () -> {};
    private Iterator<Activity> unsent = Collections.emptyIterator();
    private @Nullable Instant since;
    private volatile long seen;
    private long upTo;
    private long ticks;
    private long timer = -1;
    private boolean reading;
    private boolean wanted;
    private boolean ended;

    ConversationStream(Exchange exchange, UUID conversation, long after, ActivityService activities, Access access) {
        this.exchange = exchange;
        this.conversation = conversation;
        this.activities = activities;
        this.access = access;
        this.response = exchange.response();
        this.context = Objects.requireNonNull(Vertx.currentContext());
        this.vertx = context.owner();
        this.seen = after;
    }

    /** @param leaving run when it is over, however it ends */
    void begin(Runnable leaving) {
        leave = leaving;
        exchange.whenEnded(this::close);
        read();
    }

    @Override
    public long seen() {
        return seen;
    }

    @Override
    public void nudge(long committed) {
        if (committed == 0 || committed > seen) {
            context.runOnContext(ignored -> {
                upTo = Math.max(upTo, committed);
                read();
            });
        }
    }

    @Override
    public void gone() {
        context.runOnContext(ignored -> end(ActivityReplies.noConversation().problem()));
    }

    @Override
    public void end() {
        context.runOnContext(
                ignored -> end(Problem.of(ProblemCode.OVERLOADED, "this instance stops; go on with another one")));
    }

    private void read() {
        if (ended) {
            return;
        }
        if (reading) {
            wanted = true;
            return;
        }
        reading = true;
        wanted = false;
        long committed = upTo;
        activities
                .page(exchange.tenant(), conversation, seen, since, PAGE)
                .onComplete(done -> context.runOnContext(ignored -> {
                    if (ended) {
                        return;
                    }
                    if (done.failed()) {
                        failed(done.cause());
                    } else if (done.result().isEmpty()) {
                        end(ActivityReplies.noConversation().problem());
                    } else {
                        found(done.result().get(), committed);
                    }
                }));
    }

    /** Once it has begun, a failure is waited out: {@link io.tailrace.activity.Followers} nudges again. */
    private void failed(Throwable cause) {
        reading = false;
        if (!response.headWritten()) {
            exchange.fail(cause);
        }
    }

    private void found(ActivityPage page, long committed) {
        if (!response.headWritten()) {
            response.setChunked(true)
                    .putHeader(HttpHeaders.CONTENT_TYPE, MEDIA_TYPE)
                    .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                    // What stands between must not gather what is to be seen at once.
                    .putHeader("x-accel-buffering", "no")
                    .write(EventStream.head());
            exchange.allow(SLOWEST_READER);
            timer = vertx.setPeriodic(TICK.toMillis(), fired -> tick());
        }
        unsent = page.items().iterator();
        wanted |= page.more();
        send(page.more() ? 0 : committed);
    }

    private void send(long committed) {
        while (!ended && unsent.hasNext()) {
            if (response.writeQueueFull()) {
                response.drainHandler(drained -> send(committed));
                return;
            }
            Activity activity = unsent.next();
            response.write(EventStream.activity(activity));
            seen = activity.seq();
            since = activity.insertedAt();
        }
        if (ended) {
            return;
        }
        // Everything up to there was committed before the page was read: what it did not have is not there any more.
        seen = Math.max(seen, committed);
        reading = false;
        if (wanted) {
            read();
        }
    }

    private void tick() {
        ticks++;
        if (!response.writeQueueFull()) {
            exchange.allow(SLOWEST_READER);
            if (ticks % TICKS_A_HEARTBEAT == 0) {
                response.write(EventStream.heartbeat());
            }
        }
        if (ticks >= LONGEST_TICKS) {
            close();
            response.end();
            return;
        }
        Future<Optional<Caller>> who = access.authenticator().authenticate(access.presented());
        who.onComplete(done -> context.runOnContext(ignored -> {
            Problem lost = access.lost(done);
            if (lost != null) {
                end(lost);
            }
        }));
    }

    private void end(Problem problem) {
        if (ended) {
            return;
        }
        close();
        if (response.headWritten()) {
            response.end(EventStream.end(problem));
        } else {
            exchange.fail(problem);
        }
    }

    private void close() {
        if (!ended) {
            ended = true;
            vertx.cancelTimer(timer);
            leave.run();
        }
    }
}
