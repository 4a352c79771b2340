package io.tailrace.outbox;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.util.EnumMap;
import java.util.Map;

/** SQL of the gauges: how much is in flight, and how long the oldest claimable part has been due. */
final class OutboxDepth {
    record Sample(Map<PartState, Long> depths, long oldestClaimableMillis) {}

    private static final String SAMPLE = """
            SELECT h.state, count(*) AS parts,
                   (extract(epoch FROM (SELECT tailrace_now()) - min(h.available_at) FILTER (WHERE h.turn = 'c')) * 1000)::bigint
                       AS oldest_millis
              FROM telegram_outbox_inflight h GROUP BY h.state""";

    private OutboxDepth() {}

    static Future<Sample> sample(Pool pool) {
        return pool.preparedQuery(SAMPLE).execute().map(rows -> {
            Map<PartState, Long> depths = new EnumMap<>(PartState.class);
            long oldest = 0;
            for (Row row : rows) {
                depths.put(PartState.of(row.getString("state")), row.getLong("parts"));
                Long millis = row.getLong("oldest_millis");
                oldest = millis == null ? oldest : Math.max(oldest, millis);
            }
            return new Sample(depths, oldest);
        });
    }
}
