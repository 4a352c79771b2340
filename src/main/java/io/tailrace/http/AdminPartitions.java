package io.tailrace.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.http.Answers.Answer;
import io.tailrace.partition.Finding;
import io.tailrace.partition.MaintenanceRun;
import io.tailrace.partition.MaintenanceRun.TableRun;
import io.tailrace.partition.MaintenanceSchedule;
import io.tailrace.partition.PartitionListing;
import io.tailrace.partition.PartitionMaintenance;
import io.tailrace.partition.PartitionRemoval;
import io.tailrace.partition.RemovalRun;
import io.tailrace.partition.TableView;
import io.tailrace.partition.TableView.PartitionView;
import io.tailrace.wire.Rfc3339;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** {@code /admin/partitions} and {@code /admin/maintenance/runs}. */
final class AdminPartitions {
    /** How long a run that somebody asked for waits for one that is under way elsewhere. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** After it the answer says that the run goes on. */
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(20);

    private final PartitionListing listing;
    private final Map<MaintenanceSchedule, PartitionMaintenance> maintenance;
    private final Map<MaintenanceSchedule, PartitionRemoval> removal;

    AdminPartitions(
            PartitionListing listing,
            Map<MaintenanceSchedule, PartitionMaintenance> maintenance,
            Map<MaintenanceSchedule, PartitionRemoval> removal) {
        this.listing = listing;
        this.maintenance = maintenance;
        this.removal = removal;
    }

    void mount(Router router) {
        router.get("/admin/partitions").handler(AdminRequests.plain(this::list));
        router.get("/admin/partitions/removals").handler(AdminRequests.plain(this::removals));
        router.post("/admin/maintenance/runs").handler(AdminRequests.json(this::run));
    }

    private Future<Answer> list(RoutingContext context) {
        return listing.list()
                .map(tables -> Answer.ok(out -> {
                    out.writeStartObject();
                    out.writeArrayFieldStart("tables");
                    for (TableView table : tables) {
                        write(out, table);
                    }
                    out.writeEndArray();
                    out.writeEndObject();
                }));
    }

    private Future<Answer> run(RoutingContext context, byte[] body) {
        AdminBodies.nothing(body);
        JsonArray runs = new JsonArray();
        Future<Void> inTurn = Future.succeededFuture();
        for (Map.Entry<MaintenanceSchedule, PartitionMaintenance> one : maintenance.entrySet()) {
            inTurn = inTurn.compose(before -> one.getValue().runOnce(PATIENCE)).map(run -> {
                runs.add(run(one.getKey(), run));
                return null;
            });
        }
        for (Map.Entry<MaintenanceSchedule, PartitionRemoval> one : removal.entrySet()) {
            inTurn = inTurn.compose(before -> removal(one.getKey(), one.getValue()))
                    .map(run -> {
                        runs.add(run);
                        return null;
                    });
        }
        return inTurn.map(done -> Answer.ok(
                out -> out.writeRawValue(new JsonObject().put("runs", runs).encode())));
    }

    /** What a run would remove now, and what blocks it; changes nothing. */
    private Future<Answer> removals(RoutingContext context) {
        JsonArray all = new JsonArray();
        Future<Void> inTurn = Future.succeededFuture();
        for (PartitionRemoval one : removal.values()) {
            inTurn = inTurn.compose(before -> one.preview()).map(previews -> {
                previews.forEach(preview -> all.add(new JsonObject()
                        .put("table", preview.table())
                        .put("partition", preview.partition())
                        .put("action", preview.action())
                        .put("from", format(preview.from()))
                        .put("to", format(preview.to()))
                        .put("rows_estimate", preview.rows())
                        .put("bytes", preview.bytes())
                        .put("blocked_by", new JsonArray(preview.blockedBy()))
                        .put("why", preview.why())));
                return null;
            });
        }
        return inTurn.map(done -> Answer.ok(
                out -> out.writeRawValue(new JsonObject().put("removals", all).encode())));
    }

    /** Goes on by itself when it takes long: a detach may wait for a reader for minutes. */
    private static Future<JsonObject> removal(MaintenanceSchedule schedule, PartitionRemoval removal) {
        return removal.runOnce(PATIENCE)
                .map(run -> run(schedule, run, false))
                .timeout(LONGEST_ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                .recover(cause -> cause instanceof TimeoutException
                        ? Future.succeededFuture(run(schedule, new RemovalRun(false, List.of()), true))
                        : Future.failedFuture(cause));
    }

    private static JsonObject run(MaintenanceSchedule schedule, RemovalRun run, boolean goesOn) {
        JsonArray tables = new JsonArray();
        for (RemovalRun.TableRun table : run.tables()) {
            tables.add(new JsonObject()
                    .put("table", table.table())
                    .put("dropped", new JsonArray(table.dropped()))
                    .put("reattached", new JsonArray(table.reattached()))
                    .put("blocked", new JsonArray(table.blocked()))
                    .put("failures", new JsonArray(table.failures())));
        }
        return new JsonObject()
                .put("worker", schedule.remover())
                .put("ok", !run.anotherRuns() && run.failure().isEmpty())
                .put("another_runs", run.anotherRuns())
                .put("still_running", goesOn)
                .put("tables", tables);
    }

    private static void write(JsonGenerator out, TableView table) throws IOException {
        out.writeStartObject();
        out.writeStringField("table", table.table());
        out.writeStringField("period", table.period());
        out.writeArrayFieldStart("partitions");
        for (PartitionView partition : table.partitions()) {
            out.writeStartObject();
            out.writeStringField("name", partition.name());
            out.writeStringField("from", format(partition.from()));
            out.writeStringField("to", format(partition.to()));
            out.writeNumberField("rows_estimate", partition.rowsEstimate());
            out.writeNumberField("bytes", partition.bytes());
            out.writeStringField("state", partition.state());
            out.writeStringField("blocked_by", partition.blockedBy());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private static JsonObject run(MaintenanceSchedule schedule, MaintenanceRun run) {
        JsonArray tables = new JsonArray();
        for (TableRun table : run.tables()) {
            JsonArray findings = new JsonArray();
            table.findings().forEach(finding -> findings.add(finding(finding)));
            tables.add(new JsonObject()
                    .put("table", table.table())
                    .put("created", new JsonArray(table.created()))
                    .put("days_ahead", table.daysAhead())
                    .put("findings", findings)
                    .put("failures", new JsonArray(table.failures())));
        }
        return new JsonObject()
                .put("worker", schedule.worker())
                .put("ok", run.succeeded())
                .put("another_runs", run.anotherRuns())
                .put("tables", tables);
    }

    static JsonObject finding(Finding finding) {
        return new JsonObject()
                .put("severity", finding.severity().name().toLowerCase(Locale.ROOT))
                .put("kind", finding.kind().name().toLowerCase(Locale.ROOT))
                .put("about", finding.about())
                .put("detail", finding.detail())
                .put("what_to_do", finding.whatToDo());
    }

    private static @Nullable String format(@Nullable Instant instant) {
        return instant == null ? null : Rfc3339.format(instant);
    }
}
