package io.tailrace.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.outbox.Verdict.Back;
import io.tailrace.outbox.Verdict.End;
import io.tailrace.outbox.Verdict.Refused;
import io.tailrace.outbox.Verdict.Replayed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every state of a part against everything that can be said about it. */
class LeaseRulesTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    private static final PartId ID = new PartId(7, NOW.minusSeconds(600));
    private static final long TOKEN = 3;
    private static final Settlement.Failure FAILURE = new Settlement.Failure("c", "e", 500);

    private static InflightPart part(
            PartState state, @Nullable Instant leasedUntil, @Nullable Instant startedAt, @Nullable String lastOutcome) {
        return new InflightPart(
                ID,
                1,
                "7",
                null,
                0,
                DeliveryPolicy.CREATE,
                state,
                TOKEN,
                leasedUntil,
                NOW.minusSeconds(60),
                startedAt,
                null,
                2,
                1,
                1,
                1,
                100,
                lastOutcome);
    }

    private static List<Settlement> settlements(long token) {
        Lease lease = new Lease(ID, token);
        return List.of(
                new Settlement.Delivered(lease, List.of("1"), null, null, null),
                new Settlement.Retry(lease, null, null, null, FAILURE),
                new Settlement.Throttled(lease, null, false, FAILURE),
                new Settlement.Release(lease),
                new Settlement.Ambiguous(lease, FAILURE),
                new Settlement.DeadLetter(lease, FAILURE));
    }

    private static String inShort(Verdict verdict) {
        if (verdict instanceof End end) {
            return end.state().wire();
        } else if (verdict instanceof Back back) {
            return back.state().wire();
        } else if (verdict instanceof Replayed) {
            return "replayed";
        } else if (verdict instanceof Verdict.Late) {
            return "late";
        }
        return ((Refused) verdict).code().replace("lease_lost", "lost");
    }

    private static void expect(String table, Map<String, InflightPart> parts, long token) {
        for (String row : table.lines().skip(1).toList()) {
            List<String> cells = Arrays.asList(row.trim().split(" +"));
            InflightPart part = parts.get(cells.get(0));
            List<String> verdicts = new ArrayList<>();
            for (Settlement settlement : settlements(token)) {
                verdicts.add(
                        part == null ? "?" : inShort(LeaseRules.settle(part, settlement, NOW, RetryPolicy.DEFAULT)));
            }
            assertThat(verdicts).as(cells.get(0)).isEqualTo(cells.subList(1, 7));
        }
        assertThat(table.lines().count() - 1).isEqualTo(parts.size());
    }

    private static Map<String, InflightPart> inFlight() {
        Instant soon = NOW.plusSeconds(30);
        Instant started = NOW.minusSeconds(5);
        return Map.ofEntries(
                Map.entry("leased_started", part(PartState.LEASED, soon, started, null)),
                Map.entry("leased_unstarted", part(PartState.LEASED, soon, null, "retry")),
                Map.entry("lease_expired", part(PartState.LEASED, NOW.minusMillis(1), started, null)),
                Map.entry("lease_expires_now", part(PartState.LEASED, NOW, started, "lapsed")),
                Map.entry("pending_unclaimed", part(PartState.PENDING, null, null, null)),
                Map.entry("pending_released", part(PartState.PENDING, null, null, "release")),
                Map.entry("retry_wait_retried", part(PartState.RETRY_WAIT, null, started, "retry")),
                Map.entry("retry_wait_lapsed_started", part(PartState.RETRY_WAIT, null, started, "lapsed")),
                Map.entry("retry_wait_lapsed_unstarted", part(PartState.RETRY_WAIT, null, null, "lapsed")));
    }

    @Test
    @DisplayName(
            "OUT-16 OUT-17 every settlement of a part in flight with its latest token, in every state it can be in")
    void latestToken() {
        expect("""
                part                        delivered   retry      throttled  release  ambiguous   dead_letter
                leased_started              delivered   retry_wait retry_wait pending  ambiguous   dead_letter
                leased_unstarted            not_started retry_wait retry_wait pending  not_started dead_letter
                lease_expired               lost        lost       lost       lost     lost        lost
                lease_expires_now           lost        lost       lost       lost     lost        lost
                pending_unclaimed           lost        lost       lost       lost     lost        lost
                pending_released            lost        lost       lost       replayed lost        lost
                retry_wait_retried          lost        replayed   replayed   lost     lost        lost
                retry_wait_lapsed_started   delivered   lost       lost       lost     lost        lost
                retry_wait_lapsed_unstarted not_started lost       lost       lost     lost        lost
                """, inFlight(), TOKEN);
    }

    @Test
    @DisplayName("OUT-16 any settlement with another token is lease_lost, whatever the part is doing")
    void otherToken() {
        for (InflightPart part : inFlight().values()) {
            for (long token : new long[] {TOKEN - 1, TOKEN + 1}) {
                for (Settlement settlement : settlements(token)) {
                    assertThat(LeaseRules.settle(part, settlement, NOW, RetryPolicy.DEFAULT))
                            .isEqualTo(Refused.LEASE_LOST);
                }
            }
        }
    }

    private static EndedPart ended(PartState state, String lastOutcome) {
        return new EndedPart(ID, "b", state, TOKEN, lastOutcome, NOW.minusSeconds(60), NOW.minusSeconds(50));
    }

    @Test
    @DisplayName("OUT-16 every settlement of a part that has ended, in every way it can have ended")
    void endedParts() {
        String table = """
                part                   delivered retry    throttled release  ambiguous dead_letter
                delivered/delivered    replayed  lost     lost      lost     lost      lost
                ambiguous/ambiguous    lost      lost     lost      lost     replayed  lost
                ambiguous/lapsed       late      lost     lost      lost     lost      lost
                ambiguous/retry        lost      replayed replayed  lost     lost      lost
                dead_letter/dead_letter lost     lost     lost      lost     lost      replayed
                dead_letter/retry      lost      replayed replayed  lost     lost      lost
                dead_letter/lapsed     lost      lost     lost      lost     lost      lost
                expired/expired        lost      lost     lost      lost     lost      lost
                expired/lapsed         lost      lost     lost      lost     lost      lost
                expired/retry          lost      replayed replayed  lost     lost      lost
                cancelled/cancelled    lost      lost     lost      lost     lost      lost
                cancelled/release      lost      lost     lost      replayed lost      lost
                """;
        for (String row : table.lines().skip(1).toList()) {
            List<String> cells = Arrays.asList(row.trim().split(" +"));
            String[] name = cells.get(0).split("/", -1);
            EndedPart part = ended(PartState.of(name[0]), name[1]);
            assertThat(settlements(TOKEN))
                    .extracting(s -> inShort(LeaseRules.settleEnded(part, s)))
                    .as(cells.get(0))
                    .isEqualTo(cells.subList(1, 7));
            for (Settlement settlement : settlements(TOKEN - 1)) {
                assertThat(LeaseRules.settleEnded(part, settlement)).isEqualTo(Refused.LEASE_LOST);
            }
        }
    }

    @Test
    @DisplayName("OUT-16 a lease is held by its token, while leased, until just before its end")
    void holds() {
        InflightPart leased = part(PartState.LEASED, NOW, null, null);
        assertThat(LeaseRules.holds(leased, TOKEN, NOW.minusNanos(1_000))).isTrue();
        assertThat(LeaseRules.holds(leased, TOKEN, NOW)).isFalse();
        assertThat(LeaseRules.holds(leased, TOKEN + 1, NOW.minusSeconds(1))).isFalse();
        assertThat(LeaseRules.holds(part(PartState.PENDING, NOW, null, null), TOKEN, NOW.minusSeconds(1)))
                .isFalse();
        assertThat(LeaseRules.holds(part(PartState.LEASED, null, null, null), TOKEN, NOW))
                .isFalse();
    }

    @Test
    @DisplayName("OUT-22 a lapse, by policy, start, attempt row, time to live and lapses before it")
    void lapses() {
        for (DeliveryPolicy policy : DeliveryPolicy.values()) {
            for (boolean started : new boolean[] {false, true}) {
                for (boolean known : new boolean[] {false, true}) {
                    for (int lapses = 0; lapses <= 5; lapses++) {
                        for (int expiry : new int[] {-1, 0, 1, 99}) {
                            InflightPart part = new InflightPart(
                                    ID,
                                    1,
                                    "7",
                                    null,
                                    0,
                                    policy,
                                    PartState.LEASED,
                                    TOKEN,
                                    NOW,
                                    NOW,
                                    started ? NOW.minusSeconds(9) : null,
                                    expiry == 99 ? null : NOW.plusSeconds(expiry),
                                    2,
                                    1,
                                    1,
                                    lapses,
                                    100,
                                    null);
                            String expected = expiry == -1 || expiry == 0
                                    ? "expired"
                                    : (started || !known) && !policy.mayRepeat()
                                            ? "ambiguous"
                                            : lapses >= 4 ? "dead_letter" : "retry_wait";
                            assertThat(inShort(LeaseRules.lapse(part, known, NOW)))
                                    .isEqualTo(expected);
                        }
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("OUT-19 OUT-22 what each way back does to the counters")
    void counters() {
        InflightPart leased = part(PartState.LEASED, NOW.plusSeconds(1), NOW, null);
        List<Back> backs = settlements(TOKEN).subList(1, 4).stream()
                .map(settlement -> (Back) LeaseRules.settle(leased, settlement, NOW, RetryPolicy.DEFAULT))
                .toList();
        assertThat(backs).extracting(Back::attemptCount).containsExactly(2, 1, 1);
        assertThat(backs).extracting(Back::throttleCount).containsExactly(1, 2, 1);
        assertThat(backs).extracting(Back::rescueCount).containsExactly(1, 1, 1);
        assertThat(backs).extracting(Back::lapses).containsExactly(0, 0, 0);
        assertThat(backs)
                .extracting(Back::availableAt)
                .containsExactly(NOW.plusMillis(1_100), NOW.plusSeconds(60), null);
        Back lapsed = (Back) LeaseRules.lapse(part(PartState.LEASED, NOW, null, null), true, NOW);
        assertThat(lapsed.attemptCount()).isEqualTo(2);
        assertThat(lapsed.rescueCount()).isEqualTo(2);
        assertThat(lapsed.lapses()).isEqualTo(2);
        assertThat(lapsed.availableAt()).isEqualTo(NOW);
    }

    @Test
    @DisplayName("OUT-19 patience ends with age or with the last attempt, whichever comes first")
    void patience() {
        RetryPolicy policy =
                new RetryPolicy(Map.of(DeliveryPolicy.CREATE, new RetryPolicy.Rule(Duration.ofMinutes(10), 3)));
        Settlement retry = settlements(TOKEN).get(1);
        InflightPart old = part(PartState.LEASED, NOW.plusSeconds(1), null, null);
        assertThat(inShort(LeaseRules.settle(old, retry, NOW, policy))).isEqualTo("dead_letter");
        assertThat(inShort(LeaseRules.settle(old, retry, NOW.minusNanos(1_000), policy)))
                .isEqualTo("retry_wait");
        RetryPolicy two = new RetryPolicy(Map.of(DeliveryPolicy.CREATE, new RetryPolicy.Rule(Duration.ofDays(1), 2)));
        assertThat(inShort(LeaseRules.settle(old, retry, NOW, two))).isEqualTo("dead_letter");
        InflightPart started = part(PartState.LEASED, NOW.plusSeconds(1), NOW, null);
        assertThat(inShort(LeaseRules.settle(started, retry, NOW, two))).isEqualTo("ambiguous");
    }
}
