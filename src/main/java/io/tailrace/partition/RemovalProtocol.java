package io.tailrace.partition;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.partition.RemovalRecord.Stage;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One table's removals in one run: carries steps out on the connection that holds the locks, and remembers what came of
 * them. A step's failure stops no other step, but a pending detach that could not be finalized stops further detaches.
 */
final class RemovalProtocol {
    private static final Logger LOG = LoggerFactory.getLogger(RemovalProtocol.class);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    private final Database database;
    private final SqlConnection holder;
    private final ExpiringTable expiring;
    private final PartitionedTable table;
    private final RemovalSettings settings;
    private final MeterRegistry meters;
    private final PartitionStore ddl = new PartitionStore();
    private final RemovalStore store = new RemovalStore();
    private final List<String> dropped = new ArrayList<>();
    private final List<String> reattached = new ArrayList<>();
    private final List<String> blocked = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private boolean pendingLeft;

    RemovalProtocol(
            Database database,
            SqlConnection holder,
            ExpiringTable expiring,
            RemovalSettings settings,
            MeterRegistry meters) {
        this.database = database;
        this.holder = holder;
        this.expiring = expiring;
        this.table = expiring.table();
        this.settings = settings;
        this.meters = meters;
    }

    RemovalRun.TableRun outcome() {
        return new RemovalRun.TableRun(table.name(), dropped, reattached, blocked, failures);
    }

    void failed(String about, Throwable cause) {
        failures.add(about + ": " + (cause.getMessage() == null ? cause.toString() : cause.getMessage()));
    }

    /** Never fails: what goes wrong is in {@link #outcome()}. */
    Future<Void> carryOut(RemovalStep step, String clocksApart) {
        return start(step, clocksApart).recover(cause -> {
            LOG.warn("{} of {}: {}", step.getClass().getSimpleName(), step.partition(), cause.toString());
            failed(step.partition(), cause);
            return Future.succeededFuture();
        });
    }

    private Future<Void> start(RemovalStep step, String clocksApart) {
        if (step instanceof RemovalStep.Finalize finalize) {
            return finalizeDetach(finalize.partition());
        }
        if (step instanceof RemovalStep.Close close) {
            return close.gone()
                    ? store.dropped(holder, table, close.record().span(), Duration.ZERO)
                    : store.forget(holder, table, close.record().span());
        }
        if (!clocksApart.isEmpty()) {
            blocked.add(step.partition() + ": " + clocksApart);
            return Future.succeededFuture();
        }
        if (step instanceof RemovalStep.Settle settle) {
            return underPeriodLock(settle.record().span(), settle.partition(), () -> settle(settle.record()));
        }
        RemovalStep.Detach detach = (RemovalStep.Detach) step;
        if (pendingLeft) {
            blocked.add(detach.partition() + ": another partition's detach is pending");
            return Future.succeededFuture();
        }
        return underPeriodLock(detach.span(), detach.partition(), () -> remove(detach.partition(), detach.span()));
    }

    private interface Work {
        Future<Void> run();
    }

    /** Whoever brings a part of the period back holds the same lock, shared; we do not wait for him, the next run will. */
    private Future<Void> underPeriodLock(Span span, String partition, Work work) {
        return store.tryPeriod(holder, table, span).compose(held -> {
            if (!held) {
                blocked.add(partition + ": something in it is just being brought back");
                return Future.succeededFuture();
            }
            return work.run().eventually(() -> store.freePeriod(holder, table, span));
        });
    }

    private Future<Void> finalizeDetach(String partition) {
        return store.oldestSnapshot(holder)
                .compose(seer -> patiently(() -> ddl.finalizeDetach(holder, table, partition))
                        .onSuccess(done -> LOG.info("the detach of {} is finalized", partition))
                        .recover(cause -> {
                            pendingLeft = true;
                            return Future.failedFuture(
                                    seer.isEmpty()
                                            ? cause
                                            : new MaintenanceFailure("its pending detach waits for " + seer.get()));
                        }))
                // Out now: what becomes of it is decided at once, by the manifest.
                .compose(done -> store.records(holder, table))
                .compose(records -> records.stream()
                        .filter(record -> record.partition().equals(partition)
                                && record.exists()
                                && !record.attached()
                                && record.stage() != Stage.KEPT)
                        .findFirst()
                        .map(record -> underPeriodLock(record.span(), partition, () -> settle(record)))
                        .orElseGet(Future::succeededFuture));
    }

