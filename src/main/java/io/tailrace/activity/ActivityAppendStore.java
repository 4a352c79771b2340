package io.tailrace.activity;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The one statement that appends ({@code R__activity_append.sql} has the rules and their order). */
final class ActivityAppendStore {
    private static final String APPEND = """
            SELECT entry, code, pointer, id, seq, inserted_at
              FROM tailrace.append_activities($1::integer, $2::uuid[], $3::integer[], $4::uuid[], $5::text[], $6::text[],
                   $7::text[], $8::text[], $9::text[], $10::text[], $11::text[])""";

    /** PostgreSQL's order of UUIDs: by unsigned bytes. */
    private static final Comparator<UUID> BY_BYTES = (a, b) -> {
        int high = Long.compareUnsigned(a.getMostSignificantBits(), b.getMostSignificantBits());
        return high != 0 ? high : Long.compareUnsigned(a.getLeastSignificantBits(), b.getLeastSignificantBits());
    };

    /** An activity of a tenant, on its way. */
    record Entry(UUID tenant, NewActivity activity) {}

    private ActivityAppendStore() {}

    /**
     * Appends in the caller's transaction, or as one of its own.
     *
     * @param entries no two with one conversation and key
     * @param patienceMs how long it may wait for a lock; null: as long as the session's lock_timeout; 0: not at all
     * @return in order; null for an entry that was not touched, because it would have had to wait
     */
    static Future<List<@Nullable AppendResult>> append(
            SqlConnection connection, List<Entry> entries, @Nullable Integer patienceMs) {
        Map<UUID, Integer> places = new TreeMap<>(BY_BYTES);
        entries.forEach(entry -> places.put(entry.activity().conversationId(), 0));
        UUID[] conversations = places.keySet().toArray(UUID[]::new);
        for (int i = 0; i < conversations.length; i++) {
            places.put(conversations[i], i + 1);
        }
        Tuple tuple = Tuple.tuple();
        tuple.addValue(patienceMs);
        tuple.addValue(conversations);
        tuple.addValue(Rows.column(
                entries, Integer[]::new, entry -> places.get(entry.activity().conversationId())));
        tuple.addValue(Rows.column(entries, UUID[]::new, Entry::tenant));
        tuple.addValue(
                Rows.column(entries, String[]::new, entry -> entry.activity().type()));
        tuple.addValue(
                Rows.column(entries, String[]::new, entry -> entry.activity().sender()));
        tuple.addValue(
                Rows.column(entries, String[]::new, entry -> entry.activity().text()));
        tuple.addValue(
                Rows.column(entries, String[]::new, entry -> entry.activity().attachmentsJson()));
        tuple.addValue(
                Rows.column(entries, String[]::new, entry -> entry.activity().metadataJson()));
        tuple.addValue(
                Rows.column(entries, String[]::new, entry -> entry.activity().idempotencyKey()));
        tuple.addValue(
                Rows.column(entries, String[]::new, entry -> entry.activity().traceparent()));
        return connection.preparedQuery(APPEND).execute(tuple).map(rows -> {
            List<@Nullable AppendResult> results = new ArrayList<>(entries.size());
            entries.forEach(entry -> results.add(null));
            for (Row row : rows) {
                int at = row.getInteger("entry") - 1;
                results.set(at, result(row, entries.get(at)));
            }
            return results;
        });
    }

    private static @Nullable AppendResult result(Row row, Entry entry) {
        return switch (row.getString("code")) {
            case "stored" -> new AppendResult.Stored(activity(row, entry));
            case "replayed" -> new AppendResult.Replayed(activity(row, entry));
            case "idempotency_conflict" -> new AppendResult.Conflict(row.getString("pointer"));
            case "not_found" -> new AppendResult.NoConversation();
            case "set_aside" -> null;
            default -> throw new IllegalStateException("append_activities answered " + row.getString("code"));
        };
    }

    /** What was sent is what is stored; only its place and time are news. */
    private static Activity activity(Row row, Entry entry) {
        NewActivity sent = entry.activity();
        return new Activity(
                row.getUUID("id"),
                entry.tenant(),
                sent.conversationId(),
                row.getLong("seq"),
                sent.type(),
                sent.sender(),
                sent.text(),
                sent.attachmentsJson(),
                sent.metadataJson(),
                sent.idempotencyKey(),
                Rows.instant(row, "inserted_at"));
    }
}
