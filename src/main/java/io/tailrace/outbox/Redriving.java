package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Works redrives off, one part a transaction: what is done to the part and how far the order has come are committed
 * together, so that whoever goes on after a kill does no part twice and forgets none.
 */
final class Redriving {
    /** Parts in one run, so that a shutdown waits for no more. */
    static final int STEPS = 150;

    /** After a failed step: a part that fails again and again keeps its own order waiting, and no other. */
    static final Duration AFTER_FAILURE = Duration.ofSeconds(10);

    private final Database database;
    private final Operating operating;

    Redriving(Database database, Operating operating) {
        this.database = database;
        this.operating = operating;
    }

    /**
     * One step.
     *
     * @param acted null when it only finished an order
     */
    private record Step(UUID tenant, Operating.@Nullable Acted acted) {}

    /** Every part that is due by its order's rate, up to {@link #STEPS} of them; answers how many. */
    Future<Integer> run() {
        return run(0);
    }

    private Future<Integer> run(int before) {
        if (before == STEPS) {
            return Future.succeededFuture(before);
        }
        AtomicReference<@Nullable UUID> inHand = new AtomicReference<>();
        return database.transaction(database.maintenance(), connection -> step(connection, inHand))
                .recover(cause -> postpone(inHand.get()).transform(done -> Future.failedFuture(cause)))
                .compose(step -> {
                    if (step.isEmpty()) {
                        return Future.succeededFuture(before);
                    }
                    Operating.Acted acted = step.get().acted();
                    if (acted != null) {
                        operating.committed(step.get().tenant(), acted);
                    }
                    return run(before + 1);
                });
    }

    private Future<Void> postpone(@Nullable UUID order) {
        return order == null
                ? Future.succeededFuture()
                : database.transaction(
                        database.maintenance(), connection -> RedriveStore.postpone(connection, order, AFTER_FAILURE));
    }

    private Future<Optional<Step>> step(SqlConnection connection, AtomicReference<@Nullable UUID> inHand) {
        return RedriveStore.lockDue(connection).compose(due -> {
            if (due.isEmpty()) {
                return Future.succeededFuture(Optional.<Step>empty());
            }
            RedriveStore.Open open = due.get();
            inHand.set(open.progress().id());
            return RedriveStore.next(connection, open)
                    .compose(next -> next.isEmpty()
                            ? RedriveStore.finish(connection, open).map(Optional.of(new Step(open.tenant(), null)))
                            : act(connection, open, next.get())
                                    .map(acted -> Optional.of(new Step(open.tenant(), acted))));
        });
    }

    private Future<Operating.Acted> act(SqlConnection connection, RedriveStore.Open open, PartId part) {
        Redrive order = open.progress().order();
        Future<Operating.Acted> acted = order.action() == Redrive.Action.RETRY
                ? operating.retryIn(connection, open.tenant(), open.botIds(), part, order.acceptDuplicateRisk())
                : operating.cancelIn(connection, open.tenant(), open.botIds(), part);
        return acted.compose(
                it -> RedriveStore.advance(connection, open, part, it.result()).map(it));
    }
}
