package io.tailrace.tenant;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LiveKeysTest {
    private static final LiveKey KEY =
            new LiveKey(new byte[32], new Caller(Tenant.DEFAULT, "k", Set.of(Scope.OUTBOX), null));

    /** One look at the table, answered when the test says so. */
    private record Query(List<String> keyIds, Promise<Map<String, LiveKey>> answer) {
        void find(String... live) {
            Map<String, LiveKey> found = new HashMap<>();
            List.of(live).forEach(id -> found.put(id, KEY));
            answer.complete(found);
        }
    }

    private final Vertx vertx = Vertx.vertx();
    private final AtomicLong nanos = new AtomicLong(-5);
    private final BlockingQueue<Query> queries = new LinkedBlockingQueue<>();
    private final LiveKeys keys = new LiveKeys(vertx, this::ask, nanos::get);

    @AfterEach
    void close() throws Exception {
        get(vertx.close());
    }

    private Future<Map<String, LiveKey>> ask(List<String> keyIds) {
        Query query = new Query(List.copyOf(keyIds), Promise.promise());
        queries.add(query);
        return query.answer.future();
    }

    /** When the answer just given has been taken in: it travels over the context that the keys were made on. */
    private void taken() throws Exception {
        for (int hops = 0; hops < 4; hops++) {
            Promise<Void> passed = Promise.promise();
            vertx.getOrCreateContext().runOnContext(ignored -> passed.complete());
            get(passed.future());
        }
    }

    private Query query() throws InterruptedException {
        Query query = queries.poll(10, SECONDS);
        assertThat(query).as("a query").isNotNull();
        return query;
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void remember(String keyId) throws Exception {
        Future<Optional<LiveKey>> found = keys.find(keyId);
        query().find(keyId);
        assertThat(get(found)).contains(KEY);
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(10, SECONDS);
    }

    private static Throwable failure(Future<?> future) throws Exception {
        return get(future.transform(done -> Future.succeededFuture(done.cause())));
    }

    @Test
    @DisplayName("API-3 a remembered key answers at once, without a query")
    void remembered() throws Exception {
        remember("k");
        pass(LiveKeys.RENEW.minusNanos(1));

        assertThat(keys.find("k").isComplete()).isTrue();
        assertThat(queries).isEmpty();
    }

    @Test
    @DisplayName("API-3 a revocation is seen by every request that comes 800 ms after it")
    void revoked() throws Exception {
        remember("k");
        pass(LiveKeys.OLDEST);

        Future<Optional<LiveKey>> found = keys.find("k");
        assertThat(found.isComplete()).isFalse();
        query().find();
        assertThat(get(found)).isEmpty();
        assertThat(get(keys.find("k"))).isEmpty();
    }

    @Test
    @DisplayName("API-3 an answer is renewed before it is too old, and nobody waits for that")
    void renewedAhead() throws Exception {
        remember("k");
        pass(LiveKeys.RENEW);

        assertThat(keys.find("k").isComplete()).isTrue();
        assertThat(keys.find("k").isComplete()).isTrue();
        query().find();
        pass(LiveKeys.OLDEST.minus(LiveKeys.RENEW));
        assertThat(get(keys.find("k"))).isEmpty();
        assertThat(queries).isEmpty();
    }

    @Test
    @DisplayName(
            "API-3 a read that hangs is not joined by requests 800 ms later: it may have seen the key before it was revoked")
    void hangingReadIsNotJoined() throws Exception {
        remember("k");
        pass(LiveKeys.OLDEST);
        Future<Optional<LiveKey>> early = keys.find("k");
        Query hanging = query();
        pass(LiveKeys.OLDEST);
        Future<Optional<LiveKey>> late = keys.find("k");
        hanging.find("k");

        query().find();
        assertThat(get(early)).contains(KEY);
        assertThat(get(late)).isEmpty();
        assertThat(get(keys.find("k"))).isEmpty();
    }

    @Test
    @DisplayName("API-3 requests for one key that come together share one query")
    void singleFlight() throws Exception {
        List<Future<Optional<LiveKey>>> all = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            all.add(keys.find("k"));
        }
        query().find("k");
        for (Future<Optional<LiveKey>> one : all) {
            assertThat(get(one)).contains(KEY);
        }
        assertThat(queries).isEmpty();
    }

    @Test
    @DisplayName("API-3 a key used 6,000 times a second costs at most two queries a second")
    void fewQueries() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Function<List<String>, Future<Map<String, LiveKey>>> always = ids -> {
            asked.incrementAndGet();
            return Future.succeededFuture(Map.of("k", KEY));
        };
        LiveKeys busy = new LiveKeys(vertx, always, nanos::get);
        for (int i = 0; i < 18_000; i++) {
            assertThat(get(busy.find("k"))).contains(KEY);
            pass(Duration.ofNanos(1_000_000_000 / 6_000));
        }
        assertThat(asked.get()).isBetween(3, 6);
    }

    @Test
    @DisplayName("API-3 a flood of invented ids is bounded in memory and in queries, and delays no key in use")
    void flood() throws Exception {
        remember("k");
        List<Future<Optional<LiveKey>>> flood = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            flood.add(keys.find("invented-" + i));
        }
        assertThat(keys.remembered()).isLessThanOrEqualTo(LiveKeys.REMEMBERED + 1);

        pass(LiveKeys.OLDEST);
        Future<Optional<LiveKey>> used = keys.find("k");
        Query first = query();
        Query second = query();
        Query ofUsed = first.keyIds.contains("k") ? first : second;
        Query ofFlood = first.keyIds.contains("k") ? second : first;
        ofUsed.find("k");
        assertThat(get(used)).contains(KEY);
        assertThat(queries).as("one query in flight for all invented ids").isEmpty();

        int queriesForFlood = 1;
        ofFlood.find();
        int overloaded = 0;
        for (Future<Optional<LiveKey>> one : flood) {
            while (!one.isComplete()) {
                Query next = queries.poll(10, java.util.concurrent.TimeUnit.MILLISECONDS);
                if (next != null) {
                    queriesForFlood++;
                    next.find();
                }
            }
            overloaded += one.failed() ? 1 : 0;
        }
        assertThat(queriesForFlood).isLessThan(20);
        assertThat(overloaded).isGreaterThan(40_000);
        assertThat(DatabaseFailure.is(flood.get(49_999).cause(), DatabaseFailure.Kind.OVERLOADED))
                .isTrue();
    }

    @Test
    @DisplayName("API-3 a database that is down is a failure, not a refusal, and is asked again 100 ms later")
    void down() throws Exception {
        remember("k");
        DatabaseFailure gone = new DatabaseFailure(DatabaseFailure.Kind.UNAVAILABLE, "gone", null);
        pass(LiveKeys.RENEW);
        assertThat(keys.find("k").succeeded()).as("still young enough").isTrue();
        query().answer.fail(gone);
        taken();

        pass(LiveKeys.OLDEST.minus(LiveKeys.RENEW));
        Future<Optional<LiveKey>> down = keys.find("k");
        query().answer.fail(gone);
        assertThat(failure(down)).isSameAs(gone);
        pass(LiveKeys.FAILED_FOR.minusNanos(1));
        assertThat(failure(keys.find("k"))).isSameAs(gone);
        assertThat(queries).isEmpty();

        pass(Duration.ofNanos(1));
        Future<Optional<LiveKey>> back = keys.find("k");
        query().find("k");
        assertThat(get(back)).contains(KEY);
    }

    @Test
    void aForgottenKeyIsReadAgain() throws Exception {
        remember("k");
        keys.forget("k");
        Future<Optional<LiveKey>> found = keys.find("k");
        query().find();
        assertThat(get(found)).isEmpty();
    }
}
