package io.tailrace.cli;

import io.tailrace.app.Tailrace;
import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.PartState;
import io.tailrace.wire.ReaderReplies;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** How much is in flight, how old it is, which bots are paused. */
@Command(
        name = "stats",
        mixinStandardHelpOptions = true,
        description = "Counts the parts in flight, says how old the oldest claimable one is, and lists paused bots.",
        footer = {"", "Examples:", "  tailrace outbox stats", "  tailrace outbox stats --json"})
final class OutboxStatsCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final OutboxOptions options = new OutboxOptions();

    OutboxStatsCommand(Console console) {
        this.console = console;
    }

    private record Stats(Map<PartState, Long> depth, Optional<Duration> oldest, List<OutboxOperator.Pause> pauses) {}

    @Override
    public Integer call() {
        UUID tenant = options.tenant();
        Stats stats = options.ask(options.load(console), "counting parts", parts -> stats(parts, tenant));
        if (options.json()) {
            OutboxOptions.print(console, ReaderReplies.stats(stats.depth(), stats.oldest(), stats.pauses()));
            return 0;
        }
        Table table = new Table("STATE", "PARTS");
        PartState.IN_FLIGHT.forEach(
                state -> table.row(state.wire(), String.valueOf(stats.depth().getOrDefault(state, 0L))));
        table.lines().forEach(console.out()::println);
        console.out()
                .println("oldest claimable: "
                        + stats.oldest().map(age -> age.toSeconds() + " s").orElse("none"));
        if (!stats.pauses().isEmpty()) {
            OutboxPauseCommand.show(console, stats.pauses());
        }
        return 0;
    }

    private static Future<Stats> stats(Tailrace parts, UUID tenant) {
        return parts.outbox()
                .depth(tenant)
                .compose(depth -> parts.parts().oldestClaimable(tenant).compose(oldest -> parts.outbox()
                        .operator()
                        .pauses(tenant, null)
                        .map(pauses -> new Stats(depth, oldest, pauses))));
    }
}
