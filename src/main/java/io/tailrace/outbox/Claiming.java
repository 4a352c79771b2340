package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Claims: one transaction that locks candidates, leases those whose turn it is, and reads what they carry.
 *
 * <p>A round may lease fewer than it locked, because a candidate is only a hint; it then looks further, so a claim comes
 * back short only when there is no more, or after {@link #ROUNDS}.
 */
final class Claiming {
    static final int ROUNDS = 8;
    /** Parts whose time has come that one claim moves along. */
    private static final int ACTIVATIONS = 500;

    private static final int TRIES = 3;

    private final Database database;
    private final OutboxMetrics metrics;

    Claiming(Database database, OutboxMetrics metrics) {
        this.database = database;
        this.metrics = metrics;
    }

    /** What there is now; does not wait for work. */
    Future<List<Claim.Item>> claim(UUID tenant, Claim claim) {
        return attempt(tenant, claim, 1);
    }

    private Future<List<Claim.Item>> attempt(UUID tenant, Claim claim, int tries) {
        return database.transactionEndingIn(connection -> new Run(connection, tenant, claim).leasedItems())
                .onSuccess(items -> metrics.claimed(items.size()))
                .recover(cause -> {
                    // Two claims met two candidates of one key; the database let one of them have it.
                    if (tries < TRIES && DatabaseFailure.is(cause, DatabaseFailure.Kind.UNIQUE_VIOLATION)) {
                        return attempt(tenant, claim, tries + 1);
                    }
                    return Future.failedFuture(cause);
                });
    }

    /** One try of one claim. */
    private final class Run {
        private final SqlConnection connection;
        private final UUID tenant;
        private final Claim claim;
        private final List<InflightPart> leased = new ArrayList<>();
        private final List<Long> seen = new ArrayList<>();

        Run(SqlConnection connection, UUID tenant, Claim claim) {
            this.connection = connection;
            this.tenant = tenant;
            this.claim = claim;
        }

        /** Leases; answers the statement that reads what was leased. */
        Future<Supplier<Future<List<Claim.Item>>>> leasedItems() {
            UUID claimId = claim.claimId();
            Future<List<InflightPart>> before = claimId == null
                    ? Future.succeededFuture(List.of())
                    : OutboxClaims.sameClaim(connection, tenant, claimId);
            return before.compose(same -> {
                if (!same.isEmpty()) {
                    return Future.succeededFuture(() -> OutboxClaims.items(connection, same));
                }
                // Sent together; the second statement begins when the first has ended, and sees what it moved.
                Future<Integer> activated = OutboxClaims.activate(connection, ACTIVATIONS);
                return Future.all(activated, round(1)).map(done -> () -> OutboxClaims.items(connection, leased));
            });
        }

        private Future<Void> round(int number) {
            int wanted = claim.limit() - leased.size();
            return OutboxClaims.lockCandidates(connection, tenant, claim.botIds(), wanted, seen)
                    .compose(candidates -> candidates.isEmpty()
                            ? Future.succeededFuture()
                            : OutboxClaims.lease(connection, claim, candidates)
                                    .compose(this::take)
                                    .compose(expired -> {
                                        seen.addAll(candidates);
                                        // What was behind an expired head has become a candidate.
                                        boolean mayBeMore = candidates.size() == wanted || expired > 0;
                                        return mayBeMore && leased.size() < claim.limit() && number < ROUNDS
                                                ? round(number + 1)
                                                : Future.succeededFuture();
                                    }));
        }

        /** Keeps what was leased and expires the rest as far as it can; answers how many it expired. */
        private Future<Integer> take(List<InflightPart> parts) {
            List<InflightPart> expired = new ArrayList<>();
            for (InflightPart part : parts) {
                if (part.state() == PartState.LEASED) {
                    leased.add(part);
                } else {
                    expired.add(part);
                }
            }
            return OutboxClaims.lockToEnd(connection, expired).compose(locked -> {
                List<Verdict.End> ends =
                        new ArrayList<>(locked.stream().map(LeaseRules::expire).toList());
                return Settling.endWithSuccessors(connection, ends)
                        .onSuccess(done -> ends.forEach(end -> metrics.ended(end.state())))
                        .map(locked.size());
            });
        }
    }
}
