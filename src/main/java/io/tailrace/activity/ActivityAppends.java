package io.tailrace.activity;

import io.tailrace.activity.ActivityAppendStore.Entry;
import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.db.GroupCommit;
import io.tailrace.db.LockPatience;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Appends in three ways: many together, one alone, and a list on a caller's own connection. */
final class ActivityAppends implements GroupCommit.Flush<Entry, AppendResult> {
    /** How a month's unique index of keys ends ({@link ActivityTables#ACTIVITIES}). */
    private static final String KEY_INDEX = "_key";

    private final Database database;
    private final LockPatience patience = new LockPatience();

    ActivityAppends(Database database) {
        this.database = database;
    }

    /** Two entries of one conversation with one key never share a flush: the second has to see the first's row. */
    static Object identity(Entry entry) {
        NewActivity activity = entry.activity();
        return activity.idempotencyKey() == null
                ? new Object()
                : new Identity(activity.conversationId(), activity.idempotencyKey());
    }

    private record Identity(UUID conversation, String key) {}

    @Override
    public Future<List<GroupCommit.Outcome<AppendResult>>> together(List<Entry> entries) {
        return patience.run(patienceMs -> flush(entries, patienceMs));
    }

    private Future<List<GroupCommit.Outcome<AppendResult>>> flush(List<Entry> entries, int patienceMs) {
        return database.statement(connection -> ActivityAppendStore.append(connection, entries, patienceMs))
                .map(results -> {
                    List<GroupCommit.Outcome<AppendResult>> outcomes = new ArrayList<>(results.size());
                    for (AppendResult result : results) {
                        outcomes.add(
                                result == null
                                        ? new GroupCommit.Outcome.SetAside<>()
                                        : new GroupCommit.Outcome.Done<>(result));
                    }
                    return outcomes;
                });
    }

    @Override
    public Future<AppendResult> alone(Entry entry) {
        return database.statement(connection -> run(connection, List.of(entry)))
                .map(results -> results.get(0))
                .recover(ActivityAppends::knownKey);
    }

    /** A month holds the key although the look-up did not find it: somebody put it there without the conversation's lock (ACT-4). */
    private static Future<AppendResult> knownKey(Throwable cause) {
        return cause instanceof DatabaseFailure failure
                        && failure.kind() == DatabaseFailure.Kind.UNIQUE_VIOLATION
                        && String.valueOf(failure.constraint()).endsWith(KEY_INDEX)
                ? Future.succeededFuture(new AppendResult.Conflict("/idempotency_key"))
                : Future.failedFuture(cause);
    }

    /** In the caller's transaction, in the order given; waits for locks as long as the session's lock_timeout allows. */
    Future<List<AppendResult>> onConnection(SqlConnection connection, UUID tenant, List<NewActivity> activities) {
        List<AppendResult> results = new ArrayList<>(activities.size());
        List<List<Entry>> runs = runs(tenant, activities);
        // Each run locks in id order; two runs in a row do not, unless all is locked before the first.
        Future<Void> done = runs.size() > 1 ? lockAll(connection, tenant, activities) : Future.succeededFuture();
        for (List<Entry> run : runs) {
            done = done.compose(before -> run(connection, run))
                    .onSuccess(results::addAll)
                    .mapEmpty();
        }
        return done.map(all -> List.copyOf(results));
    }

    private static Future<Void> lockAll(SqlConnection connection, UUID tenant, List<NewActivity> activities) {
        Set<UUID> conversations = new HashSet<>();
        activities.forEach(activity -> conversations.add(activity.conversationId()));
        return ConversationStore.lockAll(connection, tenant, conversations);
    }

    private static Future<List<AppendResult>> run(SqlConnection connection, List<Entry> entries) {
        return ActivityAppendStore.append(connection, entries, null).map(results -> {
            List<AppendResult> touched = new ArrayList<>(results.size());
            for (@Nullable AppendResult result : results) {
                if (result == null) {
                    throw new IllegalStateException("an entry that may wait was set aside");
                }
                touched.add(result);
            }
            return touched;
        });
    }

    /** Cut where a key comes again, and where a call would be too long. */
    private static List<List<Entry>> runs(UUID tenant, List<NewActivity> activities) {
        List<List<Entry>> runs = new ArrayList<>();
        List<Entry> run = new ArrayList<>();
        Set<Object> identities = new HashSet<>();
        for (NewActivity activity : activities) {
            Entry entry = new Entry(tenant, activity);
            Object identity = identity(entry);
            if (run.size() == ActivitySettings.MOST_FLUSH_ENTRIES || !identities.add(identity)) {
                runs.add(run);
                run = new ArrayList<>();
                identities = new HashSet<>(Set.of(identity));
            }
            run.add(entry);
        }
        if (!run.isEmpty()) {
            runs.add(run);
        }
        return runs;
    }
}
