package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** SQL that starts and renews live leases: one guarded statement each. A lease that is not in the answer was lost. */
final class OutboxLeases {
    /**
     * The guard of both: token and deadline, judged on the row as it is once its lock is granted. Only a leased row has a
     * deadline (a CHECK says so); asking for the state as well would offer the planner a walk over all leases.
     */
    private static final String HELD = "h.id = u.id AND h.created_at = u.created_at AND h.tenant_id = $3::uuid"
            + " AND h.lease_token = u.token AND h.leased_until > c.at"
            + " AND ($5::text[] IS NULL OR h.bot_id = ANY ($5::text[]))";

    private static final String START = """
            WITH before AS MATERIALIZED (
                SELECT u.id, u.created_at, u.token, h.started_at
                  FROM unnest($1::bigint[], $2::timestamptz[], $4::bigint[]) AS u(id, created_at, token)
                  JOIN telegram_outbox_inflight h ON h.id = u.id
                 ORDER BY u.id
            )
            UPDATE telegram_outbox_inflight h SET started_at = coalesce(h.started_at, c.at), updated_at = c.at
              FROM before u CROSS JOIN (SELECT tailrace_now() AS at) c
             WHERE %s
            RETURNING h.id, h.created_at, h.lease_token, h.leased_until, u.started_at IS NOT NULL AS replayed""".formatted(HELD);

    private static final String RENEW = """
            UPDATE telegram_outbox_inflight h
               SET leased_until = c.at + $6::bigint * interval '1 millisecond', updated_at = c.at
              FROM unnest($1::bigint[], $2::timestamptz[], $4::bigint[]) AS u(id, created_at, token)
             CROSS JOIN (SELECT tailrace_now() AS at) c
             WHERE %s
            RETURNING h.id, h.created_at, h.lease_token, h.leased_until, false AS replayed""".formatted(HELD);

    private static final String STARTED_IN_FLIGHT = """
            SELECT h.id, h.created_at, h.state, h.lease_token, h.leased_until FROM telegram_outbox_inflight h
             WHERE h.id = ANY ($1::bigint[]) AND h.tenant_id = $2::uuid AND h.started_at IS NOT NULL
               AND ($3::text[] IS NULL OR h.bot_id = ANY ($3::text[]))""";

    private static final String STARTED_AND_ENDED = """
            SELECT o.id, o.created_at, o.state, o.lease_token, NULL::timestamptz AS leased_until FROM telegram_outbox o
              JOIN unnest($1::bigint[], $2::timestamptz[]) AS u(id, created_at)
                ON o.id = u.id AND o.created_at = u.created_at
             WHERE o.tenant_id = $3::uuid AND ($4::text[] IS NULL OR o.bot_id = ANY ($4::text[])) AND %s AND o.request_started_at IS NOT NULL
               AND o.state NOT IN ('pending', 'leased', 'retry_wait')""";

    private OutboxLeases() {}

    static Future<Map<Lease, LeaseResult>> start(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, List<Lease> leases) {
        return connection
                .preparedQuery(START)
                .execute(parameters(tenant, botIds, leases))
                .map(OutboxLeases::held);
    }

    static Future<Map<Lease, LeaseResult>> renew(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, List<Lease> leases, Duration lease) {
        return connection
                .preparedQuery(RENEW)
                .execute(parameters(tenant, botIds, leases).addValue(lease.toMillis()))
                .map(OutboxLeases::held);
    }

    /** Starts that were recorded by a part's latest token, whatever has become of the part since. */
    static Future<Map<Lease, LeaseResult>> startedBefore(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, List<PartId> ids) {
        TimeRange days = TimeRange.around(ids.stream().map(PartId::createdAt).toList());
        Future<RowSet<Row>> inFlight = connection
                .preparedQuery(STARTED_IN_FLIGHT)
                .execute(Tuple.of(OutboxSettlements.ids(ids), tenant, OperatorStore.bots(botIds)));
        Future<RowSet<Row>> ended = connection
                .preparedQuery(STARTED_AND_ENDED.formatted(days.condition("o.created_at")))
                .execute(Tuple.of(
                        OutboxSettlements.ids(ids),
                        OutboxSettlements.createdAts(ids),
                        tenant,
                        OperatorStore.bots(botIds)));
        return Future.all(inFlight, ended).map(both -> {
            Map<Lease, LeaseResult> started = new HashMap<>();
            for (RowSet<Row> rows : List.of(ended.result(), inFlight.result())) {
                for (Row row : rows) {
                    PartId id = new PartId(row.getLong("id"), Rows.instant(row, "created_at"));
                    started.put(
                            new Lease(id, row.getLong("lease_token")),
                            new LeaseResult.Done(
                                    id,
                                    PartState.of(row.getString("state")),
                                    true,
                                    Rows.instantOrNull(row, "leased_until")));
                }
            }
            return started;
        });
    }

    private static Map<Lease, LeaseResult> held(RowSet<Row> rows) {
        Map<Lease, LeaseResult> held = new HashMap<>();
        for (Row row : rows) {
            PartId id = new PartId(row.getLong("id"), Rows.instant(row, "created_at"));
            held.put(
                    new Lease(id, row.getLong("lease_token")),
                    new LeaseResult.Done(
                            id, PartState.LEASED, row.getBoolean("replayed"), Rows.instantOrNull(row, "leased_until")));
        }
        return held;
    }

    private static Tuple parameters(UUID tenant, @Nullable Set<String> botIds, List<Lease> leases) {
        List<PartId> ids = leases.stream().map(Lease::id).toList();
        Tuple tuple = Tuple.tuple();
        tuple.addValue(OutboxSettlements.ids(ids));
        tuple.addValue(OutboxSettlements.createdAts(ids));
        tuple.addValue(tenant);
        tuple.addValue(leases.stream().map(Lease::token).toArray(Long[]::new));
        tuple.addValue(OperatorStore.bots(botIds));
        return tuple;
    }
}
