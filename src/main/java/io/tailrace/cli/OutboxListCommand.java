package io.tailrace.cli;

import io.tailrace.config.TailraceConfig;
import io.tailrace.outbox.PartView;
import io.tailrace.wire.PartPage;
import io.tailrace.wire.PartViewWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists parts, the newest first. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = {
            "Lists parts, the newest first, a page at a time.",
            "Of an ordering key without --state the days are read through; with a state in flight an index leads there."
        },
        footer = {
            "",
            "Examples:",
            "  tailrace outbox list --state dead_letter --limit 20",
            "  tailrace outbox list --state retry_wait --bot 7 --key chat:1001",
            "  tailrace outbox list --batch order:7 --json --with-content"
        })
final class OutboxListCommand implements Callable<Integer> {
    private static final int PAGE = 50;

    private final Console console;

    @Mixin
    private final OutboxOptions options = new OutboxOptions();

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "pending, leased, retry_wait, delivered, ambiguous, dead_letter, expired or cancelled.")
    private @Nullable String state;

    @Option(names = "--bot", paramLabel = "ID", description = "Only of this bot. Repeatable.")
    private final Set<String> bots = new LinkedHashSet<>();

    @Option(names = "--key", paramLabel = "KEY", description = "Only of this ordering key.")
    private @Nullable String key;

    @Option(names = "--batch", paramLabel = "ID", description = "Only of this batch.")
    private @Nullable String batch;

    @Option(names = "--limit", paramLabel = "N", description = "At most this many, 1 to 500. Default: 50.")
    private int limit = PAGE;

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "Goes on where the page before said.")
    private @Nullable String cursor;

    @Option(names = "--with-content", description = "Shows payloads, receipts and blobs too.")
    private boolean withContent;

    OutboxListCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        PartPage first = new PartPage(
                options.tenant(),
                OutboxOptions.state(state),
                OutboxOptions.orAny(bots),
                key,
                batch,
                null,
                OutboxOptions.limit(limit, PartPage.MAX_LIMIT),
                withContent ? Set.copyOf(PartViewWriter.INCLUDABLE) : Set.of());
        PartPage page = OutboxOptions.page(() -> first.from(cursor));
        TailraceConfig config = options.load(console);
        List<PartView> found = options.ask(config, "listing parts", parts -> parts.parts()
                .list(options.tenant(), page.selection(), page.withContent()));
        if (options.json()) {
            OutboxOptions.print(console, page.reply(found));
            return 0;
        }
        show(console, page.shown(found), withContent);
        OutboxOptions.more(console, page.next(found));
        return 0;
    }

    static void show(Console console, List<PartView> shown, boolean withContent) {
        List<String> headings = new ArrayList<>(
                List.of("ID", "STATE", "BOT", "KEY", "BATCH", "PART", "METHOD", "ATTEMPTS", "UPDATED", "ERROR"));
        if (withContent) {
            headings.addAll(List.of("PAYLOAD", "RECEIPT"));
        }
        Table table = new Table(headings.toArray(String[]::new));
        for (PartView part : shown) {
            List<String> cells = new ArrayList<>(List.of(
                    part.id().opaque(),
                    part.state().wire(),
                    part.botId(),
                    OutboxOptions.text(part.orderingKey()),
                    OutboxOptions.text(part.batchId()),
                    String.valueOf(part.partIndex()),
                    part.methodKind(),
                    String.valueOf(part.attemptCount()),
                    OutboxOptions.time(part.updatedAt()),
                    OutboxOptions.text(part.lastErrorClass())));
            if (withContent) {
                cells.add(OutboxOptions.text(part.payloadJson()));
                cells.add(OutboxOptions.text(part.receiptJson()));
            }
            table.row(cells.toArray(String[]::new));
        }
        table.lines().forEach(console.out()::println);
    }
}
