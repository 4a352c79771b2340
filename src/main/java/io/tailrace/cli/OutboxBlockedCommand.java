package io.tailrace.cli;

import io.tailrace.config.TailraceConfig;
import io.tailrace.outbox.BlockedKey;
import io.tailrace.wire.BlockedPage;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which parts hold their keys (OUT-32). */
@Command(
        name = "blocked",
        mixinStandardHelpOptions = true,
        description = {
            "Lists the parts that others wait behind although they are due, and how many wait.",
            "`outbox retry` makes such a part due now, `outbox cancel` gives it up; both free its key."
        },
        footer = {"", "Examples:", "  tailrace outbox blocked", "  tailrace outbox blocked --bot 7 --json"})
final class OutboxBlockedCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final OutboxOptions options = new OutboxOptions();

    @Option(names = "--bot", paramLabel = "ID", description = "Only of this bot. Repeatable.")
    private final Set<String> bots = new LinkedHashSet<>();

    @Option(names = "--limit", paramLabel = "N", description = "At most this many, 1 to 500. Default: 100.")
    private int limit = BlockedPage.DEFAULT_LIMIT;

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "Goes on where the page before said.")
    private @Nullable String cursor;

    OutboxBlockedCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        int most = OutboxOptions.limit(limit, BlockedPage.MAX_LIMIT);
        BlockedPage page =
                OutboxOptions.page(() -> BlockedPage.of(options.tenant(), OutboxOptions.orAny(bots), cursor, most));
        TailraceConfig config = options.load(console);
        List<BlockedKey> found = options.ask(config, "looking for blocked keys", parts -> parts.outbox()
                .operator()
                .blocked(page.tenant(), page.botIds(), page.after(), page.wanted()));
        if (options.json()) {
            OutboxOptions.print(console, page.reply(found));
            return 0;
        }
        if (found.isEmpty()) {
            console.out().println(cursor == null ? "No key is blocked." : "There are no more.");
            return 0;
        }
        Table table = new Table("ID", "STATE", "SINCE", "UNTIL", "WAITING", "BOT", "KEY", "BATCH", "ATTEMPTS", "ERROR");
        page.shown(found)
                .forEach(one -> table.row(
                        one.id().opaque(),
                        one.state().wire(),
                        OutboxOptions.time(one.since()),
                        OutboxOptions.time(one.until()),
                        one.waiting() >= BlockedKey.MOST_COUNTED ? one.waiting() + "+" : String.valueOf(one.waiting()),
                        one.botId(),
                        OutboxOptions.text(one.orderingKey()),
                        OutboxOptions.text(one.batchId()),
                        String.valueOf(one.attemptCount()),
                        OutboxOptions.text(one.lastErrorClass())));
        table.lines().forEach(console.out()::println);
        OutboxOptions.more(console, page.next(found));
        return 0;
    }
}
