package io.tailrace.outbox.model;

import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.PartState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Takes steps in the model and in the outbox, and compares after each. */
final class Walk {
    /** Rounds of {@link #drain}: three for the longest delay, three for the latest schedule, the rest one part each. */
    private static final int ROUNDS = 16;

    private final RealOutbox real;
    private final OutboxModel model;
    private final List<Action> taken = new ArrayList<>();

    Walk(RealOutbox real, Scenario scenario) {
        this.real = real;
        this.model = new OutboxModel(scenario);
        real.begin(scenario);
    }

    OutboxModel model() {
        return model;
    }

    List<Action> taken() {
        return taken;
    }

    /** @throws Mismatch when what happened is not what the promises say */
    void step(Action action) {
        if (!Steps.enabled(model, action)) {
            return;
        }
        taken.add(action);
        Map<String, PartState> before = new TreeMap<>();
        model.parts().forEach(part -> before.put(part.name, part.state));
        if (action instanceof Action.Enqueue enqueue) {
            enqueue(enqueue);
        } else if (action instanceof Action.Conflict conflict) {
            conflict(conflict);
        } else if (action instanceof Action.Claim claim) {
            claim(claim.limit(), before);
        } else if (action instanceof Action.Start start) {
            ModelPart part = part(start.part());
            expect(action, model.start(part), real.start(part.name, part.token));
        } else if (action instanceof Action.Settle settle) {
            ModelPart part = part(settle.part());
            long token = settle.latest() ? part.token : part.token - 1;
            OutboxModel.Answer expected = model.settle(part, settle.word(), settle.latest());
            expect(action, expected, real.settle(part.name, token, settle.word()));
        } else if (action instanceof Action.Rescue) {
            model.rescue();
            real.rescue();
        } else if (action instanceof Action.Expire) {
            model.expire();
            real.expire();
        } else if (action instanceof Action.Wait wait) {
            long seconds = wait.day() ? OutboxModel.DAY : OutboxModel.TICK;
            model.advance(seconds);
            real.advance(seconds);
        }
        compare(action, before);
    }

    private ModelPart part(String name) {
        return Objects.requireNonNull(model.find(name));
    }

