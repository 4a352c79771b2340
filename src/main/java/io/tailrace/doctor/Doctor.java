package io.tailrace.doctor;

import io.tailrace.db.Database;
import io.tailrace.partition.PartitionHealth;
import io.tailrace.partition.PartitionedTable;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Looks at everything that Tailrace depends on in its database. Changes nothing. */
public final class Doctor {
    private final Database database;
    private final List<PartitionHealth> partitions;
    private final List<PartitionedTable> tables;
    private final int poolConnections;
    private final InstantSource clock;

    /**
     * @param tables whose partitions are compared with what the engine would make
     * @param poolConnections all that one instance may open
     * @param clock this machine's, to compare with PostgreSQL's
     */
    public Doctor(
            Database database,
            List<PartitionHealth> partitions,
            List<PartitionedTable> tables,
            int poolConnections,
            InstantSource clock) {
        this.tables = List.copyOf(tables);
        this.database = database;
        this.partitions = List.copyOf(partitions);
        this.poolConnections = poolConnections;
        this.clock = clock;
    }

    /** What is not as it should be, the worst first; fails with {@link io.tailrace.db.DatabaseFailure}. */
    public Future<List<Diagnosis>> examine() {
        return database.transaction(database.maintenance(), DoctorCatalog::facts)
                .compose(facts -> database.transaction(database.maintenance(), this::indexes)
                        .compose(indexes -> Future.all(partitions.stream()
                                        .map(PartitionHealth::report)
                                        .toList())
                                .map(reports -> diagnoses(facts, indexes, reports.list()))));
    }

    private List<Diagnosis> diagnoses(Facts facts, List<TableIndexes> indexes, List<PartitionHealth.Report> reports) {
        List<Diagnosis> all = new ArrayList<>(DoctorRules.diagnose(facts, poolConnections, clock.instant()));
        indexes.forEach(one -> all.addAll(IndexRules.diagnose(one)));
        reports.forEach(report -> all.addAll(DoctorRules.diagnose(report)));
        all.sort(Comparator.comparing(Diagnosis::severity).reversed());
        return all;
    }

    private Future<List<TableIndexes>> indexes(SqlConnection connection) {
        Future<List<TableIndexes>> read = Future.succeededFuture(new ArrayList<>());
        for (PartitionedTable table : tables) {
            read = read.compose(before -> IndexCatalog.read(connection, table).map(one -> {
                before.add(one);
                return before;
            }));
        }
        return read;
    }
}
