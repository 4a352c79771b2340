package io.tailrace.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.db.GroupCommit.Outcome;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lane by itself: entries are texts, their first letter their identity, their length their weight. */
class GroupCommitTest {
    private record Together(List<String> entries, Promise<List<Outcome<String>>> answer) {
        void done() {
            answer.complete(entries.stream()
                    .<Outcome<String>>map(entry -> new Outcome.Done<>("stored " + entry))
                    .toList());
        }

        void aside(String... entriesAside) {
            answer.complete(entries.stream()
                    .<Outcome<String>>map(entry -> List.of(entriesAside).contains(entry)
                            ? new Outcome.SetAside<>()
                            : new Outcome.Done<>("stored " + entry))
                    .toList());
        }
    }

    private record Alone(String entry, Promise<String> answer) {
        void done() {
            answer.complete("alone " + entry);
        }
    }

    private final Vertx vertx = Vertx.vertx();
    private final BlockingQueue<Together> flushes = new LinkedBlockingQueue<>();
    private final BlockingQueue<Alone> alone = new LinkedBlockingQueue<>();

    private final GroupCommit.Flush<String, String> flush = new GroupCommit.Flush<>() {
        @Override
        public Future<List<Outcome<String>>> together(List<String> entries) {
            if (entries.get(0).startsWith("!")) {
                throw new IllegalStateException("thrown");
            }
            Together call = new Together(List.copyOf(entries), Promise.promise());
            flushes.add(call);
            return call.answer.future();
        }

        @Override
        public Future<String> alone(String entry) {
            Alone call = new Alone(entry, Promise.promise());
            alone.add(call);
            return call.answer.future();
        }
    };

    @AfterEach
    void close() throws Exception {
        get(vertx.close().map("closed"));
    }

    private GroupCommit<String, String> lane(GroupCommit.Limits limits) {
        return new GroupCommit<>(vertx, limits, flush, String::length, entry -> entry.substring(0, 1));
    }

    private GroupCommit<String, String> lane() {
        return lane(new GroupCommit.Limits(100, 1_000, 100, 10_000, 2));
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private static DatabaseFailure failure(Future<?> future) throws Exception {
        Function<Throwable, Throwable> same = cause -> cause;
        return (DatabaseFailure) get(future.transform(done -> Future.succeededFuture(same.apply(done.cause()))));
    }

    private static <T> T next(BlockingQueue<T> calls) throws InterruptedException {
        T call = calls.poll(10, TimeUnit.SECONDS);
        if (call == null) {
            throw new AssertionError("no call");
        }
        return call;
    }

    @Test
    @DisplayName(
            "OUT-10 an entry that finds the lane idle is flushed at once; what comes meanwhile goes together with the next")
    void idleAndGathered() throws Exception {
        GroupCommit<String, String> lane = lane();
        Future<String> a = lane.submit("a");
        Together first = next(flushes);
        assertThat(first.entries).containsExactly("a");
        List<Future<String>> more = List.of(lane.submit("b"), lane.submit("c"), lane.submit("d"));
        assertThat(flushes.poll(50, TimeUnit.MILLISECONDS)).isNull();
        first.done();
        assertThat(get(a)).isEqualTo("stored a");
        Together second = next(flushes);
        assertThat(second.entries).containsExactly("b", "c", "d");
        assertThat(more).noneMatch(Future::isComplete);
        second.done();
        assertThat(get(more.get(2))).isEqualTo("stored d");
    }

    @Test
    @DisplayName("OUT-10 a flush is bounded in entries and in bytes; an entry larger than a flush goes by itself")
    void bounds() throws Exception {
        GroupCommit<String, String> lane = lane(new GroupCommit.Limits(3, 10, 100, 10_000, 2));
        lane.submit("0");
        Together first = next(flushes);
        for (String entry : List.of("a", "b", "c", "d4444", "e55555", "f".repeat(50), "g")) {
            lane.submit(entry);
        }
        first.done();
        List<List<String>> groups = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Together flushed = next(flushes);
            groups.add(flushed.entries);
            flushed.done();
        }
        assertThat(groups)
                .containsExactly(
                        List.of("a", "b", "c"),
                        List.of("d4444"),
                        List.of("e55555"),
                        List.of("f".repeat(50)),
                        List.of("g"));
    }

