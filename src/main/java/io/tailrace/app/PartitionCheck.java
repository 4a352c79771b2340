package io.tailrace.app;

import io.tailrace.http.CheckResult;
import io.tailrace.http.HealthCheck;
import io.tailrace.partition.PartitionHealth;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;

/** The readiness entry {@code daily_partition_maintenance} (LIFE-8), in the words of the wire. */
final class PartitionCheck implements HealthCheck {
    private final PartitionHealth health;

    PartitionCheck(PartitionHealth health) {
        this.health = health;
    }

    @Override
    public String name() {
        return health.name();
    }

    @Override
    public Future<CheckResult> check() {
        return health.report().map(PartitionCheck::translate);
    }

    private static CheckResult translate(PartitionHealth.Report report) {
        JsonObject details = new JsonObject();
        if (report.detail() != null) {
            details.put("detail", report.detail());
        }
        details.put(
                "last_run", report.lastRun() == null ? null : report.lastRun().toString());
        JsonObject tables = new JsonObject();
        for (Map.Entry<String, PartitionHealth.TableHealth> entry :
                report.tables().entrySet()) {
            tables.put(entry.getKey(), table(entry.getValue()));
        }
        details.put("tables", tables);
        return new CheckResult(status(report.status()), !report.currentMissing(), details);
    }

    private static JsonObject table(PartitionHealth.TableHealth table) {
        JsonObject entry = new JsonObject()
                .put("days_ahead", table.daysAhead())
                .put("pending_detach", new JsonArray(table.pendingDetach()));
        JsonArray findings = new JsonArray();
        table.findings()
                .forEach(finding -> findings.add(new JsonObject()
                        .put("about", finding.about())
                        .put("detail", finding.detail())
                        .put("what_to_do", finding.whatToDo())));
        return findings.isEmpty() ? entry : entry.put("findings", findings);
    }

    private static CheckResult.Status status(PartitionHealth.Status status) {
        return switch (status) {
            case OK -> CheckResult.Status.OK;
            case DEGRADED -> CheckResult.Status.DEGRADED;
            case STALE -> CheckResult.Status.STALE;
            case ERROR -> CheckResult.Status.ERROR;
        };
    }
}
