package io.tailrace.cli;

import io.tailrace.config.TailraceConfig;
import io.tailrace.outbox.OutboxOperator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Ends an operator's pause. */
@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        description = "Ends an operator's pause of a bot. A provider's throttle goes on until its time, and is shown.",
        footer = {"", "Examples:", "  tailrace outbox resume 7"})
final class OutboxResumeCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final OutboxOptions options = new OutboxOptions();

    @Parameters(paramLabel = "BOT", description = "The bot's id.")
    private String bot = "";

    OutboxResumeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        OutboxPauseCommand.requireBot(bot);
        TailraceConfig config = options.load(console);
        List<OutboxOperator.Pause> pauses = options.ask(config, "resuming the bot", parts -> parts.outbox()
                .operator()
                .resume(options.tenant(), bot)
                .compose(resumed -> parts.outbox().operator().pauses(options.tenant(), Set.of(bot))));
        OutboxPauseCommand.answer(console, options, bot, pauses);
        return 0;
    }
}
