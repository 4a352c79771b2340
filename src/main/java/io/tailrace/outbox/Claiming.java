package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims: one transaction that locks candidates, leases those whose turn it is, and reads what they carry.
 *
 * <p>A round may lease fewer than it locked, because a candidate is only a hint; it then looks further, so a claim comes
 * back short only when there is no more, or after {@link #ROUNDS}.
 */
final class Claiming {
    private static final Logger LOG = LoggerFactory.getLogger(Claiming.class);

    static final int ROUNDS = 8;
    /** Parts whose time has come that one claim moves along. */
    private static final int ACTIVATIONS = 500;

    private static final int TRIES = 3;

    private final Database database;
    private final OutboxMetrics metrics;
    private final ClaimFloors floors;
    private final LongSupplier nanoTime;

    Claiming(Database database, OutboxMetrics metrics) {
        this(database, metrics, System::nanoTime);
    }

    Claiming(Database database, OutboxMetrics metrics, LongSupplier nanoTime) {
        this.database = database;
        this.metrics = metrics;
        this.nanoTime = nanoTime;
        this.floors = new ClaimFloors(nanoTime);
    }

    ClaimFloors floors() {
        return floors;
    }

    /** What there is now; does not wait for work. */
    Future<List<Claim.Item>> claim(UUID tenant, Claim claim) {
        return attempt(tenant, claim, 1);
    }

    private Future<List<Claim.Item>> attempt(UUID tenant, Claim claim, int tries) {
        return database.transactionEndingIn(connection -> new Run(connection, tenant, claim).leasedItems())
                .onSuccess(items -> {
                    metrics.claimed(items.size());
                    floors.leased(
                            tenant, items.stream().map(Claim.Item::priority).collect(Collectors.toSet()));
                })
                .recover(cause -> {
                    // Two claims met two candidates of one key; the database let one of them have it.
                    if (tries < TRIES && DatabaseFailure.is(cause, DatabaseFailure.Kind.UNIQUE_VIOLATION)) {
                        return attempt(tenant, claim, tries + 1);
                    }
                    return Future.failedFuture(cause);
                });
    }

    /** In the background: the claim that was slow, or found the floor old, does not wait for it. */
    private void look(ClaimFloors.Scope scope) {
        long began = nanoTime.getAsLong();
        database.transaction(connection -> ClaimFloorStore.look(connection, scope))
                .onSuccess(look -> {
                    floors.looked(scope, look, nanoTime.getAsLong() - began);
                    metrics.walked(look.walked());
                })
                .onFailure(cause -> {
                    floors.lookFailed();
                    LOG.warn(
                            "where the candidates of {} begin could not be looked up; claims search from the lowest id",
                            scope,
                            cause);
                });
    }

    /** One try of one claim. */
    private final class Run {
        private final SqlConnection connection;
        private final UUID tenant;
        private final Claim claim;
        private final List<InflightPart> leased = new ArrayList<>();
        private final List<Long> seen = new ArrayList<>();
        private List<ClaimFloors.Range> ranges;

        Run(SqlConnection connection, UUID tenant, Claim claim) {
            this.connection = connection;
            this.tenant = tenant;
            this.claim = claim;
            this.ranges = floors.ranges(tenant, claim.botIds());
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
                Future<List<ClaimFloors.Stray>> activated = CandidateStore.activate(connection, ACTIVATIONS);
                return Future.all(activated, round(1))
                        .compose(done -> belowFloor(activated.result()))
                        .map(done -> () -> OutboxClaims.items(connection, leased));
            });
        }

        /** The first round was sent before it was known which parts had become due; they may lie below its ranges. */
        private Future<Void> belowFloor(List<ClaimFloors.Stray> activated) {
            floors.activated(activated);
            if (activated.isEmpty() || !ClaimFloors.spare(ranges) || leased.size() == claim.limit()) {
                return Future.succeededFuture();
            }
            ranges = floors.ranges(tenant, claim.botIds());
            return round(ROUNDS);
        }

        private Future<Void> round(int number) {
            int wanted = claim.limit() - leased.size();
            long began = nanoTime.getAsLong();
            return CandidateStore.lock(connection, tenant, claim.botIds() != null, ranges, wanted, seen)
                    .onSuccess(candidates -> {
                        ClaimFloors.Scope scope = floors.lookAt(tenant, claim.botIds(), nanoTime.getAsLong() - began);
                        if (scope != null) {
                            look(scope);
                        }
                    })
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