    private Future<Void> remove(String partition, Span span) {
        return Database.transaction(holder, inside -> expiring.guard().keeps(inside, partition, span))
                .compose(keeps -> keeps.isEmpty() ? unheld(partition) : Future.succeededFuture(keeps))
                .compose(keeps -> {
                    if (!keeps.isEmpty()) {
                        return keep(partition, span, keeps);
                    }
                    long began = System.nanoTime();
                    return store.record(holder, table, partition, span, Stage.DETACHING, null)
                            .compose(recorded -> patiently(() -> ddl.detach(holder, table, partition)))
                            .compose(out -> detached(span, began))
                            .compose(out -> store.records(holder, table))
                            .compose(records -> settle(records.stream()
                                    .filter(record -> record.span().equals(span))
                                    .findFirst()
                                    .orElseThrow()));
                });
    }

    private Future<Void> detached(Span span, long began) {
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        meters.timer("tailrace.partition.detach", "table", table.name()).record(took);
        return store.detached(holder, table, span, took);
    }

    private Future<Void> keep(String partition, Span span, List<String> keeps) {
        String reason = String.join("; ", keeps);
        blocked.add(partition + ": " + reason);
        return store.record(holder, table, partition, span, Stage.KEPT, reason);
    }

    /**
     * Waits until no old transaction holds the table, so that the time in which inserts into the period fail is not begun
     * for nothing (LIFE-6); after {@code blockerWait} answers who it is.
     */
    private Future<List<String>> unheld(String partition) {
        return unheld(partition, 1 + settings.blockerWait().toMillis() / LOOK_AGAIN.toMillis());
    }

    private Future<List<String>> unheld(String partition, long looks) {
        return store.holder(holder, table, partition).compose(found -> {
            if (found.isEmpty()) {
                return Future.succeededFuture(List.of());
            }
            if (looks <= 1) {
                return Future.succeededFuture(List.of("held by " + found.get()));
            }
            return database.vertx()
                    .timer(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)
                    .compose(waited -> unheld(partition, looks - 1));
        });
    }

    private Future<Void> patiently(Work statement) {
        return store.patient(holder, settings.detachWait())
                .compose(set -> statement.run())
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)))
                .eventually(() -> store.bounded(holder, database.ddlLockTimeout()));
    }

    /** Drops a detached table, or brings it back when something in it must stay or it has not expired any more. */
    private Future<Void> settle(RemovalRecord record) {
        long began = System.nanoTime();
        return Database.transaction(holder, inside -> store.stillDetached(inside, table, record)
                        .compose(now -> now.isEmpty()
                                ? Future.failedFuture(new MaintenanceFailure("is not the table that was detached"))
                                : ddl.lockDetached(inside, table, record.partition())
                                        .compose(locked -> expiring.expired(record.span(), now.get())
                                                ? expiring.guard().keeps(inside, record.partition(), record.span())
                                                : Future.succeededFuture(List.of("is not due any more")))
                                        .compose(keeps -> keeps.isEmpty()
                                                ? drop(inside, record, began)
                                                : Future.succeededFuture(Optional.of(keeps)))))
                .compose(kept -> kept.isEmpty() ? gone(record, began) : bringBack(record, kept.get()));
    }

    /** Empty when it was dropped. */
    private Future<Optional<List<String>>> drop(SqlConnection inside, RemovalRecord record, long began) {
        return ddl.dropDetached(inside, table, record.partition())
                .compose(dropped ->
                        store.dropped(inside, table, record.span(), Duration.ofNanos(System.nanoTime() - began)))
                .map(Optional.empty());
    }

    private Future<Void> gone(RemovalRecord record, long began) {
        dropped.add(record.partition());
        meters.timer("tailrace.partition.drop", "table", table.name())
                .record(Duration.ofNanos(System.nanoTime() - began));
        LOG.info("partition {} of {} dropped: {}", record.partition(), table.name(), record.span());
        return Future.succeededFuture();
    }

    private Future<Void> bringBack(RemovalRecord record, List<String> keeps) {
        return Database.transaction(holder, inside -> store.stillDetached(inside, table, record)
                        .compose(now -> now.isEmpty()
                                ? Future.failedFuture(new MaintenanceFailure("is not the table that was detached"))
                                : ddl.reattach(inside, table, record.partition(), record.span())
                                        .compose(back -> store.record(
                                                inside,
                                                table,
                                                record.partition(),
                                                record.span(),
                                                Stage.KEPT,
                                                String.join("; ", keeps)))))
                .onSuccess(back -> {
                    reattached.add(record.partition());
                    blocked.add(record.partition() + ": " + String.join("; ", keeps));
                    LOG.warn("partition {} of {} is attached again: {}", record.partition(), table.name(), keeps);
                });
    }
}
