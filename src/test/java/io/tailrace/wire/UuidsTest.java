package io.tailrace.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class UuidsTest {
    private static final String ONE = "01a231a4-e244-763c-b982-d5925eca2e26";

    @Test
    @DisplayName("API-2 an id is taken in either case and in its one form only")
    void parses() {
        assertThat(Uuids.parse(ONE)).contains(UUID.fromString(ONE));
        assertThat(Uuids.parse(ONE.toUpperCase(Locale.ROOT))).contains(UUID.fromString(ONE));
        assertThat(Uuids.parse("1-1-1-1-1")).isEmpty();
        // As long as one, but in other groups: the JDK takes it.
        assertThat(Uuids.parse("01a231a4-e24-4763c-b982-d5925eca2e26")).isEmpty();
        assertThat(Uuids.parse("{01a231a4e244763cb982d5925eca2e26000}")).isEmpty();
        assertThat(Uuids.parse("")).isEmpty();
    }
}
