package io.tailrace.outbox.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Walks through the life of parts. {@code -Dmodel.seed=…} walks another way, {@code -Dmodel.steps=…} further; a failure
 * prints the shortest sequence found that still fails.
 */
class OutboxModelIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    static final List<Scenario> SCENARIOS = Scenario.ALL;
    private static final long SEED = Long.getLong("model.seed", 20_261_130);
    private static final int STEPS = Integer.getInteger("model.steps", 1_400);
    private static final int LENGTH = 40;

    private static RealOutbox real;

    @BeforeAll
    static void open() {
        real = new RealOutbox(db);
    }

    @AfterAll
    static void close() throws Exception {
        real.close();
    }

    @ParameterizedTest(name = "OUT-11 OUT-16 the life of parts is as the model says: {0}")
    @FieldSource("SCENARIOS")
    @DisplayName("OUT-11 OUT-16 the life of parts is as the model says")
    void walks(Scenario scenario) {
        long began = System.nanoTime();
        Steps steps = new Steps(scenario, new Random(SEED));
        int walked = 0;
        int walks = 0;
        while (walked < STEPS && !steps.exhausted()) {
            Walk walk = new Walk(real, scenario);
            steps.restart();
            try {
                Action next = steps.next(walk.model());
                while (next != null && walk.taken().size() < LENGTH) {
                    walk.step(next);
                    next = steps.next(walk.model());
                }
                walk.drain();
            } catch (Mismatch mismatch) {
                List<Action> shortest = shrink(scenario, walk.taken());
                throw new AssertionError(
                        mismatch.getMessage() + "\nseed " + SEED + ", " + scenario + ", shortest:"
                                + Walk.describe(shortest) + again(scenario, shortest),
                        mismatch);
            }
            walked += walk.taken().size();
            walks++;
        }
        System.out.printf(
                "%s: %d steps in %d walks, %d pairs of state and step%s, %d ms, seed %d%n",
                scenario,
                walked,
                walks,
                steps.tried(),
                steps.exhausted() ? ", all that are reachable" : "",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began),
                SEED);
        assertThat(walked).isPositive();
    }

    static final List<Known> KNOWN = Known.ALL;

    @ParameterizedTest(name = "OUT-16 {0}")
    @FieldSource("KNOWN")
    @DisplayName("OUT-16 sequences worth keeping")
    void known(Known known) {
        assertThat(again(known.scenario(), known.actions())).isNull();
    }

    /** Leaves out what can be left out: halves first, single steps last. */
    private static List<Action> shrink(Scenario scenario, List<Action> failing) {
        List<Action> shortest = new ArrayList<>(failing);
        for (int piece = shortest.size() / 2; piece > 0; piece /= 2) {
            for (int from = 0; from + piece <= shortest.size(); ) {
                List<Action> without = new ArrayList<>(shortest);
                without.subList(from, from + piece).clear();
                if (again(scenario, without) != null) {
                    shortest = without;
                } else {
                    from += piece;
                }
            }
        }
        return shortest;
    }

    private static @Nullable String again(Scenario scenario, List<Action> actions) {
        Walk walk = new Walk(real, scenario);
        try {
            actions.forEach(walk::step);
            walk.drain();
            return null;
        } catch (Mismatch mismatch) {
            return mismatch.getMessage();
        }
    }
}
