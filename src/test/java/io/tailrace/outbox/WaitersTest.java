package io.tailrace.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WaitersTest {
    private static final UUID TENANT = UUID.randomUUID();
    private static final Duration LONG = Duration.ofSeconds(30);

    private record Call(UUID tenant, Claim claim, Promise<List<Claim.Item>> answer) {}

    private final Vertx vertx = Vertx.vertx();
    private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
    private final Waiters waiters = new Waiters(vertx, (tenant, claim) -> {
        Call call = new Call(tenant, claim, Promise.promise());
        calls.add(call);
        return call.answer.future();
    });

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private static Claim claim(String worker, @Nullable String bot, int limit, Duration waitFor) {
        return new Claim(worker, null, limit, bot == null ? null : List.of(bot), Claim.DEFAULT_LEASE, waitFor);
    }

    private Future<List<Claim.Item>> waiting(String worker) {
        return waiters.await(TENANT, claim(worker, null, 1, LONG), () -> true);
    }

    private Call nextCall() throws InterruptedException {
        Call call = calls.poll(10, TimeUnit.SECONDS);
        if (call == null) {
            throw new AssertionError("no claim was made");
        }
        return call;
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private static Claim.Item item() {
        return new Claim.Item(
                new PartId(1, Instant.EPOCH),
                1,
                1,
                Instant.EPOCH,
                "b",
                0,
                "op",
                "7",
                null,
                null,
                "k",
                "m",
                1,
                "{}",
                null,
                DeliveryPolicy.CREATE,
                0,
                null,
                null);
    }

    @Test
    @DisplayName("OUT-15 a nudge wakes the oldest waiter, and the next one only while there seems to be work left")
    void oldestFirst() throws Exception {
        Future<List<Claim.Item>> first = waiting("first");
        Future<List<Claim.Item>> second = waiting("second");
        Future<List<Claim.Item>> third = waiting("third");
        waiters.nudge(TENANT);
        Call one = nextCall();
        assertThat(one.claim.workerId()).isEqualTo("first");
        assertThat(calls).isEmpty();
        one.answer.complete(List.of(item()));
        assertThat(get(first)).hasSize(1);
        Call two = nextCall();
        assertThat(two.claim.workerId()).isEqualTo("second");
        two.answer.complete(List.of());
        // Nothing was left for the second, so the third is not even tried in this round; the poll begins with it.
        Call three = nextCall();
        assertThat(three.claim.workerId()).isEqualTo("third");
        three.answer.complete(List.of(item()));
        assertThat(get(third)).hasSize(1);
        assertThat(second.isComplete()).isFalse();
    }

    @Test
    @DisplayName("OUT-15 a waiter of other bots is still tried when a filtered one found nothing")
    void filters() throws Exception {
        waiters.await(TENANT, claim("seven", "7", 1, LONG), () -> true);
        Future<List<Claim.Item>> eight = waiters.await(TENANT, claim("eight", "8", 1, LONG), () -> true);
        waiters.nudge(TENANT);
        nextCall().answer.complete(List.of());
        Call second = nextCall();
        assertThat(second.claim.workerId()).isEqualTo("eight");
        second.answer.complete(List.of(item()));
        assertThat(get(eight)).hasSize(1);
    }

    @Test
    @DisplayName("OUT-15 a nudge that comes while a claim is under way is not lost")
    void nudgedMeanwhile() throws Exception {
        Future<List<Claim.Item>> waiting = waiting("w");
        waiters.nudge(TENANT);
        Call first = nextCall();
        waiters.nudge(TENANT);
        waiters.nudge(TENANT);
        first.answer.complete(List.of());
        nextCall().answer.complete(List.of(item()));
        assertThat(get(waiting)).hasSize(1);
        assertThat(calls).isEmpty();
    }

    @Test
    @DisplayName(
            "OUT-15 a nudge of one tenant leaves the others waiting; while anybody waits the database is asked anyway")
    void tenantsAndPoll() throws Exception {
        Future<List<Claim.Item>> waiting = waiting("w");
        waiters.nudge(UUID.randomUUID());
        // Nobody nudges for this one.
        Call polled = nextCall();
        assertThat(polled.tenant).isEqualTo(TENANT);
        polled.answer.complete(List.of(item()));
        assertThat(get(waiting)).hasSize(1);
    }

    @Test
    @DisplayName("OUT-15 when its time is up a waiter gets nothing, or what a claim that is under way brings it")
    void timeIsUp() throws Exception {
        Future<List<Claim.Item>> brief = waiters.await(TENANT, claim("w", null, 1, Duration.ofMillis(20)), () -> true);
        assertThat(get(brief)).isEmpty();
        Future<List<Claim.Item>> underWay =
                waiters.await(TENANT, claim("w", null, 1, Duration.ofMillis(100)), () -> true);
        waiters.nudge(TENANT);
        Call call = nextCall();
        Promise<Void> later = Promise.promise();
        vertx.setTimer(200, fired -> later.complete());
        get(later.future());
        assertThat(underWay.isComplete()).isFalse();
        call.answer.complete(List.of(item()));
        assertThat(get(underWay)).hasSize(1);
    }

    @Test
    @DisplayName("OUT-15 nobody claims for a caller who has gone away, and a failed claim fails its waiter only")
    void goneAndFailed() throws Exception {
        AtomicBoolean there = new AtomicBoolean(true);
        Future<List<Claim.Item>> gone = waiters.await(TENANT, claim("gone", null, 1, LONG), there::get);
        Future<List<Claim.Item>> failing = waiting("failing");
        Future<List<Claim.Item>> other = waiting("other");
        there.set(false);
        waiters.nudge(TENANT);
        Call call = nextCall();
        assertThat(call.claim.workerId()).isEqualTo("failing");
        call.answer.fail("broken");
        assertThat(get(gone)).isEmpty();
        Awaitility.await("failed").until(failing::failed);
        assertThat(other.isComplete()).isFalse();
        waiters.nudge(TENANT);
        nextCall().answer.complete(List.of(item()));
        assertThat(get(other)).hasSize(1);
    }

    @Test
    @DisplayName("OUT-15 once closed, waiters are answered with nothing and nobody waits any more")
    void closed() throws Exception {
        List<Future<List<Claim.Item>>> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(waiting("w" + i));
        }
        get(waiters.close().map("closed"));
        for (Future<List<Claim.Item>> one : all) {
            assertThat(get(one)).isEmpty();
        }
        assertThat(get(waiting("late"))).isEmpty();
        assertThat(calls).isEmpty();
    }
}
