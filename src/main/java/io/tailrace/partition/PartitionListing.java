package io.tailrace.partition;

import io.tailrace.db.Database;
import io.tailrace.partition.TableView.PartitionView;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lists every maintained table with its partitions, as the catalogue has them now. */
public final class PartitionListing {
    private final Database database;
    private final List<PartitionedTable> tables;
    private final PartitionCatalog catalog = new PartitionCatalog();
    private final RemovalStore removals = new RemovalStore();

    /** @param tables of every schedule, in the order in which to list them */
    public PartitionListing(Database database, List<PartitionedTable> tables) {
        this.database = database;
        this.tables = List.copyOf(tables);
    }

    /**
     * All tables; one that does not exist has no partitions. Fails with {@link io.tailrace.db.DatabaseFailure}, also when
     * a partition stays locked exclusively for longer than lock_timeout, because its size is then not to be had.
     */
    public Future<List<TableView>> list() {
        return database.transaction(database.maintenance(), connection -> {
            Future<List<TableView>> views = Future.succeededFuture(new ArrayList<>());
            for (PartitionedTable table : tables) {
                views = views.compose(
                        before -> catalog.observe(connection, table).compose(seen -> catalog.sizes(connection, table)
                                .compose(sizes -> removals.records(connection, table)
                                        .map(records -> {
                                            before.add(view(table, seen, sizes, records));
                                            return before;
                                        }))));
            }
            return views;
        });
    }

    static TableView view(
            PartitionedTable table, Observation seen, List<PartitionCatalog.Size> sizes, List<RemovalRecord> records) {
        Map<String, PartitionCatalog.Size> byName = sizes.stream()
                .collect(Collectors.toMap(PartitionCatalog.Size::partition, Function.identity(), (a, b) -> a));
        List<PartitionView> partitions = new ArrayList<>();
        for (FoundPartition found : seen.partitions()) {
            PartitionCatalog.Size size =
                    byName.getOrDefault(found.name(), new PartitionCatalog.Size(found.name(), 0, 0));
            Span span = found.bounds() instanceof PartitionBounds.Range range ? range.span() : null;
            partitions.add(new PartitionView(
                    found.name(),
                    span == null ? null : unlessOpen(span.from()),
                    span == null ? null : unlessOpen(span.to()),
                    size.rows(),
                    size.bytes(),
                    state(table.period(), found, span, seen.now()),
                    records.stream()
                            .filter(record -> record.partition().equals(found.name()))
                            .findFirst()
                            .map(RemovalRecord::reason)
                            .orElse(null)));
        }
        records.stream()
                .filter(record -> record.exists() && !record.attached())
                .map(record -> new PartitionView(
                        record.partition(),
                        record.span().from(),
                        record.span().to(),
                        0,
                        0,
                        "detached",
                        record.reason()))
                .forEach(partitions::add);
        return new TableView(table.name(), table.period().wireName(), partitions);
    }

    private static String state(Period period, FoundPartition found, @Nullable Span span, Instant now) {
        if (found.detachPending()) {
            return "detach_pending";
        }
        if (span == null || !found.understood(period)) {
            return "not_understood";
        }
        return span.from().isAfter(now) ? "future" : "live";
    }

    private static @Nullable Instant unlessOpen(Instant bound) {
        return bound.equals(Instant.MIN) || bound.equals(Instant.MAX) ? null : bound;
    }
}
