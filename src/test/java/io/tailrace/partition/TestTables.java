package io.tailrace.partition;

import java.util.Map;

/** A daily and a monthly table for tests of maintenance. */
final class TestTables {
    static final PartitionedTable EVENTS = PartitionedTable.daily("events", "at")
            .withUnique("key", "tenant", "key")
            .withStorage(Map.of("fillfactor", "80"));
    static final PartitionedTable LETTERS = PartitionedTable.monthly("letters", "at");

    /** Makes both anew, without a partition. */
    static final String MAKE = """
                DROP TABLE IF EXISTS events, letters;
                CREATE TABLE events (
                    id bigint GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL, tenant text NOT NULL, key text,
                    size integer NOT NULL DEFAULT 7 CHECK (size > 0), PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
                CREATE INDEX events_tenant ON events (tenant, at);
                CREATE TABLE letters (id bigint, at timestamptz NOT NULL) PARTITION BY RANGE (at)
                """;

    private TestTables() {}
}
