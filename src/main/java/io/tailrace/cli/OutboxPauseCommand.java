package io.tailrace.cli;

import io.tailrace.config.TailraceConfig;
import io.tailrace.outbox.OutboxOperator;
import io.tailrace.wire.OperatorDecoder;
import io.tailrace.wire.OperatorReplies;
import io.tailrace.wire.Rfc3339;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Keeps a bot's parts from being claimed. */
@Command(
        name = "pause",
        mixinStandardHelpOptions = true,
        description = "Keeps a bot's parts from being claimed, until then or until it is resumed.",
        footer = {"", "Examples:", "  tailrace outbox pause 7", "  tailrace outbox pause 7 --until 2026-12-01T12:00:00Z"
        })
final class OutboxPauseCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final OutboxOptions options = new OutboxOptions();

    @Parameters(paramLabel = "BOT", description = "The bot's id.")
    private String bot = "";

    @Option(names = "--until", paramLabel = "TIME", description = "RFC 3339 with an offset. Default: until resumed.")
    private @Nullable String until;

    OutboxPauseCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        requireBot(bot);
        Instant end = time("--until", until);
        TailraceConfig config = options.load(console);
        List<OutboxOperator.Pause> pauses = options.ask(config, "pausing the bot", parts -> parts.outbox()
                .operator()
                .pause(options.tenant(), bot, end)
                .compose(paused -> parts.outbox().operator().pauses(options.tenant(), Set.of(bot))));
        answer(console, options, bot, pauses);
        return 0;
    }

    /** What holds the bot now. */
    static void answer(Console console, OutboxOptions options, String bot, List<OutboxOperator.Pause> pauses) {
        if (options.json()) {
            OutboxOptions.print(console, OperatorReplies.pauses(bot, pauses));
        } else if (pauses.isEmpty()) {
            console.out().println("Bot " + bot + " is not paused.");
        } else {
            show(console, pauses);
        }
    }

    static void show(Console console, List<OutboxOperator.Pause> pauses) {
        Table table = new Table("PAUSED BOT", "REASON", "UNTIL");
        pauses.forEach(one -> table.row(
                one.botId(), one.reason(), one.until() == null ? "resumed" : OutboxOptions.time(one.until())));
        table.lines().forEach(console.out()::println);
    }

    static void requireBot(String bot) {
        String problem = OperatorDecoder.botProblem(bot);
        if (problem != null) {
            throw new IllegalArgumentException("a bot's id " + problem);
        }
    }

    static @Nullable Instant time(String option, @Nullable String text) {
        return text == null
                ? null
                : Rfc3339.parse(text)
                        .orElseThrow(() -> new IllegalArgumentException(
                                option + " must be a time such as 2026-12-01T12:00:00Z, but is \"" + text + "\""));
    }
}
