package io.tailrace.cli;

import io.tailrace.outbox.PartId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes waiting parts due now, and brings ended ones back. */
@Command(
        name = "retry",
        mixinStandardHelpOptions = true,
        description = {
            "Makes waiting parts due now, and brings ended ones back, with those that their end had cancelled.",
            "An ambiguous part may have gone out: one that creates or pays stays unless the risk is accepted."
        },
        footer = {
            "",
            "Examples:",
            "  tailrace outbox retry <id> <id>",
            "  tailrace outbox retry <id> --accept-duplicate-risk --json"
        })
final class OutboxRetryCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final OutboxOptions options = new OutboxOptions();

    @Parameters(arity = "1..*", paramLabel = "ID", description = "As `tailrace outbox list` shows them.")
    private final List<String> ids = new ArrayList<>();

    @Option(
            names = "--accept-duplicate-risk",
            description = "Sends also what may have gone out: the chat may get it twice, a payment may be made twice.")
    private boolean acceptDuplicateRisk;

    OutboxRetryCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Set<PartId> wanted = OutboxOptions.ids(ids);
        List<OutboxActs.Act> acts = options.ask(
                options.load(console),
                "retrying parts",
                parts -> OutboxActs.inTurn(wanted, id -> parts.outbox()
                        .operator()
                        .retry(options.tenant(), null, id, acceptDuplicateRisk)
                        .map(result -> new OutboxActs.Act(id, result))));
        return OutboxActs.show(console, options.json(), acts) ? 0 : TailraceCommand.FAILED;
    }
}
