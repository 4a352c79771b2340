package io.tailrace.testkit;

import io.tailrace.activity.ActivityTables;
import io.tailrace.config.DatabaseConfig;
import io.tailrace.db.Database;
import io.tailrace.outbox.OutboxTables;
import io.tailrace.partition.MaintainedTables;
import io.tailrace.partition.PartitionMaintenance;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;

/** Makes the days and months ahead as the service does when it starts. */
final class Partitions {
    private Partitions() {}

    static void ensure(DatabaseConfig config) {
        Vertx vertx = Vertx.vertx();
        try {
            Database database = Database.open(vertx, config);
            for (MaintainedTables tables : List.of(
                    MaintainedTables.daily(OutboxTables.DAILY),
                    MaintainedTables.monthly(OutboxTables.MONTHLY),
                    MaintainedTables.monthly(ActivityTables.MONTHLY))) {
                TestDatabase.await(
                        new PartitionMaintenance(database, tables).ensure(Duration.ofSeconds(20)),
                        Duration.ofSeconds(60));
            }
            TestDatabase.await(database.close());
        } finally {
            TestDatabase.await(vertx.close());
        }
    }
}