    @Test
    @DisplayName("OUT-10 the queue is bounded in entries and in bytes; past it an entry is refused, and nothing else")
    void fullQueue() throws Exception {
        GroupCommit<String, String> few = lane(new GroupCommit.Limits(10, 100, 2, 1_000, 2));
        few.submit("a");
        Together flushed = next(flushes);
        List<Future<String>> waiting = List.of(few.submit("b"), few.submit("c"));
        assertThat(failure(few.submit("d")).kind()).isEqualTo(DatabaseFailure.Kind.OVERLOADED);
        assertThat(few.depth()).isEqualTo(2);
        flushed.done();
        next(flushes).done();
        for (Future<String> one : waiting) {
            assertThat(get(one)).startsWith("stored");
        }
        GroupCommit<String, String> light = lane(new GroupCommit.Limits(10, 100, 100, 10, 2));
        light.submit("a");
        next(flushes);
        light.submit("b".repeat(8));
        assertThat(failure(light.submit("c".repeat(3))).kind()).isEqualTo(DatabaseFailure.Kind.OVERLOADED);
        assertThat(light.submit("d".repeat(2)).isComplete()).isFalse();
    }

    @Test
    @DisplayName("OUT-10 entries with one identity never share a flush, and keep their order")
    void identities() throws Exception {
        GroupCommit<String, String> lane = lane();
        lane.submit("0");
        Together first = next(flushes);
        List.of("a1", "b1", "a2", "a3", "b2").forEach(lane::submit);
        first.done();
        List<List<String>> groups = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Together flushed = next(flushes);
            groups.add(flushed.entries);
            flushed.done();
        }
        assertThat(groups).containsExactly(List.of("a1", "b1"), List.of("a2", "b2"), List.of("a3"));
    }

    @Test
    @DisplayName("OUT-10 an entry that is set aside runs alone beside the lane, a few at a time, and stalls nobody")
    void setAside() throws Exception {
        GroupCommit<String, String> lane = lane();
        lane.submit("0");
        Together first = next(flushes);
        List<Future<String>> all =
                List.of("a", "b", "c", "d").stream().map(lane::submit).toList();
        first.done();
        next(flushes).aside("a", "b", "c");
        assertThat(get(all.get(3))).isEqualTo("stored d");
        Alone a = next(alone);
        Alone b = next(alone);
        assertThat(alone.poll(50, TimeUnit.MILLISECONDS)).isNull();
        Future<String> later = lane.submit("e");
        next(flushes).done();
        assertThat(get(later)).isEqualTo("stored e");
        a.done();
        assertThat(get(all.get(0))).isEqualTo("alone a");
        Alone c = next(alone);
        b.answer.fail(new DatabaseFailure(DatabaseFailure.Kind.LOCK_TIMEOUT, "waited in vain", null));
        assertThat(failure(all.get(1)).kind()).isEqualTo(DatabaseFailure.Kind.LOCK_TIMEOUT);
        c.done();
        assertThat(get(all.get(2))).isEqualTo("alone c");
    }

    @Test
    @DisplayName("OUT-10 a flush that fails as a whole is taken apart: the bad entry fails, the others are stored")
    void takenApart() throws Exception {
        GroupCommit<String, String> lane = lane();
        lane.submit("0");
        Together first = next(flushes);
        Future<String> bad = lane.submit("bad");
        Future<String> good = lane.submit("good");
        first.done();
        DatabaseFailure cause = new DatabaseFailure(DatabaseFailure.Kind.BAD_VALUE, "no such thing", null);
        next(flushes).answer.fail(cause);
        for (int i = 0; i < 2; i++) {
            Alone one = next(alone);
            if (one.entry.equals("bad")) {
                one.answer.fail(cause);
            } else {
                one.done();
            }
        }
        assertThat(get(good)).isEqualTo("alone good");
        assertThat(failure(bad).kind()).isEqualTo(DatabaseFailure.Kind.BAD_VALUE);
        lane.submit("!");
        assertThat(next(alone).entry).isEqualTo("!");
    }

    @ParameterizedTest(name = "OUT-10 a flush that failed as {0} is not tried again")
    @EnumSource(
            value = DatabaseFailure.Kind.class,
            names = {"OUTCOME_UNKNOWN", "UNAVAILABLE", "OVERLOADED"})
    void notTriedAgain(DatabaseFailure.Kind kind) throws Exception {
        GroupCommit<String, String> lane = lane();
        lane.submit("0");
        Together first = next(flushes);
        List<Future<String>> both = List.of(lane.submit("a"), lane.submit("b"));
        first.done();
        next(flushes).answer.fail(new DatabaseFailure(kind, "the connection was lost", null));
        for (Future<String> one : both) {
            assertThat(failure(one).kind()).isEqualTo(kind);
        }
        assertThat(alone).isEmpty();
        Future<String> next = lane.submit("c");
        next(flushes).done();
        assertThat(get(next)).isEqualTo("stored c");
    }

    @Test
    @DisplayName("OUT-10 closing takes nothing more and waits for what was accepted: queued, in flight, set aside")
    void drains() throws Exception {
        GroupCommit<String, String> lane = lane();
        lane.submit("a");
        Together first = next(flushes);
        Future<String> b = lane.submit("b");
        Future<Void> closed = lane.close();
        assertThat(failure(lane.submit("late")).kind()).isEqualTo(DatabaseFailure.Kind.OVERLOADED);
        first.aside("a");
        Alone aside = next(alone);
        next(flushes).done();
        assertThat(get(b)).isEqualTo("stored b");
        assertThat(closed.isComplete()).isFalse();
        aside.done();
        get(closed.map("closed"));
        get(lane.close().map("closed twice"));
    }

    @Test
    @DisplayName("ACT-5 entries of one order keep it when one is set aside: those behind wait for it, others go on")
    void orderIsKept() throws Exception {
        GroupCommit<String, String> lane = new GroupCommit<>(
                vertx,
                new GroupCommit.Limits(100, 1_000, 100, 10_000, 2),
                flush,
                String::length,
                entry -> entry,
                entry -> entry.substring(0, 1));
        lane.submit("x");
        Together idle = next(flushes);
        List<Future<String>> first =
                Stream.of("a1", "a2", "b1").map(lane::submit).toList();
        idle.done();
        next(flushes).aside("a1", "a2");
        Alone a1 = next(alone);
        assertThat(a1.entry).isEqualTo("a1");
        assertThat(get(first.get(2))).isEqualTo("stored b1");

        Future<String> a3 = lane.submit("a3");
        Future<String> b2 = lane.submit("b2");
        next(flushes).done();
        assertThat(get(b2)).isEqualTo("stored b2");
        assertThat(alone.poll(50, TimeUnit.MILLISECONDS)).isNull();
        a1.done();
        Alone a2 = next(alone);
        assertThat(a2.entry).isEqualTo("a2");
        assertThat(flushes.poll(50, TimeUnit.MILLISECONDS)).isNull();
        Future<Void> closed = lane.close();
        a2.done();
        Together last = next(flushes);
        assertThat(last.entries).containsExactly("a3");
        assertThat(closed.isComplete()).isFalse();
        last.done();
        assertThat(get(a3)).isEqualTo("stored a3");
        get(closed.map("closed"));
    }

    @Test
    void answersOnTheCallersContext() throws Exception {
        GroupCommit<String, String> lane = lane();
        Context caller = vertx.getOrCreateContext();
        Promise<Boolean> same = Promise.promise();
        caller.runOnContext(
                ignored -> lane.submit("a").onComplete(done -> same.complete(Vertx.currentContext() == caller)));
        next(flushes).done();
        assertThat(get(same.future())).isTrue();
    }

    @Test
    void aFlushThatMiscountsFailsItsEntries() throws Exception {
        GroupCommit<String, String> lane = lane();
        List<Future<String>> all =
                IntStream.range(0, 2).mapToObj(i -> lane.submit(i + "x")).toList();
        next(flushes).answer.complete(List.of());
        Together second = next(flushes);
        second.done();
        assertThat(get(all.get(1))).isEqualTo("stored 1x");
        assertThat(all.get(0).failed()).isTrue();
    }
}
