package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.tailrace.db.GroupCommit;
import io.tailrace.db.LockPatience;
import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The one enqueue, called in three ways: many batches together, one alone, and one on a caller's own connection. All its
 * rules live in the SQL function ({@code R__outbox_enqueue.sql}).
 */
final class OutboxEnqueues implements GroupCommit.Flush<OutboxEnqueues.Entry, EnqueueResult> {
    /** A batch on its way into the outbox. */
    record Entry(UUID tenant, Batch batch) {
        /** Two enqueues of one batch never share a flush. */
        Object identity() {
            return new Identity(tenant, batch.batchId());
        }

        private record Identity(UUID tenant, String batchId) {}
    }

    private static final String ENQUEUE = """
            SELECT entry, part_index, id, created_at, operation_id, state, inserted, stored_parts, code, pointer, detail,
                   claimable
              FROM tailrace.enqueue_parts($1::integer, $2::integer, $3::uuid[], $4::text[], $5::text[], $6::integer[],
                   $7::integer[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
                   $15::text[], $16::integer[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
                   $22::boolean[], $23::integer[], $24::timestamptz[], $25::timestamptz[])""";

    private final Database database;
    private final int horizonDays;
    private final LockPatience patience = new LockPatience();

    OutboxEnqueues(Database database, int horizonDays) {
        this.database = database;
        this.horizonDays = horizonDays;
    }

    @Override
    public Future<List<GroupCommit.Outcome<EnqueueResult>>> together(List<Entry> entries) {
        return patience.run(patienceMs -> flush(entries, patienceMs));
    }

    private Future<List<GroupCommit.Outcome<EnqueueResult>>> flush(List<Entry> entries, int patienceMs) {
        return database.statement(connection -> execute(connection, entries, patienceMs));
    }

    @Override
    public Future<EnqueueResult> alone(Entry entry) {
        return database.statement(connection -> onConnection(connection, entry));
    }

    /** In the caller's transaction; waits for locks as long as the session's lock_timeout allows. */
    Future<EnqueueResult> onConnection(SqlConnection connection, Entry entry) {
        return execute(connection, List.of(entry), null).map(outcomes -> {
            if (outcomes.get(0) instanceof GroupCommit.Outcome.Done<EnqueueResult> done) {
                return done.result();
            }
            throw new IllegalStateException("an entry that may wait was set aside");
        });
    }

    private Future<List<GroupCommit.Outcome<EnqueueResult>>> execute(
            SqlConnection connection, List<Entry> entries, @Nullable Integer patienceMs) {
        return connection
                .preparedQuery(ENQUEUE)
                .execute(parameters(entries, patienceMs))
                .map(rows -> outcomes(entries, rows));
    }

