package io.tailrace.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PartStateTest {
    /** Rows: from; columns: to, in the order of the enum. */
    private static final String MOVES = """
            from \\ to    pending leased retry_wait delivered ambiguous dead_letter expired cancelled
            pending       -       yes    -          -         -         -           yes     yes
            leased        yes     -      yes        yes       yes       yes         yes     -
            retry_wait    yes     yes    -          yes       -         -           yes     yes
            delivered     -       -      -          -         -         -           -       -
            ambiguous     yes     -      -          yes       -         -           -       -
            dead_letter   yes     -      -          -         -         -           -       -
            expired       yes     -      -          -         -         -           -       -
            cancelled     yes     -      -          -         -         -           -       -
            """;

    @Test
    @DisplayName("OUT-16 a part moves between its states as the table says, and in no other way: all 64 pairs")
    void moves() {
        List<String> rows = MOVES.lines().skip(1).toList();
        assertThat(rows).hasSize(PartState.values().length);
        int pairs = 0;
        for (String row : rows) {
            List<String> cells = Arrays.asList(row.trim().split(" +"));
            PartState from = PartState.of(cells.get(0));
            int column = 1;
            for (PartState to : PartState.values()) {
                boolean legal = cells.get(column++).equals("yes");
                assertThat(from.canBecome(to)).as("%s to %s", from, to).isEqualTo(legal);
                pairs++;
            }
        }
        assertThat(pairs).isEqualTo(64);
    }

    @Test
    void wireNames() {
        for (PartState state : PartState.values()) {
            assertThat(PartState.of(state.wire())).isEqualTo(state);
            assertThat(state.inFlight())
                    .isEqualTo(List.of("pending", "leased", "retry_wait").contains(state.wire()));
        }
    }
}
