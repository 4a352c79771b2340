package io.tailrace.outbox;

import io.tailrace.testkit.OpenTransaction;
import io.tailrace.testkit.TestDatabase;
import org.jspecify.annotations.Nullable;

/** The same, and it stores batches. */
final class RawTransaction extends OpenTransaction {
    RawTransaction(TestDatabase db) {
        super(db);
    }

    @Override
    public RawTransaction run(String sql, @Nullable Object... arguments) {
        super.run(sql, arguments);
        return this;
    }

    /** Stores a batch of one part in this transaction, by the function for SQL callers. */
    RawTransaction enqueue(String batchId, String key) {
        return run("SELECT tailrace.enqueue(tailrace.default_tenant(), ?::jsonb)", json(batchId, key));
    }

    static String json(String batchId, String... keys) {
        StringBuilder parts = new StringBuilder();
        for (String key : keys) {
            parts.append(parts.isEmpty() ? "" : ",").append("""
                    {"bot_id":"7","chat_id":"1001","ordering_key":"%s","dialog_job_id":"42","method_kind":"sendMessage",
                     "payload":{"chat_id":1001,"text":"Hello"},"protected":true}""".formatted(key));
        }
        return "{\"batch_id\":\"" + batchId + "\",\"parts\":[" + parts + "]}";
    }
}