    private Tuple parameters(List<Entry> entries, @Nullable Integer patienceMs) {
        List<Integer> numbers = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        List<Batch.Part> parts = new ArrayList<>();
        for (int e = 0; e < entries.size(); e++) {
            List<Batch.Part> batch = entries.get(e).batch().parts();
            for (int i = 0; i < batch.size(); i++) {
                numbers.add(e + 1);
                indexes.add(i);
                parts.add(batch.get(i));
            }
        }
        Tuple tuple = Tuple.tuple();
        tuple.addValue(patienceMs);
        tuple.addValue(horizonDays);
        tuple.addValue(column(entries, UUID[]::new, Entry::tenant));
        tuple.addValue(column(entries, String[]::new, entry -> entry.batch().batchId()));
        tuple.addValue(column(entries, String[]::new, entry -> entry.batch().traceparent()));
        tuple.addValue(numbers.toArray(Integer[]::new));
        tuple.addValue(indexes.toArray(Integer[]::new));
        tuple.addValue(column(parts, String[]::new, Batch.Part::botId));
        tuple.addValue(column(parts, String[]::new, Batch.Part::chatId));
        tuple.addValue(column(parts, String[]::new, Batch.Part::threadId));
        tuple.addValue(column(parts, String[]::new, Batch.Part::orderingKey));
        tuple.addValue(column(parts, String[]::new, Batch.Part::causationUpdateId));
        tuple.addValue(column(parts, String[]::new, Batch.Part::dialogJobId));
        tuple.addValue(column(parts, String[]::new, Batch.Part::triggerMessageId));
        tuple.addValue(column(parts, String[]::new, Batch.Part::methodKind));
        tuple.addValue(column(parts, Integer[]::new, Batch.Part::payloadVersion));
        tuple.addValue(column(parts, String[]::new, Batch.Part::payloadJson));
        tuple.addValue(column(
                parts,
                String[]::new,
                part -> part.blob() == null ? null : part.blob().sha256()));
        tuple.addValue(column(
                parts,
                String[]::new,
                part -> part.blob() == null ? null : part.blob().mediaType()));
        tuple.addValue(column(
                parts,
                String[]::new,
                part -> part.blob() == null ? null : part.blob().fileName()));
        tuple.addValue(
                column(parts, String[]::new, part -> part.deliveryPolicy().wire()));
        tuple.addValue(column(parts, Boolean[]::new, Batch.Part::isProtected));
        tuple.addValue(column(parts, Integer[]::new, Batch.Part::priority));
        tuple.addValue(column(parts, OffsetDateTime[]::new, part -> Rows.utc(part.availableAt())));
        tuple.addValue(column(parts, OffsetDateTime[]::new, part -> Rows.utc(part.expiresAt())));
        return tuple;
    }

    private static <S, T> @Nullable T[] column(
            List<S> rows, IntFunction<@Nullable T[]> array, Function<S, @Nullable T> value) {
        return Rows.column(rows, array, value);
    }

    private static List<GroupCommit.Outcome<EnqueueResult>> outcomes(List<Entry> entries, Iterable<Row> rows) {
        List<@Nullable EnqueueResult> refused = new ArrayList<>();
        List<List<EnqueueResult.StoredPart>> stored = new ArrayList<>();
        boolean[] aside = new boolean[entries.size()];
        int[] storedParts = new int[entries.size()];
        for (int e = 0; e < entries.size(); e++) {
            refused.add(null);
            stored.add(new ArrayList<>());
        }
        for (Row row : rows) {
            int e = row.getInteger("entry") - 1;
            String code = row.getString("code");
            if (code == null) {
                stored.get(e).add(storedPart(row));
                storedParts[e] = Math.max(storedParts[e], row.getInteger("stored_parts"));
            } else if (code.equals("set_aside")) {
                aside[e] = true;
            } else {
                refused.set(e, new EnqueueResult.Refused(code, row.getString("pointer"), row.getString("detail")));
            }
        }
        List<GroupCommit.Outcome<EnqueueResult>> outcomes = new ArrayList<>(entries.size());
        for (int e = 0; e < entries.size(); e++) {
            EnqueueResult refusal = refused.get(e);
            if (aside[e]) {
                outcomes.add(new GroupCommit.Outcome.SetAside<>());
            } else if (refusal != null) {
                outcomes.add(new GroupCommit.Outcome.Done<>(refusal));
            } else {
                List<EnqueueResult.StoredPart> parts = stored.get(e);
                parts.sort(Comparator.comparingInt(EnqueueResult.StoredPart::partIndex));
                outcomes.add(new GroupCommit.Outcome.Done<>(new EnqueueResult.Stored(
                        entries.get(e).batch().batchId(), storedParts[e], List.copyOf(parts))));
            }
        }
        return outcomes;
    }

    private static EnqueueResult.StoredPart storedPart(Row row) {
        return new EnqueueResult.StoredPart(
                new PartId(row.getLong("id"), Rows.instant(row, "created_at")),
                row.getString("operation_id"),
                row.getInteger("part_index"),
                PartState.of(row.getString("state")),
                row.getBoolean("inserted"),
                row.getBoolean("claimable"));
    }
}
