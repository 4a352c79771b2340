package io.tailrace.worker;

import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/** The last run of each periodic worker, for every instance of the fleet to read. Failures are {@link DatabaseFailure}. */
public final class WorkerRunStore {
    private static final String RECORD = """
            INSERT INTO worker_runs (worker, finished_at, ok, detail)
            VALUES ($1::text, tailrace_now(), $2::boolean, $3::jsonb)
            ON CONFLICT (worker) DO UPDATE
            SET finished_at = excluded.finished_at, ok = excluded.ok, detail = excluded.detail
            """;

    private static final String LAST = """
            SELECT finished_at, ok, detail,
                   (extract(epoch FROM tailrace_now() - finished_at) * 1000)::bigint AS age_ms
            FROM worker_runs
            WHERE worker = $1::text
            """;

    /**
     * What a run came to.
     *
     * @param age how long ago it ended, by PostgreSQL's clock
     */
    public record LastRun(Instant finishedAt, boolean ok, JsonObject detail, Duration age) {}

    /** Records that a run has just ended. */
    public Future<Void> record(SqlClient client, String worker, boolean ok, JsonObject detail) {
        return client.preparedQuery(RECORD)
                .execute(Tuple.of(worker, ok, detail))
                .<Void>mapEmpty()
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }

    /** The last run that any instance recorded. */
    public Future<Optional<LastRun>> last(SqlClient client, String worker) {
        return client.preparedQuery(LAST)
                .execute(Tuple.of(worker))
                .map(rows -> rows.size() == 0
                        ? Optional.<LastRun>empty()
                        : Optional.of(lastRun(rows.iterator().next())))
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }

    private static LastRun lastRun(Row row) {
        return new LastRun(
                row.get(OffsetDateTime.class, "finished_at").toInstant(),
                row.getBoolean("ok"),
                row.getJsonObject("detail"),
                Duration.ofMillis(row.getLong("age_ms")));
    }
}
