package io.tailrace.outbox.model;

import io.tailrace.outbox.Batch;
import io.tailrace.outbox.Claim;
import io.tailrace.outbox.DeliveryPolicy;
import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.Lease;
import io.tailrace.outbox.LeaseResult;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.Settlement;
import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Producers and senders that do at random what is allowed, and write down what they were told. Thread-safe. */
final class Clients {
    /** What was answered. */
    static final class Ledger {
        /** Ids and what they are, batch and index. */
        final Map<String, String> acknowledged = new ConcurrentHashMap<>();

        /** The ends that senders were told of. */
        final Map<String, PartState> ends = new ConcurrentHashMap<>();
        /** Batches of which a part was resolved by late evidence; what it had cancelled came back out of turn. */
        final Set<String> late = ConcurrentHashMap.newKeySet();

        final AtomicLong claimed = new AtomicLong();
        final AtomicLong lost = new AtomicLong();
    }

    private static final Duration LEASE = Duration.ofMillis(250);
    private static final Duration WAIT = Duration.ofMillis(50);

    private static final List<DeliveryPolicy> POLICIES = List.of(DeliveryPolicy.values());

    private record Abandoned(Claim.Item item) {}

    final Ledger ledger = new Ledger();
    private final UUID tenant = UUID.randomUUID();
    private final int keys;
    private final AtomicInteger batches = new AtomicInteger();
    private final Queue<Abandoned> abandoned = new ConcurrentLinkedQueue<>();

    Clients(int keys) {
        this.keys = keys;
    }

    UUID tenant() {
        return tenant;
    }

    /** Stores a new batch, one of before, or one of before with parts added. */
    void produce(Outbox outbox, Random random) {
        int known = batches.get();
        boolean again = known > 0 && random.nextInt(4) == 0;
        int number = again ? Math.max(0, known - 1 - random.nextInt(20)) : batches.getAndIncrement();
        // All that a batch is follows from its number, so whoever repeats it says the same.
        Random shape = new Random(number * 7919L);
        int first = 1 + shape.nextInt(3);
        int size = first + (again && random.nextBoolean() ? 1 : 0);
        List<Batch.Part> parts = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            parts.add(part(shape));
        }
        EnqueueResult result = TestDatabase.await(outbox.enqueue(tenant, new Batch("b" + number, parts, null)));
        if (result instanceof EnqueueResult.Stored stored) {
            for (EnqueueResult.StoredPart part : stored.parts()) {
                ledger.acknowledged.put(id(part.id()), "b" + number + "/" + part.partIndex());
            }
        } else {
            throw new AssertionError("refused: " + result);
        }
    }

    private Batch.Part part(Random shape) {
        DeliveryPolicy policy = POLICIES.get(shape.nextInt(POLICIES.size()));
        String key = "k" + shape.nextInt(keys);
        return new Batch.Part(
                "7", null, null, key, null, null, null, "sendMessage", 1, "{}", null, policy, false, 0, null, null);
    }

    /** One claim and whatever its sender then does; some of it is never heard of again, or too late. */
    int send(Outbox outbox, Random random) {
        List<Claim.Item> items = claim(outbox, 1 + random.nextInt(8), LEASE, WAIT);
        for (Claim.Item item : items) {
            int dice = random.nextInt(100);
            if (dice < 2) {
                abandoned.add(new Abandoned(item));
                continue;
            }
            boolean started = dice >= 8 || random.nextBoolean();
            if (started) {
                start(outbox, item);
            }
            if (dice < 5) {
                abandoned.add(new Abandoned(item));
            } else {
                settle(outbox, item, word(item, dice));
            }
        }
        settleLate(outbox, random);
        return items.size();
    }

    private static Settlement word(Claim.Item item, int dice) {
        Lease lease = new Lease(item.id(), item.leaseToken());
        if (dice < 8) {
            return new Settlement.Release(lease);
        } else if (dice < 14) {
            return new Settlement.Retry(lease, Duration.ofMillis(dice), null, null, Settlement.Failure.NONE);
        } else if (dice < 18) {
            return new Settlement.Throttled(lease, Duration.ofMillis(dice), false, Settlement.Failure.NONE);
        } else if (dice < 21) {
            return new Settlement.Ambiguous(lease, Settlement.Failure.NONE);
        } else if (dice < 23) {
            return new Settlement.DeadLetter(lease, Settlement.Failure.NONE);
        }
        return new Settlement.Delivered(lease, List.of("5"), null, null, 200);
    }

    private void settleLate(Outbox outbox, Random random) {
        Abandoned late = random.nextInt(8) == 0 ? abandoned.poll() : null;
        if (late != null) {
            // Before the answer: a part that comes back may be claimed before we hear of it.
            ledger.late.add(late.item.batchId());
            Lease lease = new Lease(late.item.id(), late.item.leaseToken());
            settle(outbox, late.item, new Settlement.Delivered(lease, List.of("5"), null, null, 200));
        }
    }

    /** Claims and delivers what is to be had; answers how many. */
    int deliver(Outbox outbox) {
        List<Claim.Item> items = claim(outbox, Claim.MAX_LIMIT, Claim.DEFAULT_LEASE, Duration.ZERO);
        for (Claim.Item item : items) {
            start(outbox, item);
            Lease lease = new Lease(item.id(), item.leaseToken());
            settle(outbox, item, new Settlement.Delivered(lease, List.of("5"), null, null, 200));
        }
        return items.size();
    }

    private List<Claim.Item> claim(Outbox outbox, int limit, Duration lease, Duration wait) {
        Claim claim = new Claim("sender", UUID.randomUUID(), limit, null, lease, wait);
        List<Claim.Item> items = TestDatabase.await(outbox.claim(tenant, claim));
        ledger.claimed.addAndGet(items.size());
        return items;
    }

    private void start(Outbox outbox, Claim.Item item) {
        TestDatabase.await(outbox.start(tenant, List.of(new Lease(item.id(), item.leaseToken()))));
    }

    private void settle(Outbox outbox, Claim.Item item, Settlement settlement) {
        LeaseResult result =
                TestDatabase.await(outbox.settle(tenant, List.of(settlement))).get(0);
        if (result instanceof LeaseResult.Done done && !done.state().inFlight()) {
            PartState before = ledger.ends.put(id(item.id()), done.state());
            if (before == PartState.DELIVERED && !done.replayed()) {
                throw new AssertionError(item.id() + " was delivered twice");
            }
        } else if (result instanceof LeaseResult.Refused) {
            ledger.lost.incrementAndGet();
        }
    }

    private static String id(PartId id) {
        return Long.toString(id.id());
    }
}
