package io.tailrace.doctor;

import io.tailrace.doctor.Diagnosis.Severity;
import io.tailrace.doctor.TableIndexes.Index;
import io.tailrace.partition.PartitionedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Compares the indexes of partitions with what the engine would have made. No I/O.
 *
 * <p>An index that is there and not valid is the invalid index's diagnosis, and not also a missing one.
 */
final class IndexRules {
    private IndexRules() {}

    /** What is missing, partition by partition, with the statements that make it beside writers. */
    static List<Diagnosis> diagnose(TableIndexes seen) {
        PartitionedTable table = seen.table();
        List<Diagnosis> found = new ArrayList<>();
        seen.partitions().forEach((partition, indexes) -> {
            if (!table.primaryKey().isEmpty()
                    && lacks(
                            indexes, index -> index.primary() && index.columns().equals(table.primaryKey()))) {
                found.add(primaryKey(partition, table.primaryKey()));
            }
            for (PartitionedTable.UniqueIndex wanted : table.uniqueIndexes()) {
                if (lacks(
                        indexes,
                        index -> index.unique()
                                && index.columns().equals(wanted.columns())
                                && index.present().equals(wanted.present()))) {
                    found.add(unique(partition, wanted));
                }
            }
            for (Index parent : seen.parent()) {
                if (lacks(indexes, index -> parent.name().equals(index.childOf()))) {
                    found.add(child(table.name(), partition, parent));
                }
            }
        });
        return found;
    }

    private static boolean lacks(List<Index> indexes, Predicate<Index> wanted) {
        return indexes.stream().noneMatch(wanted);
    }

    private static Diagnosis primaryKey(String partition, List<String> columns) {
        String name = derived(partition, "pkey");
        return new Diagnosis(
                Severity.WARNING,
                partition,
                "has no primary key (" + String.join(", ", columns)
                        + "): every look at one of its rows reads all of it",
                create("UNIQUE INDEX", name, partition, "(" + String.join(", ", columns) + ")") + "; ALTER TABLE "
                        + partition + " ADD CONSTRAINT " + name + " PRIMARY KEY USING INDEX " + name);
    }

    private static Diagnosis unique(String partition, PartitionedTable.UniqueIndex wanted) {
        String columns = "(" + String.join(", ", wanted.columns()) + ")"
                + (wanted.present().isEmpty() ? "" : " WHERE " + wanted.present() + " IS NOT NULL");
        return new Diagnosis(
                Severity.WARNING,
                partition,
                "has no unique index " + columns
                        + ": nothing in the database keeps twins out, and look-ups read all of it",
                create("UNIQUE INDEX", derived(partition, wanted.suffix()), partition, columns));
    }

    private static Diagnosis child(String table, String partition, Index parent) {
        String suffix = parent.name().startsWith(table + "_")
                ? parent.name().substring(table.length() + 1)
                : parent.name().replace("\"", "");
        String name = derived(partition, suffix);
        return new Diagnosis(
                Severity.WARNING,
                partition,
                "lacks the index that " + parent.name() + " is on its parent",
                create(parent.unique() ? "UNIQUE INDEX" : "INDEX", name, partition, parent.how()) + "; ALTER INDEX "
                        + parent.name() + " ATTACH PARTITION " + name);
    }

    private static String create(String what, String name, String partition, String how) {
        return "CREATE " + what + " CONCURRENTLY " + name + " ON " + partition + " " + how;
    }

    /** A name as the engine would have derived it, also where the partition's has to be quoted. */
    private static String derived(String partition, String suffix) {
        return partition.endsWith("\"")
                ? partition.substring(0, partition.length() - 1) + "_" + suffix + "\""
                : partition + "_" + suffix;
    }
}
