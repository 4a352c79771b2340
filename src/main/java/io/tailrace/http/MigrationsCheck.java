package io.tailrace.http;

import io.tailrace.config.DatabaseConfig;
import io.tailrace.db.Migrations;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;

/**
 * Whether the schema is this build's. Looked up on a worker until it is; then it stays so for the life of the process,
 * because migrations do not un-run.
 */
public final class MigrationsCheck implements HealthCheck {
    private final WorkerExecutor blocking;
    private final DatabaseConfig database;
    private volatile boolean upToDate;

    public MigrationsCheck(WorkerExecutor blocking, DatabaseConfig database) {
        this.blocking = blocking;
        this.database = database;
    }

    @Override
    public String name() {
        return "migrations";
    }

    @Override
    public Future<CheckResult> check() {
        if (upToDate) {
            return Future.succeededFuture(CheckResult.ok());
        }
        return blocking.executeBlocking(() -> Migrations.pending(database), false)
                .map(this::judge)
                .otherwise(cause -> CheckResult.error("the schema cannot be looked at: " + firstLine(cause)));
    }

    private CheckResult judge(int pending) {
        upToDate = pending == 0;
        return upToDate
                ? CheckResult.ok()
                : CheckResult.error(pending + " migration(s) have not run: run `tailrace migrate`");
    }

    private static String firstLine(Throwable cause) {
        return String.valueOf(cause.getMessage()).strip().lines().findFirst().orElse("no reason given");
    }
}
