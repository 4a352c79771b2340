package io.tailrace.http;

import io.tailrace.http.CheckResult.Status;
import io.tailrace.partition.PartitionHealth;
import io.tailrace.partition.PartitionHealth.TableHealth;
import io.tailrace.wire.Rfc3339;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;

/** The entry of a partition schedule, such as {@code daily_partition_maintenance} (LIFE-8). */
public final class PartitionCheck implements HealthCheck {
    private final PartitionHealth health;

    public PartitionCheck(PartitionHealth health) {
        this.health = health;
    }

    @Override
    public String name() {
        return health.name();
    }

    @Override
    public Future<CheckResult> check() {
        return health.report().map(PartitionCheck::result);
    }

    static CheckResult result(PartitionHealth.Report report) {
        JsonObject details = new JsonObject();
        if (report.detail() != null) {
            details.put("detail", report.detail());
        }
        details.put("last_run", report.lastRun() == null ? null : Rfc3339.format(report.lastRun()));
        JsonObject tables = new JsonObject();
        for (Map.Entry<String, TableHealth> table : report.tables().entrySet()) {
            tables.put(table.getKey(), table(table.getValue()));
        }
        details.put("tables", tables);
        return new CheckResult(status(report.status()), !report.currentMissing(), details);
    }

    private static JsonObject table(TableHealth table) {
        JsonArray findings = new JsonArray();
        table.findings().forEach(finding -> findings.add(AdminPartitions.finding(finding)));
        return new JsonObject()
                .put("status", status(table.status()).wire())
                .put("days_ahead", table.daysAhead())
                .put("pending_detach", new JsonArray(table.pendingDetach()))
                .put("findings", findings);
    }

    private static Status status(PartitionHealth.Status status) {
        return switch (status) {
            case OK -> Status.OK;
            case DEGRADED -> Status.DEGRADED;
            case STALE -> Status.STALE;
            case ERROR -> Status.ERROR;
        };
    }
}
