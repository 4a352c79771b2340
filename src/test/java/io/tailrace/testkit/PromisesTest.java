package io.tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.Promises.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class PromisesTest {
    @Test
    void readsTheNumbersAtTheStartOfAName() {
        assertThat(Promises.named("OUT-6 a second enqueue waits")).containsExactly("OUT-6");
        assertThat(Promises.named("OUT-4, OUT-5: only missing parts")).containsExactly("OUT-4", "OUT-5");
        assertThat(Promises.named("LIFE-1/LIFE-3 and LIFE-10 days")).containsExactly("LIFE-1", "LIFE-3", "LIFE-10");
        assertThat(Promises.named("OUT-4")).containsExactly("OUT-4");
        assertThat(Promises.named("a part, see OUT-4")).isEmpty();
        assertThat(Promises.named("UTF-8x is no promise")).isEmpty();
        assertThat(Promises.sentence("OUT-4, OUT-5: only  missing\nparts")).isEqualTo("only missing parts");
    }

    @Test
    void onePromiseWithOneFailureIsNotKept() {
        List<Outcome> outcomes = List.of(
                new Outcome("OUT-10", true, "AIT", "ten"),
                new Outcome("OUT-9", true, "AIT", "nine"),
                new Outcome("OUT-9", true, "AIT", "nine"),
                new Outcome("LIFE-2", true, "BIT", "two"),
                new Outcome("LIFE-2", false, "CIT", "two again"));
        assertThat(Promises.kept(outcomes).keySet()).containsExactly("OUT-9", "OUT-10");
        assertThat(Promises.page(Promises.kept(outcomes)))
                .endsWith("### OUT-9\n\n- nine (`AIT`)\n\n### OUT-10\n\n- ten (`AIT`)\n");
    }

    @Test
    void aPageListsWhatWasPutOnIt() {
        List<Outcome> outcomes = List.of(new Outcome("API-1", true, "AIT", "problems"));
        assertThat(Promises.listed(Promises.page(Promises.kept(outcomes)))).containsExactly("API-1");
    }

    @Test
    void aLineIsReadBackAsItWasWritten() {
        Outcome outcome = new Outcome("API-1", false, "AIT", "a\u00a0sentence");
        assertThat(Outcome.of(outcome.line())).isEqualTo(outcome);
    }
}
