package io.tailrace.outbox.model;

import io.tailrace.outbox.PartState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the steps of a walk: one that was never tried in a state like this one; else the shortest way to such a state,
 * looked for in the model.
 */
final class Steps {
    /** States looked at in search of an untried step from within a walk, and from its beginning. */
    private static final int SEARCH = 100;

    private static final int SEARCH_FROM_THE_START = 20_000;

    private final Scenario scenario;
    private final Random random;
    private final Set<String> tried = new HashSet<>();
    private final Deque<Action> way = new ArrayDeque<>();
    private boolean atStart;
    private boolean exhausted;

    Steps(Scenario scenario, Random random) {
        this.scenario = scenario;
        this.random = random;
    }

    /** Pairs of a state and a step that were tried. */
    int tried() {
        return tried.size();
    }

    /** True when every step was tried in every state that can be reached. */
    boolean exhausted() {
        return exhausted;
    }

    /** A new walk begins. */
    void restart() {
        way.clear();
        atStart = true;
    }

    /** Null: nothing new is to be found from here; a new walk should begin. */
    @Nullable
    Action next(OutboxModel model) {
        List<Action> possible = possible(model);
        Action planned = way.poll();
        if (planned == null || !possible.contains(planned)) {
            way.clear();
            planned = untried(model, possible);
        }
        if (planned == null) {
            search(model, atStart ? SEARCH_FROM_THE_START : SEARCH);
            planned = way.poll();
            exhausted = atStart && planned == null;
        }
        atStart = false;
        if (planned != null) {
            tried.add(pair(model.shape(), planned));
        }
        return planned;
    }

    private @Nullable Action untried(OutboxModel model, List<Action> possible) {
        String shape = model.shape();
        List<Action> fresh = new ArrayList<>(possible);
        fresh.removeIf(action -> tried.contains(pair(shape, action)));
        return fresh.isEmpty() ? null : fresh.get(random.nextInt(fresh.size()));
    }

    private static String pair(String shape, Action action) {
        return shape + " | " + action;
    }

    private record Reached(OutboxModel model, List<Action> by) {}

    private void search(OutboxModel from, int most) {
        Set<String> seen = new HashSet<>(Set.of(from.shape()));
        Deque<Reached> open = new ArrayDeque<>(List.of(new Reached(from, List.of())));
        while (!open.isEmpty() && seen.size() < most) {
            Reached reached = open.remove();
            List<Action> possible = possible(reached.model);
            Collections.shuffle(possible, random);
            for (Action action : possible) {
                OutboxModel after = reached.model.copy();
                apply(after, action);
                if (seen.add(after.shape())) {
                    List<Action> by = new ArrayList<>(reached.by);
                    by.add(action);
                    if (untried(after, possible(after)) != null) {
                        way.addAll(by);
                        return;
                    }
                    open.add(new Reached(after, by));
                }
            }
        }
    }

    /** What the model expects of the outbox where the promises leave it no choice; good enough to plan with. */
    private static void apply(OutboxModel model, Action action) {
        if (action instanceof Action.Enqueue enqueue) {
            model.enqueue(enqueue.batch(), enqueue.parts());
        } else if (action instanceof Action.Claim claim) {
            model.claimable().stream().limit(claim.limit()).forEach(model::lease);
            model.expiredHeads().forEach(part -> model.end(part, PartState.EXPIRED));
        } else if (action instanceof Action.Start start) {
            ModelPart part = model.find(start.part());
            if (part != null) {
                model.start(part);
            }
        } else if (action instanceof Action.Settle settle) {
            ModelPart part = model.find(settle.part());
            if (part != null) {
                model.settle(part, settle.word(), settle.latest());
            }
        } else if (action instanceof Action.Rescue) {
            model.rescue();
        } else if (action instanceof Action.Expire) {
            model.expire();
        } else if (action instanceof Action.Wait wait) {
            model.advance(wait.day() ? OutboxModel.DAY : OutboxModel.TICK);
        }
    }

    private List<Action> possible(OutboxModel model) {
        List<Action> possible = new ArrayList<>();
        for (Map.Entry<String, List<Scenario.Part>> batch : scenario.batches().entrySet()) {
            int first = Math.min(scenario.first(), batch.getValue().size());
            possible.add(new Action.Enqueue(batch.getKey(), first));
            if (batch.getValue().size() > first) {
                possible.add(new Action.Enqueue(batch.getKey(), batch.getValue().size()));
            }
            possible.add(new Action.Conflict(batch.getKey()));
        }
        possible.add(new Action.Claim(1));
        possible.add(new Action.Claim(10));
        possible.add(new Action.Rescue());
        possible.add(new Action.Expire());
        possible.add(new Action.Wait(false));
        possible.add(new Action.Wait(true));
        for (ModelPart part : model.parts()) {
            possible.add(new Action.Start(part.name));
            for (Action.Word word : Action.Word.values()) {
                possible.add(new Action.Settle(part.name, word, true));
            }
            possible.add(new Action.Settle(part.name, Action.Word.DELIVERED, false));
        }
        possible.removeIf(action -> !enabled(model, action));
        return possible;
    }

    /** Whether there is anything to do it to; most of what then follows is a refusal, and that is the point. */
    static boolean enabled(OutboxModel model, Action action) {
        if (action instanceof Action.Conflict conflict) {
            return !model.batch(conflict.batch()).isEmpty();
        } else if (action instanceof Action.Start start) {
            return wasClaimed(model, start.part());
        } else if (action instanceof Action.Settle settle) {
            return wasClaimed(model, settle.part());
        } else if (action instanceof Action.Wait wait) {
            // A second day tells nothing new, and the days that exist are few.
            return !wait.day() || model.now() < OutboxModel.OLD;
        }
        return true;
    }

    private static boolean wasClaimed(OutboxModel model, String name) {
        ModelPart part = model.find(name);
        return part != null && part.token > 0;
    }
}
