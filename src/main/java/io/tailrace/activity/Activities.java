package io.tailrace.activity;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The log on one PostgreSQL. Any number of instances may work on the same database. */
public final class Activities implements ActivityService {
    private final Database database;
    private final ActivitySettings settings;
    private final ActivityAppends appends;
    private final ActivityLanes lanes;
    private final ActivityMetrics metrics;
    private final MissingMonths missing;

    /** @param missingPartition told when no month takes an activity's time: whoever makes months does it now (ACT-18) */
    public Activities(
            Vertx vertx,
            Database database,
            ActivitySettings settings,
            MeterRegistry meters,
            Runnable missingPartition) {
        this.database = database;
        this.settings = settings;
        this.appends = new ActivityAppends(database);
        this.lanes = new ActivityLanes(vertx, appends, settings);
        this.metrics = new ActivityMetrics(meters);
        this.missing = new MissingMonths(metrics, missingPartition);
        Gauge.builder("tailrace.activities.queue.depth", lanes, ActivityLanes::depth)
                .description("appends waiting for a flush")
                .register(meters);
    }

    /** Takes no more appends; completes when every accepted one has been answered. */
    public Future<Void> stop() {
        return lanes.close();
    }

    @Override
    public Future<AppendResult> append(UUID tenant, NewActivity activity) {
        ActivityAppendStore.Entry entry = new ActivityAppendStore.Entry(tenant, activity);
        return (settings.groupCommit() ? lanes.submit(entry) : appends.alone(entry))
                .onSuccess(metrics::appended)
                .onFailure(missing::failed);
    }

    @Override
    public Future<List<AppendResult>> append(SqlConnection connection, UUID tenant, List<NewActivity> activities) {
        return appends.onConnection(connection, tenant, activities)
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)))
                .onSuccess(results -> results.forEach(metrics::appended))
                .onFailure(missing::failed);
    }

    @Override
    public Future<Optional<ActivityPage>> page(
            UUID tenant, UUID conversation, long after, @Nullable Instant since, int limit) {
        return read(ActivityReadStore.since(database.service(), tenant, conversation))
                .compose(began -> began.isEmpty()
                        ? Future.succeededFuture(Optional.empty())
                        : page(conversation, after, began.get(), since, limit).map(Optional::of));
    }

    private Future<ActivityPage> page(
            UUID conversation, long after, Instant began, @Nullable Instant since, int limit) {
        Instant from = since == null || since.isBefore(began) ? began : since;
        Future<List<Activity>> items =
                read(ActivityReadStore.page(database.service(), conversation, after, from, limit + 1));
        Future<Optional<Long>> first = read(ActivityReadStore.first(database.service(), conversation, began));
        return Future.all(items, first).map(both -> {
            List<Activity> found = items.result();
            boolean more = found.size() > limit;
            return new ActivityPage(
                    more ? found.subList(0, limit) : found, first.result().orElse(null), more);
        });
    }

    @Override
    public Future<Optional<Activity>> find(UUID tenant, UUID id) {
        return read(ActivityReadStore.findAt(database.service(), tenant, id))
                .compose(found -> found.isPresent()
                        ? Future.succeededFuture(found)
                        : read(ActivityReadStore.findAnywhere(database.service(), tenant, id)));
    }

    @Override
    public Future<DeleteResult> delete(UUID tenant, UUID id) {
        return find(tenant, id)
                .compose(found -> found.isEmpty()
                        ? Future.succeededFuture(DeleteResult.NOT_FOUND)
                        : database.transaction(connection -> delete(connection, found.get())));
    }

    private static Future<DeleteResult> delete(SqlConnection connection, Activity activity) {
        return ConversationStore.held(connection, activity.tenantId())
                .compose(held -> held
                        ? Future.succeededFuture(DeleteResult.ON_HOLD)
                        : ConversationStore.lock(connection, activity.tenantId(), activity.conversationId())
                                .compose(locked -> locked
                                        ? ActivityDeleteStore.delete(connection, activity)
                                        : Future.succeededFuture(false))
                                .map(deleted -> deleted ? DeleteResult.DELETED : DeleteResult.NOT_FOUND));
    }

    private static <T> Future<T> read(Future<T> asked) {
        return asked.recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }
}
