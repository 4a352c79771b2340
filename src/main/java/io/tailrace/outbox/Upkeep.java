package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * What happens to parts without a caller: lapsed leases are taken back, parts whose time has passed expire, depths are
 * sampled. Any instance may run it, also several at once: rows that another has locked are skipped.
 */
final class Upkeep {
    /** Parts in one transaction; a run goes on until a transaction finds fewer. */
    static final int CHUNK = 500;

    /** A blob is sent ahead of its part: so long it is waited for. */
    static final Duration BLOB_PATIENCE = Duration.ofHours(24);

    static final Duration REDRIVES_KEPT = Duration.ofDays(30);
    private static final int BLOBS_AT_ONCE = 100;

    private final Database database;
    private final int horizonDays;
    private final int ledgerDays;
    private final OutboxMetrics metrics;
    private final Runnable madeWork;

    Upkeep(Database database, int horizonDays, int ledgerDays, OutboxMetrics metrics, Runnable madeWork) {
        this.database = database;
        this.horizonDays = horizonDays;
        this.ledgerDays = ledgerDays;
        this.metrics = metrics;
        this.madeWork = madeWork;
    }

    /** Takes back every lease that has lapsed; answers how many. */
    Future<Integer> rescue() {
        return chunks(this::rescueChunk, 0);
    }

    /** Expires every waiting part whose time has passed; answers how many. */
    Future<Integer> expire() {
        return chunks(this::expireChunk, 0)
                .compose(expired -> database.transaction(database.maintenance(), OutboxSweeps::forgetPauses)
                        .map(expired));
    }

    /** Reads depths and the age of the oldest claimable part into the gauges, and tells SQL callers the horizon. */
    Future<Void> sample() {
        return OutboxDepth.sample(database.maintenance())
                .onSuccess(sample -> metrics.sampled(sample.depths(), sample.oldestClaimableMillis()))
                .compose(sample -> OutboxDepth.announce(database.maintenance(), horizonDays, ledgerDays));
    }

    /** Collects blobs that no part refers to and forgets old redrives; answers how many blobs. */
    Future<Integer> tidy() {
        return collectBlobs(0).compose(collected -> database.transaction(
                        database.maintenance(), connection -> RedriveStore.forget(connection, REDRIVES_KEPT))
                .map(collected));
    }

    private Future<Integer> collectBlobs(int before) {
        return database.transaction(database.maintenance(), this::collectSome).compose(some -> {
            int collected = before + some;
            return some == BLOBS_AT_ONCE ? collectBlobs(collected) : Future.succeededFuture(collected);
        });
    }

    private Future<Integer> collectSome(SqlConnection connection) {
        return OrphanBlobStore.lock(connection, BLOB_PATIENCE, BLOBS_AT_ONCE)
                .compose(orphans ->
                        orphans.isEmpty() ? Future.succeededFuture(0) : OrphanBlobStore.delete(connection, orphans));
    }

    private Future<Integer> chunks(Function<SqlConnection, Future<Integer>> chunk, int before) {
        return database.transaction(database.maintenance(), chunk).compose(found -> {
            if (found > 0) {
                madeWork.run();
            }
            return found == CHUNK ? chunks(chunk, before + found) : Future.succeededFuture(before + found);
        });
    }

    private Future<Integer> rescueChunk(SqlConnection connection) {
        return OutboxSweeps.lockLapsed(connection, CHUNK).compose(lapsed -> {
            if (lapsed.isEmpty()) {
                return Future.succeededFuture(0);
            }
            Future<Set<Long>> attempts = OutboxSweeps.withAttempt(connection, lapsed);
            Future<Instant> clock = OutboxSettlements.now(connection);
            return Future.all(attempts, clock)
                    .compose(both -> takeBack(connection, lapsed, attempts.result(), clock.result()))
                    .map(lapsed.size());
        });
    }

    private Future<Void> takeBack(
            SqlConnection connection, List<InflightPart> lapsed, Set<Long> withAttempt, Instant now) {
        List<Verdict.End> ends = new ArrayList<>();
        List<Verdict.Back> backs = new ArrayList<>();
        List<PartState> targets = new ArrayList<>();
        for (InflightPart part : lapsed) {
            Verdict verdict =
                    LeaseRules.lapse(part, withAttempt.contains(part.id().id()), now);
            if (verdict instanceof Verdict.End end) {
                ends.add(end);
                targets.add(end.state());
            } else if (verdict instanceof Verdict.Back back) {
                backs.add(back);
                targets.add(back.state());
            }
        }
        return Settling.endWithSuccessors(connection, ends)
                .compose(ended -> OutboxSettlements.back(connection, backs))
                .onSuccess(done -> {
                    targets.forEach(metrics::rescued);
                    ends.forEach(end -> metrics.ended(end.state()));
                });
    }

    private Future<Integer> expireChunk(SqlConnection connection) {
        return OutboxSweeps.lockExpired(connection, CHUNK).compose(expired -> {
            List<Verdict.End> ends =
                    new ArrayList<>(expired.stream().map(LeaseRules::expire).toList());
            return Settling.endWithSuccessors(connection, ends)
                    .onSuccess(done -> ends.forEach(end -> metrics.ended(end.state())))
                    .map(expired.size());
        });
    }
}
