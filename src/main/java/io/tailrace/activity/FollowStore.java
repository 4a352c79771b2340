package io.tailrace.activity;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** How far conversations have come. */
final class FollowStore {
    /** By key, one after the other: an id that is not there, or not any more, has no row. */
    private static final String LAST_SEQS = """
            SELECT c.id, c.last_seq FROM unnest($1::uuid[]) AS f(id)
             CROSS JOIN LATERAL (SELECT o.id, o.last_seq FROM conversations o WHERE o.id = f.id AND o.status = 'active' LIMIT 1) c""";

    private FollowStore() {}

    static Future<Map<UUID, Long>> lastSeqs(SqlClient client, List<UUID> conversations) {
        return client.preparedQuery(LAST_SEQS)
                .execute(Tuple.tuple().addArrayOfUUID(conversations.toArray(UUID[]::new)))
                .map(rows -> {
                    Map<UUID, Long> found = new HashMap<>();
                    for (Row row : rows) {
                        found.put(row.getUUID("id"), row.getLong("last_seq"));
                    }
                    return found;
                });
    }
}
