package io.tailrace.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SignalsTest {
    @Test
    @DisplayName("OUT-15 ACT-7 ids go many in one payload, each once, and no payload is longer than PostgreSQL takes")
    void payloads() {
        Set<UUID> ids = IntStream.range(0, 2 * Signals.IDS_A_PAYLOAD + 1)
                .mapToObj(i -> new UUID(7, i))
                .collect(Collectors.toSet());
        List<String> payloads = Signals.payloads(ids);
        assertThat(payloads).hasSize(3).allMatch(payload -> payload.getBytes(StandardCharsets.UTF_8).length < 8_000);
        List<UUID> told = payloads.stream()
                .flatMap(payload -> Arrays.stream(payload.split(",")))
                .map(UUID::fromString)
                .toList();
        assertThat(told).hasSameSizeAs(ids);
        assertThat(new HashSet<>(told)).isEqualTo(ids);
        assertThat(Signals.payloads(Set.of())).isEmpty();
    }
}
