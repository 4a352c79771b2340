package io.tailrace.outbox.model;

import io.tailrace.outbox.model.Action.Claim;
import io.tailrace.outbox.model.Action.Enqueue;
import io.tailrace.outbox.model.Action.Expire;
import io.tailrace.outbox.model.Action.Rescue;
import io.tailrace.outbox.model.Action.Settle;
import io.tailrace.outbox.model.Action.Start;
import io.tailrace.outbox.model.Action.Wait;
import io.tailrace.outbox.model.Action.Word;
import java.util.ArrayList;
import java.util.List;

/** A sequence that once went wrong, or that chance would need long to find. */
record Known(String name, Scenario scenario, List<Action> actions) {
    static final List<Known> ALL = List.of(
            new Known(
                    "a shorter replay is told how many parts there are",
                    Scenario.ONE_KEY,
                    List.of(new Enqueue("A", 2), new Enqueue("A", 1))),
            new Known(
                    "a retry is said again after the part has expired",
                    Scenario.CROWDED,
                    List.of(
                            new Enqueue("A", 1),
                            new Claim(1),
                            new Settle("A0", Word.RETRY, true),
                            new Wait(false),
                            new Wait(false),
                            new Expire(),
                            new Settle("A0", Word.RETRY, true))),
            new Known(
                    "late evidence brings back nothing that another part holds down",
                    Scenario.CROSSED_IN_TIME,
                    List.of(
                            new Enqueue("A", 2),
                            new Claim(1),
                            new Start("A0"),
                            new Wait(false),
                            new Wait(false),
                            new Expire(),
                            new Rescue(),
                            new Enqueue("A", 3),
                            new Settle("A0", Word.DELIVERED, true))),
            new Known("five lapses in a row end a part", Scenario.REPEATING, fiveLapses()));

    private static List<Action> fiveLapses() {
        List<Action> actions = new ArrayList<>(List.of(new Enqueue("A", 3)));
        for (int lapse = 0; lapse < 5; lapse++) {
            actions.addAll(List.of(new Claim(1), new Start("A0"), new Wait(false), new Rescue()));
        }
        return actions;
    }

    @Override
    public String toString() {
        return name;
    }
}