    private static void expect(Action action, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new Mismatch(action + " was answered " + actual + ", expected " + expected);
        }
    }

    private void enqueue(Action.Enqueue action) {
        Set<String> known = model.byName().keySet();
        model.enqueue(action.batch(), action.parts());
        EnqueueResult result = real.enqueue(action.batch(), action.parts(), false);
        if (!(result instanceof EnqueueResult.Stored stored)) {
            throw new Mismatch(action + " was answered " + result);
        }
        List<String> expected = model.batch(action.batch()).stream()
                .limit(action.parts())
                .map(part -> part.name + " " + part.state + " " + !known.contains(part.name))
                .toList();
        List<String> answered = stored.parts().stream()
                .map(part -> action.batch() + part.partIndex() + " " + part.state() + " " + part.inserted())
                .toList();
        expect(action, expected, answered);
        expect(action, model.batch(action.batch()).size(), stored.storedParts());
    }

    private void conflict(Action.Conflict action) {
        int count = model.batch(action.batch()).size();
        EnqueueResult result = real.enqueue(action.batch(), count, true);
        if (!(result instanceof EnqueueResult.Refused refused)
                || !refused.code().equals("idempotency_conflict")
                || !refused.pointer().equals("/parts/0/method_kind")) {
            throw new Mismatch(action + " was answered " + result);
        }
    }

    /**
     * A claim may end waiting parts whose time has passed, and go on with what that makes claimable or leave it to the
     * next. What could be claimed at once must be, best first, up to the limit.
     */
    private void claim(int limit, Map<String, PartState> before) {
        List<String> wanted = model.claimable().stream().map(part -> part.name).toList();
        List<String> items = real.claim(limit);
        Map<String, RealOutbox.Row> rows = real.rows();
        boolean ended = false;
        for (ModelPart part : model.parts()) {
            RealOutbox.Row row = rows.get(part.name);
            if (part.waits() && part.pastItsTime(model.now()) && row != null && row.state() == PartState.EXPIRED) {
                model.end(part, PartState.EXPIRED);
                ended = true;
            }
        }
        for (String item : items) {
            ModelPart part = part(item);
            if (!model.claimable(part)) {
                throw new Mismatch("a claim gave out " + item + ", which was not to be had; it was " + before.get(item)
                        + ", claimable were " + wanted);
            }
            model.lease(part);
        }
        Set<String> missed = new HashSet<>(wanted);
        items.forEach(missed::remove);
        missed.removeIf(name -> !part(name).waits());
        boolean short_ = items.size() < limit && !missed.isEmpty();
        boolean unfair = !ended && !items.equals(wanted.subList(0, Math.min(limit, wanted.size())));
        if (short_ || unfair) {
            throw new Mismatch("a claim of " + limit + " gave out " + items + ", claimable were " + wanted);
        }
        if (items.isEmpty() && !model.expiredHeads().isEmpty()) {
            throw new Mismatch("a claim met nothing and left expired heads behind: " + model.shape());
        }
    }

    private void compare(Action action, Map<String, PartState> before) {
        Map<String, RealOutbox.Row> rows = real.rows();
        for (ModelPart part : model.parts()) {
            RealOutbox.Row row = rows.remove(part.name);
            if (row == null) {
                throw new Mismatch("after " + action + " part " + part.name + " is not stored");
            }
            if (part.state != before.get(part.name)) {
                tolerate(part, row);
            }
            RealOutbox.Row expected = new RealOutbox.Row(
                    part.name, part.state, part.attempts, part.throttles, part.token, part.cancelledBy);
            if (!row.equals(expected)) {
                throw new Mismatch("after " + action + " the database has " + row + ", expected " + expected);
            }
        }
        if (!rows.isEmpty()) {
            throw new Mismatch("after " + action + " the database has more: " + rows.values());
        }
        List<String> broken = real.broken();
        if (!broken.isEmpty()) {
            throw new Mismatch("after " + action + ": " + broken);
        }
    }

    /** Of parts of one batch that end together, who ends by itself and who is cancelled by which is left open. */
    private void tolerate(ModelPart part, RealOutbox.Row row) {
        boolean mortal = part.pastItsTime(model.now());
        boolean either = part.state == PartState.CANCELLED || part.state == PartState.EXPIRED;
        boolean lowerBad = model.batch(part.batch).stream()
                .anyMatch(other ->
                        other.index < part.index && other.endedBadly() && other.name.equals(row.cancelledBy()));
        if (row.state() == PartState.CANCELLED && either && lowerBad) {
            part.state = PartState.CANCELLED;
            part.cancelledBy = row.cancelledBy();
        } else if (row.state() == PartState.EXPIRED && either && mortal) {
            part.state = PartState.EXPIRED;
            part.cancelledBy = null;
        }
    }

    /** Lets time pass and delivers what is to be had, until nothing is in flight. */
    void drain() {
        for (int round = 0; round < ROUNDS && inFlight(); round++) {
            step(new Action.Wait(false));
            step(new Action.Rescue());
            step(new Action.Expire());
            step(new Action.Claim(10));
            for (ModelPart part : List.copyOf(model.parts())) {
                if (part.holdsLease(model.now())) {
                    step(new Action.Start(part.name));
                    step(new Action.Settle(part.name, Action.Word.DELIVERED, true));
                }
            }
        }
        if (inFlight()) {
            throw new Mismatch("a key is wedged: " + model.shape());
        }
    }

    private boolean inFlight() {
        return model.parts().stream().anyMatch(part -> part.state.inFlight());
    }

    static String describe(List<Action> actions) {
        return actions.stream().map(Object::toString).collect(Collectors.joining("\n  ", "\n  ", "\n"));
    }
}
