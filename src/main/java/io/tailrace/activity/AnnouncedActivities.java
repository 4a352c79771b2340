package io.tailrace.activity;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A log that says of each activity it has stored, once it is committed. What is appended inside a caller's own transaction is not
 * announced: only the caller knows whether it commits.
 */
public final class AnnouncedActivities implements ActivityService {
    private final ActivityService log;
    private final Consumer<Activity> announce;

    /** @param announce cheap, never throws; called where the append completes, before whoever asked for it is answered */
    public AnnouncedActivities(ActivityService log, Consumer<Activity> announce) {
        this.log = log;
        this.announce = announce;
    }

    @Override
    public Future<AppendResult> append(UUID tenant, NewActivity activity) {
        return log.append(tenant, activity).onSuccess(result -> {
            if (result instanceof AppendResult.Stored stored) {
                announce.accept(stored.activity());
            }
        });
    }

    @Override
    public Future<List<AppendResult>> append(SqlConnection connection, UUID tenant, List<NewActivity> activities) {
        return log.append(connection, tenant, activities);
    }

    @Override
    public Future<Optional<ActivityPage>> page(
            UUID tenant, UUID conversation, long after, @Nullable Instant since, int limit) {
        return log.page(tenant, conversation, after, since, limit);
    }

    @Override
    public Future<Optional<Activity>> find(UUID tenant, UUID id) {
        return log.find(tenant, id);
    }

    @Override
    public Future<DeleteResult> delete(UUID tenant, UUID id) {
        return log.delete(tenant, id);
    }
}
