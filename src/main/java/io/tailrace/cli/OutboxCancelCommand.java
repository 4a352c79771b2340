package io.tailrace.cli;

import io.tailrace.config.TailraceConfig;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends waiting parts unsent. */
@Command(
        name = "cancel",
        mixinStandardHelpOptions = true,
        description = {
            "Ends waiting parts as cancelled, unsent, and the parts behind them in their batches.",
            "Shows them and wants the word cancel typed, or --yes. A part that a worker has cannot be cancelled."
        },
        footer = {"", "Examples:", "  tailrace outbox cancel <id> --dry-run", "  tailrace outbox cancel <id> <id> --yes"
        })
final class OutboxCancelCommand implements Callable<Integer> {
    private static final String WORD = "cancel";

    private final Console console;

    @Mixin
    private final OutboxOptions options = new OutboxOptions();

    @Parameters(arity = "1..*", paramLabel = "ID", description = "As `tailrace outbox list` shows them.")
    private final List<String> ids = new ArrayList<>();

    @Option(names = "--dry-run", description = "Only shows them.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Cancels without asking.")
    private boolean yes;

    OutboxCancelCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Set<PartId> wanted = OutboxOptions.ids(ids);
        if (options.json() && !yes) {
            throw new IllegalArgumentException(
                    "nobody can be asked with --json; say --yes, or look with `outbox show`");
        }
        TailraceConfig config = options.load(console);
        if (dryRun || !yes) {
            boolean all = preview(config, wanted);
            if (dryRun) {
                return all ? 0 : TailraceCommand.FAILED;
            }
            if (!Confirmation.typed(console, "They will not be sent", WORD)) {
                console.err().println("tailrace: nothing was cancelled; type " + WORD + " when asked, or say --yes");
                return TailraceCommand.ASKED_WRONGLY;
            }
        }
        List<OutboxActs.Act> acts = options.ask(
                config,
                "cancelling parts",
                parts -> OutboxActs.inTurn(wanted, id -> parts.outbox()
                        .operator()
                        .cancel(options.tenant(), null, id)
                        .map(result -> new OutboxActs.Act(id, result))));
        return OutboxActs.show(console, options.json(), acts) ? 0 : TailraceCommand.FAILED;
    }

    /** True when all are there. */
    private boolean preview(TailraceConfig config, Set<PartId> wanted) {
        List<Optional<PartView>> found = options.ask(
                config,
                "looking at parts",
                parts -> OutboxActs.inTurn(wanted, id -> parts.outbox().item(options.tenant(), id, false)));
        List<PartId> order = List.copyOf(wanted);
        List<PartView> shown = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            if (found.get(i).isPresent()) {
                shown.add(found.get(i).get());
            } else {
                OutboxActs.missing(console, false, order.get(i));
            }
        }
        OutboxListCommand.show(console, shown, false);
        return shown.size() == wanted.size();
    }
}
