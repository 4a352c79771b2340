package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Starts, renewals, settlements: what a worker says about the parts in its hand.
 *
 * <p>A settlement is lock → decide → apply in one transaction; a call carries many, each answered for itself.
 */
final class Settling {
    private final Database database;
    private final RetryPolicy policy;
    private final OutboxMetrics metrics;

    Settling(Database database, RetryPolicy policy, OutboxMetrics metrics) {
        this.database = database;
        this.policy = policy;
        this.metrics = metrics;
    }

    /** What a call came to, and whether it made anything claimable. */
    record Settled(List<LeaseResult> results, boolean madeWork) {}

    Future<List<LeaseResult>> start(UUID tenant, @Nullable Set<String> botIds, List<Lease> leases) {
        return database.statement(connection -> OutboxLeases.start(connection, tenant, botIds, leases))
                .compose(started -> {
                    List<PartId> others = leases.stream()
                            .filter(lease -> !started.containsKey(lease))
                            .map(Lease::id)
                            .distinct()
                            .toList();
                    if (others.isEmpty()) {
                        return Future.succeededFuture(answers(leases, started));
                    }
                    return database.statement(
                                    connection -> OutboxLeases.startedBefore(connection, tenant, botIds, others))
                            .map(before -> {
                                before.forEach(started::putIfAbsent);
                                return answers(leases, started);
                            });
                });
    }

    Future<List<LeaseResult>> renew(UUID tenant, @Nullable Set<String> botIds, List<Lease> leases, Duration lease) {
        return database.statement(connection -> OutboxLeases.renew(connection, tenant, botIds, leases, lease))
                .map(renewed -> answers(leases, renewed));
    }

    private List<LeaseResult> answers(List<Lease> leases, Map<Lease, LeaseResult> known) {
        List<LeaseResult> results = new ArrayList<>(leases.size());
        for (Lease lease : leases) {
            LeaseResult result = known.get(lease);
            results.add(result != null ? result : lost(lease.id()));
        }
        metrics.leaseLost(results.stream().filter(Settling::isLost).count());
        return results;
    }

    Future<Settled> settle(UUID tenant, @Nullable Set<String> botIds, List<Settlement> settlements) {
        return database.transaction(connection -> settleIn(connection, tenant, botIds, settlements))
                .map(outcome -> {
                    outcome.count(metrics);
                    return new Settled(outcome.results, outcome.madeWork());
                });
    }

    private Future<Outcome> settleIn(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, List<Settlement> settlements) {
        List<PartId> ids =
                settlements.stream().map(settlement -> settlement.lease().id()).toList();
        // Three statements that travel together: the clock is read after the locks were granted.
        Future<List<InflightPart>> locked = OutboxSettlements.lock(connection, tenant, botIds, ids);
        Future<Instant> clock = OutboxSettlements.now(connection);
        return Future.all(locked, clock).compose(both -> {
            Map<Long, InflightPart> inFlight = new HashMap<>();
            locked.result().forEach(part -> inFlight.put(part.id().id(), part));
            List<PartId> rest = ids.stream()
                    .filter(id -> !inFlight.containsKey(id.id()))
                    .distinct()
                    .toList();
            return OutboxSettlements.lockEnded(connection, tenant, botIds, rest).compose(ended -> {
                Map<Long, EndedPart> endedById = new HashMap<>();
                ended.forEach(part -> endedById.put(part.id().id(), part));
                Outcome outcome = decide(settlements, inFlight, endedById, clock.result());
                return apply(connection, tenant, outcome, clock.result()).map(outcome);
            });
        });
    }

    private Outcome decide(
            List<Settlement> settlements, Map<Long, InflightPart> inFlight, Map<Long, EndedPart> ended, Instant now) {
        Outcome outcome = new Outcome();
        Set<Long> seen = new HashSet<>();
        for (Settlement settlement : settlements) {
            PartId id = settlement.lease().id();
            InflightPart part = inFlight.get(id.id());
            EndedPart end = ended.get(id.id());
            Verdict verdict;
            if (!seen.add(id.id())) {
                verdict = new Verdict.Refused(
                        "lease_lost", "this call settles the same part twice; only the first was carried out");
            } else if (part != null && part.id().equals(id)) {
                verdict = LeaseRules.settle(part, settlement, now, policy);
            } else if (end != null) {
                verdict = LeaseRules.settleEnded(end, settlement);
            } else {
                verdict = new Verdict.Refused("not_found", "there is no such part");
            }
            outcome.add(id, settlement, verdict, now);
        }
        return outcome;
    }

