package io.tailrace.outbox;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.EnumMap;
import java.util.Map;

/**
 * SQL of what the instances tell: how much is in flight, how long the oldest claimable part has been due, and the horizon
 * of idempotency.
 */
final class OutboxDepth {
    record Sample(Map<PartState, Long> depths, long oldestClaimableMillis) {}

    private static final String SAMPLE = """
            SELECT h.state, count(*) AS parts,
                   (extract(epoch FROM c.at - min(h.available_at)
                       FILTER (WHERE h.turn = 'c' OR (h.turn IN ('s', 'w') AND h.available_at <= c.at))) * 1000)::bigint
                       AS oldest_millis
              FROM telegram_outbox_inflight h CROSS JOIN (SELECT tailrace_now() AS at) c GROUP BY h.state, c.at""";

    private static final String ANNOUNCE = """
            UPDATE tailrace.outbox_settings SET horizon_days = $1::integer, ledger_days = $2::integer
             WHERE (horizon_days, ledger_days) <> ($1::integer, $2::integer)""";

    private OutboxDepth() {}

    /** Tells every enqueue, those of SQL callers among them, how far this service looks back, here and in the ledger. */
    static Future<Void> announce(Pool pool, int horizonDays, int ledgerDays) {
        return pool.preparedQuery(ANNOUNCE)
                .execute(Tuple.of(horizonDays, ledgerDays))
                .mapEmpty();
    }

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
