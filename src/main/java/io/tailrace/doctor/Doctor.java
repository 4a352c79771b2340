package io.tailrace.doctor;

import io.tailrace.db.Database;
import io.tailrace.partition.PartitionHealth;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Looks at everything that Tailrace depends on in its database. Changes nothing. */
public final class Doctor {
    private final Database database;
    private final List<PartitionHealth> partitions;
    private final int poolConnections;
    private final InstantSource clock;

    /**
     * @param poolConnections all that one instance may open
     * @param clock this machine's, to compare with PostgreSQL's
     */
    public Doctor(Database database, List<PartitionHealth> partitions, int poolConnections, InstantSource clock) {
        this.database = database;
        this.partitions = List.copyOf(partitions);
        this.poolConnections = poolConnections;
        this.clock = clock;
    }

    /** What is not as it should be, the worst first; fails with {@link io.tailrace.db.DatabaseFailure}. */
    public Future<List<Diagnosis>> examine() {
        return database.transaction(database.maintenance(), DoctorCatalog::facts)
                .compose(facts -> Future.all(
                                partitions.stream().map(PartitionHealth::report).toList())
                        .map(reports -> {
                            List<Diagnosis> all =
                                    new ArrayList<>(DoctorRules.diagnose(facts, poolConnections, clock.instant()));
                            for (PartitionHealth.Report report : reports.<PartitionHealth.Report>list()) {
                                all.addAll(DoctorRules.diagnose(report));
                            }
                            all.sort(Comparator.comparing(Diagnosis::severity).reversed());
                            return all;
                        }));
    }
}