    private static Future<Void> apply(SqlConnection connection, UUID tenant, Outcome outcome, Instant now) {
        Future<Void> ended = endWithSuccessors(connection, outcome.ends);
        Future<Void> back = OutboxSettlements.back(connection, outcome.backs);
        Future<Void> rest = Future.all(ended, back).mapEmpty();
        for (Map.Entry<Instant, Set<String>> pause : outcome.pauses.entrySet()) {
            rest = rest.compose(done -> OutboxSweeps.pause(connection, tenant, pause.getValue(), pause.getKey()));
        }
        for (Verdict.Late late : outcome.lates) {
            rest = rest.compose(done -> OutboxSweeps.late(connection, tenant, late.part(), late.delivered(), now)
                    .mapEmpty());
        }
        return rest;
    }

    /**
     * Ends parts, and with each that ended other than delivered the later parts of its batch. Answers when all is
     * applied; the cancelled ones are added to {@code ends}.
     */
    static Future<Void> endWithSuccessors(SqlConnection connection, List<Verdict.End> ends) {
        List<Verdict.End> bad =
                ends.stream().filter(end -> end.state() != PartState.DELIVERED).toList();
        if (bad.isEmpty()) {
            return OutboxSettlements.end(connection, ends);
        }
        return OutboxSettlements.lockSuccessors(connection, bad).compose(successors -> {
            Set<Long> ending = ends.stream().map(end -> end.part().id().id()).collect(Collectors.toSet());
            for (InflightPart successor : successors) {
                if (ending.add(successor.id().id())) {
                    Verdict.End first = firstBefore(successor, bad);
                    ends.add(LeaseRules.cancel(successor, first.part().id().id(), first.state()));
                }
            }
            return OutboxSettlements.end(connection, ends);
        });
    }

    private static Verdict.End firstBefore(InflightPart successor, List<Verdict.End> bad) {
        Verdict.End first = null;
        for (Verdict.End end : bad) {
            boolean before =
                    end.part().batch() == successor.batch() && end.part().partIndex() < successor.partIndex();
            if (before
                    && (first == null || end.part().partIndex() < first.part().partIndex())) {
                first = end;
            }
        }
        if (first == null) {
            throw new IllegalStateException("part " + successor.id().id() + " has no ended predecessor");
        }
        return first;
    }

    static LeaseResult lost(PartId id) {
        return new LeaseResult.Refused(id, Verdict.Refused.LEASE_LOST.code(), Verdict.Refused.LEASE_LOST.detail());
    }

    private static boolean isLost(LeaseResult result) {
        return result instanceof LeaseResult.Refused refused && refused.code().equals("lease_lost");
    }

    /** The verdicts of one call, sorted by what has to be done. */
    private static final class Outcome {
        final List<LeaseResult> results = new ArrayList<>();
        final List<Verdict.End> ends = new ArrayList<>();
        final List<Verdict.Back> backs = new ArrayList<>();
        final List<Verdict.Late> lates = new ArrayList<>();
        final Map<Instant, Set<String>> pauses = new HashMap<>();
        int throttled;

        void add(PartId id, Settlement settlement, Verdict verdict, Instant now) {
            if (verdict instanceof Verdict.End end) {
                ends.add(end);
                results.add(done(id, end.state(), false));
            } else if (verdict instanceof Verdict.Back back) {
                backs.add(back);
                results.add(done(id, back.state(), false));
                if (settlement instanceof Settlement.Throttled throttle) {
                    throttled++;
                    pause(back, throttle, now);
                }
            } else if (verdict instanceof Verdict.Late late) {
                lates.add(late);
                results.add(done(id, PartState.DELIVERED, false));
            } else if (verdict instanceof Verdict.Replayed replayed) {
                results.add(done(id, replayed.state(), true));
            } else if (verdict instanceof Verdict.Refused refused) {
                results.add(new LeaseResult.Refused(id, refused.code(), refused.detail()));
            }
        }

        private void pause(Verdict.Back back, Settlement.Throttled throttle, Instant now) {
            if (throttle.wholeBot()) {
                Instant until = back.availableAt() == null ? now : back.availableAt();
                pauses.computeIfAbsent(until, at -> new TreeSet<>())
                        .add(back.part().botId());
            }
        }

        private static LeaseResult done(PartId id, PartState state, boolean replayed) {
            return new LeaseResult.Done(id, state, replayed, null);
        }

        boolean madeWork() {
            return !ends.isEmpty() || !backs.isEmpty() || !lates.isEmpty();
        }

        void count(OutboxMetrics metrics) {
            ends.forEach(end -> metrics.ended(end.state()));
            lates.forEach(late -> metrics.ended(PartState.DELIVERED));
            for (Verdict.Back back : backs) {
                if (back.state() == PartState.RETRY_WAIT) {
                    metrics.retried();
                }
            }
            for (int i = 0; i < throttled; i++) {
                metrics.throttled();
            }
            metrics.leaseLost(results.stream().filter(Settling::isLost).count());
        }
    }
}
