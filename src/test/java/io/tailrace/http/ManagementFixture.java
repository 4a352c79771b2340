package io.tailrace.http;

import static io.tailrace.testkit.TestDatabase.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tailrace.config.DatabaseConfig;
import io.tailrace.config.ManagementConfig;
import io.tailrace.config.Secret;
import io.tailrace.db.Database;
import io.tailrace.outbox.OutboxTables;
import io.tailrace.partition.MaintainedTables;
import io.tailrace.partition.MaintenanceSchedule;
import io.tailrace.partition.PartitionHealth;
import io.tailrace.partition.PartitionListing;
import io.tailrace.partition.PartitionMaintenance;
import io.tailrace.partition.PartitionRemoval;
import io.tailrace.partition.PartitionedTable;
import io.tailrace.partition.RemovalSettings;
import io.tailrace.tenant.ApiKeys;
import io.tailrace.tenant.Tenants;
import io.tailrace.wire.Problem;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.OpenAPIContract;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** A management server on a free port, wired as the service wires it. */
final class ManagementFixture implements AutoCloseable {
    static final String TOKEN = "an-admin-token-of-this-test";

    final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    final Readiness readiness;
    final ApiKeys keys;
    // The tests' JVM resolves no class path by default, and the meta-schemas lie there.
    private final Vertx validating = Vertx.vertx(
            new VertxOptions().setFileSystemOptions(new FileSystemOptions().setClassPathResolvingEnabled(true)));
    private final OpenAPIContract contract;
    private final WorkerExecutor workers;
    private final ManagementServer server;
    private final int port;

    ManagementFixture(Database database, DatabaseConfig config, String token) {
        Vertx vertx = database.vertx();
        this.workers = vertx.createSharedWorkerExecutor("management-test", 2);
        MaintainedTables daily = MaintainedTables.daily(List.of(
                PartitionedTable.daily("telegram_outbox", "created_at")
                        .withUnique("batch_part", "tenant_id", "batch_id", "part_index"),
                PartitionedTable.daily("telegram_outbox_attempts", "claimed_at")));
        HealthCheck partitions = new PartitionCheck(new PartitionHealth(database, meters, daily, List.of()));
        HealthCheck migrations = new MigrationsCheck(workers, config);
        this.readiness =
                new Readiness(vertx, List.of(new PostgresCheck(database), migrations, partitions), List.of(migrations));
        this.keys = new ApiKeys(database, "test");
        this.server = new ManagementServer(
                vertx,
                new ManagementConfig(true, "127.0.0.1", 0, new Secret(token)),
                readiness,
                meters,
                workers,
                new Administration(
                        new Tenants(database),
                        keys,
                        new PartitionListing(database, daily.tables()),
                        Map.of(MaintenanceSchedule.DAILY, new PartitionMaintenance(database, daily)),
                        Map.of(MaintenanceSchedule.DAILY, removal(database, meters))));
        this.port = await(server.start());
        this.contract = await(OpenAPIContract.from(validating, document()));
    }

    private static PartitionRemoval removal(Database database, MeterRegistry meters) {
        return new PartitionRemoval(
                database,
                MaintenanceSchedule.DAILY,
                OutboxTables.expiring(7),
                new RemovalSettings(Duration.ofHours(1), Duration.ofSeconds(10), Duration.ofSeconds(1), 3),
                InstantSource.system(),
                meters);
    }

    /** As it is served. The validator knows no problem+json; the client asserts that media type itself. */
    private JsonObject document() {
        try {
            String document = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/openapi.json"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
            return new JsonObject(document.replace(Problem.MEDIA_TYPE, "application/json"));
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    ManagementClient client(String token) {
        return new ManagementClient(validating, contract, port, token);
    }

    ManagementClient client() {
        return client(TOKEN);
    }

    @Override
    public void close() {
        await(server.shutdown(Duration.ofSeconds(5)));
        await(workers.close());
        await(validating.close());
    }
}
