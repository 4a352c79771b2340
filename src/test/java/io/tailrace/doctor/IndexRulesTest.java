package io.tailrace.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.doctor.TableIndexes.Index;
import io.tailrace.partition.PartitionedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class IndexRulesTest {
    private static final PartitionedTable EVENTS =
            PartitionedTable.daily("events", "at").withPrimaryKey("id").withUnique("key", "tenant", "key");
    private static final String DAY = "events_p2026_12_01";
    private static final Index PARENT = index("events_open", false, false, true, List.of(), null);
    private static final Index PK = index(DAY + "_pkey", true, true, true, List.of("id"), null);
    private static final Index KEY = index(DAY + "_key", true, false, true, List.of("tenant", "key"), null);
    private static final Index OPEN = index(DAY + "_open", false, false, true, List.of(), "events_open");

    private static Index index(
            String name, boolean unique, boolean primary, boolean valid, List<String> columns, @Nullable String of) {
        return new Index(name, valid, unique, primary, columns, "", of, "USING btree (tenant) WHERE (size > 0)");
    }

    private static List<Diagnosis> diagnose(Index... indexes) {
        return IndexRules.diagnose(new TableIndexes(EVENTS, List.of(PARENT), Map.of(DAY, List.of(indexes))));
    }

    @Test
    @DisplayName("CLI-1 OUT-28 doctor has nothing to say of a day with all its indexes, whatever they are called")
    void complete() {
        Index renamed = index("other", true, false, true, List.of("tenant", "key"), null);
        assertThat(diagnose(PK, KEY, OPEN)).isEmpty();
        assertThat(diagnose(PK, renamed, OPEN)).isEmpty();
    }

    @Test
    @DisplayName(
            "CLI-1 OUT-28 doctor names each index that a day lacks, and the statements that make it beside writers")
    void missing() {
        assertThat(diagnose()).extracting(Diagnosis::about).containsOnly(DAY);
        assertThat(diagnose())
                .extracting(Diagnosis::whatToDo)
                .containsExactly(
                        "CREATE UNIQUE INDEX CONCURRENTLY events_p2026_12_01_pkey ON events_p2026_12_01 (id); ALTER TABLE"
                                + " events_p2026_12_01 ADD CONSTRAINT events_p2026_12_01_pkey PRIMARY KEY USING INDEX"
                                + " events_p2026_12_01_pkey",
                        "CREATE UNIQUE INDEX CONCURRENTLY events_p2026_12_01_key ON events_p2026_12_01 (tenant, key)",
                        "CREATE INDEX CONCURRENTLY events_p2026_12_01_open ON events_p2026_12_01 USING btree (tenant) WHERE"
                                + " (size > 0); ALTER INDEX events_open ATTACH PARTITION events_p2026_12_01_open");
    }

    @Test
    @DisplayName("CLI-1 doctor does not take an index of other columns, or one that is not unique, for the one wanted")
    void others() {
        List<Diagnosis> found =
                new ArrayList<>(diagnose(PK, index("k", true, false, true, List.of("key", "tenant"), null), OPEN));
        found.addAll(diagnose(PK, index("k", false, false, true, List.of("tenant", "key"), null), OPEN));
        assertThat(found).hasSize(2).allMatch(one -> one.detail().contains("unique index (tenant, key)"));
    }

    @Test
    @DisplayName("CLI-1 doctor leaves an index that is there and not valid to the rule for those: it says REINDEX")
    void invalid() {
        assertThat(diagnose(PK, index(DAY + "_key", true, false, false, List.of("tenant", "key"), null), OPEN))
                .isEmpty();
    }

    @Test
    @DisplayName("CLI-1 ACT-4 doctor tells a unique index of all rows from one of those that have a key")
    void partial() {
        PartitionedTable keyed = PartitionedTable.daily("events", "at").withUniqueIfPresent("key", "tenant", "key");
        Index ofAll = new Index("k", true, true, false, List.of("tenant", "key"), "", null, "");
        Index ofKeyed = new Index("k", true, true, false, List.of("tenant", "key"), "key", null, "");
        assertThat(IndexRules.diagnose(new TableIndexes(keyed, List.of(), Map.of(DAY, List.of(ofKeyed)))))
                .isEmpty();
        assertThat(IndexRules.diagnose(new TableIndexes(keyed, List.of(), Map.of(DAY, List.of(ofAll)))))
                .extracting(Diagnosis::whatToDo)
                .containsExactly(
                        "CREATE UNIQUE INDEX CONCURRENTLY events_p2026_12_01_key ON events_p2026_12_01 (tenant, key) WHERE key IS NOT NULL");
    }
}
